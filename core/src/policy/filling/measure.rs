//! In which the policies that fill progressively differ: how they measure shares, how they divide, and their rules.
//!
//! # Rule
//! See [`super`].
//!
//! # Source
//! see the records of each policy
//!
//! # Differs
//! nothing

use crate::trace::{Quantity, Rule};

/// CPU millicores, memory bytes, thousandths of GPUs.
pub type Triple = [i64; 3];

/// What a queue holds, its weights, and what all nodes have: all that a share may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    /// What the queue holds.
    pub held: &'a Triple,
    /// Its weight for each resource; 1 where the scenario does not say.
    pub weight: [f64; 3],
    /// What all nodes that take part have.
    pub total: &'a Triple,
}

/// A queue that takes part in a division, in policy units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Child {
    /// Its weight for each resource.
    pub weight: [f64; 3],
    /// What it wants of each.
    pub wanted: [f64; 3],
}

/// Divides an amount of each resource (first) among children as if everything could be split, in policy units; the last
/// argument is what the cluster has.
pub type Divide = fn([f64; 3], &[Child], [f64; 3]) -> Vec<[f64; 3]>;

/// How a policy measures shares, and its rules.
#[derive(Debug)]
pub struct Measure {
    /// Its rules.
    pub rules: Rules,
    /// The share of a queue; infinite without a weight.
    pub share: fn(Share<'_>) -> f64,
    /// What the share is called.
    pub quantity: Quantity,
    /// How it divides.
    pub divide: Divide,
}

/// The rules of a policy that fills progressively.
#[derive(Debug)]
pub struct Rules {
    /// The smallest share first.
    pub smallest_share: Rule,
    /// The order inside a queue.
    pub submit_order: Rule,
    /// The ceiling of a queue.
    pub limit: Rule,
    /// The fullest node that fits.
    pub best_fit: Rule,
    /// How the fair share that is shown comes about.
    pub division: Rule,
}

impl Rules {
    /// All of them.
    pub fn all(&self) -> [Rule; 5] {
        [self.smallest_share, self.submit_order, self.limit, self.best_fit, self.division]
    }
}
