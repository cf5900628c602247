//! A run that can be advanced cycle by cycle and moved back to any earlier cycle.
//!
//! # Rule
//! Every few cycles a copy of the simulation is kept, the *checkpoint*. An earlier cycle is reached by replay from the
//! latest checkpoint before it. Once the checkpoints exceed the budget, or are more than 64, their spacing doubles and
//! those in between are dropped; the opening state is always kept. Law: moving to a cycle gives the same state as
//! running there, digests included.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::explain::checks_of;
use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::policy::Monitor;
use crate::scenario::Plan;
use crate::time::Time;
use crate::trace::{Check, EXPLAINED_MAX, Level};

/// Initial distance between two checkpoints, in cycles.
const SPACING: u32 = 4;
/// Largest number of checkpoints.
const CHECKPOINTS_MAX: u64 = 64;
/// Largest total size of the checkpoints, in bytes.
const BUDGET: u64 = 256 << 20;
/// Largest number of cycles replayed by [`Timeline::after`].
const WAY_BACK_MAX: u32 = 256;
/// Largest number of cycles replayed by [`Timeline::event_checks`].
const REPLAYED_MAX: u32 = 16;
/// Below this number of pods a cycle takes no noticeable time.
const PODS_SMALL: usize = 2_000;

/// A run with its checkpoints.
#[derive(Clone, Debug)]
pub struct Timeline {
    present: Simulation,
    /// The record of the present cycle.
    record: CycleRecord,
    /// States by cycle, each with its record; the opening state is the first.
    checkpoints: BTreeMap<u32, (Simulation, CycleRecord)>,
    spacing: u32,
    budget: u64,
    /// The next cycle, if it was computed in advance.
    ahead: Option<(Simulation, CycleRecord)>,
    /// The cycle after which the run is quiet, once known.
    end: Option<u32>,
    monitor: Monitor,
    /// The cycle before an interrupted one, until the next move.
    before_interrupted: Option<u32>,
}

impl Timeline {
    /// Creates the opening state of a plan.
    pub fn new(plan: &Plan) -> Timeline {
        Timeline::with_budget(plan, BUDGET)
    }

    /// Creates the opening state of a plan with another budget for checkpoints, in bytes.
    pub fn with_budget(plan: &Plan, budget: u64) -> Timeline {
        let present = Simulation::new(plan);
        let record = present.opening().clone();
        let checkpoints = BTreeMap::from([(0, (present.clone(), record.clone()))]);
        Timeline {
            present,
            record,
            checkpoints,
            spacing: SPACING,
            budget,
            ahead: None,
            end: None,
            monitor: Monitor::default(),
            before_interrupted: None,
        }
    }

    /// Sets what watches further cycles and may interrupt them. [`Timeline::advance`] then restores an earlier cycle.
    pub fn set_monitor(&mut self, monitor: Monitor) {
        self.monitor = monitor;
    }

    /// The present cycle, or the one before the cycle that was interrupted.
    pub fn reached(&self) -> u32 {
        self.before_interrupted.unwrap_or_else(|| self.present.cycle())
    }

    /// The state at the present cycle.
    pub fn present(&self) -> &Simulation {
        &self.present
    }

    /// The record of the present cycle.
    pub fn record(&self) -> &CycleRecord {
        &self.record
    }

    /// Whether cycles are cheap enough to be computed speculatively.
    pub fn is_small(&self) -> bool {
        self.present.cluster().pods.len() < PODS_SMALL
    }

    /// The cycle after which the run is quiet; `None` until it has been reached.
    pub fn end(&self) -> Option<u32> {
        self.end
    }

    /// Advances one cycle, recorded at least at the given level; `false`: there is no next cycle.
    pub fn advance(&mut self, level: Level) -> bool {
        self.before_interrupted = None;
        self.record = match self.ahead.take() {
            Some((next, record)) => {
                self.present = next;
                record
            }
            None => {
                let before = self.present.cycle();
                self.present.set_level(level);
                self.present.set_monitor(self.monitor.clone());
                let record = self.present.advance();
                self.present.set_monitor(Monitor::default());
                let Some(record) = record else { return self.restore_interrupted(before) };
                record
            }
        };
        self.add_checkpoint();
        true
    }

    /// Restores a state if the cycle after `before` was interrupted; `false`: there is no such cycle.
    fn restore_interrupted(&mut self, before: u32) -> bool {
        let is_interrupted = self.monitor.is_interrupted();
        if is_interrupted {
            self.rewind(before + 1);
            self.before_interrupted = Some(before);
        }
        is_interrupted
    }

    /// Computes the next cycle of a small run in advance, recorded at level *decisive*.
    pub fn look_ahead(&mut self) {
        if self.ahead.is_some() || self.present.is_quiet() || !self.is_small() {
            return;
        }
        let mut next = self.present.clone();
        next.set_level(Level::Decisive);
        self.ahead = next.advance().map(|record| (next, record));
    }

    /// Takes a step towards a cycle, or towards the last one if the run ends before it; `false` once it is reached. The
    /// target is recorded at level *decisive*, if necessary by replaying it; the cycles before it are recorded at the
    /// given level.
    pub fn step_towards(&mut self, cycle: u32, level: Level) -> bool {
        let present = self.present.cycle();
        if self.present.is_quiet() {
            self.end = Some(present);
        }
        let cycle = self.end.map_or(cycle, |end| cycle.min(end));
        if present == cycle && (cycle == 0 || self.present.level() >= Level::Decisive) {
            return false;
        }
        if present >= cycle {
            self.rewind(cycle);
        }
        let is_last = self.present.cycle() + 1 >= cycle;
        cycle > 0 && self.advance(if is_last { Level::Decisive } else { level })
    }

    /// Takes a step towards a time; `false` once the next cycle is later.
    pub fn step_until(&mut self, time: Time, level: Level) -> bool {
        if self.present.now() > time {
            let before = self.checkpoints.iter().rev().find(|(_, (simulation, _))| simulation.now() <= time);
            self.rewind(before.map_or(0, |(cycle, _)| cycle + 1));
        }
        self.present.next_cycle_at().is_some_and(|next| next <= time) && !self.present.is_quiet() && self.advance(level)
    }

    /// Restores the latest checkpoint before a cycle, so that the cycle itself is replayed; for cycle 0 the opening
    /// state.
    fn rewind(&mut self, cycle: u32) {
        let before = self.checkpoints.range(..cycle.max(1)).next_back();
        let (_, checkpoint) = before.expect("the opening state is always kept");
        (self.present, self.record) = checkpoint.clone();
        (self.ahead, self.before_interrupted) = (None, None);
    }

    /// The state before the present cycle, see [`Timeline::after`]; `None` at the opening.
    pub fn before(&self) -> Option<Simulation> {
        self.after(self.present.cycle().checked_sub(1)?)
    }

    /// The state after a cycle; `None` if too many cycles, or large ones, would have to be replayed for it.
    pub fn after(&self, cycle: u32) -> Option<Simulation> {
        if self.is_small() { self.replayed(cycle, WAY_BACK_MAX) } else { None }
    }

    /// The decisive checks of an event of the present cycle, by its position. Those that were not kept are found by
    /// running the cycle again; there are none if more than a few cycles would have to be replayed for it.
    pub fn event_checks(&self, index: usize) -> Arc<[Check]> {
        let Some(recorded) = self.record.events.get(index) else { return Arc::default() };
        if self.record.events.len() <= EXPLAINED_MAX || !recorded.checks.is_empty() {
            return recorded.checks.clone();
        }
        let before = self.record.cycle.checked_sub(1).and_then(|cycle| self.replayed(cycle, REPLAYED_MAX));
        before.and_then(|before| checks_of(before, recorded.event)).unwrap_or_default()
    }

    /// The state after a cycle, unless more than so many cycles would have to be replayed for it.
    fn replayed(&self, cycle: u32, most: u32) -> Option<Simulation> {
        let (first, (simulation, _)) = self.checkpoints.range(..=cycle).next_back()?;
        if cycle - first > most {
            return None;
        }
        let mut after = simulation.clone();
        after.set_level(Level::Outcomes);
        while after.cycle() < cycle {
            after.advance()?;
        }
        Some(after)
    }

    /// Adds a checkpoint if one is due; drops others if there are too many.
    fn add_checkpoint(&mut self) {
        let cycle = self.present.cycle();
        if !cycle.is_multiple_of(self.spacing) || self.checkpoints.contains_key(&cycle) {
            return;
        }
        self.checkpoints.insert(cycle, (self.present.clone(), self.record.clone()));
        // Checkpoints are about equally large.
        let most = (self.budget / self.present.weight().max(1)).clamp(2, CHECKPOINTS_MAX);
        while self.checkpoints.len() as u64 > most {
            self.spacing *= 2;
            self.checkpoints.retain(|cycle, _| cycle.is_multiple_of(self.spacing));
        }
    }
}
