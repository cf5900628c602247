//! Reads trees with case-insensitive keys; errors name the field.

use super::Report;
use super::seen::Seen;
use crate::scenario::value::{Is, Limit, Value, parse};
use crate::scenario::{Diagnostic, Path, codes, finding};

/// Maximum number of listed findings.
const LISTED_MAX: usize = 100;

/// Reads typed values. Collects errors; missing values get a default.
#[derive(Default)]
pub struct Reader {
    /// Listed findings, up to the maximum.
    found: Vec<Diagnostic>,
    n_wrong: usize,
}

/// A value with its location in a foreign text.
#[derive(Clone)]
pub struct Place<'a> {
    value: &'a Value,
    path: Path,
    /// Name of the file; empty if there is only one.
    file: &'a str,
    /// Where it is remembered which values were read.
    seen: Option<&'a Seen>,
}

/// Parses YAML or JSON into a tree, with limits on some lists. Fails if the text as a whole is invalid.
pub fn tree(text: &str, limits: &[Limit]) -> Result<Value, Box<Diagnostic>> {
    parse(text, limits)
}

/// Reads a text. The report has the errors; if there are any, there is no result.
pub fn read<T>(
    text: &str,
    limits: &[Limit],
    make: impl FnOnce(&Place<'_>, &mut Reader, &mut Report) -> T,
) -> (Option<T>, Report) {
    let mut report = Report::default();
    let Some(value) = report.keep(tree(text, limits)) else { return (None, report) };
    let mut reader = Reader::default();
    let made = make(&Place::root(&value), &mut reader, &mut report);
    let is_clean = reader.is_clean();
    report.diagnostics = reader.finish();
    (is_clean.then_some(made), report)
}

impl<'a> Place<'a> {
    /// Returns the root of the only file.
    pub fn root(value: &'a Value) -> Place<'a> {
        Place::of("", value)
    }
    /// Returns the root of a file.
    pub fn of(file: &'a str, value: &'a Value) -> Place<'a> {
        Place { value, path: Path::default(), file, seen: None }
    }
    /// Returns the root of a file, whose values are remembered once they are read.
    pub fn watched(file: &'a str, value: &'a Value, seen: &'a Seen) -> Place<'a> {
        Place { seen: Some(seen), ..Place::of(file, value) }
    }
    /// Returns a value below this one.
    fn below(&self, value: &'a Value, path: Path) -> Place<'a> {
        Place { value, path, ..*self }
    }
    /// Whether the value was read as a whole.
    pub fn is_marked(&self) -> bool {
        self.seen.is_none_or(|seen| seen.has(self.value))
    }
    /// Whether the value or one below it was read.
    pub fn is_touched(&self) -> bool {
        self.is_marked()
            || self.entries().iter().any(|(_, value)| value.is_touched())
            || self.items(&[]).iter().any(Place::is_touched)
    }
    /// Remembers that the value was read.
    pub fn mark(&self) {
        if let Some(seen) = self.seen {
            seen.mark(self.value);
        }
    }
    /// Returns the whole number at a path of keys. Another text is remembered as none.
    pub fn whole<T: std::str::FromStr>(&self, keys: &[&str]) -> Option<T> {
        let text = self.scalar(keys)?;
        let number = text.trim().parse().ok();
        if let (None, Some(seen), Some(place)) = (&number, self.seen, self.at(keys)) {
            seen.not_number(&place.line(), &place.path.to_string(), text);
        }
        number
    }
    /// Returns the value of a case-insensitive key; `None` if it is missing or null.
    pub fn get(&self, key: &str) -> Option<Place<'a>> {
        let Is::Map(entries) = &self.value.is else { return None };
        let (_, value) = entries.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?;
        (value.is != Is::Null).then(|| self.below(value, self.path.field(key)))
    }
    /// Returns the value at a path of keys.
    pub fn at(&self, keys: &[&str]) -> Option<Place<'a>> {
        keys.iter().try_fold(self.clone(), |place, key| place.get(key))
    }
    /// Returns the scalar at a path of keys, without remembering that it was read.
    pub fn peek(&self, keys: &[&str]) -> Option<&'a str> {
        match &self.at(keys)?.value.is {
            Is::Scalar(text) => Some(text),
            _ => None,
        }
    }
    /// Returns the scalar at a path of keys.
    pub fn scalar(&self, keys: &[&str]) -> Option<&'a str> {
        let place = self.at(keys)?;
        match &place.value.is {
            Is::Scalar(text) => {
                place.mark();
                Some(text)
            }
            _ => None,
        }
    }
    /// Returns the items of the list at a path of keys; empty if there is no list.
    pub fn items(&self, keys: &[&str]) -> Vec<Place<'a>> {
        let Some(place) = self.at(keys) else { return Vec::new() };
        let Is::List(items) = &place.value.is else { return Vec::new() };
        (0u32..).zip(items).map(|(i, value)| place.below(value, place.path.at(i))).collect()
    }
    /// Returns the scalars of the list at a path of keys.
    pub fn scalars(&self, keys: &[&str]) -> Vec<&'a str> {
        self.items(keys).iter().filter_map(|item| item.scalar(&[])).collect()
    }
    /// Describes the position: the file if there are several, and the line.
    pub fn line(&self) -> String {
        let line = format!("line {}", self.value.at.0);
        if self.file.is_empty() { line } else { format!("{} {line}", self.file) }
    }
    /// Returns a finding at this position.
    pub fn wrong(&self, says: String) -> Diagnostic {
        let says = if self.file.is_empty() { says } else { format!("{}: {says}", self.file) };
        Diagnostic { position: Some(self.value.at), ..finding(codes::IMPORT, self.path.clone(), says) }
    }
    /// Whether the value is empty.
    pub fn is_empty(&self) -> bool {
        match &self.value.is {
            Is::Null => true,
            Is::Scalar(text) => text.is_empty(),
            Is::List(items) => items.is_empty(),
            Is::Map(entries) => entries.is_empty(),
        }
    }
    /// Returns the entries of a map; empty for other values.
    pub fn entries(&self) -> Vec<(&'a str, Place<'a>)> {
        match &self.value.is {
            Is::Map(entries) => {
                let place = |name: &String, value| self.below(value, self.path.named(name));
                entries.iter().map(|(name, value)| (name.as_str(), place(name, value))).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Reader {
    /// Whether no error was found so far.
    pub fn is_clean(&self) -> bool {
        self.n_wrong == 0
    }

    /// Returns the findings, followed by the number of unlisted ones.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.n_wrong > self.found.len() {
            let says = format!("and {} more", self.n_wrong - self.found.len());
            self.found.push(finding(codes::IMPORT, Path::default(), says));
        }
        self.found
    }

    /// Adds an error at a location, once if the value is read several times.
    pub fn wrong(&mut self, place: &Place<'_>, says: &str) {
        let at = place.path.to_string();
        let says = if at.is_empty() { says.to_string() } else { format!("{at}: {says}") };
        let found = place.wrong(says);
        if self.found.contains(&found) {
            return;
        }
        self.n_wrong += 1;
        if self.found.len() < LISTED_MAX {
            self.found.push(found);
        }
    }

    /// Reads a finite number.
    pub fn number(&mut self, of: Option<&Place<'_>>, key: &str, default: f64) -> f64 {
        let Some(place) = of.and_then(|of| of.get(key)) else { return default };
        place.mark();
        let number = match &place.value.is {
            Is::Scalar(text) => text.trim().parse::<f64>().ok().filter(|n| n.is_finite()),
            _ => None,
        };
        number.unwrap_or_else(|| {
            self.wrong(&place, "this is not a number");
            default
        })
    }

    /// Reads an integer in an inclusive range.
    pub fn whole(&mut self, of: &Place<'_>, key: &str, default: i64, range: (i64, i64)) -> i64 {
        let n = self.number(Some(of), key, default as f64);
        if n.fract() == 0.0 && n >= range.0 as f64 && n <= range.1 as f64 {
            return n as i64;
        }
        if let Some(place) = of.get(key) {
            self.wrong(&place, &format!("this is not a whole number from {} to {}", range.0, range.1));
        }
        default
    }

    /// Reads a text; empty if it is missing.
    pub fn text(&mut self, of: &Place<'_>, key: &str) -> String {
        let Some(place) = of.get(key) else { return String::new() };
        place.mark();
        match &place.value.is {
            Is::Scalar(text) => text.clone(),
            _ => {
                self.wrong(&place, "this is not a text");
                String::new()
            }
        }
    }

    /// Reads a map.
    pub fn map<'a>(&mut self, of: &Place<'a>, key: &str) -> Option<Place<'a>> {
        let place = of.get(key)?;
        if matches!(place.value.is, Is::Map(_)) {
            return Some(place);
        }
        self.wrong(&place, "this takes keys and values");
        None
    }

    /// Reads a list of maps with at most `most` items.
    pub fn list<'a>(&mut self, of: &Place<'a>, key: &str, most: usize) -> Vec<Place<'a>> {
        let Some(place) = of.get(key) else { return Vec::new() };
        let Is::List(items) = &place.value.is else {
            self.wrong(&place, "this takes a list");
            return Vec::new();
        };
        if items.len() > most {
            self.wrong(&place, &format!("there are {} entries; up to {most} are read", items.len()));
            return Vec::new();
        }
        let mut all = Vec::new();
        for (i, value) in (0u32..).zip(items) {
            let item = place.below(value, place.path.at(i));
            if matches!(value.is, Is::Map(_)) {
                all.push(item);
            } else {
                self.wrong(&item, "this takes keys and values");
            }
        }
        all
    }
}
