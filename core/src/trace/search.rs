//! Searches for pods to evict or move so that a job can run: what was tried, who was not selected, what was lost again.

use serde::{Deserialize, Serialize};

use super::check::Check;
use crate::id::{JobId, NodeId, PodId, QueueId};

/// What a search tried and where it ended. Sets of victims are tried in a fixed order; the first that is allowed and
/// frees enough ends the search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The job that needs room.
    pub job: JobId,
    /// Number of its pods that have to be placed together.
    pub pods: u32,
    /// The largest number of them for which a set sufficed.
    pub placed: u32,
    /// Number of sets tried.
    pub tried: u32,
    /// Nodes of the victims in these sets, in the order in which they were first tried.
    pub nodes: Vec<NodeId>,
    /// How the nodes of the last set were selected, if several are emptied at once.
    pub emptied: Option<Emptied>,
    /// Pods that were evicted or moved in the end; empty if no set sufficed.
    pub evicted: Vec<PodId>,
    /// Pods whose allocation the comparisons of shares and quotas subtract: those of the last set, without the ones
    /// that are placed again, in the order in which they are compared.
    pub taken: Vec<PodId>,
}

/// A claim of room by evictions that is neither made nor undone: until the end of the cycle the scheduler counts it as
/// made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfinished {
    /// The job for which it would be.
    pub job: JobId,
    /// Number of the policy's events in the cycle before it.
    pub after: u32,
    /// Pods that count as evicted, with their nodes.
    pub evicted: Vec<(PodId, NodeId)>,
    /// Pods that count as placed, with their nodes.
    pub claimed: Vec<(PodId, NodeId)>,
}

/// Nodes that are emptied at once: the ones with the fewest GPUs first, as many as suffice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Emptied {
    /// GPUs that the job lacked on all other nodes.
    pub needed: f64,
    /// The nodes, each with the GPUs that the search counts as free without its possible victims.
    pub nodes: Vec<(NodeId, f64)>,
}

impl Emptied {
    /// The number of leading nodes that have the needed GPUs together; more were tried if these did not suffice.
    pub fn fewest(&self) -> usize {
        let mut sum = 0.0;
        let is_needed = |(_, gpus): &&(NodeId, f64)| {
            let before = sum;
            sum += gpus;
            before < self.needed
        };
        self.nodes.iter().take_while(is_needed).count()
    }
}

/// A job for which pods are evicted again and again, because another job starts in the room it has claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostClaim {
    /// The job.
    pub job: JobId,
    /// The job that took the room last.
    pub taker: JobId,
    /// How often the room was taken and claimed again since a pod of the job last started.
    pub times: u32,
}

impl LostClaim {
    /// From this number of losses on, the repetition counts as a loop.
    const LOOP_MIN: u32 = 3;

    /// Whether the run repeats itself.
    pub fn is_loop(&self) -> bool {
        self.times >= LostClaim::LOOP_MIN
    }
}

/// A queue or job that was not selected when pods were evicted for a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotSelected {
    /// The job for which pods were evicted.
    pub by: JobId,
    /// The queue or job that was not selected.
    pub candidate: Candidate,
    /// The reason.
    pub why: Protection,
}

/// A possible victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Candidate {
    /// A queue with its descendants.
    Queue(QueueId),
    /// A job.
    Job(JobId),
}

/// Why a candidate was not selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Protection {
    /// It is not preemptible.
    NonPreemptible,
    /// The core of a semi-preemptible job may not be evicted.
    Core {
        /// Number of pods in the core.
        pods: u32,
    },
    /// It failed this comparison, which a victim has to pass.
    Failed(Check),
    /// It passed this comparison, but earlier candidates sufficed.
    Later(Check),
    /// It is in the claimant's own queue, and the claimant reclaims only from other queues.
    OwnQueue {
        /// Number of jobs in that queue that hold resources.
        jobs: u32,
    },
    /// Other victims sufficed.
    NotNeeded,
}
