//! A node pool as its cycles open it, kept from one cycle to the next.
//!
//! # Rule
//! Nodes are sorted by name, queues by (age, name), jobs and the pods of a job by name: these are the canonical
//! summation orders. Jobs whose queue does not exist or has children are never ordered.
//!
//! The live jobs with their immutable facts are kept in canonical order: a job is added when it is
//! submitted or offered to the pool, and removed when it ends or leaves. The states of jobs and pods are read from the
//! cluster in every cycle. Nodes and queues, without their amounts, depend on the configuration alone; when it changes,
//! the pool is opened from nothing.
//!
//! # Source
//! kai.md 1, 11 (N-1)
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;
use std::sync::Arc;

use super::config::Config;
use super::job::{JobFacts, JobMemory, JobTraits};
use super::number::Quantities;
use super::place::groups::Groups;
use super::place::node::Node;
use super::pod::Pod;
use super::pool_facts::{JobEntry, PoolFacts};
use super::request::MemoryBasis;
use super::share::shares::{Queue, is_leaf};
use super::task::{JobRef, PodRef, QueueRef, Status};
use crate::cluster::{Cluster, Devices, Job, Phase};
use crate::id::{Id, JobId, PodId};
use crate::policy::{Monitor, PartitionView};
use crate::time::Time;

/// Input of a session: a pool at the beginning of a cycle.
#[derive(Clone, Debug)]
pub(super) struct CycleInput<'a> {
    pub config: &'a Config,
    /// Current time in seconds, on the same axis as other times.
    pub now_s: f64,
    /// Number of named resources.
    pub n_scalars: usize,
    pub pool: PoolState,
    pub monitor: Monitor,
}

/// A pool in the state of its latest cycle, with indices instead of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PoolState {
    /// Amount divided at the root.
    pub total: Quantities,
    /// Device memory by which requests of device memory are divided.
    pub memory_basis: MemoryBasis,
    /// Whether all amounts are whole numbers with exact sums in a double, and no device is shared.
    pub sums_are_exact: bool,
    /// Without tasks.
    pub nodes: Vec<Node>,
    /// Without amounts and measured usage.
    pub queues: Vec<Queue>,
    /// By queue of the cluster: the queue with its name.
    pub queue_refs: Vec<Option<QueueRef>>,
    pub groups: Groups,
    /// Live jobs, ascending.
    pub live: Vec<JobId>,
    /// The live jobs, by name.
    pub jobs: Arc<Vec<JobFacts>>,
    /// Pods of all jobs, job by job.
    pub pods: Arc<Vec<Pod>>,
}

impl PoolState {
    /// Brings the pool to the present state of the cluster; `remembered` contains the state of jobs between cycles, by
    /// the number of jobs that precede them by name.
    pub fn update(&mut self, view: PartitionView<'_>, facts: &PoolFacts, remembered: &BTreeMap<u32, JobMemory>) {
        self.exchange_jobs(view.live_jobs().collect(), facts);
        self.read_states(view, facts, remembered);
        self.read_groups(view.cluster);
    }

    /// Removes the jobs that are no longer live and adds those that are new, the latter without pods.
    fn exchange_jobs(&mut self, live: Vec<JobId>, facts: &PoolFacts) {
        let (jobs, pods) = (Arc::make_mut(&mut self.jobs), Arc::make_mut(&mut self.pods));
        let place =
            |jobs: &[JobFacts], entry: &JobEntry| jobs.partition_point(|job| job.n_before < entry.traits.n_before);
        let by_name = |ids: Vec<JobId>| {
            let mut entries: Vec<&JobEntry> = ids.into_iter().filter_map(|id| facts.job(id)).collect();
            entries.sort_unstable_by_key(|entry| entry.traits.n_before);
            entries
        };
        // The last one first: its pods follow those of all others.
        for entry in by_name(without(&self.live, &live)).into_iter().rev() {
            let job = jobs.remove(place(jobs, entry));
            pods.drain(job.pods());
        }
        for entry in by_name(without(&live, &self.live)) {
            let queue = self.queue_refs[entry.queue.index()];
            jobs.insert(place(jobs, entry), JobFacts::new(entry.traits.clone(), queue));
        }
        self.live = live;
    }

    /// Reads the states of all jobs and their pods.
    fn read_states(
        &mut self,
        PartitionView { cluster, now: at_ms, .. }: PartitionView<'_>,
        facts: &PoolFacts,
        remembered: &BTreeMap<u32, JobMemory>,
    ) {
        let (jobs, pods) = (Arc::make_mut(&mut self.jobs), Arc::make_mut(&mut self.pods));
        let mut remembered = remembered.iter().peekable();
        self.sums_are_exact = self.nodes.iter().all(|node| node.allocatable.is_whole());
        let mut first_pod = 0;
        for (i, job) in jobs.iter_mut().enumerate() {
            while remembered.next_if(|(n_before, _)| **n_before < job.n_before).is_some() {}
            let memory = remembered.next_if(|(n_before, _)| **n_before == job.n_before).map(|(_, memory)| *memory);
            job.read_state(&cluster.jobs[job.id], memory.unwrap_or_default(), &self.queues);
            job.first_pod = PodRef::of(first_pod);
            exchange_pods(job, pods, facts, cluster);
            for pod in &mut pods[job.pods()] {
                let state = &cluster.pods[pod.id];
                pod.job = JobRef::of(i);
                pod.status = match state.phase {
                    Phase::Terminating { since, .. } if facts.is_stuck(since, at_ms) => Status::StuckInReleasing,
                    phase => status_of(phase).unwrap_or_default(),
                };
                pod.node = state.node.and_then(|node| facts.node(node));
                self.sums_are_exact &= job.is_whole || pod.request.is_whole();
            }
            first_pod += job.n_pods;
        }
    }

    /// Numbers the devices in partial use on any node.
    fn read_groups(&mut self, cluster: &Cluster) {
        self.groups = Groups::default();
        if self.sums_are_exact {
            return;
        }
        let shared = |pod: &Pod| {
            let state = &cluster.pods[pod.id];
            if pod.request.is_shared() && state.node.is_some() { state.devices } else { Devices(0) }
        };
        self.groups = Groups::of_devices(Devices(self.pods.iter().fold(0, |bits, pod| bits | shared(pod).0)));
        for pod in Arc::make_mut(&mut self.pods) {
            pod.groups = shared(pod).iter().filter_map(|device| self.groups.of_device(device)).collect();
        }
    }
}

/// Replaces the pods of a job, unless all that it may have are there and still exist.
fn exchange_pods(job: &mut JobFacts, pods: &mut Vec<Pod>, facts: &PoolFacts, cluster: &Cluster) {
    let exists = |pod: PodId| status_of(cluster.pods[pod].phase).is_some();
    let is_complete = job.n_pods == job.traits.n_pods as usize;
    if is_complete && pods[job.pods()].iter().all(|pod| exists(pod.id)) {
        return;
    }
    let entry = facts.job(job.id);
    let existing = entry.into_iter().flat_map(|entry| &entry.pods).filter(|pod| exists(pod.id));
    let existing: Vec<Pod> = existing.cloned().map(Pod::new).collect();
    let n_pods = existing.len();
    pods.splice(job.pods(), existing);
    job.n_pods = n_pods;
}

/// The ids of one ascending list that are not in another.
fn without(ids: &[JobId], others: &[JobId]) -> Vec<JobId> {
    let mut others = others.iter().peekable();
    let is_new = |id: &&JobId| {
        while others.next_if(|other| other < id).is_some() {}
        others.next_if(|other| other == id).is_none()
    };
    ids.iter().filter(is_new).copied().collect()
}

impl JobFacts {
    /// A job without pods and state.
    fn new(traits: Arc<JobTraits>, queue: Option<QueueRef>) -> JobFacts {
        JobFacts {
            traits,
            queue,
            is_ordered: false,
            is_set_aside: false,
            first_pod: PodRef::default(),
            n_pods: 0,
            last_start_s: None,
            stale_since_s: None,
            last_eviction_s: None,
            allocated: None,
        }
    }

    fn read_state(&mut self, job: &Job, memory: JobMemory, queues: &[Queue]) {
        self.is_set_aside = memory.tried_at == Some(job.offers);
        self.is_ordered = !self.is_set_aside && self.queue.is_some_and(|queue| is_leaf(queues, queue));
        self.last_start_s = memory.last_start.or(job.last_start).map(Time::as_seconds);
        self.stale_since_s = memory.stale_since.map(Time::as_seconds);
        self.last_eviction_s = memory.last_eviction.map(Time::as_seconds);
    }
}

/// A pod's status; `None` if it does not exist.
fn status_of(phase: Phase) -> Option<Status> {
    match phase {
        Phase::Pending => Some(Status::Pending),
        Phase::Gated => Some(Status::Gated),
        Phase::Starting { .. } => Some(Status::Binding),
        Phase::Running { .. } => Some(Status::Running),
        Phase::Terminating { .. } => Some(Status::Releasing),
        Phase::Finished { .. } => Some(Status::Succeeded),
        Phase::Future | Phase::Removed { .. } | Phase::Evicted { .. } => None,
    }
}
