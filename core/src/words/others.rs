//! Not chosen: who else could have been asked to go, and what protected them, as the engine recorded it with the decision.

use super::Selection;
use super::check::{decisive_resource, side};
use super::happenings::Entry;
use super::number::{GPU, count, number, with_unit};
use super::pending::protection;
use super::text::Text;
use crate::moment::{EventRow, Frame, SparedRow};

/// Most lines that are told.
const LINES: usize = 6;

/// Others that hold something and stay: queues, and jobs of the queue of the one that goes.
pub fn not_chosen(frame: &Frame, event: &EventRow) -> Vec<Entry> {
    if event.by.is_empty() || !matches!(event.kind.as_str(), "reclaimed" | "preempted") {
        return Vec::new();
    }
    let is_meant = |row: &&SparedRow| row.by == event.by && (row.job.is_empty() || row.queue == event.queue);
    let entry = |row: &SparedRow| {
        let queue = frame.queues.get(row.queue as usize).map_or("", |queue| queue.name.as_str());
        let selection = match row.job.as_str() {
            "" => Selection::Queue(queue.to_string()),
            job => Selection::Job(job.to_string()),
        };
        // One that was not needed for this job may go for another one of the same cycle.
        let goes = |other: &&EventRow| !row.job.is_empty() && other.job == row.job && !other.by.is_empty();
        let (when, text) = match frame.events.iter().find(|other| goes(other) && other.by != event.by) {
            Some(other) => {
                let text = Text::default().job(&row.job).say(": not needed for ").job(&event.by);
                ("goes", text.say(", but evicted for ").job(&other.by).say(" in the same cycle"))
            }
            None => ("stays", says(frame, row, queue)),
        };
        Entry { when: when.into(), text, selection: Some(selection), ..Entry::default() }
    };
    frame.spared.iter().filter(is_meant).take(LINES).map(entry).collect()
}

fn says(frame: &Frame, row: &SparedRow, queue: &str) -> Text {
    let whom = match row.job.as_str() {
        "" => Text::default().queue(queue),
        job => Text::default().job(job),
    };
    let n = |what: &str| count(row.n.into(), what);
    match (row.why.as_str(), &row.check) {
        ("non-preemptible", _) if row.job.is_empty() => {
            Text::of("nothing of ").queue(queue).say(" can be taken: it is non-preemptible")
        }
        ("non-preemptible", _) => whom.say(" cannot be taken: it is non-preemptible"),
        ("core", _) => whom.say(format!(": its first {} cannot be taken, it is semi-preemptible", n("pod"))),
        ("own-queue", _) => {
            Text::of(format!("{} of ", n("job"))).queue(queue).say(": a queue reclaims from others only")
        }
        ("failed", Some(check)) if check.left == "priority" => {
            let value = |value| side(value, GPU).map_or(String::new(), number);
            let (own, takers) = (value(&check.left_value), value(&check.right_value));
            whom.say(format!(": its priority of {own} is not lower than {takers}"))
        }
        ("failed", Some(check)) => protection(frame, check).unwrap_or_else(|| whom.say(" is protected")),
        ("later", Some(check)) => {
            let r = decisive_resource(check).unwrap_or(GPU);
            let held = side(&check.left_value, r).map_or(String::new(), |held| with_unit(r, held));
            let what =
                if check.right == "quota" { "its quota" } else { "the larger of its quota and fair share" };
            whom.say(format!(" holds {held}, above {what}: others came first in the order"))
        }
        _ => whom.say(": enough was free without it"),
    }
}
