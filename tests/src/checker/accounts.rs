//! Amounts of queues, jobs and nodes at one moment, added up from pods, queues and nodes alone.

use std::collections::HashSet;

use fairground::cluster::{Cluster, GpuRequest, Node, Phase, Pod, Preemptible};
use fairground::id::{Id, JobId, NodeId, PartitionId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::policy::kai::config::{Config, Revision};
use fairground::policy::runai::terms::OverQuota;
use fairground::units::{Bound, Resource};

use super::moments::{MomentState, PodPlace};

/// CPU millicores, memory bytes, GPUs.
pub type Triple = [f64; 3];

/// How a policy counts pods and reads bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counting {
    /// Whether parts of GPUs are rounded to hundredths, and GPU memory counts by the node's devices, as in KAI.
    pub is_of_engine: bool,
    /// KAI: whether requests of GPU memory have the rules of v0.17.
    pub is_new: bool,
    /// KAI: whether pending GPU memory is divided by the smallest device.
    pub by_smallest: bool,
    /// KAI: seconds after which a terminating pod is stuck, so that its room does not count as free.
    pub stuck_after_s: Option<f64>,
    /// Whether claimed room counts as allocated.
    pub counts_claims: bool,
    /// Whether terminating pods count as allocated.
    pub counts_leaving: bool,
    /// Bound for an absent limit.
    pub no_limit: f64,
}

impl Counting {
    /// How a policy counts.
    pub fn of(policy: &Policy) -> Counting {
        let plain = Counting {
            is_of_engine: false,
            is_new: false,
            by_smallest: false,
            stuck_after_s: None,
            counts_claims: false,
            counts_leaving: false,
            no_limit: f64::INFINITY,
        };
        let engine = Counting { is_of_engine: true, counts_claims: true, no_limit: 0.0, ..plain };
        match policy {
            Policy::Kai(config) => Counting {
                is_new: config.revision == Revision::V0_17,
                stuck_after_s: config.stuck_in_releasing(),
                ..engine
            },
            Policy::Runai(config) => {
                Counting { is_new: config.engine.revision == Revision::V0_17, by_smallest: true, ..engine }
            }
            Policy::YuniKorn(_) => Counting { counts_claims: true, counts_leaving: true, ..plain },
            Policy::Ego(_) | Policy::Fifo(_) | Policy::MaxMin(_) | Policy::Drf(_) => plain,
        }
    }
}

/// The accounts of one node pool at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Accounts<'a> {
    pub policy: &'a Policy,
    pub cluster: &'a Cluster,
    pub state: &'a MomentState,
    pub pool: PartitionId,
    pub counting: Counting,
}

/// Adds two amounts.
pub fn plus(mut a: Triple, b: Triple) -> Triple {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}

impl<'a> Accounts<'a> {
    pub fn pod(&self, pod: PodId) -> &'a Pod {
        &self.cluster.pods[pod]
    }

    pub fn place(&self, pod: PodId) -> PodPlace {
        self.state.places[pod.index()]
    }

    /// Nodes of the pool.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &'a Node)> {
        let pool = self.pool;
        self.cluster.nodes.iter().filter(move |(_, node)| node.partition == pool)
    }

    /// What the nodes of the pool have, under KAI.
    pub fn total(&self, config: &Config) -> Triple {
        let has_role = |node: &Node| node.labels.iter().any(|(key, _)| **key == *"node-role.kubernetes.io/gpu-worker");
        let nodes = self.nodes().map(|(_, node)| node).filter(|node| node.takes_pods());
        nodes.fold([0.0; 3], |sum, node| {
            let mut of = Resource::ACCOUNTED.map(|r| node.capacity.get(r).in_policy_units(r));
            of[2] = if config.restrict_node_scheduling && !has_role(node) { 0.0 } else { of[2] };
            plus(sum, of)
        })
    }

    /// Whether the hierarchy of KAI is reduced to one queue above all others.
    fn is_flat(&self) -> bool {
        matches!(self.policy, Policy::Kai(config) if !config.full_hierarchy_fairness)
    }

    /// Whether the scheduler knows a queue.
    pub fn is_kept(&self, queue: QueueId) -> bool {
        let of = &self.cluster.queues[queue];
        !self.is_flat() || of.parent.is_some() && *of.name != *"default"
    }

    /// A queue and those above it that the scheduler knows by their names.
    pub fn path(&self, queue: QueueId) -> impl Iterator<Item = QueueId> {
        let n = if self.is_flat() { 1 } else { usize::MAX };
        self.cluster.path_to_root(queue).take(n)
    }

    /// Jobs offered to the pool whose queue is the given one or below it.
    pub fn jobs_below(&self, queue: QueueId) -> impl Iterator<Item = JobId> {
        let (cluster, state, pool, accounts) = (self.cluster, self.state, self.pool, *self);
        let is_all = self.is_flat() && cluster.queues[queue].parent.is_none();
        let is_below = move |job: JobId| {
            let of = cluster.jobs[job].queue;
            match is_all {
                true => accounts.is_kept(of),
                false if accounts.is_flat() => of == queue,
                false => cluster.path_to_root(of).any(|above| above == queue),
            }
        };
        cluster
            .jobs
            .ids()
            .filter(move |job| state.pools[job.index()] == pool && !state.aside.contains(job) && is_below(*job))
    }

    /// What a pod counts on a node.
    pub fn on_node(&self, pod: PodId, node: NodeId) -> Triple {
        let request = &self.pod(pod).request;
        let plain = self.plain(pod);
        if !self.counting.is_of_engine {
            return plain;
        }
        let gpus = match request.gpu {
            GpuRequest::Memory { mib, devices } => {
                let part = mib as f64 / self.cluster.nodes[node].device_mib() as f64;
                hundredths((part * 100.0).ceil() / 100.0, devices)
            }
            _ => plain[2],
        };
        [plain[0], plain[1], gpus]
    }

    /// What a pod may count on a node from which it is evicted: under KAI, GPU memory may still count as on a node to
    /// which it was moved in an attempt.
    pub fn evicted_from(&self, pod: PodId, node: NodeId) -> Vec<Triple> {
        let mut all = vec![self.on_node(pod, node)];
        if self.counting.is_of_engine && matches!(self.pod(pod).request.gpu, GpuRequest::Memory { .. }) {
            let others = self.nodes().filter(|(_, other)| other.n_devices() > 0);
            all.extend(others.map(|(other, _)| self.on_node(pod, other)));
            all.dedup();
        }
        all
    }

    /// What a pod requests, GPU memory as the policy's general conversion.
    fn plain(&self, pod: PodId) -> Triple {
        let request = &self.pod(pod).request;
        let of = |r: Resource| request.resources.get(r).in_policy_units(r);
        let gpus = match request.gpu {
            GpuRequest::Fraction { portion, devices } if self.counting.is_of_engine => {
                hundredths(portion.in_policy_units(Resource::GPU), devices)
            }
            _ => of(Resource::GPU),
        };
        [of(Resource::CPU), of(Resource::MEMORY), gpus]
    }

    /// What a pending pod requests; `in_test` in the test of bounds.
    pub fn pending(&self, pod: PodId, in_test: bool) -> Triple {
        let [cpu, memory, gpus] = self.plain(pod);
        let GpuRequest::Memory { mib, devices } = self.pod(pod).request.gpu else {
            return [cpu, memory, gpus];
        };
        if !self.counting.is_of_engine {
            return [cpu, memory, gpus];
        }
        let basis = self.memory_basis(in_test);
        [cpu, memory, f64::from(devices) * (mib as f64 / basis)]
    }

    /// Device memory by which pending requests of memory are divided.
    pub fn memory_basis(&self, in_test: bool) -> f64 {
        let all = || self.nodes().map(|(_, node)| (node, node.device_mib() as f64));
        match (self.counting.is_new, in_test) {
            (false, true) => f64::INFINITY,
            (false, false) if self.counting.by_smallest => {
                let with = all().filter(|(node, _)| node.n_devices() > 0).map(|(_, mib)| mib.max(100.0));
                Some(with.fold(f64::INFINITY, f64::min)).filter(|mib| mib.is_finite()).unwrap_or(100.0)
            }
            (false, false) => 100.0,
            (true, _) => {
                let known = all().map(|(_, mib)| mib).filter(|mib| *mib > 100.0);
                if in_test {
                    Some(known.fold(0.0, f64::max)).filter(|mib| *mib > 0.0).unwrap_or(f64::INFINITY)
                } else {
                    known.fold(f64::INFINITY, f64::min)
                }
            }
        }
    }

    /// Whether a pod has been terminating for so long that its room does not count as free.
    pub fn is_stuck(&self, pod: PodId) -> bool {
        let Phase::Terminating { since, .. } = self.pod(pod).phase else { return false };
        self.counting.stuck_after_s.is_some_and(|after| (self.state.now - since).as_seconds() > after)
    }

    /// Pods that count as allocated, with their nodes.
    pub fn holders(&self, job: JobId) -> impl Iterator<Item = (PodId, NodeId)> {
        let (state, counting) = (self.state, self.counting);
        let claim = move |pod: PodId| state.claims.iter().find(|claim| claim.0 == pod).map(|claim| claim.1);
        self.cluster.jobs[job].pod_ids().filter_map(move |pod| match state.places[pod.index()] {
            PodPlace::On(node) => Some((pod, node)),
            PodPlace::Leaving(node) if counting.counts_leaving => Some((pod, node)),
            PodPlace::Waiting | PodPlace::Gated | PodPlace::Leaving(_) if counting.counts_claims => {
                Some((pod, claim(pod)?))
            }
            _ => None,
        })
    }

    /// Allocated to a queue and its descendants.
    pub fn allocated(&self, queue: QueueId) -> Triple {
        let pods = self.jobs_below(queue).flat_map(|job| self.holders(job));
        pods.fold([0.0; 3], |sum, (pod, node)| plus(sum, self.on_node(pod, node)))
    }

    /// Allocated to non-preemptible jobs of a queue.
    pub fn non_preemptible(&self, queue: QueueId) -> Triple {
        let pods = self.jobs_below(queue).flat_map(|job| self.fixed(job));
        pods.fold([0.0; 3], |sum, (pod, node)| plus(sum, self.on_node(pod, node)))
    }

    /// Allocated pods of a job that may not be evicted.
    pub fn fixed(&self, job: JobId) -> Vec<(PodId, NodeId)> {
        let mut all: Vec<(PodId, NodeId)> = self.holders(job).collect();
        match self.cluster.jobs[job].preemptible {
            Preemptible::Yes => Vec::new(),
            Preemptible::No => all,
            Preemptible::Semi => {
                all.sort_by_key(|(pod, _)| (self.pod(*pod).pod_set, self.pod(*pod).name.clone()));
                let of_set = |at: usize| self.pod(all[at].0).pod_set;
                let n_before = |at: usize| (0..at).filter(|before| of_set(*before) == of_set(at)).count();
                let is_core = |at: &usize| n_before(*at) < self.cluster.pod_sets[of_set(*at)].min_available as usize;
                (0..all.len()).filter(is_core).map(|at| all[at]).collect()
            }
        }
    }

    fn bound(&self, queue: QueueId, r: usize, of_quota: bool) -> f64 {
        if self.is_flat() && self.cluster.queues[queue].parent.is_none() {
            return f64::INFINITY;
        }
        let resource = Resource::ACCOUNTED[r];
        let own = &self.cluster.queues_in(self.pool)[queue];
        let of = own.resources.get(resource);
        if let Policy::Runai(config) = self.policy {
            let at = |bound: Bound, unset: f64| match bound {
                Bound::Unset => unset,
                Bound::Unlimited => f64::INFINITY,
                Bound::At(amount) => amount.in_policy_units(resource),
            };
            let quota = at(of.quota, if r == 2 { 0.0 } else { f64::INFINITY });
            let may_exceed = config.sharing.over_quota.get(&own.name) != Some(&OverQuota::Off);
            return match (of_quota, may_exceed) {
                (true, _) => quota,
                (false, true) => at(of.limit, f64::INFINITY),
                (false, false) => at(of.limit, f64::INFINITY).min(quota),
            };
        }
        match (if of_quota { of.quota } else { of.limit }, of_quota) {
            (Bound::Unlimited, _) => f64::INFINITY,
            (Bound::At(amount), _) => amount.in_policy_units(resource),
            (Bound::Unset, true) => 0.0,
            (Bound::Unset, false) => self.counting.no_limit,
        }
    }

    /// Quota of a queue in the pool.
    pub fn quota(&self, queue: QueueId) -> Triple {
        std::array::from_fn(|r| self.bound(queue, r, true))
    }

    /// Limit of a queue in the pool.
    pub fn limit(&self, queue: QueueId) -> Triple {
        std::array::from_fn(|r| self.bound(queue, r, false))
    }

    /// Pods of a job that wait without a claim.
    pub fn waiting(&self, job: JobId) -> impl Iterator<Item = PodId> {
        let state = self.state;
        let is_claimed = move |pod: PodId| state.claims.iter().any(|claim| claim.0 == pod);
        self.cluster.jobs[job]
            .pod_ids()
            .filter(move |pod| state.places[pod.index()] == PodPlace::Waiting && !is_claimed(*pod))
    }
}

/// A part of each of several devices, in hundredths.
pub fn hundredths(part: f64, devices: u32) -> f64 {
    (part * 100.0).round() * f64::from(devices) / 100.0
}

/// Every sum of some of these amounts, that of none included.
pub fn sums(amounts: impl Iterator<Item = Triple>) -> Vec<Triple> {
    sums_of_one_each(amounts.map(|amount| vec![amount]))
}

/// Every sum of one amount of each of some of these lists.
pub fn sums_of_one_each(lists: impl Iterator<Item = Vec<Triple>>) -> Vec<Triple> {
    let mut all: Vec<Triple> = vec![[0.0; 3]];
    // Sums that differ in the last bits count once.
    let rounded = |sum: Triple| sum.map(|amount| (amount * 1e6).round() as i64);
    let mut known: HashSet<[i64; 3]> = HashSet::from([[0; 3]]);
    for list in lists {
        for at in 0..all.len() {
            for amount in &list {
                let sum = plus(all[at], *amount);
                if known.insert(rounded(sum)) {
                    all.push(sum);
                }
            }
        }
        // Jobs with many kinds of pods are not enumerated further.
        if all.len() > 4000 {
            break;
        }
    }
    all
}

/// The sums of one amount each of the first of these lists, for every number of them.
pub fn sums_in_order(lists: impl Iterator<Item = Vec<Triple>>) -> Vec<Triple> {
    let mut all: Vec<Triple> = vec![[0.0; 3]];
    let mut last = all.clone();
    for list in lists {
        let with = |sum: &Triple| list.iter().map(|amount| plus(*sum, *amount)).collect::<Vec<_>>();
        last = last.iter().flat_map(with).collect();
        last.dedup();
        last.truncate(4000);
        all.extend(&last);
    }
    all
}

/// Equality except for the last bits.
pub fn same(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3)
}
