//! Share measure of dominant resource fairness.
//!
//! # Rule
//! `s = max over r of u(r) / (w(r) × R(r))`
//!
//! # Source
//! Ghodsi et al., NSDI 2011, Algorithm 1 and 4.3
//!
//! # Differs
//! nothing

use super::division::{divide, steps};
use super::rules::{BEST_FIT, DIVISION, LIMIT, SMALLEST_SHARE, SUBMIT_ORDER};
use crate::policy::filling::{Measure, Rules, Share};
use crate::trace::Quantity;

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
    quantity: Quantity::DominantShare,
    divide,
    steps,
};

/// Uses a single division of exact numbers per resource, so that rounding never separates equal shares.
fn share(of: Share<'_>) -> f64 {
    if of.weight.iter().all(|w| *w <= 0.0) {
        return f64::INFINITY;
    }
    let mut dominant = 0.0f64;
    for r in (0..3).filter(|&r| of.held[r] > 0 && of.total[r] > 0) {
        let w = of.weight[r];
        let s = if w > 0.0 { of.held[r] as f64 / (w * of.total[r] as f64) } else { f64::INFINITY };
        dominant = dominant.max(s);
    }
    dominant
}
