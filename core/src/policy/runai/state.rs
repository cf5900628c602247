//! Queue states: in quota, over quota, over fairshare.
//!
//! # Rule
//! `in quota: a ≤ quota`, `over quota: quota < a ≤ fairshare`, `over fairshare: fairshare < a` and `quota < a`, for
//! each resource; the state of a queue is the worst of its resources.
//!
//! # Source
//! runai.md 5
//!
//! # Differs
//! RC-6: the worst of the resources.

use crate::policy::kai::number::{Quantities, UNLIMITED};

/// State of a queue, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FairshareState {
    /// Within the quota.
    InQuota,
    /// Above the quota, within the fairshare.
    OverQuota,
    /// Above both.
    OverFairshare,
}

impl FairshareState {
    /// Name of the state in the product.
    pub fn name(self) -> &'static str {
        match self {
            FairshareState::InQuota => "in-quota",
            FairshareState::OverQuota => "over-quota",
            FairshareState::OverFairshare => "over-fairshare",
        }
    }

    /// State for one resource; the quota may be `UNLIMITED`.
    pub fn of(allocated: f64, quota: f64, fairshare: f64) -> FairshareState {
        if quota == UNLIMITED || allocated <= quota {
            FairshareState::InQuota
        } else if allocated <= fairshare {
            FairshareState::OverQuota
        } else {
            FairshareState::OverFairshare
        }
    }

    /// State of a queue: the worst of its resources.
    pub fn worst(allocated: Quantities, quota: Quantities, fairshare: Quantities) -> FairshareState {
        let (a, q, f) = (allocated.to_array(), quota.to_array(), fairshare.to_array());
        let states = (0..3).map(|r| FairshareState::of(a[r], q[r], f[r]));
        states.fold(FairshareState::InQuota, FairshareState::max)
    }
}
