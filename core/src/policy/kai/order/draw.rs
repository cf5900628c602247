//! Seeded permutation of orders that upstream leaves undefined; see `nondeterminism.rs`.
//!
//! # Source
//! kai.md 11; the maps of Go since 1.24

use crate::kit::random::mixed;
use crate::policy::kai::order::nondeterminism::RandomOrder;
use crate::policy::kai::session::{Inputs, Session};
use crate::policy::kai::task::JobRef;

/// Slots of a map without hashing.
const SLOTS: usize = 8;

impl Inputs<'_> {
    /// Whether the order is permuted.
    pub fn draws(&self, order: RandomOrder) -> bool {
        self.config.seed.is_some() || self.probe.is_some_and(|probe| probe.is_of(order))
    }
}

impl Session<'_> {
    /// Permutes items like the iteration of a map; returns `false` without a seed. `slot` is an item's index in the
    /// order in which the map's `n_slots` items were inserted.
    pub fn draw<T>(&self, order: RandomOrder, items: &mut [T], n_slots: usize, slot: impl Fn(&T) -> usize) -> bool {
        let probe = self.inputs.probe.filter(|probe| probe.is_of(order)).map(|probe| probe.draw);
        let Some(seed) = probe.or(self.inputs.config.seed) else { return false };
        let start = mixed(mixed(seed, order as u64), self.state.tasks.len() as u64);
        let state = items.iter().fold(start, |state, item| mixed(state, slot(item) as u64));
        // Iteration skips empty slots, so most draws begin at the first item; probes make all beginnings equally likely
        // to find dependencies on the order.
        let first = state as usize % if probe.is_some() { n_slots.max(1) } else { SLOTS };
        let first = if first < n_slots { first } else { 0 };
        items.sort_by_cached_key(|item| match slot(item) {
            slot if n_slots > SLOTS => (mixed(state, slot as u64), 0),
            slot => (u64::from(slot < first), slot),
        });
        true
    }

    /// [`Self::draw`] for jobs of the session; a clone has the slot of its original.
    pub fn draw_jobs(&self, order: RandomOrder, jobs: &mut [JobRef]) -> bool {
        self.draw(order, jobs, self.inputs.facts.len(), |&job| self.job(job).uid.ix())
    }
}
