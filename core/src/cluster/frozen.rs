//! A world's changing parts, without what a plan says already.
//!
//! # Rule
//! Names, requests and everything yet to come are the opening world's; kept are pods that wait or hold something, a few words for
//! each pod and job that is over, and the sums over nodes and queues. Law: thawing gives the frozen world.

use super::lifecycle::{JobCounts, PodBook, QueueSums, QueueTotals, World};
use super::usage::NodeUse;
use super::{Capacity, Devices, Partition, Phase, Queue};
use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, QueueId};
use crate::time::{Span, Time};

/// A world's changing parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Frozen {
    nodes: Arena<NodeId, NodeUse>,
    down: Vec<NodeId>,
    draining: Vec<NodeId>,
    capacities: Vec<(NodeId, Capacity)>,
    queues: Arena<QueueId, Queue>,
    partitions: Arena<PartitionId, Partition>,
    sums: QueueTotals,
    live_jobs: Vec<JobId>,
    jobs: Vec<FrozenJob>,
    live_pods: Vec<LivePod>,
    over_pods: Vec<(PodId, OverPod)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct FrozenJob {
    job: JobId,
    partition: PartitionId,
    offers: u32,
    evictions: u32,
    first_start: Option<Time>,
    ended: Option<Time>,
    last_start: Option<Time>,
    counts: JobCounts,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct LivePod {
    pod: PodId,
    phase: Phase,
    node: Option<NodeId>,
    devices: Devices,
    book: PodBook,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct OverPod {
    at: Time,
    since: Time,
    end: End,
    was_lost: bool,
}

/// How a pod came to be over.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Finished,
    Removed,
    Evicted,
}

impl World {
    /// The changing parts.
    pub fn freeze(&self) -> Frozen {
        let cluster = self.cluster();
        let mut frozen = Frozen {
            nodes: self.nodes.clone(),
            down: cluster.nodes.iter().filter(|(_, node)| !node.ready).map(|(id, _)| id).collect(),
            draining: cluster.nodes.iter().filter(|(_, node)| node.draining).map(|(id, _)| id).collect(),
            capacities: self.may_exceed.iter().map(|&id| (id, cluster.nodes[id].capacity())).collect(),
            queues: cluster.queues.clone(),
            partitions: cluster.partitions.clone(),
            sums: self.queues.clone(),
            live_jobs: cluster.live_jobs.clone(),
            jobs: Vec::new(),
            live_pods: Vec::new(),
            over_pods: Vec::new(),
        };
        for (job, j) in cluster.jobs.iter() {
            if j.ended.is_none() && cluster.live_jobs.binary_search(&job).is_err() {
                continue;
            }
            let (evictions, first_start, ended, last_start) =
                (j.evictions, j.first_start, j.ended, j.last_start);
            let counts = self.jobs[job];
            let (partition, offers) = (j.partition, j.offers);
            frozen.jobs.push(FrozenJob {
                job,
                partition,
                offers,
                evictions,
                first_start,
                ended,
                last_start,
                counts,
            });
            for (pod, p) in cluster.pods_of(job) {
                let book = self.pods[pod];
                let (at, end) = match p.phase {
                    Phase::Finished { at } => (at, End::Finished),
                    Phase::Removed { at } => (at, End::Removed),
                    Phase::Evicted { at } => (at, End::Evicted),
                    phase => {
                        frozen.live_pods.push(LivePod { pod, phase, node: p.node, devices: p.devices, book });
                        continue;
                    }
                };
                let over = OverPod { at, since: book.since, end, was_lost: book.lost };
                frozen.over_pods.push((pod, over));
            }
        }
        frozen
    }

    /// The frozen world again; `self` is the opening world it came from.
    pub fn thaw(&self, frozen: &Frozen) -> World {
        let mut world = self.clone();
        let cluster = &mut world.cluster;
        for node in cluster.nodes.values_mut() {
            node.ready = true;
            node.draining = false;
        }
        for &node in &frozen.down {
            cluster.nodes[node].ready = false;
        }
        for &node in &frozen.draining {
            cluster.nodes[node].draining = true;
        }
        world.may_exceed = frozen.capacities.iter().map(|(node, _)| *node).collect();
        for &(node, capacity) in &frozen.capacities {
            (cluster.nodes[node].capacity, cluster.nodes[node].pods_max) =
                (capacity.amounts, capacity.pods_max);
        }
        cluster.queues = frozen.queues.clone();
        cluster.partitions = frozen.partitions.clone();
        cluster.live_jobs = frozen.live_jobs.clone();
        for kept in &frozen.jobs {
            let job = &mut cluster.jobs[kept.job];
            job.evictions = kept.evictions;
            (job.partition, job.offers) = (kept.partition, kept.offers);
            (job.first_start, job.ended, job.last_start) = (kept.first_start, kept.ended, kept.last_start);
            world.jobs[kept.job] = kept.counts;
        }
        for kept in &frozen.live_pods {
            let pod = &mut cluster.pods[kept.pod];
            (pod.phase, pod.node, pod.devices) = (kept.phase, kept.node, kept.devices);
            world.pods[kept.pod] = kept.book;
        }
        for &(id, over) in &frozen.over_pods {
            let pod = &mut cluster.pods[id];
            let at = over.at;
            pod.phase = match over.end {
                End::Finished => Phase::Finished { at },
                End::Removed => Phase::Removed { at },
                End::Evicted => Phase::Evicted { at },
            };
            (pod.node, pod.devices) = (None, Devices(0));
            world.pods[id] = PodBook { since: over.since, lost: over.was_lost, done: Span::ZERO };
        }
        world.nodes = frozen.nodes.clone();
        world.queues = frozen.sums.clone();
        world.touched.clear();
        world
    }
}

impl Frozen {
    /// What it weighs, about, in bytes.
    pub fn weight(&self) -> u64 {
        let jobs = size_of::<FrozenJob>() * self.jobs.len() + 4 * self.live_jobs.len();
        let pods = size_of::<LivePod>() * self.live_pods.len()
            + size_of::<(PodId, OverPod)>() * self.over_pods.len();
        let nodes = (size_of::<NodeUse>() + 4) * self.nodes.len();
        let copies = 1 + self.partitions.values().filter(|partition| partition.queues.is_some()).count();
        let n_sums = 1 + self.sums.pools.len();
        let queues = (copies * size_of::<Queue>() + n_sums * size_of::<QueueSums>()) * self.queues.len();
        (jobs + pods + nodes + queues) as u64
    }
    /// Ids of the pods that are not as at the opening, in no particular order.
    pub fn pods(&self) -> impl Iterator<Item = PodId> + '_ {
        self.live_pods.iter().map(|kept| kept.pod).chain(self.over_pods.iter().map(|kept| kept.0))
    }
}
