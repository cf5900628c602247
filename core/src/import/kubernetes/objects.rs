//! The objects of a text, whatever they are wrapped in: documents, lists, or the lists of KAI's snapshot.

use std::collections::BTreeMap;

use super::{Report, counted};
use crate::import::date::date;
use crate::import::loose::{Place, Reader};
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

/// A kind that is read: API group, versions, name. Of two of one name the first is meant where no group is written.
struct Known {
    group: &'static str,
    /// Those whose fields are known; an object without a version is taken for one of them.
    versions: &'static [&'static str],
    name: &'static str,
    kind: Kind,
}

const fn known(
    group: &'static str,
    versions: &'static [&'static str],
    name: &'static str,
    kind: Kind,
) -> Known {
    Known { group, versions, name, kind }
}

const KINDS: [Known; 20] = [
    known(KAI, &["v2"], "Queue", Kind::Queue),
    known(KAI, &["v2alpha2"], "PodGroup", Kind::PodGroup),
    known("", &["v1"], "Pod", Kind::Pod),
    known("", &["v1"], "Node", Kind::Node),
    known(KAI, &["v1alpha2", "v1alpha1"], "BindRequest", Kind::BindRequest),
    known("scheduling.k8s.io", &["v1", "v1beta1"], "PriorityClass", Kind::PriorityClass),
    known(VOLCANO, &["v1beta1"], "Queue", Kind::VolcanoQueue),
    known(VOLCANO, &["v1beta1"], "PodGroup", Kind::PodGroup),
    known(KUEUE, KUEUE_VERSIONS, "ClusterQueue", Kind::ClusterQueue),
    known(KUEUE, &["v1alpha1", "v1beta1", "v1beta2"], "Cohort", Kind::Cohort),
    known(KUEUE, KUEUE_VERSIONS, "ResourceFlavor", Kind::ResourceFlavor),
    known(KUEUE, KUEUE_VERSIONS, "LocalQueue", Kind::LocalQueue),
    known(KUEUE, KUEUE_VERSIONS, "Workload", Kind::Workload),
    known(KUEUE, KUEUE_VERSIONS, "WorkloadPriorityClass", Kind::PriorityClass),
    known("kai.scheduler", &["v1"], "SchedulingShard", Kind::Shard),
    known("batch", &["v1", "v1beta1"], "Job", Kind::BatchJob),
    known("batch.volcano.sh", &["v1alpha1"], "Job", Kind::VolcanoJob),
    known("apps", &["v1"], "Deployment", Kind::Deployment),
    known("apps", &["v1"], "StatefulSet", Kind::StatefulSet),
    known("apps", &["v1"], "ReplicaSet", Kind::ReplicaSet),
];

const KUEUE_VERSIONS: &[&str] = &["v1beta1", "v1beta2"];

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

/// What is said of a snapshot without them.
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
    /// Configurations of the scheduler.
    pub configurations: Vec<Place<'a>>,
    /// ConfigMaps with such a configuration as text.
    pub configuration_texts: Vec<(Object<'a>, &'a str)>,
}

impl<'a> Objects<'a> {
    /// The objects of some documents; what is left out goes into the report.
    pub fn of(roots: &[(&'a str, &'a Value)], report: &mut Report) -> Objects<'a> {
        let mut found = Found::default();
        roots.iter().for_each(|&(file, root)| found.unwrap(&Place::of(file, root), None, None));
        report.ignored.extend(tally(&found.others.iter().collect::<Vec<_>>(), ""));
        report.ignored.append(&mut found.lists);
        if found.n_twice > 0 {
            let times = counted(found.n_twice, "object");
            report.assumed.push(format!("{times} stand there more than once: the last one counts"));
        }
        let mut reader = Reader::default();
        found.unknown.values().for_each(|unknown| reader.wrong(&unknown.place, &unknown.says()));
        for snapshot in &found.other_snapshots {
            reader.wrong(snapshot, OTHER_SNAPSHOT);
        }
        report.diagnostics.extend(reader.finish());
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
        let has_settings = !self.configurations.is_empty() || !self.configuration_texts.is_empty();
        !has_settings && self.by_kind.keys().all(|kind| *kind == Kind::PriorityClass)
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
    /// Lists of a snapshot that are not read.
    lists: Vec<String>,
    /// Snapshots that list their objects elsewhere.
    other_snapshots: Vec<Place<'a>>,
    /// Those of versions that are not known, by kind and version.
    unknown: BTreeMap<(&'static str, &'a str), Unknown<'a>>,
}

/// Objects of a version that is not known: their fields may mean something else, and without them the rest would be another cluster.
struct Unknown<'a> {
    kind: &'static Known,
    version: &'a str,
    /// Where the first of them says it.
    place: Place<'a>,
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

impl<'a> Found<'a> {
    /// Takes an object, or what is in a list. Items of a typed list take group, version and kind from the list.
    fn unwrap(&mut self, place: &Place<'a>, list: Option<Place<'a>>, kind: Option<&'a str>) {
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
        let said = api.as_ref().and_then(|api| api.scalar(&[]));
        let (group, version) = match said.map(|said| said.rsplit_once('/').unwrap_or(("", said))) {
            Some((group, version)) => (Some(group), Some(version)),
            None => (None, None),
        };
        let Some(kind) = place.scalar(&["kind"]).or(kind) else { return };
        if let (Some(of), true) = (kind.strip_suffix("List"), place.get("items").is_some()) {
            let of = Some(of).filter(|of| !of.is_empty());
            let list = api.filter(|_| of.is_some());
            place.items(&["items"]).iter().for_each(|item| self.unwrap(item, list.clone(), of));
            return;
        }
        let is_read = |known: &&Known| known.name == kind && group.is_none_or(|group| group == known.group);
        let of = |key| place.scalar(&["metadata", key]);
        let known = KINDS.iter().find(is_read);
        let object = Object {
            kind: known.map_or((group.unwrap_or_default(), kind), |known| (known.group, known.name)),
            namespace: of("namespace").unwrap_or_default(),
            name: of("name").unwrap_or_default(),
            place: place.clone(),
            created_ms: of("creationTimestamp").and_then(date),
        };
        let unknown = version
            .zip(api)
            .filter(|(version, _)| known.is_some_and(|known| !known.versions.contains(version)));
        match (known, unknown) {
            (Some(kind), Some((version, place))) => {
                let first = Unknown { kind, version, place, n: 0 };
                self.unknown.entry((kind.name, version)).or_insert(first).n += 1;
            }
            (Some(known), None) => self.add(known.kind, object, of("creationTimestamp")),
            (None, _) => match configuration(&object) {
                Some(text) => self.objects.configuration_texts.push((object, text)),
                None => self.others.push(object),
            },
        }
    }

    /// Takes what a snapshot lists.
    fn snapshot(&mut self, place: &Place<'a>, lists: &Place<'a>) {
        self.objects.parameters.extend(place.get("schedulerParams"));
        self.objects.configurations.extend(place.get("config").filter(|config| !config.is_empty()));
        for (key, list) in lists.entries() {
            match SNAPSHOT.iter().find(|(known, _)| *known == key) {
                Some((_, kind)) => {
                    list.items(&[]).iter().for_each(|item| self.unwrap(item, None, Some(kind)))
                }
                None if list.is_empty() => {}
                None => self.lists.push(format!(
                    "the list {key} of the snapshot: {}",
                    counted(list.items(&[]).len() as u64, "object")
                )),
            }
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

/// The text of a scheduler's configuration in a ConfigMap.
fn configuration<'a>(object: &Object<'a>) -> Option<&'a str> {
    let data = object.place.get("data").filter(|_| object.kind == ("", "ConfigMap"))?;
    let mut texts = data.entries().into_iter().filter_map(|(_, value)| value.scalar(&[]));
    texts.find(|text| text.lines().any(|line| line.starts_with("tiers:")))
}
