//! What an administrator configures: the consumer tree and the hosts of one plan.
//!
//! # Rule
//! Consumers stand in tree order, parents before their children, so a subtree is a range. Share ratios of siblings
//! are whole numbers without a common divisor: multiplying all of them by a constant changes nothing. Larger share
//! priorities are served first (OC-1).
//!
//! # Source
//! ego.md 2; IBM Spectrum Symphony, *Share policies for multidimensional scheduling*, `MDPlan.xml` reference
//!
//! # Differs
//! OC-1: IBM counts share priorities from 1, the highest, to 10 (*Share priority and ratio*); here the larger number is the
//! higher priority, as in every other policy. The import of a resource plan turns them round.

use super::ids::{ConsumerId, Consumers, HostId, consumers};
use super::number::gcd;
use crate::id::Arena;
use crate::time::Span;
use crate::units::RESOURCES_MAX;

/// One amount per dimension, in base units.
pub type Dims = [i64; RESOURCES_MAX];

/// A consumer tree and the hosts it shares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Consumers in tree order; the first is the root.
    pub consumers: Arena<ConsumerId, Consumer>,
    /// Capacity of each host after over-commitment.
    pub hosts: Arena<HostId, Dims>,
    /// The grace of the public pool, and of private ones without their own.
    pub default_grace: Span,
    /// Which host a unit goes to.
    pub placement: Placement,
    /// The slot policy's rules; `None`: the multidimensional policy.
    pub slots: Option<SlotRules>,
}

/// Which host a unit goes to (ego.md 7.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// The first host that fits.
    #[default]
    Stacked,
    /// The host that can still take the most units of this size (OC-15).
    Balanced,
    /// As stacked, but a host with work of one leaf takes no other's (OC-26).
    Exclusive,
}

/// Which quota reclaim goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShareQuota {
    /// By share ratio only.
    Static,
    /// Adjusted to the workload.
    #[default]
    Dynamic,
}

/// Where shares are enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnforceAt {
    /// A leaf takes from any leaf above its quota.
    #[default]
    Leaf,
    /// The siblings where two paths split must be below and above their quotas.
    Parent,
}

/// A plan that shares whole slots instead of usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotRules {
    /// Which quota reclaim goes by.
    pub share_quota: ShareQuota,
    /// Where shares are enforced.
    pub enforce_at: EnforceAt,
}

/// A node of the consumer tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Consumer {
    /// `None` for the root.
    pub parent: Option<ConsumerId>,
    /// In tree order; empty for a leaf.
    pub children: Vec<ConsumerId>,
    /// One past the last consumer below this one.
    pub end: ConsumerId,
    /// How many consumers stand above.
    pub depth: usize,
    /// Share ratio among siblings; 0 takes no part in share pools.
    pub ratio: u64,
    /// Larger is served first, among siblings only.
    pub priority: i64,
    /// Per dimension, how much it may draw from one share pool.
    pub share_limit: [Option<ShareLimit>; RESOURCES_MAX],
    /// Order of ownership, 0 first.
    pub rank: u32,
    /// What it owns.
    pub own: Vec<Ownership>,
    /// The part of its own that is never lent.
    pub reserved: Vec<Ownership>,
    /// Whether it lends what it cannot use.
    pub lendout: bool,
    /// How long its borrowers may take to give back.
    pub lendout_grace: Span,
    /// The grace of its private pool.
    pub private_pool_grace: Option<Span>,
    /// How long its units keep when they are taken.
    pub reclaim_grace: Option<Span>,
}

/// How much of one dimension a consumer may draw from a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareLimit {
    /// An amount.
    At(i64),
    /// A part of the pool's capacity, in millionths.
    Part(i64),
}

/// One entry of an ownership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// These hosts.
    Hosts(Vec<HostId>),
    /// The first hosts of the parent that nobody took yet, in host order.
    Count(usize),
    /// So many thousandths of the parent's hosts, rounded down.
    Part(usize),
    /// The first whole hosts that fit into these amounts, in host order.
    Amounts([Option<i64>; RESOURCES_MAX]),
    /// All that is left.
    Remaining,
}

impl Plan {
    /// Appends a consumer; parents come first, and a subtree is finished before the next sibling begins.
    pub fn add(&mut self, parent: Option<ConsumerId>, mut consumer: Consumer) -> ConsumerId {
        consumer.parent = parent;
        consumer.depth = parent.map_or(0, |p| self.consumers[p].depth + 1);
        let id = self.consumers.push(consumer);
        let mut above = Some(id);
        while let Some(p) = above {
            self.consumers[p].end = ConsumerId(id.0 + 1);
            above = self.consumers[p].parent;
        }
        if let Some(p) = parent {
            self.consumers[p].children.push(id);
        }
        id
    }

    /// Makes the ratios of every sibling group whole numbers without a common divisor, from fractions `n / d` with
    /// `d > 0`. A group whose common denominator does not fit is rounded to millionths.
    pub fn set_ratios(&mut self, ratios: &Arena<ConsumerId, (u64, u64)>) {
        let groups = std::iter::once(vec![ConsumerId::ROOT])
            .chain(self.consumers.values().map(|c| c.children.clone()));
        for group in groups.collect::<Vec<_>>() {
            let common =
                group.iter().try_fold(1u64, |l, &c| (l / gcd(l, ratios[c].1)).checked_mul(ratios[c].1));
            let at = |c: ConsumerId| {
                let (n, d) = ratios[c];
                common.and_then(|l| n.checked_mul(l / d))
            };
            let fits = group.iter().all(|&c| at(c).is_some_and(|n| n < 1 << 40));
            let rounded = |c: ConsumerId| (ratios[c].0 as f64 / ratios[c].1 as f64 * 1e6) as u64;
            let of = |c: ConsumerId| if fits { at(c).unwrap_or(0) } else { rounded(c).min(1 << 40) };
            let divisor = group.iter().fold(0, |g, &c| gcd(of(c), g)).max(1);
            for &c in &group {
                self.consumers[c].ratio = of(c) / divisor;
            }
        }
    }

    /// Whether only work runs here.
    pub fn is_leaf(&self, consumer: ConsumerId) -> bool {
        self.consumers[consumer].children.is_empty()
    }
    /// The consumer and all below it.
    pub fn subtree(&self, consumer: ConsumerId) -> Consumers {
        consumers(consumer, self.consumers[consumer].end)
    }
    /// From a consumer up to the root, itself first.
    pub fn path(&self, consumer: ConsumerId) -> impl Iterator<Item = ConsumerId> + '_ {
        std::iter::successors(Some(consumer), |&c| self.consumers[c].parent)
    }
    /// Whether `below` is `above` or stands below it.
    pub fn is_below(&self, below: ConsumerId, above: ConsumerId) -> bool {
        above <= below && below < self.consumers[above].end
    }

    /// The children of one consumer on the way to each of two leaves, where their paths split; `None` for the same leaf.
    pub fn split(&self, a: ConsumerId, b: ConsumerId) -> Option<(ConsumerId, ConsumerId)> {
        let (mut a, mut b) = (a, b);
        while self.consumers[a].parent != self.consumers[b].parent {
            if self.consumers[a].depth >= self.consumers[b].depth {
                a = self.consumers[a].parent?;
            } else {
                b = self.consumers[b].parent?;
            }
        }
        (a != b).then_some((a, b))
    }
}

/// How many units fit into a capacity; a unit that asks for nothing always fits.
pub fn units_in(capacity: &Dims, unit: &Dims) -> u64 {
    let wanted = capacity.iter().zip(unit).filter(|&(_, &u)| u > 0);
    wanted.map(|(&c, &u)| (c.max(0) / u) as u64).min().unwrap_or(u64::MAX)
}

/// Whether one unit fits.
pub fn fits(capacity: &Dims, unit: &Dims) -> bool {
    capacity.iter().zip(unit).all(|(&c, &u)| u <= 0 || u <= c)
}

/// Adds so many times the second to the first.
pub fn add(to: &mut Dims, amount: &Dims, times: i64) {
    for (t, a) in to.iter_mut().zip(amount) {
        *t += a * times;
    }
}
