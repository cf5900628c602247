//! Text of YAML or JSON as one small tree with positions. Values stay as typed: `6214e9` is text, not a
//! float, until somebody asks for a number.

use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::codes;
use super::diagnostic::{Code, Diagnostic};
use super::findings::{diagnostic, quoted};
use crate::kit::sort::sort_by_key;

/// Longest text that is read, in bytes.
pub const TEXT_MAX: usize = 50_000_000;
/// Deepest nesting that is read.
pub const DEPTH_MAX: usize = 64;

/// Most values and keys of a text, about three times those of the largest scenario.
const VALUES_MAX: usize = 6_000_000;

/// How many items the lists under a key may have together. Beyond that a text is refused while it is read, before it takes memory.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The key, in any case.
    pub key: &'static str,
    /// At any depth; otherwise only where the whole text is a map with the key.
    pub anywhere: bool,
    /// How many items.
    pub most: usize,
}

/// Counts what is read against the limits.
struct Meter<'l> {
    limits: &'l [Limit],
    items: Vec<usize>,
    n_values: usize,
}

impl Meter<'_> {
    fn new(limits: &[Limit]) -> Meter<'_> {
        Meter { limits, items: vec![0; limits.len()], n_values: 0 }
    }

    /// The limit for a list under a key at a depth: its position.
    fn limit(&self, key: Option<&str>, depth: usize) -> Option<usize> {
        let key = key?;
        self.limits.iter().position(|l| l.key.eq_ignore_ascii_case(key) && (l.anywhere || depth == 1))
    }

    /// One more value, and one more item of a list with a limit.
    fn count(&mut self, limit: Option<usize>, at: Position) -> Result<(), Box<Diagnostic>> {
        self.n_values += 1;
        if self.n_values > VALUES_MAX {
            let says = format!("the text has more than {VALUES_MAX} values and keys");
            return Err(refusal(codes::TEXT_TOO_LARGE, at, says));
        }
        let Some(i) = limit else { return Ok(()) };
        self.items[i] += 1;
        let Limit { key, most, .. } = self.limits[i];
        if self.items[i] > most {
            let says = format!("there are more than {most} {key}, the most that is simulated");
            return Err(refusal(codes::TOO_MANY, at, says));
        }
        Ok(())
    }
}

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

/// Reads YAML (which JSON is a part of, but for two escapes) into a tree, with limits on some lists.
pub fn parse(text: &str, limits: &[Limit]) -> Result<Value, Box<Diagnostic>> {
    if text.len() > TEXT_MAX {
        let says = format!("the text has {} bytes; up to {TEXT_MAX} are read", text.len());
        return Err(refusal(codes::TEXT_TOO_LARGE, (1, 1), says));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        match json(text, limits) {
            Err(wrong) if *wrong.code.0 == *codes::SYNTAX.0 => yaml(text, limits).map_err(|_| wrong),
            answer => answer,
        }
    } else {
        yaml(text, limits)
    }
}

fn refusal(code: Code, at: Position, says: String) -> Box<Diagnostic> {
    Box::new(Diagnostic { position: Some(at), ..diagnostic(code, Default::default(), says, None) })
}

/// A list or map that is not closed yet.
enum Open {
    /// With the limit of its items.
    List(Vec<Value>, Option<usize>),
    Map(Vec<(String, Value)>, Option<(String, Position)>),
}

/// Builds the tree from the parser's events.
struct Builder<'l> {
    open: Vec<(Position, Open)>,
    root: Option<Value>,
    meter: Meter<'l>,
}

fn yaml(text: &str, limits: &[Limit]) -> Result<Value, Box<Diagnostic>> {
    let mut builder = Builder { open: Vec::new(), root: None, meter: Meter::new(limits) };
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

impl Builder<'_> {
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
                    return self.meter.count(None, at);
                }
                let is = if null { Is::Null } else { Is::Scalar(text.into_owned()) };
                let limit = match self.open.last() {
                    Some((_, Open::List(_, limit))) => *limit,
                    _ => None,
                };
                self.meter.count(limit, at)?;
                self.add(Value { at, is })
            }
            Event::SequenceStart(..) => {
                let key = match self.open.last() {
                    Some((_, Open::Map(_, Some((key, _))))) => Some(key.as_str()),
                    _ => None,
                };
                let limit = self.meter.limit(key, self.open.len());
                self.start(at, Open::List(Vec::new(), limit))
            }
            Event::MappingStart(..) => self.start(at, Open::Map(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((at, Open::List(items, _))) => self.add(Value { at, is: Is::List(items) }),
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
        // Counted when it begins, so that a list with too many entries ends at the first of these.
        let limit = match self.open.last() {
            Some((_, Open::List(_, limit))) => *limit,
            _ => None,
        };
        self.meter.count(limit, at)?;
        self.open.push((at, open));
        Ok(())
    }

    fn add(&mut self, value: Value) -> Result<(), Box<Diagnostic>> {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((_, Open::List(items, _))) => items.push(value),
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
    let mut order: Vec<usize> = (0..entries.len()).collect();
    sort_by_key(&mut order, |&i| &entries[i].0);
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

/// The items of a JSON array, unread; those beyond a number are passed over.
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

fn json(text: &str, limits: &[Limit]) -> Result<Value, Box<Diagnostic>> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|e| not_json(&e, (0, 0)))?;
    let mut places = Places { text, offset: 0, at: (1, 1) };
    json_value(raw.get(), &mut places, 0, None, &mut Meter::new(limits))
}

fn not_json(e: &serde_json::Error, from: Position) -> Box<Diagnostic> {
    let at = if from == (0, 0) { position(e.line(), e.column().saturating_sub(1)) } else { from };
    refusal(codes::SYNTAX, at, format!("this cannot be read as JSON: {e}"))
}

fn json_value(
    raw: &str,
    places: &mut Places<'_>,
    depth: usize,
    key: Option<&str>,
    meter: &mut Meter<'_>,
) -> Result<Value, Box<Diagnostic>> {
    let at = places.of(raw);
    if depth > DEPTH_MAX {
        return Err(too_deep(at));
    }
    let is = match raw.as_bytes().first() {
        Some(b'{') => {
            let entries: Entries<'_> = serde_json::from_str(raw).map_err(|e| not_json(&e, at))?;
            let mut read = Vec::with_capacity(entries.0.len());
            for (name, value) in entries.0 {
                meter.count(None, at)?;
                meter.count(None, at)?;
                let value = json_value(value.get(), places, depth + 1, Some(&name), meter)?;
                read.push((name, value));
            }
            return map(at, read);
        }
        Some(b'[') => {
            let limit = meter.limit(key, depth);
            // One more than may be, so that the first that is too many is found.
            let most = limit.map_or(VALUES_MAX, |i| meter.limits[i].most) + 1;
            let mut reader = serde_json::Deserializer::from_str(raw);
            let items = Items(most).deserialize(&mut reader).map_err(|e| not_json(&e, at))?;
            let mut read = Vec::with_capacity(items.len());
            for item in items {
                meter.count(limit, places.of(item.get()))?;
                read.push(json_value(item.get(), places, depth + 1, None, meter)?);
            }
            Is::List(read)
        }
        Some(b'"') => Is::Scalar(serde_json::from_str(raw).map_err(|e| not_json(&e, at))?),
        Some(b'n') => Is::Null,
        _ => Is::Scalar(raw.to_string()),
    };
    Ok(Value { at, is })
}
