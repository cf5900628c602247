//! Collects findings, and keeps a flood of equal ones readable.

use std::collections::BTreeMap;

use super::codes;
use super::diagnostic::{Code, Diagnostic, Edit, Fix, Path, Severity};

/// How many findings of one kind are listed; the rest is counted.
const LISTED_MAX: u32 = 100;

/// The findings so far.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    counts: BTreeMap<Code, u32>,
    errors: u32,
}

impl Findings {
    /// Adds a finding; the code's table entry says how bad it is.
    pub fn add(&mut self, code: Code, at: Path, says: impl Into<String>, fix: Option<Fix>) {
        self.push(diagnostic(code, at, says.into(), fix));
    }

    /// Adds a finding with its place in the text.
    pub fn push(&mut self, found: Diagnostic) {
        self.errors += u32::from(found.severity == Severity::Error);
        let n = self.counts.entry(found.code).or_default();
        *n += 1;
        if *n <= LISTED_MAX {
            self.list.push(found);
        }
    }

    /// Counts a finding of a kind of which enough are listed already. `false`: not yet, say what was found.
    /// For findings whose text takes time to make.
    pub fn only_counts(&mut self, code: Code) -> bool {
        let n = self.counts.entry(code).or_default();
        let is_enough = *n >= LISTED_MAX;
        if is_enough {
            *n += 1;
            self.errors += u32::from(severity(code) == Severity::Error);
        }
        is_enough
    }

    /// Whether something makes the scenario impossible to run.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Everything found, in order of finding; floods end with a count.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        for (&code, &n) in &self.counts {
            if n > LISTED_MAX {
                let says = format!("{} more findings like the {LISTED_MAX} above", n - LISTED_MAX);
                self.list.push(diagnostic(code, Path::default(), says, None));
            }
        }
        self.list
    }
}

fn severity(code: Code) -> Severity {
    codes::about(code).map_or(Severity::Error, |about| about.severity)
}

/// A finding without a place in a text.
pub fn diagnostic(code: Code, at: Path, says: String, fix: Option<Fix>) -> Diagnostic {
    Diagnostic { severity: severity(code), code, at, position: None, says, fix }
}

/// A fix that sets one value.
pub fn set(at: Path, value: impl Into<String>, label: impl Into<String>) -> Option<Fix> {
    Some(Fix { label: label.into(), edits: vec![Edit::Set { at, value: value.into() }] })
}

/// Whether a character cannot be seen, or changes how others are shown: zero-width and filling characters, variation selectors,
/// marks, embeddings, overrides and isolates of the direction of text, separators of lines and paragraphs, tags. Names that
/// differ in such characters alone look the same.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A text with each control character and each invisible one replaced, so that it cannot steer a terminal or hide in it.
pub fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    let is_shown = |c: char| !c.is_control() && !is_invisible(c);
    if text.chars().all(is_shown) {
        return text.into();
    }
    text.chars().map(|c| if is_shown(c) { c } else { '\u{fffd}' }).collect()
}

/// A text of the scenario as it stands in a message: cut, in quotes, without control characters and invisible ones.
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let cut: String = text.chars().take(SHOWN).collect();
    let mut shown = visible(&cut).into_owned();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
