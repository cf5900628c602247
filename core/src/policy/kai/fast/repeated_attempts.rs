//! A shortcut: skips attempts that repeat a failed one.
//!
//! # Rule
//! The nodes of the latest victim's job are tried one after the other, and each attempt evicts all victims of the jobs with
//! a victim on the node. For a gang on many nodes these are often the same victims in the same order. A failed
//! attempt is rolled back, so another one with the same evictions fails as well.
//!
//! # Source
//! kai.md 6.5
//!
//! # Differs
//! nothing. Used only where a rollback restores every number ([`Session::is_whole`]) and no order is permuted; not where
//! all comparisons are recorded. After a committed eviction, when chunks may be outdated, only an attempt directly
//! after an equal one is skipped

use smallvec::SmallVec;

use crate::policy::kai::session::Session;
use crate::trace::Level;

/// The failed attempts of a hypothesis, by number; equal ones have the same number.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct FailedAttempts {
    numbers: SmallVec<[usize; 4]>,
}

impl FailedAttempts {
    /// Whether an attempt fails like an earlier one.
    pub fn includes(&self, s: &Session<'_>, number: usize) -> bool {
        let is_permuted = s.config.seed.is_some() || s.probe.is_some();
        s.is_whole && !is_permuted && s.notes.level < Level::Every && self.numbers.contains(&number)
    }

    /// Adds an attempt that failed or was skipped.
    pub fn add(&mut self, s: &Session<'_>, number: usize) {
        if !s.evicted.is_empty() {
            self.numbers.clear();
        }
        self.numbers.push(number);
    }
}
