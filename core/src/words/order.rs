//! The order of the next pass as lines, with the keys that decide each position.

use super::happenings::ListEntry;
use super::text::{self, Text, text};
use super::{Explanation, Selection, Terms, check, number};
use crate::cluster::Queue;
use crate::moment::Frame;
use crate::trace::{Check, OrderLevel, OrderPlace, Quantity, Term, Value};
use crate::units::Resource;
use serde::{Deserialize, Serialize};

/// Priority of a queue without pending requests.
const NOTHING: i64 = i32::MIN as i64;

/// The order of a queue or a job and its neighbours in the next pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The cycle after which the order applies.
    pub cycle: u32,
    /// The queue or job whose order is shown.
    pub of: Selection,
    /// The levels, from the root down.
    pub levels: Vec<OrderLevel>,
}

/// One level of an order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Caption that names the queue whose children or jobs are listed.
    pub caption: String,
    /// The lines, in order.
    pub entries: Vec<ListEntry>,
}

/// Adds the order of the selection to an explanation, if it belongs to the frame's cycle.
pub fn put_order(explanation: &mut Explanation, frame: &Frame, selection: &Selection, order: Option<&Order>) {
    if let Some(order) = order.filter(|order| order.cycle == frame.cycle && order.of == *selection) {
        explanation.order = order_lines(frame, &order.levels);
    }
}

/// The levels of an order as lines, without levels that have a single place.
fn order_lines(frame: &Frame, levels: &[OrderLevel]) -> Vec<Level> {
    levels.iter().filter(|level| level.n > 1).map(|level| lines(frame, level)).collect()
}

fn lines(frame: &Frame, level: &OrderLevel) -> Level {
    let terms = Terms::of(&frame.policy);
    let is_of_jobs = level.places.iter().any(|place| place.job.is_some());
    let mut caption = match (level.of, is_of_jobs) {
        (None, _) => "Order at the top level".to_string(),
        (Some(queue), false) => format!("Order below {}", frame.queue(queue)),
        (Some(queue), true) => format!("Order in {}", frame.queue(queue)),
    };
    if level.places.len() < level.n as usize {
        caption += &format!(", {} in all", level.n);
    }
    // Every place but the first has comparisons.
    let rule = level.places.iter().flat_map(|place| &place.behind).map(|check| check.rule.key()).next();
    let rule = rule.unwrap_or_default();
    let mut previous: (u32, Option<&OrderPlace>) = (0, None);
    let mut entries = Vec::new();
    for place in &level.places {
        let prior = previous.1.filter(|_| previous.0 + 1 == place.position);
        entries.push(entry(frame, place, prior, rule));
        previous = (place.position, Some(place));
    }
    if level.subject_is_absent {
        let text = Text::of("Nothing is pending here, so the next cycle skips it.");
        entries.push(ListEntry { text, ..ListEntry::default() });
    }
    entries.iter_mut().for_each(|entry| entry.text.in_terms(terms));
    Level { caption, entries }
}

/// The name of a place: the scenario's, which may differ from the policy's.
fn name<'a>(frame: &'a Frame, place: &'a OrderPlace) -> &'a str {
    place.queue.map_or(place.name.as_str(), |queue| frame.queue(queue))
}

fn entry(frame: &Frame, place: &OrderPlace, prior: Option<&OrderPlace>, rule: &str) -> ListEntry {
    let called = name(frame, place);
    let (text, selection) = match (place.job, place.queue) {
        (Some(_), _) => (text::job(called), Some(Selection::Job(called.to_string()))),
        (None, Some(_)) => (text::queue(called), Some(Selection::Queue(called.to_string()))),
        (None, None) => (text::queue(called), None),
    };
    let why = match place.behind.split_last() {
        None => Text::of(first(place, rule)),
        Some((last, equal)) => behind(frame, place, prior, (last, equal)),
    };
    let (when, text) = (format!("{}.", place.position), text.then(why));
    ListEntry { when, text, selection, current: place.is_subject, ..ListEntry::default() }
}

/// The sort keys of the first place.
fn first(place: &OrderPlace, rule: &str) -> String {
    let compared = place.keys.iter().filter(|key| !is_file_order(key));
    let keys: Vec<String> =
        compared.map(|key| format!("{} {}", named(place, key.quantity, rule), shown(key))).collect();
    if keys.is_empty() { String::new() } else { format!(": {}", keys.join(", ")) }
}

/// The key that placed it behind its predecessor, and the equal keys before that one.
fn behind(frame: &Frame, place: &OrderPlace, prior: Option<&OrderPlace>, (last, equal): (&Check, &[Check])) -> Text {
    // The predecessor may be hidden, or missing in the scenario.
    let in_row = match place.job {
        Some(_) => last.subject.other_job.map(|job| frame.job(job)),
        None => last.subject.other_queue.map(|queue| frame.queue(queue)),
    };
    let other = match in_row.or_else(|| prior.map(|prior| name(frame, prior))) {
        None => Text::of("the one before it"),
        Some(name) if place.job.is_some() => text::job(name),
        Some(name) => text::queue(name),
    };
    let mut lead: Vec<String> = Vec::new();
    for check in equal {
        let of_place = if is_of_place(check) { " by the maximum of another [queue]" } else { "" };
        lead.push(format!("{} {}{of_place}", named(place, check.left.quantity, check.rule.key()), shown(&check.left)));
    }
    let lead = if lead.is_empty() { String::new() } else { format!(" at equal {}", lead.join(" and ")) };
    let why = why_behind(place, last);
    text!(" behind {other}{lead}: {why}", [other, lead, why])
}

/// The comparison that placed it behind its predecessor.
fn why_behind(place: &OrderPlace, last: &Check) -> String {
    let (quantity, is_equal) = (last.left.quantity, last.left.value == last.right.value);
    let (named, own_value, other) = (named(place, quantity, last.rule.key()), shown(&last.left), shown(&last.right));
    match quantity {
        Quantity::DominantShare | Quantity::Saturation if is_equal => {
            format!("both have {named} {own_value}, so the first in the file comes first")
        }
        Quantity::Name => "tied; the first name goes first".into(),
        Quantity::Applies => last.rule.0.says.into(),
        _ if is_file_order(&last.left) && is_file_order(&last.right) => {
            "without times of creation, the order in the file counts".into()
        }
        Quantity::Created if is_equal => "they are of the same age, so either can come first".into(),
        _ => {
            let key = place.keys.iter().find(|key| is_of_place(last) && key.quantity == quantity);
            let key = key.map_or(String::new(), |key| {
                let key = shown(key);
                format!(", which is not its own {key}: it is measured by the maximum of another [queue]")
            });
            format!("{named} {own_value} against {other}{key}")
        }
    }
}

fn is_of_place(check: &Check) -> bool {
    check.rule.key() == "yunikorn/share-of-place"
}

fn named(place: &OrderPlace, quantity: Quantity, rule: &str) -> &'static str {
    match quantity {
        Quantity::Created if place.job.is_none() => "created",
        Quantity::DominantShare => "share",
        Quantity::Saturation if rule == "ego/slot-ratio" => "slots for the share ratio",
        Quantity::Saturation if rule.starts_with("ego/") => "usage for the share ratio",
        Quantity::Saturation => "GPUs per [weight]",
        Quantity::Remaining => "waiting",
        Quantity::Created => "submitted",
        other => check::quantity_name(other),
    }
}

/// Whether a time of creation only stands for the order in the file.
fn is_file_order(term: &Term) -> bool {
    term.quantity == Quantity::Created && matches!(term.value, Value::Real(s) if Queue::is_file_order(s))
}

fn shown(term: &Term) -> String {
    match &term.value {
        _ if is_file_order(term) => "before all times that are given".into(),
        Value::Count(NOTHING) => "none".into(),
        Value::Triple(triple) => {
            let some = [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().filter_map(|r| {
                let base = triple[r.index()];
                (base > 0.0 && base.is_finite()).then(|| number::with_unit(r, base))
            });
            let some: Vec<String> = some.collect();
            if some.is_empty() { "[pods] only".into() } else { some.join(", ") }
        }
        Value::Real(_) if term.quantity == Quantity::Created => check::seconds(&term.value),
        _ => check::value(term, None),
    }
}
