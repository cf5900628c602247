//! Export of a scenario as `queues.yaml`: each node pool is a partition with the queues whose jobs run there.
//!
//! # Rule
//! Every pool becomes a partition. Amounts keep their notation, and the root accepts jobs of every user unless the
//! scenario configures otherwise.
//!
//! # Source
//! Apache YuniKorn, `docs/user_guide/queue_config.md`
//!
//! # Differs
//! nothing

use std::sync::Arc;

use super::config::{self, Partition, Written as Amounts, parse};
use super::words::Config;
use super::{file, partition};
use crate::cluster::Queue;
use crate::format::{Scalar, Scenario};
use crate::id::{Arena, Id, PartitionId, QueueId};
use crate::policy::Policy;
use crate::policy::export::{Export, Source, Written};

/// The configuration file.
pub const QUEUES: Export = Export {
    file: "queues.yaml",
    media: "application/yaml",
    about: "The queues as YuniKorn reads them, without nodes and work.",
    write,
};

fn write(source: &Source<'_>) -> Option<Written> {
    let partitions: Option<Vec<Partition>> =
        source.partitions().map(|(pool, queues, policy)| partition_of(source, (pool, queues), policy)).collect();
    Some(Written { text: file::file(&partitions?).block(), left_out: Vec::new() })
}

fn partition_of(
    source: &Source<'_>,
    (pool, queues): (PartitionId, &Arena<QueueId, Queue>),
    policy: &Policy,
) -> Option<Partition> {
    let Policy::YuniKorn(policy) = policy else { return None };
    let scenario = source.scenario;
    let mut partition = partition::partition(queues, policy);
    let paths = partition::paths(queues);
    for (id, path) in queues.ids().zip(&paths) {
        if let Some(queue) = find(&mut partition, path) {
            as_typed(scenario, (id, pool), policy, queue);
        }
    }
    let root_says = |word: &str| {
        let of_pool = scenario.pools.get(pool.index()).is_some_and(|pool| pool.settings.contains_key(word));
        of_pool || scenario.settings.contains_key(word)
    };
    let names = own_tops(scenario, queues, &paths, pool);
    for root in &mut partition.queues {
        if !policy.queues.get("root").is_some_and(|_| root_says("submitacl.root")) {
            root.submitacl = "*".into();
        }
        if let Some(names) = &names {
            root.queues.retain(|top| names.iter().any(|(_, name)| *name == top.name));
            for top in &mut root.queues {
                if let Some((file_name, _)) = names.iter().find(|(_, name)| *name == top.name) {
                    top.name.clone_from(file_name);
                }
            }
            partition.name = source.cluster.partitions[pool].name.to_string();
        }
    }
    Some(partition)
}

/// With several pools: the top-level queues of one pool, with their own names and the names in the scenario. A name
/// that occurs in another pool has the pool's name as a prefix in the scenario.
fn own_tops(
    scenario: &Scenario,
    queues: &Arena<QueueId, Queue>,
    paths: &[String],
    pool: PartitionId,
) -> Option<Vec<(String, String)>> {
    let name = &scenario.pools.get(pool.index()).filter(|_| scenario.pools.len() > 1)?.name;
    let is_first = pool.index() == 0;
    let mut own_names = Vec::new();
    for id in queues.ids().filter(|&id| queues[id].parent.is_none()) {
        let entry = &scenario.queues[id.index()];
        let is_here = entry.default_pools.first().map_or(is_first, |first| first == name);
        let name_in_file = paths[id.index()].rsplit('.').next().unwrap_or_default().to_string();
        let suffix = entry.name.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.'));
        if is_here {
            own_names.push((suffix.map_or(name_in_file.clone(), str::to_string), name_in_file));
        }
    }
    Some(own_names)
}

fn find<'a>(partition: &'a mut Partition, path: &str) -> Option<&'a mut config::Queue> {
    let mut names = path.split('.').skip(1);
    let root = partition.queues.first_mut()?;
    names.try_fold(root, |queue, name| queue.queues.iter_mut().find(|child| child.name == name))
}

/// Restores the notation of the quantities of a queue, for the pool or for all pools, where the value is the same.
fn as_typed(scenario: &Scenario, (id, pool): (QueueId, PartitionId), policy: &Config, queue: &mut config::Queue) {
    let entry = &scenario.queues[id.index()];
    let pool = scenario.pools.get(pool.index()).map(|pool| pool.name.as_str());
    let pool_entry = entry.pools.iter().find(|row| Some(row.name.as_str()) == pool);
    let gpu_type: Arc<str> = policy.gpu_type.as_str().into();
    let parts = [
        ("vcore", &entry.cpu, pool_entry.map(|pool_entry| &pool_entry.cpu)),
        ("memory", &entry.memory, pool_entry.map(|pool_entry| &pool_entry.memory)),
        (&*gpu_type, &entry.gpu, pool_entry.map(|pool_entry| &pool_entry.gpu)),
    ];
    for (resource, part, pool_entry) in parts {
        let typed = |field: fn(&crate::format::ResourceEntry) -> &Option<Scalar>| {
            pool_entry.and_then(|pool_entry| field(pool_entry).as_ref()).or(field(part).as_ref())
        };
        keep(resource, typed(|part| &part.quota), &mut queue.resources.guaranteed);
        keep(resource, typed(|part| &part.limit), &mut queue.resources.max);
    }
}

/// Restores the notation of a quantity where the value is the same.
fn keep(resource: &str, typed: Option<&Scalar>, written: &mut Amounts) {
    let Some(typed) = typed.map(|scalar| scalar.0.trim()) else { return };
    if let Some(text) = written.get_mut(resource).filter(|text| parse(resource, text) == parse(resource, typed)) {
        *text = typed.to_string();
    }
}
