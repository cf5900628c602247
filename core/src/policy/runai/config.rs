//! Settings of Run:ai.
//!
//! # Rule
//! Without `over-quota.NAME` a queue has its GPU weight, CPU weight, memory weight, or *medium*. `settings.rs` has the
//! settings.
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
