//! Plain dominant resource fairness: the queue with the smallest dominant share is served first.
//!
//! # Rule
//! The dominant share of a queue is its largest weighted share of any resource:
//! `s = max over r of u(r) / (w(r) × R(r))`, where `R` is the capacity of all nodes in CPU, memory and GPUs. The smallest is
//! served first ([`super::filling`]). Quotas and priorities do not enter; the default weight is 1. A queue with weight 0
//! for a resource that it holds, or for all resources, comes after the others.
//!
//! # Source
//! A. Ghodsi, M. Zaharia, B. Hindman, A. Konwinski, S. Shenker, I. Stoica, *Dominant Resource Fairness: Fair Allocation of
//! Multiple Resource Types*, NSDI 2011, Algorithm 1 and 4.3
//!
//! # Differs
//! Queues form a tree: shares are compared level by level, each against the whole cluster.

mod describe;
mod division;
mod measure;
mod rules;

use super::description::Description;
use super::filling::{Filling, Measure, Variant};

/// The scheduler.
pub type Drf = Filling<DrfVariant>;

/// What distinguishes dominant resource fairness from other policies with progressive filling.
#[derive(Clone, Debug, PartialEq)]
pub struct DrfVariant;

impl Variant for DrfVariant {
    const DESCRIPTION: &'static Description = &describe::DESCRIPTION;
    const MEASURE: &'static Measure = &measure::MEASURE;
}
