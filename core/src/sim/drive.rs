//! Runs a simulation until a stop condition holds, skipping idle cycles.
//!
//! The runner and the tests of recordings share this loop.

use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::time::Time;

/// Upper bound on the cycles of a run that never becomes quiet; idle cycles are not counted.
pub const CYCLES_MAX: u32 = 1_000_000;

/// Limits of a run that may end it before it becomes quiet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stops {
    /// After this many cycles.
    pub cycles: Option<u32>,
    /// After the last cycle up to this time.
    pub until: Option<Time>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The run is quiet: nothing further can happen.
    Quiet,
    /// [`Stops::cycles`].
    Cycles,
    /// [`Stops::until`].
    Until,
    CyclesMax,
}

/// Advances the simulation until it stops; passes the opening and every cycle that is not idle to `visit`.
///
/// # Errors
/// The first error of `visit` ends the run.
pub fn drive<E>(
    simulation: &mut Simulation,
    stops: Stops,
    mut visit: impl FnMut(&Simulation, &CycleRecord) -> Result<(), E>,
) -> Result<Stopped, E> {
    let until = stops.until.unwrap_or(Time::from_millis(i64::MAX / 4));
    let mut n_run = 0;
    let mut record = Some(simulation.opening().clone());
    while let Some(now) = record {
        visit(simulation, &now)?;
        n_run += 1;
        let mut stopped = stops.reached(simulation, n_run);
        if stopped.is_none() {
            // Skipping leaves the same state as running every idle cycle.
            simulation.skip_idle(stops.cycles.unwrap_or(u32::MAX), until);
            stopped = stops.reached(simulation, n_run);
        }
        if let Some(stopped) = stopped {
            return Ok(stopped);
        }
        record = simulation.advance();
    }
    Ok(Stopped::Quiet)
}

impl Stops {
    fn reached(&self, simulation: &Simulation, n_run: u32) -> Option<Stopped> {
        if self.cycles.is_some_and(|cycles| simulation.cycle() >= cycles) {
            return Some(Stopped::Cycles);
        }
        let next = simulation.next_cycle_at();
        if self.until.zip(next).is_some_and(|(until, next)| next > until) {
            return Some(Stopped::Until);
        }
        // With a limit, time passes up to it even if nothing happens.
        if self.until.is_some() || self.cycles.is_some() {
            return None;
        }
        if n_run > CYCLES_MAX {
            return Some(Stopped::CyclesMax);
        }
        simulation.is_quiet().then_some(Stopped::Quiet)
    }
}
