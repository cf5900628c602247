//! Settings of Run:ai.
//!
//! # Rule
//! | setting of a scenario | field | default |
//! |---|---|---|
//! | `department-over-quota` | `sharing.departments_by_weight` | by-quota |
//! | `over-quota-weights` | `sharing.projects_by_quota` | on |
//! | `over-quota.NAME` | `sharing.over_quota` | the queue's GPU weight, CPU weight, memory weight; without one *medium* |
//! | the placement strategies, minimum runtimes, time-based fairshare and consolidation of KAI | `engine` | as in KAI |
//!
//! # Source
//! runai.md 4.2, 7, 9 (preset contents)
//!
//! # Differs
//! nothing; every node pool may have its own settings

use std::collections::BTreeMap;
use std::sync::Arc;

pub use super::terms::OverQuota;
pub use crate::policy::kai::config as engine;
use crate::policy::kai::config::Dialect;

/// Dialect of the engine under Run:ai.
pub const DIALECT: Dialect =
    Dialect { over_share_in_any: true, caps_remainders: true, ties_by_name: true, by_smallest_device: true };

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Settings of the engine, in the dialect of Run:ai.
    pub engine: engine::Config,
    /// Distribution of over-quota.
    pub sharing: Sharing,
}

/// Distribution of over-quota.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sharing {
    /// Whether departments share unused resources by their weights instead of their quotas.
    pub departments_by_weight: bool,
    /// Whether projects share unused resources by their quotas, because weights are off.
    pub projects_by_quota: bool,
    /// Over-quota settings of queues, by name.
    pub over_quota: BTreeMap<Arc<str>, OverQuota>,
}

impl Default for Config {
    fn default() -> Config {
        Config::new(engine::Config::default())
    }
}

impl Config {
    /// Default settings with those of the engine.
    pub fn new(engine: engine::Config) -> Config {
        Config { engine: engine::Config { dialect: DIALECT, ..engine }, sharing: Sharing::default() }
    }
}
