//! The JSON schema and the reference of the lesson format, from its field table and the doc comments of its fields.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::entries::LessonEntry;
use super::{FORMAT, FactKind};
use crate::export::{Declarations, document, object};

/// Source code with the declarations and doc comments of the fields.
const SOURCE: &str = include_str!("entries.rs");

/// Returns the schema as JSON. It refers to that of scenarios, which is published beside it.
pub fn lesson_schema() -> String {
    let declared = Declarations::read(SOURCE);
    let mut whole = object(&mut LessonEntry::default(), "LessonEntry", &declared);
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

/// Kinds of entries: title and struct.
const KINDS: [(&str, &str); 5] = [
    ("A lesson", "LessonEntry"),
    ("Frames", "FrameEntry"),
    ("Questions", "QuestionEntry"),
    ("Facts", "FactEntry"),
    ("Suggestions", "SuggestionEntry"),
];

/// Returns the fields as Markdown, with a table per kind of entry.
pub fn lesson_reference() -> String {
    let declared = Declarations::read(SOURCE);
    let mut text = String::new();
    for (title, of) in KINDS {
        let _ = write!(text, "\n### {title}\n\n{}\n\n| field | meaning |\n|---|---|\n", declared.doc(of));
        for (name, field) in declared.fields(of) {
            let _ = writeln!(text, "| `{name}` | {} |", field.doc.replace('|', "\\|"));
        }
    }
    text
}
