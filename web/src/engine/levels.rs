//! Amounts held by every queue: a step at each change, thinned as the run grows.

use std::sync::Arc;

use fairground::cluster::ClusterState;
use fairground::id::Id;
use fairground::moment::{amounts, bounds, capacity, sums};
use fairground::sim::CycleRecord;
use fairground::trace::Ledger;

use super::protocol::Amounts;
use super::report::Level;

/// Largest number of steps of all queues together.
const STEPS_MAX: usize = 60_000;

#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// By queue, each ordered by cycle.
    pub queues: Vec<Vec<Level>>,
    /// Total capacity, from a cycle on.
    pub totals: Vec<(u32, Amounts)>,
    /// Cycles between two possible steps.
    pub stride: u32,
    n_steps: usize,
    latest: Arc<Ledger>,
}

impl Levels {
    /// Adds the next cycle.
    pub fn push(&mut self, world: &ClusterState, record: &CycleRecord) {
        self.stride = self.stride.max(1);
        let is_first = self.queues.is_empty();
        // A policy may not count the scenario's named resources.
        let counts_all = world.cluster().named.is_empty();
        if !is_first && counts_all && Arc::ptr_eq(&self.latest, &record.ledger) {
            return;
        }
        self.latest = record.ledger.clone();
        // A change between two steps takes effect at the next one.
        let cycle = record.cycle.div_ceil(self.stride) * self.stride;
        let total = amounts(&record.ledger.total, &capacity(world.cluster(), None));
        if self.totals.last().is_none_or(|last| last.1 != total) {
            self.totals.push((cycle, total));
        }
        self.queues.resize(record.ledger.rows.len().max(self.queues.len()), Vec::new());
        for row in &record.ledger.rows {
            let [allocated, _, request] = sums(world, row.queue);
            let level = Level {
                cycle,
                allocated: amounts(&row.allocated, &allocated),
                request: amounts(&row.request, &request),
                fair_share: row.fair_share.as_ref().map(bounds),
                quota: bounds(&row.quota),
                usage: row.usage.map(|of| [of.cpu, of.memory, of.gpu]),
            };
            self.n_steps += usize::from(put(&mut self.queues[row.queue.index()], level));
        }
        while self.n_steps > STEPS_MAX.max(2 * self.queues.len()) {
            self.thin();
        }
    }

    fn thin(&mut self) {
        self.stride *= 2;
        let stride = self.stride;
        self.n_steps = 0;
        for steps in &mut self.queues {
            for level in std::mem::take(steps) {
                put(steps, Level { cycle: level.cycle.div_ceil(stride) * stride, ..level });
            }
            self.n_steps += steps.len();
        }
    }
}

/// Adds a level unless it changes nothing; a level of the same cycle is replaced. Returns whether there is one more.
fn put(steps: &mut Vec<Level>, level: Level) -> bool {
    match steps.last_mut() {
        Some(last) if same(last, &level) => false,
        Some(last) if last.cycle == level.cycle => {
            *last = level;
            false
        }
        _ => {
            steps.push(level);
            true
        }
    }
}

fn same(a: &Level, b: &Level) -> bool {
    a.allocated == b.allocated
        && a.request == b.request
        && (a.fair_share, a.quota, a.usage) == (b.fair_share, b.quota, b.usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(cycle: u32, gpus: f64) -> Level {
        Level { cycle, allocated: [0.0, 0.0, gpus].into(), ..Level::default() }
    }

    #[test]
    fn thinning_keeps_what_held_at_the_cycles_that_stay() {
        let held = |cycle: u32| f64::from(cycle * 7 % 5);
        let mut levels = Levels { stride: 1, queues: vec![Vec::new()], ..Levels::default() };
        for cycle in 0..40 {
            put(&mut levels.queues[0], level(cycle, held(cycle)));
        }
        levels.thin();
        levels.thin();
        assert_eq!(levels.stride, 4);
        for cycle in (0..40).step_by(4) {
            let at = levels.queues[0].partition_point(|level| level.cycle <= cycle) - 1;
            assert_eq!(levels.queues[0][at].allocated[2], held(cycle), "cycle {cycle}");
        }
        assert!(levels.queues[0].len() <= 11);
    }
}
