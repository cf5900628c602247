//! Times of the engine as a document: beside the published benchmarks of the real schedulers, and beside the project's
//! own targets.

pub mod document;
mod load;
mod machine;
mod openb;
mod own;
mod published;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use fairground::scenario::{Plan, load};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Event, Level};

/// What the decisions of a run were, so that no empty cycle is compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decided {
    starts: usize,
    /// Claims of room that is not free yet.
    claims: usize,
    evictions: usize,
}

impl Decided {
    fn add(&mut self, record: &CycleRecord) {
        for recorded in record.events.iter().skip(record.n_outside as usize) {
            match recorded.event {
                Event::Bound { .. } => self.starts += 1,
                Event::Claimed { .. } => self.claims += 1,
                Event::Evicted { .. } => self.evictions += 1,
                _ => {}
            }
        }
    }
}

impl std::fmt::Display for Decided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [(self.starts, "start"), (self.claims, "claim"), (self.evictions, "eviction")];
        let counted = parts.iter().filter(|(n, _)| *n > 0);
        let said: Vec<String> =
            counted.map(|(n, what)| format!("{} {what}{}", thousands(*n), if *n == 1 { "" } else { "s" })).collect();
        f.write_str(if said.is_empty() { "nothing" } else { "" })?;
        f.write_str(&said.join(", "))
    }
}

/// The plan of a scenario file.
fn plan(text: &str) -> Plan {
    let loaded = load(text, |scenario| scenario);
    loaded.plan.unwrap_or_else(|| panic!("the scenario is refused: {:?}", loaded.findings.first()))
}

/// A state that records events only.
fn open(plan: &Plan) -> Simulation {
    let mut simulation = Simulation::new(plan);
    simulation.set_level(Level::Outcomes);
    simulation
}

/// Runs at most so many cycles.
fn run(simulation: Simulation, cycles: u32) -> (Decided, Simulation) {
    let end = simulation.cycle().saturating_add(cycles);
    run_while(simulation, |_, cycle| cycle < end)
}

/// Runs cycles while the decisions and the number of the last cycle allow. Returns the state, too, whose disposal is
/// not timed.
fn run_while(mut simulation: Simulation, goes_on: impl Fn(&Decided, u32) -> bool) -> (Decided, Simulation) {
    let mut decided = Decided::default();
    while goes_on(&decided, simulation.cycle()) {
        let Some(record) = simulation.advance() else { break };
        decided.add(&record);
    }
    (decided, simulation)
}

/// Longest time of all runs of one figure, unless a single run takes longer.
const RUNS: Duration = Duration::from_secs(2);
const RUNS_MAX: usize = 15;

/// From here on the time of the processor counts where the system tells it: it does not contain the work of other
/// programs, but is too coarse for short runs.
const LONG: Duration = Duration::from_millis(20);

/// The median time of up to [`RUNS_MAX`] runs, and what the last returned. `prepare` is not timed.
fn median<S, T>(mut prepare: impl FnMut() -> S, mut run: impl FnMut(S) -> T) -> (Duration, T) {
    let start = Instant::now();
    let mut times = Vec::new();
    loop {
        let input = prepare();
        let (began, busy) = (Instant::now(), processor_time());
        let output = run(input);
        let (took, worked) = (began.elapsed(), busy.zip(processor_time()));
        let worked = worked.filter(|_| took > LONG).map(|(before, after)| after.saturating_sub(before));
        times.push(worked.unwrap_or(took));
        if times.len() == RUNS_MAX || start.elapsed() > RUNS {
            times.sort_unstable();
            return (times[times.len() / 2], output);
        }
    }
}

/// The time for which this thread has had a processor; `None`: the system does not tell.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// A folder of the data beside the repository, or what `FAIRGROUND_DATA` names.
fn data(folder: &str) -> PathBuf {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    std::env::var_os("FAIRGROUND_DATA").map_or(default, PathBuf::from).join(folder)
}

/// A time in milliseconds, with three digits.
fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match ms {
        0.0..1.0 => format!("{ms:.3}"),
        1.0..10.0 => format!("{ms:.2}"),
        10.0..100.0 => format!("{ms:.1}"),
        _ => thousands(ms.round() as usize),
    }
}

/// A number with a comma before each group of three digits.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
