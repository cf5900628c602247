//! Comparisons as sentences.

use super::number::{self, with_unit};
use super::sides::Owner;
pub use super::sides::{Party, named_owner, owners, side};
use super::text::{self, Text, text};
use crate::id::NodeId;
use crate::moment::Frame;
use crate::trace::{Check, Op, Quantity, Term, Value};
use crate::units::Resource;

/// The name of a quantity, for a rule.
pub fn quantity_of(check: &Check, quantity: Quantity) -> &'static str {
    let is_ego = check.rule.key().starts_with("ego/");
    match quantity {
        Quantity::Position if check.subject.node.is_none() => "place in the file",
        Quantity::AllocatedWithJob if is_of_user(check) => "allocated to its user or group with the [job]",
        Quantity::Limit if is_of_user(check) => "[limit] of the user or group",
        Quantity::Saturation if check.rule.key() == "ego/slot-ratio" => "slots for its share ratio",
        Quantity::Usage | Quantity::FairShare if check.rule.key().ends_with("-slot-quota") => match quantity {
            Quantity::Usage => "slots held",
            _ => "share quota",
        },
        // EGO compares parts of a pool, while the charts show amounts.
        Quantity::FairShare if is_ego => "share usage quota",
        Quantity::Saturation if is_ego => "usage for its share ratio",
        quantity => quantity_name(quantity),
    }
}

/// Whether the amounts are those of a user or group in a queue.
fn is_of_user(check: &Check) -> bool {
    check.rule.key().ends_with("/user-limit")
}

/// The name of a quantity.
pub fn quantity_name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Allocated => "allocated",
        Quantity::AllocatedNonPreemptible => "allocated to non-preemptible [jobs] with the [job]",
        Quantity::AllocatedWithJob => "allocated with the [job]",
        Quantity::Before => "allocated before the [job]",
        Quantity::AllocatedAfter => "allocated after the [evictions]",
        Quantity::AllocatedWithoutVictims => "allocated before this [eviction]",
        Quantity::Quota => "[quota]",
        Quantity::Limit => "[limit]",
        Quantity::FairShare => "[fair share]",
        Quantity::FairShareWithoutUsage => "[fair share] without past usage",
        Quantity::Allocatable => "larger of [quota] and [fair share]",
        Quantity::DominantShare => "dominant share",
        Quantity::Saturation => "saturation ratio",
        Quantity::Request => "requested",
        Quantity::Remaining => "requested and not allocated",
        Quantity::Capacity => "capacity",
        Quantity::LargestNode => "on the largest [node]",
        Quantity::Idle => "free",
        Quantity::IdleOrReleasing => "free or being freed on one [node]",
        Quantity::Freed => "freed by the [evicted] [pods]",
        Quantity::Reserved => "reserved for another [job]",
        Quantity::GpuMemory => "requested GPU memory, MiB",
        Quantity::GpuMemoryUnit => "GPU memory counted as 1 GPU, MiB",
        Quantity::Priority => "priority",
        Quantity::PriorityOffset => "priority offset",
        Quantity::Created => "submission time",
        Quantity::Weight => "[weight]",
        Quantity::Usage => "usage",
        Quantity::Pods => "[pods]",
        Quantity::Jobs => "running [jobs] with it",
        Quantity::PreemptibleJobs => "other preemptible [jobs] that run",
        Quantity::MinAvailable => "minimum [pods]",
        Quantity::Applies => "applies",
        Quantity::Score => "score",
        Quantity::ScorePlacement => "packing or spreading",
        Quantity::ScoreCpuNode => "[node] without GPUs",
        Quantity::ScoreFreeNow => "free now",
        Quantity::ScoreSharing => "joins a shared GPU",
        Quantity::ScoreNominated => "nominated",
        Quantity::Name => "name",
        Quantity::Constant => "constant",
        Quantity::Runtime => "runtime",
        Quantity::MinRuntime => "minimum runtime",
        Quantity::Waited => "time since its submission or last [eviction]",
        Quantity::PreemptionDelay => "preemption delay",
        Quantity::Position => "place in the order",
        Quantity::Units => "[pods] of this size that still fit",
        Quantity::Owned => "owned by the [queue]",
        Quantity::UnownedWithJob => "allocated with the [job] on [nodes] without owner",
        Quantity::UnownedShare => "its part of [nodes] without owner",
        Quantity::Ready => "accepts [pods]",
        Quantity::Tolerated => "taints tolerated",
        Quantity::Selected => "labels selected",
        Quantity::PodSlots => "[pod] slots",
    }
}

/// The relation of the sides in words, negated for a comparison that failed.
fn relation(op: Op, holds: bool) -> &'static str {
    match (op, holds) {
        (Op::Less, true) | (Op::AtLeast, false) => "is less than",
        (Op::AtMost, true) | (Op::Exceeds, false) => "is at most",
        (Op::Equal, true) => "equals",
        (Op::Equal, false) => "differs from",
        (Op::Exceeds, true) | (Op::AtMost, false) => "is more than",
        (Op::AtLeast, true) | (Op::Less, false) => "is at least",
    }
}

/// The resource that a comparison concerns: the subject's, or the first that decides a comparison of triples; `None`
/// for named resources.
pub fn decisive_resource(check: &Check) -> Option<Resource> {
    if let Some(resource) = check.subject.resource {
        return resource.accounted();
    }
    let (Value::Triple(left), Value::Triple(right)) = (&check.left.value, &check.right.value) else {
        return None;
    };
    let value = |triple: &[f64; 3], r: Resource| triple[r.index()];
    let matters = |r: &Resource| value(left, *r) > 0.0 && value(left, *r).is_finite();
    let bounded = |r: &Resource| value(right, *r).is_finite();
    let exceeds = |r: &Resource| value(left, *r) > value(right, *r);
    let in_order = || [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().filter(matters);
    let is_at_most = matches!(check.op, Op::AtMost | Op::Less);
    let decides = if is_at_most == check.holds {
        // It holds of every resource: the one closest to its bound comes first.
        let part = |r: &Resource| value(left, *r) / value(right, *r);
        // Of equal parts the first counts.
        in_order().rev().filter(bounded).max_by(|a, b| part(a).total_cmp(&part(b)))
    } else {
        // One resource is enough.
        in_order().filter(bounded).find(exceeds)
    };
    decides.or_else(|| in_order().find(bounded)).or_else(|| in_order().next()).or(Some(Resource::GPU))
}

/// Formats a side of a comparison; amounts are of the given resource.
pub fn value_in(check: &Check, term: &Term, resource: Option<Resource>) -> String {
    let is_ego = check.rule.key().starts_with("ego/");
    match (&term.value, term.quantity) {
        (Value::Real(part), Quantity::Usage | Quantity::FairShare) if is_ego && part.is_finite() => {
            if check.rule.key().ends_with("-slot-quota") { number::number(*part) } else { number::percent(*part) }
        }
        (
            Value::Real(seconds),
            Quantity::Runtime | Quantity::MinRuntime | Quantity::Waited | Quantity::PreemptionDelay,
        ) if seconds.is_finite() => self::seconds(&term.value),
        (Value::Real(real), Quantity::Constant) => number::number(*real),
        _ => value(term, resource),
    }
}

/// Formats a value; amounts are of the given resource.
pub fn value(term: &Term, resource: Option<Resource>) -> String {
    let finite = |real: f64| real.is_finite().then_some(real);
    match &term.value {
        Value::Triple(triple) => {
            let r = resource.unwrap_or(Resource::GPU);
            let base = triple.get(r.index()).copied().and_then(finite);
            base.map_or_else(|| "unlimited".into(), |base| with_unit(r, base))
        }
        Value::Product([of, factor]) if term.quantity == Quantity::Capacity => {
            let r = resource.unwrap_or(Resource::GPU);
            format!("{} × {} = {}", with_unit(r, *of), number::number(*factor), with_unit(r, of * factor))
        }
        Value::Product([of, factor]) => {
            format!(
                "{} × {} = {}",
                number::ratio(finite(*of)),
                number::number(*factor),
                number::ratio(finite(of * factor))
            )
        }
        Value::Real(real) => match (term.quantity, resource) {
            (Quantity::DominantShare | Quantity::Saturation | Quantity::Usage, _) => number::ratio(finite(*real)),
            (_, Some(r)) => finite(*real).map_or_else(|| "unlimited".into(), |base| with_unit(r, base)),
            (_, None) => number::number(*real),
        },
        Value::Count(n) if is_truth(term.quantity) => if *n == 0 { "no" } else { "yes" }.into(),
        Value::Count(n) => number::number(*n as f64),
        Value::Sum([of, added]) => sum(*of, *added),
        Value::Time(time) => number::time(time.as_millis()),
        Value::Name(name) => name.to_string(),
    }
}

/// Whether 0 and 1 mean no and yes.
fn is_truth(quantity: Quantity) -> bool {
    use Quantity::{Applies, Owned, Ready, Selected, Tolerated};
    matches!(quantity, Applies | Owned | Ready | Tolerated | Selected)
}

/// A sum with its terms: *7 + 3 = 10*.
fn sum(base: i64, added: i64) -> String {
    let sign = if added < 0 { '−' } else { '+' };
    let [base, change, total] =
        [base, added.saturating_abs(), base.saturating_add(added)].map(|n| number::number(n as f64));
    format!("{base} {sign} {change} = {total}")
}

/// A comparison of two nodes, or of what a node has to be for a pod.
fn of_nodes(frame: &Frame, check: &Check, resource: Option<Resource>) -> Option<Text> {
    let Check { subject, left, right, .. } = check;
    let node = |node: NodeId| text::node(frame.node(node));
    let does_not = match (left.quantity, check.holds && check.op == Op::Less) {
        (Quantity::Ready, true) => "does not accept [pods]",
        (Quantity::Tolerated, true) => "has a taint that the [pod] does not tolerate",
        (Quantity::Selected, true) => "is not selected by the [pod]",
        _ => {
            let other = node(subject.other_node.filter(|_| left.quantity == right.quantity)?);
            let [value, other_value] = [left, right].map(|term| value_in(check, term, resource));
            let (name, relation_name) = (quantity_of(check, left.quantity), relation(check.op, check.holds));
            return Some(text!(
                "{node}: {name} ({value}) {relation_name} {other}: {name} ({other_value}).",
                [node = node(subject.node?), name, value, relation_name, other, other_value]
            ));
        }
    };
    Some(text!("{node} {does_not}.", [node = node(subject.node?), does_not]))
}

/// Formats seconds as a duration.
pub fn seconds(value: &Value) -> String {
    match value {
        Value::Real(seconds) if seconds.is_finite() => number::time((seconds * 1000.0) as i64),
        _ => String::new(),
    }
}

/// A comparison as one sentence: *`team-a`: allocated (3 GPUs) is more than fair share (2 GPUs).*
pub fn says(frame: &Frame, check: &Check) -> Text {
    let subject = &check.subject;
    let prefix = |party: Party| match party {
        Party::Job(job) => text!("{job}: ", [job = text::job(frame.job(job))]),
        Party::Queue(queue) => text!("{queue}: ", [queue = text::queue(frame.queue(queue))]),
    };
    if check.left.quantity == Quantity::Applies && check.holds && !check.rule.0.says.is_empty() {
        let party = subject.queue.map(Party::Queue).or(subject.job.map(Party::Job));
        return text!("{prefix}{says}.", [prefix = party.map(prefix), says = check.rule.0.says]);
    }
    let resource = decisive_resource(check);
    if let (Value::Name(first), Value::Name(last)) = (&check.left.value, &check.right.value) {
        let comes = if check.holds { "comes" } else { "does not come" };
        let place = if matches!(check.op, Op::Less | Op::AtMost) { "before" } else { "after" };
        let [first, last] = [first, last].map(|name| text::name(name));
        return text!("{first} {comes} {place} {last} by name.", [first, comes, place, last]);
    }
    if let Some(text) = of_nodes(frame, check, resource) {
        return text;
    }
    let (left, right) = owners(check);
    let prefix = |owner: Owner| named_owner(check, owner).map(prefix);
    if let (Quantity::PreemptibleJobs, Value::Count(n)) = (check.left.quantity, &check.left.value) {
        let jobs = match n {
            0 => "no other preemptible [job] runs".to_string(),
            1 => "1 other preemptible [job] runs".to_string(),
            n => format!("{n} other preemptible [jobs] run"),
        };
        return text!("{prefix}{jobs}.", [prefix = prefix(left), jobs]);
    }
    let side = |term: &Term| {
        let shown = value_in(check, term, resource);
        let name = quantity_of(check, term.quantity);
        let the = if name.starts_with("larger") { "the " } else { "" };
        match term.quantity {
            Quantity::Constant => shown,
            _ => format!("{the}{name} ({shown})"),
        }
    };
    let node = subject.node.map(|node| text!("{node}, ", [node = text::node(frame.node(node))]));
    let other = if right == left { None } else { prefix(right) };
    let (prefix, left, right) = (prefix(left), side(&check.left), side(&check.right));
    let relation_name = relation(check.op, check.holds);
    text!("{node}{prefix}{left} {relation_name} {other}{right}.", [node, prefix, left, relation_name, other, right])
}
