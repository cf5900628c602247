//! R-P5 of runai.md 10, extended to semi-preemptible jobs: their minimum pods are never evicted and stay within quota
//! on every level; pods above may be evicted and exceed quota. Over generated plans, with delays, lost nodes and
//! changing quotas.

use std::collections::BTreeSet;

use fairground::cluster::{Cluster, GpuRequest, Phase, Preemptible, audit, request_of};
use fairground::id::{Id, JobId, PodId};
use fairground::policy::Policy;
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Event, EvictReason, Ledger};
use fairground_tests::worlds::{Numbers, plan, pooled};
use proptest::prelude::*;

/// Number of checked cycles.
const CYCLES: u32 = 40;

/// Plans of Run:ai with many semi-preemptible jobs of several pods, with minimums of one or two.
fn plans() -> impl Strategy<Value = Plan> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..220);
    (bytes(), bytes(), any::<bool>()).prop_map(|(numbers, semi, pools)| {
        let (mut n, policy) = (Numbers::new(numbers), Policy::Runai(Default::default()));
        let mut plan = if pools { pooled(&mut n, policy) } else { plan(&mut n, policy) };
        let mut semi = Numbers::new(semi);
        let cluster = &mut plan.cluster;
        for job in cluster.jobs.values_mut() {
            std::sync::Arc::make_mut(&mut job.spec).preemptible =
                semi.one_of(&[Preemptible::Semi, job.preemptible, Preemptible::Semi]);
            for set in job.pod_set_ids() {
                let min = &mut cluster.pod_sets[set].min_available;
                *min = (1 + u32::from(semi.below(2))).min(job.pods.1);
            }
        }
        plan
    })
}

/// Calls `each` with every record of the first cycles, including the opening, and the simulation after it.
fn run(plan: &Plan, mut each: impl FnMut(&Simulation, &CycleRecord)) {
    let mut simulation = Simulation::new(plan);
    each(&simulation, &simulation.opening().clone());
    while simulation.cycle() < CYCLES {
        let Some(record) = simulation.advance() else { break };
        each(&simulation, &record);
    }
}

/// Starting and running pods.
fn held(cluster: &Cluster) -> BTreeSet<PodId> {
    let holds = |phase| matches!(phase, Phase::Starting { .. } | Phase::Running { .. });
    cluster.pods.iter().filter(|(_, pod)| holds(pod.phase)).map(|(id, _)| id).collect()
}

/// The core of a job among held pods: the first pods of each pod set by name, up to its minimum.
fn core(cluster: &Cluster, job: JobId, held: &BTreeSet<PodId>) -> Vec<PodId> {
    let of_set = |set| {
        let mut pods: Vec<PodId> = held.iter().copied().filter(|&pod| cluster.pods[pod].pod_set == set).collect();
        pods.sort_by_key(|&pod| cluster.pods[pod].name.clone());
        pods.truncate(cluster.pod_sets[set].min_available as usize);
        pods
    };
    cluster.jobs[job].pod_set_ids().flat_map(of_set).collect()
}

fn is_for_others(reason: EvictReason) -> bool {
    !matches!(reason, EvictReason::StaleGang | EvictReason::NodeLost | EvictReason::Withdrawn)
}

/// First eviction from a core in a record, if any; updates the held pods.
fn takes_from_a_core(cluster: &Cluster, held: &mut BTreeSet<PodId>, record: &CycleRecord) -> Option<PodId> {
    let mut taken = None;
    for recorded in &record.events {
        match recorded.event {
            Event::Bound { pod, .. } => {
                held.insert(pod);
            }
            Event::Finished { pod, .. } => {
                held.remove(&pod);
            }
            Event::Evicted { pod, reason, .. } => {
                let job = cluster.pods[pod].job;
                let is_fixed = match cluster.jobs[job].preemptible {
                    Preemptible::Yes => false,
                    Preemptible::No => true,
                    Preemptible::Semi => core(cluster, job, held).contains(&pod),
                };
                if is_fixed && is_for_others(reason) {
                    taken = Some(pod);
                }
                held.remove(&pod);
            }
            _ => {}
        }
    }
    taken
}

fn ledger<'r>(record: &'r CycleRecord, cluster: &Cluster, job: JobId) -> &'r Ledger {
    record.pools.get(cluster.jobs[job].partition.index()).unwrap_or(&record.ledger)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// R-P5: pods of a core are never evicted for others, and the incremental sums stay correct.
    #[test]
    fn the_core_is_never_a_victim(plan in plans()) {
        let mut now = None;
        let mut broken = Vec::new();
        run(&plan, |simulation, record| {
            let cluster = simulation.cluster();
            match &mut now {
                None => now = Some(held(cluster)),
                Some(now) => {
                    broken.extend(takes_from_a_core(cluster, now, record).map(|pod| (record.cycle, pod)));
                    assert_eq!(*now, held(cluster), "cycle {}", record.cycle);
                }
            }
            assert_eq!(audit(simulation.world()), vec![], "cycle {}", record.cycle);
        });
        prop_assert_eq!(broken, vec![]);
    }

    /// R-P5: a queue in which a pod of a core starts ends the cycle with its non-preemptible allocation within its
    /// quota, and so do its ancestors.
    #[test]
    fn the_core_stays_within_quota(plan in plans()) {
        let mut broken = Vec::new();
        run(&plan, |simulation, record| {
            let cluster = simulation.cluster();
            let now = held(cluster);
            for recorded in &record.events {
                let Event::Bound { pod, .. } = recorded.event else { continue };
                let (job, set) = (cluster.pods[pod].job, cluster.pods[pod].pod_set);
                let n = now.iter().filter(|&&other| cluster.pods[other].pod_set == set).count();
                let is_core = match cluster.jobs[job].preemptible {
                    Preemptible::Yes => false,
                    Preemptible::No => true,
                    // Not above the minimum, so every running pod is core, including the new one.
                    Preemptible::Semi => n <= cluster.pod_sets[set].min_available as usize,
                };
                if !is_core || cluster.pods[pod].request.gpu == GpuRequest::None {
                    continue;
                }
                let rows = &ledger(record, cluster, job).rows;
                for queue in cluster.path_to_root(cluster.jobs[job].queue) {
                    let row = &rows[queue.index()];
                    if row.non_preemptible.gpu > row.quota.gpu + 1e-9 {
                        broken.push((record.cycle, pod, *row));
                    }
                }
            }
        });
        prop_assert_eq!(broken, vec![]);
    }

    /// The non-preemptible allocation in the ledger is the request of the core pods, and at most the allocation.
    #[test]
    fn non_preemptible_allocation_is_the_core(plan in plans()) {
        run(&plan, |simulation, record| {
            let cluster = simulation.cluster();
            let mut expected = vec![0; cluster.queues.len()];
            for &job in &cluster.live_jobs {
                for pod in cluster.fixed_pods(job) {
                    for queue in cluster.path_to_root(cluster.jobs[job].queue) {
                        expected[queue.index()] += request_of(&cluster.pods[pod].request)[2];
                    }
                }
            }
            for (queue, expected) in cluster.queues.ids().zip(expected) {
                assert_eq!(simulation.world().queue_sums(queue).non_preemptible[2], expected);
                let row = &record.ledger.rows[queue.index()];
                let shown = (row.non_preemptible.gpu * 1000.0).round() as i64;
                assert_eq!(shown, expected, "cycle {}", record.cycle);
                assert!(row.non_preemptible.gpu <= row.allocated.gpu + 1e-9, "cycle {}", record.cycle);
            }
        });
    }
}
