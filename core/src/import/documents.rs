//! Takes a text apart that has inputs of several kinds.
//!
//! # Rule
//! Documents separated by `---` are recognised one by one; those with objects of a cluster stay together. A
//! configuration of YuniKorn that is text in a ConfigMap, in an item of a list or in the values of a chart becomes an
//! input of its own. Line numbers are those of the whole text.
//!
//! # Source
//! apache/yunikorn-k8shim, `deployments/examples/placements`; apache/yunikorn-release, Helm chart, `yunikornDefaults`

use std::borrow::Cow;

use super::queues_yaml::{IN_CONFIG_MAP, has_partitions};
use super::recognise::{FileKind, recognise};
use super::{Report, shard_fragment};
use crate::scenario::value::{Is, Value, documents};

/// An input in a text.
pub struct Document<'a> {
    /// Where it stands in the text; empty: it is the text without the other inputs.
    pub within: String,
    pub kind: FileKind,
    pub content: Content<'a>,
}

/// Content of an input.
pub enum Content<'a> {
    Text(Cow<'a, str>),
    Trees(Vec<Value>),
}

/// Name of the ConfigMap that precedes the one with the defaults.
const CONFIGS: &str = "yunikorn-configs";

/// Maximum depth of a configuration in the values of a chart.
const DEPTH_MAX: u32 = 5;

/// Splits a text of a kind into its inputs. A text of one kind is returned as it is.
pub fn split<'a>(text: Cow<'a, str>, kind: FileKind, report: &mut Report) -> Vec<Document<'a>> {
    let is_mixable = matches!(
        kind,
        FileKind::Kubernetes
            | FileKind::QueuesYaml
            | FileKind::Organisation
            | FileKind::YuniKornState
            | FileKind::Unknown
    );
    if !is_mixable {
        return vec![whole(text, kind)];
    }
    match by_kind(&text) {
        Some(parts) => parts.into_iter().flat_map(|(kind, text)| embedded(Cow::Owned(text), kind, report)).collect(),
        None => embedded(text, kind, report),
    }
}

fn whole(text: Cow<'_, str>, kind: FileKind) -> Document<'_> {
    Document { within: String::new(), kind, content: Content::Text(text) }
}

/// Returns the documents of different kinds, with empty lines in place of the others; `None` if all have the same kind.
fn by_kind(text: &str) -> Option<Vec<(FileKind, String)>> {
    let mut ranges: Vec<(usize, usize)> = vec![(0, 0)];
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" || line.starts_with("--- ") {
            ranges.push((offset, offset));
        }
        offset += line.len();
        ranges.last_mut()?.1 = offset;
    }
    let is_blank = |(start, end): &(usize, usize)| {
        let skipped = |line: &str| line.is_empty() || line.starts_with('#') || line == "---";
        text[*start..*end].lines().all(|line| skipped(line.trim()))
    };
    ranges.retain(|range| !is_blank(range));
    let kind = |(start, end): (usize, usize)| {
        let document = text[start..end].trim_start_matches("---");
        match recognise(document.as_bytes(), "") {
            FileKind::Unknown => FileKind::Kubernetes,
            // A ConfigMap.
            FileKind::QueuesYaml if !has_partitions(document) => FileKind::Kubernetes,
            kind => kind,
        }
    };
    let ranges: Vec<(FileKind, usize, usize)> =
        ranges.into_iter().map(|(start, end)| (kind((start, end)), start, end)).collect();
    let first = ranges.first()?.0;
    if ranges.iter().all(|(kind, ..)| *kind == first && (first == FileKind::Kubernetes || ranges.len() == 1)) {
        return None;
    }
    let (objects, others): (Vec<_>, Vec<_>) = ranges.into_iter().partition(|(kind, ..)| *kind == FileKind::Kubernetes);
    let mut parts: Vec<(FileKind, String)> =
        others.iter().map(|&(kind, start, end)| (kind, alone(text, &[(start, end)], true))).collect();
    if !objects.is_empty() {
        let ranges: Vec<(usize, usize)> = objects.iter().map(|&(_, start, end)| (start, end)).collect();
        parts.push((FileKind::Kubernetes, alone(text, &ranges, false)));
    }
    Some(parts)
}

/// Returns the text of some documents, with empty lines in place of all others. A single document needs no separator.
fn alone(text: &str, ranges: &[(usize, usize)], is_single: bool) -> String {
    let mut selected = String::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let is_kept = ranges.iter().any(|&(start, end)| start <= offset && offset < end);
        let is_separator = line.trim_end() == "---";
        selected.push_str(if is_kept && !(is_single && is_separator) { line } else { "\n" });
        offset += line.len();
    }
    selected
}

/// A configuration of YuniKorn that is text in a value.
struct Configuration {
    /// Name of the ConfigMap; empty: of a fragment.
    object: String,
    key: String,
    text: String,
}

/// Splits off the configurations that are text in objects or fragments.
fn embedded<'a>(text: Cow<'a, str>, kind: FileKind, report: &mut Report) -> Vec<Document<'a>> {
    let may_have = matches!(kind, FileKind::Kubernetes | FileKind::QueuesYaml | FileKind::Unknown)
        && (text.contains("partitions") || text.contains(IN_CONFIG_MAP) || shard_fragment::may_have(&text))
        && !has_partitions(&text);
    let Some(roots) = (if may_have { documents(&text).ok() } else { None }) else {
        return vec![whole(text, kind)];
    };
    if let [only] = roots.as_slice()
        && only.get("data").is_some_and(|data| data.get(IN_CONFIG_MAP).is_some())
    {
        return vec![whole(text, FileKind::QueuesYaml)];
    }
    let mut configs = Vec::new();
    let mut unread = Vec::new();
    let remaining = roots.into_iter().filter_map(|root| take(root, &mut configs, &mut unread));
    let (remaining, are_shards): (Vec<Value>, Vec<bool>) = remaining.map(shard_fragment::complete).unzip();
    if configs.is_empty() && !are_shards.contains(&true) {
        return vec![whole(text, kind)];
    }
    report.ignored.append(&mut unread);
    configs.sort_by_key(|configuration| (configuration.object != CONFIGS, configuration.key != IN_CONFIG_MAP));
    let is_alone = configs.len() == 1 && remaining.is_empty();
    let mut all: Vec<Document<'a>> = configs
        .into_iter()
        .map(|Configuration { object, key, text }| Document {
            within: match object.as_str() {
                _ if is_alone => String::new(),
                "" => key,
                object if key == IN_CONFIG_MAP => format!("ConfigMap {object}"),
                object => format!("ConfigMap {object} {key}"),
            },
            kind: FileKind::QueuesYaml,
            content: Content::Text(Cow::Owned(text)),
        })
        .collect();
    if !remaining.is_empty() {
        all.push(Document { within: String::new(), kind: FileKind::Kubernetes, content: Content::Trees(remaining) });
    }
    all
}

/// Takes the configurations out of a value; returns what else it has.
fn take(value: Value, configs: &mut Vec<Configuration>, unread: &mut Vec<String>) -> Option<Value> {
    let Value { at: position, is } = value;
    let remaining = |items: Vec<Value>, configs: &mut Vec<Configuration>, unread: &mut Vec<String>| {
        items.into_iter().filter_map(|item| take(item, configs, unread)).collect::<Vec<Value>>()
    };
    match is {
        Is::List(items) => {
            let items = remaining(items, configs, unread);
            (!items.is_empty()).then_some(Value { at: position, is: Is::List(items) })
        }
        Is::Map(mut entries) if entries.iter().any(|(key, value)| is_items(key, value)) => {
            for (_, value) in entries.iter_mut().filter(|(key, value)| is_items(key, value)) {
                if let Is::List(items) = std::mem::replace(&mut value.is, Is::Null) {
                    value.is = Is::List(remaining(items, configs, unread));
                }
            }
            let is_empty = |(key, value): &(String, Value)| key == "items" && value.is == Is::List(Vec::new());
            (!entries.iter().any(is_empty)).then_some(Value { at: position, is: Is::Map(entries) })
        }
        is => {
            let value = Value { at: position, is };
            let is_object = value.get("apiVersion").is_some();
            let is_map = matches!(value.get("kind"), Some(Value { is: Is::Scalar(kind), .. }) if kind == "ConfigMap");
            let name = value.get("metadata").and_then(|metadata| metadata.get("name"));
            let name = match name {
                Some(Value { is: Is::Scalar(name), .. }) if is_object => name.as_str(),
                _ => "",
            };
            let mut others = Vec::new();
            let has_found = find(&value, name, DEPTH_MAX, configs, &mut others);
            let is_used_up = has_found && (is_map || !is_object);
            if is_used_up {
                unread.append(&mut others);
            }
            (!is_used_up).then_some(value)
        }
    }
}

fn is_items(key: &str, value: &Value) -> bool {
    key == "items" && matches!(&value.is, Is::List(items) if !items.is_empty())
}

/// Finds configurations in a map. Reports its other keys if there are any.
fn find(value: &Value, object: &str, depth: u32, configs: &mut Vec<Configuration>, unread: &mut Vec<String>) -> bool {
    let (Is::Map(entries), true) = (&value.is, depth > 0) else { return false };
    let mut others = Vec::new();
    let mut has_found = false;
    for (key, value) in entries {
        let is_configuration = match &value.is {
            Is::Scalar(text) if key == IN_CONFIG_MAP || is_yaml(key) && has_partitions(text) => {
                // Empty lines keep the line numbers.
                let text = "\n".repeat(value.at.0.saturating_sub(1) as usize) + text;
                configs.push(Configuration { object: object.to_string(), key: key.clone(), text });
                true
            }
            _ => find(value, object, depth - 1, configs, unread),
        };
        has_found |= is_configuration;
        if !is_configuration && !["apiVersion", "kind", "metadata"].contains(&key.as_str()) {
            others.push(format!("line {}: {key}: it decides nothing here", value.at.0));
        }
    }
    if has_found {
        unread.append(&mut others);
    }
    has_found
}

fn is_yaml(key: &str) -> bool {
    key.ends_with(".yaml") || key.ends_with(".yml")
}
