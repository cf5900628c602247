//! Names what stands inside of objects and was not read: a key that is misspelt, has a value of another type, or says
//! something that is not simulated.
//!
//! # Source
//! Kubernetes API reference (ObjectMeta, Container, Node); API types of the kinds that are read

use super::Cluster;
use super::lost::{QUIET, Unused, WORK_FIELDS, is_of_domain};
use super::objects::{MAKERS, Object, ObjectKind, SPEC_KEYS};
use super::parts::Part;
use crate::import::reader::LocatedValue;

/// Keys of an object beside its specification.
const OBJECT: &str = "apiVersion kind metadata spec status value globalDefault description preemptionPolicy";

/// Keys of the metadata of an object.
const METADATA: &str = "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName generation \
     labels managedFields name namespace ownerReferences resourceVersion selfLink uid";

/// Keys of a container that decide nothing about where and when its pod runs.
const CONTAINER: &str = "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy \
     restartPolicy securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices \
     volumeMounts workingDir";

/// Keys of a pod that are read in part.
const POD: &str = "affinity containers initContainers nodeSelector overhead schedulingGates tolerations";

/// Keys of a driver or executor that decide nothing.
const SPARK: &str = "annotations configMaps coreLimit deleteOnTermination dnsConfig env envFrom envSecretKeyRefs envVars image \
     javaOptions labels lifecycle podSecurityContext secrets securityContext serviceAccount serviceAnnotations serviceLabels sidecars \
     terminationGracePeriodSeconds volumeMounts";

/// Keys of a node, and of its status, that decide nothing.
const NODE: &str = "configSource externalID podCIDR podCIDRs providerID";
const NODE_STATUS: &str = "addresses allocatable capacity conditions config daemonEndpoints declaredFeatures features images nodeInfo phase \
     runtimeHandlers volumesAttached volumesInUse";

/// Kinds whose fields need not be read: pods or work that use them are read instead.
const FALLBACK: [ObjectKind; 2] = [ObjectKind::Workload, ObjectKind::ResourceFlavor];

fn is_one_of(list: &str, key: &str) -> bool {
    list.split_whitespace().any(|read_key| read_key == key)
}

/// Adds what a pod or template says inside fields that are read.
pub fn pod<'a>(pod: &LocatedValue<'a>, shown: &'a Object<'a>, unused: &mut Unused<'a>) {
    if shown.kind.1 != "Pod" && pod.get("spec").is_some() {
        let others = pod
            .entries(&[])
            .into_iter()
            .filter(|(key, value)| !is_one_of("apiVersion kind metadata spec", key) && !value.is_empty());
        others.for_each(|(key, _)| unused.add(format!("{key} of a template"), shown));
    }
    let spec = pod.entries(&["spec"]);
    let is_known = |keys: &[&str], _: &LocatedValue<'a>| match keys {
        // Listed in other places.
        ["affinity", "podAffinity" | "podAntiAffinity"] | [.., "tolerationSeconds"] => true,
        [.., "preferredDuringSchedulingIgnoredDuringExecution"] | [_, "resources", "claims"] => true,
        ["containers" | "initContainers", key] => is_one_of(CONTAINER, key),
        _ => false,
    };
    for (key, value) in spec.iter().filter(|(key, _)| is_one_of(POD, key)) {
        value.unread(&mut vec![key], &is_known, &mut |keys| unused.add(keys.join("."), shown));
    }
}

/// Adds what an object that makes pods says outside of its templates, inside fields that are read.
pub fn maker<'a>(object: &'a Object<'a>, parts: &[Part<'a>], unused: &mut Unused<'a>) {
    let is_spark = object.kind.1 == "SparkApplication";
    // Else its pods are read instead.
    if !parts.iter().any(|part| part.template.place.is_touched()) {
        return;
    }
    let spec = object.place.entries(&["spec"]);
    let is_known = |keys: &[&str], _: &LocatedValue<'a>| match keys {
        [key] => is_one_of(QUIET, key),
        ["driver" | "executor", key] => is_spark && is_one_of(SPARK, key),
        _ => matches!(keys, [.., "metadata" | "restartPolicy" | "apiVersion" | "kind"]),
    };
    for (key, value) in spec {
        let is_read = is_one_of(WORK_FIELDS, key) || value.is_touched();
        if is_read {
            value.unread(&mut vec![key], &is_known, &mut |keys| unused.add(keys.join("."), object));
        }
        inner_keys(&value, object, unused);
    }
}

/// Adds the labels and annotations of schedulers on objects inside of an object, outside of its templates.
fn inner_keys<'a>(place: &LocatedValue<'a>, object: &'a Object<'a>, unused: &mut Unused<'a>) {
    if !place.items(&["spec", "containers"]).is_empty() {
        return;
    }
    if let Some(metadata) = place.get("metadata") {
        scheduler_keys(&metadata, object, unused);
    }
    place.entries(&[]).iter().for_each(|(_, value)| inner_keys(value, object, unused));
    place.items(&[]).iter().for_each(|value| inner_keys(value, object, unused));
}

fn scheduler_keys<'a>(metadata: &LocatedValue<'a>, object: &'a Object<'a>, unused: &mut Unused<'a>) {
    for (part, word) in [("labels", "label"), ("annotations", "annotation")] {
        let entries = metadata.entries(&[part]);
        for (key, _) in entries.iter().filter(|(key, value)| is_of_domain(key) && !value.is_touched()) {
            unused.add(format!("the {word} {key}"), object);
        }
    }
}

/// Adds what all other objects say.
pub fn objects<'a>(cluster: &'a Cluster<'a>, unused: &mut Unused<'a>) {
    for (kind, keys) in SPEC_KEYS {
        for object in cluster.objects.of_kind(kind) {
            spec(object, kind, keys, unused);
        }
    }
    for kind in SPEC_KEYS.map(|(kind, _)| kind).into_iter().filter(|kind| *kind != ObjectKind::PodGroup) {
        for object in cluster.objects.of_kind(kind) {
            object.place.get("metadata").iter().for_each(|metadata| scheduler_keys(metadata, object, unused));
        }
    }
    for object in &cluster.objects.others {
        object.place.get("metadata").iter().for_each(|metadata| scheduler_keys(metadata, object, unused));
    }
    for object in cluster.objects.of_kind(ObjectKind::Shard) {
        let spec = object.place.entries(&["spec"]);
        for (key, value) in spec.into_iter().filter(|(_, value)| value.is_touched()) {
            value.unread(&mut vec![key], &|_, _| false, &mut |keys| unused.add(keys.join("."), object));
        }
    }
    for kind in [ObjectKind::Claim, ObjectKind::ClaimTemplate] {
        for object in cluster.objects.of_kind(kind) {
            spec(object, kind, &["spec", "devices"], unused);
        }
    }
    for class in cluster.objects.of_kind(ObjectKind::PriorityClass) {
        if class.place.scalar(&["preemptionPolicy"]) == Some("Never") {
            unused.add("preemptionPolicy", class);
        }
    }
    cluster.objects.of_kind(ObjectKind::Node).iter().for_each(|object| node(object, unused));
    let kinds = SPEC_KEYS.iter().map(|(kind, _)| *kind).chain(MAKERS);
    for kind in kinds.chain([
        ObjectKind::Pod,
        ObjectKind::Node,
        ObjectKind::PriorityClass,
        ObjectKind::BindRequest,
        ObjectKind::Shard,
    ]) {
        for object in cluster.objects.of_kind(kind) {
            around(object, unused);
        }
    }
}

/// Adds what the specification of an object says inside keys that are read.
fn spec<'a>(object: &'a Object<'a>, kind: ObjectKind, known_keys: &[&str], unused: &mut Unused<'a>) {
    // Groups without pods and claims without users are not read at all.
    let is_optional =
        [ObjectKind::PodGroup, ObjectKind::Workload, ObjectKind::Claim, ObjectKind::ClaimTemplate].contains(&kind);
    let is_read = |spec: &LocatedValue<'a>| !is_optional || spec.is_touched();
    let Some(spec) = object.place.get("spec").filter(is_read) else { return };
    let is_template = |place: &LocatedValue<'a>| !place.items(&["spec", "containers"]).is_empty();
    let is_known = |keys: &[&str], place: &LocatedValue<'a>| {
        is_template(place) || matches!(keys, [.., "coveredResources"] | ["podSets", "count" | "name"])
    };
    for (key, value) in spec.entries(&[]).into_iter().filter(|(key, _)| known_keys.contains(key)) {
        if value.is_touched() || !FALLBACK.contains(&kind) {
            value.unread(&mut vec![key], &is_known, &mut |keys| unused.add(keys.join("."), object));
        }
    }
}

/// Adds what a node says.
fn node<'a>(object: &'a Object<'a>, unused: &mut Unused<'a>) {
    let entries = |key: &str| object.place.entries(&[key]);
    let is_known = |keys: &[&str], _: &LocatedValue<'a>| match keys {
        ["taints", key] => *key == "timeAdded",
        ["allocatable", key] => {
            let is_local = ["hugepages-", "attachable-volumes-"].iter().any(|prefix| key.starts_with(prefix));
            is_local || *key == "ephemeral-storage"
        }
        [key] => is_one_of(NODE, key),
        _ => false,
    };
    for (key, value) in entries("spec") {
        value.unread(&mut vec![key], &is_known, &mut |keys| unused.add(keys.join("."), object));
    }
    for (key, value) in entries("status") {
        if key == "allocatable" || !is_one_of(NODE_STATUS, key) {
            let name = |keys: &[&str]| format!("status.{}", keys.join("."));
            value.unread(&mut vec![key], &is_known, &mut |keys| unused.add(name(keys), object));
        }
    }
}

/// Adds the keys of an object and of its metadata that no object has.
fn around<'a>(object: &'a Object<'a>, unused: &mut Unused<'a>) {
    for (key, value) in object.place.entries(&[]) {
        let is_map = !value.entries(&[]).is_empty() || value.is_empty();
        let is_odd = ["metadata", "spec"].contains(&key) && !is_map;
        if (!is_one_of(OBJECT, key) || is_odd) && !value.is_touched() && !value.is_empty() {
            unused.add(key, object);
        }
    }
    let metadata = object.place.entries(&["metadata"]);
    for (key, value) in metadata {
        let is_odd = match key {
            "labels" | "annotations" => value.entries(&[]).is_empty(),
            "ownerReferences" => value.items(&[]).is_empty(),
            _ => !is_one_of(METADATA, key),
        };
        if is_odd && !value.is_empty() {
            unused.add(format!("metadata.{key}"), object);
        }
    }
}
