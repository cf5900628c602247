//! Hints on the examples: what to watch in each, and an edit to try next. All are in one file, which has frames of a
//! lesson.

use super::Suggestion;
use super::entries::LessonEntry;
use crate::format::read_shape;
use crate::scenario::{Edit, Severity, undotted};

/// A hint on an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// What to watch, in one sentence.
    pub watch: String,
    pub next: Option<Suggestion>,
}

/// The hint on an example in the text of the file; `None`: the file has none, or is damaged.
pub fn hint(text: &str, example: &str) -> Option<Hint> {
    let mut entry = LessonEntry::default();
    if read_shape(text, &mut entry).iter().any(|found| found.severity == Severity::Error) {
        return None;
    }
    let frame = entry.frames.into_iter().find(|frame| frame.example.as_deref() == Some(example))?;
    let next = frame.suggestions.into_iter().next().map(|suggestion| {
        let set = suggestion.set.iter();
        let edits = set.map(|(path, value)| Edit::Set { at: undotted(path), value: value.0.clone() }).collect();
        Suggestion { label: suggestion.label, edits }
    });
    Some(Hint { watch: frame.text, next })
}
