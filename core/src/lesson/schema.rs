//! The JSON schema and the reference of the lesson format, from the tables of its fields.

use serde_json::{Value, json};

use super::entries::{FactEntry, FrameEntry, LessonEntry, QuestionEntry, SuggestionEntry};
use super::{FORMAT, FactKind};
use crate::export::{document, object, rows};
use crate::format::{FieldGroup, Table};

/// Returns the schema as JSON. It refers to that of scenarios, which is published beside it.
pub fn lesson_schema() -> String {
    let mut whole = object(&LessonEntry::TABLE);
    narrow(&mut whole);
    whole["properties"]["format"]["const"] = FORMAT.into();
    document("Fairground lesson", whole)
}

/// Lists the kinds of facts, and replaces the scenario by a reference.
fn narrow(schema: &mut Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        if let Some(fact) = properties.get_mut("fact").and_then(Value::as_object_mut) {
            fact.remove("type");
            fact.insert("enum".into(), json!(FactKind::NAMES));
        }
        if let Some(scenario) = properties.get_mut("scenario") {
            *scenario = json!({ "$ref": "scenario.schema.json", "description": scenario["description"] });
        }
        properties.values_mut().for_each(narrow);
    }
    if let Some(items) = schema.get_mut("items") {
        narrow(items);
    }
}

/// Kinds of entries, with their titles.
const KINDS: [(&str, &Table); 5] = [
    ("A lesson", &LessonEntry::TABLE),
    ("Frames", &FrameEntry::TABLE),
    ("Questions", &QuestionEntry::TABLE),
    ("Facts", &FactEntry::TABLE),
    ("Suggestions", &SuggestionEntry::TABLE),
];

/// Returns the fields as Markdown, with a table per kind of entry.
pub fn lesson_reference() -> String {
    KINDS.iter().map(|(title, table)| format!("\n### {title}\n\n{}", rows(table))).collect()
}
