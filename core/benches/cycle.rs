//! One cycle of KAI on 100 nodes of 8 GPUs: 500 jobs wait, and there is room (*allocate*), hardly any (*full*), or it is
//! held by a queue above its share (*reclaim*).

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fairground::scenario::{check, read};
use fairground::sim::Simulation;
use fairground::trace::Level;

/// A scenario with eight equal queues, 500 waiting jobs, and a queue that got there first.
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

fn simulation(n_running: u32, limit: &str) -> Simulation {
    let scenario = read(&scenario(n_running, limit)).scenario.expect("written above");
    let plan = check(&scenario).plan.expect("written above");
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Outcomes);
    simulation
}

fn cycle(c: &mut Criterion) {
    let mut group = c.benchmark_group("cycle");
    group.sample_size(20);
    for (name, n_running, limit) in
        [("allocate", 0, "unlimited"), ("full", 100, "0"), ("reclaim", 100, "unlimited")]
    {
        let before = simulation(n_running, limit);
        let mut after = before.clone();
        let record = after.advance().expect("a first cycle");
        let n_decided = record.events.len();
        group.bench_function(format!("kai/100x8/500 waiting/{name}, {n_decided} events"), |b| {
            b.iter_batched(|| before.clone(), |mut simulation| simulation.advance(), BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, cycle);
criterion_main!(benches);
