//! The parameters in which policies with progressive filling differ: share measure, division and rules.
//!
//! # Rule
//! See [`super`].
//!
//! # Source
//! see the rule records of each policy
//!
//! # Differs
//! nothing

use crate::cluster::Sums;
use crate::id::QueueId;
use crate::trace::{DivisionStep, Quantity, Rule};
use crate::units::Resource;

/// Input of a share measure.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    /// Allocation of the queue.
    pub held: &'a Sums,
    /// Weight per resource; 1 by default.
    pub weight: [f64; 3],
    /// Capacity of the ready nodes of the partition.
    pub total: &'a Sums,
}

/// Input of a division for one queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Child {
    /// Weight per resource.
    pub weight: [f64; 3],
    /// Demand per resource, in policy units.
    pub wanted: [f64; 3],
}

/// Divides an amount of each resource (first argument) among children as if pods were divisible, in policy units; the
/// last argument is the capacity of the cluster.
pub type Divide = fn([f64; 3], &[Child], [f64; 3]) -> Vec<[f64; 3]>;

/// One level of the division, in policy units.
pub struct DivisionLevel<'a> {
    /// Amounts to divide.
    pub has: [f64; 3],
    /// Capacity of the cluster.
    pub total: [f64; 3],
    /// Queues among which the level is divided.
    pub children: &'a [(QueueId, Child)],
}

/// Appends the steps of the division of a level for one resource; the result equals that of [`Measure::divide`].
pub type Steps = fn(&DivisionLevel<'_>, Resource, &mut Vec<DivisionStep>);

/// Share measure, division and rules of a policy.
#[derive(Debug)]
pub struct Measure {
    /// Rules that the shared code cites.
    pub rules: Rules,
    /// Share of a queue; infinite for weight 0.
    pub share: fn(Share<'_>) -> f64,
    /// Name of the share in checks.
    pub quantity: Quantity,
    /// Division of one level.
    pub divide: Divide,
    /// Steps of this division.
    pub steps: Steps,
}

/// Rules of a policy with progressive filling.
#[derive(Debug)]
pub struct Rules {
    /// The queue with the smallest share is served first.
    pub smallest_share: Rule,
    /// Order of the jobs of a queue.
    pub submit_order: Rule,
    /// A queue does not exceed its limit.
    pub limit: Rule,
    /// A pod goes to the fullest node that fits.
    pub best_fit: Rule,
    /// Order of the nodes.
    pub node_order: Rule,
    /// Division that gives the displayed fair share.
    pub division: Rule,
}

impl Rules {
    /// All rules, in the order of the rule book.
    pub fn all(&self) -> [Rule; 6] {
        let Rules { smallest_share, submit_order, limit, best_fit, node_order, division } = *self;
        [smallest_share, submit_order, limit, best_fit, node_order, division]
    }
}
