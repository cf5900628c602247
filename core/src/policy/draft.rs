//! A scenario that is being checked, as a policy's own checks see it.

use crate::cluster::{Node, Preemptible, Queue, Request};
use crate::format::{Path, Scenario};
use crate::id::{Arena, QueueId};
use crate::units::Resource;

/// A scenario with its meaning so far. Wrong values are replaced by defaults; each has its finding already.
#[derive(Clone)]
pub struct Draft<'a> {
    /// The file.
    pub scenario: &'a Scenario,
    /// The nodes, equal ones once.
    pub nodes: Vec<&'a Node>,
    /// The queues, in file order; with their values outside pools.
    pub queues: &'a Arena<QueueId, Queue>,
    /// The entries of the job list, in file order.
    pub jobs: Vec<DraftJob<'a>>,
    /// Where a queue stands in the file.
    pub queue_at: &'a dyn Fn(QueueId) -> Path,
    /// Where an entry of the job list stands in the file.
    pub job_at: &'a dyn Fn(usize) -> Path,
}

/// An entry of the job list.
#[derive(Clone)]
pub struct DraftJob<'a> {
    /// Who submitted it.
    pub user: Option<&'a str>,
    /// Whether its pods may be evicted for others.
    pub preemptible: Preemptible,
    /// Whether several of its pods must start together.
    pub is_gang: bool,
    /// What the pods of each kind ask for.
    pub requests: Vec<&'a Request>,
}

/// A queue that is being checked, with the values of one pool.
pub struct DraftQueue<'a> {
    /// The queue.
    pub queue: &'a Queue,
    /// Whether jobs in it and below it ask for CPU, memory and GPU.
    pub asked: [bool; 3],
    /// Where these values stand in the file.
    pub at: &'a dyn Fn() -> Path,
}

impl DraftQueue<'_> {
    /// Where a value of a resource stands.
    pub fn place(&self, resource: Resource, field: &str) -> Path {
        (self.at)().field(resource.name()).field(field)
    }
}
