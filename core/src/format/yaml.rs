//! Writes trees as YAML in block or flow style, for the files of schedulers.

use super::write::{indent, key_of, list, yaml_text};

/// A YAML tree to write.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// A string; quoted where a YAML parser would infer another type.
    Text(String),
    /// A number, quantity or boolean, written without type-driven quotes.
    Value(String),
    /// A sequence.
    List(Vec<Yaml>),
    /// A mapping in the given order.
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    fn is_empty(&self) -> bool {
        match self {
            Yaml::Text(text) | Yaml::Value(text) => text.is_empty(),
            Yaml::List(items) => items.is_empty(),
            Yaml::Map(entries) => entries.is_empty(),
        }
    }

    /// Returns the tree in flow style, on one line.
    pub fn flow(&self) -> String {
        let mut out = String::new();
        self.write_flow(&mut out, false);
        out
    }

    fn write_flow(&self, out: &mut String, is_typed: bool) {
        match self {
            Yaml::Text(text) => yaml_text(out, text, is_typed),
            Yaml::Value(text) => yaml_text(out, text, false),
            Yaml::List(items) => list(out, "[]", items, |out, item| item.write_flow(out, is_typed)),
            Yaml::Map(entries) => list(out, "{}", entries, |out, (key, value)| {
                key_of(out, key);
                value.write_flow(out, is_typed);
            }),
        }
    }

    /// Returns the tree in block style, indented by two spaces per level.
    pub fn block(&self) -> String {
        let mut out = String::new();
        self.write_block(&mut out, 0);
        out
    }

    fn write_block(&self, out: &mut String, depth: usize) {
        match self {
            Yaml::Map(entries) => {
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 {
                        indent(out, depth);
                    }
                    yaml_text(out, key, false);
                    out.push(':');
                    value.write_under(out, depth);
                }
            }
            Yaml::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        indent(out, depth);
                    }
                    out.push_str("- ");
                    item.write_block(out, depth + 2);
                }
            }
            value => {
                value.write_flow(out, true);
                out.push('\n');
            }
        }
    }

    /// Writes the value of a key: lists of strings and scalars on the line of the key, others as a nested block.
    fn write_under(&self, out: &mut String, depth: usize) {
        let is_names = |items: &[Yaml]| items.iter().all(|item| matches!(item, Yaml::Text(_)));
        match self {
            Yaml::Map(_) => self.write_below(out, depth + 2),
            Yaml::List(items) if !is_names(items) => self.write_below(out, depth + 2),
            value => {
                out.push(' ');
                value.write_flow(out, true);
                out.push('\n');
            }
        }
    }

    /// Writes a nested block on the following lines.
    fn write_below(&self, out: &mut String, depth: usize) {
        out.push('\n');
        indent(out, depth);
        self.write_block(out, depth);
    }
}

/// Returns a mapping of the entries with non-empty values.
pub fn map<const N: usize>(entries: [(&str, Yaml); N]) -> Yaml {
    let non_empty = entries.into_iter().filter(|(_, node)| !node.is_empty());
    Yaml::Map(non_empty.map(|(key, node)| (key.to_string(), node)).collect())
}

/// Returns a string node.
pub fn text(text: &str) -> Yaml {
    Yaml::Text(text.to_string())
}
