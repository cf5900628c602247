//! Formatting of a configuration: in YAML block style, or in one line for a setting of a scenario.
//!
//! # Source
//! apache/yunikorn-core, `pkg/common/configs/config.go`

use crate::format::yaml::{Yaml, map, text};
use crate::policy::yunikorn::config::{Limit, Partition, Queue, Resources, Rule, Template, Written};

fn texts(texts: &[String]) -> Yaml {
    Yaml::List(texts.iter().map(|t| text(t)).collect())
}

fn switch(is_on: bool) -> Yaml {
    Yaml::Value(if is_on { "true".into() } else { String::new() })
}

fn count(n: u64) -> Yaml {
    Yaml::Value(if n > 0 { n.to_string() } else { String::new() })
}

fn written(all: &Written, is_text: bool) -> Yaml {
    let node = |value: &String| if is_text { text(value) } else { Yaml::Value(value.clone()) };
    Yaml::Map(all.iter().map(|(key, value)| (key.clone(), node(value))).collect())
}

fn resources(resources: &Resources) -> Yaml {
    map([("guaranteed", written(&resources.guaranteed, false)), ("max", written(&resources.max, false))])
}

/// Formats limits of users and groups.
pub fn limits(all: &[Limit]) -> Yaml {
    let one = |limit: &Limit| {
        map([
            ("limit", text(&limit.limit)),
            ("users", texts(&limit.users)),
            ("groups", texts(&limit.groups)),
            ("maxapplications", count(limit.maxapplications)),
            ("maxresources", written(&limit.maxresources, false)),
        ])
    };
    Yaml::List(all.iter().map(one).collect())
}

/// Formats placement rules.
pub fn rules(all: &[Rule]) -> Yaml {
    Yaml::List(all.iter().map(rule).collect())
}

fn rule(rule: &Rule) -> Yaml {
    let filter = &rule.filter;
    map([
        ("name", text(&rule.name)),
        ("create", switch(rule.create)),
        ("value", text(&rule.value)),
        ("parent", rule.parent.as_deref().map_or(Yaml::Map(Vec::new()), self::rule)),
        (
            "filter",
            map([("type", text(&filter.kind)), ("users", texts(&filter.users)), ("groups", texts(&filter.groups))]),
        ),
    ])
}

fn template(template: &Template) -> Yaml {
    map([
        ("maxapplications", count(template.maxapplications)),
        ("properties", written(&template.properties, true)),
        ("resources", resources(&template.resources)),
    ])
}

fn queue(queue: &Queue) -> Yaml {
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
        ("queues", Yaml::List(queue.queues.iter().map(self::queue).collect())),
    ])
}

/// Formats a file with partitions.
pub fn file(partitions: &[Partition]) -> Yaml {
    map([("partitions", Yaml::List(partitions.iter().map(partition).collect()))])
}

fn partition(partition: &Partition) -> Yaml {
    let weights = &partition.nodesortpolicy.resourceweights;
    let weights = weights.iter().map(|(name, weight)| (name.clone(), Yaml::Value(weight.to_string())));
    let enabled = partition.preemption.enabled.map_or(String::new(), |is_on| is_on.to_string());
    map([
        ("name", text(&partition.name)),
        (
            "nodesortpolicy",
            map([("type", text(&partition.nodesortpolicy.kind)), ("resourceweights", Yaml::Map(weights.collect()))]),
        ),
        (
            "preemption",
            map([
                ("enabled", Yaml::Value(enabled)),
                ("quotapreemptionenabled", switch(partition.preemption.quotapreemptionenabled)),
            ]),
        ),
        ("placementrules", rules(&partition.placementrules)),
        ("limits", limits(&partition.limits)),
        ("queues", Yaml::List(partition.queues.iter().map(queue).collect())),
    ])
}
