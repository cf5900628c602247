//! Export of departments and projects in the format of Run:ai's API.
//!
//! # Rule
//! A top-level queue with children is a department, every other queue a project. Each node pool has an entry with GPU,
//! CPU (millicores), memory (MiB) and rank; -1 is unlimited, and values absent in the scenario are omitted.
//!
//! # Source
//! NVIDIA Run:ai, REST API reference, organizations: projects and departments
//!
//! # Differs
//! departments and node pools are referred to by name, because their ids belong to a cluster

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::value::RawValue;

use super::config::{OverQuota, Sharing};
use crate::cluster::{Queue, QueueResource};
use crate::format::quantity::print_decimal;
use crate::id::{Id, QueueId};
use crate::policy::Policy;
use crate::policy::export::{Export, Source, Written};
use crate::units::{Bound, Resource, Weight};

/// The file with departments and projects.
pub const ORGANISATION: Export = Export {
    file: "runai-projects.json",
    media: "application/json",
    about: "Departments and projects as Run:ai's API lists them, without nodes and work.",
    write,
};

/// Ranks, the lowest first; a scenario numbers them from 0.
const RANKS: [&str; 7] = ["VeryLow", "Low", "MediumLow", "Medium", "MediumHigh", "High", "VeryHigh"];
/// Priority of a queue without one: above all ranks.
const UNRANKED: i32 = 100;
const MIB: i64 = 1 << 20;

#[derive(Serialize)]
struct Lists<'a> {
    departments: Vec<Unit<'a>>,
    projects: Vec<Unit<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Unit<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<Named<'a>>,
    resources: Vec<InPool<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    default_node_pools: &'a [String],
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InPool<'a> {
    node_pool: Named<'a>,
    gpu: Terms,
    #[serde(skip_serializing_if = "Terms::is_empty")]
    cpu: Terms,
    #[serde(skip_serializing_if = "Terms::is_empty")]
    memory: Terms,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Terms {
    #[serde(skip_serializing_if = "Option::is_none")]
    deserved: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    over_quota_weight: Option<Box<RawValue>>,
}

impl Terms {
    fn is_empty(&self) -> bool {
        self.deserved.is_none() && self.limit.is_none() && self.over_quota_weight.is_none()
    }
}

fn write(source: &Source<'_>) -> Option<Written> {
    let queues = &source.cluster.queues;
    let is_department = |queue: &Queue| queue.parent.is_none() && !queue.children.is_empty();
    let mut lists = Lists { departments: Vec::new(), projects: Vec::new() };
    let mut deeper = BTreeSet::new();
    for id in queues.ids() {
        let queue = &queues[id];
        if queue.parent.is_some_and(|parent| queues[parent].parent.is_some()) {
            deeper.insert(&*queue.name);
            continue;
        }
        let list = if is_department(queue) { &mut lists.departments } else { &mut lists.projects };
        list.push(unit(source, id)?);
    }
    let mut left_out: Vec<String> = source
        .remark(&deeper, "Run:ai has departments and projects; deeper queues are not written")
        .into_iter()
        .collect();
    left_out.extend(source.remark(&odd_ranks(source), "the rank is the nearest of Run:ai's seven"));
    left_out.extend(source.remark(&cut_memory(source), "memory is rounded up to whole MiB"));
    let mut text = serde_json::to_string_pretty(&lists).ok()?;
    text.push('\n');
    Some(Written { text, left_out })
}

fn unit<'a>(source: &Source<'a>, id: QueueId) -> Option<Unit<'a>> {
    let queues = &source.cluster.queues;
    let has_names = source.cluster.partitions.len() > 1 || !source.scenario.pools.is_empty();
    let mut resources = Vec::new();
    for (pool, queues, policy) in source.partitions() {
        let Policy::Runai(config) = policy else { return None };
        let name = &source.cluster.partitions[pool].name;
        let queue = &queues[id];
        resources.push(InPool {
            node_pool: Named { name: if has_names { name } else { "default" } },
            gpu: gpus(queue, &config.sharing),
            cpu: cpu_or_memory(queue.resources.cpu, Resource::CPU),
            memory: cpu_or_memory(queue.resources.memory, Resource::MEMORY),
            rank: if has_ranks(source) { rank(queue.priority.unwrap_or(UNRANKED)) } else { None },
        });
    }
    Some(Unit {
        name: &queues[id].name,
        parent: queues[id].parent.map(|parent| Named { name: &queues[parent].name }),
        resources,
        default_node_pools: &source.scenario.queues[id.index()].default_pools,
    })
}

/// Whether any queue has a rank; a queue without one precedes all queues with one.
fn has_ranks(source: &Source<'_>) -> bool {
    source.partitions().any(|(_, queues, _)| queues.values().any(|queue| queue.priority.is_some()))
}

fn rank(priority: i32) -> Option<&'static str> {
    let index = usize::try_from(priority.max(0)).ok()?;
    RANKS.get(index.min(RANKS.len() - 1)).copied()
}

fn number(text: String) -> Option<Box<RawValue>> {
    RawValue::from_string(text).ok()
}

fn weight(weight: Weight) -> Option<Box<RawValue>> {
    number(print_decimal(weight.in_millionths(), 6))
}

/// Terms of GPUs: an absent quota is 0, an absent limit unlimited.
fn gpus(queue: &Queue, sharing: &Sharing) -> Terms {
    let bounds = queue.resources.gpu;
    let level_name = sharing.over_quota.get(&queue.name);
    let is_off = level_name == Some(&OverQuota::Off);
    let bound = |bound: Bound, unset: &str| match bound {
        Bound::Unset => number(unset.into()),
        Bound::Unlimited => number("-1".into()),
        Bound::At(amount) => number(print_decimal(amount.in_base_units(), 3)),
    };
    let level = level_name.and_then(|level_name| OverQuota::LEVELS.iter().position(|(_, level)| level == level_name));
    let of_level = level.and_then(|level| number(level.saturating_sub(1).to_string()));
    Terms {
        deserved: bound(bounds.quota, "0"),
        // Without over-quota, the quota is the limit.
        limit: if is_off { bound(bounds.quota, "0") } else { bound(bounds.limit, "-1") },
        over_quota_weight: of_level.or_else(|| bounds.weight.and_then(weight)),
    }
}

fn cpu_or_memory(bounds: QueueResource, resource: Resource) -> Terms {
    let bound = |bound: Bound| match bound {
        Bound::Unset => None,
        Bound::Unlimited => number("-1".into()),
        Bound::At(amount) => number(in_units(amount.in_base_units(), resource).to_string()),
    };
    Terms {
        deserved: bound(bounds.quota),
        limit: bound(bounds.limit),
        over_quota_weight: bounds.weight.and_then(weight),
    }
}

/// Millicores, or MiB rounded up.
fn in_units(n: i64, resource: Resource) -> i64 {
    if resource == Resource::MEMORY { n / MIB + i64::from(n % MIB != 0) } else { n }
}

fn odd_ranks<'a>(source: &Source<'a>) -> BTreeSet<&'a str> {
    let has_rank = |priority: i32| usize::try_from(priority).is_ok_and(|index| index < RANKS.len());
    let odd = source.partitions().flat_map(|(_, queues, _)| queues.values());
    let is_odd = |queue: &&Queue| !has_rank(queue.priority.unwrap_or(UNRANKED));
    odd.filter(|queue| has_ranks(source) && is_odd(queue)).map(|queue| &*queue.name).collect()
}

fn cut_memory<'a>(source: &Source<'a>) -> BTreeSet<&'a str> {
    let is_cut = |bound: Bound| matches!(bound, Bound::At(amount) if amount.in_base_units() % MIB != 0);
    let all = source.partitions().flat_map(|(_, queues, _)| queues.values());
    all.filter(|queue| is_cut(queue.resources.memory.quota) || is_cut(queue.resources.memory.limit))
        .map(|queue| &*queue.name)
        .collect()
}
