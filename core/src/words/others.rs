//! Possible victims that were not selected: the recorded reasons, such as a protection or a later place in the order.

use super::Selection;
use super::check::{Party, decisive_resource, seconds, side, value};
use super::ego;
use super::facts::Facts;
use super::happenings::ListEntry;
use super::number::{self, count, number, with_unit};
use super::phrases::queue_of;
use super::text::{Text, job, text};
use crate::id::JobId;
use crate::moment::{EventRow, EventWord, Frame};
use crate::trace::{Candidate, Check, NotSelected, Op, Protection, Quantity, Term, Value};
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
        Candidate::Job(job) => later(frame, job, check),
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

/// Why a candidate comes later than the last victim; `None`: the comparison is not one of these two jobs.
pub fn later(frame: &Frame, candidate: JobId, check: &Check) -> Option<Text> {
    let sides = [(check.subject.job?, &check.left), (check.subject.other_job?, &check.right)];
    let value = sides.iter().find(|side| side.0 == candidate)?.1;
    let (victim, last) = *sides.iter().find(|side| side.0 != candidate)?;
    let (value, last) = (shown(value), shown(last));
    let [job, victim] = [candidate, victim].map(|id| job(frame.job(id)));
    Some(match check.left.quantity {
        Quantity::Priority => text!(
            "{job}: the lowest priority goes first, and its priority {value} is higher than {last} of {victim}",
            [job, value, last, victim]
        ),
        Quantity::Created => {
            let older = if value == last { "not newer" } else { "older" };
            text!(
                "{job}: the newest [job] goes first, and it is {older} (submitted {value}, {victim} {last})",
                [job, older, value, victim, last]
            )
        }
        Quantity::Applies if matches!(check.left.value, Value::Count(2..)) => {
            text!("{job}: it is not preemptible, and such [pods] go last", [job])
        }
        Quantity::Applies => {
            text!("{job}: it is the originator of its [job], and originators go after other [pods]", [job])
        }
        Quantity::Name => {
            text!("{job}: of [jobs] of the same age the last by name goes first, which is {victim}", [job, victim])
        }
        _ => text!("{job}: {victim} comes later in the order of [jobs], so it goes first", [job, victim]),
    })
}

fn shown(term: &Term) -> String {
    match term.value {
        Value::Real(_) if term.quantity == Quantity::Created => seconds(&term.value),
        _ => value(term, None),
    }
}

/// The protection by a failed comparison, without full stop.
pub fn protection(frame: &Frame, check: &Check) -> Option<Text> {
    if let Some(text) = super::ego::protection(frame, check) {
        return Some(text);
    }
    let subject = &check.subject;
    let [own, other] = [subject.queue, subject.other_queue].map(|queue| queue_of(frame, queue));
    let r = decisive_resource(check).unwrap_or(Resource::GPU);
    let amount_of = |value: &Value| side(value, r).map_or("unlimited".to_string(), |base| with_unit(r, base));
    let (left, right): (&Term, &Term) = (&check.left, &check.right);
    match (left.quantity, right.quantity) {
        (Quantity::Runtime, _) => {
            let victim = subject.other_job.map_or("", |job| frame.job(job));
            Some(text!(
                "{job} has run for {ran} and is protected until it has run for {least}",
                [job = job(victim), ran = seconds(&left.value), least = seconds(&right.value)]
            ))
        }
        (Quantity::AllocatedWithoutVictims, what @ (Quantity::Allocatable | Quantity::Quota | Quantity::FairShare)) => {
            let what = match what {
                Quantity::Allocatable => larger(right, r),
                Quantity::Quota => "its [quota]",
                _ => "its [fair share]",
            };
            let facts = Facts::of(std::slice::from_ref(check), r);
            let party = Party::Queue(subject.other_queue?);
            let amount = facts.get(party, left.quantity)?;
            let bound = facts.get(party, right.quantity)?;
            // The comparison is repeated for each victim.
            let before = facts.get(party, Quantity::Before);
            let is_first = before.is_none_or(|before| before.value == amount.value);
            let uses = if is_first { "uses" } else { "would be left with" };
            Some(text!(
                "{other} {uses} {amount}, which is within {what} of {bound}",
                [other, uses, amount, what, bound]
            ))
        }
        (Quantity::Saturation, _) => {
            let factor = match left.value {
                Value::Product([_, factor]) => {
                    format!("; reclaimerUtilizationMultiplier is {}", number::number(factor))
                }
                _ => String::new(),
            };
            Some(text!(
                "{own} would be at least as saturated as {other} (allocated / [fair share]: {ratio} against {bound}{factor})",
                [own, other, ratio = value(left, None), bound = value(right, None), factor]
            ))
        }
        (Quantity::AllocatedNonPreemptible, _) => Some(text!(
            "{own} would use {amount} for non-preemptible [jobs], over its [quota] of {quota}",
            [own, amount = amount_of(&left.value), quota = amount_of(&right.value)]
        )),
        _ => None,
    }
}

/// The larger of quota and fair share, if both were recorded.
fn larger(bound: &Term, r: Resource) -> &'static str {
    let amount_of = |quantity| bound.find(quantity).and_then(|term| side(&term.value, r));
    let (quota, share, bound) = (amount_of(Quantity::Quota), amount_of(Quantity::FairShare), side(&bound.value, r));
    match (quota.is_some() && quota == bound, share.is_some() && share == bound) {
        (true, true) => "its [quota] and [fair share]",
        (true, false) => "its [quota]",
        (false, true) => "its [fair share]",
        (false, false) => "the larger of its [quota] and [fair share]",
    }
}
