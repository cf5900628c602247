//! Conversion of the queues of a scenario to a configuration of upstream.
//!
//! # Rule
//! Quota is `guaranteed`, limit is `max`, the priority of a queue its `priority.offset`; all other values come from
//! YuniKorn's own settings. A queue named `a.b` below a queue `a` is `b` there; characters that upstream rejects become
//! `_`.
//!
//! # Source
//! yunikorn.md 1.1 to 1.5
//!
//! # Differs
//! fractions of GPUs do not exist: quotas and limits of GPUs are rounded down

use std::sync::Arc;

use super::amounts::Amounts;
use super::config::{self, Partition, Types};
use super::properties::Written;
use super::quantity;
use super::words::Config;
use crate::cluster::{Queue, QueueResource};
use crate::id::{Arena, Id, QueueId};
use crate::trace::Value;
use crate::units::{Bound, Resource};

/// Maximum length of a queue name.
const NAME_MAX: usize = 64;

/// Resource types of upstream for the resources of a scenario. Pod slots have no resource in the scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceTypes {
    /// All resource types in use, in byte order.
    pub names: Types,
    /// Indices of CPU, memory, GPU and pods.
    of: [usize; 4],
    /// Indices of the named resources, in the order of the scenario.
    named: Vec<usize>,
    /// Whether pod slots are counted.
    counts_pods: bool,
}

impl ResourceTypes {
    /// Collects the types of a partition.
    pub fn new(partition: &Partition, config: &Config, named: &[Arc<str>]) -> ResourceTypes {
        let own_names = ["vcore", "memory", config.gpu_type.as_str(), "pods"];
        let mut names: Types =
            own_names.iter().copied().chain(named.iter().map(|name| &**name)).map(str::to_owned).collect();
        config::collect_types(std::slice::from_ref(partition), &mut names);
        names.extend(config.later_types.iter().cloned());
        names.sort();
        names.dedup();
        let index = |name: &str| names.iter().position(|other| other == name).unwrap_or_default();
        let (of, named) = (own_names.map(index), named.iter().map(|name| index(name)).collect());
        ResourceTypes { names, of, named, counts_pods: true }
    }

    /// Index of a resource.
    pub fn of(&self, resource: Resource) -> Option<usize> {
        match resource.nth_named() {
            Some(n) => self.named.get(n).copied(),
            None => self.of.get(resource.index()).copied(),
        }
    }

    /// GPU, CPU and memory with their indices, in the order in which they explain a decision.
    pub fn accounted(&self) -> impl Iterator<Item = (Resource, usize)> {
        let [cpu, memory, gpu, _] = self.of;
        [(Resource::GPU, gpu), (Resource::CPU, cpu), (Resource::MEMORY, memory)].into_iter()
    }

    /// CPU, memory and GPUs in policy units.
    pub fn triple(&self, amounts: &Amounts) -> Value {
        Value::Triple(Resource::ACCOUNTED.map(|r| self.of(r).map_or(0.0, |index| amounts.get(index) as f64)))
    }

    /// All resources, in the order in which refusals report them.
    pub fn resources(&self) -> impl Iterator<Item = Resource> + use<> {
        let named = (0..self.named.len()).map(Resource::named);
        [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().chain(named)
    }

    /// Sets whether pod slots are counted; they are only if a limit on them exists.
    pub fn counting_pods(self, counts_pods: bool) -> ResourceTypes {
        ResourceTypes { counts_pods, ..self }
    }

    /// Index of pod slots; `None` if they are not counted.
    pub fn pods(&self) -> Option<usize> {
        Some(self.of[3]).filter(|_| self.counts_pods)
    }
}

/// Converts base units to units of upstream: whole GPUs and named resources, millicores, bytes.
pub fn counted(resource: Resource, base_units: i64) -> i64 {
    if resource >= Resource::GPU { base_units / 1000 } else { base_units }
}

/// Paths of all queues, from `root`.
pub fn paths(queues: &Arena<QueueId, Queue>) -> Vec<String> {
    let mut own_names: Vec<String> = Vec::new();
    for (id, queue) in queues.iter() {
        let name = own_name(queues, id);
        let siblings = match queue.parent {
            Some(parent) => queues[parent].children.as_slice(),
            None => &[],
        };
        let is_earlier = |&other: &QueueId| other < id && own_names[other.index()] == name;
        let is_taken = match queue.parent {
            Some(_) => siblings.iter().any(is_earlier),
            None => queues.ids().filter(|&other| queues[other].parent.is_none()).any(|other| is_earlier(&other)),
        };
        own_names.push(if is_taken { format!("{name}#{}", id.index()) } else { name });
    }
    let path = |id: QueueId| {
        let mut steps: Vec<&str> =
            std::iter::successors(Some(id), |&q| queues[q].parent).map(|q| own_names[q.index()].as_str()).collect();
        steps.push("root");
        steps.reverse();
        steps.join(".")
    };
    queues.ids().map(path).collect()
}

fn own_name(queues: &Arena<QueueId, Queue>, id: QueueId) -> String {
    let queue = &queues[id];
    let name = queue.name.to_lowercase();
    let parent = queue.parent.map_or("root".to_owned(), |parent| queues[parent].name.to_lowercase());
    let own_name = name.strip_prefix(&parent).and_then(|rest| rest.strip_prefix('.')).unwrap_or(&name);
    let legal = |c: char| c.is_ascii_alphanumeric() || "_:#/@-".contains(c);
    let own_name = own_name.replace('.', "_dot_");
    own_name.chars().take(NAME_MAX).map(|c| if legal(c) { c } else { '_' }).collect()
}

/// Builds the configuration of a partition.
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

/// Builds the configuration of a queue; `None` if it is absent.
fn configured(queues: &Arena<QueueId, Queue>, paths: &[String], config: &Config, id: QueueId) -> Option<config::Queue> {
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
    out.queues = queue.children.iter().filter_map(|&child| configured(queues, paths, config, child)).collect();
    written(queue, config, &|values| values.quota, &mut out.resources.guaranteed);
    written(queue, config, &|values| values.limit, &mut out.resources.max);
    Some(out)
}

fn written(queue: &Queue, config: &Config, which: &dyn Fn(&QueueResource) -> Bound, out: &mut Written) {
    let types = [(Resource::CPU, "vcore"), (Resource::MEMORY, "memory"), (Resource::GPU, &config.gpu_type)];
    for (resource, name) in types {
        if let Bound::At(amount) = which(&queue.resources.get(resource)) {
            let value = counted(resource, amount.in_base_units().max(0));
            let text = if resource == Resource::GPU { value.to_string() } else { quantity::print(name, value) };
            out.insert(name.to_owned(), text);
        }
    }
}
