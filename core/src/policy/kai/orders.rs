//! Orders that upstream leaves to chance, and where they matter.
//!
//! # Rule
//! Upstream takes items out of hash maps, whose order is random. Without a seed the simulation takes them in the
//! canonical order. A seed permutes them instead: each registered order sorts its items by numbers mixed from the seed,
//! the order, all the items and the item. So the same seed gives the same run, and nothing depends on how often an order
//! was asked for.
//!
//! # Source
//! kai.md 11
//!
//! # Differs
//! N-1 (order of summation), N-4 (pods of a group) and N-5 (representatives of incomparable jobs) are not permuted;
//! N-10 and N-11 decide nothing

use super::session::Session;
use super::task::JobRef;
use crate::kit::sort;

/// A registered order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chance {
    /// N-2: in which jobs enter a queue tree; of queues that tie, places in it decide (N-3).
    Insertion = 2,
    /// N-6: of equally full devices of a node.
    Devices = 6,
    /// N-7: in which queues and jobs are asked for what they lose.
    Validator = 7,
    /// N-8: in which the nodes of the latest victim are emptied.
    Nodes = 8,
    /// N-9: which jobs a consolidation looks at when there are too many.
    Consolidation = 9,
}

impl Session<'_> {
    /// Permutes items that are in canonical order, if there is a seed; whether there is. Which items there are counts,
    /// so that two lists are not permuted alike.
    pub fn permute<T>(&self, chance: Chance, items: &mut [T], number: impl Fn(&T) -> u64) -> bool {
        let Some(seed) = self.config.seed else { return false };
        let start = mixed(seed, chance as u64);
        let state = items.iter().fold(start, |state, item| mixed(state, number(item)));
        sort::sort_by_key(items, |item| mixed(state, number(item)));
        true
    }

    /// The same for jobs; a clone stands where its job does.
    pub fn permute_jobs(&self, chance: Chance, jobs: &mut [JobRef]) -> bool {
        self.permute(chance, jobs, |&job| u64::from(self.job(job).uid.0))
    }
}

/// A number that looks random and is the same on every machine (the finishing steps of SplitMix64).
fn mixed(state: u64, number: u64) -> u64 {
    let mut x = (state ^ number.rotate_left(32)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
