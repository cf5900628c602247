//! The loop: advance, hand over what happened, stop where asked.

use std::io::{BufWriter, IsTerminal, Write};

use fairground::sim::{CycleRecord, Simulation};
use fairground::time::Time;
use fairground::trace::{Event, Level};

use crate::args::{FailOn, Out, Run};
use crate::load::load;
use crate::progress::Progress;
use crate::translated::notes_as_json;
use crate::{End, Stop, lines, text};

/// A run that does not come to rest by itself is stopped after so many cycles, idle ones not counted.
const CYCLES_MAX: u32 = 1_000_000;

/// Who prints.
enum Printer {
    Text(text::Text),
    Lines(lines::Lines),
}

impl Printer {
    fn cycle(&mut self, out: &mut impl Write, at: &Simulation, record: &CycleRecord) -> std::io::Result<()> {
        match self {
            Printer::Text(text) => text.cycle(out, at, record),
            Printer::Lines(lines) => lines.cycle(out, at, record),
        }
    }
}

/// Runs a scenario.
pub fn run(args: &Run) -> Result<End, Stop> {
    let loaded = load(&args.file, args.policy.as_deref())?;
    let plan = loaded.checked.plan.ok_or(Stop::BadInput)?;
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(if args.why { Level::Decisive } else { Level::Outcomes });
    let mut printer = match args.out {
        Out::Text => Printer::Text(text::Text::new(args.why)),
        Out::Jsonl => Printer::Lines(lines::Lines::new(args.why)),
    };
    let stdout = std::io::stdout();
    let shares_terminal = stdout.is_terminal() && !args.summary_only;
    let mut out = BufWriter::new(stdout.lock());
    if let (Out::Jsonl, Some(notes)) = (args.out, &loaded.notes) {
        let to = plan.policy.name();
        writeln!(
            out,
            "{}",
            serde_json::json!({ "translated": { "policy": to, "notes": notes_as_json(notes) } })
        )?;
    }
    let mut progress = Progress::new(shares_terminal);
    let (mut n_done, mut n_run) = (0u64, 0u32);
    let n_jobs = plan.cluster.jobs.len() as f64;
    let by = Time::from_millis(args.until.unwrap_or(i64::MAX / 4));
    let mut record = Some(simulation.opening().clone());
    let mut why = "nothing further will happen";
    while let Some(now) = record {
        let ended = now
            .events
            .iter()
            .filter(|recorded| matches!(recorded.event, Event::JobDone { .. } | Event::JobEvicted { .. }));
        n_done += ended.count() as u64;
        if !args.summary_only {
            printer.cycle(&mut out, &simulation, &now)?;
        }
        let part = match (args.cycles, args.until) {
            (Some(cycles), _) => f64::from(simulation.cycle()) / f64::from(cycles.max(1)),
            (_, Some(until)) => simulation.now().as_seconds() * 1000.0 / until.max(1) as f64,
            _ => n_done as f64 / n_jobs,
        };
        progress.show(&simulation, n_done, part);
        n_run += 1;
        let mut stop = stops(args, &simulation, n_run);
        if stop.is_none() {
            // Idle cycles print nothing; the state is the same as if each had been run.
            simulation.skip_idle(args.cycles.unwrap_or(u32::MAX), by);
            stop = stops(args, &simulation, n_run);
        }
        if let Some(reason) = stop {
            why = reason;
            break;
        }
        record = simulation.advance();
    }
    progress.clear();
    let summary = simulation.summary();
    match &printer {
        Printer::Text(_) => text::summary(&mut out, &simulation, &summary, why)?,
        Printer::Lines(_) => lines::summary(&mut out, &simulation, &summary, why)?,
    }
    out.flush()?;
    let waits = simulation.cluster().live_jobs.iter().any(|&job| simulation.pod_counts(job).pending > 0);
    let fails = args.fail_on.iter().any(|what| match what {
        FailOn::Evicted => summary.all.evictions > 0,
        FailOn::Pending => waits,
        FailOn::Warning => loaded.n_warnings > 0,
    });
    Ok(if fails { End::FailOn } else { End::Ok })
}

/// Why the run stops here, if it does.
fn stops(args: &Run, simulation: &Simulation, n_run: u32) -> Option<&'static str> {
    let next = simulation.next_cycle_at();
    if args.cycles.is_some_and(|cycles| simulation.cycle() >= cycles) {
        return Some("as many cycles as asked for");
    }
    if let (Some(until), Some(next)) = (args.until, next)
        && next > Time::from_millis(until)
    {
        return Some("the moment asked for is reached");
    }
    if args.until.is_none() && args.cycles.is_none() && n_run > CYCLES_MAX {
        return Some("a million cycles without coming to rest; ask for more with --cycles or --until");
    }
    // Until a given moment, time passes even when nothing happens.
    (args.until.is_none() && args.cycles.is_none() && simulation.is_quiet())
        .then_some("nothing further will happen")
}
