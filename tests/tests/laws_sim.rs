//! Laws of the simulation, over generated plans.

use std::collections::BTreeMap;

use fairground::cluster::{Devices, GpuRequest, Phase, Preemptible, Restart, audit};
use fairground::id::{Id, NodeId, PodId};
use fairground::policy::kai::config::UsageClient;
use fairground::policy::{Policy, ego, fifo, kai, yunikorn};
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, History, Simulation};
use fairground::time::Span;
use fairground::trace::{Check, Event, EvictReason, Protection, Recorded};
use fairground_tests::worlds::{Numbers, plan, pooled};
use proptest::prelude::*;

/// Cycles that are looked at.
const CYCLES: u32 = 40;

fn policies() -> Vec<Policy> {
    let spread = kai::config::Config {
        gpu_placement: kai::config::Placement::Spread,
        plugins: kai::config::DEFAULT_PLUGINS
            .iter()
            .filter(|p| **p != "gpusharingorder")
            .map(|&p| if p == "gpupack" { "gpuspread" } else { p }.into())
            .collect(),
        ..Default::default()
    };
    let measured = |client, window_s, half_life_s| kai::config::Config {
        k_value: 2.0,
        usage: Some(kai::config::UsageParams {
            client,
            settings: kai::usage::Settings { window_s, half_life_s, ..Default::default() },
            resolution: Span::from_millis(900),
            fetch_interval: Span::from_millis(2500),
        }),
        ..Default::default()
    };
    let properties = [("preemption.delay".to_owned(), "1s".to_owned())].into_iter().collect();
    let quick = yunikorn::config::Queue { properties, ..Default::default() };
    let impatient =
        yunikorn::Config { queues: [("root".to_owned(), quick)].into_iter().collect(), ..Default::default() };
    let graceful = ego::Config { grace: Some(Span::from_seconds(3)), ..Default::default() };
    vec![
        Policy::Fifo(fifo::Config::default()),
        Policy::Kai(Default::default()),
        Policy::Kai(kai::config::Config { seed: Some(7), ..Default::default() }),
        Policy::Kai(spread),
        Policy::Kai(measured(UsageClient::Prometheus, 6.0, Some(2.0))),
        Policy::Kai(measured(UsageClient::FakeWithHistory, 5.0, None)),
        Policy::Ego(Default::default()),
        Policy::YuniKorn(Default::default()),
        Policy::YuniKorn(impatient),
        Policy::Ego(graceful),
        Policy::Runai(Default::default()),
        Policy::MaxMin(Default::default()),
        Policy::Drf(Default::default()),
    ]
}

fn plans() -> impl Strategy<Value = Plan> {
    let policies = policies();
    (prop::collection::vec(any::<u8>(), 0..200), 0..policies.len(), 0..3u8).prop_map(
        move |(numbers, policy, pools)| {
            let (mut numbers, policy) = (Numbers::new(numbers), policies[policy].clone());
            if pools == 2 { pooled(&mut numbers, policy) } else { plan(&mut numbers, policy) }
        },
    )
}

/// All records of the first cycles, the opening's included.
fn run(simulation: &mut Simulation) -> Vec<CycleRecord> {
    let mut records = vec![simulation.opening().clone()];
    while let Some(record) = (simulation.cycle() < CYCLES).then(|| simulation.advance()).flatten() {
        records.push(record);
    }
    records
}

fn placements(simulation: &Simulation) -> BTreeMap<PodId, (NodeId, Devices)> {
    let pods = simulation.cluster().pods.iter();
    pods.filter_map(|(id, pod)| Some((id, (pod.node?, pod.devices)))).collect()
}

fn checks(record: &CycleRecord) -> impl Iterator<Item = &Check> {
    let events = record.events.iter().flat_map(|recorded| &recorded.checks);
    let spared = record.spared.iter().filter_map(|spared| match &spared.why {
        Protection::Failed(check) | Protection::Later(check) => Some(check),
        _ => None,
    });
    events.chain(record.refusals.iter().flat_map(|refusal| &refusal.checks)).chain(spared)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every pod is in one phase, every device has one holder, every sum is the sum of its parts, in every cycle.
    #[test]
    fn nothing_is_lost_or_held_twice(plan in plans()) {
        let mut simulation = Simulation::new(&plan);
        prop_assert_eq!(audit(simulation.world()), vec![]);
        while simulation.cycle() < CYCLES && simulation.advance().is_some() {
            prop_assert_eq!(audit(simulation.world()), vec![], "cycle {}", simulation.cycle());
        }
    }

    /// A pod that nobody replaces is placed once at most; it is over once it is gone, and its job counts as one thing only.
    #[test]
    fn what_is_not_replaced_never_starts_twice(plan in plans()) {
        let mut simulation = Simulation::new(&plan);
        let starts_of = |events: &[Recorded], pod: PodId| {
            events.iter().filter(|r| matches!(r.event, Event::Bound { pod: bound, .. } if bound == pod)).count()
        };
        let at_start = placements(&simulation);
        let events: Vec<Recorded> = run(&mut simulation).into_iter().flat_map(|record| record.events).collect();
        let cluster = simulation.cluster();
        for (id, pod) in cluster.pods.iter().filter(|(_, pod)| cluster.jobs[pod.job].restart == Restart::Never) {
            let n = usize::from(at_start.contains_key(&id)) + starts_of(&events, id);
            prop_assert!(n <= 1, "{} was placed {} times", pod.name, n);
            let is_over = matches!(pod.phase, Phase::Evicted { .. });
            let is_said = events.iter().any(|r| r.event == Event::NotReplaced { pod: id });
            prop_assert_eq!(is_over, is_said, "{}", pod.name);
        }
        for (id, job) in cluster.jobs.iter() {
            let done = events.iter().filter(|r| r.event == Event::JobDone { job: id }).count();
            let evicted = events.iter().filter(|r| r.event == Event::JobEvicted { job: id }).count();
            prop_assert_eq!(done + evicted, usize::from(job.ended.is_some()), "{}", job.name);
            prop_assert_eq!(evicted == 1, cluster.is_evicted(id), "{}", job.name);
        }
        let all = simulation.summary().all;
        let known = cluster.jobs.iter().filter(|(id, job)| job.ended.is_some() || cluster.live_jobs.contains(id));
        prop_assert_eq!((all.jobs_done + all.jobs_evicted + all.jobs_unfinished) as usize, known.count());
    }

    /// The same plan gives the same records, digests included.
    #[test]
    fn runs_are_equal(plan in plans()) {
        let (mut one, mut other) = (Simulation::new(&plan), Simulation::new(&plan));
        prop_assert_eq!(run(&mut one), run(&mut other));
        prop_assert_eq!(one, other);
    }

    /// Resuming a copy and going on equals going on.
    #[test]
    fn resuming_changes_nothing(plan in plans(), at in 0..CYCLES) {
        let mut simulation = Simulation::new(&plan);
        while simulation.cycle() < at && simulation.advance().is_some() {}
        let mut resumed = Simulation::resume(&simulation.checkpoint());
        prop_assert_eq!(run(&mut simulation), run(&mut resumed));
    }

    /// Going to a cycle in any order equals having run there; with few keyframes as with many.
    #[test]
    fn seeking_equals_running(plan in plans(), to in prop::collection::vec(0..CYCLES, 1..6), budget in 0..200_000u64) {
        let records = run(&mut Simulation::new(&plan));
        let mut history = History::with_budget(&plan, budget);
        for cycle in to {
            let record = history.seek(cycle);
            let expected = &records[(cycle as usize).min(records.len() - 1)];
            prop_assert_eq!(&record, expected);
            prop_assert_eq!(history.present().cycle(), expected.cycle);
        }
    }

    /// Folding the events alone gives the same placements as the cluster, after every cycle.
    #[test]
    fn events_suffice(plan in plans()) {
        let mut simulation = Simulation::new(&plan);
        let mut folded = placements(&Simulation::new(&Plan { timeline: Vec::new(), ..plan.clone() }));
        let mut events: Vec<_> = simulation.opening().events.clone();
        folded.retain(|pod, _| matches!(plan.cluster.pods[*pod].phase, fairground::cluster::Phase::Running { .. }));
        loop {
            for recorded in &events {
                match recorded.event {
                    Event::Bound { pod, node, devices } => {
                        prop_assert!(folded.insert(pod, (node, devices)).is_none());
                    }
                    Event::Gone { pod, .. } | Event::Finished { pod, .. } => {
                        folded.remove(&pod);
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(&folded, &placements(&simulation), "cycle {}", simulation.cycle());
            match (simulation.cycle() < CYCLES).then(|| simulation.advance()).flatten() {
                Some(record) => events = record.events,
                None => break,
            }
        }
    }

    /// Evaluating what was compared gives what was recorded.
    #[test]
    fn checks_hold(plan in plans()) {
        for record in run(&mut Simulation::new(&plan)) {
            for check in checks(&record) {
                prop_assert_eq!(check.op.eval(&check.left.value, &check.right.value), check.holds);
            }
        }
    }

    /// Leaving out idle cycles equals running them.
    #[test]
    fn skipping_changes_nothing(plan in plans(), by in 0..60_000i64) {
        let (mut all, mut some) = (Simulation::new(&plan), Simulation::new(&plan));
        let last = 80;
        while all.cycle() < last && all.advance().is_some() {}
        while some.cycle() < last {
            some.skip_idle(last, fairground::time::Time::from_millis(by));
            if some.cycle() == last || some.advance().is_none() {
                break;
            }
        }
        prop_assert_eq!(some.digest(), all.digest());
        prop_assert_eq!(some.summary(), all.summary());
    }

    /// How much is recorded decides nothing.
    #[test]
    fn recording_decides_nothing(plan in plans()) {
        let digests = |level| {
            let mut simulation = Simulation::new(&plan);
            simulation.set_level(level);
            run(&mut simulation).iter().map(|record| record.digest).collect::<Vec<_>>()
        };
        let outcomes = digests(fairground::trace::Level::Outcomes);
        prop_assert_eq!(&outcomes, &digests(fairground::trace::Level::Decisive));
        prop_assert_eq!(&outcomes, &digests(fairground::trace::Level::Every));
    }

    /// Under KAI no queue that starts something ends the cycle above its limit, nor with what may not be taken above its quota.
    #[test]
    fn limits_hold(plan in plans()) {
        let mut simulation = Simulation::new(&plan);
        for record in run(&mut simulation) {
            let cluster = simulation.cluster();
            for recorded in &record.events {
                let Event::Bound { pod, .. } = recorded.event else { continue };
                let job = &cluster.jobs[cluster.pods[pod].job];
                // Only what is asked for is compared: without GPUs a job starts where others run above a quota of GPUs.
                let asks = cluster.pods[pod].request.gpu != GpuRequest::None;
                if !asks || !matches!(plan.policy, Policy::Kai(_)) {
                    continue;
                }
                for queue in std::iter::successors(Some(job.queue), |&queue| cluster.queues[queue].parent) {
                    let ledger = record.pools.get(job.partition.index()).unwrap_or(&record.ledger);
                    let row = &ledger.rows[queue.index()];
                    // Sums of parts of devices may be off in their last bits.
                    prop_assert!(row.allocated.gpu <= row.limit.gpu + 1e-9, "cycle {}", record.cycle);
                    if job.preemptible == Preemptible::No {
                        prop_assert!(row.non_preemptible.gpu <= row.quota.gpu + 1e-9, "cycle {}", record.cycle);
                    }
                }
            }
        }
    }

    /// Nobody is evicted for a job of which nothing was placed or claimed in the same cycle.
    #[test]
    fn every_eviction_has_a_taker(plan in plans()) {
        let mut simulation = Simulation::new(&plan);
        for record in run(&mut simulation) {
            let events = || record.events.iter().map(|recorded| recorded.event);
            for event in events() {
                let Event::Evicted { by, reason, .. } = event else { continue };
                if matches!(reason, EvictReason::StaleGang | EvictReason::NodeLost | EvictReason::Withdrawn) {
                    continue;
                }
                // EGO alone takes for nobody in particular: above a share limit, and whatever else runs on a called-back host.
                let Some(by) = by else {
                    prop_assert!(matches!(plan.policy, Policy::Ego(_)), "cycle {}", record.cycle);
                    continue;
                };
                let is_for = |pod: PodId| simulation.cluster().pods[pod].job == by;
                let placed = events().any(|event| {
                    matches!(event, Event::Bound { pod, .. } | Event::Claimed { pod, .. } if is_for(pod))
                });
                prop_assert!(placed, "cycle {}", record.cycle);
            }
        }
    }
}
