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
    fn fault(&mut self, here: &Located<'_>, message: String) {
        if self.faults.len() >= FAULTS_MAX {
            self.n_more += 1;
            return;
        }
        self.faults.push(Fault { at: here.path.clone(), position: here.value.at, says: message });
    }

    /// Known entries of a map; others are errors.
    fn entries<'a>(&mut self, here: &Located<'a>, known: &'static [&'static str]) -> Vec<(&'static str, Located<'a>)> {
        let entries = match &here.value.is {
            Is::Map(entries) => entries.as_slice(),
            Is::Null => &[],
            _ => {
                self.fault(here, format!("this takes keys and values: {}", known.join(", ")));
                &[]
            }
        };
        let mut out = Vec::new();
        for (key, value) in entries {
            match known.iter().find(|name| *name == key) {
                Some(name) => out.push((*name, Located { value, path: here.path.field(name) })),
                None => {
                    let hint = match nearest(key, known.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("known here: {}", known.join(", ")),
                    };
                    let message = format!("unknown field {}; {hint}", quoted(key));
                    self.fault(&Located { value, path: here.path.clone() }, message);
                }
            }
        }
        out
    }

    fn list<'a>(&mut self, here: &Located<'a>) -> Vec<Located<'a>> {
        match &here.value.is {
            Is::List(items) => {
                let item = |(i, value)| Located { value, path: self_or_named(&here.path, i, value) };
                (0u32..).zip(items).map(item).collect()
            }
            Is::Null => Vec::new(),
            _ => {
                self.fault(here, "this takes a list".into());
                Vec::new()
            }
        }
    }

    fn text(&mut self, here: &Located<'_>) -> String {
        match &here.value.is {
            Is::Scalar(text) => text.clone(),
            Is::Null => String::new(),
            _ => {
                self.fault(here, "this takes one value".into());
                String::new()
            }
        }
    }

    fn texts(&mut self, here: &Located<'_>) -> Vec<String> {
        if let Is::Scalar(text) = &here.value.is {
            return vec![text.clone()];
        }
        let items = self.list(here);
        items.iter().map(|item| self.text(item)).collect()
    }

    fn count(&mut self, here: &Located<'_>) -> u64 {
        let text = self.text(here);
        text.trim().parse().unwrap_or_else(|_| {
            self.fault(here, format!("{} is not a whole number", quoted(&text)));
            0
        })
    }

    fn switch(&mut self, here: &Located<'_>) -> bool {
        let text = self.text(here);
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => true,
            "false" | "no" | "off" | "" => false,
            _ => {
                self.fault(here, format!("{} is neither true nor false", quoted(&text)));
                false
            }
        }
    }

    fn written(&mut self, here: &Located<'_>) -> Written {
        let mut out = Written::new();
        match &here.value.is {
            Is::Map(entries) => {
                for (key, value) in entries {
                    let entry = Located { value, path: here.path.field(key) };
                    out.insert(key.clone(), self.text(&entry));
                }
            }
            Is::Null => {}
            _ => self.fault(here, "this takes names with values".into()),
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
        for (key, here) in self.entries(&Located { value, path: path.clone() }, KEYS) {
            match key {
                "name" => out.name = self.text(&here),
                "queues" => out.queues = self.queues(&here),
                "placementrules" => out.placementrules = self.rules(here.value, &here.path),
                "limits" => out.limits = self.limits(here.value, &here.path),
                "nodesortpolicy" => out.nodesortpolicy = self.node_sort(&here),
                "preemption" => out.preemption = self.preemption(&here),
                other => self.ignored.push((here.value.at, format!("{other}: it decides nothing here"))),
            }
        }
        out
    }

    fn node_sort(&mut self, here: &Located<'_>) -> NodeSortPolicy {
        let mut out = NodeSortPolicy::default();
        for (key, here) in self.entries(here, &["type", "resourceweights"]) {
            match key {
                "type" => out.kind = self.text(&here),
                _ => {
                    for (name, text) in self.written(&here) {
                        match text.trim().parse::<f64>().ok().filter(|weight| weight.is_finite()) {
                            Some(weight) => drop(out.resourceweights.insert(name, weight)),
                            None => self.fault(&here, format!("weight {} is not a number", quoted(&text))),
                        }
                    }
                }
            }
        }
        out
    }

    fn preemption(&mut self, here: &Located<'_>) -> Preemption {
        let mut out = Preemption::default();
        for (key, here) in self.entries(here, &["enabled", "quotapreemptionenabled"]) {
            let on = self.switch(&here);
            match key {
                "enabled" => out.enabled = (here.value.is != Is::Null).then_some(on),
                _ => out.quotapreemptionenabled = on,
            }
        }
        out
    }

    fn queues(&mut self, here: &Located<'_>) -> Vec<Queue> {
        let items = self.list(here);
        items.iter().map(|item| self.queue(item)).collect()
    }

    fn queue(&mut self, here: &Located<'_>) -> Queue {
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
        for (key, here) in self.entries(here, KEYS) {
            match key {
                "name" => out.name = self.text(&here),
                "parent" => out.parent = self.switch(&here),
                "queues" => out.queues = self.queues(&here),
                "resources" => out.resources = self.resources(&here),
                "maxapplications" => out.maxapplications = self.count(&here),
                "properties" => out.properties = self.written(&here),
                "submitacl" => out.submitacl = self.text(&here),
                "adminacl" => out.adminacl = self.text(&here),
                "limits" => out.limits = self.limits(here.value, &here.path),
                _ => out.childtemplate = self.template(&here),
            }
        }
        out
    }

    fn resources(&mut self, here: &Located<'_>) -> Resources {
        let mut out = Resources::default();
        for (key, here) in self.entries(here, &["guaranteed", "max"]) {
            let written = self.written(&here);
            match key {
                "guaranteed" => out.guaranteed = written,
                _ => out.max = written,
            }
        }
        out
    }

    fn template(&mut self, here: &Located<'_>) -> Template {
        let mut out = Template::default();
        for (key, here) in self.entries(here, &["maxapplications", "properties", "resources"]) {
            match key {
                "maxapplications" => out.maxapplications = self.count(&here),
                "properties" => out.properties = self.written(&here),
                _ => out.resources = self.resources(&here),
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
            for (key, here) in self.entries(&item, KEYS) {
                match key {
                    "limit" => out.limit = self.text(&here),
                    "users" => out.users = self.texts(&here),
                    "groups" => out.groups = self.texts(&here),
                    "maxresources" => out.maxresources = self.written(&here),
                    _ => out.maxapplications = self.count(&here),
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

    fn rule(&mut self, here: &Located<'_>) -> Rule {
        let mut out = Rule::default();
        for (key, here) in self.entries(here, &["name", "create", "value", "parent", "filter"]) {
            match key {
                "name" => out.name = self.text(&here).to_lowercase(),
                "create" => out.create = self.switch(&here),
                "value" => out.value = self.text(&here),
                "parent" => out.parent = Some(Box::new(self.rule(&here))),
                _ => {
                    for (key, here) in self.entries(&here, &["type", "users", "groups"]) {
                        match key {
                            "type" => out.filter.kind = self.text(&here),
                            "users" => out.filter.users = self.texts(&here),
                            _ => out.filter.groups = self.texts(&here),
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
