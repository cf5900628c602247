//! The objects of a text, whatever they are wrapped in: documents, lists, or the lists of KAI's snapshot.

use std::collections::BTreeMap;

use super::{Report, counted};
use crate::import::date::date;
use crate::import::loose::Place;
use crate::scenario::value::Value;

/// The kinds that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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
}

const KAI: &str = "scheduling.run.ai";
/// The API group of Volcano's queues and pod groups.
pub const VOLCANO: &str = "scheduling.volcano.sh";
/// The API group of Kueue.
pub const KUEUE: &str = "kueue.x-k8s.io";

/// Group and name of every kind that is read. Of two of one name the first is meant where no group is written.
const KINDS: [(&str, &str, Kind); 20] = [
    (KAI, "Queue", Kind::Queue),
    (KAI, "PodGroup", Kind::PodGroup),
    ("", "Pod", Kind::Pod),
    ("", "Node", Kind::Node),
    (KAI, "BindRequest", Kind::BindRequest),
    ("scheduling.k8s.io", "PriorityClass", Kind::PriorityClass),
    (VOLCANO, "Queue", Kind::VolcanoQueue),
    (VOLCANO, "PodGroup", Kind::PodGroup),
    (KUEUE, "ClusterQueue", Kind::ClusterQueue),
    (KUEUE, "Cohort", Kind::Cohort),
    (KUEUE, "ResourceFlavor", Kind::ResourceFlavor),
    (KUEUE, "LocalQueue", Kind::LocalQueue),
    (KUEUE, "Workload", Kind::Workload),
    (KUEUE, "WorkloadPriorityClass", Kind::PriorityClass),
    ("kai.scheduler", "SchedulingShard", Kind::Shard),
    ("batch", "Job", Kind::BatchJob),
    ("batch.volcano.sh", "Job", Kind::VolcanoJob),
    ("apps", "Deployment", Kind::Deployment),
    ("apps", "StatefulSet", Kind::StatefulSet),
    ("apps", "ReplicaSet", Kind::ReplicaSet),
];

/// What of `spec` is read of some kinds; the rest is reported.
const SPEC_KEYS: [(Kind, &[&str]); 8] = [
    (
        Kind::Queue,
        &["displayName", "parentQueue", "priority", "resources", "preemptMinRuntime", "reclaimMinRuntime"],
    ),
    (
        Kind::PodGroup,
        &["minMember", "queue", "priorityClassName", "preemptibility", "subGroups", "schedulingBackoff"],
    ),
    (Kind::VolcanoQueue, &["weight", "capability", "deserved", "guarantee", "parent", "priority"]),
    (Kind::ClusterQueue, &["cohort", "cohortName", "resourceGroups", "fairSharing"]),
    (Kind::Cohort, &["parent", "parentName", "resourceGroups", "fairSharing"]),
    (Kind::ResourceFlavor, &["nodeLabels", "tolerations"]),
    (Kind::LocalQueue, &["clusterQueue"]),
    (
        Kind::Workload,
        &[
            "queueName",
            "podSets",
            "priority",
            "priorityClassName",
            "priorityClassSource",
            "priorityClassRef",
            "active",
        ],
    ),
];

/// How many objects of a kind are named; the rest is counted.
const NAMED: usize = 5;

/// The lists of KAI's snapshot, whose items do not say their kind.
const SNAPSHOT: [(&str, &str); 6] = [
    ("queues", "Queue"),
    ("podGroups", "PodGroup"),
    ("pods", "Pod"),
    ("nodes", "Node"),
    ("bindRequests", "BindRequest"),
    ("priorityClasses", "PriorityClass"),
];

/// An object of the cluster.
#[derive(Clone)]
pub struct Object<'a> {
    /// API group and kind.
    pub kind: (&'a str, &'a str),
    pub namespace: &'a str,
    pub name: &'a str,
    pub place: Place<'a>,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: Option<i64>,
}

impl<'a> Object<'a> {
    /// A label.
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.place.scalar(&["metadata", "labels", key])
    }
    /// An annotation.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.place.scalar(&["metadata", "annotations", key])
    }
    /// The kind, name and unique id of what controls it.
    pub fn owner(&self) -> Option<[&'a str; 3]> {
        let owners = self.place.items(&["metadata", "ownerReferences"]);
        let owner = owners.iter().find(|owner| owner.scalar(&["controller"]) == Some("true"))?;
        Some(["kind", "name", "uid"].map(|key| owner.scalar(&[key]).unwrap_or_default()))
    }
}

impl Object<'_> {
    /// Its name for people.
    pub fn called(&self) -> String {
        match self.namespace {
            "" => self.name.to_string(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }
}

/// How many there are of each kind, and the first ones by name and line; `why` is said of all of them.
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

/// All that are read, by kind, in the order of the text; of those that are there twice the later one.
#[derive(Default)]
pub struct Objects<'a> {
    by_kind: BTreeMap<Kind, Vec<Object<'a>>>,
    latest: Option<(i64, &'a str)>,
    /// The parameters of the schedulers that snapshots are from.
    pub parameters: Vec<Place<'a>>,
}

impl<'a> Objects<'a> {
    /// The objects of some documents; what is left out goes into the report.
    pub fn of(roots: &[(&'a str, &'a Value)], report: &mut Report) -> Objects<'a> {
        let mut found = Found::default();
        roots.iter().for_each(|&(file, root)| found.unwrap(&Place::of(file, root), None, None));
        report.ignored.extend(tally(&found.others.iter().collect::<Vec<_>>(), ""));
        if found.n_twice > 0 {
            let times = counted(found.n_twice, "object");
            report.assumed.push(format!("{times} stand there more than once: the last one counts"));
        }
        found.objects
    }

    /// The objects of a kind.
    pub fn of_kind(&self, kind: Kind) -> &[Object<'a>] {
        self.by_kind.get(&kind).map_or(&[], Vec::as_slice)
    }
    /// Fields that are not read, each with the objects that have it.
    pub fn unread(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (kind, known) in SPEC_KEYS {
            let mut fields: BTreeMap<&str, Vec<&Object<'a>>> = BTreeMap::new();
            for object in self.of_kind(kind) {
                let spec = object.place.get("spec").map(|spec| spec.entries()).unwrap_or_default();
                let unread =
                    spec.into_iter().filter(|(key, value)| !known.contains(key) && !value.is_empty());
                unread.for_each(|(key, _)| fields.entry(key).or_default().push(object));
            }
            for (field, objects) in fields {
                lines.extend(tally(&objects, "").into_iter().map(|line| format!("{field} of {line}")));
            }
        }
        lines
    }
    /// Whether any is of an API group.
    pub fn any_of(&self, group: &str) -> bool {
        self.by_kind.values().flatten().any(|object| object.kind.0 == group)
    }
    /// Whether there is nothing that a scenario can be made of.
    pub fn is_empty(&self) -> bool {
        self.by_kind.keys().all(|kind| *kind == Kind::PriorityClass)
    }
    /// The latest moment that any object names, as it is written.
    pub fn latest(&self) -> Option<&'a str> {
        self.latest.map(|(_, text)| text)
    }
    /// The same in milliseconds since 1970.
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
struct Found<'a> {
    objects: Objects<'a>,
    /// Where each object is among those of its kind.
    known: BTreeMap<(Kind, &'a str, &'a str), usize>,
    n_twice: u64,
    /// Those of kinds that are not read.
    others: Vec<Object<'a>>,
}

impl<'a> Found<'a> {
    /// Takes an object, or what is in a list. Items of a typed list take group and kind from the list.
    fn unwrap(&mut self, place: &Place<'a>, group: Option<&'a str>, kind: Option<&'a str>) {
        for item in place.items(&[]) {
            self.unwrap(&item, None, None);
        }
        if let Some(lists) = place.get("rawObjects") {
            self.objects.parameters.extend(place.get("schedulerParams"));
            for (key, kind) in SNAPSHOT {
                lists.items(&[key]).iter().for_each(|item| self.unwrap(item, None, Some(kind)));
            }
            return;
        }
        let version = place.scalar(&["apiVersion"]);
        let group = version.map(|version| version.rsplit_once('/').map_or("", |(group, _)| group)).or(group);
        let Some(kind) = place.scalar(&["kind"]).or(kind) else { return };
        if let (Some(of), true) = (kind.strip_suffix("List"), place.get("items").is_some()) {
            let of = Some(of).filter(|of| !of.is_empty());
            let group = group.filter(|_| of.is_some());
            place.items(&["items"]).iter().for_each(|item| self.unwrap(item, group, of));
            return;
        }
        let is_read = |known: &&(&str, &str, Kind)| known.1 == kind && group.is_none_or(|g| g == known.0);
        let of = |key| place.scalar(&["metadata", key]);
        let known = KINDS.iter().find(is_read);
        let object = Object {
            kind: known.map_or((group.unwrap_or_default(), kind), |known| (known.0, known.1)),
            namespace: of("namespace").unwrap_or_default(),
            name: of("name").unwrap_or_default(),
            place: place.clone(),
            created_ms: of("creationTimestamp").and_then(date),
        };
        match known {
            Some(&(_, _, kind)) => self.add(kind, object, of("creationTimestamp")),
            None => self.others.push(object),
        }
    }

    fn add(&mut self, kind: Kind, object: Object<'a>, created: Option<&'a str>) {
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
        match self.known.get(&(kind, namespace, name)) {
            Some(&at) => {
                self.n_twice += 1;
                all[at] = object;
            }
            None => {
                self.known.insert((kind, namespace, name), all.len());
                all.push(object);
            }
        }
    }
}
