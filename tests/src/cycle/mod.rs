//! Recordings of format `kai-cycle/1`: whole cycles of the real scheduler on small clusters.
//!
//! A case agrees if the whole trajectory, simulated from the input, makes the decisions of one recorded
//! outcome, and every later round, simulated from its recorded opening, does as well. Numbers of queues are
//! compared bit for bit if the recording found them to be exact.

pub(crate) mod compare;
pub(crate) mod decisions;
mod expected;
mod features;
pub(crate) mod format;
pub mod laws;
pub mod snapshot;

pub use format::Case;

use fairground::policy::kai::recorded::{CycleOutcome, Snapshot, run_cycle};
use fairground::trace::{Level, Trace};

use self::compare::{Difference, compare};
use self::format::Outcome;
use crate::report::Verdict;

/// A simulated round.
#[derive(Clone, Debug)]
struct Ran {
    opening: Snapshot,
    /// Outcome with new devices named as in the recording.
    outcome: CycleOutcome,
    /// Outcome with the names of the simulation.
    as_run: CycleOutcome,
}

/// Compares a case with its recording.
pub fn check(case: &Case) -> Verdict {
    if let Some(feature) = features::unbuilt(case) {
        return Verdict::NotBuilt(feature);
    }
    match judge(case) {
        Ok(()) if case.strict => Verdict::Equal,
        Ok(()) => Verdict::InSet,
        Err(says) => Verdict::Failed(says),
    }
}

/// Index of the recorded outcome that a seed gives; an error if none matches.
pub fn check_seeded(case: &Case, seed: u64) -> Result<usize, String> {
    let ran = trajectory(case, Some(seed))?;
    let mut furthest: Option<Difference> = None;
    for (i, outcome) in case.outcomes.iter().enumerate() {
        let Some(difference) = compare(case, &ran, outcome, 0)? else { return Ok(i) };
        if furthest.as_ref().is_none_or(|f| f.at() < difference.at()) {
            furthest = Some(difference);
        }
    }
    let furthest = furthest.ok_or("no outcomes")?;
    Err(format!("none of {} outcomes; nearest: {furthest}", case.outcomes.len()))
}

fn judge(case: &Case) -> Result<(), String> {
    let ran = trajectory(case, None)?;
    ran.iter().try_for_each(|ran| laws::hold(&ran.opening, &ran.as_run))?;
    let mut furthest: Option<Difference> = None;
    for outcome in case.accepted() {
        let Some(difference) = compare(case, &ran, outcome, 0)? else {
            for (round, recorded) in outcome.rounds.iter().enumerate().skip(1) {
                if let Some(difference) = reopened(case, outcome, recorded, round)? {
                    return Err(format!("from the recorded opening, {difference}"));
                }
            }
            return expected::check(case, &ran);
        };
        if furthest.as_ref().is_none_or(|f| f.at() < difference.at()) {
            furthest = Some(difference);
        }
    }
    let furthest = furthest.ok_or("no outcomes")?;
    match case.outcomes.len() {
        1 => Err(furthest.to_string()),
        n => Err(format!("none of {n} outcomes; nearest: {furthest}")),
    }
}

/// Simulates one later round from its recorded opening.
fn reopened(
    case: &Case,
    outcome: &Outcome,
    recorded: &format::Round,
    round: usize,
) -> Result<Option<Difference>, String> {
    let open = recorded.open.as_ref().ok_or_else(|| format!("round {round} has no opening"))?;
    let opening = snapshot::reopening(case, open, round)?;
    let as_run = run(&opening);
    laws::hold(&opening, &as_run)?;
    let ran = Ran { outcome: as_run.clone(), as_run, opening };
    compare(case, &[ran], outcome, round)
}

/// Simulates the recorded number of rounds, each from the end of the previous one.
fn trajectory(case: &Case, seed: Option<u64>) -> Result<Vec<Ran>, String> {
    let rounds = case.outcomes.iter().map(|o| o.rounds.len()).max().unwrap_or(0);
    let mut opening = snapshot::opening(case)?;
    opening.config.seed = seed;
    let mut ran = Vec::new();
    for round in 0..rounds {
        let as_run = run(&opening);
        let mut outcome = as_run.clone();
        snapshot::rename_new_devices(&opening, &mut outcome, round);
        let mut next = opening.clone();
        let invented = case.outcomes[0].rounds.get(round + 1).and_then(|r| r.open.as_ref());
        snapshot::write_back(case, &mut next, &outcome, invented)?;
        ran.push(Ran { opening, outcome, as_run });
        opening = next;
    }
    Ok(ran)
}

/// Openings of all simulated rounds of a case.
pub fn openings(case: &Case) -> Result<Vec<Snapshot>, String> {
    Ok(trajectory(case, None)?.into_iter().map(|ran| ran.opening).collect())
}

fn run(snapshot: &Snapshot) -> CycleOutcome {
    run_cycle(snapshot, &mut Trace::new(Level::Outcomes))
}
