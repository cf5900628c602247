//! The switches of a partition that the neutral tree of queues has no word for.
//!
//! # Source
//! yunikorn.md 1.1, 1.3

use std::collections::BTreeMap;

use super::properties::Written;

/// Every switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `nodesortpolicy.type`.
    pub node_sort: String,
    /// `preemption.enabled`.
    pub preemption: bool,
    /// Properties by name of the queue; `root` for all.
    pub queues: BTreeMap<String, Written>,
}

impl Default for Config {
    fn default() -> Config {
        Config { node_sort: "fair".to_owned(), preemption: true, queues: BTreeMap::new() }
    }
}

/// The switches of the partition.
pub const SETTINGS: [&str; 2] = ["node-sort", "preemption"];

/// The properties of a queue; `priority.policy.team-a` is that of `team-a`.
pub const PROPERTIES: [&str; 6] = [
    "application.sort.policy",
    "application.sort.priority",
    "priority.policy",
    "priority.offset",
    "preemption.policy",
    "preemption.delay",
];
