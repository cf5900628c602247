//! Remembers which values of foreign trees were read, so that the others can be named.

use std::cell::RefCell;
use std::collections::BTreeSet;

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
    pub fn not_number(&self, line: &str, name: &str, text: &str) {
        let says = format!("{line}: {name} is {text}, which is no number that it takes: as if it were missing");
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
