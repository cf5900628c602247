//! The core, and which of the cluster's queues, nodes and pods its own are.
//!
//! # Source
//! yunikorn.md 1.8, 3.1, 5.1

use std::collections::BTreeMap;

use super::config::Partition;
use super::model::{AskIx, Core, QueueIx};
use super::partition::Kinds;
use super::placeholders::Gangs;
use crate::cluster::{Cluster, Phase};
use crate::id::{JobId, NodeId, PodId};
use crate::time::Time;

/// The core, and who is who in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub(super) core: Option<Core>,
    pub(super) partition: Partition,
    /// What its types are.
    pub(super) kinds: Kinds,
    /// Per queue of the cluster; `None`: the configuration has never had it.
    pub(super) queues: Vec<Option<QueueIx>>,
    /// Per node of the core.
    pub(super) nodes: Vec<NodeId>,
    /// Asks in the core by pod.
    pub(super) asks: BTreeMap<PodId, AskIx>,
    /// The pod of an ask.
    pub(super) pods: BTreeMap<AskIx, PodId>,
    /// Gangs and their placeholders.
    pub(super) gangs: Gangs,
    /// The job for which a pod was evicted.
    pub(super) takers: BTreeMap<PodId, JobId>,
    /// When something changed last.
    pub(super) changed_at: Time,
    /// Nothing changed since the last pass but by its own decisions.
    pub(super) in_step: bool,
}

impl Memory {
    /// The core; there is one once a cycle has begun.
    pub(super) fn core(&self) -> Option<&Core> {
        self.core.as_ref()
    }

    /// The pod of an ask, or that for which a placeholder holds room.
    pub(super) fn pod_of(&self, ask: AskIx) -> Option<PodId> {
        self.pods.get(&ask).copied().or_else(|| self.gangs.pod_of(ask))
    }

    /// The job for which a leaving pod was evicted.
    pub(super) fn leaving_for(&self, job: JobId) -> impl Iterator<Item = PodId> + '_ {
        self.takers.iter().filter(move |(_, taker)| **taker == job).map(|(pod, _)| *pod)
    }
}

/// The application of a job: the one that it names, else it is one by itself.
pub(super) fn application(cluster: &Cluster, job: JobId) -> &str {
    let first = cluster.pods_of(job).next().and_then(|(_, pod)| pod.rules.as_deref());
    first.and_then(|rules| rules.application.as_deref()).unwrap_or(&cluster.jobs[job].name)
}

/// How long until the end of a grace.
pub(super) fn until(phase: Phase) -> Option<Time> {
    match phase {
        Phase::Terminating { until } => Some(until),
        _ => None,
    }
}
