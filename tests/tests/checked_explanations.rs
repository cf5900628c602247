//! Every explanation is examined outside of the engine: see `fairground_tests::checker`.

use fairground::policy::Policy;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fairground::scenario::{Scenario, check, to_yaml};
use fairground_tests::checker::{Planted, Table, examine, examine_cycles, plant};
use fairground_tests::run::plans;
use fairground_tests::{draw, recording};

/// Number of drawn scenarios per policy; `EXPLAINED=10000` examines more, with `EXPLAINED_FROM=573` from that one on.
const CASES: u64 = 30;

/// Drawn scenarios of the first ten thousand with a comparison that the checker cannot follow yet: the devices of a
/// node are counted otherwise there after moves that are undone (KAI), and states between two decisions of a cycle
/// (EGO, YuniKorn).
const NOT_FOLLOWED: [&str; 14] = [
    "kai 4386",
    "kai 6557",
    "kai 9032",
    "kai v0.17 3219",
    "kai v0.17 4386",
    "kai v0.17 6557",
    "kai v0.17 7704",
    "kai v0.17 9259",
    "ego 5451",
    "ego 7772",
    "yunikorn 494",
    "yunikorn 2950",
    "yunikorn 8280",
    "yunikorn 8760",
];

/// Prints how much is reached, and asserts that every side and obstacle is compared with an independent value.
fn reached(policy: &str, table: &Table) {
    let (reached, n) = table.of(policy);
    println!("{table}{policy}: {reached} of {n} explanations");
    assert_eq!(reached, n, "{policy}");
}

/// Numbers of the drawn scenarios.
fn cases() -> std::ops::RangeInclusive<u64> {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse().ok());
    number("EXPLAINED_FROM").unwrap_or(1)..=number("EXPLAINED").unwrap_or(CASES)
}

/// Examines the explanations of scenarios; panics with the names of those with a mistake that is not listed, and of
/// listed ones without one, and with the first mistake.
fn examined(scenarios: impl IntoIterator<Item = Scenario>) -> Table {
    let mut table = Table::default();
    let (mut wrong, mut first) = (Vec::new(), None);
    for scenario in scenarios {
        let Some(plan) = check(&scenario).plan else { continue };
        let mistake = examine(&plan, &mut table).into_iter().next();
        let is_listed = NOT_FOLLOWED.contains(&scenario.name.as_str());
        if mistake.is_some() != is_listed {
            first.get_or_insert_with(|| format!("{mistake:?}\n{}", to_yaml(&scenario)));
            wrong.push(scenario.name);
        }
    }
    assert!(wrong.is_empty(), "{} scenarios: {wrong:?}; the first: {}", wrong.len(), first.unwrap_or_default());
    table
}

fn drawn(policy: &str) {
    let table = examined(cases().map(|seed| draw::scenario(policy, seed)));
    reached(policy, &table);
}

macro_rules! drawn {
    ($($name:ident $policy:literal)*) => {
        $(#[test]
        fn $name() {
            drawn($policy);
        })*
    };
}

drawn! {
    explanations_of_kai "kai"
    explanations_of_fifo "fifo"
    explanations_of_yunikorn "yunikorn"
    explanations_of_ego "ego"
    explanations_of_runai "runai"
    explanations_of_max_min "max-min"
    explanations_of_drf "drf"
}

/// Under the rules of the later version of KAI, too.
#[test]
fn explanations_of_kai_of_v0_17() {
    let of = |seed| draw::scenario_of("kai", "0.17", seed);
    reached("kai", &examined(cases().map(of)));
}

/// Slot plans of EGO: jobs of one GPU per pod, static or dynamic quotas, enforced at the leaf or at the parent.
#[test]
fn explanations_of_ego_slots() {
    let of = |seed| {
        let mut scenario = draw::scenario("ego", seed);
        let settings = [
            ("plan", "slots"),
            ("share-quota", ["dynamic", "static"][seed as usize % 2]),
            ("enforcement", ["leaf", "parent"][seed as usize / 2 % 2]),
        ];
        scenario.settings.extend(settings.map(|(name, value)| (name.to_string(), value.into())));
        for job in Arc::make_mut(&mut scenario.jobs) {
            (job.gpu, job.gpu_memory, job.gpu_devices) = (Some("1".into()), None, None);
            job.pod_sets.iter_mut().for_each(|set| {
                (set.gpu, set.gpu_memory, set.gpu_devices) = (Some("1".into()), None, None);
            });
        }
        scenario.name = format!("ego slots {seed}");
        scenario
    };
    reached("ego", &examined(cases().map(of)));
}

/// On clusters without GPUs.
#[test]
fn explanations_without_gpus() {
    for policy in Policy::NAMES {
        let of = |seed| {
            let mut scenario = draw::scenario(policy, seed);
            Arc::make_mut(&mut scenario.nodes).iter_mut().for_each(|node| node.gpu = None);
            for job in Arc::make_mut(&mut scenario.jobs) {
                (job.gpu, job.gpu_memory, job.gpu_devices) = (None, None, None);
                job.pod_sets.iter_mut().for_each(|set| {
                    (set.gpu, set.gpu_memory, set.gpu_devices) = (None, None, None);
                });
            }
            scenario.name = format!("{policy} without GPUs {seed}");
            scenario
        };
        println!("{}", examined(cases().step_by(3).map(of)));
    }
}

/// The cases that were recorded of the real schedulers, as scenario files: one in so many.
const ONE_OF: usize = 200;

/// Number of cycles that are examined of a recorded case; most recordings have fewer.
const RECORDED_CYCLES: u32 = 6;

/// Recorded cases that the checker cannot follow, by folder. YuniKorn: an offset of its root, which is no queue of a
/// scenario, and priorities and shares that queues keep from before a reload. KAI: scores and free GPUs of nodes
/// on which GPUs are shared, after moves that are undone; a search that counts a pod of the job that had its room
/// already.
const RECORDED_NOT_FOLLOWED: [&str; 15] = [
    "yunikorn preemption-0118",
    "yunikorn preemption-0300",
    "yunikorn reload-0054",
    "yunikorn reload-0056",
    "yunikorn reload-0108",
    "yunikorn reservation-0111",
    "yunikorn wide-0037",
    "kai-cycles fractions-0059",
    "kai-cycles fractions-0110",
    "kai-cycles usage-0167",
    "kai-cycles-v0.17 fractions-0059",
    "kai-cycles-v0.17 fractions-0110",
    "kai-cycles-v0.17 memory-mix-0027",
    "kai-cycles-v0.17 min-runtime-0120",
    "kai-cycles-v0.17 usage-0167",
];

/// Examines the recorded cases of a policy; `EXPLAINED_ONE_OF=1` examines all.
fn recorded(policy: &str) {
    let one_of = std::env::var("EXPLAINED_ONE_OF").ok().and_then(|n| n.parse().ok()).unwrap_or(ONE_OF);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let paths = recording::find(&folder).expect("the folder of recordings");
    let is_of_policy = |path: &&PathBuf| {
        let name = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        name.split('-').next() == Some(policy)
    };
    let (mut table, mut mistakes) = (Table::default(), Vec::new());
    for path in paths.iter().filter(is_of_policy) {
        let recording = recording::read(path).expect("a recording");
        for case in (0..recording.cases.len()).step_by(one_of) {
            let (id, plans) = plans(&recording, case);
            let of = |plan| examine_cycles(plan, RECORDED_CYCLES, &mut table);
            let found = plans.iter().flat_map(of).next();
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            let is_listed = RECORDED_NOT_FOLLOWED.contains(&format!("{folder} {id}").as_str());
            if found.is_some() != is_listed {
                mistakes.push(format!("{folder} {id}: {found:?}"));
            }
        }
    }
    reached(policy, &table);
    assert!(mistakes.is_empty(), "{} cases: {mistakes:#?}", mistakes.len());
}

macro_rules! recorded {
    ($($name:ident $policy:literal)*) => {
        $(#[test]
        fn $name() {
            recorded($policy);
        })*
    };
}

recorded! {
    explanations_of_recorded_cases_of_kai "kai"
    explanations_of_recorded_cases_of_runai "runai"
    explanations_of_recorded_cases_of_ego "ego"
    explanations_of_recorded_cases_of_yunikorn "yunikorn"
}

/// The examples of the page.
#[test]
fn explanations_of_examples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenarios");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let is_scenario = |path: &&PathBuf| path.extension().is_some_and(|end| end == "yaml");
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a file");
        fairground::scenario::read(&text).scenario.expect("a scenario")
    };
    println!("{}", examined(paths.iter().filter(is_scenario).map(read)));
}

/// Planted mistakes are caught under every policy.
#[test]
fn planted_mistakes_are_caught() {
    for policy in Policy::NAMES {
        let all = caught(policy, (1..=20).map(|seed| draw::scenario(policy, seed)));
        assert!(all.len() >= 2, "{policy}: {all:?}");
    }
}

/// Those in the search for victims of the later version of KAI, too.
#[test]
fn mistakes_planted_in_searches_are_caught() {
    let all = caught("kai 0.17", (1..=60).map(|seed| draw::scenario_of("kai", "0.17", seed)));
    let of_searches = [Planted::OtherSets, Planted::OtherTriedNodes, Planted::OtherEmptiedNodes, Planted::OtherTime];
    assert!(of_searches.iter().all(|kind| all.contains_key(kind)), "{all:?}");
}

/// Plants mistakes in the explanations of scenarios; panics if one is not caught. Returns how many of each kind were.
fn caught(of: &str, scenarios: impl Iterator<Item = Scenario>) -> BTreeMap<Planted, u32> {
    let mut all = BTreeMap::new();
    for scenario in scenarios {
        let plan = check(&scenario).plan.expect("a plan");
        let (counts, missed) = plant(&plan, 8);
        assert_eq!(missed, None, "{}", scenario.name);
        for (kind, [planted, _]) in counts {
            *all.entry(kind).or_default() += planted;
        }
    }
    println!("{of}: planted and caught: {all:?}");
    all
}
