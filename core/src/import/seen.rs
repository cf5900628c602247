//! Remembers which values of foreign trees were read, so that the others can be named.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::loose::Place;
use crate::scenario::value::Value;

/// Values that were read, and what was no number where one is expected.
#[derive(Default)]
pub struct Seen {
    /// Addresses of the values: they stay where they are while they are read.
    read: RefCell<BTreeSet<usize>>,
    not_numbers: RefCell<Vec<String>>,
}

impl Seen {
    /// Remembers that a value was read.
    pub fn mark(&self, value: &Value) {
        self.read.borrow_mut().insert(address(value));
    }

    /// Whether a value was read.
    pub fn has(&self, value: &Value) -> bool {
        self.read.borrow().contains(&address(value))
    }

    /// Remembers a value that is no number where one is expected, once.
    pub fn not_number(&self, place: &Place<'_>, text: &str) {
        let says = format!(
            "{}: {} is {text}, which is no number that it takes: as if it were missing",
            place.line(),
            place.name()
        );
        let mut all = self.not_numbers.borrow_mut();
        if !all.contains(&says) {
            all.push(says);
        }
    }

    /// Returns a line for each value that is no number where one is expected.
    pub fn not_numbers(&self) -> Vec<String> {
        self.not_numbers.borrow().clone()
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Calls `found` with the path of keys of each value below a place that is not read, the outermost one of several. `is_known`: what
/// need not be read, by the keys around it and its own.
pub fn unread<'a>(
    place: &Place<'a>,
    keys: &mut Vec<&'a str>,
    is_known: &impl Fn(&[&str], &Place<'a>) -> bool,
    found: &mut impl FnMut(&[&str]),
) {
    if place.is_empty() || place.is_marked() || is_known(keys, place) {
        return;
    }
    // What stands beside known keys is named by itself.
    if !place.is_touched() && !has_known(place, keys, is_known) {
        found(keys);
        return;
    }
    for (key, value) in place.entries() {
        keys.push(key);
        unread(&value, keys, is_known, found);
        keys.pop();
    }
    for item in place.items(&[]) {
        unread(&item, keys, is_known, found);
    }
}

/// Whether a value below a place need not be read.
fn has_known<'a>(
    place: &Place<'a>,
    keys: &mut Vec<&'a str>,
    is_known: &impl Fn(&[&str], &Place<'a>) -> bool,
) -> bool {
    let below = |(key, value): (&'a str, Place<'a>)| {
        keys.push(key);
        let is = is_known(keys, &value) || has_known(&value, keys, is_known);
        keys.pop();
        is
    };
    place.entries().into_iter().any(below)
        || place.items(&[]).iter().any(|item| has_known(item, keys, is_known))
}
