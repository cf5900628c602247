//! A shortcut: fails the chunk of a gang after its first pod if the nodes lack room for the others.
//!
//! # Rule
//! A chunk is placed as a whole or not at all. Equal pods take equal amounts of the idle and releasing room of their
//! nodes, so no more of them can be placed than fit each node, counted node by node. If these are fewer than the rest of
//! the chunk, the chunk fails, and placing more of its pods first would be rolled back.
//!
//! # Source
//! kai.md 5.2, 5.4, 6.7
//!
//! # Differs
//! nothing. Used only where a rollback restores every number ([`Session::is_whole`]), and only in attempts, which do not
//! use the reason of the failure; not for pods whose eviction was committed, because one that returns to its former node
//! takes its room elsewhere. The first pod is placed and rolled back, because this drops the cached chunk and need of
//! the job

use crate::policy::kai::fast::feasibility::Freed;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{NodeRef, TaskRef};

impl Session<'_> {
    /// Whether the nodes certainly lack room for a chunk of equal pods, one of which has been placed.
    pub fn lacks_room_for_rest(&self, chunk: &[TaskRef], nodes: &[NodeRef]) -> bool {
        let [first, rest @ ..] = chunk else { return false };
        let first = self.task(*first).pod;
        let counts = |&task: &TaskRef| {
            let pod = self.task(task).pod;
            self.pods[pod.ix()].kind == self.pods[first.ix()].kind && !self.evicted.contains(&pod)
        };
        if !self.is_whole || rest.is_empty() || !rest.iter().all(counts) {
            return false;
        }
        let mut left = rest.len() as i64;
        nodes.iter().all(|&at| {
            left -= self.room_for(first, at, Freed::default()).min(left);
            left > 0
        })
    }
}
