//! A scenario's queues as the configuration upstream would read.
//!
//! # Rule
//! Quota is `guaranteed`, limit is `max`, a queue's priority its `priority.offset`; everything else is said in YuniKorn's own
//! words. A queue called `a.b` below a queue `a` is `b` there; characters that upstream does not take become `_`.
//!
//! # Source
//! yunikorn.md 1.1 to 1.5
//!
//! # Differs
//! a part of a GPU does not exist: quotas and limits of GPUs are cut to whole ones

use std::sync::Arc;

use super::config::{self, Partition, Types};
use super::properties::Written;
use super::quantity;
use super::words::Config;
use crate::cluster::{Queue, QueueResource};
use crate::id::{Arena, Id, QueueId};
use crate::units::{Bound, Resource};

/// Longest name upstream takes.
const NAME_MAX: usize = 64;

/// What upstream calls the resources of a scenario; a pod's slot has no resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kinds {
    /// All resource types that somebody names, in byte order.
    pub names: Types,
    /// CPU, memory, GPU and pods among them.
    of: [usize; 4],
    /// Those that the scenario names, in its order.
    named: Vec<usize>,
    /// Whether slots for pods are counted.
    counts_pods: bool,
}

impl Kinds {
    /// The types of a partition.
    pub fn new(partition: &Partition, config: &Config, named: &[Arc<str>]) -> Kinds {
        let own = ["vcore", "memory", config.gpu_type.as_str(), "pods"];
        let mut names: Types =
            own.iter().copied().chain(named.iter().map(|name| &**name)).map(str::to_owned).collect();
        let file = config::File { partitions: vec![partition.clone()] };
        config::collect_types(&file, &mut names);
        names.extend(config.later_types.iter().cloned());
        names.sort();
        names.dedup();
        let at = |name: &str| names.iter().position(|known| known == name).unwrap_or_default();
        let (of, named) = (own.map(at), named.iter().map(|name| at(name)).collect());
        Kinds { names, of, named, counts_pods: true }
    }

    /// The position of a resource.
    pub fn of(&self, resource: Resource) -> Option<usize> {
        match resource.nth_named() {
            Some(n) => self.named.get(n).copied(),
            None => self.of.get(resource.index()).copied(),
        }
    }

    /// All resources, in the order in which they are looked at when something is missing.
    pub fn resources(&self) -> impl Iterator<Item = Resource> + use<> {
        let named = (0..self.named.len()).map(Resource::named);
        [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().chain(named)
    }

    /// The same; slots for pods are counted only if somebody limits them.
    pub fn counting_pods(self, counts_pods: bool) -> Kinds {
        Kinds { counts_pods, ..self }
    }

    /// The position of slots for pods; `None`: they are not counted.
    pub fn pods(&self) -> Option<usize> {
        Some(self.of[3]).filter(|_| self.counts_pods)
    }
}

/// What upstream counts of a resource: whole GPUs and named things, thousandths of a core, bytes.
pub fn counted(resource: Resource, base_units: i64) -> i64 {
    if resource >= Resource::GPU { base_units / 1000 } else { base_units }
}

/// The paths of all queues, from `root`.
pub fn paths(queues: &Arena<QueueId, Queue>) -> Vec<String> {
    let mut own: Vec<String> = Vec::new();
    for (id, queue) in queues.iter() {
        let name = own_name(queues, id);
        let siblings = match queue.parent {
            Some(parent) => queues[parent].children.as_slice(),
            None => &[],
        };
        let before = |&other: &QueueId| other < id && own[other.index()] == name;
        let taken = match queue.parent {
            Some(_) => siblings.iter().any(before),
            None => queues.ids().filter(|&other| queues[other].parent.is_none()).any(|other| before(&other)),
        };
        own.push(if taken { format!("{name}#{}", id.index()) } else { name });
    }
    let path = |id: QueueId| {
        let mut steps: Vec<&str> =
            std::iter::successors(Some(id), |&q| queues[q].parent).map(|q| own[q.index()].as_str()).collect();
        steps.push("root");
        steps.reverse();
        steps.join(".")
    };
    queues.ids().map(path).collect()
}

fn own_name(queues: &Arena<QueueId, Queue>, id: QueueId) -> String {
    let queue = &queues[id];
    let name = queue.name.to_lowercase();
    let above = queue.parent.map_or("root".to_owned(), |parent| queues[parent].name.to_lowercase());
    let own = name.strip_prefix(&above).and_then(|rest| rest.strip_prefix('.')).unwrap_or(&name);
    let legal = |c: char| c.is_ascii_alphanumeric() || "_:#/@-".contains(c);
    let own = own.replace('.', "_dot_");
    own.chars().take(NAME_MAX).map(|c| if legal(c) { c } else { '_' }).collect()
}

/// The configuration of a partition.
pub fn partition(queues: &Arena<QueueId, Queue>, config: &Config) -> Partition {
    let paths = paths(queues);
    let tops = queues.ids().filter(|&id| queues[id].parent.is_none());
    let mut root = config.queues.get("root").cloned().unwrap_or_default();
    root.name = "root".to_owned();
    root.queues = tops.filter_map(|id| configured(queues, &paths, config, id)).collect();
    let mut partition = config.partition.clone();
    partition.queues = vec![root];
    partition
}

/// A queue as the configuration has it; `None`: it has not.
fn configured(
    queues: &Arena<QueueId, Queue>,
    paths: &[String],
    config: &Config,
    id: QueueId,
) -> Option<config::Queue> {
    let queue = &queues[id];
    let mut out = config.queues.get(&*queue.name).cloned().unwrap_or_default();
    if out.absent {
        return None;
    }
    if let Some(priority) = queue.priority {
        out.properties.entry("priority.offset".to_owned()).or_insert_with(|| priority.to_string());
    }
    let path = &paths[id.index()];
    out.name = path.rsplit('.').next().unwrap_or(path).to_owned();
    out.queues =
        queue.children.iter().filter_map(|&child| configured(queues, paths, config, child)).collect();
    written(queue, config, &|values| values.quota, &mut out.resources.guaranteed);
    written(queue, config, &|values| values.limit, &mut out.resources.max);
    Some(out)
}

fn written(queue: &Queue, config: &Config, which: &dyn Fn(&QueueResource) -> Bound, out: &mut Written) {
    let types = [(Resource::CPU, "vcore"), (Resource::MEMORY, "memory"), (Resource::GPU, &config.gpu_type)];
    for (resource, name) in types {
        if let Bound::At(amount) = which(&queue.resources.get(resource)) {
            let value = counted(resource, amount.in_base_units().max(0));
            let text =
                if resource == Resource::GPU { value.to_string() } else { quantity::print(name, value) };
            out.insert(name.to_owned(), text);
        }
    }
}
