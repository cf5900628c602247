//! What is known from the cycles before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fairground::cluster::{Cluster, Phase};
use fairground::id::{Id, JobId, NodeId, PartitionId, PodId, PodSetId};
use fairground::policy::Policy;
use fairground::policy::kai::config::{Action, Config, Revision};
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::Time;
use fairground::trace::{Event, Ledger, QueuePriority, Refusal};

use super::accounts::{Accounts, Counting, Triple};
use super::moments::{MomentState, Moments, PodPlace};
use super::preempted::{self, Preempted};
use super::usage::Past;

/// What is known from the cycles before.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Past usage of the queues, by pool.
    past: Vec<Past>,
    /// Ledger of every pool in the frame before.
    pub before: Vec<Arc<Ledger>>,
    /// Pool of each job.
    pub pools: Vec<PartitionId>,
    /// Latest start of each job.
    pub starts: Vec<Option<Time>>,
    /// Since when each gang is below its minimum.
    pub stale: BTreeMap<JobId, Time>,
    /// When each job last lost a pod for another job.
    pub evicted: BTreeMap<JobId, Time>,
    /// Room reserved for pods.
    pub held: Vec<(PodId, NodeId)>,
    /// Different priority offsets that the queues of each pool have had.
    pub offsets: Vec<Vec<Vec<QueuePriority>>>,
    /// Gangs whose reservations have expired.
    pub expired: BTreeSet<JobId>,
    /// Jobs that are not tried again in their pool.
    pub aside: BTreeSet<JobId>,
    /// The latest refusals of every job in every pool, with the comparisons, which were right then.
    pub right: BTreeMap<(JobId, PartitionId), Refusal>,
    /// Preemptions of YuniKorn.
    pub preempted: Vec<Preempted>,
    /// EGO: sources, lent hosts and earmarks, by pool.
    pub ego: Vec<super::ego::Books>,
}

impl Known {
    /// Reads the state before a cycle.
    pub fn look(&mut self, plan: &Plan, simulation: &Simulation) {
        let jobs = || simulation.cluster().jobs.values();
        self.before = ledgers(simulation);
        self.pools = jobs().map(|job| job.partition).collect();
        self.starts = jobs().map(|job| job.last_start).collect();
        self.held = simulation.held().iter().map(|claim| (claim.pod, claim.node)).collect();
        if let (Policy::Ego(config), true) = (&plan.policy, self.ego.is_empty()) {
            self.ego = super::ego::at_first(&plan.cluster, simulation.cluster(), config);
        }
        self.look_at_offsets(simulation);
    }

    fn look_at_offsets(&mut self, simulation: &Simulation) {
        let pools = simulation.cluster().partitions.ids();
        self.offsets.resize_with(simulation.cluster().partitions.len(), Vec::new);
        for (pool, known) in pools.zip(&mut self.offsets) {
            let now = simulation.priorities_in(pool);
            let is_now = |of: &Vec<QueuePriority>| {
                of.iter().zip(&now).all(|(a, b)| (a.offset, a.is_fence) == (b.offset, b.is_fence))
            };
            if !known.iter().any(is_now) {
                known.push(now);
            }
        }
    }

    /// Reads the cycle.
    pub fn note(&mut self, plan: &Plan, simulation: &Simulation, record: &CycleRecord) {
        self.note_usage(plan, simulation, record);
        self.note_stale(plan, simulation, record);
        if let Policy::Ego(config) = &plan.policy {
            let moments = Moments::of(simulation, record, &self.pools, &self.held, &self.aside);
            self.ego = super::ego::Ego::new(config, &moments, &self.ego).books();
        }
        if matches!(plan.policy, Policy::YuniKorn(_)) {
            let moments = Moments::of(simulation, record, &self.pools, &self.held, &self.aside);
            self.preempted.extend(preempted::of_cycle(&plan.policy, &moments));
        }
        self.expired.extend(expired(simulation, record));
        for recorded in &record.events {
            match recorded.event {
                Event::Evicted { pod, by: Some(_), .. } => {
                    self.evicted.insert(simulation.cluster().pods[pod].job, record.time);
                }
                Event::SetAside { job } => drop(self.aside.insert(job)),
                Event::Offered { job, .. } => drop(self.aside.remove(&job)),
                _ => {}
            }
        }
        for refusal in record.refusals.iter() {
            let pool = self.pools[refusal.job.index()];
            self.right.insert((refusal.job, pool), refusal.clone());
        }
    }

    /// Notes the gangs below their minimum at the end of a cycle of KAI that looks for them.
    fn note_stale(&mut self, plan: &Plan, simulation: &Simulation, record: &CycleRecord) {
        let Some(config) = super::kai::config(&plan.policy) else { return };
        let moments = Moments::of(simulation, record, &self.pools, &self.held, &self.aside);
        let end = moments.end();
        let looks = config.actions.contains(&Action::StaleGangEviction);
        for job in moments.cluster.jobs.ids().filter(|job| looks && !self.aside.contains(job)) {
            if is_stale(moments.cluster, end, config, job) {
                self.stale.entry(job).or_insert(record.time);
            } else {
                self.stale.remove(&job);
            }
        }
    }

    /// Reads what the queues held before and after the cycle.
    fn note_usage(&mut self, plan: &Plan, simulation: &Simulation, record: &CycleRecord) {
        let Some(config) = super::kai::config(&plan.policy) else { return };
        let moments = Moments::of(simulation, record, &self.pools, &self.held, &BTreeSet::new());
        let (policy, cluster, counting) = (&plan.policy, moments.cluster, Counting::of(&plan.policy));
        self.past.resize_with(cluster.partitions.len(), Past::default);
        for pool in cluster.partitions.ids() {
            let [start, end] = [moments.states.first(), moments.states.last()].map(|state| Accounts {
                policy,
                cluster,
                state: state.expect("a state"),
                pool,
                counting,
            });
            let past = &mut self.past[pool.index()];
            past.begin(&start, config, record.time);
            past.note(&end, config, record.time);
        }
    }

    /// The past usage that a cycle knows.
    pub fn usage(&self, start: Accounts<'_>, config: &Config, now: Time) -> Vec<Triple> {
        let mut past = self.past.get(start.pool.index()).cloned().unwrap_or_default();
        past.begin(&start, config, now);
        past.usage(config, now)
    }
}

/// The ledger of every pool.
pub fn ledgers(simulation: &Simulation) -> Vec<Arc<Ledger>> {
    match simulation.ledgers() {
        none if none.is_empty() => vec![simulation.ledger().clone()],
        all => all,
    }
}

/// Whether a gang lacks pods: none has succeeded, some are there or claimed for, and a set has fewer than its minimum.
fn is_stale(cluster: &Cluster, end: &MomentState, config: &Config, job: JobId) -> bool {
    let is_used = |pod: &PodId| {
        let is_claimed = end.claims.iter().any(|claim| claim.0 == *pod);
        is_claimed || matches!(end.places[pod.index()], PodPlace::On(_) | PodPlace::Leaving(_))
    };
    let of = &cluster.jobs[job];
    let has_succeeded = of.pod_ids().any(|pod| matches!(cluster.pods[pod].phase, Phase::Finished { .. }));
    let least = if config.revision == Revision::V0_13 { 1 } else { 0 };
    let lacks = |set: PodSetId| {
        let n = of.pod_ids().filter(|pod| cluster.pods[*pod].pod_set == set).filter(is_used).count();
        n < cluster.pod_sets[set].min_available.max(least) as usize
    };
    !has_succeeded && of.pod_ids().any(|pod| is_used(&pod)) && of.pod_set_ids().any(lacks)
}

/// Gangs that lose reservations in a cycle other than to another job.
pub fn expired(simulation: &Simulation, record: &CycleRecord) -> BTreeSet<JobId> {
    let cluster = simulation.cluster();
    let lost = record.events.iter().filter_map(|recorded| match recorded.event {
        Event::Unclaimed { pod, by: None, .. } => Some(cluster.pods[pod].job),
        _ => None,
    });
    lost.filter(|job| cluster.jobs[*job].gang.is_some()).collect()
}
