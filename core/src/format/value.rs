//! Parses YAML or JSON into a tree with positions. Scalars stay as typed: `6214e9` remains text until it is parsed as a
//! number.

use std::collections::BTreeSet;
use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::codes::Code;
use super::diagnostic::{Diagnostic, diagnostic, quoted};
use super::{TEXT_MAX, codes};

/// Maximum nesting depth.
pub const DEPTH_MAX: usize = 64;

/// Maximum number of values and keys in a text, about three times those of the largest scenario.
const VALUES_MAX: usize = 6_000_000;

/// Maximum total number of items in the lists under a key. Enforced during parsing, before the items take memory.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Key of the lists, case-insensitive.
    pub key: &'static str,
    /// Whether the limit applies at any depth; otherwise it applies to the top-level key only.
    pub anywhere: bool,
    /// Maximum number of items.
    pub most: usize,
}

/// Counts values and list items against the limits.
struct Meter<'l> {
    limits: &'l [Limit],
    items: Vec<usize>,
    n_values: usize,
}

impl Meter<'_> {
    fn new(limits: &[Limit]) -> Meter<'_> {
        Meter { limits, items: vec![0; limits.len()], n_values: 0 }
    }

    /// Returns the index of the limit that applies to a list under a key at a depth.
    fn limit(&self, key: Option<&str>, depth: usize) -> Option<usize> {
        let key = key?;
        self.limits.iter().position(|l| l.key.eq_ignore_ascii_case(key) && (l.anywhere || depth == 1))
    }

    /// Counts a value and, if it is an item of a limited list, the item. Fails beyond a limit.
    fn count(&mut self, limit: Option<usize>, position: Position) -> Result<(), Box<Diagnostic>> {
        self.n_values += 1;
        if self.n_values > VALUES_MAX {
            let message = format!("the text has more than {VALUES_MAX} values and keys");
            return Err(refusal(codes::TEXT_TOO_LARGE, position, message));
        }
        let Some(i) = limit else { return Ok(()) };
        self.items[i] += 1;
        let Limit { key, most, .. } = self.limits[i];
        if self.items[i] > most {
            let message = format!("there are more than {most} {key}, the most that is simulated");
            return Err(refusal(codes::TOO_MANY, position, message));
        }
        Ok(())
    }
}

/// One-based line and column.
pub type Position = (u32, u32);

/// A value with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Position where it begins; for a list, map or empty value in a YAML map, the position of its key.
    pub at: Position,
    /// Content of the value.
    pub is: Is,
}

/// Content of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Is {
    /// Empty, `~` or `null`.
    Null,
    /// A number, boolean or string, as typed.
    Scalar(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping in file order, without duplicate keys.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Returns the value of a key; `None` if this is no map or has no such key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match &self.is {
            Is::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// Strips a byte order mark. Fails if the text is too long.
fn within_limits(text: &str) -> Result<&str, Box<Diagnostic>> {
    if text.len() > TEXT_MAX {
        let message = format!("the text has {} bytes; up to {TEXT_MAX} are read", text.len());
        return Err(refusal(codes::TEXT_TOO_LARGE, (1, 1), message));
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Parses a stream of YAML documents or concatenated JSON values, each into a tree.
pub fn documents(text: &str) -> Result<Vec<Value>, Box<Diagnostic>> {
    let text = within_limits(text)?;
    if !text.trim_start().starts_with(['{', '[']) {
        let mut builder = Builder { is_stream: true, ..Builder::new(&[]) };
        builder.read(text)?;
        return Ok(builder.roots);
    }
    let mut places = Places { text, offset: 0, at: (1, 1) };
    let mut meter = Meter::new(&[]);
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let value = |raw: serde_json::Result<&RawValue>| {
        let raw = raw.map_err(|e| not_json(&e, (0, 0)))?;
        json_value(raw.get(), &mut places, 0, None, &mut meter)
    };
    values.map(value).collect()
}

/// Parses a YAML document or JSON value into a tree, with limits on some lists.
pub fn parse(text: &str, limits: &[Limit]) -> Result<Value, Box<Diagnostic>> {
    let text = within_limits(text)?;
    if text.trim_start().starts_with('{') {
        match json(text, limits) {
            Err(wrong) if *wrong.code.0 == *codes::SYNTAX.0 => yaml(text, limits).map_err(|_| wrong),
            answer => answer,
        }
    } else {
        yaml(text, limits)
    }
}

fn refusal(code: Code, position: Position, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic { position: Some(position), ..diagnostic(code, Default::default(), message, None) })
}

/// A list or map whose end has not been reached.
enum Open {
    /// Items so far, and the index of the limit on their number.
    List(Vec<Value>, Option<usize>),
    Map(Vec<(String, Value)>, Option<(String, Position)>),
}

/// Builds the tree from the parser's events.
struct Builder<'l> {
    open: Vec<(Position, Open)>,
    /// One tree per document.
    roots: Vec<Value>,
    /// Whether several documents are accepted.
    is_stream: bool,
    meter: Meter<'l>,
}

fn yaml(text: &str, limits: &[Limit]) -> Result<Value, Box<Diagnostic>> {
    let mut builder = Builder::new(limits);
    builder.read(text)?;
    Ok(builder.roots.pop().unwrap_or(Value { at: (1, 1), is: Is::Null }))
}

fn position(line: usize, column: usize) -> Position {
    let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (clamp(line.max(1)), clamp(column.saturating_add(1)))
}

impl<'l> Builder<'l> {
    fn new(limits: &'l [Limit]) -> Builder<'l> {
        Builder { open: Vec::new(), roots: Vec::new(), is_stream: false, meter: Meter::new(limits) }
    }

    fn read(&mut self, text: &str) -> Result<(), Box<Diagnostic>> {
        let mut parser = Parser::new_from_str(text);
        while let Some(next) = parser.next_event() {
            let (event, span) = next.map_err(|e| {
                let (line, column) = (e.marker().line(), e.marker().col());
                let line_text = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
                let position = position(line, column);
                if line_text.trim_start_matches(' ').starts_with('\t') || e.info().contains(" tab") {
                    let message = "a tab stands where only spaces may; use spaces to set lines in";
                    return refusal(codes::SYNTAX, position, message.into());
                }
                refusal(codes::SYNTAX, position, format!("this cannot be read as YAML: {}", e.info()))
            })?;
            self.take(event, position(span.start.line(), span.start.col()))?;
        }
        Ok(())
    }

    fn take(&mut self, event: Event<'_>, position: Position) -> Result<(), Box<Diagnostic>> {
        let feature = match &event {
            Event::Alias(_) => Some("an alias (*name)"),
            Event::Scalar(_, _, anchor, _) | Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _)
                if *anchor != 0 =>
            {
                Some("an anchor (&name)")
            }
            Event::Scalar(.., Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                Some("a tag (!name)")
            }
            Event::DocumentStart(_) if !self.is_stream && !self.roots.is_empty() => Some("a second document (---)"),
            _ => None,
        };
        if let Some(feature) = feature {
            let message = format!("{feature} is not allowed here; write the value out");
            return Err(refusal(codes::YAML_FEATURE, position, message));
        }
        match event {
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                let null = plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                if let Some((_, Open::Map(_, key @ None))) = self.open.last_mut() {
                    if plain && text == "<<" {
                        let message = "a merge key (<<) is not allowed here; write the values out".to_string();
                        return Err(refusal(codes::YAML_FEATURE, position, message));
                    }
                    *key = Some((text.into_owned(), position));
                    return self.meter.count(None, position);
                }
                let is = if null { Is::Null } else { Is::Scalar(text.into_owned()) };
                let limit = match self.open.last() {
                    Some((_, Open::List(_, limit))) => *limit,
                    _ => None,
                };
                self.meter.count(limit, position)?;
                self.add(Value { at: position, is })
            }
            Event::SequenceStart(..) => {
                let key = match self.open.last() {
                    Some((_, Open::Map(_, Some((key, _))))) => Some(key.as_str()),
                    _ => None,
                };
                let limit = self.meter.limit(key, self.open.len());
                self.start(position, Open::List(Vec::new(), limit))
            }
            Event::MappingStart(..) => self.start(position, Open::Map(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((position, Open::List(items, _))) => self.add(Value { at: position, is: Is::List(items) }),
                Some((position, Open::Map(entries, _))) => self.add(map(position, entries)?),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn start(&mut self, position: Position, open: Open) -> Result<(), Box<Diagnostic>> {
        if self.open.len() >= DEPTH_MAX {
            return Err(too_deep(position));
        }
        if let Some((_, Open::Map(_, None))) = self.open.last() {
            let message = "a key must be a text, not a list or a map".to_string();
            return Err(refusal(codes::YAML_FEATURE, position, message));
        }
        // Counted at its beginning, so that parsing stops at the first item beyond a limit.
        let limit = match self.open.last() {
            Some((_, Open::List(_, limit))) => *limit,
            _ => None,
        };
        self.meter.count(limit, position)?;
        self.open.push((position, open));
        Ok(())
    }

    fn add(&mut self, value: Value) -> Result<(), Box<Diagnostic>> {
        match self.open.last_mut() {
            None => self.roots.push(value),
            Some((_, Open::List(items, _))) => items.push(value),
            Some((_, Open::Map(entries, key))) => {
                if let Some((name, key_position)) = key.take() {
                    // For lists, maps and empty values the position of the key is more useful.
                    let position = if matches!(value.is, Is::Scalar(_)) { value.at } else { key_position };
                    entries.push((name, Value { at: position, is: value.is }));
                }
            }
        }
        Ok(())
    }
}

fn too_deep(position: Position) -> Box<Diagnostic> {
    refusal(codes::TOO_NESTED, position, format!("the text is nested more than {DEPTH_MAX} levels deep"))
}

/// Returns a map; fails if a key occurs twice.
fn map(position: Position, entries: Vec<(String, Value)>) -> Result<Value, Box<Diagnostic>> {
    let mut seen = BTreeSet::new();
    match entries.iter().find(|(key, _)| !seen.insert(key)) {
        None => Ok(Value { at: position, is: Is::Map(entries) }),
        Some((key, value)) => {
            let message = format!("the key {} stands here twice; remove one", quoted(key));
            Err(refusal(codes::DUPLICATE_KEY, value.at, message))
        }
    }
}

// ---------------------------------------------------------------------------------------------- JSON

/// A JSON object with unparsed values.
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

/// Collects the unparsed items of a JSON array up to a maximum; further items are skipped.
struct Items(usize);

impl<'de> DeserializeSeed<'de> for Items {
    type Value = Vec<&'de RawValue>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while items.len() < self.0 {
            let Some(item) = seq.next_element()? else { return Ok(items) };
            items.push(item);
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(items)
    }
}

/// Computes positions of slices of a text in a single forward pass.
struct Places<'a> {
    text: &'a str,
    offset: usize,
    at: Position,
}

impl Places<'_> {
    /// Returns the position of a slice of the text. Calls must be in ascending order of position.
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

fn json(text: &str, limits: &[Limit]) -> Result<Value, Box<Diagnostic>> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|e| not_json(&e, (0, 0)))?;
    let mut places = Places { text, offset: 0, at: (1, 1) };
    json_value(raw.get(), &mut places, 0, None, &mut Meter::new(limits))
}

fn not_json(e: &serde_json::Error, start: Position) -> Box<Diagnostic> {
    let position = if start == (0, 0) { position(e.line(), e.column().saturating_sub(1)) } else { start };
    refusal(codes::SYNTAX, position, format!("this cannot be read as JSON: {e}"))
}

fn json_value(
    raw: &str,
    places: &mut Places<'_>,
    depth: usize,
    key: Option<&str>,
    meter: &mut Meter<'_>,
) -> Result<Value, Box<Diagnostic>> {
    let position = places.of(raw);
    if depth > DEPTH_MAX {
        return Err(too_deep(position));
    }
    let is = match raw.as_bytes().first() {
        Some(b'{') => {
            let entries: Entries<'_> = serde_json::from_str(raw).map_err(|e| not_json(&e, position))?;
            let mut read = Vec::with_capacity(entries.0.len());
            for (name, value) in entries.0 {
                meter.count(None, position)?;
                meter.count(None, position)?;
                let value = json_value(value.get(), places, depth + 1, Some(&name), meter)?;
                read.push((name, value));
            }
            return map(position, read);
        }
        Some(b'[') => {
            let limit = meter.limit(key, depth);
            // One item beyond the limit, so that exceeding it is detected.
            let n_max = limit.map_or(VALUES_MAX, |i| meter.limits[i].most) + 1;
            let mut reader = serde_json::Deserializer::from_str(raw);
            let items = Items(n_max).deserialize(&mut reader).map_err(|e| not_json(&e, position))?;
            let mut read = Vec::with_capacity(items.len());
            for item in items {
                meter.count(limit, places.of(item.get()))?;
                read.push(json_value(item.get(), places, depth + 1, None, meter)?);
            }
            Is::List(read)
        }
        Some(b'"') => Is::Scalar(serde_json::from_str(raw).map_err(|e| not_json(&e, position))?),
        Some(b'n') => Is::Null,
        _ => Is::Scalar(raw.to_string()),
    };
    Ok(Value { at: position, is })
}
