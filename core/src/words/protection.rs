//! Protection from eviction: the failed comparison as a sentence.

use super::check::{decisive_resource, seconds, side, value};
use super::number::{self, GPU, with_unit};
use super::text::Text;
use crate::id::{Id, QueueId};
use crate::moment::{Frame, QueueRow};
use crate::trace::{Check, Quantity, Term, Value};

/// The protection by a failed comparison, without full stop.
pub fn protection(frame: &Frame, check: &Check) -> Option<Text> {
    if let Some(text) = super::ego::protection(frame, check) {
        return Some(text);
    }
    let subject = &check.subject;
    let queue = |queue: Option<QueueId>| Text::default().queue(queue.map_or("", |queue| frame.queue(queue)));
    let r = decisive_resource(check).unwrap_or(GPU);
    let amount_of = |value: &Value| side(value, r).map_or("unlimited".to_string(), |base| with_unit(r, base));
    let (left, right): (&Term, &Term) = (&check.left, &check.right);
    match (left.quantity, right.quantity) {
        (Quantity::Runtime, _) => {
            let victim = subject.other_job.map_or("", |job| frame.job(job));
            Some(Text::default().job(victim).say(format!(
                " has run for {} and is protected until it has run for {}",
                seconds(&left.value),
                seconds(&right.value)
            )))
        }
        (
            Quantity::AllocatedWithoutVictims,
            what @ (Quantity::Allocatable | Quantity::Quota | Quantity::FairShare),
        ) => {
            let row = subject.other_queue.and_then(|queue| frame.queues.get(queue.index()));
            let (held, bound) = (amount_of(&left.value), amount_of(&right.value));
            let what = match what {
                Quantity::Allocatable => larger(row, side(&right.value, r), r),
                Quantity::Quota => "its [quota]",
                _ => "its [fair share]",
            };
            // The comparison is repeated for each victim.
            let is_first =
                row.is_some_and(|row| side(&left.value, r) == Some(row.allocated[usize::from(r.min(2))]));
            let uses = if is_first { "uses" } else { "would be left with" };
            Some(queue(subject.other_queue).say(format!(" {uses} {held}, which is within {what} of {bound}")))
        }
        (Quantity::Saturation, _) => {
            let (own, other) = (value(left, None), value(right, None));
            let factor = match left.value {
                Value::Product([_, factor]) => {
                    format!("; reclaimerUtilizationMultiplier is {}", number::number(factor))
                }
                _ => String::new(),
            };
            let text = queue(subject.queue).say(" would be at least as saturated as ");
            let text = text.then(queue(subject.other_queue));
            Some(text.say(format!(" (allocated / [fair share]: {own} against {other}{factor})")))
        }
        (Quantity::AllocatedNonPreemptible, _) => Some(queue(subject.queue).say(format!(
            " would use {} for non-preemptible [jobs], over its [quota] of {}",
            amount_of(&left.value),
            amount_of(&right.value)
        ))),
        _ => None,
    }
}

/// The larger of quota and fair share, if both are known.
fn larger(row: Option<&QueueRow>, bound: Option<f64>, r: u8) -> &'static str {
    let i = usize::from(r.min(2));
    let quota = row.and_then(|row| row.quota[i]);
    let share = row.and_then(|row| row.fair_share.as_ref().and_then(|share| share[i]));
    match (quota.is_some() && quota == bound, share.is_some() && share == bound) {
        (true, true) => "its [quota] and [fair share]",
        (true, false) => "its [quota]",
        (false, true) => "its [fair share]",
        (false, false) => "the larger of its [quota] and [fair share]",
    }
}
