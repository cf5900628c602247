//! One cycle of KAI on 100 nodes of 8 GPUs. With 500 pending jobs: free capacity (*allocate*), hardly any (*full*), or
//! a queue above its share that holds everything (*reclaim*). With 500 running jobs that hold everything: in sibling
//! queues (*flat*), in departments (*departments*), or in departments of which one has a larger quota of GPUs and the
//! next of CPU (*crossed*), so that every action has victims to consider. Each by the rules of both versions.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::trace::Level;

/// A scenario with eight equal queues, 500 pending jobs, and an earlier queue with `n_running` jobs.
fn scenario(n_running: u32, limit: &str) -> String {
    let mut text = String::from(
        "format: fairground-scenario\nversion: 1\ndialect: kai\npolicy: kai\ncycle: 1s\n\
         nodes: [{name: node, count: 100, gpu: 8}]\nqueues:\n",
    );
    let unlimited = "{quota: unlimited, limit: unlimited, weight: 1}";
    for queue in 0..9 {
        let limit = if queue == 8 { "unlimited" } else { limit };
        text += &format!(
            "  - {{name: q{queue}, gpu: {{quota: 80, limit: {limit}, weight: 1}}, cpu: {unlimited}, memory: {unlimited}}}\n"
        );
    }
    text += "jobs:\n";
    for node in 0..n_running {
        text += &format!("  - {{name: held-{node}, queue: q8, gpu: 8, on: [node-{}]}}\n", node + 1);
    }
    for job in 0..500 {
        text += &format!("  - {{name: job-{job}, queue: q{}, gpu: {}}}\n", job % 8, [1, 1, 2, 1, 2][job % 5]);
    }
    text
}

/// 500 running jobs of a queue above its share, five per node, and 500 pending jobs of eight other queues.
fn crowded(departments: bool, crossed: bool) -> String {
    let mut text = String::from(
        "format: fairground-scenario\nversion: 1\ndialect: kai\npolicy: kai\ncycle: 1s\n\
         nodes: [{name: node, count: 100, gpu: 8}]\nqueues:\n",
    );
    let unlimited = "{quota: unlimited, limit: unlimited, weight: 1}";
    for department in 0..if departments { 3 } else { 0 } {
        text += &format!(
            "  - {{name: d{department}, gpu: {{quota: 264, limit: unlimited, weight: 1}}, cpu: {unlimited}, memory: {unlimited}}}\n"
        );
    }
    for queue in 0..9 {
        let parent = if departments { format!("parent: d{}, ", queue / 3) } else { String::new() };
        text += &format!(
            "  - {{name: q{queue}, {parent}gpu: {{quota: {}, limit: unlimited, weight: 1}}, cpu: {}, memory: {unlimited}}}\n",
            if crossed { 80 + queue % 3 } else { 80 },
            if crossed {
                format!("{{quota: {}, limit: unlimited, weight: 1}}", 900 - queue % 3)
            } else {
                unlimited.into()
            },
        );
    }
    text += "jobs:\n";
    for job in 0..500 {
        let (size, node) = ([1, 2, 1, 2, 2][job % 5], job / 5 + 1);
        text += &format!("  - {{name: held-{job}, queue: q{}, gpu: {size}, on: [node-{node}]}}\n", 6 + job % 3);
    }
    for job in 0..500 {
        text += &format!("  - {{name: job-{job}, queue: q{}, gpu: {}}}\n", job % 6, [1, 1, 2, 1, 2][job % 5]);
    }
    text
}

fn simulation(text: &str) -> Simulation {
    let scenario = read(text).scenario.expect("written above");
    let plan = check(&scenario).plan.expect("written above");
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Outcomes);
    simulation
}

fn cycle(c: &mut Criterion) {
    let mut group = c.benchmark_group("cycle");
    group.sample_size(20);
    for (name, text) in [
        ("allocate", scenario(0, "unlimited")),
        ("full", scenario(100, "0")),
        ("reclaim", scenario(100, "unlimited")),
        ("500 running, flat", crowded(false, false)),
        ("500 running, departments", crowded(true, false)),
        ("500 running, crossed", crowded(true, true)),
    ] {
        for version in ["0.13", "0.17"] {
            let settings = format!("policy: kai\nsettings: {{version: '{version}'}}\n");
            let before = simulation(&text.replacen("policy: kai\n", &settings, 1));
            let mut after = before.clone();
            let record = after.advance().expect("a first cycle");
            let n_decided = record.events.len();
            group.bench_function(format!("kai {version}/100x8/500 waiting/{name}, {n_decided} events"), |b| {
                b.iter_batched(|| before.clone(), |mut simulation| simulation.advance(), BatchSize::LargeInput);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, cycle);
criterion_main!(benches);
