//! A scenario during its check, as passed to a policy's own checks.

use crate::cluster::{Node, Preemptible, Queue, Request};
use crate::format::{Path, Scenario};
use crate::id::{Arena, QueueId};
use crate::units::Resource;

/// A partly interpreted scenario. Invalid values are replaced by defaults and already reported.
#[derive(Clone)]
pub struct Draft<'a> {
    /// The file.
    pub scenario: &'a Scenario,
    /// Node entries without duplicates.
    pub nodes: Vec<&'a Node>,
    /// The queues in file order, with their values outside pools.
    pub queues: &'a Arena<QueueId, Queue>,
    /// Entries of the job list, in file order.
    pub jobs: Vec<DraftJob<'a>>,
    /// Path of a queue in the file.
    pub queue_at: &'a dyn Fn(QueueId) -> Path,
    /// Path of an entry of the job list in the file.
    pub job_at: &'a dyn Fn(usize) -> Path,
}

/// An entry of the job list.
#[derive(Clone)]
pub struct DraftJob<'a> {
    /// The submitting user.
    pub user: Option<&'a str>,
    /// Whether its pods may be evicted for others.
    pub preemptible: Preemptible,
    /// Whether several of its pods must start together.
    pub is_gang: bool,
    /// Requests of the pods of each kind.
    pub requests: Vec<&'a Request>,
}

/// A queue during its check, with the values of one pool.
pub struct DraftQueue<'a> {
    pub queue: &'a Queue,
    /// Whether jobs in it and below it request CPU, memory and GPU.
    pub requested: [bool; 3],
    /// Path of these values in the file.
    pub at: &'a dyn Fn() -> Path,
}

impl DraftQueue<'_> {
    /// Path of a value of a resource.
    pub fn place(&self, resource: Resource, field: &str) -> Path {
        (self.at)().field(resource.name()).field(field)
    }
}
