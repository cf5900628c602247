//! Choices between candidates that only an undefined order distinguishes, noted for marks.

use crate::trace::{Mark, Rule, Subject};

/// Maximum number of choices kept for one decision.
const TIES_MAX: usize = 16;

/// Maximum number of marks of a cycle.
const MARKS_MAX: usize = 64;

/// Choices between equals before a decision, and those that led to one.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Ties {
    open: Vec<Mark>,
    pub marks: Vec<Mark>,
}

impl Ties {
    /// Records a choice that only a registered order decided.
    pub fn met(&mut self, rule: Rule, subject: Subject) {
        let mark = Mark { rule, subject };
        if self.open.len() < TIES_MAX && !self.open.contains(&mark) {
            self.open.push(mark);
        }
    }
    /// Number of open choices, for [`Self::forget`].
    pub fn len(&self) -> usize {
        self.open.len()
    }
    /// Drops the choices made since, after a discarded attempt.
    pub fn forget(&mut self, len: usize) {
        self.open.truncate(len);
    }
    /// Turns the open choices into marks after a decision.
    pub fn decided(&mut self) {
        for mark in std::mem::take(&mut self.open) {
            self.mark(mark);
        }
    }
    /// Adds a mark without an open choice.
    pub fn mark(&mut self, mark: Mark) {
        if self.marks.len() < MARKS_MAX && !self.marks.contains(&mark) {
            self.marks.push(mark);
        }
    }
}
