//! Laws of several partitions, over generated plans.

use std::sync::Arc;

use fairground::cluster::{Phase, request_of};
use fairground::id::{Id, JobId, PartitionId};
use fairground::policy::{Policy, Rhythm, ego, kai, yunikorn};
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::{Span, Time};
use fairground::trace::{Event, Ledger, Refusal};
use fairground::units::Resource;
use fairground_tests::worlds::{Numbers, newest_kai, pooled};
use proptest::prelude::*;

/// End of the checked part of runs.
const UNTIL: Time = Time::from_millis(25_000);

fn policies() -> Vec<Policy> {
    let spread = kai::config::Config { gpu_placement: kai::config::Placement::Spread, ..Default::default() };
    vec![
        Policy::Runai(Default::default()),
        Policy::Kai(Default::default()),
        Policy::Kai(spread),
        Policy::Fifo(()),
        Policy::YuniKorn(yunikorn::Config::default()),
        Policy::Ego(ego::Config::default()),
        newest_kai(Default::default()),
    ]
}

fn plans(policies: Vec<Policy>) -> impl Strategy<Value = Plan> {
    (prop::collection::vec(any::<u8>(), 0..220), 0..policies.len())
        .prop_map(move |(numbers, policy)| pooled(&mut Numbers::new(numbers), policies[policy].clone()))
}

fn run(plan: &Plan, mut each: impl FnMut(&Simulation, &CycleRecord)) {
    let mut simulation = Simulation::new(plan);
    each(&simulation, &simulation.opening().clone());
    while simulation.next_cycle_at().is_some_and(|at| at <= UNTIL) && simulation.cycle() < 2000 {
        let Some(record) = simulation.advance() else { break };
        each(&simulation, &record);
    }
}

/// Job of an event.
fn job_of(simulation: &Simulation, event: Event) -> Option<JobId> {
    let of = |pod| Some(simulation.cluster().pods[pod].job);
    match event {
        Event::Submitted { job }
        | Event::Joined { job, .. }
        | Event::JobDone { job }
        | Event::JobEvicted { job }
        | Event::SetAside { job }
        | Event::Offered { job, .. } => Some(job),
        Event::Bound { pod, .. }
        | Event::Found { pod, .. }
        | Event::DevicesChanged { pod, .. }
        | Event::Claimed { pod, .. }
        | Event::Unclaimed { pod, .. }
        | Event::Evicted { pod, .. }
        | Event::Gone { pod, .. }
        | Event::Requeued { pod }
        | Event::NotReplaced { pod }
        | Event::Finished { pod, .. } => of(pod),
        Event::Changed { .. } => None,
    }
}

/// The same plan without the jobs of other partitions.
fn alone(plan: &Plan, partition: PartitionId) -> Plan {
    let mut plan = plan.clone();
    let cluster = &mut plan.cluster;
    let others: Vec<JobId> =
        cluster.jobs.iter().filter(|(_, job)| job.partition != partition).map(|(id, _)| id).collect();
    for id in others {
        let never = Time::from_millis(1_000_000_000);
        Arc::make_mut(&mut cluster.jobs[id].spec).submit = never;
        for pod in cluster.jobs[id].pod_ids() {
            let pod = &mut cluster.pods[pod];
            (pod.phase, pod.node, pod.devices) = (Phase::Future, None, Default::default());
        }
    }
    plan
}

/// The run as seen from one partition.
#[derive(Debug, PartialEq)]
struct Seen {
    events: Vec<(Option<Time>, Event)>,
    refusals: Vec<(Time, Refusal)>,
    ledgers: Vec<Ledger>,
}

fn seen(plan: &Plan, partition: PartitionId) -> Seen {
    let mut seen = Seen { events: Vec::new(), refusals: Vec::new(), ledgers: Vec::new() };
    run(plan, |simulation, record| {
        let is_here = |job: JobId| simulation.cluster().jobs[job].partition == partition;
        for (i, recorded) in (0..).zip(&record.events) {
            if job_of(simulation, recorded.event).is_some_and(is_here) {
                // External events are recorded by the next cycle of any partition.
                let at = (i >= record.n_outside).then_some(record.time);
                seen.events.push((at, recorded.event));
            }
        }
        // Between its own cycles, the records of others repeat its last refusals.
        let new = record.refusals.iter().filter(|refusal| is_here(refusal.job));
        for refusal in new {
            let known = seen.refusals.iter().rev().find(|(_, known)| known.job == refusal.job);
            if known.is_none_or(|(_, known)| known != refusal) {
                seen.refusals.push((record.time, refusal.clone()));
            }
        }
        let ledger = (*record.pools[partition.index()]).clone();
        if seen.ledgers.last() != Some(&ledger) {
            seen.ledgers.push(ledger);
        }
    });
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// R-P9: the events of a pool are independent of the other pools.
    #[test]
    fn pools_are_independent(plan in plans(policies()), second in any::<bool>()) {
        let mut plan = plan;
        // Jobs with lists connect pools.
        plan.cluster.jobs.values_mut().for_each(|job| Arc::make_mut(&mut job.spec).pools.clear());
        let partition = PartitionId(u32::from(second));
        let (together, apart) = (seen(&plan, partition), seen(&alone(&plan, partition), partition));
        prop_assert_eq!(together.events, apart.events);
        prop_assert_eq!(together.refusals, apart.refusals);
        prop_assert_eq!(together.ledgers.last(), apart.ledgers.last());
    }

    /// No pod runs on a node of a pool outside its job's list.
    #[test]
    fn pods_run_in_pools_of_their_list_only(plan in plans(policies())) {
        let mut wrong = Vec::new();
        run(&plan, |simulation, record| {
            let cluster = simulation.cluster();
            for recorded in &record.events {
                let Event::Bound { pod, node, .. } = recorded.event else { continue };
                let (job, pool) = (cluster.pods[pod].job, cluster.nodes[node].partition);
                let asked = &plan.cluster.jobs[job];
                let may = if asked.pools.is_empty() { asked.partition == pool } else { asked.pools.contains(&pool) };
                if !may {
                    wrong.push((record.cycle, pod, node));
                }
            }
        });
        prop_assert_eq!(wrong, vec![]);
    }

    /// The ledger of each pool has the capacity of its ready nodes and the allocation on them.
    #[test]
    fn every_pool_counts_its_own_resources(plan in plans(policies())) {
        let mut wrong = Vec::new();
        run(&plan, |simulation, record| {
            let cluster = simulation.cluster();
            for (partition, ledger) in (0..).map(PartitionId).zip(&record.pools) {
                // KAI counts a draining node as not ready.
                let is_kai = matches!(plan.policy.key(), "kai" | "runai");
                let ready = cluster.nodes.values().filter(|node| node.partition == partition && node.ready);
                let ready = ready.filter(|node| !(node.draining && is_kai));
                let gpus: i64 = ready.map(|node| node.capacity.get(Resource::GPU).in_base_units()).sum();
                let holds = |phase| matches!(phase, Phase::Starting { .. } | Phase::Running { .. });
                let held = cluster.pods.values().filter(|pod| holds(pod.phase));
                let held = held.filter(|pod| pod.node.is_some_and(|n| cluster.nodes[n].partition == partition));
                let held: i64 = held.map(|pod| request_of(&pod.request)[2]).sum();
                let tops = ledger.rows.iter().filter(|row| cluster.queues[row.queue].parent.is_none());
                let shown: f64 = tops.map(|row| row.allocated.gpu).sum();
                // Fractions of devices are floating-point numbers.
                if (shown * 1000.0 - held as f64).abs() > 1e-6 || ledger.total.gpu * 1000.0 != gpus as f64 {
                    wrong.push((record.cycle, partition, shown, held, ledger.total.gpu, gpus));
                }
            }
        });
        // EGO and YuniKorn count whole devices in their decisions; their ledgers show requests.
        prop_assert_eq!(wrong, vec![]);
    }

    /// RC-1: a job moves on only from a pool that ran a cycle and did not place it, to the next in its list; with equal
    /// intervals a pending job is offered to every pool of its list in turn.
    #[test]
    fn jobs_are_offered_in_turn(plan in plans(vec![Policy::Runai(Default::default())])) {
        let mut plan = plan;
        plan.rhythm = Rhythm::every(Span::from_seconds(1));
        plan.further[0].1 = plan.rhythm;
        let mut at: Vec<PartitionId> = plan.cluster.jobs.values().map(|job| job.partition).collect();
        let mut wrong = Vec::new();
        run(&plan, |simulation, record| {
            for (id, job) in simulation.cluster().jobs.iter() {
                let before = std::mem::replace(&mut at[id.index()], job.partition);
                let events = || record.events.iter().map(|recorded| recorded.event);
                let is_own = |event: &Event| job_of(simulation, *event) == Some(id);
                // A claim counts until another job takes its resources later in the same cycle.
                let stands = |served: u32, event: Event| match event {
                    Event::Bound { .. } | Event::Claimed { .. } => served + 1,
                    Event::Unclaimed { .. } => served.saturating_sub(1),
                    _ => served,
                };
                let served = events().filter(is_own).fold(0, stands) > 0;
                let holds = simulation.world().holds_any(id);
                let waits = simulation.cluster().pods_of(id).any(|(_, pod)| pod.phase == Phase::Pending);
                let moved = before != job.partition;
                let should = record.cycle > 0 && job.pools.len() > 1 && waits && !holds && !served;
                if moved != should {
                    wrong.push((record.cycle, id, moved));
                }
            }
        });
        prop_assert_eq!(wrong, vec![]);
    }
}
