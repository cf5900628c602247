//! Imports the queues and workloads of Kueue.
//!
//! # Rule
//! A ClusterQueue becomes a queue: the nominal quota is the quota, nominal quota plus borrowing limit is the limit, and
//! the fair-sharing weight is the weight. A Cohort becomes the parent queue with the sum of the quotas below; nothing
//! can be borrowed from outside a root Cohort. A LocalQueue is an alias of its ClusterQueue. A Workload becomes a job
//! with its pods, or with its pod sets if the text has no pods of it.
//!
//! # Source
//! Kueue, API types `kueue.x-k8s.io/v1beta1` and `v1beta2`
//!
//! # Differs
//! Kueue itself is not simulated. Quotas of several flavors of a resource are summed. Resources outside every resource
//! group are unlimited.

use std::collections::{BTreeMap, BTreeSet};

use super::objects::{Object, ObjectKind};
use super::pods::{Pod, Request, SchedulingState, texts, toleration};
use super::readers::Family;
use super::workloads::{is_live, queue_of};
use super::{Cluster, Report, moment};
use crate::import::amounts::{GPUS, amount};
use crate::import::reader::LocatedValue;
use crate::scenario::quantity::{print_amount, print_decimal};
use crate::scenario::{PODS_MAX, QueueEntry, ResourceEntry, Scalar, TREE_DEPTH_MAX};
use crate::units::{Amount, Resource};

/// Resources of a queue in field order.
const RESOURCES: [Resource; 3] = [Resource::GPU, Resource::CPU, Resource::MEMORY];

/// Quota of a resource, in base units; `None` if no resource group covers it.
#[derive(Clone, Copy, Default)]
struct Quota {
    nominal: Option<i64>,
    /// Borrowing limit; `None` is unlimited.
    borrowing: Option<i64>,
}

/// A ClusterQueue or a Cohort.
#[derive(Default)]
struct Unit<'a> {
    object: Option<&'a Object<'a>>,
    name: String,
    above: Option<&'a str>,
    quotas: [Quota; 3],
}

/// Returns the queue name of a Cohort, which differs from its own if a ClusterQueue has the same name.
fn cohort(name: &str, cluster: &Cluster<'_>) -> String {
    let is_taken = cluster.objects.of_kind(ObjectKind::ClusterQueue).iter().any(|queue| queue.name == name);
    if is_taken { format!("{name} (cohort)") } else { name.to_string() }
}

/// Returns the name of the parent Cohort under the first of several keys that is set.
fn above<'a>(object: &Object<'a>, keys: [&str; 2]) -> Option<&'a str> {
    let named = keys.iter().find_map(|key| object.place.scalar(&["spec", key]));
    named.filter(|name| !name.is_empty())
}

/// Returns all ClusterQueues and Cohorts, including those that are only referred to.
pub fn queues(cluster: &Cluster<'_>, report: &mut Report) -> Vec<QueueEntry> {
    let mut cohorts: BTreeMap<&str, Unit<'_>> = BTreeMap::new();
    let mut queues: Vec<Unit<'_>> = Vec::new();
    for object in cluster.objects.of_kind(ObjectKind::Cohort) {
        let above = above(object, ["parentName", "parent"]);
        let (name, quotas) = (cohort(object.name, cluster), quotas(object, report));
        cohorts.insert(object.name, Unit { object: Some(object), name, above, quotas });
    }
    for object in cluster.objects.of_kind(ObjectKind::ClusterQueue) {
        let above = above(object, ["cohortName", "cohort"]);
        let (name, quotas) = (object.name.to_string(), quotas(object, report));
        queues.push(Unit { object: Some(object), name, above, quotas });
    }
    let named: BTreeSet<&str> = queues.iter().chain(cohorts.values()).filter_map(|unit| unit.above).collect();
    for name in named {
        let unit = || Unit { name: cohort(name, cluster), ..Unit::default() };
        cohorts.entry(name).or_insert_with(unit);
    }
    let sums = sums(&cohorts, &queues);
    let entry = |unit: &Unit<'_>, totals: &[Option<i64>; 3]| {
        let weight = unit.object.and_then(|object| object.place.scalar(&["spec", "fairSharing", "weight"]));
        let weight = weight.and_then(|text| amount(text, Resource::CPU)).unwrap_or(1000);
        let entry_of =
            |i: usize| resource(RESOURCES[i], totals[i], unit.quotas[i].borrowing, unit.above.is_some(), weight);
        QueueEntry {
            name: unit.name.clone(),
            parent: unit.above.map(|name| cohort(name, cluster)),
            created: unit.object.and_then(|object| cluster.since(object.created_ms)).map(moment),
            gpu: entry_of(0),
            cpu: entry_of(1),
            memory: entry_of(2),
            ..QueueEntry::default()
        }
    };
    let inner = cohorts.iter().map(|(name, unit)| entry(unit, &sums[name]));
    inner.chain(queues.iter().map(|unit| entry(unit, &unit.quotas.map(|quota| quota.nominal)))).collect()
}

/// Returns the sum of the nominal quotas of each Cohort and its descendants.
fn sums<'a>(cohorts: &BTreeMap<&'a str, Unit<'_>>, queues: &[Unit<'_>]) -> BTreeMap<&'a str, [Option<i64>; 3]> {
    let mut sums: BTreeMap<&str, [Option<i64>; 3]> = cohorts.keys().map(|name| (*name, [None; 3])).collect();
    let of_cohorts = cohorts.iter().map(|(name, unit)| (Some(*name), unit));
    for (first, unit) in of_cohorts.chain(queues.iter().map(|unit| (unit.above, unit))) {
        let parent_of = |name: &&str| cohorts.get(name).and_then(|unit| unit.above);
        // The check of the scenario reports cycles; here the loop only has to end.
        for name in std::iter::successors(first, parent_of).take(TREE_DEPTH_MAX) {
            let Some(sum) = sums.get_mut(name) else { continue };
            for (total, quota) in sum.iter_mut().zip(unit.quotas) {
                if let Some(nominal) = quota.nominal {
                    *total = Some(total.unwrap_or(0).saturating_add(nominal));
                }
            }
        }
    }
    sums
}

/// Returns quota, limit and weight of a resource.
fn resource(
    kind: Resource,
    nominal: Option<i64>,
    borrowing: Option<i64>,
    can_borrow: bool,
    weight: i64,
) -> ResourceEntry {
    let written = |n: i64| Scalar(print_amount(Amount::base_units(n), kind));
    let unlimited = || Scalar::from("unlimited");
    let limit = match (nominal, borrowing) {
        (Some(nominal), _) if !can_borrow => written(nominal),
        (Some(nominal), Some(borrowing)) => written(nominal.saturating_add(borrowing)),
        _ => unlimited(),
    };
    ResourceEntry {
        quota: Some(nominal.map_or_else(unlimited, written)),
        limit: Some(limit),
        weight: Some(Scalar(print_decimal(weight, 3))),
        usage: None,
    }
}

/// Returns the quotas of an object, summed over all flavors.
fn quotas(object: &Object<'_>, report: &mut Report) -> [Quota; 3] {
    let mut quotas = [Quota::default(); 3];
    let mut others: BTreeSet<&str> = BTreeSet::new();
    let mut flavors: BTreeSet<&str> = BTreeSet::new();
    let flavor_places = object.place.items(&["spec", "resourceGroups"]);
    let flavor_places = flavor_places.iter().flat_map(|group| group.items(&["flavors"]));
    for flavor in flavor_places {
        flavors.extend(flavor.scalar(&["name"]));
        for place in flavor.items(&["resources"]) {
            let name = place.scalar(&["name"]).unwrap_or_default();
            let index = match name {
                "cpu" => 1,
                "memory" => 2,
                _ if GPUS.contains(&name) => 0,
                "" => continue,
                _ => {
                    let keys = ["nominalQuota", "borrowingLimit", "lendingLimit"];
                    keys.iter().filter_map(|key| place.get(key)).for_each(|place| place.mark());
                    others.insert(name);
                    continue;
                }
            };
            if let Some(lent) = place.get("lendingLimit") {
                lent.mark();
                let lent = "lendingLimit: idle quota can be used by all others";
                report.ignore(format!("{} ({}): {lent}", object.called(), place.line()));
            }
            let Some(nominal) = quantity(&place, "nominalQuota", RESOURCES[index], report) else { continue };
            let borrowing = quantity(&place, "borrowingLimit", RESOURCES[index], report);
            let quota = &mut quotas[index];
            quota.borrowing = match (quota.nominal, quota.borrowing, borrowing) {
                (None, _, borrowing) => borrowing,
                (Some(_), Some(sum), Some(more)) => Some(sum.saturating_add(more)),
                _ => None,
            };
            quota.nominal = Some(quota.nominal.unwrap_or(0).saturating_add(nominal));
        }
    }
    if flavors.len() > 1 {
        let names = flavors.into_iter().collect::<Vec<_>>().join(", ");
        report.assume(format!(
            "{} ({}): quotas of the flavors {names} are added up",
            object.called(),
            object.place.line()
        ));
    }
    if !others.is_empty() {
        let names = others.into_iter().collect::<Vec<_>>().join(", ");
        report.ignore(format!("{} ({}): quotas of {names}", object.called(), object.place.line()));
    }
    quotas
}

/// Reads an optional quantity. Reports an invalid one.
fn quantity(place: &LocatedValue<'_>, key: &str, kind: Resource, report: &mut Report) -> Option<i64> {
    let place = place.get(key)?;
    let text = place.scalar(&[]).unwrap_or_default();
    let read = amount(text, kind);
    if read.is_none() {
        report.diagnostics.push(place.error(format!("{key} is {text}, which is no quantity of Kubernetes")));
    }
    read
}

/// A pod set of a workload without pods in the text.
pub struct PodSet<'a> {
    name: &'a str,
    n_pods: usize,
    workload: &'a Object<'a>,
    /// The workload, with the pod template as its place.
    template: Object<'a>,
}

/// Returns the pod sets of all workloads without pods in the text.
pub fn pod_sets<'a>(cluster: &Cluster<'a>, pods: &[Pod<'a>], report: &mut Report) -> Vec<PodSet<'a>> {
    let with_pods: BTreeSet<(&str, &str)> =
        pods.iter().filter_map(|pod| Some((pod.object.namespace, pod.group?))).collect();
    let mut sets = Vec::new();
    let mut n_pods = 0;
    for workload in cluster.objects.of_kind(ObjectKind::Workload).iter().filter(|workload| is_live(workload)) {
        if with_pods.contains(&(workload.namespace, workload.name)) {
            continue;
        }
        for set in workload.place.items(&["spec", "podSets"]) {
            let count = set.scalar(&["count"]).map_or(Some(1), |text| text.parse::<u64>().ok());
            let count = count.filter(|count| *count <= PODS_MAX - n_pods);
            let (Some(count), Some(place)) = (count, set.get("template")) else {
                let message = format!(
                    "{}: a pod set needs a template, and all together up to {PODS_MAX} pods",
                    workload.called()
                );
                report.diagnostics.push(set.error(message));
                return Vec::new();
            };
            n_pods += count;
            sets.push(PodSet {
                name: set.scalar(&["name"]).unwrap_or("main"),
                n_pods: count as usize,
                workload,
                template: Object { place, ..workload.clone() },
            });
        }
    }
    sets
}

/// Returns the pods of the pod sets. Pods of a workload with a single flavor require nodes of that flavor.
pub fn pods<'a>(sets: &'a [PodSet<'a>], cluster: &Cluster<'a>, report: &mut Report) -> Vec<Pod<'a>> {
    let mut pods = Vec::new();
    for set in sets {
        let mut request = Request::read(&set.template, cluster, report);
        if let Some(flavor) = only_flavor(set.workload, cluster) {
            request.selector.extend(texts(flavor.place.at(&["spec", "nodeLabels"])));
            request.tolerations.extend(flavor.place.items(&["spec", "tolerations"]).iter().map(toleration));
        }
        pods.extend(std::iter::repeat_n(request, set.n_pods).map(|request| Pod {
            object: &set.template,
            state: SchedulingState::Waits,
            is_own: true,
            family: Family::Kueue,
            node: None,
            started_ms: None,
            request,
            group: Some(set.workload.name),
            subgroup: Some(set.name),
            priority: None,
            nominated_node: None,
        }));
    }
    pods
}

/// Returns the only flavor assigned to or available for a workload.
fn only_flavor<'a>(workload: &Object<'a>, cluster: &Cluster<'a>) -> Option<&'a Object<'a>> {
    let mut flavors: BTreeSet<&str> = BTreeSet::new();
    for set in workload.place.items(&["status", "admission", "podSetAssignments"]) {
        let of_set = set.entries(&["flavors"]);
        flavors.extend(of_set.iter().filter_map(|(_, flavor)| flavor.scalar(&[])));
    }
    if flavors.is_empty() {
        return flavor_of(queue_of(workload, cluster)?, cluster);
    }
    let mut all = cluster.objects.of_kind(ObjectKind::ResourceFlavor).iter();
    all.find(|flavor| flavors.len() == 1 && flavors.contains(flavor.name))
}

/// Returns the only flavor of a ClusterQueue.
pub fn flavor_of<'a>(queue: &str, cluster: &Cluster<'a>) -> Option<&'a Object<'a>> {
    let queue = cluster.objects.of_kind(ObjectKind::ClusterQueue).iter().find(|object| object.name == queue)?;
    let groups = queue.place.items(&["spec", "resourceGroups"]);
    let all = groups.iter().flat_map(|group| group.items(&["flavors"]));
    let flavors: BTreeSet<&str> = all.filter_map(|flavor| flavor.scalar(&["name"])).collect();
    let mut all = cluster.objects.of_kind(ObjectKind::ResourceFlavor).iter();
    all.find(|flavor| flavors.len() == 1 && flavors.contains(flavor.name))
}
