//! First in, first out: a generated trace gives the result of an independent computation.

use std::fmt::Write;

use fairground::import::{Options, import};
use fairground::scenario::check;
use fairground::sim::Simulation;
use fairground_tests::fifo_reference::{NODE_GPUS, Row, generated, starts};

/// Number of nodes per queue.
const NODES: [u32; 4] = [1, 2, 3, 6];
const JOBS: usize = 3_000;

/// Start times in a simulation of the trace, read from CSV, and the mean wait of the summary.
fn simulated(rows: &[Row]) -> (Vec<i64>, f64) {
    let mut jobs = String::from("id,submit_s,duration_s,gpus,vc\n");
    for (i, row) in rows.iter().enumerate() {
        writeln!(jobs, "j{i},{},{},{},q{}", row.submit, row.duration, row.gpus, row.queue).expect("a string");
    }
    let mut queues = String::from("vc,gpus\n");
    for (i, n) in NODES.iter().enumerate() {
        writeln!(queues, "q{i},{}", n * NODE_GPUS).expect("a string");
    }
    let nodes = Some((NODES.iter().sum(), NODE_GPUS));
    let options = Options { policy: "fifo".into(), nodes, ..Options::default() };
    let imported = import(jobs.as_bytes(), Some(queues.as_bytes()), &options);
    let scenario = imported.scenario.unwrap_or_else(|| panic!("{:#?}", imported.report));
    let checked = check(&scenario);
    let plan = checked.plan.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics));
    let mut simulation = Simulation::new(&plan);
    while simulation.advance().is_some() {}
    let mut starts = vec![-1; rows.len()];
    for job in simulation.cluster().jobs.values() {
        let i: usize = job.name.trim_start_matches('j').parse().expect("its position");
        let start = job.first_start.expect("every job ran").as_millis();
        assert_eq!(start % 1000, 0);
        starts[i] = start / 1000;
    }
    (starts, simulation.summary().all.waits.mean_s)
}

fn mean_wait(rows: &[Row], starts: &[i64]) -> f64 {
    let sum: i64 = rows.iter().zip(starts).map(|(row, start)| start - row.submit).sum();
    sum as f64 / rows.len() as f64
}

#[test]
fn a_generated_trace_matches_the_reference() {
    for seed in 1..=5 {
        let rows = generated(seed, JOBS, &NODES);
        let expected = starts(&rows, &NODES);
        let (found, mean) = simulated(&rows);
        let wrong: Vec<_> = (0..rows.len()).filter(|&i| found[i] != expected[i]).collect();
        assert_eq!(
            wrong,
            Vec::<usize>::new(),
            "seed {seed}: {:?}",
            wrong.first().map(|&i| (&rows[i], found[i], expected[i]))
        );
        assert!((mean - mean_wait(&rows, &expected)).abs() < 1e-6, "seed {seed}: {mean}");
    }
}

/// Pins the numbers, so that generator, computation and engine cannot drift together.
#[test]
fn the_result_is_pinned() {
    let rows = generated(1, JOBS, &NODES);
    let expected = starts(&rows, &NODES);
    let last_end = rows.iter().zip(&expected).map(|(row, start)| start + row.duration).max();
    let n_waiting = rows.iter().zip(&expected).filter(|(row, start)| **start > row.submit).count();
    let answer = format!("{:.3} {last_end:?} {n_waiting}", mean_wait(&rows, &expected));
    assert_eq!(answer, "61360.862 Some(1336537) 2022");
}

/// Computed by hand: queue 0 has one node. The second job waits for the first, the third for the second although it
/// would fit, because jobs do not overtake; the two together leave no room for the fourth.
#[test]
fn the_reference_matches_a_computation_by_hand() {
    let row = |submit, duration, gpus| Row { queue: 0, submit, duration, gpus };
    let rows = [row(0, 10, 4), row(1, 10, 8), row(2, 10, 1), row(3, 5, 8)];
    assert_eq!(starts(&rows, &[1]), [0, 10, 20, 30]);
    let rows = [row(0, 10, 4), row(0, 20, 6), row(0, 5, 2), row(1, 1, 16), row(2, 1, 1)];
    // 4 on the first node, 6 on the second, 2 on the same node; two empty nodes are available at 20.
    assert_eq!(starts(&rows, &[2]), [0, 0, 0, 20, 21]);
}
