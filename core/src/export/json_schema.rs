//! JSON schema of the scenario format, for validation and completion in editors.
//!
//! Generated from the field table (names and kinds), the doc comments of the fields in `format/schema.rs` (descriptions) and the
//! forms of the policies (settings).

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::format::{FORMAT, Ref, SCHEMA_LINE, Scenario, Shape, SlotMut, VERSION};
use crate::policy::Policy;
use crate::policy::vocabulary::Terms;

/// Source code with the declarations and doc comments of the fields.
const SOURCE: &str = include_str!("../format/schema.rs");

/// Declaration of a field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    pub(crate) doc: String,
    /// Type of its value or list items.
    kind: String,
    /// Line of the declaration.
    line: usize,
}

/// Structs of the format by name: doc comment and fields.
pub(crate) struct Declarations(BTreeMap<String, (String, BTreeMap<String, Declared>)>);

impl Declarations {
    pub(crate) fn read(source: &str) -> Declarations {
        let (mut all, mut doc, mut of) = (BTreeMap::new(), String::new(), String::new());
        for (at, line) in source.lines().map(str::trim).enumerate() {
            if let Some(more) = line.strip_prefix("///") {
                doc = format!("{doc} {}", more.trim()).trim().to_string();
            } else if let Some(rest) = line.strip_prefix("pub struct ") {
                of = rest.split([' ', '(']).next().unwrap_or_default().to_string();
                all.insert(of.clone(), (std::mem::take(&mut doc), BTreeMap::new()));
            } else if let Some((name, kind)) =
                line.strip_prefix("pub ").and_then(|field| field.split_once(": "))
            {
                let kind = kind.rsplit('<').next().unwrap_or(kind).trim_end_matches([',', '>']).to_string();
                if let Some((_, fields)) = all.get_mut(&of) {
                    fields.insert(
                        name.replace('_', "-"),
                        Declared { doc: std::mem::take(&mut doc), kind, line: at },
                    );
                }
            } else if !line.starts_with("#[") {
                doc.clear();
            }
        }
        Declarations(all)
    }

    pub(crate) fn doc(&self, of: &str) -> &str {
        self.0.get(of).map_or("", |(doc, _)| doc)
    }

    /// Returns the fields of a struct in file order.
    pub(crate) fn fields(&self, of: &str) -> Vec<(String, Declared)> {
        let Some((_, fields)) = self.0.get(of) else { return Vec::new() };
        let mut fields: Vec<(String, Declared)> = fields.clone().into_iter().collect();
        fields.sort_by_key(|(_, field)| field.line);
        fields
    }

    fn field(&self, of: &str, name: &str) -> Declared {
        self.0.get(of).and_then(|(_, fields)| fields.get(name)).cloned().unwrap_or_default()
    }
}

/// Returns the schema of a scalar, which a YAML parser may read as a string, number, boolean or null.
fn typed() -> Value {
    json!({ "type": ["string", "number", "boolean", "null"] })
}

/// Returns the schema as JSON.
pub fn json_schema() -> String {
    let declared = Declarations::read(SOURCE);
    let mut shape = Scenario::default();
    let mut whole = object(&mut shape, "Scenario", &declared);
    if let Some(properties) = whole.get_mut("properties").and_then(Value::as_object_mut) {
        let version: u32 = VERSION.parse().unwrap_or(1);
        properties.insert("format".into(), json!({ "const": FORMAT, "description": "What the file is." }));
        properties.insert(
            "version".into(),
            json!({ "enum": [version, VERSION], "description": "The version of the format." }),
        );
        properties["policy"] = policies(&declared);
        properties["settings"] = settings(&declared.field("Scenario", "settings").doc);
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
pub(crate) fn object(shape: &mut dyn Shape, of: &str, declared: &Declarations) -> Value {
    let mut properties = Map::new();
    for (i, name) in shape.names().iter().enumerate() {
        let field = declared.field(of, name);
        let mut value = value(shape, i, &field.kind, declared);
        if let Some(value) = value.as_object_mut() {
            value.insert("description".into(), field.doc.replace('`', "").into());
        }
        properties.insert((*name).to_string(), value);
    }
    json!({
        "type": ["object", "null"],
        "description": declared.doc(of),
        "properties": properties,
        "additionalProperties": false,
    })
}

fn value(shape: &mut dyn Shape, i: usize, kind: &str, declared: &Declarations) -> Value {
    match shape.field(i) {
        Ref::Text(_) | Ref::Name(_) | Ref::Value(_) | Ref::Plain(_) => return typed(),
        Ref::Texts(_) => return json!({ "type": ["array", "null"], "items": typed() }),
        Ref::Labels(_) => return json!({ "type": ["object", "null"], "additionalProperties": typed() }),
        Ref::Settings(_) => return json!({ "type": ["object", "null"] }),
        Ref::Part(_) | Ref::Rows(_) => {}
    }
    match shape.field_mut(i) {
        SlotMut::Part(part) => object(part, kind, declared),
        SlotMut::Rows(rows) => {
            rows.reset(1);
            let entry = rows.row_mut(0).map_or(Value::Null, |row| object(row, kind, declared));
            json!({ "type": ["array", "null"], "items": entry })
        }
        _ => typed(),
    }
}

fn policies(declared: &Declarations) -> Value {
    let all = Policy::ALL.iter().map(|policy| json!({ "const": policy.key, "description": policy.about }));
    json!({
        "anyOf": all.collect::<Vec<_>>(),
        "description": declared.field("Scenario", "policy").doc.replace('`', ""),
    })
}

/// Returns the schema of the settings of all policies. It allows other keys, such as those that end with the name of a queue.
fn settings(doc: &str) -> Value {
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
    json!({ "type": ["object", "null"], "description": doc, "properties": properties })
}

/// Prepends a comment line with the URL of the schema, for editors. Returns the text unchanged if the URL is not plain.
pub fn with_schema_line(yaml: &str, schema: &str) -> String {
    let is_plain = schema.chars().all(|c| !c.is_control() && !c.is_whitespace());
    match is_plain && !schema.is_empty() {
        true => format!("{SCHEMA_LINE}{schema}\n{yaml}"),
        false => yaml.to_string(),
    }
}

/// Returns the format reference as Markdown, with a table of fields per kind of entry.
pub fn format_reference() -> String {
    let declared = Declarations::read(SOURCE);
    let mut open: Vec<(&str, String)> = vec![("A scenario", "Scenario".into())];
    let mut known: Vec<String> = Vec::new();
    let mut text = String::from(
        "# Format reference\n\nThis page is made from the program. A scenario file is YAML or JSON; it begins with \
         `format: fairground-scenario` and `version: 1`. Values are typed as people write them: `500m`, `16Gi`, `20m`, `unlimited`.\n",
    );
    while let Some((title, of)) = open.pop() {
        if known.contains(&of) {
            continue;
        }
        let _ = write!(text, "\n## {title}\n\n{}\n\n| field | meaning |\n|---|---|\n", declared.doc(&of));
        let mut inner = Vec::new();
        for (name, field) in declared.fields(&of) {
            let _ = writeln!(text, "| `{name}` | {} |", field.doc.replace('|', "\\|"));
            if let Some((title, _)) = TITLES.iter().find(|(_, kind)| *kind == field.kind) {
                inner.push((*title, field.kind));
            }
        }
        inner.reverse();
        open.extend(inner);
        known.push(of);
    }
    text
}

/// Titles of the kinds of entries, with their structs.
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
