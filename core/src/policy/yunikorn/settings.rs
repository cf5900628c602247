//! Settings of YuniKorn in a scenario: settings of the partition by name, of a queue as `priority.policy.team-a`, of a user
//! likewise.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use super::config::{Queue, Written, parse, property_is_known};
use super::file::Reader;
use super::words::{Config, GROUPS, PROPERTIES, QUEUE_WORDS, SETTINGS, TEMPLATE};
use crate::format::{Findings, Path, Scenario, quoted, value};
use crate::policy::PRIORITY_CLASS;
use crate::policy::setting::{priority_class, refused, switch, unknown};

/// Description of the expected value, for the message.
type Expected = String;

/// Reads all settings, and reports invalid ones.
pub fn read(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &s.settings {
        let text = typed.0.trim();
        let known_queue = |queue: &str| queue == "root" || s.queues.iter().any(|q| q.name == queue);
        let result =
            if let Some((word, queue)) = split_queue_setting(name).filter(|(_, queue)| known_queue(queue)) {
                read_queue_setting(config.queues.entry(queue.to_string()).or_default(), word, text)
            } else if let Some(user) = name.strip_prefix(GROUPS).filter(|user| !user.is_empty()) {
                let groups = text.split(',').map(|group| group.trim().to_string()).filter(|g| !g.is_empty());
                config.groups.insert(user.to_string(), groups.collect());
                Ok(())
            } else if priority_class(name, typed, f) {
                continue;
            } else if SETTINGS.contains(&name.as_str()) {
                read_partition_setting(&mut config, name, text)
            } else {
                unknown(s, name, &SETTINGS, &known_settings(name), f);
                continue;
            };
        if let Err(wanted) = result {
            refused(name, typed, &wanted, f);
        }
    }
    config
}

/// Splits `WORD.NAME` into a known word and the name.
fn split<'a>(name: &'a str, words: &[&'static str]) -> Option<(&'static str, &'a str)> {
    let of = |word: &&'static str| Some((*word, name.strip_prefix(word)?.strip_prefix('.')?));
    words.iter().filter_map(of).filter(|(_, rest)| !rest.is_empty()).max_by_key(|(word, _)| word.len())
}

/// Splits the name of a queue setting into the word and the queue.
fn split_queue_setting(name: &str) -> Option<(&str, &str)> {
    let (template, rest) = match name.strip_prefix(TEMPLATE) {
        Some(rest) => (TEMPLATE.len(), rest),
        None => (0, name),
    };
    let (word, queue) = split(rest, &PROPERTIES).or_else(|| split(rest, &QUEUE_WORDS))?;
    Some((&name[..template + word.len()], queue))
}

fn known_settings(name: &str) -> String {
    match split_queue_setting(name) {
        Some((word, of)) => format!("nothing is called {}, of which {word} could be said", quoted(of)),
        None => format!(
            "it has {}; for a queue, as in priority.policy.NAME: {}, {}, and for queues that placement makes below it the \
             same behind {TEMPLATE}; {PRIORITY_CLASS}NAME; {GROUPS}USER",
            SETTINGS.join(", "),
            PROPERTIES.join(", "),
            QUEUE_WORDS.join(", ")
        ),
    }
}

fn read_partition_setting(config: &mut Config, name: &str, text: &str) -> Result<(), Expected> {
    let partition = &mut config.partition;
    match name {
        "node-sort" => {
            partition.nodesortpolicy.kind = text.to_string();
            let known = ["fair", "binpacking"].contains(&text);
            return known.then_some(()).ok_or_else(|| "fair or binpacking".into());
        }
        "node-weights" => {
            for (of, weight) in pairs(text)? {
                let number = weight.parse::<f64>().ok().filter(|w| w.is_finite() && *w >= 0.0);
                let number = number.ok_or("a list such as vcore 1, memory 0.5")?;
                partition.nodesortpolicy.resourceweights.insert(of, number);
            }
        }
        "preemption" => partition.preemption.enabled = Some(switch(text)?),
        "quota-preemption" => partition.preemption.quotapreemptionenabled = switch(text)?,
        "placement-rules" => {
            let mut reader = Reader::default();
            let read = value::parse(text, &[]).map_err(|_| "a list in YAML such as [{name: provided}]")?;
            partition.placementrules = reader.rules(&read, &Path::default());
            reader.first()?;
        }
        "partition" => partition.name = text.to_string(),
        _ => config.gpu_type = text.to_string(),
    }
    Ok(())
}

fn read_queue_setting(queue: &mut Queue, word: &str, text: &str) -> Result<(), Expected> {
    if let Some(word) = word.strip_prefix(TEMPLATE) {
        let template = &mut queue.childtemplate;
        match word {
            "maxapplications" => template.maxapplications = count(text)?,
            "guaranteed" => template.resources.guaranteed = amounts(text)?,
            "max" => template.resources.max = amounts(text)?,
            property if PROPERTIES.contains(&property) => {
                template.properties.insert(property.to_string(), text.to_string());
                property_is_known(property, text)?;
            }
            _ => return Err("possible for queues that placement makes".into()),
        }
        return Ok(());
    }
    match word {
        "maxapplications" => queue.maxapplications = count(text)?,
        "guaranteed" => queue.resources.guaranteed = amounts(text)?,
        "max" => queue.resources.max = amounts(text)?,
        "parent" => queue.parent = switch(text)?,
        "absent" => queue.absent = switch(text)?,
        "submitacl" => queue.submitacl = text.to_string(),
        "adminacl" => queue.adminacl = text.to_string(),
        "limits" => {
            let mut reader = Reader::default();
            let read =
                value::parse(text, &[]).map_err(|_| "a list such as [{users: [a], maxapplications: 2}]")?;
            queue.limits = reader.limits(&read, &Path::default());
            reader.first()?;
        }
        property => {
            queue.properties.insert(property.to_string(), text.to_string());
            property_is_known(property, text)?;
        }
    }
    Ok(())
}

impl Reader {
    /// Error of the first entry, if any.
    fn first(&self) -> Result<(), Expected> {
        match self.faults.first() {
            None => Ok(()),
            Some(fault) if fault.at.0.is_empty() => Err(format!("possible: {}", fault.says)),
            Some(fault) => Err(format!("possible: {}: {}", fault.at, fault.says)),
        }
    }
}

fn count(text: &str) -> Result<u64, Expected> {
    text.parse().map_err(|_| "a whole number".into())
}

/// Parses pairs such as `pods 10, ephemeral-storage 5Gi`.
fn pairs(text: &str) -> Result<Vec<(String, String)>, Expected> {
    let pair = |part: &str| {
        let (of, value) = part.trim().split_once(' ')?;
        Some((of.to_string(), value.trim().to_string()))
    };
    let pairs: Option<Vec<_>> = text.split(',').map(pair).collect();
    pairs.ok_or_else(|| "a list such as pods 10, ephemeral-storage 5Gi".into())
}

/// Parses quantities by type.
fn amounts(text: &str) -> Result<Written, Expected> {
    let mut out = Written::new();
    for (of, value) in pairs(text)? {
        if parse(&of, &value).is_none() {
            return Err(format!("possible: {} is no quantity of {of}", quoted(&value)));
        }
        out.insert(of, value);
    }
    Ok(out)
}
