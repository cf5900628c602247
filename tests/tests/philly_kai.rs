//! The Philly trace under KAI: a cycle at every arrival and completion, at least one second apart, audited after each.
//!
//! The whole run takes a minute or two when optimised, so other builds ignore it and run the first cycles only.

use fairground::cluster::{audit, audit_live};
use fairground::policy::{Policy, Rhythm, kai};
use fairground::sim::Simulation;
use fairground::time::Span;
use fairground::trace::Level;
use fairground_tests::philly;

/// Number of cycles in unoptimised builds.
const CYCLES: u32 = 1_500;
/// Memory limit of the process in kB.
const MEMORY_MAX_KB: u64 = 1 << 20;

#[test]
#[cfg_attr(not(philly), ignore = "no Philly trace beside the repository; FAIRGROUND_DATA names another place")]
fn nothing_is_lost_in_the_first_cycles() {
    nothing_is_lost(CYCLES);
}

#[test]
#[cfg_attr(not(philly), ignore = "no Philly trace beside the repository; FAIRGROUND_DATA names another place")]
#[cfg_attr(all(philly, debug_assertions), ignore = "takes an hour unless optimised: cargo test --release")]
fn nothing_is_lost_in_any_cycle() {
    nothing_is_lost(u32::MAX);
}

fn nothing_is_lost(cycles: u32) {
    let dir = philly::data().expect("the trace");
    let rhythm = Rhythm::OnChange { at_least: Span::from_seconds(1) };
    let plan = philly::plan(&dir, Policy::Kai(kai::config::Config::default()), rhythm);
    let started = std::time::Instant::now();
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Outcomes);
    let mut before = simulation.now();
    while simulation.cycle() < cycles && simulation.advance().is_some() {
        assert_eq!(audit_live(simulation.world()), vec![], "cycle {}", simulation.cycle());
        assert!(simulation.cycle() == 1 || (simulation.now() - before).as_millis() >= 1000);
        before = simulation.now();
    }
    assert_eq!(audit(simulation.world()), vec![]);
    let summary = simulation.summary();
    eprintln!(
        "{} cycles in {:.1?}: {} jobs done, mean wait {:.0} s, {} evictions, {:.0} GPU hours lost",
        summary.cycles,
        started.elapsed(),
        summary.all.jobs_done,
        summary.all.waits.mean_s,
        summary.all.evictions,
        summary.all.gpu_seconds_lost / 3600.0,
    );
    let memory_kb = most_memory_kb();
    eprintln!("most memory: {memory_kb:?} kB");
    assert!(memory_kb.is_none_or(|kb| kb <= MEMORY_MAX_KB));
    if cycles == u32::MAX {
        assert_eq!((summary.all.jobs_done, summary.all.jobs_unfinished), (38_322, 0));
        let work = summary.all.gpu_seconds_used - summary.all.gpu_seconds_lost;
        assert_eq!(work, philly::gpu_seconds(&plan), "what was held is the work of the jobs and what was lost");
    }
}

/// Peak memory of the process, if the system reports it.
fn most_memory_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
