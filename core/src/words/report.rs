//! Decisions of a cycle as lines of plain text, for reports and the runner: the sentences of an [`Explanation`] in
//! order.

use super::{Explanation, Text, deciding_pool, groups, in_words_of, pending, why};
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
