//! R-P10 of runai.md 10, as far as it holds: gangs on the engine of KAI, which Run:ai uses.
//!
//! The literal statement, *a gang has 0 or at least `min-available` running pods at every cycle end*, does not hold. A
//! pod that consolidation (or a reclaim that moves) takes off its node claims its new node for one cycle only, because
//! claims do not survive the cycle (kai.md 4.5). In the next cycle it is an ordinary pending pod, and its node may go
//! to a pod that precedes it; until it runs again, the rest of its gang runs without it, for the grace period of stale
//! gangs. Pods also complete, or are lost with their node, independently of their gang.
//!
//! The following holds: a gang never *starts* below its minimum, and a gang running below it lacks exactly pods that
//! completed, were moved, or lost their node. Evictions without a new node never leave a part of a gang running.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fairground::cluster::{Cluster, Phase, PodSet};
use fairground::id::{Arena, JobId, PodId, PodSetId};
use fairground::policy::{Policy, kai};
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Event, EvictReason};
use fairground_tests::worlds::{Numbers, newest_kai, plan, pooled};
use proptest::prelude::*;

/// Number of checked cycles.
const CYCLES: u32 = 40;

fn policies() -> Vec<Policy> {
    let quick = kai::config::Config { staleness_grace_s: Some(4.0), ..Default::default() };
    let seeded = kai::config::Config { seed: Some(3), ..Default::default() };
    vec![
        Policy::Kai(Default::default()),
        Policy::Runai(Default::default()),
        Policy::Kai(quick.clone()),
        Policy::Kai(seeded),
        newest_kai(kai::config::Config::default()),
        newest_kai(quick),
    ]
}

/// Plans with jobs of several pods with various minimums, some with two pod sets.
fn plans() -> impl Strategy<Value = Plan> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..220);
    let policies = policies();
    (bytes(), bytes(), 0..policies.len(), any::<bool>()).prop_map(move |(numbers, kinds, policy, pools)| {
        let (mut n, policy) = (Numbers::new(numbers), policies[policy].clone());
        let mut plan = if pools { pooled(&mut n, policy) } else { plan(&mut n, policy) };
        set_kinds(&mut plan.cluster, &mut Numbers::new(kinds));
        plan
    })
}

/// Replaces the pod sets of every job: one, or two of which the first has one pod.
fn set_kinds(cluster: &mut Cluster, n: &mut Numbers) {
    let mut sets: Arena<PodSetId, PodSet> = Arena::default();
    for job in cluster.jobs.ids() {
        let pods: Vec<PodId> = cluster.jobs[job].pod_ids().collect();
        let first = if pods.len() > 1 && n.below(3) == 2 { 1 } else { pods.len() };
        let first_set = PodSetId(sets.len() as u32);
        for (name, pods) in [("a", &pods[..first]), ("b", &pods[first..])] {
            if !pods.is_empty() {
                let min_available = n.one_of(&[3, 1, 2]).min(pods.len() as u32);
                let set = sets.push(PodSet { name: name.into(), job, min_available, path: Vec::new() });
                pods.iter().for_each(|&pod| Arc::make_mut(&mut cluster.pods[pod].spec).pod_set = set);
            }
        }
        Arc::make_mut(&mut cluster.jobs[job].spec).pod_sets = (first_set, sets.len() as u32 - first_set.0);
    }
    cluster.pod_sets = sets;
}

/// Reason for which a pod that ran no longer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Ended,
    Told(EvictReason),
}

/// Running pods, and the reasons of others that no longer run; folded from events.
#[derive(Default)]
struct Pods {
    held: BTreeSet<PodId>,
    left: BTreeMap<PodId, Left>,
}

impl Pods {
    fn at_start(cluster: &Cluster) -> Pods {
        let holds = |phase| matches!(phase, Phase::Starting { .. } | Phase::Running { .. });
        let held = cluster.pods.iter().filter(|(_, pod)| holds(pod.phase)).map(|(id, _)| id).collect();
        Pods { held, left: BTreeMap::new() }
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Bound { pod, .. } => {
                self.held.insert(pod);
                self.left.remove(&pod);
            }
            Event::Finished { pod, .. } => self.leave(pod, Left::Ended),
            Event::Evicted { pod, reason, .. } => self.leave(pod, Left::Told(reason)),
            _ => {}
        }
    }

    fn leave(&mut self, pod: PodId, why: Left) {
        self.held.remove(&pod);
        self.left.insert(pod, why);
    }

    /// Pod sets of a job below their minimum, with the number of running pods and the reasons of the others.
    fn below(&self, cluster: &Cluster, job: JobId) -> Vec<(PodSetId, usize, Vec<Left>)> {
        let of = |set| {
            let is_of = |pod: PodId| cluster.pods[pod].pod_set == set;
            let n = self.held.iter().filter(|&&pod| is_of(pod)).count();
            let left = self.left.iter().filter(|(pod, _)| is_of(**pod)).map(|(_, why)| *why).collect();
            (set, n, left)
        };
        let is_below = |(set, n, _): &(PodSetId, usize, Vec<Left>)| *n < cluster.pod_sets[*set].min_available as usize;
        cluster.jobs[job].pod_set_ids().map(of).filter(is_below).collect()
    }
}

/// Follows a run; calls `each` after the last bind of every job in a cycle, with that job, and at the end of the cycle.
fn run(plan: &Plan, mut each: impl FnMut(&Cluster, &Pods, &CycleRecord, Option<JobId>)) {
    let mut simulation = Simulation::new(plan);
    let mut pods = Pods::at_start(simulation.cluster());
    let mut record = simulation.opening().clone();
    loop {
        let cluster = simulation.cluster();
        if record.cycle > 0 {
            let events: Vec<Event> = record.events.iter().map(|recorded| recorded.event).collect();
            let job_of = |event: &Event| match event {
                Event::Bound { pod, .. } => Some(cluster.pods[*pod].job),
                _ => None,
            };
            for (i, &event) in events.iter().enumerate() {
                pods.happened(event);
                // A placed pod may be moved later in the same cycle, so a job is checked once it is placed completely.
                let job = job_of(&event).filter(|job| !events[i + 1..].iter().any(|e| job_of(e) == Some(*job)));
                if let Some(job) = job {
                    each(cluster, &pods, &record, Some(job));
                }
            }
        }
        each(cluster, &pods, &record, None);
        let Some(next) = (simulation.cycle() < CYCLES).then(|| simulation.advance()).flatten() else { break };
        record = next;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Whenever pods of a gang are placed, at least its minimum runs.
    #[test]
    fn a_gang_never_starts_below_its_minimum(plan in plans()) {
        let mut broken = Vec::new();
        run(&plan, |cluster, pods, record, bound| {
            if let Some(job) = bound {
                let below = pods.below(cluster, job);
                if !below.is_empty() {
                    broken.push((record.cycle, job, below));
                }
            }
        });
        prop_assert_eq!(broken, vec![]);
    }

    /// At the end of every cycle a running gang has its minimum, except for pods that completed, were moved, or lost
    /// their node.
    #[test]
    fn a_gang_below_its_minimum_lacks_only_what_moved_or_ended(plan in plans()) {
        let is_spared = |why: &Left| {
            matches!(why, Left::Ended | Left::Told(EvictReason::Moved | EvictReason::NodeLost))
        };
        let mut broken = Vec::new();
        run(&plan, |cluster, pods, record, bound| {
            if bound.is_some() {
                return;
            }
            let jobs: BTreeSet<JobId> = pods.held.iter().map(|&pod| cluster.pods[pod].job).collect();
            for job in jobs {
                for (set, n, left) in pods.below(cluster, job) {
                    let explained = n + left.iter().filter(|why| is_spared(why)).count();
                    if explained < cluster.pod_sets[set].min_available as usize {
                        broken.push((record.cycle, job, n, left));
                    }
                }
            }
        });
        prop_assert_eq!(broken, vec![]);
    }
}
