//! Protection from eviction: the failed comparison as a sentence.

use super::check::{Party, decisive_resource, seconds, side, value};
use super::facts::Facts;
use super::number::{self, with_unit};
use super::phrases::queue_of;
use super::text::{Text, job, text};
use crate::moment::Frame;
use crate::trace::{Check, Quantity, Term, Value};
use crate::units::Resource;

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
