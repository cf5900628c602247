//! Share measure of max-min fairness.
//!
//! # Rule
//! `s = u / w`
//!
//! # Source
//! Bertsekas, Gallager, *Data Networks*, 6.5.2
//!
//! # Differs
//! nothing

use super::division::{divide, steps};
use super::rules::{BEST_FIT, DIVISION, LIMIT, SMALLEST_SHARE, SUBMIT_ORDER};
use crate::policy::filling::{Measure, Rules, Share};
use crate::trace::Quantity;
use crate::units::{Amount, Resource};

/// Share, division and rules of the policy.
pub const MEASURE: Measure = Measure {
    rules: Rules {
        smallest_share: SMALLEST_SHARE,
        submit_order: SUBMIT_ORDER,
        limit: LIMIT,
        best_fit: BEST_FIT,
        division: DIVISION,
    },
    share,
    quantity: Quantity::Saturation,
    divide,
    steps,
};

fn share(of: Share<'_>) -> f64 {
    let has_gpus = of.total[Resource::GPU.index()] > 0;
    let r = if has_gpus { Resource::GPU } else { Resource::CPU };
    let (u, w) = (Amount::base_units(of.held[r.index()]).in_policy_units(r), of.weight[r.index()]);
    if w > 0.0 { u / w } else { f64::INFINITY }
}
