//! JSON schema of the scenario format, for validation and completion in editors.
//!
//! Generated from the tables of fields in `format/schema.rs` and the forms of the policies (settings).

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::format::{FORMAT, FieldGroup, FieldKind, Row, SCHEMA_LINE, Scenario, Table, VERSION};
use crate::policy::Policy;
use crate::policy::vocabulary::Terms;

/// Returns the schema of a scalar, which a YAML parser may read as a string, number, boolean or null.
fn typed() -> Value {
    json!({ "type": ["string", "number", "boolean", "null"] })
}

/// Returns the schema as JSON.
pub fn json_schema() -> String {
    let mut whole = object(&Scenario::TABLE);
    if let Some(properties) = whole.get_mut("properties").and_then(Value::as_object_mut) {
        let version: u32 = VERSION.parse().unwrap_or(1);
        properties.insert("format".into(), json!({ "const": FORMAT, "description": "What the file is." }));
        properties.insert(
            "version".into(),
            json!({ "enum": [version, VERSION], "description": "The version of the format." }),
        );
        properties["policy"] = policies(properties["policy"]["description"].clone());
        properties["settings"] = settings(properties["settings"]["description"].clone());
    }
    document("Fairground scenario", whole)
}

/// A schema with its title, as the text of a file.
pub(crate) fn document(title: &str, mut whole: Value) -> String {
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
    });
    if let (Some(schema), Some(whole)) = (schema.as_object_mut(), whole.as_object_mut()) {
        schema.append(whole);
    }
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns the schema of a group of fields.
pub(crate) fn object(table: &Table) -> Value {
    let property = |row: &Row| {
        let mut value = value(row.kind);
        if let Some(value) = value.as_object_mut() {
            value.insert("description".into(), row.about.trim().replace('`', "").into());
        }
        (row.name.to_string(), value)
    };
    json!({
        "type": ["object", "null"],
        "description": table.about.trim(),
        "properties": table.fields.iter().map(property).collect::<Map<_, _>>(),
        "additionalProperties": false,
    })
}

fn value(kind: FieldKind) -> Value {
    match kind {
        FieldKind::Value => typed(),
        FieldKind::List => json!({ "type": ["array", "null"], "items": typed() }),
        FieldKind::Map => json!({ "type": ["object", "null"], "additionalProperties": typed() }),
        FieldKind::Settings => json!({ "type": ["object", "null"] }),
        FieldKind::Part(table) => object(table),
        FieldKind::Rows(table) => json!({ "type": ["array", "null"], "items": object(table) }),
    }
}

fn policies(says: Value) -> Value {
    let all = Policy::ALL.iter().map(|policy| json!({ "const": policy.key, "description": policy.about }));
    json!({ "anyOf": all.collect::<Vec<_>>(), "description": says })
}

/// Returns the schema of the settings of all policies. It allows other keys, such as those that end with the name of a
/// queue.
fn settings(says: Value) -> Value {
    let mut properties: BTreeMap<&str, String> = BTreeMap::new();
    for policy in Policy::ALL {
        let groups = policy.form.settings.iter().flat_map(|(_, attributes)| attributes.iter());
        for attribute in groups.chain(policy.form.pool) {
            let name = attribute.key;
            let default = match attribute.default {
                "" => String::new(),
                default => format!(" Default: {default}."),
            };
            let [label, doc] = [attribute.label, attribute.says].map(|text| Terms::PLAIN.fill(text));
            let doc = format!("{}: {label} — {doc}{default}", policy.name);
            let known = properties.entry(name).or_default();
            if !known.contains(&doc) {
                known.push_str(if known.is_empty() { "" } else { "\n" });
                known.push_str(&doc);
            }
        }
    }
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, doc)| (name.to_string(), json!({ "description": doc }))).collect();
    json!({ "type": ["object", "null"], "description": says, "properties": properties })
}

/// Prepends a comment line with the URL of the schema, for editors. Returns the text unchanged if the URL is not plain.
pub fn with_schema_line(yaml: &str, schema: &str) -> String {
    let is_plain = schema.chars().all(|c| !c.is_control() && !c.is_whitespace());
    if is_plain && !schema.is_empty() { format!("{SCHEMA_LINE}{schema}\n{yaml}") } else { yaml.to_string() }
}

/// Returns the format reference as Markdown, with a table of fields per kind of entry.
pub fn format_reference() -> String {
    let mut open = vec![("A scenario", &Scenario::TABLE)];
    let mut known: Vec<&str> = Vec::new();
    let mut text = String::from(
        "# Format reference\n\nThis page is made from the program. A scenario file is YAML or JSON; it begins with \
         `format: fairground-scenario` and `version: 1`. Values are typed as people write them: `500m`, `16Gi`, `20m`, `unlimited`.\n",
    );
    while let Some((title, table)) = open.pop() {
        if known.contains(&table.name) {
            continue;
        }
        let _ = write!(text, "\n## {title}\n\n{}", rows(table));
        let titled = |row: &Row| match row.kind {
            FieldKind::Part(table) | FieldKind::Rows(table) => {
                Some((TITLES.iter().find(|(_, name)| *name == table.name)?.0, table))
            }
            _ => None,
        };
        open.extend(table.fields.iter().rev().filter_map(titled));
        known.push(table.name);
    }
    text
}

/// What a group of fields is, and a table of its fields, as Markdown.
pub(crate) fn rows(table: &Table) -> String {
    let mut text = format!("{}\n\n| field | meaning |\n|---|---|\n", table.about.trim());
    for row in table.fields {
        let _ = writeln!(text, "| `{}` | {} |", row.name, row.about.trim().replace('|', "\\|"));
    }
    text
}

/// Titles of the kinds of entries, with their types.
const TITLES: [(&str, &str); 10] = [
    ("Delays", "DelaysEntry"),
    ("Nodes", "NodeEntry"),
    ("Queues", "QueueEntry"),
    ("Queues in one pool", "QueuePoolEntry"),
    ("A resource of a queue", "ResourceEntry"),
    ("Jobs", "JobEntry"),
    ("Pod sets", "PodSetEntry"),
    ("Timeline", "TimelineEntry"),
    ("Capacity of a node", "CapacityEntry"),
    ("Pools", "PoolEntry"),
];
