//! Text of YAML or JSON as one small tree with positions. Values stay as typed: `6214e9` is text, not a
//! float, until somebody asks for a number.

use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::codes;
use super::diagnostic::{Code, Diagnostic};
use super::findings::{diagnostic, quoted};
use crate::kit::sort::order;

/// Longest text that is read, in bytes.
pub const TEXT_MAX: usize = 50_000_000;
/// Deepest nesting that is read.
pub const DEPTH_MAX: usize = 64;

/// Line and column, from 1.
pub type Position = (u32, u32);

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Where it begins.
    pub at: Position,
    /// What it is.
    pub is: Is,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Is {
    /// Left empty, `~` or `null`.
    Null,
    /// A number, a truth value or a text, as typed.
    Scalar(String),
    /// A list.
    List(Vec<Value>),
    /// Keys with values, in file order, without duplicates.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The value of a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match &self.is {
            Is::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// Reads YAML (which JSON is a part of, but for two escapes) into a tree.
pub fn parse(text: &str) -> Result<Value, Box<Diagnostic>> {
    if text.len() > TEXT_MAX {
        let says = format!("the text has {} bytes; up to {TEXT_MAX} are read", text.len());
        return Err(refusal(codes::TEXT_TOO_LARGE, (1, 1), says));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        match json(text) {
            Err(wrong) if *wrong.code.0 == *codes::SYNTAX.0 => yaml(text).map_err(|_| wrong),
            answer => answer,
        }
    } else {
        yaml(text)
    }
}

fn refusal(code: Code, at: Position, says: String) -> Box<Diagnostic> {
    Box::new(Diagnostic { position: Some(at), ..diagnostic(code, Default::default(), says, None) })
}

/// A list or map that is not closed yet.
enum Open {
    List(Vec<Value>),
    Map(Vec<(String, Value)>, Option<(String, Position)>),
}

/// Builds the tree from the parser's events.
#[derive(Default)]
struct Builder {
    open: Vec<(Position, Open)>,
    root: Option<Value>,
}

fn yaml(text: &str) -> Result<Value, Box<Diagnostic>> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(next) = parser.next_event() {
        let (event, span) = next.map_err(|e| {
            let (line, column) = (e.marker().line(), e.marker().col());
            let here = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            let at = position(line, column);
            if here.trim_start_matches(' ').starts_with('\t') || e.info().contains(" tab") {
                let says = "a tab stands where only spaces may; use spaces to set lines in";
                return refusal(codes::SYNTAX, at, says.into());
            }
            refusal(codes::SYNTAX, at, format!("this cannot be read as YAML: {}", e.info()))
        })?;
        let at = position(span.start.line(), span.start.col());
        builder.take(event, at)?;
    }
    Ok(builder.root.unwrap_or(Value { at: (1, 1), is: Is::Null }))
}

fn position(line: usize, column: usize) -> Position {
    let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (clamp(line.max(1)), clamp(column.saturating_add(1)))
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: Position) -> Result<(), Box<Diagnostic>> {
        let feature = match &event {
            Event::Alias(_) => Some("an alias (*name)"),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(anchor, _)
            | Event::MappingStart(anchor, _)
                if *anchor != 0 =>
            {
                Some("an anchor (&name)")
            }
            Event::Scalar(.., Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => Some("a tag (!name)"),
            Event::DocumentStart(_) if self.root.is_some() => Some("a second document (---)"),
            _ => None,
        };
        if let Some(feature) = feature {
            let says = format!("{feature} is not allowed here; write the value out");
            return Err(refusal(codes::YAML_FEATURE, at, says));
        }
        match event {
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                let null = plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                if let Some((_, Open::Map(_, key @ None))) = self.open.last_mut() {
                    if plain && text == "<<" {
                        let says = "a merge key (<<) is not allowed here; write the values out".to_string();
                        return Err(refusal(codes::YAML_FEATURE, at, says));
                    }
                    *key = Some((text.into_owned(), at));
                    return Ok(());
                }
                let is = if null { Is::Null } else { Is::Scalar(text.into_owned()) };
                self.add(Value { at, is })
            }
            Event::SequenceStart(..) => self.start(at, Open::List(Vec::new())),
            Event::MappingStart(..) => self.start(at, Open::Map(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((at, Open::List(items))) => self.add(Value { at, is: Is::List(items) }),
                Some((at, Open::Map(entries, _))) => self.add(map(at, entries)?),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn start(&mut self, at: Position, open: Open) -> Result<(), Box<Diagnostic>> {
        if self.open.len() >= DEPTH_MAX {
            return Err(too_deep(at));
        }
        if let Some((_, Open::Map(_, None))) = self.open.last() {
            let says = "a key must be a text, not a list or a map".to_string();
            return Err(refusal(codes::YAML_FEATURE, at, says));
        }
        self.open.push((at, open));
        Ok(())
    }

    fn add(&mut self, value: Value) -> Result<(), Box<Diagnostic>> {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((_, Open::List(items))) => items.push(value),
            Some((_, Open::Map(entries, key))) => {
                if let Some((name, at)) = key.take() {
                    // The key's place is the better one to point at when the value is a map or empty.
                    let at = if matches!(value.is, Is::Scalar(_)) { value.at } else { at };
                    entries.push((name, Value { at, is: value.is }));
                }
            }
        }
        Ok(())
    }
}

fn too_deep(at: Position) -> Box<Diagnostic> {
    refusal(codes::TOO_NESTED, at, format!("the text is nested more than {DEPTH_MAX} levels deep"))
}

/// A map, unless a key stands in it twice.
fn map(at: Position, entries: Vec<(String, Value)>) -> Result<Value, Box<Diagnostic>> {
    let order = order(entries.len(), &mut |a, b| entries[a].0.cmp(&entries[b].0));
    let twice = order.windows(2).filter(|pair| entries[pair[0]].0 == entries[pair[1]].0).map(|pair| pair[1]);
    match twice.min() {
        None => Ok(Value { at, is: Is::Map(entries) }),
        Some(i) => {
            let says = format!("the key {} stands here twice; remove one", quoted(&entries[i].0));
            Err(refusal(codes::DUPLICATE_KEY, entries[i].1.at, says))
        }
    }
}

// ---------------------------------------------------------------------------------------------- JSON

/// A JSON object with its values unread.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// Where parts of the text are, found by walking forward once.
struct Places<'a> {
    text: &'a str,
    offset: usize,
    at: Position,
}

impl Places<'_> {
    /// The position of a part of the text; parts are asked for in ascending order.
    fn of(&mut self, part: &str) -> Position {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        if let Some(between) = self.text.get(self.offset..offset) {
            for c in between.chars() {
                self.at = if c == '\n' { (self.at.0 + 1, 1) } else { (self.at.0, self.at.1 + 1) };
            }
            self.offset = offset;
        }
        self.at
    }
}

fn json(text: &str) -> Result<Value, Box<Diagnostic>> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|e| not_json(&e, (0, 0)))?;
    let mut places = Places { text, offset: 0, at: (1, 1) };
    json_value(raw.get(), &mut places, 0)
}

fn not_json(e: &serde_json::Error, from: Position) -> Box<Diagnostic> {
    let at = if from == (0, 0) { position(e.line(), e.column().saturating_sub(1)) } else { from };
    refusal(codes::SYNTAX, at, format!("this cannot be read as JSON: {e}"))
}

fn json_value(raw: &str, places: &mut Places<'_>, depth: usize) -> Result<Value, Box<Diagnostic>> {
    let at = places.of(raw);
    if depth > DEPTH_MAX {
        return Err(too_deep(at));
    }
    let is = match raw.as_bytes().first() {
        Some(b'{') => {
            let entries: Entries<'_> = serde_json::from_str(raw).map_err(|e| not_json(&e, at))?;
            let mut read = Vec::with_capacity(entries.0.len());
            for (name, value) in entries.0 {
                read.push((name, json_value(value.get(), places, depth + 1)?));
            }
            return map(at, read);
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(raw).map_err(|e| not_json(&e, at))?;
            Is::List(
                items
                    .into_iter()
                    .map(|i| json_value(i.get(), places, depth + 1))
                    .collect::<Result<_, _>>()?,
            )
        }
        Some(b'"') => Is::Scalar(serde_json::from_str(raw).map_err(|e| not_json(&e, at))?),
        Some(b'n') => Is::Null,
        _ => Is::Scalar(raw.to_string()),
    };
    Ok(Value { at, is })
}
