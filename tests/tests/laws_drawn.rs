//! Every law over random scenarios that cover the format, a few hundred per policy; `cargo xtask soak` runs any
//! number.

use fairground::scenario::{Scenario, check, to_yaml};
use fairground_tests::draw::{self, Size};
use fairground_tests::soak::{broken, soak};

/// Number of scenarios per policy.
const CASES: u64 = 120;

fn laws_hold(policy: &str) {
    for seed in 1..=CASES {
        if let Some((broken, scenario)) = soak(policy, Size::ORDINARY, seed) {
            panic!("{policy}, seed {seed}: {}\n{}\n{}", broken.law, broken.says, to_yaml(&scenario));
        }
    }
}

macro_rules! laws_hold {
    ($($name:ident $policy:literal)*) => {
        $(#[test]
        fn $name() {
            laws_hold($policy);
        })*
    };
}

laws_hold! {
    under_kai "kai"
    under_fifo "fifo"
    under_yunikorn "yunikorn"
    under_ego "ego"
    under_runai "runai"
    under_max_min "max-min"
    under_drf "drf"
}

/// Random scenarios cover features that small plans lack: each occurs in at least one of twenty scenarios.
#[test]
fn random_scenarios_cover_the_format() {
    let drawn: Vec<Scenario> = (1..=CASES).map(|seed| draw::scenario("runai", seed)).collect();
    let of_plans = |is: &dyn Fn(&fairground::scenario::Plan) -> bool| {
        drawn.iter().filter(|s| check(s).plan.as_ref().is_some_and(is)).count()
    };
    let depth = |plan: &fairground::scenario::Plan| {
        let queues = plan.cluster.queues.ids();
        queues.map(|queue| plan.cluster.path_to_root(queue).count()).max().unwrap_or(0)
    };
    let of_jobs =
        |is: &dyn Fn(&fairground::scenario::JobEntry) -> bool| drawn.iter().filter(|s| s.jobs.iter().any(is)).count();
    let of_nodes =
        |is: &dyn Fn(&fairground::scenario::NodeEntry) -> bool| drawn.iter().filter(|s| s.nodes.iter().any(is)).count();
    let of_timeline = |is: &dyn Fn(&fairground::scenario::TimelineEntry) -> bool| {
        drawn.iter().filter(|s| s.timeline.iter().any(is)).count()
    };
    let is_limited = |r: &fairground::scenario::ResourceEntry| r.limit.as_ref().is_some_and(|l| l.0 != "unlimited");
    let n = [
        ("four levels", of_plans(&|plan| depth(plan) == 4)),
        ("limited CPU", drawn.iter().filter(|s| s.queues.iter().any(|q| is_limited(&q.cpu))).count()),
        ("limited memory", drawn.iter().filter(|s| s.queues.iter().any(|q| is_limited(&q.memory))).count()),
        ("GPU memory", of_jobs(&|job| job.gpu_memory.is_some())),
        ("small devices", of_nodes(&|node| node.gpu_memory.as_ref().is_some_and(|mib| mib.0 == "100"))),
        ("parts over several devices", of_jobs(&|job| job.gpu_devices.is_some())),
        ("selectors", of_jobs(&|job| !job.selector.is_empty())),
        ("taints", of_nodes(&|node| !node.taints.is_empty())),
        ("tolerations", of_jobs(&|job| !job.tolerations.is_empty())),
        ("named resources", of_jobs(&|job| !job.resources.is_empty())),
        ("gates", of_jobs(&|job| job.gated.is_some())),
        ("restarts", of_jobs(&|job| job.restart.is_some())),
        ("nodes that change", of_timeline(&|entry| entry.node.is_some())),
        ("queues that change", of_timeline(&|entry| entry.queue.is_some())),
    ];
    let rare: Vec<_> = n.iter().filter(|(_, n)| (*n as u64) * 20 < CASES).collect();
    assert!(rare.is_empty(), "{rare:?}");
}

/// A violated law is found, and the minimised scenario still violates it.
#[test]
fn violations_are_found_and_minimised() {
    // No law is violated at present, so an invalid scenario is used.
    let mut scenario = draw::scenario("kai", 1);
    std::sync::Arc::make_mut(&mut scenario.jobs)[0].queue = "nowhere".into();
    let found = broken(&scenario, 1, None).map(|broken| broken.law);
    assert_eq!(found, Some("what is drawn can run"));
}
