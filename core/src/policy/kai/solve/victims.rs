//! Victims of an attempt by job, and the allocations that they are compared with.
//!
//! # Rule
//! None of its own.
//!
//! # Source
//! kai.md 6.4
//!
//! # Differs
//! nothing

use smallvec::SmallVec;

use crate::policy::kai::number::Quantities;
use crate::policy::kai::session::SessionState;
use crate::policy::kai::task::{JobRef, PodRef};

/// Allocation of every queue before any attempt: total and non-preemptible.
pub(in crate::policy::kai) type Allocations = Vec<(Quantities, Quantities)>;

impl SessionState {
    /// Current allocation of every queue.
    pub fn allocations(&self) -> Allocations {
        self.queues.iter().map(|q| (q.allocated, q.allocated_np)).collect()
    }
}

/// Victims of one job.
#[derive(Clone, Debug)]
pub(in crate::policy::kai) struct VictimsOfJob {
    pub job: JobRef,
    pub pods: SmallVec<[PodRef; 2]>,
    /// Indices of its groups.
    pub groups: SmallVec<[usize; 2]>,
}

impl VictimsOfJob {
    /// Victims outside of a hypothesis.
    pub fn of(job: JobRef, pods: impl Iterator<Item = PodRef>) -> VictimsOfJob {
        VictimsOfJob { job, pods: pods.collect(), groups: SmallVec::new() }
    }
}
