//! A run and its past: one cycle after the other, and back to any of them.
//!
//! # Rule
//! Every few cycles a copy of the simulation is kept, the *checkpoint*. To go back, the latest checkpoint before a cycle is
//! taken and run again from there. Once the checkpoints weigh more than the budget, or are more than 64, the distance between
//! them doubles and those in between are dropped; the opening state always stays.
//! Law: going to a cycle equals having run there, digests included.

use std::collections::BTreeMap;

use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::scenario::Plan;
use crate::time::Time;
use crate::trace::Level;

/// Distance of two checkpoints at first, in cycles.
const SPACING: u32 = 4;
/// Most checkpoints.
const CHECKPOINTS_MAX: u64 = 64;
/// What all checkpoints may weigh, in bytes.
const BUDGET: u64 = 256 << 20;
/// Most cycles that are run again to come to the state before one.
const WAY_BACK_MAX: u32 = 256;
/// Below so many pods a cycle takes so little time that no visitor waits for one.
const PODS_SMALL: usize = 2_000;

/// A run with its past.
#[derive(Clone, Debug)]
pub struct Timeline {
    present: Simulation,
    /// Of the present cycle.
    record: CycleRecord,
    /// By cycle, each with its record; the opening state is the first.
    checkpoints: BTreeMap<u32, (Simulation, CycleRecord)>,
    spacing: u32,
    budget: u64,
    /// The next cycle, if it was computed before it is asked for.
    ahead: Option<(Simulation, CycleRecord)>,
    /// The cycle after which nothing will ever happen, once known.
    end: Option<u32>,
}

impl Timeline {
    /// The opening state of a plan.
    pub fn new(plan: &Plan) -> Timeline {
        Timeline::with_budget(plan, BUDGET)
    }

    /// The same, with another budget for checkpoints, in bytes.
    pub fn with_budget(plan: &Plan, budget: u64) -> Timeline {
        let present = Simulation::new(plan);
        let record = present.opening().clone();
        let checkpoints = BTreeMap::from([(0, (present.clone(), record.clone()))]);
        Timeline { present, record, checkpoints, spacing: SPACING, budget, ahead: None, end: None }
    }

    /// The state at the present cycle.
    pub fn present(&self) -> &Simulation {
        &self.present
    }

    /// The record of the present cycle.
    pub fn record(&self) -> &CycleRecord {
        &self.record
    }

    /// Whether a cycle takes so little time that it may be computed in vain.
    pub fn is_small(&self) -> bool {
        self.present.cluster().pods.len() < PODS_SMALL
    }

    /// The cycle after which nothing will ever happen, once it has been reached.
    pub fn end(&self) -> Option<u32> {
        self.end
    }

    /// One cycle on, recorded at least at a level; `false`: there is none.
    pub fn advance(&mut self, level: Level) -> bool {
        self.record = match self.ahead.take() {
            Some((next, record)) => {
                self.present = next;
                record
            }
            None => {
                self.present.set_level(level);
                let Some(record) = self.present.advance() else { return false };
                record
            }
        };
        self.keep();
        true
    }

    /// Computes the next cycle of a small run before it is asked for, with all reasons.
    pub fn look_ahead(&mut self) {
        if self.ahead.is_some() || self.present.is_quiet() || !self.is_small() {
            return;
        }
        let mut next = self.present.clone();
        next.set_level(Level::Decisive);
        self.ahead = next.advance().map(|record| (next, record));
    }

    /// Takes a step towards a cycle, or the last one if the run ends before; `false` once it is there. Of that cycle all
    /// reasons are recorded, for which it is run again if need be; of those on the way, what the level says.
    pub fn step_towards(&mut self, cycle: u32, on_the_way: Level) -> bool {
        let here = self.present.cycle();
        if self.present.is_quiet() {
            self.end = Some(here);
        }
        let cycle = self.end.map_or(cycle, |end| cycle.min(end));
        if here == cycle && (cycle == 0 || self.present.level() >= Level::Decisive) {
            return false;
        }
        if here >= cycle {
            self.rewind(cycle);
        }
        let is_last = self.present.cycle() + 1 >= cycle;
        cycle > 0 && self.advance(if is_last { Level::Decisive } else { on_the_way })
    }

    /// Takes a step towards a moment; `false` once the next cycle lies beyond it.
    pub fn step_until(&mut self, time: Time, on_the_way: Level) -> bool {
        if self.present.now() > time {
            let before = self.checkpoints.iter().rev().find(|(_, (kept, _))| kept.now() <= time);
            self.rewind(before.map_or(0, |(cycle, _)| cycle + 1));
        }
        self.present.next_cycle_at().is_some_and(|at| at <= time)
            && !self.present.is_quiet()
            && self.advance(on_the_way)
    }

    /// Takes the latest checkpoint before a cycle, so that the cycle itself is run again; the opening state if there is none.
    fn rewind(&mut self, cycle: u32) {
        let before = self.checkpoints.range(..cycle.max(1)).next_back();
        let (_, kept) = before.expect("the opening state is always kept");
        (self.present, self.record) = kept.clone();
        self.ahead = None;
    }

    /// The state before the present cycle, as [`Timeline::after`] finds it; `None` at the opening.
    pub fn before(&self) -> Option<Simulation> {
        self.after(self.present.cycle().checked_sub(1)?)
    }

    /// The state after a cycle; `None` where many cycles would have to be run again for it, or large ones.
    pub fn after(&self, cycle: u32) -> Option<Simulation> {
        let (from, (kept, _)) = self.checkpoints.range(..=cycle).next_back()?;
        if !self.is_small() || cycle - from > WAY_BACK_MAX {
            return None;
        }
        let mut after = kept.clone();
        after.set_level(Level::Outcomes);
        while after.cycle() < cycle {
            after.advance()?;
        }
        Some(after)
    }

    /// Keeps the present state if it is time; drops others if they are too many.
    fn keep(&mut self) {
        let cycle = self.present.cycle();
        if !cycle.is_multiple_of(self.spacing) || self.checkpoints.contains_key(&cycle) {
            return;
        }
        self.checkpoints.insert(cycle, (self.present.clone(), self.record.clone()));
        // They weigh about the same, so that one stands for all.
        let most = (self.budget / self.present.weight().max(1)).clamp(2, CHECKPOINTS_MAX);
        while self.checkpoints.len() as u64 > most {
            self.spacing *= 2;
            self.checkpoints.retain(|cycle, _| cycle.is_multiple_of(self.spacing));
        }
    }
}
