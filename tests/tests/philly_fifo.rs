//! Known results of the Philly trace under first in, first out with hard partitions.

use fairground::cluster::audit;
use fairground::policy::{Policy, Rhythm};
use fairground::sim::{Simulation, Timeline};
use fairground::time::Span;
use fairground::trace::Level;
use fairground_tests::{fifo_reference, philly};

/// Mean wait per virtual cluster from the reference simulator, in seconds.
const MEAN_WAITS: [(&str, i64); 11] = [
    ("e13805", 0),
    ("b436b2", 1_947),
    ("6214e9", 7_827),
    ("11cb48", 7_991),
    ("ee9e8c", 29_664),
    ("ed69ec", 34_331),
    ("103959", 190_719),
    ("0e4a51", 265_136),
    ("6c71a0", 341_745),
    ("7f04ca", 666_574),
    ("2869ce", 1_150_088),
];

#[test]
#[cfg_attr(not(philly), ignore = "no Philly trace beside the repository; FAIRGROUND_DATA names another place")]
fn known_answer() {
    let dir = philly::data().expect("the trace");
    let rhythm = Rhythm::OnChange { at_least: Span::ZERO };
    let plan = philly::plan(&dir, Policy::Fifo(()), rhythm);
    let started = std::time::Instant::now();
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Outcomes);
    let mut digests = vec![simulation.opening().digest];
    while let Some(record) = simulation.advance() {
        digests.push(record.digest);
    }
    eprintln!("{} cycles in {:?}", simulation.cycle(), started.elapsed());

    assert_eq!(audit(simulation.world()), vec![]);
    let summary = simulation.summary();
    assert_eq!((summary.all.jobs_done, summary.all.jobs_unfinished), (38_322, 0));
    assert_eq!(format!("{:.3}", summary.all.waits.mean_s), "53497.298");
    assert_eq!(summary.all.waits.median_s.round(), 2_981.0);
    assert_eq!(summary.all.waits.max_s, 2_149_523.0);
    let first = plan.cluster.jobs.values().map(|job| job.submit.as_seconds()).fold(f64::INFINITY, f64::min);
    assert_eq!(summary.all.last_end_s.map(|end| end - first), Some(4_538_054.0));
    for (totals, queue) in summary.queues.iter().zip(plan.cluster.queues.values()) {
        let (_, mean) = MEAN_WAITS.iter().find(|(name, _)| *name == &*queue.name).expect("listed");
        assert_eq!(totals.waits.mean_s.round() as i64, *mean, "{}", queue.name);
    }
    assert_eq!((summary.all.evictions, summary.all.gpu_seconds_lost), (0, 0.0));
    assert_eq!(summary.all.gpu_seconds_used, philly::gpu_seconds(&plan));

    // The reference computation, which replaces the trace where it is absent, gives the same.
    let (rows, nodes) = philly::rows(&dir);
    let starts = fifo_reference::starts(&rows, &nodes);
    let wait: i64 = rows.iter().zip(&starts).map(|(row, start)| start - row.submit).sum();
    assert_eq!(format!("{:.3}", wait as f64 / rows.len() as f64), "53497.298");

    let mut timeline = Timeline::new(&plan);
    for cycle in [60_000, 20, 40_123, 39_999] {
        let started = std::time::Instant::now();
        while timeline.step_towards(cycle, Level::Outcomes) {}
        assert_eq!(timeline.record().digest, digests[cycle as usize]);
        eprintln!("to cycle {cycle} in {:?}", started.elapsed());
    }
}
