//! Conversion of a parsed document to a configuration. Unknown keys are errors, as upstream; the rest is kept, so that
//! all errors are reported at once.
//!
//! # Source
//! apache/yunikorn-core, `pkg/common/configs/config.go`

use super::super::config::{Limit, NodeSortPolicy, Partition, Preemption, Queue, Resources, Rule, Template, Written};
use crate::format::Path;
use crate::format::nearest;
use crate::format::quoted;
use crate::format::value::{Is, Position, Value};

/// An error in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Path of the value.
    pub at: Path,
    /// Position in the text.
    pub position: Position,
    /// Message.
    pub says: String,
}

/// Reads parts of a configuration and collects errors.
#[derive(Debug, Default)]
pub struct Reader {
    /// Errors, at most 100.
    pub faults: Vec<Fault>,
    /// Known settings without effect in the simulator.
    pub ignored: Vec<(Position, String)>,
    /// Number of further errors.
    pub n_more: usize,
}

/// Maximum number of collected errors.
const FAULTS_MAX: usize = 100;

/// A value with its path.
struct Located<'a> {
    value: &'a Value,
    path: Path,
}

impl Reader {
    fn fault(&mut self, place: &Located<'_>, message: String) {
        if self.faults.len() >= FAULTS_MAX {
            self.n_more += 1;
            return;
        }
        self.faults.push(Fault { at: place.path.clone(), position: place.value.at, says: message });
    }

    /// Known entries of a map; others are errors.
    fn entries<'a>(&mut self, place: &Located<'a>, keys: &'static [&'static str]) -> Vec<(&'static str, Located<'a>)> {
        let entries = match &place.value.is {
            Is::Map(entries) => entries.as_slice(),
            Is::Null => &[],
            _ => {
                self.fault(place, format!("this takes keys and values: {}", keys.join(", ")));
                &[]
            }
        };
        let mut out = Vec::new();
        for (key, value) in entries {
            match keys.iter().find(|name| *name == key) {
                Some(name) => out.push((*name, Located { value, path: place.path.field(name) })),
                None => {
                    let hint = match nearest(key, keys.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("known here: {}", keys.join(", ")),
                    };
                    let message = format!("unknown field {}; {hint}", quoted(key));
                    self.fault(&Located { value, path: place.path.clone() }, message);
                }
            }
        }
        out
    }

    fn list<'a>(&mut self, place: &Located<'a>) -> Vec<Located<'a>> {
        match &place.value.is {
            Is::List(items) => {
                let item = |(i, value)| Located { value, path: self_or_named(&place.path, i, value) };
                (0u32..).zip(items).map(item).collect()
            }
            Is::Null => Vec::new(),
            _ => {
                self.fault(place, "this takes a list".into());
                Vec::new()
            }
        }
    }

    fn text(&mut self, place: &Located<'_>) -> String {
        match &place.value.is {
            Is::Scalar(text) => text.clone(),
            Is::Null => String::new(),
            _ => {
                self.fault(place, "this takes one value".into());
                String::new()
            }
        }
    }

    fn texts(&mut self, place: &Located<'_>) -> Vec<String> {
        if let Is::Scalar(text) = &place.value.is {
            return vec![text.clone()];
        }
        let items = self.list(place);
        items.iter().map(|item| self.text(item)).collect()
    }

    fn count(&mut self, place: &Located<'_>) -> u64 {
        let text = self.text(place);
        text.trim().parse().unwrap_or_else(|_| {
            self.fault(place, format!("{} is not a whole number", quoted(&text)));
            0
        })
    }

    fn switch(&mut self, place: &Located<'_>) -> bool {
        let text = self.text(place);
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => true,
            "false" | "no" | "off" | "" => false,
            _ => {
                self.fault(place, format!("{} is neither true nor false", quoted(&text)));
                false
            }
        }
    }

    fn written(&mut self, place: &Located<'_>) -> Written {
        let mut out = Written::new();
        match &place.value.is {
            Is::Map(entries) => {
                for (key, value) in entries {
                    let entry = Located { value, path: place.path.field(key) };
                    out.insert(key.clone(), self.text(&entry));
                }
            }
            Is::Null => {}
            _ => self.fault(place, "this takes names with values".into()),
        }
        out
    }

    /// Reads a partition with all queues.
    pub fn partition(&mut self, value: &Value, path: &Path) -> Partition {
        const KEYS: &[&str] = &[
            "name",
            "queues",
            "placementrules",
            "limits",
            "nodesortpolicy",
            "preemption",
            "usergroupresolver",
            "statedumpfilepath",
        ];
        let mut out = Partition::default();
        for (key, place) in self.entries(&Located { value, path: path.clone() }, KEYS) {
            match key {
                "name" => out.name = self.text(&place),
                "queues" => out.queues = self.queues(&place),
                "placementrules" => out.placementrules = self.rules(place.value, &place.path),
                "limits" => out.limits = self.limits(place.value, &place.path),
                "nodesortpolicy" => out.nodesortpolicy = self.node_sort(&place),
                "preemption" => out.preemption = self.preemption(&place),
                other => self.ignored.push((place.value.at, format!("{other}: it decides nothing here"))),
            }
        }
        out
    }

    fn node_sort(&mut self, place: &Located<'_>) -> NodeSortPolicy {
        let mut out = NodeSortPolicy::default();
        for (key, place) in self.entries(place, &["type", "resourceweights"]) {
            match key {
                "type" => out.kind = self.text(&place),
                _ => {
                    for (name, text) in self.written(&place) {
                        match text.trim().parse::<f64>().ok().filter(|weight| weight.is_finite()) {
                            Some(weight) => drop(out.resourceweights.insert(name, weight)),
                            None => self.fault(&place, format!("weight {} is not a number", quoted(&text))),
                        }
                    }
                }
            }
        }
        out
    }

    fn preemption(&mut self, place: &Located<'_>) -> Preemption {
        let mut out = Preemption::default();
        for (key, place) in self.entries(place, &["enabled", "quotapreemptionenabled"]) {
            let on = self.switch(&place);
            match key {
                "enabled" => out.enabled = (place.value.is != Is::Null).then_some(on),
                _ => out.quotapreemptionenabled = on,
            }
        }
        out
    }

    fn queues(&mut self, place: &Located<'_>) -> Vec<Queue> {
        let items = self.list(place);
        items.iter().map(|item| self.queue(item)).collect()
    }

    fn queue(&mut self, place: &Located<'_>) -> Queue {
        const KEYS: &[&str] = &[
            "name",
            "parent",
            "queues",
            "resources",
            "maxapplications",
            "properties",
            "submitacl",
            "adminacl",
            "limits",
            "childtemplate",
        ];
        let mut out = Queue::default();
        for (key, place) in self.entries(place, KEYS) {
            match key {
                "name" => out.name = self.text(&place),
                "parent" => out.parent = self.switch(&place),
                "queues" => out.queues = self.queues(&place),
                "resources" => out.resources = self.resources(&place),
                "maxapplications" => out.maxapplications = self.count(&place),
                "properties" => out.properties = self.written(&place),
                "submitacl" => out.submitacl = self.text(&place),
                "adminacl" => out.adminacl = self.text(&place),
                "limits" => out.limits = self.limits(place.value, &place.path),
                _ => out.childtemplate = self.template(&place),
            }
        }
        out
    }

    fn resources(&mut self, place: &Located<'_>) -> Resources {
        let mut out = Resources::default();
        for (key, place) in self.entries(place, &["guaranteed", "max"]) {
            let written = self.written(&place);
            match key {
                "guaranteed" => out.guaranteed = written,
                _ => out.max = written,
            }
        }
        out
    }

    fn template(&mut self, place: &Located<'_>) -> Template {
        let mut out = Template::default();
        for (key, place) in self.entries(place, &["maxapplications", "properties", "resources"]) {
            match key {
                "maxapplications" => out.maxapplications = self.count(&place),
                "properties" => out.properties = self.written(&place),
                _ => out.resources = self.resources(&place),
            }
        }
        out
    }

    /// Reads limits of users and groups.
    pub fn limits(&mut self, value: &Value, path: &Path) -> Vec<Limit> {
        const KEYS: &[&str] = &["limit", "users", "groups", "maxresources", "maxapplications"];
        let mut all = Vec::new();
        for item in self.list(&Located { value, path: path.clone() }) {
            let mut out = Limit::default();
            for (key, place) in self.entries(&item, KEYS) {
                match key {
                    "limit" => out.limit = self.text(&place),
                    "users" => out.users = self.texts(&place),
                    "groups" => out.groups = self.texts(&place),
                    "maxresources" => out.maxresources = self.written(&place),
                    _ => out.maxapplications = self.count(&place),
                }
            }
            all.push(out);
        }
        all
    }

    /// Reads placement rules.
    pub fn rules(&mut self, value: &Value, path: &Path) -> Vec<Rule> {
        let items = self.list(&Located { value, path: path.clone() });
        items.iter().map(|item| self.rule(item)).collect()
    }

    fn rule(&mut self, place: &Located<'_>) -> Rule {
        let mut out = Rule::default();
        for (key, place) in self.entries(place, &["name", "create", "value", "parent", "filter"]) {
            match key {
                "name" => out.name = self.text(&place).to_lowercase(),
                "create" => out.create = self.switch(&place),
                "value" => out.value = self.text(&place),
                "parent" => out.parent = Some(Box::new(self.rule(&place))),
                _ => {
                    for (key, place) in self.entries(&place, &["type", "users", "groups"]) {
                        match key {
                            "type" => out.filter.kind = self.text(&place),
                            "users" => out.filter.users = self.texts(&place),
                            _ => out.filter.groups = self.texts(&place),
                        }
                    }
                }
            }
        }
        out
    }
}

/// Path of a list entry: by name if it has one.
fn self_or_named(list: &Path, i: u32, value: &Value) -> Path {
    match value.get("name") {
        Some(Value { is: Is::Scalar(name), .. }) => list.named(name),
        _ => list.at(i),
    }
}
