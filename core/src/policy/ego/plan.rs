//! Configuration of a plan: the consumer tree and its hosts.
//!
//! # Rule
//! Consumers are in tree order, parents before their children, so a subtree is a range. Share ratios of siblings
//! are integers without a common divisor, because only their proportions matter. Larger share
//! priorities are served first (OC-1).
//!
//! # Source
//! ego.md 2; IBM Spectrum Symphony, *Share policies for multidimensional scheduling*, `MDPlan.xml` reference
//!
//! # Differs
//! OC-1: IBM counts share priorities from 1, the highest, to 10 (*Share priority and ratio*); here a larger number is a
//! higher priority, as in every other policy. The import of a resource plan inverts them.

use super::ids::{ConsumerId, Consumers, HostId, consumers};
use super::number::gcd;
use crate::id::Arena;
use crate::time::Span;
use crate::units::RESOURCES_MAX;

/// Amounts per dimension, in base units.
pub type Dims = [i64; RESOURCES_MAX];

/// A consumer tree and the hosts it shares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Consumers in tree order; the first is the root.
    pub consumers: Arena<ConsumerId, Consumer>,
    /// Capacity of each host after over-commitment.
    pub hosts: Arena<HostId, Dims>,
    /// Grace period of the public pool, and of private pools without their own.
    pub default_grace: Span,
    /// Choice of the host of a unit.
    pub placement: Placement,
    /// Rules of the slot policy; `None` for the multidimensional policy.
    pub slots: Option<SlotRules>,
}

/// Choice of the host of a unit (ego.md 7.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// The first host that fits.
    #[default]
    Stacked,
    /// The host with room for the most units of this size (OC-15).
    Balanced,
    /// As stacked, but a host runs units of one leaf only (OC-26).
    Exclusive,
}

/// Quota that reclaim uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShareQuota {
    /// By share ratio only.
    Static,
    /// Adjusted to demand.
    #[default]
    Dynamic,
}

/// Level at which shares are enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnforceAt {
    /// A leaf reclaims from any leaf above its quota.
    #[default]
    Leaf,
    /// The siblings at which the two paths split must be below and above their quotas.
    Parent,
}

/// Rules of a plan that shares whole slots instead of usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotRules {
    /// Quota that reclaim uses.
    pub share_quota: ShareQuota,
    /// Level at which shares are enforced.
    pub enforce_at: EnforceAt,
}

/// A node of the consumer tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Consumer {
    /// `None` for the root.
    pub parent: Option<ConsumerId>,
    /// Children in tree order; empty for a leaf.
    pub children: Vec<ConsumerId>,
    /// One past the last consumer of the subtree.
    pub end: ConsumerId,
    /// Number of ancestors.
    pub depth: usize,
    /// Share ratio among siblings; 0 excludes it from share pools.
    pub ratio: u64,
    /// Share priority among siblings, larger first.
    pub priority: i64,
    /// Share limit per dimension, for each pool.
    pub share_limit: [Option<ShareLimit>; RESOURCES_MAX],
    /// Rank in the distribution of hosts to owners, 0 first.
    pub rank: u32,
    /// Ownership.
    pub own: Vec<Ownership>,
    /// Own hosts that are never lent.
    pub reserved: Vec<Ownership>,
    /// Whether it lends unused hosts.
    pub lendout: bool,
    /// Grace period of its borrowers.
    pub lendout_grace: Span,
    /// Grace period of its private pool.
    pub private_pool_grace: Option<Span>,
    /// Grace period of its own reclaimed units.
    pub reclaim_grace: Option<Span>,
}

/// Limit on the usage of a pool in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareLimit {
    /// An amount in base units.
    At(i64),
    /// A fraction of the pool's capacity, in millionths.
    Part(i64),
}

/// One entry of an ownership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// Listed hosts.
    Hosts(Vec<HostId>),
    /// The first unassigned hosts of the parent, in host order.
    Count(usize),
    /// A fraction of the parent's hosts, in thousandths, rounded down.
    Part(usize),
    /// The first whole hosts that fit into these amounts, in host order.
    Amounts([Option<i64>; RESOURCES_MAX]),
    /// All unassigned hosts of the parent.
    Remaining,
}

impl Plan {
    /// Appends a consumer. Parents must be added first, and a subtree completed before the next sibling.
    pub fn add(&mut self, parent: Option<ConsumerId>, mut consumer: Consumer) -> ConsumerId {
        consumer.parent = parent;
        consumer.depth = parent.map_or(0, |p| self.consumers[p].depth + 1);
        let id = self.consumers.push(consumer);
        let mut ancestor = Some(id);
        while let Some(p) = ancestor {
            self.consumers[p].end = ConsumerId(id.0 + 1);
            ancestor = self.consumers[p].parent;
        }
        if let Some(p) = parent {
            self.consumers[p].children.push(id);
        }
        id
    }

    /// Sets the ratios from fractions `n / d` with `d > 0`, scaled to integers without a common divisor per sibling
    /// group. A group whose common denominator overflows is rounded to millionths.
    pub fn set_ratios(&mut self, ratios: &Arena<ConsumerId, (u64, u64)>) {
        let groups = std::iter::once(vec![ConsumerId::ROOT]).chain(self.consumers.values().map(|c| c.children.clone()));
        for group in groups.collect::<Vec<_>>() {
            let common = group.iter().try_fold(1u64, |l, &c| (l / gcd(l, ratios[c].1)).checked_mul(ratios[c].1));
            let scaled = |c: ConsumerId| {
                let (n, d) = ratios[c];
                common.and_then(|l| n.checked_mul(l / d))
            };
            let fits = group.iter().all(|&c| scaled(c).is_some_and(|n| n < 1 << 40));
            let rounded = |c: ConsumerId| (ratios[c].0 as f64 / ratios[c].1 as f64 * 1e6) as u64;
            let ratio_of = |c: ConsumerId| if fits { scaled(c).unwrap_or(0) } else { rounded(c).min(1 << 40) };
            let divisor = group.iter().fold(0, |g, &c| gcd(ratio_of(c), g)).max(1);
            for &c in &group {
                self.consumers[c].ratio = ratio_of(c) / divisor;
            }
        }
    }

    /// Whether it has no children.
    pub fn is_leaf(&self, consumer: ConsumerId) -> bool {
        self.consumers[consumer].children.is_empty()
    }
    /// The consumer and its descendants.
    pub fn subtree(&self, consumer: ConsumerId) -> Consumers {
        consumers(consumer, self.consumers[consumer].end)
    }
    /// The consumer and its ancestors, from the bottom up.
    pub fn path(&self, consumer: ConsumerId) -> impl Iterator<Item = ConsumerId> + '_ {
        std::iter::successors(Some(consumer), |&c| self.consumers[c].parent)
    }
    /// Whether `descendant` is in the subtree of `ancestor`.
    pub fn is_below(&self, descendant: ConsumerId, ancestor: ConsumerId) -> bool {
        ancestor <= descendant && descendant < self.consumers[ancestor].end
    }

    /// The siblings at which the paths to two leaves split; `None` for the same leaf.
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

/// Number of units that fit into a capacity; unlimited for an empty unit.
pub fn units_in(capacity: &Dims, unit: &Dims) -> u64 {
    let requested = capacity.iter().zip(unit).filter(|&(_, &u)| u > 0);
    requested.map(|(&c, &u)| (c.max(0) / u) as u64).min().unwrap_or(u64::MAX)
}

/// Whether one unit fits into the capacity.
pub fn fits(capacity: &Dims, unit: &Dims) -> bool {
    capacity.iter().zip(unit).all(|(&c, &u)| u <= 0 || u <= c)
}

/// Adds `times` × `amount` to `dims`.
pub fn add(dims: &mut Dims, amount: &Dims, times: i64) {
    for (t, a) in dims.iter_mut().zip(amount) {
        *t += a * times;
    }
}
