//! Not chosen: who else could have been asked to go, and what protected them.
//!
//! # Rule
//! The numbers are those of the moment after the decision; queues that were not taken from hold what they held before. A reclaim
//! looks at queues where their paths split from the taker's: one that holds no more than what protects it (its quota, for a
//! fair-share reclaim the larger of quota and fair share) keeps its work. One that holds more was only later in the order.

use super::event::split;
use super::happenings::Entry;
use super::text::Text;
use crate::engine::protocol::{EventRow, Frame, QueueRow};
use crate::model::Selection;
use crate::view_model::number::{GPU, amount, count};

/// Most lines that are told.
const LINES: usize = 6;

/// Others that hold something and stay.
pub fn not_chosen(frame: &Frame, event: &EventRow, resource: u8) -> Vec<Entry> {
    // Only of the rules of KAI's engine it is known what they spare.
    let is_known = |rule: &str| rule.starts_with("kai/") || rule.starts_with("runai/");
    let is_known = event.checks.iter().any(|check| is_known(&check.rule)) && !event.by.is_empty();
    let Some(by) = event.by_queue.filter(|_| is_known) else { return Vec::new() };
    let resource = if event.gpus > 0.0 { GPU } else { resource.min(2) };
    let mut lines = match event.kind.as_str() {
        "reclaimed" => queues(frame, event, by, resource),
        "preempted" => Vec::new(),
        _ => return Vec::new(),
    };
    lines.extend(own_queue(frame, event, by));
    lines.extend(same_queue(frame, event));
    lines.truncate(LINES);
    lines
}

fn entry(text: Text, selection: Selection) -> Entry {
    Entry { when: "stays".into(), text, selection: Some(selection), ..Entry::default() }
}

/// Jobs that hold GPUs of a queue and were not told to go: name, and whether they cannot be taken.
fn holders(frame: &Frame, is_of: impl Fn(u32) -> bool) -> Vec<(&str, bool)> {
    let mut jobs: Vec<(&str, bool)> = Vec::new();
    for pod in frame.nodes.iter().flat_map(|node| &node.cells).flat_map(|cell| &cell.pods) {
        if is_of(pod.queue) && !pod.leaving && jobs.iter().all(|job| job.0 != pod.job) {
            jobs.push((&pod.job, pod.locked));
        }
    }
    jobs
}

/// Other queues, where their paths split from the taker's.
fn queues(frame: &Frame, event: &EventRow, by: u32, resource: u8) -> Vec<Entry> {
    let r = usize::from(resource.min(2));
    let giver = split(frame, event.queue, by).map_or("", |(giver, ..)| giver.name.as_str());
    let mut told: Vec<&str> = vec![giver];
    let mut lines = Vec::new();
    for leaf in 0..frame.queues.len() as u32 {
        let Some((other, _, _)) = split(frame, leaf, by).filter(|_| leaf != by && leaf != event.queue) else {
            continue;
        };
        if told.contains(&other.name.as_str()) || other.allocated[r] <= 0.0 {
            continue;
        }
        told.push(&other.name);
        lines.push(entry(protection(other, event, resource), Selection::Queue(other.name.clone())));
    }
    lines
}

fn protection(queue: &QueueRow, event: &EventRow, resource: u8) -> Text {
    let r = usize::from(resource.min(2));
    let quota = queue.quota[r].unwrap_or(f64::INFINITY);
    let share = queue.fair_share.as_ref().map(|share| share[r].unwrap_or(f64::INFINITY));
    let (bound, name) = match share {
        Some(share) if event.reason != "quota" && share > quota => (share, "fair share"),
        _ => (quota, "quota"),
    };
    let held = queue.allocated[r];
    let text = Text::default().queue(&queue.name).say(format!(" holds {}", amount(resource, held)));
    if bound.is_infinite() {
        text.say(format!(": its {name} is unlimited"))
    } else if held <= bound + 1e-9 {
        text.say(format!(", no more than its {name} of {}", amount(resource, bound)))
    } else {
        text.say(format!(", above its {name} of {}: others came first in the order", amount(resource, bound)))
    }
}

/// The taker's own queue.
fn own_queue(frame: &Frame, event: &EventRow, by: u32) -> Option<Entry> {
    let own = frame.queues.get(by as usize)?;
    let n = holders(frame, |queue| queue == by).into_iter().filter(|(job, _)| *job != event.by).count();
    if n == 0 || event.kind != "reclaimed" {
        return None;
    }
    let jobs = count(n as u64, "job");
    let text = Text::of(format!("{jobs} of ")).queue(&own.name).say(": a queue reclaims from others only");
    Some(entry(text, Selection::Queue(own.name.clone())))
}

/// Jobs beside the one that was told to go.
fn same_queue(frame: &Frame, event: &EventRow) -> Vec<Entry> {
    let beside = holders(frame, |queue| queue == event.queue);
    // Under preemption those of the taker's priority and above stand in the same queue.
    let spared = match event.kind.as_str() {
        "preempted" => ": its priority is not lower, or enough was free without it",
        _ => ": enough was free without it",
    };
    let line = |(job, locked): (&str, bool)| {
        let text = Text::default().job(job);
        let text = match core(frame, job) {
            0 if locked => text.say(" cannot be taken: it is non-preemptible"),
            0 => text.say(spared),
            n => text.say(format!(": its first {} cannot be taken, it is semi-preemptible", count(n, "pod"))),
        };
        entry(text, Selection::Job(job.to_string()))
    };
    // Of the job that lost something, what it keeps.
    let is_told = |job: &str| job != event.by && (job != event.job || core(frame, job) > 0);
    beside.into_iter().filter(|(job, _)| is_told(job)).map(line).collect()
}

/// How many pods of a semi-preemptible job may not be taken; 0: it is none.
fn core(frame: &Frame, job: &str) -> u64 {
    frame.jobs.iter().find(|row| row.name == job).map_or(0, |row| row.core.into())
}
