//! Imports the queues of Volcano. Its pod groups and pods are read like those of KAI.
//!
//! # Source
//! Volcano, API types `scheduling.volcano.sh/v1beta1`
//!
//! # Differs
//! Volcano itself is not simulated. The guarantee of a queue becomes its quota, which other queues may use while it is
//! idle.

use std::collections::BTreeSet;

use super::objects::{Object, ObjectKind};
use super::{Cluster, Report, moment};
use crate::import::amounts::Amounts;
use crate::scenario::{QueueEntry, ResourceEntry, Scalar};

/// Name of the root queue, which has the whole cluster.
const ROOT: &str = "root";

/// Returns all queues except the root.
pub fn queues(cluster: &Cluster<'_>, report: &mut Report) -> Vec<QueueEntry> {
    let all = cluster.objects.of_kind(ObjectKind::VolcanoQueue).iter().filter(|queue| queue.name != ROOT);
    all.map(|queue| self::queue(queue, cluster, report)).collect()
}

fn queue(object: &Object<'_>, cluster: &Cluster<'_>, report: &mut Report) -> QueueEntry {
    let spec = |keys: &[&str]| object.place.get("spec").and_then(|spec| spec.at(keys));
    let mut others: BTreeSet<String> = BTreeSet::new();
    let mut amounts = |keys: &[&str]| {
        let read = spec(keys).map(|place| Amounts::read(&place, report))?;
        others.extend(read.others.keys().cloned());
        Some(read)
    };
    let limit = amounts(&["capability"]).unwrap_or_default().written().0;
    let mut quota = amounts(&["deserved"]).unwrap_or_default();
    if let Some(guaranteed) = amounts(&["guarantee", "resource"]) {
        quota.raise(&guaranteed);
    }
    let quota = quota.written().0;
    if !others.is_empty() {
        let names = others.into_iter().collect::<Vec<_>>().join(", ");
        report.ignore(format!("{} ({}): amounts of {names}", object.called(), object.place.line()));
    }
    if let Some(state) = object.place.scalar(&["status", "state"]).filter(|state| *state != "Open") {
        let message = format!("is {state} and takes no new jobs in Volcano; here it takes them");
        report.ignore(format!("status.state of {} ({}): it {message}", object.called(), object.place.line()));
    }
    let weight = object.place.scalar(&["spec", "weight"]).unwrap_or("1");
    let [gpu, cpu, memory] = [0, 1, 2].map(|i| ResourceEntry {
        quota: Some(quota[i].clone().unwrap_or_else(|| "0".into())),
        limit: Some(limit[i].clone().unwrap_or_else(|| "unlimited".into())),
        weight: Some(weight.into()),
        usage: None,
    });
    let text = |key| object.place.scalar(&["spec", key]).filter(|text| !text.is_empty());
    QueueEntry {
        name: object.name.to_string(),
        parent: text("parent").filter(|parent| *parent != ROOT).map(str::to_string),
        priority: text("priority").map(Scalar::from),
        created: cluster.since(object.created_ms).map(moment),
        gpu,
        cpu,
        memory,
        ..QueueEntry::default()
    }
}
