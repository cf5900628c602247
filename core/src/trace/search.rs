//! Searches for pods to evict or move so that a job can run.

use serde::{Deserialize, Serialize};

use crate::id::{JobId, NodeId, PodId};

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
