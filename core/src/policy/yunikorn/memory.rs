//! State between cycles: the core, and the mapping between its indices and the ids of the cluster.
//!
//! # Source
//! yunikorn.md 1.8, 3.1, 5.1

use std::collections::BTreeMap;

use super::config::Partition;
use super::model::{AskIx, Core, QueueIx};
use super::partition::ResourceTypes;
use super::placeholders::Gangs;
use crate::cluster::{Cluster, Phase};
use crate::id::{JobId, NodeId, PodId};
use crate::time::Time;

/// State between cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Without queues before the first cycle.
    pub(super) core: Core,
    pub(super) partition: Partition,
    /// Resource types of the core.
    pub(super) resource_types: ResourceTypes,
    /// Index per queue of the cluster; `None` if the configuration has never contained it.
    pub(super) queues: Vec<Option<QueueIx>>,
    /// Node of the cluster per node of the core.
    pub(super) nodes: Vec<NodeId>,
    /// Ask per pod.
    pub(super) asks: BTreeMap<PodId, AskIx>,
    /// Pod per ask.
    pub(super) pods: BTreeMap<AskIx, PodId>,
    /// Gangs and their placeholders.
    pub(super) gangs: Gangs,
    /// Preemptor job per evicted pod.
    pub(super) evicted_for: BTreeMap<PodId, JobId>,
    /// Time of the last change.
    pub(super) changed_at: Time,
    /// Whether only decisions of the core have changed the cluster since the last pass.
    pub(super) in_step: bool,
}

impl Memory {
    /// Pod of an ask, or the pod for which a placeholder holds resources.
    pub(super) fn pod_of(&self, ask: AskIx) -> Option<PodId> {
        self.pods.get(&ask).copied().or_else(|| self.gangs.pod_of(ask))
    }

    /// Terminating pods that were evicted for the job.
    pub(super) fn leaving_for(&self, job: JobId) -> impl Iterator<Item = PodId> + '_ {
        self.evicted_for.iter().filter(move |(_, preemptor)| **preemptor == job).map(|(pod, _)| *pod)
    }
}

/// Application id of a job: the one that it names, otherwise its own name.
pub(super) fn application(cluster: &Cluster, job: JobId) -> &str {
    let first = cluster.pods_of(job).next().and_then(|(_, pod)| pod.rules.as_deref());
    first.and_then(|rules| rules.application.as_deref()).unwrap_or(&cluster.jobs[job].name)
}

/// End of the termination period of a pod; `None` if it is not terminating.
pub(super) fn until(phase: Phase) -> Option<Time> {
    match phase {
        Phase::Terminating { until, .. } => Some(until),
        _ => None,
    }
}
