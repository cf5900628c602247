//! Names objects that have no name yet, as people write them by hand: the cluster makes their names when it creates
//! them.
//!
//! # Source
//! Kubernetes API reference, `ObjectMeta.generateName`

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Report;
use crate::scenario::value::{Is, Value};

/// Returns the documents with a name for each object. The name depends only on the text: `generateName` or the kind,
/// and a number.
pub fn named<'a>(roots: &[(&'a str, &'a Value)], report: &mut Report) -> Vec<(&'a str, Cow<'a, Value>)> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut has_nameless = false;
    for (_, root) in roots {
        has_nameless |= survey(root, &mut names);
    }
    let copy = |(file, root): &(&'a str, &'a Value)| (*file, Cow::Borrowed(*root));
    if !has_nameless {
        return roots.iter().map(copy).collect();
    }
    let mut named = Vec::new();
    for (file, root) in roots {
        let mut root = (*root).clone();
        name(&mut root, "", &mut |kind, prefix, line| {
            let prefix = prefix.unwrap_or_else(|| format!("{}-", kind.to_lowercase()));
            let free = (1_u32..).map(|n| format!("{prefix}{n}")).find(|name| !names.contains(name));
            let name = free.unwrap_or_default();
            names.insert(name.clone());
            let place = if file.is_empty() { format!("line {line}") } else { format!("{file} line {line}") };
            report.assume(format!("the {kind} of {place} has no name yet: it is called {name}"));
            name
        });
        named.push((*file, Cow::Owned(root)));
    }
    named
}

/// Returns the items of a document that are objects: those of a list, or of an object with `items`.
fn items(value: &Value) -> Option<&Vec<Value>> {
    match &value.is {
        Is::List(items) => Some(items),
        _ => match &value.get("items")?.is {
            Is::List(items) => Some(items),
            _ => None,
        },
    }
}

fn text<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    let target = keys.iter().try_fold(value, |value, key| value.get(key))?;
    match &target.is {
        Is::Scalar(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Collects the names of all objects. Returns whether an object has none.
fn survey(value: &Value, names: &mut BTreeSet<String>) -> bool {
    if let Some(items) = items(value) {
        return items.iter().fold(false, |is_missing, item| survey(item, names) | is_missing);
    }
    let name = text(value, &["metadata", "name"]);
    names.extend(name.map(str::to_string));
    name.is_none() && is_object(value)
}

/// Whether a value is an object of a cluster rather than a configuration or a snapshot.
fn is_object(value: &Value) -> bool {
    let has_key = |key| value.get(key).is_some();
    (has_key("kind") || has_key("metadata")) && (has_key("spec") || has_key("metadata"))
}

/// Inserts names. `make` gets the kind, the wanted beginning and the line.
fn name(value: &mut Value, list: &str, make: &mut impl FnMut(&str, Option<String>, usize) -> String) {
    let kind = text(value, &["kind"]).unwrap_or(list).to_string();
    if items(value).is_some() {
        let item_kind = kind.strip_suffix("List").unwrap_or_default();
        let list = match &mut value.is {
            Is::Map(entries) => entries.iter_mut().find(|(key, _)| key == "items").map(|(_, value)| value),
            _ => Some(value),
        };
        if let Some(Value { is: Is::List(items), .. }) = list {
            items.iter_mut().for_each(|item| name(item, item_kind, make));
        }
        return;
    }
    if text(value, &["metadata", "name"]).is_some() || !is_object(value) {
        return;
    }
    let prefix = text(value, &["metadata", "generateName"]).map(str::to_string);
    let shown = if kind.is_empty() { "object" } else { &kind };
    let generated = make(shown, prefix, value.at.0 as usize);
    let position = value.at;
    let Is::Map(entries) = &mut value.is else { return };
    let entry = ("name".to_string(), Value { at: position, is: Is::Scalar(generated) });
    match entries.iter_mut().find(|(key, _)| key == "metadata") {
        Some((_, Value { is: Is::Map(metadata), .. })) => {
            metadata.retain(|(key, _)| key != "name");
            metadata.push(entry);
        }
        Some((_, metadata)) => metadata.is = Is::Map(vec![entry]),
        None => entries.push(("metadata".into(), Value { at: position, is: Is::Map(vec![entry]) })),
    }
}
