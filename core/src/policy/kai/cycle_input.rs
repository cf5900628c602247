//! Input of a session, in canonical order, with indices instead of names.
//!
//! # Rule
//! Nodes are sorted by name, queues by (age, name), jobs and the pods of a job by name: these are the canonical
//! summation orders. Jobs whose queue does not exist or has children are never ordered.
//!
//! # Source
//! kai.md 1, 11 (N-1)
//!
//! # Differs
//! nothing

use std::sync::Arc;

use super::config::Config;
use super::job::JobFacts;
use super::number::Quantities;
use super::place::groups::Groups;
use super::place::node::Node;
use super::pod::Pod;
use super::request::MemoryBasis;
use super::share::shares::Queue;

/// A node pool at the beginning of a cycle.
#[derive(Clone, Debug)]
pub(super) struct CycleInput<'a> {
    pub config: &'a Config,
    /// Current time in seconds, on the same axis as other times.
    pub now_s: f64,
    /// Amount divided at the root.
    pub total: Quantities,
    /// Device memory by which requests of device memory are divided.
    pub memory_basis: MemoryBasis,
    /// Whether all quantities are whole numbers with exact sums in a double, and no device is shared.
    pub sums_are_exact: bool,
    /// Number of named resources.
    pub n_scalars: usize,
    /// Without tasks.
    pub nodes: Vec<Node>,
    /// Without amounts.
    pub queues: Vec<Queue>,
    pub groups: Groups,
    /// Live jobs.
    pub jobs: Arc<Vec<JobFacts>>,
    /// Pods of all jobs, job by job.
    pub pods: Arc<Vec<Pod>>,
}
