//! Names what the objects of work say and the import does not use, so that nothing is lost without a word.
//!
//! # Source
//! Kubernetes API reference (PodSpec); KAI Scheduler, Kueue, Apache YuniKorn and Volcano, labels and annotations

use super::lost::{QUIET, Unused, WORK_FIELDS, is_of_domain};
use super::objects::{MAKERS, Object, ObjectKind};
use super::pod_templates::has_template_in;
use super::pods::Pod;
use super::readers::{
    CLASS, Family, GROUPS, KUEUE_CLASS, LOCAL_QUEUE, MIN_MEMBER, PREEMPTABLE, PREEMPTIBILITY, VOLCANO_QUEUE,
};
use super::{Cluster, applications, leftovers, templates};
use crate::import::reader::LocatedValue;
use crate::scenario::ORDER_LABELS;

/// Labels and annotations that are read for any scheduler.
const READ: [&str; 24] = [
    "kai.scheduler/queue",
    "runai/queue",
    "kai.scheduler/subgroup-name",
    "kai.scheduler/last-start-timestamp",
    "kueue.x-k8s.io/podset",
    "kueue.x-k8s.io/workload",
    "kueue.x-k8s.io/pod-group-name",
    "kueue.x-k8s.io/managed",
    "gpu-fraction",
    "gpu-memory",
    "gpu-fraction-num-devices",
    "yunikorn.apache.org/app-id",
    "yunikorn.apache.org/queue",
    "yunikorn.apache.org/task-groups",
    applications::TASK_GROUP_NAME,
    "yunikorn.apache.org/schedulingPolicyParameters",
    "yunikorn.apache.org/user.info",
    "yunikorn.apache.org/allow-preemption",
    "yunikorn.apache.org/placeholder",
    LOCAL_QUEUE,
    KUEUE_CLASS,
    PREEMPTIBILITY,
    PREEMPTABLE,
    VOLCANO_QUEUE,
];

/// Fields of a pod that are read, or that decide nothing about where and when it runs.
const POD_FIELDS: &str = "activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks \
     ephemeralContainers hostAliases hostIPC hostPID hostUsers hostname hostnameOverride imagePullSecrets initContainers nodeName \
     nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims restartPolicy \
     runtimeClassName schedulerName schedulingGates securityContext serviceAccount serviceAccountName setHostnameAsFQDN \
     shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes hostNetwork \
     activeDeadlineSeconds";

/// Returns a line for each thing that is not used, with the objects that say it.
pub fn lines(cluster: &Cluster<'_>, pods: &[Pod<'_>]) -> Vec<String> {
    let mut unused = Unused::default();
    for pod in pods.iter().filter(|pod| pod.is_live()) {
        unused.pod(pod.object, pod.family, pod.object);
    }
    for group in cluster.objects.of_kind(ObjectKind::PodGroup) {
        unused.keys(group, Family::Kai, false, group);
    }
    for kind in MAKERS {
        for object in cluster.objects.of_kind(kind) {
            let parts = templates::parts_of(object);
            let Some(family) = templates::family(object, cluster) else { continue };
            unused.object(object, family);
            parts.iter().for_each(|part| unused.pod(&part.template, family, object));
            leftovers::maker(object, &parts, &mut unused);
        }
    }
    leftovers::objects(cluster, &mut unused);
    unused.lines()
}

impl<'a> Unused<'a> {
    /// Adds what an object that makes pods says.
    fn object(&mut self, object: &'a Object<'a>, family: Family) {
        self.keys(object, family, true, object);
        let spec = object.place.entries(&["spec"]);
        for (key, value) in spec {
            let mut fields = WORK_FIELDS.split_whitespace().chain(QUIET.split_whitespace());
            let is_read = fields.any(|fields| fields == key) || has_template_in(&value) || value.is_touched();
            if !is_read && !value.is_empty() {
                self.add(key, object);
            }
        }
    }

    /// Adds what a pod or template says.
    fn pod(&mut self, pod: &Object<'a>, family: Family, shown: &'a Object<'a>) {
        // Labels of a pod are those of its template; its owner is named for them.
        self.keys(pod, family, false, shown);
        let spec = pod.place.entries(&["spec"]);
        let is_template = shown.kind.1 == "Pod" || !pod.place.items(&["spec", "containers"]).is_empty();
        for (key, value) in spec.iter().filter(|_| is_template) {
            if !POD_FIELDS.split_whitespace().any(|field| field == *key) && !value.is_empty() {
                self.add(*key, shown);
            }
        }
        let has_value = |keys: &[&str]| pod.place.at(keys).is_some_and(|place| !place.is_empty());
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        let affinity = ["spec", "affinity"];
        for (what, keys) in [
            ("podAffinity", &[affinity[0], affinity[1], "podAffinity"][..]),
            ("podAntiAffinity", &[affinity[0], affinity[1], "podAntiAffinity"]),
            ("the preferred nodeAffinity", &[affinity[0], affinity[1], "nodeAffinity", preferred]),
            ("topologySpreadConstraints", &["spec", "topologySpreadConstraints"]),
        ] {
            if has_value(keys) {
                self.add(what, shown);
            }
        }
        self.details(pod, shown);
        leftovers::pod(&pod.place, shown, self);
    }

    /// Adds what is said inside the lists of a pod.
    fn details(&mut self, pod: &Object<'_>, shown: &'a Object<'a>) {
        let all = |keys: &[&str]| pod.place.items(keys);
        let ports = all(&["spec", "containers"]).into_iter().flat_map(|container| container.items(&["ports"]));
        let has_port = |port: &LocatedValue<'_>| port.scalar(&["hostPort"]).is_some_and(|n| n != "0");
        if ports.into_iter().any(|port| has_port(&port)) {
            self.add("hostPort", shown);
        }
        if pod.place.scalar(&["spec", "hostNetwork"]) == Some("true") {
            self.add("hostNetwork", shown);
        }
        if pod.place.scalar(&["spec", "activeDeadlineSeconds"]).is_some() {
            self.add("activeDeadlineSeconds", shown);
        }
        if pod.place.scalar(&["spec", "preemptionPolicy"]) == Some("Never") {
            self.add("preemptionPolicy", shown);
        }
        let is_claim = |volume: &LocatedValue<'_>| volume.get("persistentVolumeClaim").is_some();
        if all(&["spec", "volumes"]).iter().any(is_claim) {
            self.add("persistentVolumeClaim", shown);
        }
        let has_seconds = |toleration: &LocatedValue<'_>| toleration.get("tolerationSeconds").is_some();
        let is_own = |toleration: &LocatedValue<'_>| {
            let key = toleration.scalar(&["key"]).unwrap_or_default();
            // Kubernetes adds these two to each pod.
            has_seconds(toleration) && key != "node.kubernetes.io/not-ready" && key != "node.kubernetes.io/unreachable"
        };
        if all(&["spec", "tolerations"]).iter().any(is_own) {
            self.add("tolerationSeconds", shown);
        }
    }

    /// Adds the labels and annotations of schedulers that are not read.
    fn keys(&mut self, object: &Object<'_>, family: Family, is_owner: bool, shown: &'a Object<'a>) {
        for (part, word) in [("labels", "label"), ("annotations", "annotation")] {
            let entries = object.place.entries(&["metadata", part]);
            for (key, _) in entries {
                if is_of_scheduler(key, family) && !is_read(key, family, is_owner, shown) {
                    self.add(format!("the {word} {key}"), shown);
                }
            }
        }
    }
}

/// Whether a key belongs to a scheduler.
fn is_of_scheduler(key: &str, family: Family) -> bool {
    let is_plain = match family {
        Family::YuniKorn => ["queue", "applicationId"].contains(&key),
        Family::Kai => [CLASS, "project"].contains(&key),
        Family::Volcano | Family::Kueue => false,
    };
    is_plain || is_of_domain(key)
}

/// Whether a key is read for work of a scheduler.
fn is_read(key: &str, family: Family, is_owner: bool, owner: &Object<'_>) -> bool {
    if key == MIN_MEMBER {
        return family == Family::Kai && is_owner && owner.kind.1 == "Job";
    }
    let is_yunikorn = key.starts_with("yunikorn.apache.org/") || ["queue", "applicationId"].contains(&key);
    if is_yunikorn {
        // YuniKorn sees pods only, not what makes them.
        let is_known = READ.contains(&key) || !key.contains('/');
        return family == Family::YuniKorn && !is_owner && is_known;
    }
    let is_kueue = [LOCAL_QUEUE, KUEUE_CLASS].contains(&key);
    let is_kai = ["kai.scheduler/queue", "runai/queue"].contains(&key);
    match family {
        _ if is_kueue => family == Family::Kueue,
        _ if is_kai => family == Family::Kai || family == Family::Volcano,
        _ => {
            READ.contains(&key)
                || GROUPS.contains(&key)
                || ORDER_LABELS.contains(&key)
                || [CLASS, "project"].contains(&key)
        }
    }
}
