//! Sentences for rules of EGO, which compare shares of a pool instead of amounts of one resource.

use super::check::{seconds, side};
use super::number;
use super::phrases::{queue_of, reclaimed_for};
use super::text::{self, Text, job, node, text};
use crate::moment::{EventRow, Frame};
use crate::trace::{Check, Refusal, Value};
use crate::units::Resource;

/// Finds the comparison by a rule.
fn by<'c>(checks: &'c [Check], rule: &str) -> Option<&'c Check> {
    checks.iter().find(|check| check.rule.key() == rule)
}

/// A finite real.
fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Real(real) => real.is_finite().then_some(*real),
        _ => None,
    }
}

/// Both sides as percentages with one decimal.
fn parts(check: &Check) -> Option<[String; 2]> {
    Some([number::percent(real(&check.left.value)?), number::percent(real(&check.right.value)?)])
}

/// Both sides as share priorities.
fn priorities(check: &Check) -> Option<[String; 2]> {
    let priority = |value| side(value, Resource::GPU).map(number::number);
    Some([priority(&check.left.value)?, priority(&check.right.value)?])
}

/// Both sides as numbers of slots, the first with its noun.
fn slots(check: &Check) -> Option<[String; 2]> {
    let slots = real(&check.left.value)?;
    let noun = if slots == 1.0 { "slot" } else { "slots" };
    Some([format!("{} {noun}", number::number(slots)), number::number(real(&check.right.value)?)])
}

/// The name of a comparison's queue.
fn queue(frame: &Frame, check: &Check) -> Text {
    queue_of(frame, check.subject.queue)
}

/// Why a unit was reclaimed, if a rule of EGO decided it.
pub fn reclaimed(frame: &Frame, event: &EventRow) -> Option<Text> {
    let check_of = |rule| by(&event.checks, rule);
    let evicted = reclaimed_for(frame, event);
    if let Some(check) = check_of("ego/call-back") {
        return Some(text!(
            "{evicted}. {owner} owns {node}, which it had lent, and has pending work of its own.",
            [evicted, owner = queue(frame, check), node = node(frame.node_name(event))]
        ));
    }
    if let Some(exceeded) = check_of("ego/above-slot-quota") {
        let [used, quota] = slots(exceeded)?;
        let below = check_of("ego/below-slot-quota").and_then(|check| below(frame, check, slots(check)?, "held"));
        return Some(text!(
            "{evicted}. {giver} held {used}, above its share quota of {quota}{below}.",
            [evicted, giver = queue(frame, exceeded), used, quota, below]
        ));
    }
    let exceeded = check_of("ego/over-quota")?;
    let [used, quota] = parts(exceeded)?;
    let below = check_of("ego/under-quota").and_then(|check| below(frame, check, parts(check)?, "used"));
    Some(text!(
        "{evicted}. {giver} used {used} of the pool, above its share usage quota of {quota}{below}.",
        [evicted, giver = queue(frame, exceeded), used, quota, below]
    ))
}

/// *; `gold` used 20 %, below its 40 %*
fn below(frame: &Frame, check: &Check, [used, quota]: [String; 2], verb: &str) -> Option<Text> {
    let taker = queue(frame, check);
    Some(text!("; {taker} {verb} {used}, below its {quota}", [taker, verb, used, quota]))
}

/// Why a unit was reclaimed without a claimant: its consumer exceeds its share limit.
pub fn above_limit(frame: &Frame, event: &EventRow) -> Option<Text> {
    let check = by(&event.checks, "ego/share-limit")?;
    let r = check.subject.resource.and_then(Resource::accounted).unwrap_or(Resource::GPU);
    let (used, limit) = (side(&check.left.value, r)?, side(&check.right.value, r)?);
    let (used, limit) = (number::with_unit(r, used), number::amount(r, limit));
    Some(text!(
        "{job} was [evicted]: {queue} uses {used} of the share pool, its [limit] is {limit}; its newest [pods] go first.",
        [job = job(frame.job_name(event)), queue = queue(frame, check), used, limit]
    ))
}

/// Why nothing is reclaimed from a consumer, if a rule of EGO decided it.
pub fn protection(frame: &Frame, check: &Check) -> Option<Text> {
    let rule = check.rule.key();
    let [own, bound] = match rule {
        "ego/above-slot-quota" => slots(check),
        "ego/over-quota" | "ego/no-inversion" => parts(check),
        "ego/share-priority" => priorities(check),
        _ => None,
    }?;
    let (queue, other) = (queue(frame, check), queue_of(frame, check.subject.other_queue));
    Some(match rule {
        "ego/above-slot-quota" => {
            text!("{queue} holds {own}, which is within its share quota of {bound}", [queue, own, bound])
        }
        "ego/over-quota" => text!(
            "{queue} uses {own} of the pool, which is within its share usage quota of {bound}",
            [queue, own, bound]
        ),
        "ego/share-priority" => {
            text!("{other} has a higher share priority ({bound}) than {queue} ({own})", [other, bound, queue, own])
        }
        _ => text!(
            "{other} would be left with less usage / share ratio ({bound}) than {queue} ({own})",
            [other, bound, queue, own]
        ),
    })
}

/// Why a consumer above its quota lost nothing, if a rule of EGO decided it.
pub fn later(frame: &Frame, check: &Check) -> Option<Text> {
    let [used, quota] = parts(check).filter(|_| check.rule.key() == "ego/over-quota")?;
    Some(text!(
        "{queue} uses {used} of the pool, above its share usage quota of {quota}, but other [queues] come first",
        [queue = queue(frame, check), used, quota]
    ))
}

/// Why a consumer may not reclaim, if a rule of EGO decided it.
pub fn not_entitled(frame: &Frame, refusal: &Refusal, name: &str) -> Option<Text> {
    let check_of = |rule| by(&refusal.checks, rule);
    let queue = text::queue(name);
    if let Some([used, quota]) = check_of("ego/under-quota").and_then(parts) {
        return Some(match check_of("ego/share-priority") {
            Some(check) => text!(
                "{queue} uses {used} of the pool; its share usage quota is {quota} because {first}",
                [queue, used, quota, first = first(frame, check)]
            ),
            None => text!(
                "{queue} uses {used} of the pool, not less than its share usage quota of {quota}, so it cannot reclaim.",
                [queue, used, quota]
            ),
        });
    }
    if let Some([held, quota]) = check_of("ego/below-slot-quota").and_then(slots) {
        return Some(text!(
            "{queue} holds {held}, not fewer than its share quota of {quota}, so it cannot reclaim.",
            [queue, held, quota]
        ));
    }
    if let Some(check) = check_of("ego/grace") {
        let (grace, pool) = (seconds(&check.left.value), seconds(&check.right.value));
        return Some(text!(
            "{queue} requires a grace period of {grace}, but the pool grants only {pool}.",
            [queue, grace, pool]
        ));
    }
    check_of("ego/share-ratio")?;
    Some(text!("{queue} has a share ratio of 0 and gets nothing from share pools.", [queue]))
}

/// The consumer of higher share priority that is served first.
fn first(frame: &Frame, check: &Check) -> Text {
    let [own, other] = priorities(check).unwrap_or_default();
    text!(
        "{queue}, of higher share priority ({own} against {other}), comes first.",
        [queue = queue(frame, check), own, other]
    )
}
