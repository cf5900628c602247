//! Settings of a plan that the neutral queue tree does not have.
//!
//! # Rule
//! Share ratio, share priority, share limit and ownership are a queue's weight, priority, limit and quota; all others
//! are settings, for the whole plan or by consumer name.
//!
//! # Source
//! ego.md 2, 8.5; IBM, `MDPlan.xml` reference
//!
//! # Differs
//! Lending is on by default, so that quotas mean the same under every policy: guaranteed, but lent while unused.

use std::collections::BTreeMap;
use std::sync::Arc;

pub use super::plan::Placement;
use super::plan::{EnforceAt, ShareQuota, SlotRules};
use crate::time::Span;
use crate::units::{PerResource, Weight};

/// Over-commit ratio per dimension.
pub type Ratios = PerResource<Weight>;

/// Maximum over-commit ratio.
pub const RATIO_MAX: i64 = 100;

/// Settings of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `DefaultGracePeriod`; by default the scenario's termination time.
    pub grace: Option<Span>,
    /// Choice of the host of a unit.
    pub placement: Placement,
    /// Default of [`ConsumerConfig::lendout`].
    pub lendout: bool,
    /// Ratio of offered to physical capacity of a host.
    pub over_commit: Ratios,
    /// Whether the plan shares slots instead of usage.
    pub shares_slots: bool,
    /// Quota that reclaim uses; slot plans only.
    pub share_quota: ShareQuota,
    /// Level at which shares are enforced; slot plans only.
    pub enforce_at: EnforceAt,
    /// Settings of consumers, by name.
    pub consumers: BTreeMap<Arc<str>, ConsumerConfig>,
}

/// Settings of one consumer; `None` for the plan's value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConsumerConfig {
    /// Rank in the distribution of hosts to owners, 0 first.
    pub rank: u32,
    /// Whether it lends unused hosts.
    pub lendout: Option<bool>,
    /// Grace period of its borrowers; by default the plan's.
    pub lendout_grace: Option<Span>,
    /// Grace period of its private pool.
    pub private_pool_grace: Option<Span>,
    /// Grace period of its own reclaimed units.
    pub reclaim_grace: Option<Span>,
    /// Number of own hosts that it never lends.
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
    /// Over-commit ratios in force; slot plans have none.
    pub fn over_commit(&self) -> Ratios {
        if self.shares_slots { Ratios::all(Weight::ONE) } else { self.over_commit }
    }

    /// Rules of a slot plan; `None` for a multidimensional plan.
    pub fn slots(&self) -> Option<SlotRules> {
        let rules = SlotRules { share_quota: self.share_quota, enforce_at: self.enforce_at };
        self.shares_slots.then_some(rules)
    }
}
