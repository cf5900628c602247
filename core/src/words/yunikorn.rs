//! Sentences for rules of YuniKorn: priorities in a search for victims, reservations, preemptions that freed too
//! little.

use super::check::side;
use super::number::{clock, number, with_unit};
use super::phrases::{nodes_because, queue_of};
use super::text::{Text, job, node, text};
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

/// Both sides of a comparison, with the unit of its resource.
fn amounts(frame: &Frame, check: &Check) -> [String; 2] {
    [&check.left.value, &check.right.value].map(|value| amount(frame, check, value))
}

/// The priorities of the claimant and the victim, if queues change them.
pub fn priorities(frame: &Frame, event: &EventRow) -> Option<Text> {
    let (victim, by_job) = (frame.job_of(event)?, event.by()?);
    let compared = by_rule(&event.checks, "yunikorn/victim-priority").last()?;
    let [own, limit] = [&compared.left.value, &compared.right.value].map(|value| side(value, Resource::GPU));
    let (priority, limit) = (own?, limit?);
    let (taker, taker_is_plain) = counted(frame, &event.checks, by_job, limit);
    let (victim, victim_is_plain) = counted(frame, &event.checks, victim, priority);
    if priority == limit && taker_is_plain && victim_is_plain {
        return None;
    }
    let relation = if priority == limit { "not higher" } else { "lower" };
    Some(text!("{taker}; {victim}, which is {relation}, so it may be [evicted].", [taker, victim, relation]))
}

fn by_rule<'c>(checks: &'c [Check], rule: &'c str) -> impl Iterator<Item = &'c Check> {
    checks.iter().filter(move |check| check.rule.key() == rule)
}

/// A priority with the offsets that make it, and whether there are none.
fn counted(frame: &Frame, checks: &[Check], id: JobId, counted: f64) -> (Text, bool) {
    let mut parts = Text::default();
    for step in checks.iter().filter(|check| check.subject.job == Some(id)) {
        let queue = match step.subject.queue {
            None => Text::of("the root queue"),
            queue => queue_of(frame, queue),
        };
        match (step.rule.key(), &step.left.value) {
            ("yunikorn/offset", Value::Sum([below, offset])) => {
                let below = if parts.is_empty() { Text::of(number(*below as f64)) } else { parts };
                let sign = if *offset < 0 { "−" } else { "+" };
                let offset = number(offset.abs() as f64);
                parts = text!("{below} {sign} {queue}'s offset {offset}", [below, sign, queue, offset]);
            }
            ("yunikorn/priority-fence", Value::Count(offset)) => {
                let offset = number(*offset as f64);
                parts = text!("the offset {offset} of the priority fence {queue}", [offset, queue]);
            }
            _ => {}
        }
    }
    let (job, counted) = (job(frame.job(id)), number(counted));
    if parts.is_empty() {
        (text!("{job} has priority {counted}", [job, counted]), true)
    } else {
        (text!("{job} counts as priority {counted} ({parts})", [job, counted, parts]), false)
    }
}

/// The maximum that was lowered below what a queue uses.
pub fn above_limit(frame: &Frame, event: &EventRow) -> Option<Text> {
    let check = by(&event.checks, "yunikorn/lowered-max", Quantity::Allocated)?;
    let [used, limit] = amounts(frame, check);
    Some(text!(
        "{job} was [evicted]: the [limit] of {queue} was lowered to {limit}, and it uses {used}.",
        [job = job(frame.job_name(event)), queue = queue_of(frame, check.subject.queue), limit, used]
    ))
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
    for (holder, n) in holders(reasons) {
        let is_about =
            |check: &&Check| check.subject.other_job == Some(holder) && check.rule.key() == "yunikorn/reserved";
        let reservation = refusal.checks.iter().find(is_about);
        let place = reservation.and_then(|check| check.subject.node).filter(|_| n == 1);
        let job = job(frame.job(holder));
        let until = expires(frame, holder).map(|until| text!(" until {time}", [time = clock(until)]));
        clauses.push(match (reservation, place.map(|place| node(frame.node(place)))) {
            (Some(check), Some(node)) if check.right.quantity == Quantity::Reserved => {
                let amount = amount(frame, check, &check.right.value);
                let are = if side(&check.right.value, Resource::GPU) == Some(1.0) { "is" } else { "are" };
                text!("{amount} on {node} {are} reserved for {job}{until}", [amount, node, are, job, until])
            }
            (_, Some(node)) => text!("{node} is reserved for {job}{until}", [node, job, until]),
            _ => text!("{n} [nodes] are reserved for {job}{until}", [n, job, until]),
        });
    }
    (!clauses.is_empty()).then(|| Text::default().list(clauses, "and").then(other_nodes(frame, reasons)))
}

/// The nodes without reserved room, as a further sentence without full stop.
fn other_nodes(frame: &Frame, reasons: &[(NodeReason, u32)]) -> Text {
    let others = reasons.iter().filter(|(reason, _)| !matches!(reason, NodeReason::Reserved(_)));
    let why: Vec<Text> = others.map(|reason| nodes_because(frame, reason)).collect();
    if why.is_empty() { Text::default() } else { Text::of(". Other [nodes] checked: ").list(why, "and") }
}

/// When a job can start for which only reserved room is left.
pub fn after_reservation(frame: &Frame, reasons: &[(NodeReason, u32)]) -> Text {
    let jobs = holders(reasons).map(|(holder, _)| job(frame.job(holder))).collect();
    text!(
        "It can start when other [nodes] have room, or when {jobs} has started and leaves enough, or loses its reservation.",
        [jobs = Text::default().list(jobs, "or")]
    )
}

/// The rule by which a search for victims ends.
const ENOUGH: &str = "yunikorn/enough-victims";

/// What a preemption freed and what is missing, as sentences with full stop.
pub fn freed_too_little(frame: &Frame, checks: &[Check]) -> Option<Text> {
    let once = by(checks, "yunikorn/preempts-once", Quantity::Applies)?;
    let job = job(frame.job(once.subject.job?));
    let short = short_on_node(frame, checks, job.clone()).or_else(|| over_maximum(frame, checks, job));
    Some(text!(
        "{short}{end} [A job] preempts only once for each [pod], so it does not try again.",
        [short, end = end_of_search(frame, checks)]
    ))
}

/// The room on the node with what the victims free, against the request.
fn short_on_node(frame: &Frame, checks: &[Check], job: Text) -> Option<Text> {
    let (freed, room) = (by(checks, ENOUGH, Quantity::Freed)?, by(checks, ENOUGH, Quantity::Request)?);
    let r = room.subject.resource.and_then(Resource::accounted).unwrap_or(Resource::GPU);
    let missing = side(&room.left.value, r)? - side(&room.right.value, r)?;
    let missing = amount(frame, room, &Value::Real(missing));
    let freed = amount(frame, freed, &freed.left.value);
    let [needs, free] = amounts(frame, room);
    let node = node(room.subject.node.map_or("", |node| frame.node(node)));
    Some(text!(
        "its preemption frees {freed} on {node}, which then has {free} free; {job} needs {needs} ({missing} missing).",
        [freed, node, free, job, needs, missing]
    ))
}

/// The maximum of a queue that the job exceeds even without the victims.
fn over_maximum(frame: &Frame, checks: &[Check], job: Text) -> Option<Text> {
    let exceeded = by(checks, ENOUGH, Quantity::AllocatedWithJob)?;
    let ([usage, limit], queue) = (amounts(frame, exceeded), queue_of(frame, exceeded.subject.queue));
    Some(text!(
        "its preemption freed too little: with {job} and without the [evicted] [pods], {queue} would use {usage}, over its [limit] of {limit}.",
        [job, queue, usage, limit]
    ))
}

/// The resource that ended the search, or pods.
fn end_of_search(frame: &Frame, checks: &[Check]) -> Option<Text> {
    let end = by_rule(checks, ENOUGH).find(|check| check.op == Op::Exceeds)?;
    let [freed, wanted] = [&end.left.value, &end.right.value].map(|value| match end.subject.resource {
        None => number(side(value, Resource::GPU).unwrap_or_default()),
        Some(_) => amount(frame, end, value),
    });
    let what = if end.subject.resource.is_none() { "[pods] " } else { "" };
    Some(text!(
        " The search for victims ended because they free more {what}than it requests ({freed} against {wanted}).",
        [what, freed, wanted]
    ))
}

/// Why a job is not tried before a time.
pub fn delayed(job: Text, until: Time, why: Delay) -> Text {
    let time = clock(until);
    match why {
        Delay::GangExpired => text!(
            "{job} is waiting: the reservations for its gang have expired; from {time} its [pods] are tried one by one.",
            [job, time]
        ),
        Delay::Backoff => {
            text!(
                "{job} is waiting: too many of its [pods] found no [node], so none is tried before {time}.",
                [job, time]
            )
        }
        Delay::Preemption => text!("{job} is waiting: it may not preempt before {time}.", [job, time]),
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
    let ([with, quota], queue) = (amounts(frame, check), queue_of(frame, check.subject.queue));
    Some(text!(": with it, {queue} uses {with}, within its [quota] of {quota}", [queue, with, quota]))
}
