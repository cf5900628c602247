//! Comparisons as data, sentences and tables, with the known faults of the product that decided in them.

use super::Evidence;
use super::facts::{Cell, Fact, Owner};
pub use super::facts::{Party, named_owner, owners, side};
use super::number::{self, unit, with_unit};
use super::text::{self, Text, job, text};
use crate::id::NodeId;
use crate::moment::Frame;
use crate::policy::versions::modelled;
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

/// A recorded comparison of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// As a sentence.
    pub text: Text,
    /// As recorded.
    pub check: Check,
    /// Whether it led to the decision: one that holds allows an eviction or a start, one that fails keeps a job
    /// waiting.
    pub decides: bool,
}

impl Comparison {
    /// The comparisons of a decision, in order.
    pub fn all(frame: &Frame, checks: &[Check], decides: impl Fn(&Check) -> bool) -> Vec<Comparison> {
        let mut all: Vec<Comparison> = Vec::new();
        for check in checks {
            let comparison = Comparison { text: says(frame, check), check: check.clone(), decides: decides(check) };
            // Two actions may have compared the same.
            match all.iter_mut().find(|existing| existing.text == comparison.text) {
                Some(existing) => existing.decides |= comparison.decides,
                None => all.push(comparison),
            }
        }
        all
    }
}

/// The first comparison with a rule that has words: one that decides, else any.
pub fn deciding<'a>(checks: impl Iterator<Item = &'a Check> + Clone) -> Option<&'a Check> {
    let mut worded = checks.filter(|check| !check.rule.0.says.is_empty());
    worded.clone().find(|check| check.holds).or_else(|| worded.next())
}

/// The recorded values of comparisons as a table, with a column for each owner and a row for each quantity; `None`:
/// they have no owner or no number.
pub fn table(frame: &Frame, checks: &[Check], resource: Resource, caption: Text) -> Option<Evidence> {
    let mut columns: Vec<Party> = Vec::new();
    let mut rows: Vec<(&'static str, Vec<Cell>, bool)> = Vec::new();
    for check in checks {
        let (left, right) = owners(check);
        for (owner, side) in [(left, &check.left), (right, &check.right)] {
            let Some(party) = named_owner(check, owner) else { continue };
            let column = columns.iter().position(|existing| *existing == party).unwrap_or_else(|| {
                columns.push(party);
                columns.len() - 1
            });
            for term in terms(side).into_iter().filter(|term| is_number(term)) {
                let name = quantity_of(check, term.quantity);
                let row = rows.iter().position(|row| row.0 == name).unwrap_or_else(|| {
                    rows.push((name, Vec::new(), false));
                    rows.len() - 1
                });
                let cells = &mut rows[row].1;
                cells.resize(cells.len().max(column + 1), Cell::of(None));
                if cells[column].fact.is_none() {
                    cells[column] = cell(check, party, term, resource);
                    rows[row].2 |= std::ptr::eq(term, side);
                }
            }
        }
    }
    rows.iter_mut().for_each(|row| row.1.resize(columns.len(), Cell::of(None)));
    let head = columns.iter().map(|party| match party {
        Party::Queue(queue) => text::queue(frame.queue(*queue)),
        Party::Job(job) => text::job(frame.job(*job)),
    });
    let has_amounts = checks.iter().flat_map(|check| [&check.left, &check.right]).any(is_amount);
    let unit = if has_amounts { Text::of(unit(resource, 2.0)) } else { Text::default() };
    let head = std::iter::once(unit).chain(head).collect();
    (!rows.is_empty()).then_some(Evidence { caption, head, rows })
}

/// Whether a side is an amount of a resource, rather than a number or a time.
fn is_amount(term: &Term) -> bool {
    let is_plain = matches!(
        term.quantity,
        Quantity::Priority
            | Quantity::PriorityOffset
            | Quantity::Created
            | Quantity::Runtime
            | Quantity::MinRuntime
            | Quantity::Waited
            | Quantity::PreemptionDelay
            | Quantity::Saturation
            | Quantity::Score
            | Quantity::Constant
    );
    !is_plain && matches!(term.value, Value::Triple(_) | Value::Real(_) | Value::Product(_))
}

fn cell(check: &Check, party: Party, term: &Term, resource: Resource) -> Cell {
    let fact = Fact { party, quantity: term.quantity, resource, value: side(&term.value, resource) };
    let is_amount = matches!(term.value, Value::Real(_)) && check.subject.resource.is_some();
    let shown = match term.value {
        Value::Triple(_) => fact.bare(),
        _ if is_amount => fact.bare(),
        _ => value_in(check, term, None),
    };
    Cell { shown, fact: Some(fact) }
}

/// Whether a term is a number that a table can show.
fn is_number(term: &Term) -> bool {
    let is_told = matches!(term.quantity, Quantity::Constant | Quantity::Applies | Quantity::Name);
    !is_told && !matches!(term.value, Value::Time(_) | Value::Name(_))
}

/// A side of a comparison with everything that it was computed from.
pub fn terms(side: &Term) -> Vec<&Term> {
    let mut all = vec![side];
    let mut start = 0;
    while start < all.len() {
        let term = all[start];
        all.extend(&term.parts);
        start += 1;
    }
    all
}

/// A sentence or more for each fault that decided one of the comparisons.
pub fn faults(frame: &Frame, checks: &[Comparison]) -> Vec<Text> {
    let Some(modelled) = modelled(&frame.policy) else { return Vec::new() };
    let mut seen: Vec<&str> = Vec::new();
    let mut texts = Vec::new();
    for check in checks.iter().map(|comparison| &comparison.check) {
        let mended = check.fault.as_deref().and_then(|key| Some((key, modelled.mends(key)?)));
        let Some((key, (modelled, change, fault))) = mended else { continue };
        if !seen.contains(&key) {
            seen.push(key);
            let versions = modelled.before(change).versions;
            let head = format!("Known fault of {} {versions}: {}", modelled.product, change.before);
            let tail = format!("Since {}: {} {}", change.version, change.now, fault.instead);
            texts.push(text!("{head} {numbers}{tail}", [head, numbers = numbers(frame, check), tail]));
        }
    }
    texts
}

/// The conversion of GPU memory to GPUs, if the comparison recorded it.
fn numbers(frame: &Frame, check: &Check) -> Option<Text> {
    let amount = |quantity| match check.left.find(quantity) {
        Some(Term { value: Value::Real(mib), .. }) if *mib > 0.0 => Some(*mib),
        _ => None,
    };
    let (job_id, requested, unit) =
        (check.subject.job?, amount(Quantity::GpuMemory)?, amount(Quantity::GpuMemoryUnit)?);
    let gpus = with_unit(Resource::GPU, requested / unit);
    Some(text!(
        "Here {job} requests {requested} MiB, which counts as {requested} / {unit} = {gpus}. ",
        [job = job(frame.job(job_id)), requested = number::number(requested), unit = number::number(unit), gpus]
    ))
}
