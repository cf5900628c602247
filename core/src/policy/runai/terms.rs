//! Effective over-quota weight and limit of a queue.
//!
//! # Rule
//! | over-quota | weight | limit |
//! |---|---|---|
//! | none, or switched off | – | `min(limit, quota)`, per resource; an unlimited quota gives none |
//! | lowest | 0 | as given |
//! | low, medium, high | 1, 2, 3 | as given |
//! | a number | itself | as given |
//! | weights switched off | the quota, per resource | as given |
//!
//! A department's weight is its quota, unless departments share by weight.
//!
//! # Source
//! runai.md 4.2; run-ai/docs, projects, departments and the scheduler of the first node-pool versions
//!
//! # Differs
//! RC-2: a weight of 0 from a quota of 0 has the same effect as *lowest*.

use super::exact::Exact;

/// Over-quota of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverQuota {
    /// No over-quota.
    Off,
    Weight(Exact),
}

impl OverQuota {
    /// Levels by name.
    pub const LEVELS: [(&'static str, OverQuota); 5] = [
        ("none", OverQuota::Off),
        ("lowest", OverQuota::Weight(Exact::ZERO)),
        ("low", OverQuota::Weight(Exact::whole(1))),
        ("medium", OverQuota::Weight(Exact::whole(2))),
        ("high", OverQuota::Weight(Exact::whole(3))),
    ];

    /// Finds a level by name.
    pub fn named(name: &str) -> Option<OverQuota> {
        Self::LEVELS.iter().find(|(other, _)| *other == name).map(|(_, level)| *level)
    }

    /// Weight from millionths.
    pub fn millionths(n: i64) -> OverQuota {
        OverQuota::Weight(Exact::new(i128::from(n), 1_000_000).unwrap_or(Exact::ZERO))
    }

    /// Effective weight for a resource. By quota, an unlimited quota has weight 0, because it is satisfied before the
    /// division.
    pub fn weight(self, by_quota: bool, quota: Option<Exact>) -> Exact {
        match self {
            OverQuota::Off => Exact::ZERO,
            OverQuota::Weight(_) if by_quota => quota.unwrap_or(Exact::ZERO),
            OverQuota::Weight(weight) => weight,
        }
    }

    /// Effective limit for a resource.
    pub fn limit(self, quota: Option<Exact>, limit: Option<Exact>) -> Option<Exact> {
        match (self, quota, limit) {
            (OverQuota::Off, Some(quota), Some(limit)) => Some(quota.min(limit)),
            (OverQuota::Off, Some(quota), None) => Some(quota),
            _ => limit,
        }
    }
}

impl Default for OverQuota {
    /// *Medium*.
    fn default() -> OverQuota {
        OverQuota::Weight(Exact::whole(2))
    }
}
