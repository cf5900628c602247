//! Explains why a job waits, or what happened to it.

use std::io::Write;
use std::sync::Arc;

use fairground::id::JobId;
use fairground::moment::{self, Frame, JobRow, Names};
use fairground::scenario::{Plan, Scenario};
use fairground::sim::{Simulation, Stops, drive};
use fairground::suggestions;
use fairground::time::{Span, Time};
use fairground::trace::Level;
use fairground::words;

use crate::args::Why;
use crate::load::load;
use crate::messages::{eprint_line, shown};
use crate::text::clock;
use crate::{End, Stop};

/// Largest number of cycles, without idle ones, that are searched for the last one of a job.
const CYCLES_MAX: u32 = 1_000;

/// Runs a scenario to a moment and prints the explanation of a job.
pub fn why(args: &Why) -> Result<End, Stop> {
    let loaded = load(&args.file, args.policy.as_deref())?;
    let plan = &loaded.plan;
    let names = Arc::new(Names::of(plan.policy.key(), &plan.cluster));
    let Some(job) = names.find(&args.job) else {
        eprint_line(&format!("fairground: {}: no job is called {:?}", shown(&args.file), args.job));
        return Err(Stop::BadInput);
    };
    let moment = match args.at {
        Some(at) => Moment { cycle: u32::MAX, time: Time::from_millis(at) },
        None => Moment { cycle: last_cycle_of(plan, job), time: FAR },
    };
    let frame = frame_at(plan, &names, moment);
    let mut out = std::io::stdout().lock();
    let Some(frame) = frame else {
        writeln!(out, "{}: the scenario has no cycle", args.job)?;
        return Ok(End::Ok);
    };
    writeln!(out, "{}, cycle {}, {}", args.job, frame.cycle, clock(Time::from_millis(frame.time_ms)))?;
    let explanation = words::of_job(&frame, &args.job);
    for line in explanation.lines().into_iter().chain(explanation.details()) {
        writeln!(out, "{line}")?;
    }
    for line in helps(&loaded.scenario, &frame, &args.job) {
        writeln!(out, "{line}")?;
    }
    Ok(End::Ok)
}

/// What would help the job if it waits: changes from the start with which it starts earlier.
fn helps(scenario: &Scenario, frame: &Frame, job: &str) -> Vec<String> {
    let waits = |row: &&JobRow| row.name == job && (row.pending > 0 || row.leaving > 0);
    let Some(row) = frame.jobs.iter().find(waits) else { return Vec::new() };
    let has_part = row.running > 0;
    let (ideas, tried) = suggestions::tried(scenario, frame, job);
    let offers = tried.as_ref().map_or_else(Vec::new, |tried| tried.offers(&ideas, |idea| idea));
    let compared = suggestions::compared(tried.as_ref(), has_part, offers.len(), &scenario.policy);
    let mut lines = vec![format!("What would help: {compared}")];
    for (idea, outcome) in offers {
        let says = tried.as_ref().map(|tried| suggestions::outcome(tried, outcome, has_part, &scenario.policy));
        let label = suggestions::label(idea, &scenario.policy);
        lines.push(format!("  {label}: {}", says.unwrap_or_default()));
    }
    lines
}

/// The last cycle in which a job waits or runs, or the one in which it ends.
fn last_cycle_of(plan: &Plan, job: JobId) -> u32 {
    let mut last = 1;
    let mut was_live = false;
    let mut n_left = CYCLES_MAX;
    let mut simulation = Simulation::new(plan);
    // A run without an end is explained at the last cycle that is searched.
    let _ = drive(&mut simulation, Stops::default(), |simulation, record| {
        let is_live = simulation.cluster().live_jobs.contains(&job);
        if is_live || was_live {
            last = record.cycle;
        }
        was_live = is_live;
        n_left -= 1;
        if n_left > 0 { Ok(()) } else { Err(()) }
    });
    last
}

/// The first cycle with this number or at this time.
#[derive(Clone, Copy)]
struct Moment {
    cycle: u32,
    time: Time,
}

/// A time after all cycles.
const FAR: Time = Time::from_millis(i64::MAX / 4);

/// The frame of a moment, else of the last cycle.
fn frame_at(plan: &Plan, names: &Arc<Names>, Moment { cycle, time }: Moment) -> Option<Frame> {
    let mut simulation = Simulation::new(plan);
    simulation.set_level(Level::Decisive);
    let mut last = None;
    while let Some(record) = simulation.advance() {
        let is_found = record.cycle >= cycle || record.time >= time;
        last = Some(record);
        if is_found {
            break;
        }
        // Skipping leaves the same state as running every idle cycle.
        simulation.skip_idle(cycle - 1, time - Span::from_millis(1));
    }
    last.map(|record| moment::frame(names, &simulation, &record))
}
