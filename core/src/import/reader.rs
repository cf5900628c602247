//! Reads foreign trees with case-insensitive keys. Remembers what was read, so that the rest can be named, and what is
//! wrong.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::str::FromStr;

use super::Report;
use crate::scenario::value::{Is, Limit, Value, parse};
use crate::scenario::{Diagnostic, Path, codes, finding};

/// Maximum number of listed errors.
const LISTED_MAX: usize = 100;

/// What is known about trees after they were read.
#[derive(Default)]
pub struct Reader {
    /// Addresses of the values that were read: they stay where they are while they are read.
    read: RefCell<BTreeSet<usize>>,
    not_numbers: RefCell<Vec<String>>,
    errors: RefCell<Errors>,
}

#[derive(Default)]
struct Errors {
    /// Listed errors, up to the maximum.
    listed: Vec<Diagnostic>,
    n: usize,
}

/// A value with its location in a foreign text.
#[derive(Clone)]
pub struct LocatedValue<'a> {
    value: &'a Value,
    path: Path,
    /// Name of the file; empty if there is only one.
    file: &'a str,
    reader: &'a Reader,
}

/// Reads a text. The report has the errors; if there are any, there is no result.
pub fn read<T>(
    text: &str,
    limits: &[Limit],
    make: impl FnOnce(&LocatedValue<'_>, &mut Report) -> T,
) -> (Option<T>, Report) {
    let mut report = Report::default();
    let Some(value) = report.keep(parse(text, limits)) else { return (None, report) };
    let reader = Reader::default();
    let made = make(&reader.root("", &value), &mut report);
    let is_clean = reader.is_clean();
    report.diagnostics = reader.errors();
    (is_clean.then_some(made), report)
}

impl Reader {
    /// Returns the root of a file. The name is empty if there is only one.
    pub fn root<'a>(&'a self, file: &'a str, value: &'a Value) -> LocatedValue<'a> {
        LocatedValue { value, path: Path::default(), file, reader: self }
    }

    /// Returns a line for each value that is no number where one is expected.
    pub fn not_numbers(&self) -> Vec<String> {
        self.not_numbers.borrow().clone()
    }

    /// Whether no error was found so far.
    pub fn is_clean(&self) -> bool {
        self.errors.borrow().n == 0
    }

    /// Returns the errors, followed by the number of unlisted ones.
    pub fn errors(&self) -> Vec<Diagnostic> {
        let Errors { listed, n } = &*self.errors.borrow();
        let n_more = n - listed.len();
        let more = (n_more > 0).then(|| finding(codes::IMPORT, Path::default(), format!("and {n_more} more")));
        listed.iter().cloned().chain(more).collect()
    }
}

/// The value and those below it.
impl<'a> LocatedValue<'a> {
    fn below(&self, value: &'a Value, path: Path) -> LocatedValue<'a> {
        LocatedValue { value, path, ..*self }
    }

    /// Returns the value of a case-insensitive key; `None` if it is missing or null.
    pub fn get(&self, key: &str) -> Option<LocatedValue<'a>> {
        let Is::Map(entries) = &self.value.is else { return None };
        let (_, value) = entries.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?;
        (value.is != Is::Null).then(|| self.below(value, self.path.field(key)))
    }
    /// Returns the value at a path of keys.
    pub fn at(&self, keys: &[&str]) -> Option<LocatedValue<'a>> {
        keys.iter().try_fold(self.clone(), |place, key| place.get(key))
    }
    /// Returns the entries of the map at a path of keys; empty if there is no map.
    pub fn entries(&self, keys: &[&str]) -> Vec<(&'a str, LocatedValue<'a>)> {
        let Some(place) = self.at(keys) else { return Vec::new() };
        let Is::Map(entries) = &place.value.is else { return Vec::new() };
        let entry = |(name, value): &'a (String, Value)| (name.as_str(), place.below(value, place.path.named(name)));
        entries.iter().map(entry).collect()
    }
    /// Returns the items of the list at a path of keys; empty if there is no list.
    pub fn items(&self, keys: &[&str]) -> Vec<LocatedValue<'a>> {
        let Some(place) = self.at(keys) else { return Vec::new() };
        let Is::List(items) = &place.value.is else { return Vec::new() };
        (0u32..).zip(items).map(|(i, value)| place.below(value, place.path.at(i))).collect()
    }
    /// Returns the values of a map with their keys, or those of a list without.
    pub fn children(&self) -> impl Iterator<Item = (Option<&'a str>, LocatedValue<'a>)> + use<'a> {
        let entries = self.entries(&[]).into_iter().map(|(key, value)| (Some(key), value));
        entries.chain(self.items(&[]).into_iter().map(|item| (None, item)))
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
    /// Describes the position: the file if there are several, and the line.
    pub fn line(&self) -> String {
        let line = format!("line {}", self.value.at.0);
        if self.file.is_empty() { line } else { format!("{} {line}", self.file) }
    }
}

/// What was read.
impl<'a> LocatedValue<'a> {
    /// Remembers that the value was read.
    pub fn mark(&self) {
        self.reader.read.borrow_mut().insert(self.address());
    }
    /// Whether the value was read as a whole.
    pub fn is_marked(&self) -> bool {
        self.reader.read.borrow().contains(&self.address())
    }
    /// Whether the value or one below it was read.
    pub fn is_touched(&self) -> bool {
        self.is_marked() || self.children().any(|(_, value)| value.is_touched())
    }
    fn address(&self) -> usize {
        std::ptr::from_ref(self.value).addr()
    }

    /// Calls `report` with the path of keys of each value that is not read, the outermost one of several. `keys` is the
    /// path of this one. `is_known`: what need not be read, by the keys around it and its own.
    pub fn unread(
        &self,
        keys: &mut Vec<&'a str>,
        is_known: &impl Fn(&[&str], &LocatedValue<'a>) -> bool,
        report: &mut impl FnMut(&[&str]),
    ) {
        if self.is_hollow() || self.is_marked() || is_known(keys, self) {
            return;
        }
        // What stands beside known keys is named by itself.
        if !self.is_touched() && !self.has_known(keys, is_known) {
            report(keys);
            return;
        }
        for (key, value) in self.children() {
            let n = keys.len();
            keys.extend(key);
            value.unread(keys, is_known, report);
            keys.truncate(n);
        }
    }
    /// Whether a value below this one need not be read.
    fn has_known(&self, keys: &mut Vec<&'a str>, is_known: &impl Fn(&[&str], &LocatedValue<'a>) -> bool) -> bool {
        self.children().any(|(key, value)| {
            let n = keys.len();
            keys.extend(key);
            let is_found = is_known(keys, &value) || value.has_known(keys, is_known);
            keys.truncate(n);
            is_found
        })
    }
    /// Whether nothing stands in the value.
    fn is_hollow(&self) -> bool {
        match self.value.is {
            Is::Map(_) | Is::List(_) => self.children().all(|(_, value)| value.is_hollow()),
            _ => self.is_empty(),
        }
    }
}

/// Values of any type; what is missing or of another type is none.
impl<'a> LocatedValue<'a> {
    /// Returns the scalar at a path of keys, without remembering that it was read.
    pub fn peek(&self, keys: &[&str]) -> Option<&'a str> {
        match &self.at(keys)?.value.is {
            Is::Scalar(text) => Some(text),
            _ => None,
        }
    }
    /// Returns the scalar at a path of keys.
    pub fn scalar(&self, keys: &[&str]) -> Option<&'a str> {
        let text = self.peek(keys)?;
        self.at(keys)?.mark();
        Some(text)
    }
    /// Returns the scalar at a path of keys as another type.
    pub fn parsed<T: FromStr>(&self, keys: &[&str]) -> Option<T> {
        self.scalar(keys)?.parse().ok()
    }
    /// Returns the whole number at a path of keys. Another text is remembered as none.
    pub fn whole<T: FromStr>(&self, keys: &[&str]) -> Option<T> {
        let text = self.scalar(keys)?;
        let number = text.trim().parse().ok();
        if let (None, Some(place)) = (&number, self.at(keys)) {
            let (line, path) = (place.line(), &place.path);
            let message = format!("{line}: {path} is {text}, which is no number that it takes: as if it were missing");
            let mut all = self.reader.not_numbers.borrow_mut();
            if !all.contains(&message) {
                all.push(message);
            }
        }
        number
    }
    /// Returns the scalars of the list at a path of keys.
    pub fn scalars(&self, keys: &[&str]) -> Vec<&'a str> {
        self.items(keys).iter().filter_map(|item| item.scalar(&[])).collect()
    }
}

/// Values of one type; another type is an error.
impl<'a> LocatedValue<'a> {
    /// Returns an error at this position.
    pub fn error(&self, message: String) -> Diagnostic {
        let message = if self.file.is_empty() { message } else { format!("{}: {message}", self.file) };
        Diagnostic { position: Some(self.value.at), ..finding(codes::IMPORT, self.path.clone(), message) }
    }
    /// Adds an error at this position, once if the value is read several times.
    pub fn refuse(&self, message: &str) {
        self.mark();
        let path = self.path.to_string();
        let error = self.error(if path.is_empty() { message.to_string() } else { format!("{path}: {message}") });
        let Errors { listed, n } = &mut *self.reader.errors.borrow_mut();
        if listed.contains(&error) {
            return;
        }
        *n += 1;
        if listed.len() < LISTED_MAX {
            listed.push(error);
        }
    }
    /// Whether no error was found in the tree so far.
    pub fn is_clean(&self) -> bool {
        self.reader.is_clean()
    }

    /// Reads a finite number.
    pub fn number(&self, key: &str, default: f64) -> f64 {
        let Some(place) = self.get(key) else { return default };
        let number = place.scalar(&[]).and_then(|text| text.trim().parse::<f64>().ok());
        number.filter(|n| n.is_finite()).unwrap_or_else(|| {
            place.refuse("this is not a number");
            default
        })
    }
    /// Reads an integer in an inclusive range.
    pub fn integer(&self, key: &str, default: i64, range: (i64, i64)) -> i64 {
        let n = self.number(key, default as f64);
        if n.fract() == 0.0 && n >= range.0 as f64 && n <= range.1 as f64 {
            return n as i64;
        }
        if let Some(place) = self.get(key) {
            place.refuse(&format!("this is not a whole number from {} to {}", range.0, range.1));
        }
        default
    }
    /// Reads a text; empty if it is missing.
    pub fn text(&self, key: &str) -> String {
        let Some(place) = self.get(key) else { return String::new() };
        let text = place.scalar(&[]);
        if text.is_none() {
            place.refuse("this is not a text");
        }
        text.unwrap_or_default().to_string()
    }
    /// Reads a map.
    pub fn map(&self, key: &str) -> Option<LocatedValue<'a>> {
        self.get(key).filter(LocatedValue::is_map)
    }
    fn is_map(&self) -> bool {
        let is_map = matches!(self.value.is, Is::Map(_));
        if !is_map {
            self.refuse("this takes keys and values");
        }
        is_map
    }
    /// Reads a list of maps with at most `n_max` items.
    pub fn list(&self, key: &str, n_max: usize) -> Vec<LocatedValue<'a>> {
        let Some(place) = self.get(key) else { return Vec::new() };
        match &place.value.is {
            Is::List(items) if items.len() <= n_max => {
                place.items(&[]).into_iter().filter(LocatedValue::is_map).collect()
            }
            Is::List(items) => {
                place.refuse(&format!("there are {} entries; up to {n_max} are read", items.len()));
                Vec::new()
            }
            _ => {
                place.refuse("this takes a list");
                Vec::new()
            }
        }
    }
}
