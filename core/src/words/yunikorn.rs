//! Sentences for rules of YuniKorn: priorities in a search for victims, reservations, preemptions that freed too
//! little.

use super::check::side;
use super::number::{number, with_unit};
use super::outlook::clock;
use super::phrases::node_reason;
use super::text::Text;
use crate::id::JobId;
use crate::moment::{EventRow, Frame};
use crate::time::Time;
use crate::trace::{Check, Delay, Gate, NodeReason, Op, Quantity, Refusal, Value};
use crate::units::Resource;

/// Finds the comparison by a rule with a quantity on its left-hand side.
fn by<'c>(checks: &'c [Check], rule: &str, left: Quantity) -> Option<&'c Check> {
    checks.iter().find(|check| check.rule.key() == rule && check.left.quantity == left)
}

/// A side of a comparison, with the unit of its resource.
fn amount(frame: &Frame, check: &Check, value: &Value) -> String {
    let named = check.subject.resource.and_then(|r| r.nth_named()).and_then(|n| frame.named.get(n));
    let r = check.subject.resource.and_then(Resource::accounted).unwrap_or(Resource::GPU);
    let base = side(value, r).unwrap_or_default();
    named.map_or_else(|| with_unit(r, base), |name| format!("{} {name}", number(base)))
}

/// The priorities of the claimant and the victim, if queues change them.
pub fn priorities(frame: &Frame, event: &EventRow) -> Option<Text> {
    let (victim, by_job) = (frame.job_of(event)?, event.by()?);
    let compared = by_rule(&event.checks, "yunikorn/victim-priority").last()?;
    let [own, limit] = [&compared.left.value, &compared.right.value].map(|value| side(value, Resource::GPU));
    let (own, limit) = (own?, limit?);
    let of = |job: JobId, is: f64| counted(frame, &event.checks, job, is);
    if own == limit && of(by_job, limit).1 && of(victim, own).1 {
        return None;
    }
    let is = if own == limit { "not higher" } else { "lower" };
    let text = of(by_job, limit).0.say("; ").then(of(victim, own).0);
    Some(text.say(format!(", which is {is}, so it may be [evicted].")))
}

fn by_rule<'c>(checks: &'c [Check], rule: &'c str) -> impl Iterator<Item = &'c Check> {
    checks.iter().filter(move |check| check.rule.key() == rule)
}

/// A priority with the offsets that make it, and whether there are none.
fn counted(frame: &Frame, checks: &[Check], job: JobId, is: f64) -> (Text, bool) {
    let name = Text::default().job(frame.job(job));
    let mut parts = Text::default();
    let root = Text::of("the root queue");
    for step in checks.iter().filter(|check| check.subject.job == Some(job)) {
        let queue = step.subject.queue.map_or_else(|| root.clone(), |at| Text::default().queue(frame.queue(at)));
        match (step.rule.key(), &step.left.value) {
            ("yunikorn/offset", Value::Sum([below, offset])) => {
                let below = if parts.is_empty() { number(*below as f64) } else { String::new() };
                let (sign, offset) = if *offset < 0 { ('−', -offset) } else { ('+', *offset) };
                parts = parts.say(format!("{below} {sign} ")).then(queue);
                parts = parts.say(format!("'s offset {}", number(offset as f64)));
            }
            ("yunikorn/priority-fence", Value::Count(offset)) => {
                parts = Text::of(format!("the offset {} of the priority fence ", number(*offset as f64)));
                parts = parts.then(queue);
            }
            _ => {}
        }
    }
    let is = number(is);
    match parts.is_empty() {
        true => (name.say(format!(" has priority {is}")), true),
        false => (name.say(format!(" counts as priority {is} (")).then(parts).say(")"), false),
    }
}

/// The maximum that was lowered below what a queue uses.
pub fn above_limit(frame: &Frame, event: &EventRow) -> Option<Text> {
    let check = by(&event.checks, "yunikorn/lowered-max", Quantity::Allocated)?;
    let [used, limit] = [&check.left.value, &check.right.value].map(|value| amount(frame, check, value));
    let text = Text::default().job(frame.job_name(event)).say(" was [evicted]: the [limit] of ");
    let text = text.queue(check.subject.queue.map_or("", |queue| frame.queue(queue)));
    Some(text.say(format!(" was lowered to {limit}, and it uses {used}.")))
}

/// Jobs for which room is reserved on the nodes that were tried.
fn holders(reasons: &[(NodeReason, u32)]) -> impl Iterator<Item = (JobId, u32)> {
    reasons.iter().filter_map(|(reason, n)| match reason {
        NodeReason::Reserved(job) => Some((*job, *n)),
        _ => None,
    })
}

/// Whether room on a node is reserved for another job.
pub fn is_reserved(reasons: &[(NodeReason, u32)]) -> bool {
    holders(reasons).next().is_some()
}

/// Time at which the reservations of a gang expire.
fn expires(frame: &Frame, job: JobId) -> Option<Time> {
    let refusal = frame.refusals.iter().find(|refusal| refusal.job == job)?;
    match refusal.gate {
        Gate::GangIncomplete { until, .. } => until,
        _ => None,
    }
}

/// Which room is reserved, and for which jobs, without full stop.
pub fn reserved(frame: &Frame, refusal: &Refusal, reasons: &[(NodeReason, u32)]) -> Option<Text> {
    let mut clauses = Vec::new();
    for (job, n) in holders(reasons) {
        let is_of = |check: &&Check| check.subject.other_job == Some(job) && check.rule.key() == "yunikorn/reserved";
        let found = refusal.checks.iter().find(is_of);
        let node = found.and_then(|check| check.subject.node);
        let room = match (found, node, n) {
            (Some(check), Some(node), 1) if check.right.quantity == Quantity::Reserved => {
                let held = amount(frame, check, &check.right.value);
                let are = if side(&check.right.value, Resource::GPU) == Some(1.0) { "is" } else { "are" };
                Text::of(held).say(" on ").node(frame.node(node)).say(format!(" {are} reserved for "))
            }
            (_, Some(node), 1) => Text::default().node(frame.node(node)).say(" is reserved for "),
            _ => Text::of(format!("{n} [nodes] are reserved for ")),
        };
        let until = expires(frame, job).map(|until| format!(" until {}", clock(until)));
        clauses.push(room.job(frame.job(job)).say(until.unwrap_or_default()));
    }
    (!clauses.is_empty()).then(|| Text::default().list(clauses, "and").then(other_nodes(frame, reasons)))
}

/// The nodes without reserved room, as a further sentence without full stop.
fn other_nodes(frame: &Frame, reasons: &[(NodeReason, u32)]) -> Text {
    let others = reasons.iter().filter(|(reason, _)| !matches!(reason, NodeReason::Reserved(_)));
    let why = others.map(|(reason, n)| Text::of(format!("{n} ")).then(node_reason(frame, *reason)));
    let why: Vec<Text> = why.collect();
    if why.is_empty() { Text::default() } else { Text::of(". Other [nodes] checked: ").list(why, "and") }
}

/// When a job can start for which only reserved room is left.
pub fn after_reservation(frame: &Frame, reasons: &[(NodeReason, u32)]) -> Text {
    let jobs = holders(reasons).map(|(job, _)| Text::default().job(frame.job(job))).collect();
    Text::of("It can start when other [nodes] have room, or when ")
        .list(jobs, "or")
        .say(" has started and leaves enough, or loses its reservation.")
}

/// The rule by which a search for victims ends.
const ENOUGH: &str = "yunikorn/enough-victims";

/// What a preemption freed and what is missing, as sentences with full stop.
pub fn freed_too_little(frame: &Frame, checks: &[Check]) -> Option<Text> {
    let once = by(checks, "yunikorn/preempts-once", Quantity::Applies)?;
    let job = Text::default().job(frame.job(once.subject.job?));
    let short = short_on_node(frame, checks, job.clone()).or_else(|| over_maximum(frame, checks, job));
    let text = short.unwrap_or_default().then(end_of_search(frame, checks).unwrap_or_default());
    Some(text.say(" [A job] preempts only once for each [pod], so it does not try again."))
}

/// The room on the node with what the victims free, against the request.
fn short_on_node(frame: &Frame, checks: &[Check], job: Text) -> Option<Text> {
    let (freed, room) = (by(checks, ENOUGH, Quantity::Freed)?, by(checks, ENOUGH, Quantity::Request)?);
    let r = room.subject.resource.and_then(Resource::accounted).unwrap_or(Resource::GPU);
    let missing = side(&room.left.value, r)? - side(&room.right.value, r)?;
    let text = Text::of(format!("its preemption frees {} on ", amount(frame, freed, &freed.left.value)));
    let text = text.node(room.subject.node.map_or("", |node| frame.node(node)));
    let text = text.say(format!(", which then has {} free; ", amount(frame, room, &room.right.value)));
    let missing = amount(frame, room, &Value::Real(missing));
    let needs = amount(frame, room, &room.left.value);
    Some(text.then(job).say(format!(" needs {needs} ({missing} missing).")))
}

/// The maximum of a queue that the job exceeds even without the victims.
fn over_maximum(frame: &Frame, checks: &[Check], job: Text) -> Option<Text> {
    let over = by(checks, ENOUGH, Quantity::AllocatedWithJob)?;
    let [with, limit] = [&over.left.value, &over.right.value].map(|value| amount(frame, over, value));
    let text = Text::of("its preemption freed too little: with ").then(job);
    let text = text.say(" and without the [evicted] [pods], ");
    let text = text.queue(over.subject.queue.map_or("", |queue| frame.queue(queue)));
    Some(text.say(format!(" would use {with}, over its [limit] of {limit}.")))
}

/// The resource that ended the search, or pods.
fn end_of_search(frame: &Frame, checks: &[Check]) -> Option<Text> {
    let end = by_rule(checks, ENOUGH).find(|check| check.op == Op::Exceeds)?;
    let [freed, wanted] = [&end.left.value, &end.right.value].map(|value| match end.subject.resource {
        None => number(side(value, Resource::GPU).unwrap_or_default()),
        Some(_) => amount(frame, end, value),
    });
    let what = if end.subject.resource.is_none() { "[pods] " } else { "" };
    let ended = format!("because they free more {what}than it requests ({freed} against {wanted})");
    Some(Text::of(format!(" The search for victims ended {ended}.")))
}

/// Why a job is not tried before a time.
pub fn delayed(job: Text, until: Time, why: Delay) -> Text {
    let at = clock(until);
    match why {
        Delay::GangExpired => job.say(format!(
            " is waiting: the reservations for its gang have expired; from {at} its [pods] are tried one by one."
        )),
        Delay::Backoff => {
            job.say(format!(" is waiting: too many of its [pods] found no [node], so none is tried before {at}."))
        }
        Delay::Preemption => job.say(format!(" is waiting: it may not preempt before {at}.")),
    }
}

/// What put the served job first: *(priority 10 against 0)*.
pub fn came_first(refusal: &Refusal) -> Option<String> {
    let key = |check: &&Check| {
        let rule = check.rule.key();
        matches!(rule, APPLICATION | REQUEST | PRIORITY | SHARE | PENDING | TIE)
    };
    let check = refusal.checks.iter().find(key)?;
    match check.rule.key() {
        PENDING => return Some(", because more is pending there and all else is equal".into()),
        TIE => return Some(": all compared values are equal, so the first by name is served first".into()),
        _ => {}
    }
    let [first, other] = [&check.left.value, &check.right.value].map(|value| match value {
        Value::Time(time) => Some(clock(*time)),
        value => side(value, Resource::GPU).map(number),
    });
    let what = match check.left.quantity {
        Quantity::Priority => "priority",
        Quantity::DominantShare => "share",
        Quantity::Created => "submitted",
        _ => return None,
    };
    // Sides that look equal explain nothing.
    let (first, other) = (first?, other?);
    (first != other).then(|| format!(" ({what} {first} against {other})"))
}

/// The rules of the orders in which queues, applications and requests are tried.
const PRIORITY: &str = "yunikorn/priority";
const SHARE: &str = "yunikorn/share";
const APPLICATION: &str = "yunikorn/application";
const REQUEST: &str = "yunikorn/request";
const PENDING: &str = "yunikorn/pending";
const TIE: &str = "yunikorn/tie";

/// Whether reservations precede all orders.
pub fn is_served_first(refusal: &Refusal) -> bool {
    refusal.checks.iter().any(|check| check.rule.key() == "yunikorn/served-first")
}

/// The guarantee that lets a job preempt, as a clause.
pub fn below_guarantee(frame: &Frame, checks: &[Check]) -> Option<Text> {
    let check = by(checks, "yunikorn/below-guarantee", Quantity::AllocatedWithJob)?;
    let queue = check.subject.queue.map_or("", |queue| frame.queue(queue));
    let [with, quota] = [&check.left.value, &check.right.value].map(|value| amount(frame, check, value));
    Some(Text::of(": with it, ").queue(queue).say(format!(" uses {with}, within its [quota] of {quota}.")))
}
