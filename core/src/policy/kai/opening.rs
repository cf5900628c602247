//! What a session opens from, in canonical orders: positions in place of names.
//!
//! # Rule
//! Nodes are in order of names, queues of (age, name), jobs and the pods of a job of names: these are the canonical
//! orders in which sums are taken. Jobs of queues that do not exist, and of queues with children, are never ordered.
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

/// The state of a node pool between two cycles.
#[derive(Clone, Debug)]
pub(super) struct Opening<'a> {
    pub config: &'a Config,
    /// Seconds; other moments are on the same axis.
    pub now_s: f64,
    /// What the root divides.
    pub total: Quantities,
    /// What pending requests of device memory are measured against, MiB.
    pub yardstick: f64,
    /// Whether all quantities are whole numbers whose sums a double holds exactly, and no device is shared.
    pub is_whole: bool,
    /// How many named resources are numbered.
    pub n_scalars: usize,
    /// Empty.
    pub nodes: Vec<Node>,
    /// Nothing is counted in them yet.
    pub queues: Vec<Queue>,
    pub groups: Groups,
    pub jobs: Vec<OpeningJob>,
    /// Of all jobs, one job after the other.
    pub pods: Vec<OpeningPod>,
}

/// A job that is not over.
#[derive(Clone, Debug)]
pub(super) struct OpeningJob {
    pub facts: JobFacts,
    /// When it last started, if ever.
    pub last_start_s: Option<f64>,
    /// Since when it is stale.
    pub stale_since_s: Option<f64>,
    /// What it holds, where a recording says it differs from the sum over pods.
    pub allocated: Option<Quantities>,
    /// How many pods it has now.
    pub n_pods: usize,
}

/// A pod and where it is.
#[derive(Clone, Debug)]
pub(super) struct OpeningPod {
    pub facts: Arc<PodFacts>,
    pub status: Status,
    pub node: Option<NodeRef>,
    /// Shared devices it uses there.
    pub groups: Vec<GroupRef>,
}
