//! YuniKorn's own settings of a scenario, beyond the neutral queue tree.
//!
//! # Rule
//! Settings of the partition have plain names; those of a queue or a user end with its name after a dot:
//! `priority.policy.team-a`. `root` is the root queue.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 8

use std::collections::BTreeMap;

use super::config::{self, Partition, Queue, Types};

/// Settings of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Partition without queues.
    pub partition: Partition,
    /// Resource type of GPUs.
    pub gpu_type: String,
    /// Settings of queues by name, `root` for the root; their names and children are empty.
    pub queues: BTreeMap<String, Queue>,
    /// Groups of users.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Resource types that only later configurations name.
    pub later_types: Vec<String>,
}

impl Config {
    /// Adds the resource types that the settings name.
    pub fn collect_types(&self, types: &mut Types) {
        let queues = self.queues.values().cloned().collect();
        let partition = Partition { queues, ..self.partition.clone() };
        config::collect_types(&[partition], types);
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            partition: Partition::default(),
            gpu_type: GPU_TYPE.to_owned(),
            queues: BTreeMap::new(),
            groups: BTreeMap::new(),
            later_types: Vec::new(),
        }
    }
}

/// Default resource type of GPUs, as in Kubernetes.
pub const GPU_TYPE: &str = "nvidia.com/gpu";

/// Prefix of template settings of a queue.
pub const TEMPLATE: &str = "childtemplate.";

/// Prefix of a user name.
pub const GROUPS: &str = "groups.";
