//! Laws of the simulation, over small generated plans.

use fairground::policy::kai::config::UsageClient;
use fairground::policy::{Policy, ego, kai, yunikorn};
use fairground::scenario::{Plan, PlanChange, Planned, check, read};
use fairground::time::{Span, Time};
use fairground_tests::laws;
use fairground_tests::worlds::{Numbers, newest_kai, plan, pooled};
use proptest::prelude::*;

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
            settings: kai::share::usage::Settings { window_s, half_life_s, ..Default::default() },
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
        Policy::Fifo(()),
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
        Policy::MaxMin(()),
        Policy::Drf(()),
        newest_kai(kai::config::Config::default()),
        newest_kai(kai::config::Config { seed: Some(7), ..Default::default() }),
    ]
}

fn plans(policies: Vec<Policy>) -> impl Strategy<Value = Plan> {
    (prop::collection::vec(any::<u8>(), 0..200), 0..policies.len(), 0..3u8).prop_map(move |(numbers, policy, pools)| {
        let (mut numbers, policy) = (Numbers::new(numbers), policies[policy].clone());
        if pools == 2 { pooled(&mut numbers, policy) } else { plan(&mut numbers, policy) }
    })
}

/// Plans in which the policy reloads other settings after some cycles, if it can.
fn reloading() -> impl Strategy<Value = Plan> {
    let policies = policies().into_iter().filter(|policy| policy.description().supports.reloads.is_some());
    let policies: Vec<Policy> = policies.collect();
    (plans(policies.clone()), 0..policies.len(), 1000..8000i64).prop_map(move |(mut plan, other, at)| {
        let rhythms = std::iter::once(plan.rhythm).chain(plan.further.iter().map(|(_, rhythm)| *rhythm));
        let scheduling = rhythms.map(|rhythm| (policies[other].clone(), rhythm)).collect();
        let entry = plan.timeline.len() as u32;
        let change = PlanChange::Settings { scheduling };
        plan.timeline.push(Planned { at: Time::from_millis(at), entry, change });
        plan.timeline.sort_by_key(|planned| (planned.at, planned.entry));
        plan
    })
}

fn hold(plan: &Plan, number: u64) -> Result<(), TestCaseError> {
    laws::hold(plan, number, None).map_err(|broken| TestCaseError::fail(format!("{}: {}", broken.law, broken.says)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn laws_hold(plan in plans(policies()), number in any::<u64>()) {
        hold(&plan, number)?;
    }

    #[test]
    fn laws_hold_when_settings_are_reloaded(plan in reloading(), number in any::<u64>()) {
        hold(&plan, number)?;
    }
}

/// An initially incomplete gang is detected in the first cycle only; its grace period ends after that of the start.
#[test]
fn the_grace_of_an_incomplete_gang_is_not_skipped() {
    let text = "\
format: fairground-scenario
version: 1
settings: {staleness-grace: 2s}
cycle: 700ms
nodes: [{name: n}]
queues: [{name: q}]
jobs: [{name: gang, queue: q, pods: 3, gpu: 1, on: [n]}]
";
    let checked = check(&read(text).scenario.expect("a scenario"));
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    for number in 0..20 {
        assert_eq!(laws::hold(&plan, number, Some("skipping changes nothing")), Ok(()));
    }
}
