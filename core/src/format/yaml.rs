//! Trees as YAML, for the files that schedulers read: in blocks as people write them, or on one line.

use super::yaml_text;

/// A tree to write. What is empty is left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// A text, in quotes where a reader would take it for something else.
    Text(String),
    /// A number, a quantity or a switch.
    Value(String),
    /// Entries.
    List(Vec<Yaml>),
    /// Keys with values.
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

    /// On one line, which any reader of YAML takes.
    pub fn flow(&self) -> String {
        let mut out = String::new();
        self.write_flow(&mut out, false);
        out
    }

    fn write_flow(&self, out: &mut String, is_typed: bool) {
        match self {
            Yaml::Text(text) => yaml_text(out, text, is_typed),
            Yaml::Value(text) => yaml_text(out, text, false),
            Yaml::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    item.write_flow(out, is_typed);
                }
                out.push(']');
            }
            Yaml::Map(entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    yaml_text(out, key, false);
                    out.push_str(": ");
                    value.write_flow(out, is_typed);
                }
                out.push('}');
            }
        }
    }

    /// In blocks, each level two spaces further to the right.
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

    /// Behind a key.
    fn write_under(&self, out: &mut String, depth: usize) {
        let is_names = |items: &[Yaml]| items.iter().all(|item| matches!(item, Yaml::Text(_)));
        match self {
            Yaml::Map(_) => {
                out.push('\n');
                indent(out, depth + 2);
                self.write_block(out, depth + 2);
            }
            Yaml::List(items) if !is_names(items) => {
                out.push('\n');
                indent(out, depth + 2);
                self.write_block(out, depth + 2);
            }
            value => {
                out.push(' ');
                value.write_flow(out, true);
                out.push('\n');
            }
        }
    }
}

fn indent(out: &mut String, n: usize) {
    out.extend(std::iter::repeat_n(' ', n));
}

/// The entries that say something, in their order.
pub fn map<const N: usize>(entries: [(&str, Yaml); N]) -> Yaml {
    let said = entries.into_iter().filter(|(_, node)| !node.is_empty());
    Yaml::Map(said.map(|(key, node)| (key.to_string(), node)).collect())
}

/// A text.
pub fn text(text: &str) -> Yaml {
    Yaml::Text(text.to_string())
}
