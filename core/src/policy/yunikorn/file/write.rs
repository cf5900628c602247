//! A configuration as text: in blocks as people write `queues.yaml`, or on one line as a setting of a scenario.
//!
//! # Source
//! apache/yunikorn-core, `pkg/common/configs/config.go`

use crate::format::yaml_text;
use crate::policy::yunikorn::config::{Limit, Partition, Queue, Resources, Rule, Template, Written};

/// A tree to write. What is empty is left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A text, in quotes where a reader would take it for something else.
    Text(String),
    /// A number, a quantity or a switch.
    Value(String),
    /// Entries.
    List(Vec<Node>),
    /// Keys with values.
    Map(Vec<(String, Node)>),
}

impl Node {
    fn is_empty(&self) -> bool {
        match self {
            Node::Text(text) | Node::Value(text) => text.is_empty(),
            Node::List(items) => items.is_empty(),
            Node::Map(entries) => entries.is_empty(),
        }
    }

    /// On one line, which any reader of YAML takes.
    pub fn flow(&self) -> String {
        let mut out = String::new();
        self.write_flow(&mut out, false);
        out
    }

    fn write_flow(&self, out: &mut String, is_typed: bool) {
        match self {
            Node::Text(text) => yaml_text(out, text, is_typed),
            Node::Value(text) => yaml_text(out, text, false),
            Node::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    item.write_flow(out, is_typed);
                }
                out.push(']');
            }
            Node::Map(entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    yaml_text(out, key, false);
                    out.push_str(": ");
                    value.write_flow(out, is_typed);
                }
                out.push('}');
            }
        }
    }

    /// In blocks, each level two spaces further to the right.
    pub fn block(&self) -> String {
        let mut out = String::new();
        self.write_block(&mut out, 0);
        out
    }

    fn write_block(&self, out: &mut String, depth: usize) {
        match self {
            Node::Map(entries) => {
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 {
                        indent(out, depth);
                    }
                    yaml_text(out, key, false);
                    out.push(':');
                    value.write_under(out, depth);
                }
            }
            Node::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        indent(out, depth);
                    }
                    out.push_str("- ");
                    item.write_block(out, depth + 2);
                }
            }
            value => {
                value.write_flow(out, true);
                out.push('\n');
            }
        }
    }

    /// Behind a key.
    fn write_under(&self, out: &mut String, depth: usize) {
        let is_names = |items: &[Node]| items.iter().all(|item| matches!(item, Node::Text(_)));
        match self {
            Node::Map(_) => {
                out.push('\n');
                indent(out, depth + 2);
                self.write_block(out, depth + 2);
            }
            Node::List(items) if !is_names(items) => {
                out.push('\n');
                indent(out, depth + 2);
                self.write_block(out, depth + 2);
            }
            value => {
                out.push(' ');
                value.write_flow(out, true);
                out.push('\n');
            }
        }
    }
}

fn indent(out: &mut String, n: usize) {
    out.extend(std::iter::repeat_n(' ', n));
}

/// The entries that say something.
fn map<const N: usize>(entries: [(&str, Node); N]) -> Node {
    let said = entries.into_iter().filter(|(_, node)| !node.is_empty());
    Node::Map(said.map(|(key, node)| (key.to_string(), node)).collect())
}

fn text(text: &str) -> Node {
    Node::Text(text.to_string())
}

fn texts(texts: &[String]) -> Node {
    Node::List(texts.iter().map(|t| text(t)).collect())
}

fn switch(on: bool) -> Node {
    Node::Value(if on { "true".into() } else { String::new() })
}

fn count(n: u64) -> Node {
    Node::Value(if n > 0 { n.to_string() } else { String::new() })
}

fn written(all: &Written, is_text: bool) -> Node {
    let node = |value: &String| if is_text { text(value) } else { Node::Value(value.clone()) };
    Node::Map(all.iter().map(|(key, value)| (key.clone(), node(value))).collect())
}

fn resources(resources: &Resources) -> Node {
    map([("guaranteed", written(&resources.guaranteed, false)), ("max", written(&resources.max, false))])
}

/// Limits of users and groups.
pub fn limits(all: &[Limit]) -> Node {
    let one = |limit: &Limit| {
        map([
            ("limit", text(&limit.limit)),
            ("users", texts(&limit.users)),
            ("groups", texts(&limit.groups)),
            ("maxapplications", count(limit.maxapplications)),
            ("maxresources", written(&limit.maxresources, false)),
        ])
    };
    Node::List(all.iter().map(one).collect())
}

/// Placement rules.
pub fn rules(all: &[Rule]) -> Node {
    Node::List(all.iter().map(rule).collect())
}

fn rule(rule: &Rule) -> Node {
    let filter = &rule.filter;
    map([
        ("name", text(&rule.name)),
        ("create", switch(rule.create)),
        ("value", text(&rule.value)),
        ("parent", rule.parent.as_deref().map_or(Node::Map(Vec::new()), self::rule)),
        (
            "filter",
            map([
                ("type", text(&filter.kind)),
                ("users", texts(&filter.users)),
                ("groups", texts(&filter.groups)),
            ]),
        ),
    ])
}

fn template(template: &Template) -> Node {
    map([
        ("maxapplications", count(template.maxapplications)),
        ("properties", written(&template.properties, true)),
        ("resources", resources(&template.resources)),
    ])
}

fn queue(queue: &Queue) -> Node {
    map([
        ("name", text(&queue.name)),
        ("parent", switch(queue.parent)),
        ("submitacl", text(&queue.submitacl)),
        ("adminacl", text(&queue.adminacl)),
        ("maxapplications", count(queue.maxapplications)),
        ("properties", written(&queue.properties, true)),
        ("resources", resources(&queue.resources)),
        ("limits", limits(&queue.limits)),
        ("childtemplate", template(&queue.childtemplate)),
        ("queues", Node::List(queue.queues.iter().map(self::queue).collect())),
    ])
}

/// A file with partitions.
pub fn file(partitions: &[Partition]) -> Node {
    map([("partitions", Node::List(partitions.iter().map(partition).collect()))])
}

fn partition(partition: &Partition) -> Node {
    let weights = &partition.nodesortpolicy.resourceweights;
    let weights = weights.iter().map(|(name, weight)| (name.clone(), Node::Value(weight.to_string())));
    let enabled = partition.preemption.enabled.map_or(String::new(), |on| on.to_string());
    map([
        ("name", text(&partition.name)),
        (
            "nodesortpolicy",
            map([
                ("type", text(&partition.nodesortpolicy.kind)),
                ("resourceweights", Node::Map(weights.collect())),
            ]),
        ),
        (
            "preemption",
            map([
                ("enabled", Node::Value(enabled)),
                ("quotapreemptionenabled", switch(partition.preemption.quotapreemptionenabled)),
            ]),
        ),
        ("placementrules", rules(&partition.placementrules)),
        ("limits", limits(&partition.limits)),
        ("queues", Node::List(partition.queues.iter().map(queue).collect())),
    ])
}
