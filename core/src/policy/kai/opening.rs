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
use super::place::groups::Groups;
use super::place::node::Node;
use super::pod::PodFacts;
use super::share::shares::Queue;
use super::snapshot::{Quantities, Status};
use super::task::{GroupRef, NodeRef};

/// State of a node pool between two cycles.
#[derive(Clone, Debug)]
pub(super) struct Opening<'a> {
    pub config: &'a Config,
    /// Current time in seconds, on the same axis as other times.
    pub now_s: f64,
    /// Amount divided at the root.
    pub total: Quantities,
    /// Device memory by which pending memory requests are divided, MiB.
    pub yardstick: f64,
    /// Whether all quantities are whole numbers with exact sums in a double, and no device is shared.
    pub is_whole: bool,
    /// Number of named resources.
    pub n_scalars: usize,
    /// Without tasks.
    pub nodes: Vec<Node>,
    /// Without amounts.
    pub queues: Vec<Queue>,
    pub groups: Groups,
    pub jobs: Vec<OpeningJob>,
    /// Pods of all jobs, job by job.
    pub pods: Vec<OpeningPod>,
}

/// A live job.
#[derive(Clone, Debug)]
pub(super) struct OpeningJob {
    pub facts: JobFacts,
    /// Last start, if ever.
    pub last_start_s: Option<f64>,
    /// Start of its staleness.
    pub stale_since_s: Option<f64>,
    /// Allocation, where a recording differs from the sum over pods.
    pub allocated: Option<Quantities>,
    /// Current number of pods.
    pub n_pods: usize,
}

/// A pod and its placement.
#[derive(Clone, Debug)]
pub(super) struct OpeningPod {
    pub facts: Arc<PodFacts>,
    pub status: Status,
    pub node: Option<NodeRef>,
    /// Shared devices it uses there.
    pub groups: Vec<GroupRef>,
}
