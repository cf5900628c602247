//! Names: validity, uniqueness and lookup.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;

use super::super::{NAME_CHARS_MAX, codes, nearest};
use super::Location;
use crate::format::{Code, Findings, Fix, Path, is_invisible, quoted, rename, set};
use crate::policy::vocabulary::Terms;

/// For each entry of a section, whether it repeats an earlier name.
pub fn repeats<'a>(names: impl Iterator<Item = &'a str>) -> Vec<bool> {
    let mut seen = BTreeSet::new();
    names.map(|name| !seen.insert(name)).collect()
}

/// The location of an entry.
pub fn location<'a>(section: &'static str, index: usize, name: &'a str, repeats: &[bool]) -> Location<'a> {
    let unique = !name.is_empty() && !repeats.get(index).copied().unwrap_or(false);
    Location::section(section, index, unique.then_some(name))
}

/// Checks a name; `suffix` is the number of characters added by a pattern.
pub fn check_name(name: &str, suffix: usize, what: &str, location: Location<'_>, f: &mut Findings) {
    let path = || location.field("name");
    if name.is_empty() {
        let fresh = format!("{}-{}", Terms::PLAIN.fill(what), location.inner.map_or(location.index, |(_, i, _)| i) + 1);
        let label = format!("Call it {fresh}");
        f.suggest(codes::NO_NAME, path(), format!("this {what} has no name; give it one"), fresh, label);
    } else if name.chars().any(|c| c.is_control() || is_invisible(c)) {
        let shown = name.chars().filter(|&c| !is_invisible(c));
        let clean: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        let what = if name.chars().any(char::is_control) { "control" } else { "invisible" };
        let message = format!("the name {} has {what} characters; remove them", quoted(name));
        let fix = rename(location.path(), clean.trim()).filter(|_| !clean.trim().is_empty());
        f.add(codes::BAD_NAME, path(), message, fix);
    } else if name.chars().count() + suffix > NAME_CHARS_MAX {
        let message = format!("the name {} is longer than {NAME_CHARS_MAX} characters; shorten it", quoted(name));
        let short: String = name.chars().take(NAME_CHARS_MAX - suffix.min(NAME_CHARS_MAX - 1)).collect();
        f.add(codes::BAD_NAME, path(), message, rename(location.path(), &short));
    }
}

/// Positions by name.
#[derive(Debug, Default)]
pub struct Index {
    by_name: BTreeMap<Arc<str>, u32>,
}

impl Index {
    /// Creates the index of first positions; also returns the positions that repeat an earlier name.
    pub fn new<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> (Index, Vec<u32>) {
        let mut by_name = BTreeMap::new();
        let mut repeats = Vec::new();
        for (position, name) in (0u32..).zip(names) {
            match by_name.entry(name.clone()) {
                Entry::Vacant(free) => {
                    free.insert(position);
                }
                Entry::Occupied(_) => repeats.push(position),
            }
        }
        (Index { by_name }, repeats)
    }

    /// Finds the position of a name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// Finds the most similar name.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.by_name.keys().map(|n| &**n))
    }

    /// Derives an unused name.
    pub fn fresh(&self, name: &str) -> String {
        let base: String = name.chars().take(NAME_CHARS_MAX - 12).collect();
        (2u32..).map(|n| format!("{base}-{n}")).find(|n| self.find(n).is_none()).unwrap_or(base)
    }
}

/// Reports a duplicate name.
pub fn duplicate(name: &str, what: &str, location: Location<'_>, index: &Index, f: &mut Findings) {
    if f.only_counts(codes::DUPLICATE_NAME) {
        return;
    }
    let fresh = index.fresh(name);
    let message = format!("the name {} is given to another {what} already; rename one of them", quoted(name));
    f.add(codes::DUPLICATE_NAME, location.field("name"), message, rename(location.path(), &fresh));
}

/// The end of a sentence about an unknown name, with a suggestion.
pub fn hint(index: &Index, name: &str) -> String {
    match index.nearest(name) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None => "add it or name another".to_string(),
    }
}

/// A fix that replaces a name by the nearest one.
pub fn use_nearest(index: &Index, name: &str, path: Path) -> Option<Fix> {
    let near = index.nearest(name)?;
    set(path, near, format!("Use {}", quoted(near)))
}

/// Reports an unknown name; `otherwise` is the fix if no name is similar.
pub fn unknown(
    code: Code,
    what: &str,
    name: &str,
    index: &Index,
    path: Path,
    otherwise: Option<Fix>,
    f: &mut Findings,
) {
    if f.only_counts(code) {
        return;
    }
    let message = format!("[{what}] {} does not exist; {}", quoted(name), hint(index, name));
    let fix = use_nearest(index, name, path.clone()).or(otherwise);
    f.add(code, path, message, fix);
}
