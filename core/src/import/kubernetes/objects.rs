//! Collects the objects in documents, lists and the lists of KAI's snapshot.

use std::collections::BTreeMap;

use super::pod_templates::{asks, has_template};
use super::{Report, counted};
use crate::import::date::date;
use crate::import::reader::{LocatedValue, Reader};
use crate::scenario::value::Value;

/// Kinds of objects that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    Queue,
    PodGroup,
    Pod,
    Node,
    BindRequest,
    PriorityClass,
    VolcanoQueue,
    ClusterQueue,
    Cohort,
    ResourceFlavor,
    LocalQueue,
    Workload,
    Shard,
    BatchJob,
    VolcanoJob,
    Deployment,
    StatefulSet,
    ReplicaSet,
    DaemonSet,
    CronJob,
    /// An object of any other kind that makes pods.
    Work,
    Claim,
    ClaimTemplate,
    DeviceClass,
    ResourceSlice,
}

pub const KAI: &str = "scheduling.run.ai";
/// API group of Volcano's queues and pod groups.
pub const VOLCANO: &str = "scheduling.volcano.sh";
/// API group of Kueue.
pub const KUEUE: &str = "kueue.x-k8s.io";

/// A supported kind. Without an API group, the first kind with the name applies.
struct Known {
    group: &'static str,
    /// Supported versions; an object without a version is assumed to have one of them.
    versions: &'static [&'static str],
    name: &'static str,
    kind: ObjectKind,
}

const fn known(group: &'static str, versions: &'static [&'static str], name: &'static str, kind: ObjectKind) -> Known {
    Known { group, versions, name, kind }
}

const KINDS: [Known; 26] = [
    known(KAI, &["v2"], "Queue", ObjectKind::Queue),
    known(KAI, &["v2alpha2"], "PodGroup", ObjectKind::PodGroup),
    known("", &["v1"], "Pod", ObjectKind::Pod),
    known("", &["v1"], "Node", ObjectKind::Node),
    known(KAI, &["v1alpha2", "v1alpha1"], "BindRequest", ObjectKind::BindRequest),
    known("scheduling.k8s.io", &["v1", "v1beta1"], "PriorityClass", ObjectKind::PriorityClass),
    known(VOLCANO, &["v1beta1"], "Queue", ObjectKind::VolcanoQueue),
    known(VOLCANO, &["v1beta1"], "PodGroup", ObjectKind::PodGroup),
    known(KUEUE, KUEUE_VERSIONS, "ClusterQueue", ObjectKind::ClusterQueue),
    known(KUEUE, &["v1alpha1", "v1beta1", "v1beta2"], "Cohort", ObjectKind::Cohort),
    known(KUEUE, KUEUE_VERSIONS, "ResourceFlavor", ObjectKind::ResourceFlavor),
    known(KUEUE, KUEUE_VERSIONS, "LocalQueue", ObjectKind::LocalQueue),
    known(KUEUE, KUEUE_VERSIONS, "Workload", ObjectKind::Workload),
    known(KUEUE, KUEUE_VERSIONS, "WorkloadPriorityClass", ObjectKind::PriorityClass),
    known("kai.scheduler", &["v1"], "SchedulingShard", ObjectKind::Shard),
    known("batch", &["v1", "v1beta1"], "Job", ObjectKind::BatchJob),
    known("batch.volcano.sh", &["v1alpha1"], "Job", ObjectKind::VolcanoJob),
    known("apps", &["v1"], "Deployment", ObjectKind::Deployment),
    known("apps", &["v1"], "StatefulSet", ObjectKind::StatefulSet),
    known("apps", &["v1"], "ReplicaSet", ObjectKind::ReplicaSet),
    known("apps", &["v1"], "DaemonSet", ObjectKind::DaemonSet),
    known("batch", &["v1", "v1beta1"], "CronJob", ObjectKind::CronJob),
    known(DEVICES, DEVICES_VERSIONS, "ResourceClaim", ObjectKind::Claim),
    known(DEVICES, DEVICES_VERSIONS, "ResourceClaimTemplate", ObjectKind::ClaimTemplate),
    known(DEVICES, DEVICES_VERSIONS, "DeviceClass", ObjectKind::DeviceClass),
    known(DEVICES, DEVICES_VERSIONS, "ResourceSlice", ObjectKind::ResourceSlice),
];

/// API group of resource claims.
const DEVICES: &str = "resource.k8s.io";

const DEVICES_VERSIONS: &[&str] = &["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2"];

const KUEUE_VERSIONS: &[&str] = &["v1beta1", "v1beta2"];

/// Keys of `spec` that are read for some kinds; others are reported.
pub const SPEC_KEYS: [(ObjectKind, &[&str]); 8] = [
    (
        ObjectKind::Queue,
        &["displayName", "parentQueue", "priority", "resources", "preemptMinRuntime", "reclaimMinRuntime"],
    ),
    (
        ObjectKind::PodGroup,
        &[
            "minMember",
            "minSubGroup",
            "queue",
            "priorityClassName",
            "preemptibility",
            "preemptionDelay",
            "stalenessGracePeriod",
            "subGroups",
            "schedulingBackoff",
        ],
    ),
    (ObjectKind::VolcanoQueue, &["weight", "capability", "deserved", "guarantee", "parent", "priority"]),
    (ObjectKind::ClusterQueue, &["cohort", "cohortName", "resourceGroups", "fairSharing"]),
    (ObjectKind::Cohort, &["parent", "parentName", "resourceGroups", "fairSharing"]),
    (ObjectKind::ResourceFlavor, &["nodeLabels", "tolerations"]),
    (ObjectKind::LocalQueue, &["clusterQueue"]),
    (
        ObjectKind::Workload,
        &["queueName", "podSets", "priority", "priorityClassName", "priorityClassSource", "priorityClassRef", "active"],
    ),
];

/// Kinds with pod templates.
pub const MAKERS: [ObjectKind; 8] = [
    ObjectKind::BatchJob,
    ObjectKind::VolcanoJob,
    ObjectKind::Deployment,
    ObjectKind::StatefulSet,
    ObjectKind::ReplicaSet,
    ObjectKind::DaemonSet,
    ObjectKind::CronJob,
    ObjectKind::Work,
];

/// Maximum number of owners above a pod.
const OWNERS_MAX: usize = 8;

/// Maximum number of named objects per kind; further ones are counted.
const NAMED: usize = 5;

/// Lists of KAI's snapshot with the kind of their items, which do not contain it.
const SNAPSHOT: [(&str, &str); 6] = [
    ("queues", "Queue"),
    ("podGroups", "PodGroup"),
    ("pods", "Pod"),
    ("nodes", "Node"),
    ("bindRequests", "BindRequest"),
    ("priorityClasses", "PriorityClass"),
];

/// Message for a snapshot without these lists.
const OTHER_SNAPSHOT: &str = "rawObjects is missing: this snapshot of KAI is of a version that is not known. Print the objects instead: \
     kubectl get queues.scheduling.run.ai,podgroups.scheduling.run.ai,bindrequests.scheduling.run.ai,pods,nodes,priorityclasses,\
     schedulingshards.kai.scheduler -A -o json";

/// An object of the cluster.
#[derive(Clone)]
pub struct Object<'a> {
    /// API group and kind.
    pub kind: (&'a str, &'a str),
    pub namespace: &'a str,
    pub name: &'a str,
    pub place: LocatedValue<'a>,
    /// Creation time, in milliseconds since 1970.
    pub created_ms: Option<i64>,
    /// Position among all objects in the text.
    pub at: usize,
}

impl<'a> Object<'a> {
    /// Returns a label.
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.place.scalar(&["metadata", "labels", key])
    }
    /// Returns an annotation.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.place.scalar(&["metadata", "annotations", key])
    }
    /// Returns kind, name and UID of the controller.
    pub fn owner(&self) -> Option<[&'a str; 3]> {
        let owners = self.place.items(&["metadata", "ownerReferences"]);
        let owner = owners.iter().find(|owner| owner.scalar(&["controller"]) == Some("true"))?;
        Some(["kind", "name", "uid"].map(|key| owner.scalar(&[key]).unwrap_or_default()))
    }
}

impl Object<'_> {
    /// Returns the display name, with the namespace if there is one.
    pub fn called(&self) -> String {
        match self.namespace {
            "" => self.name.to_string(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }
}

/// Returns a line per kind with the number of objects and the names and lines of the first ones, followed by `why`.
pub fn tally(objects: &[&Object<'_>], why: &str) -> Vec<String> {
    let mut kinds: Vec<((&str, &str), Vec<&Object<'_>>)> = Vec::new();
    for object in objects {
        match kinds.iter_mut().find(|(kind, _)| *kind == object.kind) {
            Some((_, all)) => all.push(object),
            None => kinds.push((object.kind, vec![object])),
        }
    }
    let line = |((group, kind), all): ((&str, &str), Vec<&Object<'_>>)| {
        let name = |object: &&Object<'_>| format!("{} ({})", object.called(), object.place.line());
        let mut names: Vec<String> = all.iter().take(NAMED).map(name).collect();
        if all.len() > NAMED {
            names.push(format!("{} more", all.len() - NAMED));
        }
        let group = if group.is_empty() { String::new() } else { format!(" ({group})") };
        format!("{} × {kind}{group}: {}{why}", all.len(), names.join(", "))
    };
    kinds.into_iter().map(line).collect()
}

/// Objects by kind in text order; the last of several duplicates counts.
#[derive(Default)]
pub struct Objects<'a> {
    by_kind: BTreeMap<ObjectKind, Vec<Object<'a>>>,
    /// Objects that make pods, by namespace, kind and name.
    makers: BTreeMap<(&'a str, &'a str, &'a str), (ObjectKind, usize)>,
    latest: Option<(i64, &'a str)>,
    /// Scheduler parameters in snapshots.
    pub parameters: Vec<LocatedValue<'a>>,
    /// Configurations of the scheduler.
    pub configurations: Vec<LocatedValue<'a>>,
    /// Objects of unread kinds.
    pub others: Vec<Object<'a>>,
    /// ConfigMaps with a configuration of the scheduler as text.
    pub configuration_texts: Vec<(Object<'a>, &'a str)>,
}

impl<'a> Objects<'a> {
    /// Collects the objects of documents. Reports objects that are not read.
    pub fn of(roots: &[(&'a str, &'a Value)], reader: &'a Reader, report: &mut Report) -> Objects<'a> {
        let mut collector = Collector::default();
        roots.iter().for_each(|&(file, root)| collector.unwrap(&reader.root(file, root), None, None));
        let (work, others): (Vec<_>, Vec<_>) = collector.others.iter().partition(|object| asks(&object.place));
        report.ignored.extend(tally(&others, ""));
        report.ignored.extend(tally(&work, ": it asks for resources, but its pods are not known: add them"));
        report.ignored.append(&mut collector.lists);
        if collector.n_twice > 0 {
            let times = counted(collector.n_twice, "object");
            report.assume(format!("{times} stand there more than once: the last one counts"));
        }
        collector.unknown.values().for_each(|unknown| unknown.place.refuse(&unknown.says()));
        for snapshot in &collector.other_snapshots {
            snapshot.refuse(OTHER_SNAPSHOT);
        }
        report.diagnostics.extend(reader.errors());
        collector.objects.others = collector.others;
        collector.objects.index();
        collector.objects
    }

    /// Remembers the objects that make pods, to find the owners of others.
    fn index(&mut self) {
        for kind in MAKERS {
            for (i, object) in self.of_kind(kind).to_vec().iter().enumerate() {
                self.makers.insert((object.namespace, object.kind.1, object.name), (kind, i));
            }
        }
    }

    /// Returns the object that controls another one, if it is in the text.
    pub fn owner_of(&self, object: &Object<'a>) -> Option<&Object<'a>> {
        let [kind, name, _] = object.owner()?;
        let (kind, i) = self.makers.get(&(object.namespace, kind, name))?;
        self.of_kind(*kind).get(*i)
    }

    /// Returns the objects that control another one, the nearest first.
    pub fn owners_of(&self, object: &Object<'a>) -> Vec<&Object<'a>> {
        std::iter::successors(self.owner_of(object), |owner| self.owner_of(owner)).take(OWNERS_MAX).collect()
    }

    /// Returns the objects of a kind.
    pub fn of_kind(&self, kind: ObjectKind) -> &[Object<'a>] {
        self.by_kind.get(&kind).map_or(&[], Vec::as_slice)
    }
    /// Returns a line per unread field with its objects.
    pub fn unread(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (kind, keys) in SPEC_KEYS {
            let mut fields: BTreeMap<&str, Vec<&Object<'a>>> = BTreeMap::new();
            for object in self.of_kind(kind) {
                let spec = object.place.entries(&["spec"]);
                let unread = spec.into_iter().filter(|(key, value)| !keys.contains(key) && !value.is_empty());
                unread.for_each(|(key, _)| fields.entry(key).or_default().push(object));
            }
            for (field, objects) in fields {
                lines.extend(tally(&objects, "").into_iter().map(|line| format!("{field} of {line}")));
            }
        }
        lines
    }
    /// Whether any object has an API group.
    pub fn any_of(&self, group: &str) -> bool {
        self.by_kind.values().flatten().any(|object| object.kind.0 == group)
    }
    /// Whether there are no objects or settings to import.
    pub fn is_empty(&self) -> bool {
        let has_settings = !self.configurations.is_empty() || !self.configuration_texts.is_empty();
        let is_beside = |kind: &ObjectKind| {
            use ObjectKind::{Claim, ClaimTemplate, DeviceClass, PriorityClass, ResourceSlice};
            [PriorityClass, Claim, ClaimTemplate, DeviceClass, ResourceSlice].contains(kind)
        };
        !has_settings && self.by_kind.keys().all(is_beside)
    }
    /// Returns the latest time in any object, as written.
    pub fn latest(&self) -> Option<&'a str> {
        self.latest.map(|(_, text)| text)
    }
    /// Returns the latest time in any object, in milliseconds since 1970.
    pub fn latest_ms(&self) -> Option<i64> {
        self.latest.map(|(ms, _)| ms)
    }

    fn saw(&mut self, text: Option<&'a str>) {
        if let Some((text, ms)) = text.and_then(|text| Some((text, date(text)?))) {
            self.latest = self.latest.max(Some((ms, text)));
        }
    }
}

#[derive(Default)]
struct Collector<'a> {
    objects: Objects<'a>,
    /// Index of each object among those of its kind.
    known: BTreeMap<(ObjectKind, &'a str, &'a str, &'a str), usize>,
    n_twice: u64,
    /// Number of objects so far.
    n_objects: usize,
    /// Objects of unread kinds.
    others: Vec<Object<'a>>,
    /// Unread lists of a snapshot.
    lists: Vec<String>,
    /// Snapshots of an unknown layout.
    other_snapshots: Vec<LocatedValue<'a>>,
    /// Objects of unknown versions, by kind and version.
    unknown: BTreeMap<(&'static str, &'a str), Unknown<'a>>,
}

/// Objects of an unknown version: an error, because their fields may have another meaning and the cluster would be
/// incomplete without them.
struct Unknown<'a> {
    kind: &'static Known,
    version: &'a str,
    /// Version field of the first object.
    place: LocatedValue<'a>,
    n: u64,
}

impl Unknown<'_> {
    fn says(&self) -> String {
        let Known { group, versions, name, .. } = self.kind;
        let resource = name.to_lowercase();
        let dotted = if group.is_empty() { String::new() } else { format!(".{}.{group}", versions[0]) };
        let objects = counted(self.n, "object");
        format!(
            "version {} of {name} is not known ({objects}); {} is read. Print it in that version: kubectl get {resource}{dotted} -A -o yaml",
            self.version,
            versions.join(" or "),
        )
    }
}

impl<'a> Collector<'a> {
    /// Adds an object or the items of a list. Items of a typed list inherit group, version and kind.
    fn unwrap(&mut self, place: &LocatedValue<'a>, list: Option<LocatedValue<'a>>, kind: Option<&'a str>) {
        for item in place.items(&[]) {
            self.unwrap(&item, None, None);
        }
        if let Some(lists) = place.get("rawObjects") {
            self.snapshot(place, &lists);
            return;
        }
        if place.get("schedulerParams").is_some() || place.get("discovery").is_some() {
            self.other_snapshots.push(place.clone());
            return;
        }
        if place.get("tiers").is_some() && place.get("kind").is_none() {
            self.objects.configurations.push(place.clone());
            return;
        }
        let api = place.get("apiVersion").or(list);
        let version = api.as_ref().and_then(|api| api.scalar(&[]));
        let (group, version) = match version.map(|version| version.rsplit_once('/').unwrap_or(("", version))) {
            Some((group, version)) => (Some(group), Some(version)),
            None => (None, None),
        };
        let Some(kind) = place.scalar(&["kind"]).or(kind) else {
            let items = place.items(&["items"]);
            items.iter().for_each(|item| self.unwrap(item, None, None));
            if items.is_empty() && place.items(&[]).is_empty() && !place.is_empty() {
                self.lists.push(format!("{}: it has no kind, so it is no object", place.line()));
            }
            return;
        };
        if let (Some(item_kind), true) = (kind.strip_suffix("List"), place.get("items").is_some()) {
            let item_kind = Some(item_kind).filter(|item_kind| !item_kind.is_empty());
            let list = api.filter(|_| item_kind.is_some());
            place.items(&["items"]).iter().for_each(|item| self.unwrap(item, list.clone(), item_kind));
            return;
        }
        let is_read = |read_kind: &&Known| read_kind.name == kind && group.is_none_or(|group| group == read_kind.group);
        let metadata = |key| place.scalar(&["metadata", key]);
        let read_kind = KINDS.iter().find(is_read);
        self.n_objects += 1;
        let object = Object {
            kind: read_kind.map_or((group.unwrap_or_default(), kind), |read_kind| (read_kind.group, read_kind.name)),
            namespace: metadata("namespace").unwrap_or_default(),
            name: metadata("name").unwrap_or_default(),
            place: place.clone(),
            created_ms: metadata("creationTimestamp").and_then(date),
            at: self.n_objects,
        };
        let unknown = version
            .zip(api)
            .filter(|(version, _)| read_kind.is_some_and(|read_kind| !read_kind.versions.contains(version)));
        match (read_kind, unknown) {
            (Some(kind), Some((version, place))) => {
                let first = Unknown { kind, version, place, n: 0 };
                self.unknown.entry((kind.name, version)).or_insert(first).n += 1;
            }
            (Some(read_kind), None) => self.add(read_kind.kind, object, metadata("creationTimestamp")),
            (None, _) => match configuration(&object) {
                Some(text) => self.objects.configuration_texts.push((object, text)),
                None if makes_pods(&object) => self.add(ObjectKind::Work, object, metadata("creationTimestamp")),
                None => self.others.push(object),
            },
        }
    }

    /// Adds the objects of a snapshot.
    fn snapshot(&mut self, place: &LocatedValue<'a>, lists: &LocatedValue<'a>) {
        self.objects.parameters.extend(place.get("schedulerParams"));
        self.objects.configurations.extend(place.get("config").filter(|config| !config.is_empty()));
        for (key, list) in lists.entries(&[]) {
            match SNAPSHOT.iter().find(|(name, _)| *name == key) {
                Some((_, kind)) => list.items(&[]).iter().for_each(|item| self.unwrap(item, None, Some(kind))),
                None if list.is_empty() => {}
                None => self.lists.push(format!(
                    "the list {key} of the snapshot: {}",
                    counted(list.items(&[]).len() as u64, "object")
                )),
            }
        }
    }

    fn add(&mut self, kind: ObjectKind, object: Object<'a>, created: Option<&'a str>) {
        let Object { namespace, name, .. } = object;
        let place = object.place.clone();
        self.objects.saw(created);
        for condition in place.items(&["status", "conditions"]) {
            self.objects.saw(condition.scalar(&["lastHeartbeatTime"]));
            self.objects.saw(condition.scalar(&["lastTransitionTime"]));
        }
        self.objects.saw(place.scalar(&["status", "startTime"]));
        for field in place.items(&["metadata", "managedFields"]) {
            self.objects.saw(field.scalar(&["time"]));
        }
        let all = self.objects.by_kind.entry(kind).or_default();
        match self.known.get(&(kind, object.kind.1, namespace, name)) {
            Some(&i) => {
                self.n_twice += 1;
                all[i] = object;
            }
            None => {
                self.known.insert((kind, object.kind.1, namespace, name), all.len());
                all.push(object);
            }
        }
    }
}

/// Whether an object of another kind makes pods.
fn makes_pods(object: &Object<'_>) -> bool {
    has_template(&object.place) || object.kind.1 == "SparkApplication"
}

/// Returns the text of a scheduler configuration in a ConfigMap.
fn configuration<'a>(object: &Object<'a>) -> Option<&'a str> {
    let data = object.place.get("data").filter(|_| object.kind == ("", "ConfigMap"))?;
    let mut texts = data.entries(&[]).into_iter().filter_map(|(_, value)| value.scalar(&[]));
    texts.find(|text| text.lines().any(|line| line.starts_with("tiers:")))
}
