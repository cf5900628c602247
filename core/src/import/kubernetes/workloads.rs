//! Relates pods to workloads of Kueue, and workloads to queues.

use std::collections::BTreeMap;

use super::Cluster;
use super::objects::{Object, ObjectKind, Objects};

/// Returns the ClusterQueues by namespace and name of the LocalQueue.
pub fn local_queues<'a>(objects: &'a Objects<'a>) -> BTreeMap<(&'a str, &'a str), &'a str> {
    let target =
        |queue: &Object<'a>| Some(((queue.namespace, queue.name), queue.place.scalar(&["spec", "clusterQueue"])?));
    objects.of_kind(ObjectKind::LocalQueue).iter().filter_map(target).collect()
}

/// Returns the workloads by namespace, and kind and name of their owner.
pub fn owned<'a>(objects: &'a Objects<'a>) -> BTreeMap<(&'a str, [&'a str; 2]), &'a str> {
    let assignment = |workload: &Object<'a>| {
        let [kind, name, _] = workload.owner()?;
        Some(((workload.namespace, [kind, name]), workload.name))
    };
    objects.of_kind(ObjectKind::Workload).iter().filter(|workload| is_live(workload)).filter_map(assignment).collect()
}

/// Returns the workload of a pod.
pub fn workload_of<'a>(pod: &Object<'a>, cluster: &Cluster<'a>) -> Option<&'a str> {
    let named = pod.label("kueue.x-k8s.io/pod-group-name").or_else(|| pod.annotation("kueue.x-k8s.io/workload"));
    let [kind, name, _] = pod.owner().unwrap_or(["Pod", pod.name, ""]);
    named.or_else(|| cluster.workloads.get(&(pod.namespace, [kind, name])).copied())
}

/// Returns the queue of a workload.
pub fn queue_of<'a>(workload: &Object<'a>, cluster: &Cluster<'a>) -> Option<&'a str> {
    let place = &workload.place;
    let local = place.scalar(&["spec", "queueName"]);
    let queue = local.and_then(|local| cluster.local_queues.get(&(workload.namespace, local)).copied());
    queue.or_else(|| place.scalar(&["status", "admission", "clusterQueue"])).or(local)
}

/// Whether a condition of a workload is true.
fn is(workload: &Object<'_>, condition: &str) -> bool {
    let conditions = workload.place.items(&["status", "conditions"]);
    let mut of_type = conditions.iter().filter(|place| place.scalar(&["type"]) == Some(condition));
    of_type.any(|place| place.scalar(&["status"]) == Some("True"))
}

/// Whether a workload is active and not finished.
pub fn is_live(workload: &Object<'_>) -> bool {
    !is(workload, "Finished") && workload.place.scalar(&["spec", "active"]) != Some("false")
}

/// Whether quota is reserved for a workload.
pub fn is_admitted(workload: &Object<'_>) -> bool {
    is(workload, "QuotaReserved")
}
