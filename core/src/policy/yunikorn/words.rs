//! What a scenario says in YuniKorn's own words, beyond the neutral tree of queues.
//!
//! # Rule
//! Words of the partition stand by themselves; those of a queue or a user have its name behind a dot: `priority.policy.team-a`.
//! `root` is the root queue.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 8

use std::collections::BTreeMap;

use super::config::{self, Partition, Queue, Types};

/// Everything that a scenario's settings say.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The partition, without queues.
    pub partition: Partition,
    /// The resource type that a scenario calls GPU.
    pub gpu_type: String,
    /// What is said of queues by name, `root` for the root; their names and children are empty.
    pub queues: BTreeMap<String, Queue>,
    /// Groups of users.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Resource types that only later configurations name.
    pub later_types: Vec<String>,
}

impl Config {
    /// Adds the resource types that are named here.
    pub fn collect_types(&self, types: &mut Types) {
        let queues = self.queues.values().cloned().collect();
        let partition = Partition { queues, ..self.partition.clone() };
        config::collect_types(&config::File { partitions: vec![partition] }, types);
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

/// The resource type that Kubernetes uses for GPUs.
pub const GPU_TYPE: &str = "nvidia.com/gpu";

/// The words of the partition.
pub const SETTINGS: [&str; 7] = [
    "node-sort",
    "node-weights",
    "preemption",
    "quota-preemption",
    "placement-rules",
    "partition",
    "gpu-type",
];

/// The properties of a queue, as upstream calls them.
pub const PROPERTIES: [&str; 9] = [
    "application.sort.policy",
    "application.sort.priority",
    "application.unschedasks.backoff",
    "application.unschedasks.backoff.delay",
    "preemption.delay",
    "preemption.policy",
    "priority.offset",
    "priority.policy",
    "quota.preemption.delay",
];

/// What else is said of a queue. `guaranteed` and `max` are of what a queue has no field for: types other than CPU, memory
/// and GPU. `absent`: the configuration does not have the queue yet, or not any more.
pub const QUEUE_WORDS: [&str; 8] =
    ["absent", "adminacl", "guaranteed", "limits", "max", "maxapplications", "parent", "submitacl"];

/// What stands before a word that is said of the queues that placement makes below a queue.
pub const TEMPLATE: &str = "childtemplate.";

/// What stands before the name of a user.
pub const GROUPS: &str = "groups.";
