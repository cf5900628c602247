//! Known faults of the modelled KAI: a comparison that one of them decided carries its key, and the explanation says
//! what to write instead. A comparison that later versions would decide alike carries none.

use std::sync::Arc;

use fairground::moment::{self, Frame, Names};
use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::trace::Level;
use fairground::units::Resource;
use fairground::words::{self, Selection, Text};

/// The frame of the last of some cycles.
fn frame(text: &str, cycles: u32) -> Frame {
    let read = read(&format!("format: fairground-scenario\nversion: 1\npolicy: kai\ncycle: 1s\n{text}"));
    assert_eq!(read.diagnostics, vec![]);
    let plan = check(&read.scenario.expect("it can be read")).plan.expect("it can run");
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Decisive);
    let names = Arc::new(Names::of("kai", simulation.cluster()));
    let mut record = None;
    for _ in 0..cycles {
        record = simulation.advance().or(record);
    }
    moment::frame(&names, &simulation, &record.expect("a cycle"))
}

fn faults(text: &str, cycles: u32, job: &str) -> Vec<String> {
    words::of_job(&frame(text, cycles), job).faults.iter().map(Text::spoken).collect()
}

fn queue(name: &str, gpu: &str) -> String {
    format!(
        "- {{name: {name}, gpu: {{{gpu}}}, cpu: {{quota: unlimited, limit: unlimited}}, memory: {{quota: unlimited, limit: unlimited}}}}\n"
    )
}

/// Two queues of one GPU each; `a` holds both GPUs, and `half` asks for a part of one.
fn half(asks: &str, quota: u32) -> String {
    let queues = [("a", 1), ("b", quota)]
        .map(|(name, quota)| queue(name, &format!("quota: {quota}, limit: unlimited, weight: 1")))
        .concat();
    format!(
        "nodes: [{{name: n, gpu: 2, gpu-memory: 40960}}]\nqueues:\n{queues}jobs:\n- {{name: hog, queue: a, count: 2, gpu: 1}}\n- {{name: half, queue: b, {asks}, submit: 3s}}\n"
    )
}

#[test]
fn gpu_memory_counted_by_100_mib_is_named_with_its_numbers() {
    let said = faults(&half("gpu-memory: 20000", 1), 5, "half");
    let [said] = said.as_slice() else { panic!("{said:?}") };
    for part in [
        "Known fault of KAI Scheduler",
        "100 MiB",
        "Here half requests 20,000 MiB, which counts as 20,000 / 100 = 200 GPUs.",
        "Since v0.17.0",
        "gpu: 0.5",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn what_later_versions_decide_alike_names_no_fault() {
    assert_eq!(faults(&half("gpu: 0.5", 1), 5, "half"), Vec::<String>::new());
    // Without a quota and a weight the queue may not reclaim at all.
    let text = half("gpu-memory: 20000", 0)
        .replace("quota: 0, limit: unlimited, weight: 1", "quota: 0, limit: unlimited, weight: 0");
    assert_eq!(faults(&text, 5, "half"), Vec::<String>::new());
    // As many MiB as the fair share holds by 100 MiB.
    assert_eq!(faults(&half("gpu-memory: 100", 1), 5, "half"), Vec::<String>::new());
}

/// 40,000 MiB on each of two devices pass a limit of one GPU, because one of them is counted.
#[test]
fn several_devices_counted_as_one_are_named() {
    let text = |limit: u32| {
        let queues = queue("a", &format!("quota: 0, limit: {limit}, weight: 1"));
        format!(
            "nodes: [{{name: n, gpu: 2, gpu-memory: 40960}}]\nqueues:\n{queues}jobs:\n- {{name: two, queue: a, gpu-memory: 40000, gpu-devices: 2}}\n"
        )
    };
    let said = faults(&text(1), 1, "two");
    assert!(said.iter().any(|said| said.contains("parts of several devices")), "{said:?}");
    assert_eq!(faults(&text(2), 1, "two"), Vec::<String>::new());
}

/// In the order of victims a younger job comes first, unless it has the higher priority.
#[test]
fn jobs_that_come_later_in_the_order_of_victims_say_what_was_compared() {
    let text = |priority: u32| {
        let queues = ["a", "b"].map(|name| queue(name, "quota: 1, limit: unlimited, weight: 1")).concat();
        format!(
            "nodes: [{{name: n, gpu: 2}}]\nqueues:\n{queues}jobs:\n- {{name: old, queue: a, gpu: 1}}\n- {{name: young, queue: a, gpu: 1, submit: 1s, priority: {priority}}}\n- {{name: b1, queue: b, gpu: 1, submit: 3s}}\n"
        )
    };
    let others = |text: &str, victim: &str| -> Vec<String> {
        let why = words::of_job(&frame(text, 3), victim);
        why.others.iter().map(|entry| entry.text.spoken()).collect()
    };
    let said = others(&text(50), "young");
    assert!(
        said.iter().any(
            |said| said.starts_with("old: the newest job goes first, and it is older (submitted 0:00, young 0:01)")
        ),
        "{said:?}"
    );
    let said = others(&text(60), "old");
    let lowest = "young: the lowest priority goes first, and its priority 60 is higher than 50 of old";
    assert!(said.iter().any(|said| said == lowest), "{said:?}");
}

/// A tiny pod starts although the pods that are terminating still hold the pod slots; later versions claim a slot for
/// it.
#[test]
fn a_tiny_pod_beyond_the_pod_slots_is_named_on_the_job_and_on_the_node() {
    let text = |version: &str| {
        let queues = queue("a", "quota: 2, limit: unlimited, weight: 1");
        format!(
            "settings: {{version: {version}}}\ndelays: {{termination: 5s}}\nnodes: [{{name: n, gpu: 2, pods: 2}}]\nqueues:\n{queues}jobs:\n- {{name: low, queue: a, count: 2, gpu: 1, cpu: 1, on: [n, n]}}\n- {{name: high, queue: a, submit: 1s, priority: 75, gpu: 2, cpu: 1}}\n- {{name: tiny, queue: a, submit: 1s, cpu: 5m}}\n"
        )
    };
    let slots = |frame: &Frame| {
        let why = words::why(frame, None, &Selection::Node("n".into()), None, Resource::GPU);
        why.verdict.spoken()
    };
    let said = faults(&text("0.13"), 2, "tiny");
    assert!(said.iter().any(|said| said.contains("A tiny pod (below 10m CPU and 10 MiB) always fits.")), "{said:?}");
    let said = slots(&frame(&text("0.13"), 2));
    assert!(said.ends_with("It holds 3 pods although it has 2 pod slots."), "{said}");
    let said = slots(&frame(&text("0.17"), 2));
    assert!(said.ends_with("All its pod slots are in use."), "{said}");
}
