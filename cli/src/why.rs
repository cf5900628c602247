//! Explains why a job waits, or what happened to it.

use std::io::Write;
use std::sync::Arc;

use fairground::moment::{self, Names};
use fairground::sim::Simulation;
use fairground::time::Time;
use fairground::trace::Level;
use fairground::words;

use crate::args::Why;
use crate::load::load;
use crate::messages::{eprint_line, shown};
use crate::text::clock;
use crate::{End, Stop};

/// Runs a scenario to a moment and prints the explanation of a job.
pub fn why(args: &Why) -> Result<End, Stop> {
    let loaded = load(&args.file, args.policy.as_deref())?;
    let mut simulation = Simulation::new(&loaded.plan);
    simulation.set_level(Level::Decisive);
    let Some(job) = simulation.cluster().jobs.values().find(|job| *job.name == *args.job) else {
        eprint_line(&format!("fairground: {}: no job is called {:?}", shown(&args.file), args.job));
        return Err(Stop::BadInput);
    };
    let at = args.at.map_or(job.submit, Time::from_millis);
    let names = Arc::new(Names::of(loaded.plan.policy.key(), simulation.cluster()));
    let mut last = None;
    while let Some(record) = simulation.advance() {
        let is_there = record.time >= at;
        last = Some(record);
        if is_there {
            break;
        }
    }
    let mut out = std::io::stdout().lock();
    let Some(record) = last else {
        writeln!(out, "{}: the scenario has no cycle", args.job)?;
        return Ok(End::Ok);
    };
    writeln!(out, "{}, cycle {}, {}", args.job, record.cycle, clock(record.time))?;
    for line in words::of_job(&moment::frame(&names, &simulation, &record), &args.job).lines() {
        writeln!(out, "{line}")?;
    }
    Ok(End::Ok)
}
