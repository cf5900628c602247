//! Who reads what, and what it means when it is left out.

use crate::units::Resource;

/// A policy and what it reads of the settings that all share.
#[derive(Debug)]
pub struct Product {
    /// Its name in scenario files.
    pub key: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// Its words for quota, limit, weight and priority of a queue; `None`: it has no such thing.
    pub words: [Option<&'static str>; 4],
    /// The priority of a queue that does not say.
    pub priority: i32,
    /// Minimum runtimes and past usage.
    pub has_history: bool,
    /// Pods that start together or not at all.
    pub has_gangs: bool,
    /// Subgroups, and an order of the pods of a job.
    pub has_subgroups: bool,
    /// Parts of GPUs.
    pub has_parts: bool,
    /// Priorities of jobs.
    pub has_job_priority: bool,
    /// Evictions, so that it matters who may be evicted.
    pub evicts: bool,
    /// Taints and affinity.
    pub has_taints: bool,
}

/// A value of a queue that is said per resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Quota,
    Limit,
    Weight,
}

impl Field {
    pub const ALL: [Field; 3] = [Field::Quota, Field::Limit, Field::Weight];

    /// The name in scenario files.
    pub fn name(self) -> &'static str {
        match self {
            Field::Quota => "quota",
            Field::Limit => "limit",
            Field::Weight => "weight",
        }
    }
}

const KAI: Product = Product {
    key: "kai",
    name: "KAI",
    words: [Some("deserved quota"), Some("limit"), Some("over-quota weight"), Some("queue priority")],
    priority: 100,
    has_history: true,
    has_gangs: true,
    has_subgroups: true,
    has_parts: true,
    has_job_priority: true,
    evicts: true,
    has_taints: true,
};

const PRODUCTS: [Product; 7] = [
    KAI,
    Product {
        key: "runai",
        name: "Run:ai",
        words: [Some("quota"), Some("limit"), Some("over-quota weight"), Some("rank")],
        ..KAI
    },
    Product {
        key: "yunikorn",
        name: "YuniKorn",
        words: [Some("guaranteed"), Some("max"), None, Some("priority offset")],
        priority: 0,
        has_history: false,
        has_gangs: false,
        has_subgroups: false,
        has_parts: false,
        has_job_priority: true,
        evicts: true,
        has_taints: true,
    },
    Product {
        key: "ego",
        name: "EGO",
        words: [Some("ownership"), Some("share limit"), Some("share ratio"), Some("share priority")],
        priority: 0,
        has_history: false,
        has_gangs: true,
        has_subgroups: false,
        has_parts: false,
        has_job_priority: true,
        evicts: true,
        has_taints: false,
    },
    baseline("fifo", "first in, first out", [Some("hard partition"), None, None, None], false),
    baseline("max-min", "max-min fairness", [None, Some("limit"), Some("weight"), None], true),
    baseline("drf", "plain DRF", [None, Some("limit"), Some("weight"), None], true),
];

const fn baseline(
    key: &'static str,
    name: &'static str,
    words: [Option<&'static str>; 4],
    has_gangs: bool,
) -> Product {
    Product {
        key,
        name,
        words,
        priority: 0,
        has_history: false,
        has_gangs,
        has_subgroups: false,
        has_parts: true,
        has_job_priority: false,
        evicts: false,
        has_taints: true,
    }
}

impl Product {
    /// The product of a policy's name; KAI if it is left out.
    pub fn named(key: &str) -> Option<&'static Product> {
        let key = if key.is_empty() { "kai" } else { key };
        PRODUCTS.iter().find(|product| product.key == key)
    }

    /// Whether this is one of the policies of that name.
    pub fn is(&self, keys: &[&str]) -> bool {
        keys.contains(&self.key)
    }

    /// Its word for a value; `None`: it does not read it.
    pub fn word(&self, field: Field, r: Resource) -> Option<&'static str> {
        match field {
            // Hard partitions are made of nodes with GPUs.
            Field::Quota if self.key == "fifo" && r != Resource::GPU => None,
            Field::Quota => self.words[0],
            Field::Limit => self.words[1],
            Field::Weight => self.words[2],
        }
    }

    /// Its word for the priority of a queue.
    pub fn priority_word(&self) -> Option<&'static str> {
        self.words[3]
    }

    /// What a value that is left out means; `None`: nothing that could be said, or it is not read.
    pub fn unset(&self, field: Field, r: Resource) -> Option<&'static str> {
        self.word(field, r)?;
        let is_gpu = r == Resource::GPU;
        match (field, self.key) {
            (_, "kai") => Some("0"),
            (Field::Quota, "runai") if !is_gpu => Some("unlimited"),
            // No guarantee of CPU or memory forbids nothing there.
            (Field::Quota, "yunikorn" | "ego") if !is_gpu => None,
            (Field::Quota, _) => Some("0"),
            (Field::Limit, _) => Some("unlimited"),
            (Field::Weight, "runai") => Some("2"),
            (Field::Weight, _) => Some("1"),
        }
    }

    /// What is taken where the old policy does not say anything: no GPUs promised, nothing else counted or forbidden, all alike.
    pub fn assumed(field: Field, r: Resource) -> &'static str {
        match field {
            Field::Quota if r == Resource::GPU => "0",
            Field::Quota | Field::Limit => "unlimited",
            Field::Weight => "1",
        }
    }
}
