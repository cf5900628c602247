//! Decisions of a cycle as lines of plain text, for reports and the runner: the sentences of an [`Explanation`] in
//! order, its numbers and its settings.

use super::{Evidence, Explanation, Terms, Text, deciding_pool, groups, in_words_of, pending, why};
use crate::moment::Frame;
use crate::trace::Refusal;
use crate::words::Selection;

/// The decisions among the events of a frame, each with its position; events of several pods of a job are grouped.
pub fn decided(frame: &Frame) -> Vec<(u32, Explanation)> {
    let resource = frame.names.resource;
    let explained = groups(frame).into_iter().filter(|group| group.first.word().is_decision()).map(|group| {
        let selection = Selection::Event { cycle: frame.cycle, index: group.index };
        (group.index, why(frame, None, &selection, None, resource))
    });
    explained.collect()
}

/// Explains why a job is pending.
pub fn waiting(frame: &Frame, refusal: &Refusal) -> Explanation {
    let frame = &*deciding_pool(frame, &Selection::Job(frame.job(refusal.job).to_string()));
    in_words_of(frame, pending::pending(frame, refusal, frame.names.resource))
}

/// Explains a job: its events in the cycle, or why it is pending.
pub fn of_job(frame: &Frame, job: &str) -> Explanation {
    why(frame, None, &Selection::Job(job.to_string()), None, frame.names.resource)
}

impl Explanation {
    /// The sentences, the verdict first.
    pub fn lines(&self) -> Vec<String> {
        let said = |head: &str, text: &Text| format!("{head}{}", text.spoken());
        let mut lines = vec![self.verdict.spoken()];
        lines.extend(self.also.iter().map(|also| said("Also: ", also)));
        lines.extend(self.faults.iter().map(Text::spoken));
        lines.extend(self.checks.iter().map(|check| check.text.spoken()));
        lines.extend(self.rule.iter().map(|rule| format!("Rule: {} [{}]", rule.says, rule.key)));
        let others = self.others.iter().map(|other| format!("Candidate {}: {}.", other.when, other.text.spoken()));
        lines.extend(others);
        lines.extend((!self.outlook.is_empty()).then(|| said("Next: ", &self.outlook)));
        lines
    }
}

impl Explanation {
    /// The table of the compared numbers, and the fields of the settings that matter.
    pub fn details(&self) -> Vec<String> {
        let terms = Terms::of(&self.policy);
        let mut lines = self.evidence.iter().flat_map(|evidence| evidence.lines(terms)).collect::<Vec<_>>();
        let settings = self.controls.iter().map(|control| format!("{} ({})", control.label.spoken(), control.path));
        let settings: Vec<String> = settings.collect();
        if !settings.is_empty() {
            lines.push(format!("Settings that matter: {}.", settings.join(", ")));
        }
        lines
    }
}

impl Evidence {
    /// The caption, the head and the rows, with aligned columns.
    fn lines(&self, terms: &Terms) -> Vec<String> {
        let head = self.head.iter().map(|text| text.spoken());
        let mut rows: Vec<Vec<String>> = if self.head.is_empty() { Vec::new() } else { vec![head.collect()] };
        for (name, cells, _) in &self.rows {
            let cells = cells.iter().map(|cell| cell.shown.clone());
            rows.push(std::iter::once(terms.fill(name).to_string()).chain(cells).collect());
        }
        let widths: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or(0))
            .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max())
            .map(Option::unwrap_or_default)
            .collect();
        let line = |row: Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
                0 => format!("  {cell:width$}"),
                _ => format!("  {cell:>width$}"),
            });
            cells.collect::<String>().trim_end().to_string()
        };
        let caption = self.caption.spoken();
        let caption = (!caption.is_empty()).then(|| format!("{caption}:"));
        caption.into_iter().chain(rows.into_iter().map(line)).collect()
    }
}
