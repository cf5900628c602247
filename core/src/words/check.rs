//! Comparisons as sentences.

use super::number::{self, CPU, GPU, MEMORY, with_unit};
use super::sides::{Owner, owners};
pub use super::sides::{Party, owners_of, shown, side};
use super::text::Text;
use crate::moment::Frame;
use crate::trace::{Check, Op, Quantity, Term, Value};

/// The name of a quantity, for a rule.
pub fn quantity_of(check: &Check, quantity: Quantity) -> &'static str {
    let is_ego = check.rule.key().starts_with("ego/");
    match quantity {
        Quantity::Saturation if check.rule.key() == "ego/slot-ratio" => "slots for its share ratio",
        Quantity::Usage | Quantity::FairShare if check.rule.key().ends_with("-slot-quota") => {
            match quantity {
                Quantity::Usage => "slots held",
                _ => "share quota",
            }
        }
        // EGO compares parts of a pool, while the charts show amounts.
        Quantity::FairShare if is_ego => "share usage quota",
        Quantity::Saturation if is_ego => "usage for its share ratio",
        quantity => quantity_name(quantity),
    }
}

/// The name of a quantity.
pub fn quantity_name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Allocated => "allocated",
        Quantity::AllocatedNonPreemptible => "allocated to non-preemptible [jobs]",
        Quantity::AllocatedWithJob => "allocated with the [job]",
        Quantity::Before => "allocated before the [job]",
        Quantity::AllocatedAfter => "allocated after the [evictions]",
        Quantity::AllocatedWithoutVictims => "allocated before this [eviction]",
        Quantity::Quota => "[quota]",
        Quantity::Limit => "[limit]",
        Quantity::FairShare => "[fair share]",
        Quantity::Allocatable => "larger of [quota] and [fair share]",
        Quantity::DominantShare => "dominant share",
        Quantity::Saturation => "saturation ratio",
        Quantity::Request => "requested",
        Quantity::Remaining => "requested and not allocated",
        Quantity::Capacity => "capacity",
        Quantity::Idle => "free",
        Quantity::IdleOrReleasing => "free or being freed on one [node]",
        Quantity::Freed => "freed by the [evicted] [pods]",
        Quantity::Reserved => "reserved for another [job]",
        Quantity::GpuMemory => "requested GPU memory, MiB",
        Quantity::GpuMemoryUnit => "GPU memory counted as 1 GPU, MiB",
        Quantity::Priority => "priority",
        Quantity::PriorityOffset => "priority offset",
        Quantity::Created => "age",
        Quantity::Weight => "[weight]",
        Quantity::Usage => "usage",
        Quantity::Pods => "[pods]",
        Quantity::Jobs => "[jobs]",
        Quantity::MinAvailable => "minimum [pods]",
        Quantity::Applies => "applies",
        Quantity::Score => "score",
        Quantity::Name => "name",
        Quantity::Constant => "constant",
        Quantity::Runtime => "runtime",
        Quantity::MinRuntime => "minimum runtime",
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

/// The resource that a comparison concerns: the subject's, or the first that decides a comparison of triples; `None` for
/// named resources.
pub fn decisive_resource(check: &Check) -> Option<u8> {
    if let Some(resource) = check.subject.resource {
        return shown(resource);
    }
    let (Value::Triple(left), Value::Triple(right)) = (&check.left.value, &check.right.value) else {
        return None;
    };
    let value = |triple: &[f64; 3], r: u8| triple[usize::from(r)];
    let order = [GPU, CPU, MEMORY];
    let decides = |r: &u8| {
        let (l, r) = (value(left, *r), value(right, *r));
        match check.op {
            Op::AtMost | Op::Less => (l > r) != check.holds && l != r,
            Op::Equal | Op::Exceeds | Op::AtLeast => (l > r) == check.holds && l != r,
        }
    };
    let matters = |r: &u8| value(left, *r) > 0.0 && value(left, *r).is_finite();
    let bounded = |r: &u8| value(right, *r).is_finite();
    order
        .into_iter()
        .find(|r| decides(r) && matters(r) && bounded(r))
        .or_else(|| order.into_iter().find(|r| matters(r) && bounded(r)))
        .or_else(|| order.into_iter().find(matters))
        .or(Some(GPU))
}

/// Formats a value; amounts are of the given resource.
pub fn value(term: &Term, resource: Option<u8>) -> String {
    let finite = |real: f64| real.is_finite().then_some(real);
    match &term.value {
        Value::Triple(triple) => {
            let r = resource.unwrap_or(GPU);
            let base = finite(triple[usize::from(r.min(2))]);
            base.map_or_else(|| "unlimited".into(), |base| with_unit(r, base))
        }
        Value::Product([of, factor]) if term.quantity == Quantity::Capacity => {
            let r = resource.unwrap_or(GPU);
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
            (Quantity::DominantShare | Quantity::Saturation | Quantity::Usage, _) => {
                number::ratio(finite(*real))
            }
            (_, Some(r)) => finite(*real).map_or_else(|| "unlimited".into(), |base| with_unit(r, base)),
            (_, None) => number::number(*real),
        },
        Value::Count(n) if term.quantity == Quantity::Applies => if *n == 0 { "no" } else { "yes" }.into(),
        Value::Count(n) => number::number(*n as f64),
        Value::Sum([of, added]) => sum(*of, *added),
        Value::Time(time) => number::time(time.as_millis()),
        Value::Name(name) => name.to_string(),
    }
}

/// A sum with its terms: *7 + 3 = 10*.
fn sum(of: i64, added: i64) -> String {
    let sign = if added < 0 { '−' } else { '+' };
    let [of, by, is] =
        [of, added.saturating_abs(), of.saturating_add(added)].map(|n| number::number(n as f64));
    format!("{of} {sign} {by} = {is}")
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
    if check.left.quantity == Quantity::Applies && check.holds && !check.rule.0.says.is_empty() {
        let text = match (subject.queue, subject.job) {
            (Some(queue), _) => Text::default().queue(frame.queue(queue)).say(": "),
            (None, Some(job)) => Text::default().job(frame.job(job)).say(": "),
            (None, None) => Text::default(),
        };
        return text.say(format!("{}.", check.rule.0.says));
    }
    let resource = decisive_resource(check);
    let (left, right) = owners(check);
    let is_of_jobs = matches!(
        check.left.quantity,
        Quantity::Priority | Quantity::Created | Quantity::Request | Quantity::Runtime
    );
    let of_jobs = is_of_jobs || subject.queue.is_none() && subject.job.is_some();
    let name = |text: Text, owner: Owner| match owner.of(subject) {
        (None, Some(job)) => text.job(frame.job(job)).say(": "),
        (Some(_), Some(job)) if of_jobs => text.job(frame.job(job)).say(": "),
        (Some(queue), _) => text.queue(frame.queue(queue)).say(": "),
        (None, None) => text,
    };
    let mut text = name(Text::default(), left);
    if let Some(node) = subject.node {
        text = Text::default().node(frame.node(node)).say(", ").then(text);
    }
    let is_time = matches!(check.left.quantity, Quantity::Runtime | Quantity::MinRuntime);
    let side = |text: Text, term: &Term| {
        let is_constant = term.quantity == Quantity::Constant;
        let shown = match &term.value {
            Value::Real(s) if is_time && s.is_finite() => seconds(&term.value),
            Value::Real(v) if is_constant => number::number(*v),
            _ => value(term, resource),
        };
        let name = quantity_of(check, term.quantity);
        let the = if name.starts_with("larger") { "the " } else { "" };
        match is_constant {
            true => text.say(shown),
            false if matches!(term.value, Value::Name(_)) => {
                text.say(format!("{the}{name} (“")).name(&shown).say("”)")
            }
            false => text.say(format!("{the}{name} ({shown})")),
        }
    };
    text = side(text, &check.left);
    text = text.say(format!(" {} ", relation(check.op, check.holds)));
    if right != left {
        text = name(text, right);
    }
    side(text, &check.right).say(".")
}
