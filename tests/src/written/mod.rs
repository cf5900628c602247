//! Cases written as Markdown: prose for the reader, fenced blocks for the runner.
//!
//! A block's info string selects the runner: `division` ([`division`]) or `cycle` ([`cycle`]); other blocks are text. A
//! line is a list of words; text after `->` is the expectation; `#` starts a comment.

pub mod cycle;
pub mod division;

use std::collections::BTreeMap;

/// A runnable block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its runner.
    pub kind: String,
    /// Heading above it.
    pub heading: String,
    pub lines: Vec<Line>,
}

/// A line of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Line number in the file, from 1.
    pub number: usize,
    /// Words before the expectation.
    pub words: Vec<String>,
    /// Expectation.
    pub expected: Option<String>,
}

/// Blocks of a file, in order.
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut heading = String::new();
    let mut open: Option<Block> = None;
    for (i, text) in markdown.lines().enumerate() {
        if let Some(kind) = text.strip_prefix("```") {
            match open.take() {
                Some(block) => blocks.push(block),
                None => {
                    let (kind, heading) = (kind.trim().to_owned(), heading.clone());
                    open = Some(Block { kind, heading, lines: Vec::new() });
                }
            }
        } else if let Some(block) = &mut open {
            block.lines.extend(line(i + 1, text));
        } else if text.starts_with('#') {
            heading = text.trim_start_matches('#').trim().to_owned();
        }
    }
    blocks.retain(|b| b.kind == "division" || b.kind == "cycle");
    blocks
}

fn line(number: usize, text: &str) -> Option<Line> {
    let text = text.split('#').next().unwrap_or_default();
    let (parsed, expected) = match text.split_once("->") {
        Some((parsed, expected)) => (parsed, Some(expected.trim().to_owned())),
        None => (text, None),
    };
    let words: Vec<String> = parsed.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty() || expected.is_some()).then_some(Line { number, words, expected })
}

/// Runs a block; the error names the line.
pub fn run(block: &Block) -> Result<(), String> {
    match block.kind.as_str() {
        "division" => division::run(&block.lines),
        _ => cycle::run(&block.lines),
    }
}

/// Words of a line: names, then keys with values.
#[derive(Clone, Debug, Default)]
pub struct ParsedLine<'a> {
    number: usize,
    names: Vec<&'a str>,
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> ParsedLine<'a> {
    /// Parses a line: names up to the first key, `keys` with one value each, `flags` without.
    pub fn of(line: &'a Line, keys: &[&str], flags: &[&str]) -> Result<ParsedLine<'a>, String> {
        let mut parsed = ParsedLine { number: line.number, ..ParsedLine::default() };
        let mut words = line.words.iter().skip(1).map(String::as_str);
        while let Some(word) = words.next() {
            if flags.contains(&word) {
                parsed.values.insert(word, word);
            } else if keys.contains(&word) {
                let value = words.next().ok_or_else(|| parsed.error(&format!("{word} has no value")))?;
                parsed.values.insert(word, value);
            } else if parsed.values.is_empty() {
                parsed.names.push(word);
            } else {
                return Err(parsed.error(&format!("unknown word {word:?}")));
            }
        }
        Ok(parsed)
    }

    pub fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// Single name.
    pub fn name(&self) -> Result<&'a str, String> {
        match self.names[..] {
            [name] => Ok(name),
            _ => Err(self.error("one name is expected")),
        }
    }

    /// Whether a key or flag is present.
    pub fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// Text of a key.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.values.get(key).copied()
    }

    /// Number of a key; `unlimited` is -1.
    pub fn number(&self, key: &str, default: f64) -> Result<f64, String> {
        match self.text(key) {
            None => Ok(default),
            Some("unlimited") => Ok(-1.0),
            Some(text) => text.parse().map_err(|_| self.error(&format!("{key} {text:?} is not a number"))),
        }
    }

    /// Integer of a key.
    pub fn count(&self, key: &str, default: i64) -> Result<i64, String> {
        match self.text(key) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| self.error(&format!("{key} {text:?} is not a whole number"))),
        }
    }

    /// Error message with the line number.
    pub fn error(&self, says: &str) -> String {
        format!("line {}: {says}", self.number)
    }
}
