//! Sentences for rules of EGO, which compare shares of a pool instead of amounts of one resource.

use super::check::{seconds, side};
use super::number;
use super::phrases::reclaimed_for;
use super::text::Text;
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

/// Both sides as numbers of slots, the first with its noun.
fn slots(check: &Check) -> Option<[String; 2]> {
    let held = real(&check.left.value)?;
    let noun = if held == 1.0 { "slot" } else { "slots" };
    Some([format!("{} {noun}", number::number(held)), number::number(real(&check.right.value)?)])
}

/// The name of a comparison's queue.
fn queue<'f>(frame: &'f Frame, check: &Check) -> &'f str {
    check.subject.queue.map_or("", |queue| frame.queue(queue))
}

/// Why a unit was reclaimed, if a rule of EGO decided it.
pub fn reclaimed(frame: &Frame, event: &EventRow) -> Option<Text> {
    let text = reclaimed_for(frame, event);
    if let Some(check) = by(&event.checks, "ego/call-back") {
        let text = text.say(". ").queue(queue(frame, check)).say(" owns ").node(frame.node_name(event));
        return Some(text.say(", which it had lent, and has pending work of its own."));
    }
    if let Some(over) = by(&event.checks, "ego/above-slot-quota") {
        let [held, quota] = slots(over)?;
        let text = text.say(". ").queue(queue(frame, over));
        let text = text.say(format!(" held {held}, above its share quota of {quota}"));
        let Some(under) = by(&event.checks, "ego/below-slot-quota") else { return Some(text.say(".")) };
        let [held, quota] = slots(under)?;
        let text = text.say("; ").queue(queue(frame, under));
        return Some(text.say(format!(" held {held}, below its {quota}.")));
    }
    let over = by(&event.checks, "ego/over-quota")?;
    let [used, quota] = parts(over)?;
    let text = text.say(". ").queue(queue(frame, over));
    let text = text.say(format!(" used {used} of the pool, above its share usage quota of {quota}"));
    let Some((under, [used, quota])) =
        by(&event.checks, "ego/under-quota").and_then(|under| Some((under, parts(under)?)))
    else {
        return Some(text.say("."));
    };
    Some(text.say("; ").queue(queue(frame, under)).say(format!(" used {used}, below its {quota}.")))
}

/// Why a unit was reclaimed without a claimant: its consumer exceeds its share limit.
pub fn above_limit(frame: &Frame, event: &EventRow) -> Option<Text> {
    let check = by(&event.checks, "ego/share-limit")?;
    let r = check.subject.resource.and_then(Resource::accounted).unwrap_or(Resource::GPU);
    let [used, limit] = [&check.left.value, &check.right.value].map(|value| side(value, r));
    let text = Text::default().job(frame.job_name(event)).say(" was [evicted]: ");
    let text = text.queue(queue(frame, check)).say(format!(" uses {} of the share pool", number::with_unit(r, used?)));
    Some(text.say(format!(", its [limit] is {}; its newest [pods] go first.", number::amount(r, limit?))))
}

/// Why nothing is reclaimed from a consumer, if a rule of EGO decided it.
pub fn protection(frame: &Frame, check: &Check) -> Option<Text> {
    if check.rule.key() == "ego/above-slot-quota" {
        let [held, quota] = slots(check)?;
        let text = Text::default().queue(queue(frame, check)).say(format!(" holds {held}"));
        return Some(text.say(format!(", which is within its share quota of {quota}")));
    }
    let other = Text::default().queue(check.subject.other_queue.map_or("", |queue| frame.queue(queue)));
    match check.rule.key() {
        "ego/over-quota" => {
            let [used, quota] = parts(check)?;
            let text = Text::default().queue(queue(frame, check)).say(format!(" uses {used} of the pool"));
            Some(text.say(format!(", which is within its share usage quota of {quota}")))
        }
        "ego/share-priority" => {
            let [own, held] = [&check.left.value, &check.right.value].map(|value| side(value, Resource::GPU));
            let text = other.say(format!(" has a higher share priority ({}) than ", number::number(held?)));
            Some(text.queue(queue(frame, check)).say(format!(" ({})", number::number(own?))))
        }
        "ego/no-inversion" => {
            let [own, held] = [real(&check.left.value)?, real(&check.right.value)?].map(number::percent);
            let text = other.say(format!(" would be left with less usage / share ratio ({held}) than "));
            Some(text.queue(queue(frame, check)).say(format!(" ({own})")))
        }
        _ => None,
    }
}

/// Why a consumer above its quota lost nothing, if a rule of EGO decided it.
pub fn later(frame: &Frame, check: &Check) -> Option<Text> {
    let [used, quota] = parts(check).filter(|_| check.rule.key() == "ego/over-quota")?;
    let text = Text::default().queue(queue(frame, check)).say(format!(" uses {used} of the pool, above its"));
    Some(text.say(format!(" share usage quota of {quota}, but other [queues] come first")))
}

/// The consumer of higher share priority that is served first.
fn first(frame: &Frame, check: &Check) -> Text {
    let [own, other] = [&check.left.value, &check.right.value]
        .map(|value| side(value, Resource::GPU).map_or(String::new(), number::number));
    let text = Text::default().queue(queue(frame, check));
    text.say(format!(", of higher share priority ({own} against {other}), comes first."))
}

/// Why a consumer may not reclaim, if a rule of EGO decided it.
pub fn not_entitled(frame: &Frame, refusal: &Refusal, queue: &str) -> Option<Text> {
    if let Some([used, quota]) = by(&refusal.checks, "ego/under-quota").and_then(parts) {
        let text = Text::default().queue(queue).say(format!(" uses {used} of the pool"));
        if let Some(before) = by(&refusal.checks, "ego/share-priority") {
            return Some(text.say(format!("; its share usage quota is {quota} because ")).then(first(frame, before)));
        }
        return Some(text.say(format!(", not less than its share usage quota of {quota}, so it cannot reclaim.")));
    }
    if let Some([held, quota]) = by(&refusal.checks, "ego/below-slot-quota").and_then(slots) {
        let text = Text::default().queue(queue).say(format!(" holds {held}"));
        return Some(text.say(format!(", not fewer than its share quota of {quota}, so it cannot reclaim.")));
    }
    if let Some(check) = by(&refusal.checks, "ego/grace") {
        let (own, pool) = (seconds(&check.left.value), seconds(&check.right.value));
        let text = Text::default().queue(queue);
        return Some(text.say(format!(" requires a grace period of {own}, but the pool grants only {pool}.")));
    }
    by(&refusal.checks, "ego/share-ratio")
        .map(|_| Text::default().queue(queue).say(" has a share ratio of 0 and gets nothing from share pools."))
}
