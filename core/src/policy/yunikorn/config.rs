//! Configuration of a partition, with the field names of upstream's YAML.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 8

use std::collections::BTreeMap;

use serde::Deserialize;

use super::amounts::Amounts;
pub use super::amounts::TYPES_MAX;
pub use super::properties::{Properties, Written, default_of};
use super::quantity;
pub use super::quantity::{parse, parse_duration, print};
use super::shares::NodeSort;

/// A configuration file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Partitions share nothing.
    pub partitions: Vec<Partition>,
}

/// One partition.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Partition {
    pub name: String,
    /// Usually only the root queue.
    pub queues: Vec<Queue>,
    /// Tried in order.
    pub placementrules: Vec<Rule>,
    /// Limits of the root queue if it has none itself.
    pub limits: Vec<Limit>,
    pub nodesortpolicy: NodeSortPolicy,
    /// Preemption switches.
    pub preemption: Preemption,
}

/// Node sort policy.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct NodeSortPolicy {
    /// `fair` (or empty) or `binpacking`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Empty: vcore 1, memory 1.
    pub resourceweights: BTreeMap<String, f64>,
}

/// Preemption switches.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Preemption {
    /// General preemption; on by default.
    pub enabled: Option<bool>,
    /// Preemption after a maximum was lowered.
    pub quotapreemptionenabled: bool,
}

/// A queue.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Queue {
    /// Name, in lower case.
    pub name: String,
    /// Parent queue even without children.
    pub parent: bool,
    /// Children.
    pub queues: Vec<Queue>,
    /// Guaranteed and maximum.
    pub resources: Resources,
    /// 0 is unlimited.
    pub maxapplications: u64,
    /// See [`super::properties`].
    pub properties: Written,
    /// Access control list for submission.
    pub submitacl: String,
    /// Access control list for administration, which includes submission.
    pub adminacl: String,
    /// Limits of users and groups.
    pub limits: Vec<Limit>,
    /// Template of dynamic leaf queues below.
    pub childtemplate: Template,
    /// Whether the present configuration lacks the queue; not a field of upstream.
    #[serde(skip)]
    pub absent: bool,
}

/// Values that a dynamic leaf queue inherits.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Template {
    /// 0 is unlimited.
    pub maxapplications: u64,
    /// See [`super::properties`].
    pub properties: Written,
    /// Guaranteed and maximum.
    pub resources: Resources,
}

/// Quantities as written.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Resources {
    /// Guaranteed resources.
    pub guaranteed: Written,
    /// Maximum resources.
    pub max: Written,
}

/// Limit of users and groups in a queue.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Limit {
    /// Description.
    pub limit: String,
    /// Names or `*`.
    pub users: Vec<String>,
    /// Names or `*`.
    pub groups: Vec<String>,
    /// Maximum resources; empty is unlimited.
    pub maxresources: Written,
    /// 0 is unlimited.
    pub maxapplications: u64,
}

/// Placement rule.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Rule {
    /// `provided`, `user`, `fixed` or `tag`.
    pub name: String,
    /// Whether missing queues are created.
    pub create: bool,
    /// Queue path of the rule `fixed`.
    pub value: String,
    /// Rule for the parent queue.
    pub parent: Option<Box<Rule>>,
    /// Users and groups to which it applies.
    pub filter: Filter,
}

/// Filter of a placement rule by user and group. Preserved for export, but not applied.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// `allow` (or empty) or `deny`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Names or one regular expression.
    pub users: Vec<String>,
    /// Names or one regular expression.
    pub groups: Vec<String>,
}

/// Names of the resource types in byte order; a type is its index in this list.
pub type Types = Vec<String>;

/// Parses quantities; `None` if one is invalid or its type is unknown.
pub fn amounts(types: &Types, written: &Written) -> Option<Amounts> {
    let mut out = Amounts::EMPTY;
    for (name, text) in written {
        let type_ix = types.binary_search(name).ok()?;
        out.set(type_ix, quantity::parse(name, text)?);
    }
    Some(out)
}

/// Like [`amounts`], but *none* unless at least one value is above 0 and no value is negative.
pub fn positive(types: &Types, written: &Written) -> Amounts {
    amounts(types, written).filter(Amounts::positive).unwrap_or(Amounts::NONE)
}

/// Adds the resource types that partitions name to `types`.
pub fn collect_types(partitions: &[Partition], types: &mut Types) {
    for partition in partitions {
        for queue in &partition.queues {
            collect_queue(queue, types);
        }
        for limit in &partition.limits {
            types.extend(limit.maxresources.keys().cloned());
        }
        types.extend(partition.nodesortpolicy.resourceweights.keys().cloned());
    }
}

fn collect_queue(queue: &Queue, types: &mut Types) {
    for resources in [&queue.resources, &queue.childtemplate.resources] {
        types.extend(resources.guaranteed.keys().chain(resources.max.keys()).cloned());
    }
    for limit in &queue.limits {
        types.extend(limit.maxresources.keys().cloned());
    }
    for child in &queue.queues {
        collect_queue(child, types);
    }
}

impl Partition {
    /// Root queue with its subtree: the top-level queue `root`, or a new queue above the list.
    pub fn root(&self) -> Queue {
        let mut root = match self.queues.as_slice() {
            [only] if only.name.eq_ignore_ascii_case("root") => only.clone(),
            several => Queue { name: "root".to_owned(), queues: several.to_vec(), ..Queue::default() },
        };
        root.parent = true;
        if root.limits.is_empty() {
            root.limits.clone_from(&self.limits);
        }
        root
    }

    /// Whether general preemption is on.
    pub fn preemption_enabled(&self) -> bool {
        self.preemption.enabled.unwrap_or(true)
    }

    /// Node sort policy.
    pub fn node_sort(&self) -> NodeSort {
        match self.nodesortpolicy.kind.as_str() {
            "binpacking" => NodeSort::BinPacking,
            _ => NodeSort::Fair,
        }
    }

    /// Weights by type; 0 for types that are not listed.
    pub fn weights(&self, types: &Types) -> [f64; TYPES_MAX] {
        let mut weights = [0.0; TYPES_MAX];
        let listed = &self.nodesortpolicy.resourceweights;
        for (type_ix, name) in types.iter().enumerate().take(TYPES_MAX) {
            let default = if name == "vcore" || name == "memory" { 1.0 } else { 0.0 };
            weights[type_ix] = if listed.is_empty() { default } else { listed.get(name).copied().unwrap_or(0.0) };
        }
        weights
    }
}
