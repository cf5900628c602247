//! The objects of a text, whatever they are wrapped in: documents, lists, or the lists of KAI's snapshot.

use std::collections::BTreeMap;

use super::{Report, counted};
use crate::import::loose::Place;
use crate::import::trace::date;
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
}

/// Group and name of every kind that is read.
const KINDS: [(&str, &str, Kind); 6] = [
    ("scheduling.run.ai", "Queue", Kind::Queue),
    ("scheduling.run.ai", "PodGroup", Kind::PodGroup),
    ("", "Pod", Kind::Pod),
    ("", "Node", Kind::Node),
    ("scheduling.run.ai", "BindRequest", Kind::BindRequest),
    ("scheduling.k8s.io", "PriorityClass", Kind::PriorityClass),
];

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
pub struct Object<'a> {
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

/// All that are read, by kind, in the order of the text; of those that are there twice the later one.
#[derive(Default)]
pub struct Objects<'a> {
    by_kind: BTreeMap<Kind, Vec<Object<'a>>>,
    latest: Option<(i64, &'a str)>,
}

impl<'a> Objects<'a> {
    /// The objects of some documents; what is left out goes into the report.
    pub fn of(roots: &'a [Value], report: &mut Report) -> Objects<'a> {
        let mut found = Found::default();
        roots.iter().for_each(|root| found.unwrap(&Place::root(root), None, None));
        for ((group, kind), n) in &found.others {
            let group = if group.is_empty() { String::new() } else { format!(" ({group})") };
            report.ignored.push(format!("{}{group}", counted(*n, kind)));
        }
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
    /// How many there are of kinds that are not read, by group and kind.
    others: BTreeMap<(&'a str, &'a str), u64>,
}

impl<'a> Found<'a> {
    /// Takes an object, or what is in a list. Items of a typed list take group and kind from the list.
    fn unwrap(&mut self, place: &Place<'a>, group: Option<&'a str>, kind: Option<&'a str>) {
        for item in place.items(&[]) {
            self.unwrap(&item, None, None);
        }
        if let Some(lists) = place.get("rawObjects") {
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
        match KINDS.iter().find(is_read) {
            Some(&(_, _, kind)) => self.add(kind, place),
            None => *self.others.entry((group.unwrap_or_default(), kind)).or_default() += 1,
        }
    }

    fn add(&mut self, kind: Kind, place: &Place<'a>) {
        let of = |key| place.scalar(&["metadata", key]);
        let (namespace, name) = (of("namespace").unwrap_or_default(), of("name").unwrap_or_default());
        let created = of("creationTimestamp");
        let object = Object { namespace, name, place: place.clone(), created_ms: created.and_then(date) };
        self.objects.saw(created);
        for condition in place.items(&["status", "conditions"]) {
            self.objects.saw(condition.scalar(&["lastHeartbeatTime"]));
            self.objects.saw(condition.scalar(&["lastTransitionTime"]));
        }
        self.objects.saw(place.scalar(&["status", "startTime"]));
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
