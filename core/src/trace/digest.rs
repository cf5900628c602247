//! A 64-bit hash of a state: equal states have equal digests on every machine.
//!
//! # Rule
//! A hash of words `w1 … wn` starts from a fixed odd constant; each word is xored in, then the state is
//! multiplied by an odd constant and its halves are folded together (`h = (h ^ w) · K`, `h ^= h >> 32`).
//! Placements and phases enter as the sum of one hash per pod, so that a changed pod costs two additions instead of an
//! iteration over all pods. Rows of the ledger enter likewise, by the bit patterns of their numbers.

use super::ledger::LedgerRow;
use crate::cluster::{Phase, Pod};
use crate::id::PodId;
use crate::units::PerResource;

/// The state of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

impl Default for Digest {
    fn default() -> Self {
        Digest(SEED)
    }
}

impl Digest {
    /// Adds a word.
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR);
        self.0 ^= self.0 >> 32;
    }
    /// Returns the hash of all added words.
    pub fn finish(mut self) -> u64 {
        self.word(SEED);
        self.0
    }

    /// The hash of a pod's phase and place; 0 for [`Phase::Future`].
    pub fn of_pod(id: PodId, pod: &Pod) -> u64 {
        let (kind, a, b) = match pod.phase {
            Phase::Future => return 0,
            Phase::Pending => (1, 0, 0),
            Phase::Gated => (2, 0, 0),
            Phase::Starting { until } => (3, until.as_millis(), 0),
            Phase::Running { since, until } => {
                (4, since.as_millis(), until.map_or(i64::MIN, |until| until.as_millis()))
            }
            Phase::Terminating { until, .. } => (5, until.as_millis(), 0),
            Phase::Finished { at } => (6, at.as_millis(), 0),
            Phase::Removed { at } => (7, at.as_millis(), 0),
            Phase::Evicted { at } => (8, at.as_millis(), 0),
        };
        let mut digest = Digest::default();
        digest.word(u64::from(id.0) << 8 | kind);
        digest.word(a as u64);
        digest.word(b as u64);
        digest.word(pod.node.map_or(u64::MAX, |node| u64::from(node.0)));
        digest.word(pod.devices.0);
        digest.finish()
    }

    /// The hash of one row of a ledger.
    pub fn of_row(row: &LedgerRow) -> u64 {
        let mut digest = Digest::default();
        digest.word(u64::from(row.queue.0));
        for triple in [&row.allocated, &row.non_preemptible, &row.request, &row.quota, &row.limit] {
            digest.triple(triple);
        }
        match &row.fair_share {
            Some(fair_share) => digest.triple(fair_share),
            None => digest.word(u64::MAX),
        }
        if let Some(usage) = &row.usage {
            digest.triple(usage);
        }
        digest.finish()
    }

    /// The hash of a ledger's total.
    pub fn of_total(total: &PerResource<f64>) -> u64 {
        let mut digest = Digest::default();
        digest.triple(total);
        digest.finish()
    }

    fn triple(&mut self, values: &PerResource<f64>) {
        for value in [values.cpu, values.memory, values.gpu] {
            self.word(value.to_bits());
        }
    }
}
