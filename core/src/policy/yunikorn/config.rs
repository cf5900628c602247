//! A partition's configuration as upstream's YAML spells it.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 8

use std::collections::BTreeMap;

use serde::Deserialize;

use super::amounts::Amounts;
pub use super::amounts::TYPES_MAX;
pub use super::properties::{Properties, Written, default_of, property_is_known};
use super::quantity;
pub use super::quantity::{parse, parse_duration, print};
use super::shares::NodeSort;

/// The whole file.
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
    /// Its name.
    pub name: String,
    /// Normally the root alone.
    pub queues: Vec<Queue>,
    /// Tried in order.
    pub placementrules: Vec<Rule>,
    /// Those of the root, if it has none.
    pub limits: Vec<Limit>,
    /// How nodes are ordered.
    pub nodesortpolicy: NodeSortPolicy,
    /// Switches.
    pub preemption: Preemption,
}

/// How nodes are ordered.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct NodeSortPolicy {
    /// `fair` (or empty) or `binpacking`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Empty: vcore 1, memory 1.
    pub resourceweights: BTreeMap<String, f64>,
}

/// Switches of preemption.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Preemption {
    /// General preemption; on if left out.
    pub enabled: Option<bool>,
    /// Preemption after a maximum was lowered.
    pub quotapreemptionenabled: bool,
}

/// A queue.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Queue {
    /// Lower-cased.
    pub name: String,
    /// A parent even without children.
    pub parent: bool,
    /// Children.
    pub queues: Vec<Queue>,
    /// Guaranteed and maximum.
    pub resources: Resources,
    /// 0 is unlimited.
    pub maxapplications: u64,
    /// See [`super::properties`].
    pub properties: Written,
    /// Who may submit.
    pub submitacl: String,
    /// Who may administer, and so submit.
    pub adminacl: String,
    /// Of users and groups.
    pub limits: Vec<Limit>,
    /// For dynamic children.
    pub childtemplate: Template,
    /// Whether the configuration does not have it at the moment; no word of upstream's.
    #[serde(skip)]
    pub absent: bool,
}

/// What a dynamic leaf takes over.
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
    /// What the queue is guaranteed.
    pub guaranteed: Written,
    /// What it may use.
    pub max: Written,
}

/// What users and groups may use in a queue.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Limit {
    /// A text for people.
    pub limit: String,
    /// Names, or `*`.
    pub users: Vec<String>,
    /// Names, or `*`.
    pub groups: Vec<String>,
    /// Empty is unlimited.
    pub maxresources: Written,
    /// 0 is unlimited.
    pub maxapplications: u64,
}

/// Which queue an application goes to.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Rule {
    /// `provided`, `user` or `fixed`.
    pub name: String,
    /// Whether missing queues are made.
    pub create: bool,
    /// The path of `fixed`.
    pub value: String,
    /// What gives the path above.
    pub parent: Option<Box<Rule>>,
    /// Whose applications it takes.
    pub filter: Filter,
}

/// Whose applications a rule takes. Kept, not applied.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// `allow` (or empty) or `deny`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Names, or one expression.
    pub users: Vec<String>,
    /// Names, or one expression.
    pub groups: Vec<String>,
}

/// Names of the resource types in byte order; a type is its place here.
pub type Types = Vec<String>;

/// Quantities as written into amounts; `None` if one is refused or its type is not known.
pub fn amounts(types: &Types, written: &Written) -> Option<Amounts> {
    let mut out = Amounts::EMPTY;
    for (name, text) in written {
        let of = types.binary_search(name).ok()?;
        out.set(of, quantity::parse(name, text)?);
    }
    Some(out)
}

/// As [`amounts`], but *none* unless something is above 0 and nothing below.
pub fn positive(types: &Types, written: &Written) -> Amounts {
    amounts(types, written).filter(Amounts::positive).unwrap_or(Amounts::NONE)
}

/// The types a file names, added to `types`.
pub fn collect_types(file: &File, types: &mut Types) {
    for partition in &file.partitions {
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
    /// The root queue with everything below: the one of that name, or a new one above the list.
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

    /// How nodes are ordered.
    pub fn node_sort(&self) -> NodeSort {
        match self.nodesortpolicy.kind.as_str() {
            "binpacking" => NodeSort::BinPacking,
            _ => NodeSort::Fair,
        }
    }

    /// Weights by type; types that are not listed do not count.
    pub fn weights(&self, types: &Types) -> [f64; TYPES_MAX] {
        let mut weights = [0.0; TYPES_MAX];
        let listed = &self.nodesortpolicy.resourceweights;
        for (of, name) in types.iter().enumerate().take(TYPES_MAX) {
            let default = if name == "vcore" || name == "memory" { 1.0 } else { 0.0 };
            weights[of] = match listed.is_empty() {
                true => default,
                false => listed.get(name).copied().unwrap_or(0.0),
            };
        }
        weights
    }
}
