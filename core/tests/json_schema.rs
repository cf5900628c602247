//! The JSON schema of the format: the published one is current, accepts every example, and rejects errors.
#![allow(clippy::disallowed_methods, reason = "the examples and the published files are read from the repository")]

use fairground::export::{format_reference, json_schema, with_schema_line};
use fairground::scenario::{read, to_json};
use serde_json::{Value, json};

const PUBLISHED: &str = include_str!("../../assets/scenario.schema.json");

#[test]
fn the_published_schema_is_current() {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenario.schema.json");
        std::fs::write(file, json_schema()).expect("written");
        return;
    }
    assert!(PUBLISHED == json_schema(), "run this test with UPDATE_EXPECT=1");
}

#[test]
fn the_reference_in_the_guide_is_current() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/format.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, format_reference()).expect("written");
        return;
    }
    let text = std::fs::read_to_string(&file).expect("the reference");
    assert!(text == format_reference(), "run this test with UPDATE_EXPECT=1");
}

/// Violations of a schema, for the keywords that ours uses; other keywords are an error of the schema.
fn wrong(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (word, wanted) in schema.as_object().expect("a schema") {
        match word.as_str() {
            "$schema" | "title" | "description" => {}
            "const" if value == wanted => {}
            "enum" if wanted.as_array().is_some_and(|all| all.contains(value)) => {}
            "anyOf" => {
                let fits = |one: &Value| {
                    let mut found = Vec::new();
                    wrong(one, value, at, &mut found);
                    found.is_empty()
                };
                if !wanted.as_array().is_some_and(|all| all.iter().any(fits)) {
                    found.push(format!("{at}: none of the choices"));
                }
            }
            "type" => {
                let is = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::Number(_) => "number",
                    Value::String(_) => "string",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                };
                if !wanted.as_array().is_some_and(|all| all.contains(&json!(is))) {
                    found.push(format!("{at}: is {is}"));
                }
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = wanted.get(key) {
                        wrong(schema, value, &format!("{at}.{key}"), found);
                    }
                }
            }
            "additionalProperties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    let is_known = schema["properties"].get(key).is_some();
                    match wanted {
                        Value::Bool(false) if !is_known => found.push(format!("{at}.{key}: is not known")),
                        Value::Object(_) if !is_known => wrong(wanted, value, &format!("{at}.{key}"), found),
                        _ => {}
                    }
                }
            }
            "items" => {
                for (i, value) in value.as_array().into_iter().flatten().enumerate() {
                    wrong(wanted, value, &format!("{at}[{i}]"), found);
                }
            }
            other => found.push(format!("{at}: {other} {wanted}")),
        }
    }
}

fn found(text: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(PUBLISHED).expect("JSON");
    let mut found = Vec::new();
    wrong(&schema, &serde_json::from_str(text).expect("JSON"), "", &mut found);
    found
}

#[test]
fn every_example_fits_the_schema() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenarios");
    let mut n = 0;
    for entry in std::fs::read_dir(folder).expect("the examples").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a text");
        let scenario = read(&text).scenario.expect("a scenario");
        assert_eq!(found(&to_json(&scenario)), Vec::<String>::new(), "{:?}", entry.path());
        n += 1;
    }
    assert!(n > 40, "{n}");
}

#[test]
fn errors_do_not_fit_the_schema() {
    let start = r#""format": "fairground-scenario", "version": 1"#;
    for (rest, says) in [
        (r#""queus": []"#, ".queus: is not known"),
        (r#""policy": "slurm""#, ".policy: none of the choices"),
        (r#""queues": [{"name": "a", "gpu": 4}]"#, ".queues[0].gpu: is number"),
        (r#""queues": {"name": "a"}"#, ".queues: is object"),
        (r#""jobs": [{"name": "a", "pod-sets": [{"pots": 1}]}]"#, ".jobs[0].pod-sets[0].pots: is not known"),
        (r#""nodes": [{"name": ["a"]}]"#, ".nodes[0].name: is array"),
    ] {
        assert_eq!(found(&format!("{{{start}, {rest}}}")), [says]);
    }
    let version = found(r#"{"format": "fairground-scenario", "version": 2}"#);
    assert_eq!(version.len(), 1, "{version:?}");
}

#[test]
fn a_file_names_its_schema_without_counting_as_commented() {
    let yaml = "format: fairground-scenario\nversion: 1\n";
    let named = with_schema_line(yaml, "https://example.org/x/scenario.schema.json");
    assert_eq!(named, format!("# yaml-language-server: $schema=https://example.org/x/scenario.schema.json\n{yaml}"));
    assert!(!read(&named).has_comments);
    assert!(read(&format!("{named}# mine\n")).has_comments);
    assert_eq!(with_schema_line(yaml, "a b"), yaml);
}

#[test]
fn every_field_is_explained() {
    let schema: Value = serde_json::from_str(PUBLISHED).expect("JSON");
    let mut open = vec![(String::new(), &schema)];
    while let Some((at, schema)) = open.pop() {
        if let Some(items) = schema.get("items").filter(|items| items.get("properties").is_some()) {
            open.push((at.clone(), items));
        }
        for (key, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let at = format!("{at}.{key}");
            assert!(field["description"].as_str().is_some_and(|says| !says.is_empty()), "{at}");
            open.push((at, field));
        }
    }
}
