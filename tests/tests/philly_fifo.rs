//! The known answer of the Philly trace: first in, first out, in hard partitions.

use fairground::policy::{Policy, Rhythm, fifo};
use fairground::sim::Simulation;
use fairground::time::Span;
use fairground::trace::Level;
use fairground_tests::philly;

#[test]
fn known_answer() {
    let Some(dir) = philly::data() else { return };
    let rhythm = Rhythm::OnChange { at_least: Span::ZERO };
    let plan = philly::plan(&dir, Policy::Fifo(fifo::Config::default()), rhythm);
    let started = std::time::Instant::now();
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Outcomes);
    let built = started.elapsed();
    while simulation.advance().is_some() {}
    eprintln!("new {built:?}, {} cycles in {:?}", simulation.cycle(), started.elapsed());
    let cluster = simulation.cluster();
    let first = cluster.jobs.values().map(|j| j.submit).min().unwrap();
    let last = cluster.jobs.values().map(|j| j.ended.unwrap()).max().unwrap();
    eprintln!("last end {}", (last - first).as_seconds());
    let mut total = 0.0;
    for (q, queue) in cluster.queues.iter() {
        let w: Vec<f64> = cluster
            .jobs
            .values()
            .filter(|j| j.queue == q)
            .map(|j| (j.first_start.unwrap() - j.submit).as_seconds())
            .collect();
        total += w.iter().sum::<f64>();
        eprintln!("{} {} {}", queue.name, w.len(), w.iter().sum::<f64>() / w.len() as f64);
    }
    eprintln!("mean {}", total / cluster.jobs.len() as f64);
}
