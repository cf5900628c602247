//! Collects findings and limits how many of each kind are listed.

use std::collections::BTreeMap;

use super::codes;
use super::diagnostic::{Code, Diagnostic, Edit, Fix, Path, Severity};

/// Maximum number of listed findings per code; further ones are only counted.
const LISTED_MAX: u32 = 100;

/// Collector of findings.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    counts: BTreeMap<Code, u32>,
    errors: u32,
}

impl Findings {
    /// Adds a finding with the severity of its code.
    pub fn add(&mut self, code: Code, path: Path, message: impl Into<String>, fix: Option<Fix>) {
        self.push(diagnostic(code, path, message.into(), fix));
    }

    /// Adds a finding with the fix that sets the value at its location.
    pub fn suggest(
        &mut self,
        code: Code,
        path: Path,
        message: impl Into<String>,
        value: impl Into<String>,
        label: impl Into<String>,
    ) {
        self.add(code, path.clone(), message, set(path, value, label));
    }

    /// Adds a complete finding, such as one with a position in the text.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += u32::from(diagnostic.severity == Severity::Error);
        let n = self.counts.entry(diagnostic.code).or_default();
        *n += 1;
        if *n <= LISTED_MAX {
            self.list.push(diagnostic);
        }
    }

    /// Counts a finding without listing it if its code has reached the limit, and returns whether it did. Saves the
    /// time to format a message that would be dropped.
    pub fn only_counts(&mut self, code: Code) -> bool {
        let n = self.counts.entry(code).or_default();
        let is_enough = *n >= LISTED_MAX;
        if is_enough {
            *n += 1;
            self.errors += u32::from(severity(code) == Severity::Error);
        }
        is_enough
    }

    /// Whether any finding is an error, which prevents a run.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns the findings in the order in which they were added, followed by the number of unlisted findings per
    /// code.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        for (&code, &n) in &self.counts {
            if n > LISTED_MAX {
                let message = format!("{} more findings like the {LISTED_MAX} above", n - LISTED_MAX);
                self.list.push(diagnostic(code, Path::default(), message, None));
            }
        }
        self.list
    }
}

fn severity(code: Code) -> Severity {
    codes::about(code).map_or(Severity::Error, |about| about.severity)
}

/// Returns a finding without a position in the text.
pub fn diagnostic(code: Code, path: Path, message: String, fix: Option<Fix>) -> Diagnostic {
    Diagnostic { severity: severity(code), code, at: path, position: None, says: message, fix }
}

/// Returns a fix that sets one value.
pub fn set(path: Path, value: impl Into<String>, label: impl Into<String>) -> Option<Fix> {
    Some(Fix { label: label.into(), edits: vec![Edit::Set { at: path, value: value.into() }] })
}

/// Returns a fix that removes an element.
pub fn remove(path: Path, label: impl Into<String>) -> Option<Fix> {
    Some(Fix { label: label.into(), edits: vec![Edit::Remove { at: path }] })
}

/// Returns a fix that renames an element.
pub fn rename(path: Path, to: &str) -> Option<Fix> {
    let label = format!("Rename it to {}", quoted(to));
    Some(Fix { label, edits: vec![Edit::Rename { at: path, to: to.to_string() }] })
}

/// Whether a character is invisible or changes how others are displayed: zero-width and filler characters, variation
/// selectors, bidirectional controls, line and paragraph separators, tags. Names that differ only in such characters
/// look the same.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Replaces control and invisible characters by U+FFFD, so that the text can neither control a terminal nor hide in it.
pub fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    let is_shown = |c: char| !c.is_control() && !is_invisible(c);
    if text.chars().all(is_shown) {
        return text.into();
    }
    text.chars().map(|c| if is_shown(c) { c } else { '\u{fffd}' }).collect()
}

/// Formats a text of the scenario for a message: quoted, truncated to 40 characters, with control and invisible
/// characters replaced; a quotation mark becomes an apostrophe, so that it does not end the quotation.
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let cut: String = text.chars().take(SHOWN).collect();
    let mut shown = visible(&cut).replace('"', "'");
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
