//! Runs a scenario and prints its cycles.

use std::io::{BufWriter, IsTerminal, Write};
use std::sync::Arc;

use fairground::moment::{Names, csv};
use fairground::sim::{CycleRecord, Simulation, Stopped, Stops, drive};
use fairground::time::Time;
use fairground::trace::{Event, Ledger, Level};

use crate::args::{FailOn, Out, Run};
use crate::load::load;
use crate::progress::Progress;
use crate::translated::notes_as_json;
use crate::{End, Stop, lines, text};

/// Output format of a run.
enum Printer {
    Text(text::Text),
    Lines(lines::Lines),
    Csv(Csv),
}

/// Printer of events or queue series as CSV.
struct Csv {
    is_of_events: bool,
    before: Arc<Ledger>,
}

impl Csv {
    fn head(&self) -> &'static str {
        if self.is_of_events { csv::EVENTS_HEAD } else { csv::SERIES_HEAD }
    }

    fn cycle(&mut self, out: &mut impl Write, at: &Simulation, record: &CycleRecord) -> std::io::Result<()> {
        let lines = if self.is_of_events {
            csv::events(at.cluster(), record)
        } else {
            csv::series(at.cluster(), &self.before, record)
        };
        self.before = record.ledger.clone();
        out.write_all(lines.as_bytes())
    }
}

impl Printer {
    fn cycle(&mut self, out: &mut impl Write, at: &Simulation, record: &CycleRecord) -> std::io::Result<()> {
        match self {
            Printer::Text(text) => text.cycle(out, at, record),
            Printer::Lines(lines) => lines.cycle(out, at, record),
            Printer::Csv(table) => table.cycle(out, at, record),
        }
    }
}

/// Runs a scenario.
pub fn run(args: &Run) -> Result<End, Stop> {
    let loaded = load(&args.file, args.policy.as_deref())?;
    let plan = &loaded.plan;
    let mut simulation = Simulation::new(plan);
    simulation.set_level(if args.why { Level::Decisive } else { Level::Outcomes });
    let why = args.why.then(|| Arc::new(Names::of(plan.policy.key(), simulation.cluster())));
    let mut printer = match args.out {
        Out::Text => Printer::Text(text::Text::new(plan.policy.key(), why)),
        Out::Jsonl => Printer::Lines(lines::Lines::new(why)),
        Out::EventsCsv => Printer::Csv(Csv { is_of_events: true, before: Arc::default() }),
        Out::SeriesCsv => Printer::Csv(Csv { is_of_events: false, before: Arc::default() }),
    };
    let stdout = std::io::stdout();
    let shares_terminal = stdout.is_terminal() && !args.summary_only;
    let mut out = BufWriter::new(stdout.lock());
    if let (Out::Jsonl, Some(notes)) = (args.out, &loaded.notes) {
        let to = plan.policy.key();
        writeln!(out, "{}", serde_json::json!({ "translated": { "policy": to, "notes": notes_as_json(notes) } }))?;
    }
    if let Printer::Csv(table) = &printer {
        out.write_all(table.head().as_bytes())?;
    }
    let mut progress = Progress::new(shares_terminal);
    let mut n_done = 0u64;
    let n_jobs = plan.cluster.jobs.len() as f64;
    let stops = Stops { cycles: args.cycles, until: args.until.map(Time::from_millis) };
    let stopped = drive(&mut simulation, stops, |simulation, record| -> std::io::Result<()> {
        let ended = record
            .events
            .iter()
            .filter(|recorded| matches!(recorded.event, Event::JobDone { .. } | Event::JobEvicted { .. }));
        n_done += ended.count() as u64;
        if !args.summary_only {
            printer.cycle(&mut out, simulation, record)?;
        }
        let part = match (args.cycles, args.until) {
            (Some(cycles), _) => f64::from(simulation.cycle()) / f64::from(cycles.max(1)),
            (_, Some(until)) => simulation.now().as_seconds() * 1000.0 / until.max(1) as f64,
            _ => n_done as f64 / n_jobs,
        };
        progress.show(simulation, n_done, part);
        Ok(())
    })?;
    let stopped = stop_reason(stopped);
    progress.clear();
    let resource = simulation.cluster().contended_resource();
    let summary = simulation.summary_of(resource);
    match &printer {
        Printer::Text(_) => text::summary(&mut out, &simulation, &summary, resource, stopped)?,
        Printer::Lines(_) => lines::summary(&mut out, &simulation, &summary, resource, stopped)?,
        // A table has no summary row.
        Printer::Csv(_) => {}
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

/// Describes why the run ended.
fn stop_reason(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Quiet => "nothing further will happen",
        Stopped::Cycles => "the number of cycles was reached",
        Stopped::Until => "the time was reached",
        Stopped::CyclesMax => "a million cycles without an end; set more with --cycles or --until",
    }
}
