//! Any comparison as a sentence.

use super::number::{self, CPU, GPU, MEMORY, amount, with_unit};
use super::text::Text;
use crate::moment::{BoundTriple, CheckRow, ValueRow};

/// The name of a quantity, for a rule.
fn quantity_of(rule: &str, key: &str) -> String {
    match key {
        // A part of a pool, which is more than the amount that the charts show.
        "fair-share" if rule.starts_with("ego/") => "share usage quota".into(),
        "saturation" if rule.starts_with("ego/") => "usage for its share ratio".into(),
        _ => quantity_name(key),
    }
}

/// The name of a quantity.
pub fn quantity_name(key: &str) -> String {
    match key {
        "allocated-non-preemptible" => "allocated and not to be taken".into(),
        "allocated-with-job" => "would hold with the job".into(),
        "allocated-without-victims" => "holds before this one goes".into(),
        "allocatable" => "larger of quota and fair share".into(),
        "dominant-share" => "dominant share".into(),
        "request" => "asked for".into(),
        "remaining" => "asked for and not granted".into(),
        "idle" => "free".into(),
        "idle-or-releasing" => "free or leaving on one node".into(),
        "created" => "age".into(),
        "min-available" => "pods that must run together".into(),
        "runtime" => "running for".into(),
        "min-runtime" => "minimum runtime".into(),
        "pods" => "pods".into(),
        other => other.replace('-', " "),
    }
}

/// How the sides are related, in words; a comparison that fails is said the other way round.
fn relation(op: &str, holds: bool) -> &'static str {
    match (op, holds) {
        ("<", true) | (">=", false) => "is less than",
        ("<=", true) | (">", false) => "is at most",
        ("=", true) => "equals",
        ("=", false) => "differs from",
        (">", true) | ("<=", false) => "is more than",
        (">=", true) | ("<", false) => "is at least",
        _ => "is compared with",
    }
}

/// The resource that a comparison of triples is about: the given one, else the first that decides it.
pub fn decisive_resource(check: &CheckRow) -> Option<u8> {
    if check.resource.is_some() {
        return check.resource;
    }
    let (ValueRow::Triple(left), ValueRow::Triple(right)) = (&check.left_value, &check.right_value) else {
        return None;
    };
    let value = |triple: &BoundTriple, r: u8| triple[usize::from(r)].unwrap_or(f64::INFINITY);
    let order = [GPU, CPU, MEMORY];
    let decides = |r: &u8| {
        let (l, r) = (value(left, *r), value(right, *r));
        match check.op.as_str() {
            "<=" | "<" => (l > r) != check.holds && l != r,
            _ => (l > r) == check.holds && l != r,
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

/// A value, of that resource if it is an amount.
pub fn value(value: &ValueRow, quantity: &str, resource: Option<u8>) -> String {
    match value {
        ValueRow::Triple(triple) => {
            let r = resource.unwrap_or(GPU);
            triple[usize::from(r.min(2))].map_or_else(|| "unlimited".into(), |base| with_unit(r, base))
        }
        ValueRow::Real(real) => match (quantity, resource) {
            ("dominant-share" | "saturation" | "usage", _) => number::ratio(*real),
            (_, Some(r)) => real.map_or_else(|| "unlimited".into(), |base| with_unit(r, base)),
            (_, None) => real.map_or_else(|| "unlimited".into(), number::number),
        },
        ValueRow::Count(n) if quantity == "applies" => if *n == 0 { "no" } else { "yes" }.into(),
        ValueRow::Count(n) => number::number(*n as f64),
        ValueRow::Time(ms) => number::time(*ms),
        ValueRow::Name(name) => name.clone(),
    }
}

/// The amount of a side, in base units of that resource.
pub fn side(value: &ValueRow, resource: u8) -> Option<f64> {
    match value {
        ValueRow::Triple(triple) => triple[usize::from(resource.min(2))],
        ValueRow::Real(real) => *real,
        ValueRow::Count(n) => Some(*n as f64),
        _ => None,
    }
}

/// Whose a side of a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The queue or job it is about.
    This,
    /// The other queue or job.
    Other,
    /// A constant of the rule.
    Nobody,
}

/// Whose the sides are. Equal quantities are compared between two; different ones are of the same, and what is
/// left without victims is the other queue's.
fn owners(check: &CheckRow) -> (Owner, Owner) {
    let has_other = !check.other_queue.is_empty() || !check.other_job.is_empty();
    let right = |owner| if check.right == "constant" { Owner::Nobody } else { owner };
    if check.rule == "kai/preempt/lower-priority" {
        return (Owner::Other, Owner::This);
    }
    if check.left == "allocated-without-victims" && has_other {
        return (Owner::Other, right(Owner::Other));
    }
    if check.left == check.right && has_other {
        return (Owner::This, Owner::Other);
    }
    (Owner::This, right(Owner::This))
}

/// A side that belongs to that queue or job, if there is one with that quantity.
pub fn value_of(check: &CheckRow, name: &str, quantity: &str, resource: u8) -> Option<f64> {
    let is_of = |owner: Owner| match owner {
        Owner::This => check.queue == name || check.job == name,
        Owner::Other => check.other_queue == name || check.other_job == name,
        Owner::Nobody => false,
    };
    let (left, right) = owners(check);
    if check.left == quantity && is_of(left) {
        return side(&check.left_value, resource);
    }
    (check.right == quantity && is_of(right)).then(|| side(&check.right_value, resource))?
}

/// A comparison as one sentence: *`team-a`: allocated (3 GPUs) is more than fair share (2 GPUs).*
pub fn says(check: &CheckRow) -> Text {
    if check.left == "applies" && check.holds && !check.says.is_empty() {
        let text = Text::default().queue(&check.queue);
        return text.say(format!(": {}.", check.says));
    }
    let resource = decisive_resource(check);
    let (left, right) = owners(check);
    let jobs = matches!(check.left.as_str(), "priority" | "created" | "request")
        || check.queue.is_empty() && !check.job.is_empty();
    let name = |text: Text, owner: Owner| {
        let (queue, job) = match owner {
            Owner::This => (&check.queue, &check.job),
            Owner::Other => (&check.other_queue, &check.other_job),
            Owner::Nobody => return text,
        };
        match (jobs && !job.is_empty(), queue.is_empty(), job.is_empty()) {
            (true, _, _) | (false, true, false) => text.job(job).say(": "),
            (false, false, _) => text.queue(queue).say(": "),
            _ => text,
        }
    };
    let mut text = name(Text::default(), left);
    if !check.node.is_empty() {
        text = Text::default().node(&check.node).say(", ").then(text);
    }
    let seconds = matches!(check.left.as_str(), "runtime" | "min-runtime");
    let side = |key: &str, row: &ValueRow| {
        let shown = match row {
            ValueRow::Real(Some(s)) if seconds => number::time((s * 1000.0) as i64),
            ValueRow::Name(name) => format!("“{name}”"),
            _ => value(row, key, resource),
        };
        let plain = match row {
            ValueRow::Real(Some(v)) if key == "constant" && !seconds => number::number(*v),
            _ => shown.clone(),
        };
        if key == "constant" { plain } else { format!("{} ({shown})", quantity_of(&check.rule, key)) }
    };
    text = text.say(side(&check.left, &check.left_value));
    text = text.say(format!(" {} ", relation(&check.op, check.holds)));
    if right != left {
        text = name(text, right);
    }
    text.say(side(&check.right, &check.right_value)).say(".")
}

/// An amount without its unit, at most that of the bound.
pub fn bare(resource: u8, base: Option<f64>) -> String {
    base.map_or_else(|| "unlimited".into(), |base| amount(resource, base))
}
