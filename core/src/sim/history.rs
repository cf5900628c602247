//! Time travel: copies now and then, and running again for everything between.
//!
//! # Rule
//! A copy (*keyframe*) is taken every 64 cycles, or when 8 MB have changed since the last one. When the copies weigh more than the
//! budget (256 MB), every second one is dropped and the distance doubles. To go to a cycle, the nearest copy at or before
//! it is resumed and advanced, recording outcomes only. Law: this equals having gone there straight away,
//! digests included.

use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::explain::{Explanation, explain};
use super::record::CycleRecord;
use super::simulation::Simulation;
use crate::scenario::Plan;
use crate::trace::Level;

/// Distance of two keyframes at first, in cycles.
const SPACING: u32 = 64;
/// After so much change a keyframe is taken sooner, in bytes.
const CHANGE: u64 = 8 << 20;
/// What all keyframes may weigh, in bytes.
pub const BUDGET: u64 = 256 << 20;

/// A run with its past.
#[derive(Clone, Debug)]
pub struct History {
    /// Ascending; the first is the opening state.
    keyframes: Vec<Arc<Checkpoint>>,
    present: Simulation,
    spacing: u32,
    budget: u64,
    furthest: u32,
    /// The cycle after which nothing will ever happen, once known.
    last: Option<u32>,
}

impl History {
    /// The opening state of a plan.
    pub fn new(plan: &Plan) -> History {
        History::with_budget(plan, BUDGET)
    }

    /// The same, with another budget for keyframes, in bytes.
    pub fn with_budget(plan: &Plan, budget: u64) -> History {
        let present = Simulation::new(plan);
        let keyframes = vec![Arc::new(present.checkpoint())];
        History { keyframes, present, spacing: SPACING, budget, furthest: 0, last: None }
    }

    /// The state at the present cycle.
    pub fn present(&self) -> &Simulation {
        &self.present
    }
    /// The furthest cycle computed so far.
    pub fn furthest(&self) -> u32 {
        self.furthest
    }
    /// The cycle after which nothing will ever happen, once it has been reached.
    pub fn last(&self) -> Option<u32> {
        self.last
    }
    /// How many keyframes are kept.
    pub fn n_keyframes(&self) -> usize {
        self.keyframes.len()
    }
    /// How much the records of further cycles hold.
    pub fn set_level(&mut self, level: Level) {
        self.present.set_level(level);
    }

    /// One cycle on from the present one.
    pub fn advance(&mut self) -> Option<CycleRecord> {
        let record = self.present.advance();
        if record.is_none() {
            self.last = Some(self.present.cycle());
        }
        self.furthest = self.furthest.max(self.present.cycle());
        self.keep();
        record
    }

    /// Goes to a cycle, or to the last one if the run ends before it. Gives the record of the cycle it is at
    /// then, with everything the present level records.
    pub fn seek(&mut self, cycle: u32) -> CycleRecord {
        let level = self.present.level();
        let mut last = None;
        let cycle = self.last.map_or(cycle, |last| cycle.min(last));
        if cycle > 0 {
            while !self.approach(cycle - 1, u32::MAX) {}
            self.present.set_level(level);
            last = self.advance();
            if last.is_none() && self.present.cycle() > 0 {
                // The run ended before that cycle.
                return self.seek(self.present.cycle());
            }
        } else {
            self.resume(0);
        }
        self.present.set_level(level);
        last.unwrap_or_else(|| self.present.opening().clone())
    }

    /// Goes towards a cycle for at most so many cycles, recording outcomes only; `true` once it is there or the
    /// run has ended. So a long way can be gone in slices.
    pub fn approach(&mut self, cycle: u32, most: u32) -> bool {
        let level = self.present.level();
        let here = self.present.cycle();
        let nearest = self.nearest(cycle);
        if cycle < here || nearest > here {
            self.resume(cycle);
        }
        self.present.set_level(Level::Outcomes);
        let mut ended = false;
        for _ in 0..most {
            if self.present.cycle() >= cycle || ended {
                break;
            }
            ended = self.advance().is_none();
        }
        self.present.set_level(level);
        ended || self.present.cycle() >= cycle
    }

    /// Every comparison of a cycle, by running it again. `None`: the run ends before it, or it is cycle 0.
    pub fn explain(&mut self, cycle: u32) -> Option<Explanation> {
        let here = self.present.cycle();
        let reached = cycle > 0 && self.approach(cycle - 1, u32::MAX) && self.present.cycle() == cycle - 1;
        let explanation = if reached { explain(&self.present, Level::Every) } else { None };
        self.approach(here, u32::MAX);
        explanation
    }

    /// The cycle of the nearest keyframe at or before a cycle.
    fn nearest(&self, cycle: u32) -> u32 {
        self.keyframes[self.nearest_at(cycle)].cycle()
    }

    fn nearest_at(&self, cycle: u32) -> usize {
        self.keyframes.partition_point(|keyframe| keyframe.cycle() <= cycle).max(1) - 1
    }

    fn resume(&mut self, cycle: u32) {
        let level = self.present.level();
        self.present = Simulation::resume(&self.keyframes[self.nearest_at(cycle)]);
        self.present.set_level(level);
    }

    /// Takes a keyframe if it is time for one, and drops others if they weigh too much.
    fn keep(&mut self) {
        let newest = self.keyframes.last().expect("the opening state is always kept");
        let cycles = self.present.cycle().saturating_sub(newest.cycle());
        let changed = self.present.state.changed_bytes().saturating_sub(newest.changed_bytes());
        if cycles < self.spacing && (cycles == 0 || changed < CHANGE) {
            return;
        }
        self.keyframes.push(Arc::new(self.present.checkpoint()));
        let weight: u64 = self.keyframes.iter().map(|keyframe| keyframe.weight()).sum();
        if weight > self.budget && self.keyframes.len() > 2 {
            let mut position = 0;
            self.keyframes.retain(|_| {
                position += 1;
                position % 2 == 1
            });
            self.spacing = self.spacing.saturating_mul(2);
        }
    }
}
