//! Totals of a whole run, per queue and over all queues.
//!
//! # Rule
//! A job's *wait* is its first start minus its submission; jobs that never started count as unfinished instead. Median
//! and percentile are by rank: the median of an even number is the mean of the middle two, the 90th percentile is the
//! smallest wait that at least 90 % of the waits do not exceed. A *restart wait* is the time between the requeueing of
//! an evicted or lost pod and its next placement; it is counted per pod and not part of the wait. Sums are exact
//! integers, divided once. All numbers begin with the scenario: waits and lost work before time 0 do not count, and a
//! job that was already running has no wait.
//!
//! *Jain's index* of x₁ … xₙ is (Σx)² / (n · Σx²): 1 if all are equal, 1/n if one has everything. Here xᵢ is the
//! fraction of its due amount (see `meter`) that leaf queue i got; queues that were due nothing are left out.
//! *Stranded* are the free GPUs of ready nodes on which no pod that is pending for a GPU fits, by free resources,
//! selectors, affinities and taints. Free parts of shared devices are not counted, and nothing is stranded while no pod
//! is pending.
//!
//! # Source
//! R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared
//! Computer Systems. DEC Research Report TR-301, 1984.

use serde::{Deserialize, Serialize};

use super::meter::Integrals;
use super::simulation::Simulation;
use crate::cluster::{GpuRequest, Phase, Pod};
use crate::id::{Id, JobId, QueueId};
use crate::time::{Span, Time};
use crate::units::{Amount, Resource};

/// Totals of a whole run. [`Simulation::summary_of`] another resource than GPUs gives seconds of that resource in place
/// of GPU seconds: core seconds, byte seconds, seconds of whole units of a named resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Over all queues.
    pub all: Totals,
    /// Every queue with its descendants, in queue order.
    pub queues: Vec<Totals>,
    /// GPU seconds of ready nodes.
    pub gpu_seconds_capacity: f64,
    /// GPU seconds that were free while pods were pending for a GPU.
    pub gpu_seconds_idle_wanted: f64,
    /// Jain's index over the fractions of their due amounts that the leaf queues got; `None`: no queue was due
    /// anything.
    pub jain: Option<f64>,
    /// Time of the run's latest cycle.
    pub until: Time,
    /// Number of cycles.
    pub cycles: u32,
}

/// Numbers of one queue and its descendants, or of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// The queue; `None`: all.
    pub queue: Option<QueueId>,
    /// Jobs that ended by themselves or were completed from outside.
    pub jobs_done: u32,
    /// Jobs that ended because their pods were evicted and not replaced.
    pub jobs_evicted: u32,
    /// Submitted jobs that have not ended.
    pub jobs_unfinished: u32,
    /// Unfinished jobs that never started.
    pub jobs_never_started: u32,
    /// Waits of the jobs that started.
    pub waits: Waits,
    /// The same with the ongoing waits for a first start, counted until now.
    pub waits_until_now: Waits,
    /// The longest ongoing wait for a first start, seconds; `None`: no job waits for one.
    pub wait_now_s: Option<f64>,
    /// GPU seconds held.
    pub gpu_seconds_used: f64,
    /// GPU seconds below the entitlement while more was requested.
    pub gpu_seconds_owed: f64,
    /// Seconds in which the queue was owed something; 0 for all queues together.
    pub short_s: f64,
    /// GPU seconds above the quota.
    pub gpu_seconds_borrowed: f64,
    /// GPU seconds of work lost by evictions and node failures.
    pub gpu_seconds_lost: f64,
    /// Pods evicted by the policy.
    pub evictions: u64,
    /// Number of placements of pods that had been evicted or lost.
    pub restarts: u64,
    /// Mean restart wait, seconds.
    pub restart_wait_mean_s: f64,
    /// First submission of a job, seconds after the start; `None`: there is no job.
    pub first_submit_s: Option<f64>,
    /// Last end of a job, seconds after the start; `None`: none ended.
    pub last_end_s: Option<f64>,
    /// GPU seconds used over GPU seconds of ready nodes.
    pub utilisation: f64,
    /// The totals of each partition, in partition order; empty if there is only one.
    pub pools: Vec<PoolTotals>,
}

/// Totals of a queue and its descendants, or of all queues, in one of several partitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoolTotals {
    /// GPU seconds held.
    pub gpu_seconds_used: f64,
    /// GPU seconds below the entitlement in the partition while more was requested there.
    pub gpu_seconds_owed: f64,
    /// Seconds in which the queue was owed something in the partition; 0 for all queues together.
    pub short_s: f64,
    /// GPU seconds above the quota in the partition.
    pub gpu_seconds_borrowed: f64,
}

/// Waits, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    /// Number of waits.
    pub n: u32,
    /// Mean.
    pub mean_s: f64,
    /// Median.
    pub median_s: f64,
    /// 90th percentile.
    pub p90_s: f64,
    /// Longest.
    pub max_s: f64,
}

impl Waits {
    /// Computes the statistics of waits in any order.
    fn of(mut waits: Vec<Span>) -> Waits {
        waits.sort();
        let Some(&longest) = waits.last() else { return Waits::default() };
        let n = waits.len();
        let sum: i128 = waits.iter().map(|wait| i128::from(wait.as_millis())).sum();
        let middle = waits[(n - 1) / 2].as_millis() + waits[n / 2].as_millis();
        let rank = (n * 9).div_ceil(10).max(1);
        Waits {
            n: u32::try_from(n).expect("fewer than 2^32 jobs"),
            mean_s: sum as f64 / n as f64 / 1000.0,
            median_s: middle as f64 / 2000.0,
            p90_s: waits[rank - 1].as_seconds(),
            max_s: longest.as_seconds(),
        }
    }
}

impl Simulation {
    /// Totals of the run so far, in GPU seconds.
    pub fn summary(&self) -> Summary {
        self.summary_of(Resource::GPU)
    }

    /// Totals of the run so far, in seconds of a resource.
    pub fn summary_of(&self, resource: Resource) -> Summary {
        let cluster = self.cluster();
        let mut jobs = vec![Vec::new(); cluster.queues.ids().count()];
        for (id, job) in cluster.jobs.iter() {
            cluster.path_to_root(job.queue).for_each(|queue| jobs[queue.index()].push(id));
        }
        let per_queue = |queue: QueueId| self.totals(Some(queue), &jobs[queue.index()], resource);
        Summary {
            all: self.totals(None, &cluster.jobs.ids().collect::<Vec<_>>(), resource),
            queues: cluster.queues.ids().map(per_queue).collect(),
            gpu_seconds_capacity: seconds(resource, self.meter().capacity(resource)),
            gpu_seconds_idle_wanted: seconds(resource, self.meter().idle_wanted(resource)),
            jain: self.jain(resource),
            until: self.now(),
            cycles: self.cycle(),
        }
    }

    fn jain(&self, resource: Resource) -> Option<f64> {
        let queues = &self.cluster().queues;
        let leaves = queues.iter().filter(|(_, queue)| queue.children.is_empty());
        let dues = leaves.map(|(id, _)| self.meter().queue(id, resource)).filter(|integrals| integrals.due > 0);
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for integrals in dues {
            let got = 1.0 - integrals.owed as f64 / integrals.due as f64;
            n += 1.0;
            sum += got;
            squares += got * got;
        }
        // If no queue got anything, all got the same.
        (n > 0.0).then(|| if squares > 0.0 { sum * sum / (n * squares) } else { 1.0 })
    }

    /// Returns the free amount of a resource on ready nodes (whole GPUs, cores, bytes, units) and the part of it that
    /// is stranded.
    pub fn free_and_stranded(&self, resource: Resource) -> (f64, f64) {
        let cluster = self.cluster();
        let asks = |pod: &Pod| match resource {
            Resource::GPU => !matches!(pod.request.gpu, GpuRequest::None),
            _ => pod.request.resources.get(resource) > Amount::ZERO,
        };
        let wants = |pod: &&Pod| pod.phase == Phase::Pending && asks(pod);
        let mut shapes: Vec<&Pod> = Vec::new();
        for (_, pod) in cluster.live_jobs.iter().flat_map(|&job| cluster.pods_of(job)) {
            let is_known = |other: &&Pod| {
                (&other.request, &other.selector, &other.rules) == (&pod.request, &pod.selector, &pod.rules)
            };
            // Pods of one job are mostly alike, so the latest shape is the most likely match.
            if wants(&pod) && !shapes.iter().rev().any(is_known) {
                shapes.push(pod);
            }
        }
        let (mut free, mut stranded) = (0, 0);
        for (id, node) in cluster.nodes.iter().filter(|(_, node)| node.ready) {
            let used = self.world().node_use(id);
            let n_free = match resource {
                Resource::GPU => i64::from(used.n_free()) * 1000,
                _ => (node.capacity.get(resource) - used.used().get(resource)).in_base_units(),
            };
            free += n_free;
            let fits = |pod: &Pod| {
                node.takes_pods()
                    && used.pick(pod.request.gpu).is_some()
                    && used.has_room(node, &pod.request)
                    && pod.selects(node)
                    && pod.tolerates(node)
            };
            if !shapes.is_empty() && !shapes.iter().any(|pod| fits(pod)) {
                stranded += n_free;
            }
        }
        (whole(resource, i128::from(free)), whole(resource, i128::from(stranded)))
    }

    fn totals(&self, queue: Option<QueueId>, jobs: &[JobId], resource: Resource) -> Totals {
        let cluster = self.cluster();
        let mut totals = Totals { queue, ..Totals::default() };
        let (mut waits, mut ongoing) = (Vec::new(), Vec::new());
        let mut last_end = None;
        for &job in jobs {
            let j = &cluster.jobs[job];
            let is_live = cluster.live_jobs.binary_search(&job).is_ok();
            totals.jobs_unfinished += u32::from(is_live);
            totals.jobs_never_started += u32::from(is_live && j.first_start.is_none());
            let is_evicted = cluster.is_evicted(job);
            totals.jobs_evicted += u32::from(is_evicted);
            totals.jobs_done += u32::from(j.ended.is_some() && !is_evicted);
            last_end = last_end.max(j.ended);
            let submit = j.submit.max(Time::ZERO);
            waits.extend(j.first_start.filter(|start| *start >= Time::ZERO).map(|start| start - submit));
            ongoing.extend((is_live && j.first_start.is_none()).then(|| self.now() - submit));
        }
        totals.wait_now_s = ongoing.iter().max().map(|wait| wait.as_seconds());
        totals.waits_until_now = Waits::of([&waits[..], &ongoing].concat());
        totals.waits = Waits::of(waits);
        totals.first_submit_s = jobs.iter().map(|&job| cluster.jobs[job].submit).min().map(Time::as_seconds);
        totals.last_end_s = last_end.map(Time::as_seconds);
        self.add_integrals(&mut totals, resource);
        totals
    }

    /// Fills in the integrals; sums over all queues count each leaf once.
    fn add_integrals(&self, totals: &mut Totals, resource: Resource) {
        let cluster = self.cluster();
        let queues: Vec<QueueId> = match totals.queue {
            Some(queue) => vec![queue],
            None => cluster.queues.ids().filter(|&id| cluster.queues[id].children.is_empty()).collect(),
        };
        totals.pools = self.in_pools(totals.queue, &queues, resource);
        let (mut used, mut owed, mut borrowed, mut lost, mut waited) = (0, 0, 0, 0, 0);
        if let Some(queue) = totals.queue {
            totals.short_s = self.meter().queue(queue, resource).short_ms as f64 / 1000.0;
        }
        for queue in queues {
            let integrals = self.meter().queue(queue, resource);
            let sums = self.world().queue_sums(queue);
            used += integrals.used;
            owed += integrals.owed;
            borrowed += integrals.borrowed;
            lost += sums.lost[resource.index()];
            waited += sums.restart_wait_ms;
            totals.evictions += sums.evictions;
            totals.restarts += sums.restarts;
        }
        totals.gpu_seconds_used = seconds(resource, used);
        totals.gpu_seconds_owed = seconds(resource, owed);
        totals.gpu_seconds_borrowed = seconds(resource, borrowed);
        totals.gpu_seconds_lost = seconds(resource, lost);
        if totals.restarts > 0 {
            totals.restart_wait_mean_s = waited as f64 / totals.restarts as f64 / 1000.0;
        }
        let capacity = self.meter().capacity(resource);
        totals.utilisation = if capacity > 0 { used as f64 / capacity as f64 } else { 0.0 };
    }

    fn in_pools(&self, queue: Option<QueueId>, queues: &[QueueId], resource: Resource) -> Vec<PoolTotals> {
        let integrals = |queue: QueueId| self.meter().in_pools(queue, resource);
        let mut pools: Vec<Integrals> = Vec::new();
        for (i, part) in queues.iter().flat_map(|&queue| integrals(queue).enumerate()) {
            pools.resize(pools.len().max(i + 1), Integrals::default());
            pools[i].grow(part);
        }
        let totals = |sum: &Integrals| PoolTotals {
            gpu_seconds_used: seconds(resource, sum.used),
            gpu_seconds_owed: seconds(resource, sum.owed),
            short_s: queue.map_or(0.0, |_| sum.short_ms as f64 / 1000.0),
            gpu_seconds_borrowed: seconds(resource, sum.borrowed),
        };
        pools.iter().map(totals).collect()
    }
}

/// Converts base units × milliseconds to seconds of cores, bytes, GPUs or whole named units.
fn seconds(resource: Resource, sum: i128) -> f64 {
    if resource == Resource::MEMORY { sum as f64 / 1e3 } else { sum as f64 / 1e6 }
}

/// Converts base units to cores, bytes, GPUs or whole named units.
fn whole(resource: Resource, amount: i128) -> f64 {
    if resource == Resource::MEMORY { amount as f64 } else { amount as f64 / 1e3 }
}
