//! Why one stands behind another: the order of the next pass as lines.

use super::happenings::Entry;
use super::number;
use super::text::Text;
use super::{Explanation, check};
use super::{Selection, Terms};
use crate::moment::{CheckRow, Frame, OrderRow, PlaceRow, ValueRow};

/// What a queue without anything outstanding shows.
const NOTHING: i64 = i32::MIN as i64;

/// In which order a queue or a job and those beside it are looked at next.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// After this cycle.
    pub cycle: u32,
    /// Around this.
    pub of: Selection,
    /// From the root down.
    pub levels: Vec<OrderRow>,
}

/// One level of an order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Whose children or jobs they are.
    pub caption: String,
    /// In order.
    pub entries: Vec<Entry>,
}

/// Adds the order around what is selected, if it is that of this moment.
pub fn put_order(explanation: &mut Explanation, frame: &Frame, selection: &Selection, order: Option<&Order>) {
    let Some(order) = order.filter(|order| order.cycle == frame.cycle && order.of == *selection) else {
        return;
    };
    let terms = Terms::of(&frame.policy);
    for row in &order.levels {
        let is_of_jobs = row.places.iter().any(|place| place.is_job);
        let mut caption = match (row.of.as_str(), is_of_jobs) {
            ("", _) => "Order of the top queues".to_string(),
            (of, false) => format!("Order below {of}"),
            (of, true) => format!("Order in {of}"),
        };
        if row.places.len() < row.n as usize {
            caption += &format!(", {} in all", row.n);
        }
        let mut before = (0, "");
        let mut entries = Vec::new();
        for place in &row.places {
            let known = if before.0 + 1 == place.position { before.1 } else { "" };
            entries.push(entry(place, known));
            before = (place.position, &place.name);
        }
        if row.absent {
            let text = Text::of("Nothing is outstanding here, so the next pass does not look at it.");
            entries.push(Entry { text, ..Entry::default() });
        }
        entries.iter_mut().for_each(|entry| entry.text.in_terms(terms));
        // A name stays what it is.
        let caption = if row.of.is_empty() { terms.says(&caption) } else { caption };
        explanation.order.push(Level { caption, entries });
    }
}

fn entry(place: &PlaceRow, before: &str) -> Entry {
    let name = |text: Text| if place.is_job { text.job(&place.name) } else { text.queue(&place.name) };
    let selection = match (place.known, place.is_job) {
        (false, _) => None,
        (true, true) => Some(Selection::Job(place.name.clone())),
        (true, false) => Some(Selection::Queue(place.name.clone())),
    };
    let text = name(Text::default());
    let text = match place.behind.split_last() {
        None => text.say(first(&place.keys)),
        Some((last, equal)) => behind(text.say(" "), place, before, last, equal),
    };
    let when = format!("{}.", place.position);
    Entry { when, text, selection, current: place.own, ..Entry::default() }
}

/// The numbers of who comes first.
fn first(keys: &[(String, ValueRow)]) -> String {
    let keys: Vec<String> =
        keys.iter().map(|(key, value)| format!("{} {}", named(key), shown(key, value))).collect();
    if keys.is_empty() { String::new() } else { format!(": {}", keys.join(", ")) }
}

/// Which key put it behind the one before it, after which were equal.
fn behind(text: Text, place: &PlaceRow, before: &str, last: &CheckRow, equal: &[CheckRow]) -> Text {
    // Not all are shown, and the scenario does not know all.
    let known = if place.is_job { &last.other_job } else { &last.other_queue };
    let other = |text: Text| match (known.as_str(), before) {
        ("", "") => text.say("the one before it"),
        ("", name) | (name, _) if place.is_job => text.job(name),
        ("", name) | (name, _) => text.queue(name),
    };
    let mut lead: Vec<String> = Vec::new();
    for check in equal {
        let of_place = if is_of_place(check) { " by the maximum of another place" } else { "" };
        lead.push(format!("{} {}{of_place}", named(&check.left), shown(&check.left, &check.left_value)));
    }
    let lead = if lead.is_empty() { String::new() } else { format!(" at equal {}", lead.join(" and ")) };
    let text = other(text.say("behind ")).say(lead);
    if last.left_value == last.right_value && matches!(last.left.as_str(), "dominant-share" | "saturation") {
        let equal = format!("{} {}", named(&last.left), shown(&last.left, &last.left_value));
        return text.say(format!(": both have {equal}, so the first in the file comes first"));
    }
    if last.left == "name" {
        return text.say(
            ": nothing tells them apart, so they stay in the order in which they are walked, here by name",
        );
    }
    let own = place.keys.iter().find(|(key, _)| is_of_place(last) && *key == last.left);
    let own = own.map_or(String::new(), |(key, value)| {
        format!(", which is not its own {} but taken of the maximum of another place", shown(key, value))
    });
    text.say(format!(
        ": {} {} against {}{own}",
        named(&last.left),
        shown(&last.left, &last.left_value),
        shown(&last.right, &last.right_value)
    ))
}

fn is_of_place(check: &CheckRow) -> bool {
    check.rule == "yunikorn/share-of-place"
}

fn named(quantity: &str) -> &str {
    match quantity {
        "dominant-share" => "share",
        "saturation" => "GPUs per weight",
        "remaining" => "waiting",
        "created" => "submitted",
        other => other,
    }
}

fn shown(quantity: &str, value: &ValueRow) -> String {
    match value {
        ValueRow::Count(NOTHING) => "none".into(),
        ValueRow::Triple(triple) => {
            let some = [number::GPU, number::CPU, number::MEMORY].into_iter().filter_map(|r| {
                let base = triple[usize::from(r)].filter(|&base| base > 0.0)?;
                Some(number::with_unit(r, base))
            });
            let some: Vec<String> = some.collect();
            if some.is_empty() { "pods only".into() } else { some.join(", ") }
        }
        other => check::value(other, quantity, None),
    }
}
