//! Imports the queues of KAI, Volcano and Kueue, and those that are only referred to.

use std::collections::BTreeSet;

use super::objects::{Object, ObjectKind};
use super::{Cluster, Report, counted, kueue, moment, shards, volcano};
use crate::import::reader::LocatedValue;
use crate::scenario::{
    JobEntry, Path, PoolEntry, QueueEntry, ResourceEntry, Scalar, codes, finding, quantity, quoted, unlimited_queue,
};

/// Label with the scheduler shard of nodes, queues and pod groups.
const SHARD: &str = "kai.scheduler/node-pool";

/// Returns all queues, including those that only jobs refer to.
pub fn queues(cluster: &Cluster<'_>, jobs: &[JobEntry], pools: &[PoolEntry], report: &mut Report) -> Vec<QueueEntry> {
    let listed = cluster.objects.of_kind(ObjectKind::Queue);
    let n_pools = listed.iter().filter(|queue| queue.label(SHARD).is_some()).count();
    if n_pools > 0 && pools.is_empty() {
        report.ignore(format!("the node pool of {}", counted(n_pools as u64, "queue")));
    }
    let mut queues: Vec<QueueEntry> = listed.iter().map(|queue| self::queue(queue, cluster, report)).collect();
    for (queue, object) in queues.iter_mut().zip(listed).filter(|(queue, _)| queue.parent.is_none()) {
        queue.default_pools = shards::pool_of(object, SHARD, pools).into_iter().collect();
    }
    queues.extend(volcano::queues(cluster, report));
    queues.extend(kueue::queues(cluster, report));
    report.has_queues = !queues.is_empty();
    let mut queue_names: BTreeSet<&str> = BTreeSet::new();
    for name in queues.iter().map(|queue| queue.name.as_str()) {
        if !queue_names.insert(name) {
            let message = format!(
                "two schedulers have a queue called {}; import their objects one after the other",
                quoted(name)
            );
            report.diagnostics.push(finding(codes::IMPORT, Path::default().field("queues"), message));
        }
    }
    let parents = queues.iter().filter_map(|queue| queue.parent.as_deref());
    let named = jobs.iter().map(|job| job.queue.as_str()).chain(parents);
    let missing: BTreeSet<&str> = named.filter(|name| !name.is_empty() && !queue_names.contains(name)).collect();
    let missing: Vec<String> = missing.into_iter().map(str::to_string).collect();
    // Beside a configuration of YuniKorn, its queues are looked up when both are merged.
    if !missing.is_empty() && !cluster.has_yunikorn {
        let names = missing.join(", ");
        report.assume(format!("queues that the text does not have, without limits: {names}"));
    }
    queues.extend(missing.into_iter().map(|name| {
        if cluster.is_yunikorn { QueueEntry { name, ..QueueEntry::default() } } else { unlimited_queue(&name) }
    }));
    queues
}

fn queue(object: &Object<'_>, cluster: &Cluster<'_>, report: &mut Report) -> QueueEntry {
    let place = &object.place;
    let resources = place.at(&["spec", "resources"]);
    let mut resource_entry = |key, unit| match &resources {
        Some(resources) => resource(resources, key, unit, report),
        None => ResourceEntry::default(),
    };
    // Numbers are GPUs, millicores and megabytes, the unit of plain memory values in a queue.
    let (gpu, cpu, memory) = (resource_entry("gpu", ""), resource_entry("cpu", "m"), resource_entry("memory", ""));
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

fn resource(resources: &LocatedValue<'_>, key: &str, unit: &str, report: &mut Report) -> ResourceEntry {
    let mut bound = |field: &str, unit: &str| {
        let place = resources.at(&[key, field])?;
        let text = place.scalar(&[]).unwrap_or_default().trim();
        let negative = text.strip_prefix('-').and_then(|text| text.parse::<f64>().ok()).filter(|n| *n > 0.0);
        if let (Some(n), true) = (negative, field != "overQuotaWeight") {
            if n != 1.0 {
                let message = "a negative number is read as -1, which is unlimited";
                report.assume(format!("{}: {field} of {key} is {text}: {message}", place.line()));
            }
            return Some(Scalar::from("unlimited"));
        }
        if quantity::millionths(text).is_err() {
            let message = match text.parse::<f64>() {
                Ok(n) if n < 0.0 => "which is below 0",
                Ok(n) if n.is_finite() => "which is more than is simulated",
                _ => "which is no number",
            };
            report.diagnostics.push(place.error(format!("{field} of {key} is {text}, {message}")));
            return None;
        }
        Some(Scalar(format!("{text}{unit}")))
    };
    ResourceEntry {
        quota: bound("quota", unit),
        limit: bound("limit", unit),
        weight: bound("overQuotaWeight", ""),
        usage: None,
    }
}
