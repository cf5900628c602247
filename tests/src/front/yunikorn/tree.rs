//! All configurations of a case as configurations of one queue tree, so that queue names in a file stay the same.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::events::Feature;

/// A queue with its children, in the order of their first configuration.
#[derive(Default)]
pub struct Tree {
    children: Vec<(String, Tree)>,
}

/// Rejects configurations that turn a parent into a leaf, because jobs of a file do not change their queue.
pub fn one_shape<'a>(configs: impl Iterator<Item = &'a Value>) -> Result<(), Feature> {
    let mut is_leaf: BTreeMap<String, bool> = BTreeMap::new();
    let mut is_same = true;
    for config in configs {
        walk(&root(config), "", &mut |path, queue| {
            let own = children(queue).next().is_none() && queue["parent"] != true;
            is_same &= *is_leaf.entry(path.to_owned()).or_insert(own) == own;
        });
    }
    if is_same { Ok(()) } else { Err("a reload that makes a leaf of a parent, or a parent of a leaf") }
}

/// Tree of the queues of all configurations.
pub fn union<'a>(configs: impl Iterator<Item = &'a Value>) -> Tree {
    let mut tree = Tree::default();
    for config in configs {
        tree.add(&root(config));
    }
    tree
}

impl Tree {
    fn add(&mut self, queue: &Value) {
        for child in children(queue) {
            let name = name(child);
            let at = self.children.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                self.children.push((name, Tree::default()));
                self.children.len() - 1
            });
            self.children[at].1.add(child);
        }
    }

    /// Paths of all queues, in tree order.
    pub fn paths(&self, above: &str) -> Vec<String> {
        let of = |(name, tree): &(String, Tree)| {
            let path = format!("{above}.{name}");
            let below = tree.paths(&path);
            std::iter::once(path).chain(below).collect::<Vec<String>>()
        };
        self.children.iter().flat_map(of).collect()
    }

    /// Extends a configuration to all queues of the tree; returns it with the paths of the added ones.
    pub fn filled(&self, config: &Value) -> (Value, Vec<String>) {
        let mut filled = config.clone();
        let mut absent = Vec::new();
        let partition = &mut filled["partitions"][0];
        partition["queues"] = json!([self.queue(Some(&root(config)), "root", "root", &mut absent)]);
        (filled, absent)
    }

    fn queue(&self, own: Option<&Value>, name: &str, path: &str, absent: &mut Vec<String>) -> Value {
        let mut out: Map<String, Value> = own.and_then(Value::as_object).cloned().unwrap_or_default();
        if own.is_none() {
            out.insert("name".into(), name.into());
            absent.push(path.to_owned());
        }
        let below = |(name, tree): &(String, Tree)| {
            let mut theirs = own.into_iter().flat_map(children);
            let child = theirs.find(|child| self::name(child) == *name);
            tree.queue(child, name, &format!("{path}.{name}"), absent)
        };
        let queues: Vec<Value> = self.children.iter().map(below).collect();
        if !queues.is_empty() {
            out.insert("queues".into(), queues.into());
        }
        out.into()
    }
}

/// Root of a configuration: the only queue of that name, or a new one above all.
fn root(config: &Value) -> Value {
    let partition = &config["partitions"][0];
    match partition["queues"].as_array().map(Vec::as_slice) {
        Some([root]) if root["name"] == "root" => root.clone(),
        _ => json!({"name": "root", "queues": partition["queues"]}),
    }
}

fn children(queue: &Value) -> impl Iterator<Item = &Value> {
    queue["queues"].as_array().into_iter().flatten()
}

fn name(queue: &Value) -> String {
    queue["name"].as_str().unwrap_or_default().to_lowercase()
}

fn walk(queue: &Value, above: &str, each: &mut dyn FnMut(&str, &Value)) {
    let path = format!("{above}.{}", name(queue));
    each(&path, queue);
    for child in children(queue) {
        walk(child, &path, each);
    }
}
