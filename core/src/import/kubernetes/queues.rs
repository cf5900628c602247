//! The queues, as KAI's API has them.

use std::collections::BTreeSet;

use super::objects::{Kind, Object};
use super::{Cluster, Report, counted, moment, wrong};
use crate::import::loose::Place;
use crate::scenario::quantity;
use crate::scenario::{JobEntry, QueueEntry, ResourceEntry, Scalar};

/// The label that puts nodes, queues and pod groups into a shard of the scheduler.
const SHARD: &str = "kai.scheduler/node-pool";

/// All queues, also those that only jobs name.
pub fn queues(cluster: &Cluster<'_>, jobs: &[JobEntry], report: &mut Report) -> Vec<QueueEntry> {
    let listed = cluster.objects.of_kind(Kind::Queue);
    let n_pools = listed.iter().filter(|queue| queue.label(SHARD).is_some()).count();
    if n_pools > 0 {
        report.ignored.push(format!("the node pool of {}", counted(n_pools as u64, "queue")));
    }
    let mut queues: Vec<QueueEntry> =
        listed.iter().map(|queue| self::queue(queue, cluster, report)).collect();
    let known: BTreeSet<&str> = listed.iter().map(|queue| queue.name).collect();
    let named = jobs.iter().map(|job| job.queue.as_str());
    let named = named.chain(listed.iter().filter_map(|queue| queue.place.scalar(&["spec", "parentQueue"])));
    let missing: BTreeSet<&str> = named.filter(|name| !name.is_empty() && !known.contains(name)).collect();
    if !missing.is_empty() {
        let names = missing.iter().copied().collect::<Vec<_>>().join(", ");
        report.assumed.push(format!("queues that the text does not have, without limits: {names}"));
    }
    queues.extend(missing.into_iter().map(unlimited));
    queues
}

/// A queue that everything fits in.
fn unlimited(name: &str) -> QueueEntry {
    let free = ResourceEntry {
        quota: Some("unlimited".into()),
        limit: Some("unlimited".into()),
        weight: Some("1".into()),
        usage: None,
    };
    let (gpu, cpu, memory) = (free.clone(), free.clone(), free);
    QueueEntry { name: name.to_string(), gpu, cpu, memory, ..QueueEntry::default() }
}

fn queue(object: &Object<'_>, cluster: &Cluster<'_>, report: &mut Report) -> QueueEntry {
    let place = &object.place;
    let resources = place.at(&["spec", "resources"]);
    let mut of = |key, unit| match &resources {
        Some(resources) => resource(resources, key, unit, report),
        None => ResourceEntry::default(),
    };
    // A number counts GPUs, millicores, or a million bytes, as a memory without a unit does in a queue.
    let (gpu, cpu, memory) = (of("gpu", ""), of("cpu", "m"), of("memory", ""));
    let text = |key| place.scalar(&["spec", key]).filter(|text| !text.is_empty());
    let shown = text("displayName").filter(|shown| *shown != object.name);
    QueueEntry {
        name: object.name.to_string(),
        parent: text("parentQueue").map(str::to_string),
        priority: text("priority").map(Scalar::from),
        created: cluster.since(object.created_ms).map(moment),
        gpu,
        cpu,
        memory,
        preempt_min_runtime: text("preemptMinRuntime").map(Scalar::from),
        reclaim_min_runtime: text("reclaimMinRuntime").map(Scalar::from),
        display_name: shown.unwrap_or_default().to_string(),
        ..QueueEntry::default()
    }
}

fn resource(resources: &Place<'_>, key: &str, unit: &str, report: &mut Report) -> ResourceEntry {
    let mut of = |field: &str, unit: &str| {
        let place = resources.at(&[key, field])?;
        let text = place.scalar(&[]).unwrap_or_default().trim();
        if text.starts_with('-') {
            return Some(Scalar::from("unlimited"));
        }
        if quantity::millionths(text).is_err() {
            report.diagnostics.push(wrong(&place, format!("{field} of {key} is {text}, which is no number")));
            return None;
        }
        Some(Scalar(format!("{text}{unit}")))
    };
    ResourceEntry {
        quota: of("quota", unit),
        limit: of("limit", unit),
        weight: of("overQuotaWeight", ""),
        usage: None,
    }
}
