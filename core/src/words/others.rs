//! Possible victims that were not selected, and the recorded reasons.

use super::Selection;
use super::check::{decisive_resource, side};
use super::ego;
use super::happenings::ListEntry;
use super::number::{count, number, with_unit};
use super::phrases::queue_of;
use super::protection::protection;
use super::text::{Text, job, text};
use super::victim_order;
use crate::moment::{EventRow, EventWord, Frame};
use crate::trace::{Candidate, Check, NotSelected, Op, Protection, Quantity};
use crate::units::Resource;

/// Largest number of lines.
const LINES: usize = 6;

/// Candidates that were not selected: queues, and jobs in the queue of the evicted pod.
pub fn not_chosen(frame: &Frame, event: &EventRow) -> Vec<ListEntry> {
    let Some(by) = event.by() else { return Vec::new() };
    if !matches!(event.word(), EventWord::Reclaimed | EventWord::Preempted) {
        return Vec::new();
    }
    let queue = frame.queue_of(event);
    let is_meant = |not_selected: &&NotSelected| match not_selected.candidate {
        Candidate::Queue(_) => not_selected.by == by,
        Candidate::Job(job) => not_selected.by == by && frame.names.queue_of(job) == queue,
    };
    let entry = |not_selected: &NotSelected| {
        let (selection, goes) = match not_selected.candidate {
            Candidate::Queue(queue) => (Selection::Queue(frame.queue(queue).to_string()), None),
            Candidate::Job(job) => {
                // A job that was not needed here may be a victim for another job of the same cycle.
                let job_events = frame.events.iter().filter(|other| frame.job_of(other) == Some(job));
                let evictor = job_events.filter_map(EventRow::by).find(|other| *other != by);
                (Selection::Job(frame.job(job).to_string()), evictor.map(|other| (job, other)))
            }
        };
        let (when, text) = match goes {
            Some((victim, other)) => {
                let [victim, by, other] = [victim, by, other].map(|id| job(frame.job(id)));
                let text = text!(
                    "{victim}: not needed for {by}, but [evicted] for {other} in the same cycle",
                    [victim, by, other]
                );
                ("evicted", text)
            }
            None => ("kept", says(frame, not_selected)),
        };
        ListEntry { when: when.into(), text, selection: Some(selection), ..ListEntry::default() }
    };
    frame.not_selected.iter().filter(is_meant).take(LINES).map(entry).collect()
}

fn says(frame: &Frame, not_selected: &NotSelected) -> Text {
    let (candidate, queue) = match not_selected.candidate {
        Candidate::Queue(id) => (queue_of(frame, id), queue_of(frame, id)),
        Candidate::Job(id) => (job(frame.job(id)), queue_of(frame, frame.names.queue_of(id))),
    };
    match &not_selected.why {
        Protection::NonPreemptible => match not_selected.candidate {
            Candidate::Queue(_) => text!("{queue}: all its [jobs] are non-preemptible", [queue]),
            Candidate::Job(_) => text!("{candidate}: non-preemptible", [candidate]),
        },
        Protection::Core { pods } => text!(
            "{candidate}: semi-preemptible, its first {pods} cannot be [evicted]",
            [candidate, pods = count((*pods).into(), "[pod]")]
        ),
        Protection::OwnQueue { jobs } => text!(
            "{jobs} of {queue}: reclaim never evicts from the same [queue]",
            [jobs = count((*jobs).into(), "[job]"), queue]
        ),
        Protection::Failed(check) => failed(frame, candidate, check),
        Protection::Later(check) if let Some(text) = later_job(frame, not_selected.candidate, check) => text,
        Protection::Later(check) if check.left.quantity == Quantity::Priority => {
            text!("{candidate} has a lower priority, but other [queues] come first", [candidate])
        }
        Protection::Later(check) if let Some(text) = ego::later(frame, check) => text,
        Protection::Later(check) => {
            let r = decisive_resource(check).unwrap_or(Resource::GPU);
            let used = side(&check.left.value, r).map_or(String::new(), |used| with_unit(r, used));
            let what = match check.right.quantity {
                Quantity::Quota => "its [quota]",
                _ => "the larger of its [quota] and [fair share]",
            };
            text!("{candidate} uses {used}, over {what}, but other [queues] come first", [candidate, used, what])
        }
        Protection::NotNeeded => text!("{candidate}: not needed, enough was already freed", [candidate]),
    }
}

/// Why a job comes later than the last victim.
fn later_job(frame: &Frame, candidate: Candidate, check: &Check) -> Option<Text> {
    match candidate {
        Candidate::Job(job) => victim_order::later(frame, job, check),
        Candidate::Queue(_) => None,
    }
}

/// The failed comparison that protects a candidate.
fn failed(frame: &Frame, candidate: Text, check: &Check) -> Text {
    if check.left.quantity == Quantity::Applies {
        return text!("{candidate}: {says}", [candidate, says = check.rule.0.says]);
    }
    if let Some(text) = protection(frame, check) {
        return text;
    }
    if check.left.quantity != Quantity::Priority {
        return text!("{candidate} is protected", [candidate]);
    }
    let shown = |value| side(value, Resource::GPU).map_or(String::new(), number);
    let (priority, limit) = (shown(&check.left.value), shown(&check.right.value));
    let relation = if check.op == Op::AtMost { "higher than" } else { "not lower than" };
    text!("{candidate}: its priority {priority} is {relation} {limit}", [candidate, priority, relation, limit])
}
