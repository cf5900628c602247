//! Plain dominant resource fairness: the queue with the smallest dominant share is served first.
//!
//! # Rule
//! The dominant share of a queue is its largest weighted share of any resource: `s = max over r of u(r) / (w(r) ×
//! R(r))`, where `R` is the capacity of all nodes in CPU, memory and GPUs. The smallest is served first
//! ([`super::filling`]). Quotas and priorities do not enter; the default weight is 1. A queue with weight 0 for a
//! resource that it holds, or for all resources, comes after the others.
//!
//! # Source
//! A. Ghodsi, M. Zaharia, B. Hindman, A. Konwinski, S. Shenker, I. Stoica, *Dominant Resource Fairness: Fair Allocation
//! of Multiple Resource Types*, NSDI 2011, Algorithm 1 and 4.3
//!
//! # Differs
//! Queues form a tree: shares are compared level by level, each against the whole cluster.

mod describe;
mod division;
mod rules;

use division::{divide, steps};
use rules::RULES;

use super::description::Description;
use super::filling::{Filling, Measure, Share, Variant};
use crate::trace::Quantity;

/// The scheduler.
pub type Drf = Filling<DrfVariant>;

/// What distinguishes dominant resource fairness from other policies with progressive filling.
#[derive(Clone, Debug, PartialEq)]
pub struct DrfVariant;

impl Variant for DrfVariant {
    const DESCRIPTION: &'static Description = &describe::DESCRIPTION;
    const MEASURE: &'static Measure =
        &Measure { rules: RULES, share, quantity: Quantity::DominantShare, divide, steps };
}

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
