//! The switches of a plan that a queue of the neutral tree has no word for.
//!
//! # Rule
//! Share ratio, share priority, share limit and ownership are a queue's weight, priority, limit and quota; everything else stands
//! here, for the plan as a whole or by consumer name.
//!
//! # Source
//! ego.md 2, 8.5; IBM, `MDPlan.xml` reference
//!
//! # Differs
//! Lending is on unless a scenario turns it off, so that quotas mean the same under every policy: promised, but lent while unused.

use std::collections::BTreeMap;
use std::sync::Arc;

pub use super::plan::Placement;
use super::plan::{EnforceAt, ShareQuota, SlotRules};
use crate::time::Span;
use crate::units::{PerResource, Resource, Weight};

/// The over-commit ratio of each dimension.
pub type Ratios = PerResource<Weight>;

/// The largest of them.
pub const RATIO_MAX: i64 = 100;

/// The settings of over-commit ratios, by resource.
pub const OVER_COMMIT: [(&str, Resource); 3] = [
    ("over-commit.cpu", Resource::CPU),
    ("over-commit.memory", Resource::MEMORY),
    ("over-commit.gpu", Resource::GPU),
];

/// Every switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `DefaultGracePeriod`; left out: the scenario's delay from evict to gone.
    pub grace: Option<Span>,
    /// Which host a unit goes to.
    pub placement: Placement,
    /// Whether owners lend what they cannot use, unless they say otherwise.
    pub lendout: bool,
    /// How many times what it has a host offers.
    pub over_commit: Ratios,
    /// Whether the plan shares slots instead of usage.
    pub shares_slots: bool,
    /// Of a slot plan: which quota reclaim goes by.
    pub share_quota: ShareQuota,
    /// Of a slot plan: where shares are enforced.
    pub enforce_at: EnforceAt,
    /// By name of the consumer.
    pub consumers: BTreeMap<Arc<str>, ConsumerConfig>,
}

/// What one consumer says for itself; left out: the plan's value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConsumerConfig {
    /// Order of ownership, 0 first.
    pub rank: u32,
    /// Whether it lends.
    pub lendout: Option<bool>,
    /// How long its borrowers may take; left out: the plan's grace.
    pub lendout_grace: Option<Span>,
    /// The grace of its private pool.
    pub private_pool_grace: Option<Span>,
    /// How long its units keep when they are taken.
    pub reclaim_grace: Option<Span>,
    /// How many of its own hosts it never lends.
    pub reserved: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            grace: None,
            placement: Placement::Stacked,
            lendout: true,
            over_commit: Ratios::all(Weight::ONE),
            shares_slots: false,
            share_quota: ShareQuota::Dynamic,
            enforce_at: EnforceAt::Leaf,
            consumers: BTreeMap::new(),
        }
    }
}

impl Config {
    /// How many times what it has a host offers. Slot plans have no such ratio.
    pub fn over_commit(&self) -> Ratios {
        if self.shares_slots { Ratios::all(Weight::ONE) } else { self.over_commit }
    }

    /// The rules of a slot plan.
    pub fn slots(&self) -> Option<SlotRules> {
        let rules = SlotRules { share_quota: self.share_quota, enforce_at: self.enforce_at };
        self.shares_slots.then_some(rules)
    }
}

/// The settings of a plan by name.
pub const SETTINGS: [&str; 9] = [
    "grace",
    "placement",
    "lendout",
    "over-commit.cpu",
    "over-commit.memory",
    "over-commit.gpu",
    "plan",
    "share-quota",
    "enforcement",
];

/// The settings of a consumer; `rank.team-a` is the rank of `team-a`.
pub const CONSUMER_SETTINGS: [&str; 6] =
    ["rank", "lendout", "lendout-grace", "private-pool-grace", "reclaim-grace", "reserved"];
