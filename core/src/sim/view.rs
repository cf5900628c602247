//! What a page asks of a state: who holds which device, what a job's pods are about, what was claimed.

use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::cluster::{GpuRequest, Phase, Preemptible};
use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, QueueId};
use crate::trace::{Event, OrderLevel, QueuePriority, SharePool};

/// Somebody on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The pod.
    pub pod: PodId,
    /// Its job.
    pub job: JobId,
    /// Its queue.
    pub queue: QueueId,
    /// Thousandths of the device.
    pub milli: i64,
    /// Told to go.
    pub is_leaving: bool,
    /// Placed, not running yet.
    pub is_starting: bool,
    /// May not be evicted for others.
    pub is_locked: bool,
}

/// What is on one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeTable {
    /// For each device those who hold it, by pod.
    pub devices: Vec<Vec<Holder>>,
    /// Pods without a device.
    pub without: Vec<Holder>,
}

/// A job's pods by what they are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodCounts {
    /// Start or run.
    pub running: u32,
    /// Wait.
    pub pending: u32,
    /// Told to go.
    pub leaving: u32,
    /// Ended or withdrawn.
    pub over: u32,
}

/// Room held for a pod until the end of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimView {
    /// For whom.
    pub pod: PodId,
    /// Where.
    pub node: NodeId,
}

impl Simulation {
    /// The queue of a pod.
    pub fn queue_of(&self, pod: PodId) -> QueueId {
        let cluster = self.cluster();
        cluster.jobs[cluster.pods[pod].job].queue
    }

    /// What is on every node, in one walk over the live jobs.
    pub fn node_tables(&self) -> Arena<NodeId, NodeTable> {
        let cluster = self.cluster();
        let empty = |node: &crate::cluster::Node| NodeTable {
            devices: vec![Vec::new(); node.n_devices() as usize],
            without: Vec::new(),
        };
        let mut tables: Arena<NodeId, NodeTable> = cluster.nodes.values().map(empty).collect();
        let semi =
            cluster.live_jobs.iter().filter(|&&job| cluster.jobs[job].preemptible == Preemptible::Semi);
        let mut fixed: Vec<PodId> = semi.flat_map(|&job| cluster.fixed_pods(job)).collect();
        fixed.sort();
        for (id, pod) in cluster.live_jobs.iter().flat_map(|&job| cluster.pods_of(job)) {
            let (true, Some(node)) = (pod.phase.holds(), pod.node) else { continue };
            let job = &cluster.jobs[pod.job];
            let is_locked = match job.preemptible {
                Preemptible::Yes => false,
                Preemptible::No => true,
                Preemptible::Semi => fixed.binary_search(&id).is_ok(),
            };
            let holder = Holder {
                pod: id,
                job: pod.job,
                queue: job.queue,
                milli: self.portion(pod.request.gpu, node),
                is_leaving: matches!(pod.phase, Phase::Terminating { .. }),
                is_starting: matches!(pod.phase, Phase::Starting { .. }),
                is_locked,
            };
            for device in pod.devices.iter() {
                tables[node].devices[device as usize].push(holder);
            }
            if pod.devices.0 == 0 {
                tables[node].without.push(holder);
            }
        }
        tables
    }

    /// Thousandths of each of its devices that a request takes on a node.
    fn portion(&self, gpu: GpuRequest, node: NodeId) -> i64 {
        match gpu {
            GpuRequest::None => 0,
            GpuRequest::Whole { .. } => 1000,
            GpuRequest::Fraction { portion, .. } => portion.in_base_units(),
            GpuRequest::Memory { mib, .. } => mib * 1000 / self.cluster().nodes[node].gpu_memory_mib.max(1),
        }
    }

    /// The order in which a partition's next pass will look at a queue or a job, and at those beside it on the way there; see
    /// [`crate::policy::Scheduler::order`].
    pub fn order_in(&self, partition: PartitionId, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
        let (view, part) = (self.view(partition), &self.state.parts[partition]);
        part.policy.order(view, &part.memory, queue, job)
    }

    /// The pools of a partition that are shared by share usage.
    pub fn share_pools_in(&self, partition: PartitionId) -> Vec<SharePool> {
        let (view, part) = (self.view(partition), &self.state.parts[partition]);
        part.policy.share_pools(view, &part.memory)
    }

    /// Room that is held, beyond the cycle, for pods that wait.
    pub fn held(&self) -> Vec<ClaimView> {
        let of = |(partition, part): (PartitionId, &super::partitions::Part)| {
            part.policy.held(self.view(partition), &part.memory)
        };
        let held = self.state.parts.iter().flat_map(of);
        held.map(|(pod, node)| ClaimView { pod, node }).collect()
    }

    /// What siblings are compared with in a partition; see [`crate::policy::Scheduler::priorities`].
    pub fn priorities_in(&self, partition: PartitionId) -> Vec<QueuePriority> {
        let (view, part) = (self.view(partition), &self.state.parts[partition]);
        part.policy.priorities(view, &part.memory)
    }

    /// What a job's pods are about.
    pub fn pod_counts(&self, job: JobId) -> PodCounts {
        let mut counts = PodCounts::default();
        for (_, pod) in self.cluster().pods_of(job) {
            match pod.phase {
                Phase::Starting { .. } | Phase::Running { .. } => counts.running += 1,
                Phase::Pending | Phase::Gated => counts.pending += 1,
                Phase::Terminating { .. } => counts.leaving += 1,
                phase if phase.is_over() => counts.over += 1,
                _ => {}
            }
        }
        counts
    }
}

impl CycleRecord {
    /// What was claimed in the cycle and not given up again, in order.
    pub fn claims(&self) -> Vec<ClaimView> {
        let mut claims: Vec<ClaimView> = Vec::new();
        for recorded in &self.events {
            match recorded.event {
                Event::Claimed { pod, node } => claims.push(ClaimView { pod, node }),
                Event::Unclaimed { pod, .. } => claims.retain(|claim| claim.pod != pod),
                _ => {}
            }
        }
        claims
    }
}
