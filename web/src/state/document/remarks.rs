//! Notes on moments of the run: entries of the timeline without an effect.

use std::sync::Arc;

use fairground::scenario::quantity::millis;
use fairground::scenario::{Scalar, Scenario, TimelineEntry};

use crate::state::document::timeline_edit::text_of;

/// Longest note that can be typed and is shown, in characters.
pub const REMARK_CHARS_MAX: usize = 300;

#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// Milliseconds since the start.
    pub time_ms: i64,
    /// Not longer than [`REMARK_CHARS_MAX`].
    pub text: String,
}

/// The notes, in order of time.
pub fn remarks(scenario: &Scenario) -> Vec<Remark> {
    let of = |entry: &TimelineEntry| {
        let time_ms = millis(&entry.at.0).ok()?;
        Some(Remark { time_ms, text: entry.note.chars().take(REMARK_CHARS_MAX).collect() })
    };
    let mut all: Vec<Remark> = scenario.timeline.iter().filter(|e| e.is_remark()).filter_map(of).collect();
    all.sort_by_key(|remark| remark.time_ms);
    all
}

/// Replaces the notes on a moment; empty: removes them.
pub fn with_remark(scenario: &Scenario, time_ms: i64, text: &str) -> Scenario {
    let is_here = |entry: &TimelineEntry| entry.is_remark() && millis(&entry.at.0) == Ok(time_ms);
    let mut entries = scenario.timeline.to_vec();
    let at = entries.iter().position(is_here).unwrap_or(entries.len());
    entries.retain(|entry| !is_here(entry));
    let note: String = text.trim().chars().take(REMARK_CHARS_MAX).collect();
    if !note.is_empty() {
        entries.insert(at, TimelineEntry { at: Scalar(text_of(time_ms)), note, ..TimelineEntry::default() });
    }
    Scenario { timeline: Arc::new(entries), ..scenario.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::document;
    use fairground::scenario::{Severity, check};

    #[test]
    fn a_note_on_a_moment_is_part_of_the_file_and_changes_nothing_else() {
        let start = crate::library::start();
        let noted = with_remark(&start, 2000, " look: <b>here</b> ");
        let noted = with_remark(&noted, 1000, "first");
        let said: Vec<(i64, String)> = remarks(&noted).into_iter().map(|r| (r.time_ms, r.text)).collect();
        assert_eq!(said, [(1000, "first".into()), (2000, "look: <b>here</b>".into())]);
        let again = document::from_text(&document::to_yaml(&noted)).expect("it is clean");
        assert_eq!(again, noted);
        let linked = fairground::link::open(&fairground::link::encode(&noted)).expect("a link");
        assert_eq!(linked.scenario, noted);
        let checked = check(&noted);
        assert!(checked.diagnostics.iter().all(|d| d.severity != Severity::Error), "{:?}", checked.diagnostics);
        assert_eq!(checked.plan.map(|plan| plan.timeline.len()), check(&start).plan.map(|plan| plan.timeline.len()));
        assert!(remarks(&fairground::export::renamed(&noted).scenario).is_empty());
        let lines = crate::state::document::timeline_edit::entries_in_order(&noted);
        assert!(lines.iter().any(|(_, time_ms, says)| (*time_ms, says.as_str()) == (1000, "Note")), "{lines:?}");
        let at = lines.iter().find(|(_, time_ms, _)| *time_ms == 1000).expect("its line").0.field("note");
        let cleared = document::set(&noted, &at, " ").expect("it can be cleared");
        assert_eq!(cleared, with_remark(&noted, 1000, ""), "no empty entry is left");
        let changed = with_remark(&noted, 1000, &"x".repeat(1000));
        assert_eq!(remarks(&changed)[0].text.chars().count(), REMARK_CHARS_MAX);
        assert_eq!(with_remark(&with_remark(&noted, 1000, ""), 2000, " "), start);
    }
}
