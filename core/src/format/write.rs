//! Writes a [`Scenario`] as text that reads and diffs well: fixed key order, no empty fields, values as typed, short
//! entries on one line. Reading the text returns the same scenario.

use super::schema::Scenario;
use super::shape::{Ref, Shape};
use super::value::{Is, Value};
use super::{FORMAT, VERSION};

/// Maximum length of an entry that is written on one line, without indentation.
const LINE_MAX: usize = 100;

/// A value to write.
enum Out<'a> {
    /// A string; quoted where a parser would infer another type.
    Text(&'a str),
    /// A value as typed.
    Value(&'a str),
    Map(Vec<(&'a str, Out<'a>)>),
    /// Values on one line.
    Flow(Vec<Out<'a>>),
    /// Entries, one or more lines each.
    Rows(Vec<Vec<(&'a str, Out<'a>)>>),
}

/// Returns the fields that are not empty.
fn outline(shape: &dyn Shape) -> Vec<(&'static str, Out<'_>)> {
    let mut fields = Vec::new();
    for (i, name) in shape.names().iter().copied().enumerate() {
        let out = match shape.field(i) {
            Ref::Text(text) => Some(Out::Text(text)).filter(|_| !text.is_empty()),
            Ref::Name(text) => text.map(Out::Text),
            Ref::Value(text) => text.map(Out::Value),
            Ref::Plain(text) => Some(Out::Value(text)).filter(|_| !text.is_empty()),
            Ref::Labels(map) => Some(Out::Map(map.iter().map(|(k, v)| (k.as_str(), Out::Text(v))).collect())),
            Ref::Settings(map) => Some(Out::Map(map.iter().map(|(k, v)| (k.as_str(), Out::Value(&v.0))).collect())),
            Ref::Texts(texts) => Some(Out::Flow(texts.iter().map(|text| Out::Text(text)).collect())),
            Ref::Part(part) => Some(Out::Map(outline(part))),
            Ref::Rows(rows) => Some(Out::Rows((0..rows.count()).filter_map(|i| rows.row(i)).map(outline).collect())),
        };
        let is_empty = |out: &Out<'_>| match out {
            Out::Map(fields) => fields.is_empty(),
            Out::Flow(items) => items.is_empty(),
            Out::Rows(rows) => rows.is_empty(),
            Out::Text(_) | Out::Value(_) => false,
        };
        fields.extend(out.filter(|out| !is_empty(out)).map(|out| (name, out)));
    }
    fields
}

fn whole(scenario: &Scenario) -> Vec<(&'static str, Out<'_>)> {
    let mut fields = vec![("format", Out::Text(FORMAT)), ("version", Out::Value(VERSION))];
    fields.extend(outline(scenario));
    // Nodes refer to pools, so pools come first.
    let index = |fields: &[(&str, Out<'_>)], key: &str| fields.iter().position(|(name, _)| *name == key);
    if let (Some(pools), Some(nodes)) = (index(&fields, "pools"), index(&fields, "nodes")) {
        fields[nodes..=pools].rotate_right(1);
    }
    fields
}

/// Returns the scenario as YAML.
pub fn to_yaml(scenario: &Scenario) -> String {
    let mut text = String::new();
    for (key, out) in &whole(scenario) {
        yaml_field(&mut text, key, out, 0);
    }
    text
}

/// Returns any group of fields as YAML.
pub(crate) fn shape_to_yaml(shape: &dyn Shape) -> String {
    let mut text = String::new();
    for (key, out) in &outline(shape) {
        yaml_field(&mut text, key, out, 0);
    }
    text
}

pub(super) fn indent(text: &mut String, n: usize) {
    text.extend(std::iter::repeat_n(' ', n));
}

fn yaml_field(text: &mut String, key: &str, out: &Out<'_>, depth: usize) {
    yaml_text(text, key, false);
    text.push(':');
    match out {
        Out::Rows(rows) => {
            text.push('\n');
            for row in rows {
                indent(text, depth + 2);
                text.push_str("- ");
                yaml_row(text, row, depth + 4);
            }
        }
        Out::Map(fields) if key == "settings" => {
            text.push('\n');
            for (key, out) in fields {
                indent(text, depth + 2);
                match out {
                    Out::Value(entries) if is_flow(entries) => {
                        key_of(text, key);
                        text.extend([entries, "\n"]);
                    }
                    out => yaml_field(text, key, out, depth + 2),
                }
            }
        }
        Out::Map(fields) if key == "question" || fields.iter().any(|(_, out)| matches!(out, Out::Rows(_))) => {
            text.push('\n');
            for (key, out) in fields {
                indent(text, depth + 2);
                yaml_field(text, key, out, depth + 2);
            }
        }
        Out::Text(note) if is_block(note) => {
            text.push_str(" |-\n");
            for line in note.split('\n') {
                if !line.is_empty() {
                    indent(text, depth + 2);
                    text.push_str(line);
                }
                text.push('\n');
            }
        }
        out => {
            text.push(' ');
            yaml_flow(text, out);
            text.push('\n');
        }
    }
}

/// Whether a setting is a flow-style list of maps, which is written without quotes.
fn is_flow(text: &str) -> bool {
    text.starts_with("[{") && super::value::parse(text, &[]).is_ok_and(|value| flow(&value) == text)
}

/// Returns a value in flow style, scalars as typed.
pub(super) fn flow(value: &Value) -> String {
    let mut text = String::new();
    write_flow(&mut text, value);
    text
}

fn write_flow(text: &mut String, value: &Value) {
    match &value.is {
        Is::Null => {}
        Is::Scalar(s) => yaml_text(text, s, false),
        Is::List(items) => list(text, "[]", items, write_flow),
        Is::Map(entries) => list(text, "{}", entries, |text, (key, value)| {
            key_of(text, key);
            write_flow(text, value);
        }),
    }
}

/// Writes items between a pair of brackets, separated by commas.
pub(super) fn list<T>(text: &mut String, brackets: &str, items: &[T], mut each: impl FnMut(&mut String, &T)) {
    let (open, close) = brackets.split_at(1);
    text.push_str(open);
    for (i, item) in items.iter().enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        each(text, item);
    }
    text.push_str(close);
}

/// Writes the key of a flow-style map.
pub(super) fn key_of(text: &mut String, key: &str) {
    yaml_text(text, key, false);
    text.push_str(": ");
}

/// Writes a list entry, on one line if it is short and flat.
fn yaml_row(text: &mut String, row: &[(&str, Out<'_>)], depth: usize) {
    let nested = |out: &Out<'_>| match out {
        Out::Rows(_) => true,
        Out::Map(fields) => fields.iter().any(|(_, out)| matches!(out, Out::Value(_))),
        Out::Text(note) => note.contains('\n'),
        _ => false,
    };
    if !row.iter().any(|(_, out)| nested(out)) {
        let start = text.len();
        yaml_map(text, row);
        if text.len() - start <= LINE_MAX || row.is_empty() {
            text.push('\n');
            return;
        }
        text.truncate(start);
    }
    for (i, (key, out)) in row.iter().enumerate() {
        if i > 0 {
            indent(text, depth);
        }
        yaml_field(text, key, out, depth);
    }
}

fn yaml_map(text: &mut String, fields: &[(&str, Out<'_>)]) {
    list(text, "{}", fields, |text, (key, out)| {
        key_of(text, key);
        yaml_flow(text, out);
    });
}

fn yaml_flow(text: &mut String, out: &Out<'_>) {
    match out {
        Out::Text(s) => yaml_text(text, s, true),
        Out::Value(s) => yaml_text(text, s, false),
        Out::Map(fields) => yaml_map(text, fields),
        Out::Flow(items) => list(text, "[]", items, yaml_flow),
        Out::Rows(rows) => list(text, "[]", rows, |text, row| yaml_map(text, row)),
    }
}

/// Whether a text can be written as a block scalar.
fn is_block(note: &str) -> bool {
    let plain = |c: char| c == '\n' || !c.is_control() && !is_odd(c);
    note.contains('\n')
        && note.chars().all(plain)
        && !note.starts_with(['\n', ' '])
        && !note.ends_with('\n')
        && note.split('\n').all(|line| line.is_empty() || !line.trim().is_empty())
}

/// Whether YAML parsers do not treat a character as ordinary text.
fn is_odd(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether a text needs no quotes, even in flow lists and maps.
fn is_plain(s: &str, as_text: bool) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '+' | '-' | ' ' | '(' | ')' | '=' | ';');
    let first = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '+' | '-' | '(');
    let dash = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '.');
    s.starts_with(first)
        && s.chars().all(inner)
        && !s.ends_with(' ')
        // The parser takes a dash between a space and a comma for the start of a list.
        && !s.ends_with(" -")
        && s.strip_prefix('-').is_none_or(dash)
        && !s.starts_with("...")
        && !is_null(s)
        && !(as_text && looks_typed(s))
}

fn is_null(s: &str) -> bool {
    matches!(s, "null" | "Null" | "NULL")
}

/// Whether a YAML parser would infer a type other than string.
fn looks_typed(s: &str) -> bool {
    let word = ["true", "false", "yes", "no", "on", "off", "y", "n"];
    s.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
        && s.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '+' | '-' | '.' | '_' | 'x' | 'o' | ':'))
        || word.iter().any(|word| word.eq_ignore_ascii_case(s))
        || [".inf", ".nan"].iter().any(|word| s.to_ascii_lowercase().ends_with(word))
}

pub(super) fn yaml_text(text: &mut String, s: &str, as_text: bool) {
    if is_plain(s, as_text) {
        text.push_str(s);
        return;
    }
    text.push('"');
    for c in s.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            c if c.is_control() || is_odd(c) => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// Returns the scenario as JSON.
pub fn to_json(scenario: &Scenario) -> String {
    let mut text = String::from("{\n");
    for (i, (key, out)) in whole(scenario).iter().enumerate() {
        if i > 0 {
            text.push_str(",\n");
        }
        text.push_str("  ");
        json_text(&mut text, key);
        text.push_str(": ");
        match out {
            Out::Rows(rows) => {
                for (i, row) in rows.iter().enumerate() {
                    text.push_str(if i == 0 { "[\n    " } else { ",\n    " });
                    json_map(&mut text, row);
                }
                text.push_str("\n  ]");
            }
            out => json_out(&mut text, out),
        }
    }
    text.push_str("\n}\n");
    text
}

fn json_out(text: &mut String, out: &Out<'_>) {
    match out {
        Out::Text(s) => json_text(text, s),
        Out::Value(s) if is_json(s) => text.push_str(s),
        Out::Value(s) => json_text(text, s),
        Out::Map(fields) => json_map(text, fields),
        Out::Flow(items) => list(text, "[]", items, json_out),
        Out::Rows(rows) => list(text, "[]", rows, |text, row| json_map(text, row)),
    }
}

fn json_map(text: &mut String, fields: &[(&str, Out<'_>)]) {
    list(text, "{}", fields, |text, (key, out)| {
        json_text(text, key);
        text.push_str(": ");
        json_out(text, out);
    });
}

/// Whether a value as typed is a JSON number or boolean.
fn is_json(s: &str) -> bool {
    let first = s.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    matches!(s, "true" | "false")
        || first && serde_json::from_str::<&serde_json::value::RawValue>(s).is_ok_and(|raw| raw.get() == s)
}

fn json_text(text: &mut String, s: &str) {
    // Serialising a string cannot fail.
    text.push_str(&serde_json::to_string(s).unwrap_or_default());
}
