//! Serving order of YuniKorn: the displayed order is that of the next pass.

use std::collections::BTreeSet;
use std::path::Path;

use fairground::id::{JobId, PartitionId, QueueId};
use fairground::policy::yunikorn::rules::{ORDER_RULES, RULES};
use fairground::sim::Simulation;
use fairground::trace::{Event, Op, OrderLevel, OrderPlace, QueuePriority, Value};
use fairground_tests::scenarios::{simulation, under};

fn words(text: &str) -> Simulation {
    under("yunikorn", text)
}

fn example(id: &str) -> Simulation {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../assets/scenarios/{id}.yaml"));
    simulation(&std::fs::read_to_string(file).expect("the example is there"))
}

fn queue(simulation: &Simulation, name: &str) -> QueueId {
    let mut queues = simulation.cluster().queues.iter();
    queues.find(|(_, queue)| *queue.name == *name).expect("the queue is there").0
}

fn job(simulation: &Simulation, name: &str) -> JobId {
    let mut jobs = simulation.cluster().jobs.iter();
    jobs.find(|(_, job)| *job.name == *name).expect("the job is there").0
}

fn order(simulation: &Simulation, of: &str) -> Vec<OrderLevel> {
    simulation.order_in(PartitionId(0), queue(simulation, of), None)
}

fn order_of_job(simulation: &Simulation, name: &str) -> Vec<OrderLevel> {
    let job = job(simulation, name);
    simulation.order_in(PartitionId(0), simulation.cluster().jobs[job].queue, Some(job))
}

/// Entries of a level in short: name, and the rule that places it behind the previous one.
fn summary(level: &OrderLevel) -> Vec<String> {
    let place = |place: &OrderPlace| match place.behind.last() {
        None => place.name.clone(),
        Some(check) => {
            format!("{} {}", place.name, check.rule.key().strip_prefix("yunikorn/").expect("a rule of it"))
        }
    };
    level.places.iter().map(place).collect()
}

/// Asserts that checks hold, and that all keys of an entry but the last are equal.
fn assert_sound(levels: &[OrderLevel], rules: &mut BTreeSet<&'static str>) {
    for level in levels {
        for place in &level.places {
            let Some((last, equal)) = place.behind.split_last() else {
                assert_eq!(place.position, 1, "{place:?}");
                continue;
            };
            assert!(last.holds, "{last:?}");
            assert!(equal.iter().all(|check| check.holds && check.op == Op::Equal), "{equal:?}");
            rules.extend(place.behind.iter().map(|check| check.rule.key()));
        }
        assert!(level.places.iter().filter(|place| place.is_subject).count() <= 1);
    }
}

/// The first job at every level from the root.
fn first(simulation: &Simulation) -> Option<JobId> {
    let any = QueueId(0);
    let mut levels = simulation.order_in(PartitionId(0), any, None);
    let mut level = levels.remove(0);
    loop {
        let place = level.places.first()?;
        let Some(queue) = place.queue else { return place.job };
        level = simulation.order_in(PartitionId(0), queue, None).pop()?;
    }
}

/// In examples in which everything fits, the first entry is placed next, pass by pass.
#[test]
fn who_stands_first_is_placed_next() {
    for id in ["tenants-and-offsets", "tenants-fair-system", "tenants-fairness-first"] {
        let mut simulation = example(id);
        let mut n = 0;
        while let Some(expected) = first(&simulation) {
            let name = simulation.cluster().jobs[expected].name.clone();
            let levels = simulation.order_in(PartitionId(0), simulation.cluster().jobs[expected].queue, Some(expected));
            assert!(levels.iter().all(|level| level.places[0].is_subject), "{id}: {name}");
            assert_sound(&levels, &mut BTreeSet::new());
            let record = simulation.advance().expect("a further pass");
            let bound = record.events.iter().find_map(|recorded| match recorded.event {
                Event::Bound { pod, .. } => Some(simulation.cluster().pods[pod].job),
                _ => None,
            });
            assert_eq!(bound, Some(expected), "{id}: {name}");
            n += 1;
        }
        assert_eq!(n, 11, "{id}");
    }
}

/// Example of yunikorn.md 3.2: by their own maxima the order would be c, a, b.
const POSITIONAL: &str = "
nodes: [{name: n, gpu: 20}]
queues:
- {name: a, gpu: {limit: 8}}
- {name: b, gpu: {limit: 4}}
- {name: c, gpu: {limit: 10}}
jobs:
- {name: ra, queue: a, gpu: 4, on: [n]}
- {name: rb, queue: b, gpu: 3, on: [n]}
- {name: rc, queue: c, gpu: 2, on: [n]}
- {name: a, queue: a, gpu: 1}
- {name: b, queue: b, gpu: 1}
- {name: c, queue: c, gpu: 1}
";

#[test]
fn a_share_of_another_position_is_shown() {
    let simulation = words(POSITIONAL);
    let levels = order(&simulation, "c");
    assert_eq!(summary(&levels[0]), ["a", "c tie", "b share"]);
    let behind = &levels[0].places[1].behind;
    let sides: Vec<_> = behind.iter().map(|check| (&check.left.value, &check.right.value)).collect();
    assert_eq!(sides[1], (&Value::Real(0.5), &Value::Real(0.5)), "2 of the 4 that b may have");
    assert_eq!(behind[1].rule.key(), "yunikorn/share-of-place");
    // Its displayed share is its own.
    assert!(levels[0].places[1].keys.iter().any(|term| term.value == Value::Real(0.2)));
    assert_sound(&levels, &mut BTreeSet::new());
}

const LEAVES: &str = "
settings: {application.sort.policy.fair: fair, application.sort.priority.fair: disabled}
nodes: [{name: n, gpu: 2}]
queues:
- {name: fair, gpu: {quota: 4}}
- {name: fifo}
- {name: idle}
- {name: more}
jobs:
- {name: f1, queue: fair, pods: 3, gpu: 1, on: [n, n]}
- {name: f2, queue: fair, gpu: 1, priority: -10}
- {name: f3, queue: fair, gpu: 1}
- {name: old, queue: fifo, gpu: 1}
- {name: late, queue: fifo, gpu: 1, submit: 1s}
- {name: first, queue: fifo, gpu: 1, priority: 60, submit: 1s}
- {name: twin, queue: fifo, gpu: 1}
- {name: m, queue: more, pods: 5, gpu: 1, priority: 60}
";

#[test]
fn every_key_of_an_order_is_shown() {
    let mut simulation = words(LEAVES);
    assert_eq!(summary(&order(&simulation, "fifo")[1]), ["old", "twin tie"]);
    let absent = order(&simulation, "idle");
    assert!(absent[0].subject_is_absent && absent[0].n == 3);
    // Two of six: all resources are allocated, so that later jobs are pending too.
    while simulation.now().as_millis() < 1000 {
        simulation.advance().expect("a further pass");
    }
    let levels = order_of_job(&simulation, "late");
    assert_eq!(summary(levels.last().expect("its leaf")), ["first", "old application", "twin tie", "late application"]);
    assert!(levels.last().is_some_and(|level| level.places[3].is_subject));
    assert_eq!(summary(&order(&simulation, "fair")[1]), ["f3", "f2 application", "f1 application"]);
    assert_eq!(summary(&order(&simulation, "more")[0])[1..], ["fifo pending", "fair priority"]);
}

/// Every rule of the order of siblings decides in at least one example.
#[test]
fn orders_of_all_examples_are_sound() {
    let mut rules = BTreeSet::new();
    for id in [
        "tenants-and-offsets",
        "tenants-room-for-five",
        "tenants-fairness-first",
        "tenants-fair-system",
        "preemption-fence",
        "offsets-against-guarantees",
        "offsets-forbid-guarantees",
    ] {
        let mut simulation = example(id);
        for _ in 0..20 {
            for queue in simulation.cluster().queues.ids() {
                assert_sound(&simulation.order_in(PartitionId(0), queue, None), &mut rules);
            }
            if simulation.advance().is_none() {
                break;
            }
        }
    }
    assert_sound(&order(&words(POSITIONAL), "a"), &mut rules);
    let mut leaves = words(LEAVES);
    while leaves.advance().is_some_and(|record| record.time.as_millis() < 1000) {}
    assert_sound(&order(&leaves, "more"), &mut rules);
    let known: BTreeSet<_> = RULES.iter().chain(&ORDER_RULES).map(|rule| rule.key()).collect();
    assert!(rules.iter().all(|rule| known.contains(rule)));
    let wanted = ["priority", "share", "share-of-place", "pending", "tie", "application"];
    let missing: Vec<_> =
        wanted.into_iter().filter(|rule| !rules.contains(format!("yunikorn/{rule}").as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Table of yunikorn.md 9.2, before the first step: priorities from below, and the effect of a fence.
#[test]
fn priorities_before_the_first_pass() {
    let simulation = example("tenants-and-offsets");
    let all = simulation.priorities_in(PartitionId(0));
    let of = |name: &str| -> QueuePriority { all[queue(&simulation, name).0 as usize] };
    let numbers = |name: &str| {
        let priority = of(name);
        (priority.raw, priority.offset, priority.is_fence, priority.effective)
    };
    assert_eq!(numbers("system"), (Some(1001), 0, false, Some(1001)));
    assert_eq!(numbers("system-high"), (Some(1), 1000, false, Some(1001)));
    assert_eq!(numbers("system-low"), (Some(3), -1000, false, Some(-997)));
    assert_eq!(numbers("tenants"), (Some(10), 0, true, Some(0)));
    assert_eq!(numbers("tenant-a"), (Some(8), 10, true, Some(10)));
    assert_eq!(numbers("tenant-b"), (Some(9), 0, true, Some(0)));
    assert_eq!(numbers("child-b-1"), (Some(9), 0, false, Some(9)));
}
