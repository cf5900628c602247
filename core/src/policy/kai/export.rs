//! Export of queues as objects of KAI's API.
//!
//! # Rule
//! One object per queue with its priority, parent and all three resources: a queue with omitted resources is rejected.
//! CPU in millicores, memory in 10^6 bytes, -1 for unlimited. In a further pool the same queue is another object, whose
//! name ends with the pool's.
//!
//! # Source
//! KAI Scheduler, custom resource definition `queues.scheduling.run.ai`, version `v2`; `docs/queues`
//!
//! # Differs
//! objects contain neither past usage nor the age of a queue

use std::collections::BTreeSet;

use super::names::Names;
use crate::cluster::{Queue, QueueResource};
use crate::format::quantity::print_decimal;
use crate::format::yaml::{Yaml, map, text};
use crate::id::{Arena, Id, QueueId};
use crate::policy::export::{Export, Source, Written};
use crate::time::Span;
use crate::units::{Bound, Resource, Weight};

/// Queue objects.
pub const QUEUES: Export = Export {
    file: "kai-queues.yaml",
    media: "application/yaml",
    about: "The queues as objects of KAI's API, for kubectl apply, without nodes and work.",
    write,
};

/// Label that assigns nodes, queues and pod groups to a shard of the scheduler.
pub(super) const SHARD: &str = "kai.scheduler/node-pool";
/// Default priority of a queue.
pub(super) const PRIORITY: i32 = 100;

fn write(source: &Source<'_>) -> Option<Written> {
    let names = Names::of_queues(source);
    let mut objects = Vec::new();
    for (pool, queues, _) in source.partitions() {
        for id in queues.ids() {
            objects.push(object(source, &names, queues, (id, pool.index())));
        }
    }
    Some(Written { text: documents(&objects), left_out: left_out(source, &names) })
}

/// Joins objects into one multi-document file.
pub(super) fn documents(objects: &[Yaml]) -> String {
    let blocks: Vec<String> = objects.iter().map(Yaml::block).collect();
    blocks.join("---\n")
}

fn object(source: &Source<'_>, names: &Names, queues: &Arena<QueueId, Queue>, (id, pool): (QueueId, usize)) -> Yaml {
    let queue = &queues[id];
    let name = names.queue(id, pool);
    let shown = match &*queue.display_name {
        "" => &*queue.name,
        shown => shown,
    };
    let shard = names.shard(pool).map_or(Yaml::Map(Vec::new()), |pool| map([(SHARD, text(pool))]));
    let note = &source.scenario.queues[id.index()].note;
    let about = if note.is_empty() { Yaml::Map(Vec::new()) } else { map([("fairground/note", text(note))]) };
    map([
        ("apiVersion", text("scheduling.run.ai/v2")),
        ("kind", text("Queue")),
        ("metadata", map([("name", text(&name)), ("labels", shard), ("annotations", about)])),
        (
            "spec",
            map([
                ("displayName", text(if shown == name { "" } else { shown })),
                ("parentQueue", text(&queue.parent.map_or(String::new(), |parent| names.queue(parent, pool)))),
                ("priority", Yaml::Value(queue.priority.unwrap_or(PRIORITY).to_string())),
                ("preemptMinRuntime", duration(queue.preempt_min_runtime)),
                ("reclaimMinRuntime", duration(queue.reclaim_min_runtime)),
                (
                    "resources",
                    map([
                        ("gpu", amounts(queue.resources.gpu, Resource::GPU)),
                        ("cpu", amounts(queue.resources.cpu, Resource::CPU)),
                        ("memory", amounts(queue.resources.memory, Resource::MEMORY)),
                    ]),
                ),
            ]),
        ),
    ])
}

fn amounts(resource: QueueResource, kind: Resource) -> Yaml {
    map([
        ("quota", bound(resource.quota, kind)),
        ("limit", bound(resource.limit, kind)),
        ("overQuotaWeight", weight(resource.weight)),
    ])
}

fn bound(bound: Bound, resource: Resource) -> Yaml {
    let digits = match resource {
        Resource::GPU => 3,
        Resource::MEMORY => 6,
        _ => 0,
    };
    Yaml::Value(match bound {
        Bound::Unset => "0".into(),
        Bound::Unlimited => "-1".into(),
        Bound::At(amount) => print_decimal(amount.in_base_units(), digits),
    })
}

fn weight(weight: Option<Weight>) -> Yaml {
    Yaml::Value(print_decimal(weight.unwrap_or_default().in_millionths(), 6))
}

/// A duration in Go's format.
pub(super) fn duration(span: Option<Span>) -> Yaml {
    let written = |span: Span| format!("{}s", print_decimal(span.as_millis(), 3));
    text(&span.map_or(String::new(), written))
}

fn left_out(source: &Source<'_>, names: &Names) -> Vec<String> {
    let queues = &source.cluster.queues;
    let typed = |id: &QueueId| &source.scenario.queues[id.index()];
    let names_where = |applies: &dyn Fn(&QueueId) -> bool| -> BTreeSet<&str> {
        queues.ids().filter(applies).map(|id| &*queues[id].name).collect()
    };
    let used = names_where(&|id| {
        let usage = queues[*id].usage;
        [usage.cpu, usage.memory, usage.gpu].iter().any(|usage| usage.in_millionths() != 0)
    });
    let aged = names_where(&|id| typed(id).created.is_some());
    let pooled = names_where(&|id| !typed(id).default_pools.is_empty());
    let renamed = names_where(&|id| names.queue(*id, 0) != *queues[*id].name);
    let remarks = [
        source.remark(&used, "past usage is in no object, KAI reads it from its usage database"),
        source.remark(&aged, "the cluster gives a queue its age when it is made; not written"),
        source.remark(&pooled, "default pools are chosen by the label of each pod group; not written"),
        source.remark(&renamed, "names that Kubernetes refuses were changed, the old one is displayName"),
    ];
    remarks.into_iter().flatten().collect()
}
