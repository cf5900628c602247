//! A complete real trace: three weeks of the Philly cluster, 38,322 jobs, under first in, first out and under KAI.
//!
//! The data stay outside the repository: `FAIRGROUND_DATA`, else `../shared/data` default the repository.

#![allow(clippy::disallowed_methods, reason = "the trace is a file")]

use std::path::PathBuf;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use fairground::import::{Options, import};
use fairground::scenario::{Plan, check};
use fairground::sim::Simulation;
use fairground::trace::Level;

/// The trace on a quarter of the cluster under a policy; prints a message if it is absent.
fn plan(policy: &str) -> Option<Plan> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let dir = std::env::var_os("FAIRGROUND_DATA").map_or(default, PathBuf::from).join("philly-2017");
    let read = |name: &str| std::fs::read(dir.join(name)).ok();
    let Some((jobs, queues)) = read("jobs.csv").zip(read("queues.csv")) else {
        eprintln!("skipped: no Philly trace at {} (set FAIRGROUND_DATA)", dir.display());
        return None;
    };
    let nodes = Some((88, 8));
    let options = Options { policy: policy.into(), nodes, quota_scale: (1, 4), ..Options::default() };
    let scenario = import(&jobs, Some(&queues), &options).scenario.expect("the trace can be read");
    check(&scenario).plan
}

fn whole_run(plan: &Plan) -> u64 {
    let mut simulation = Simulation::new(plan);
    simulation.set_level(Level::Outcomes);
    while simulation.advance().is_some() {}
    simulation.digest()
}

fn replay(c: &mut Criterion) {
    let Some((fifo, kai)) = plan("fifo").and_then(|fifo| Some((fifo, plan("kai")?))) else { return };
    let mut group = c.benchmark_group("replay");
    group.sample_size(10).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1));
    group.bench_function("philly/fifo/open", |b| b.iter(|| Simulation::new(&fifo)));
    group.bench_function("philly/fifo/whole run", |b| b.iter(|| whole_run(&fifo)));
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("philly/kai/whole run", |b| b.iter(|| whole_run(&kai)));
    group.finish();
}

criterion_group!(benches, replay);
criterion_main!(benches);
