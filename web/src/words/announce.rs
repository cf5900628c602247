//! One polite sentence per step, for those who listen.

use fairground::id::JobId;
use fairground::trace::Event;
use fairground::words::number::{amount, count};
use fairground::words::{Group, Terms, groups};

use crate::chart::queue_tree::{Tree, touched};
use crate::engine::protocol::{EventWord, Frame, What};

/// More things are counted, not told.
const TOLD: usize = 4;

/// *Cycle 7: a2 reclaimed, its GPU claimed for b2. team-a 2, team-b 1.*
pub fn announce(frame: &Frame, resource: u8) -> String {
    let head = if frame.cycle == 0 { "At the start".to_string() } else { format!("Cycle {}", frame.cycle) };
    report_step(frame, resource, &head)
}

/// The same of one action, whose events are all that the frame has: *Cycle 7, reclaim: …*
pub fn announce_action(frame: &Frame, resource: u8) -> String {
    let name = frame.events.first().map_or("", |event| action(&event.action));
    let comma = if name.is_empty() { "" } else { ", " };
    report_step(frame, resource, &format!("Cycle {}{comma}{name}", frame.cycle))
}

/// What an action of a cycle is called.
pub fn action(name: &str) -> &str {
    match name {
        "stalegangeviction" => "eviction of stale gangs",
        name => name,
    }
}

fn report_step(frame: &Frame, resource: u8, head: &str) -> String {
    let r = resource.min(2);
    let groups = groups(frame);
    let mut parts: Vec<String> = Vec::new();
    let mut claimed_told: Vec<JobId> = Vec::new();
    let terms = Terms::of(&frame.policy);
    for group in &groups {
        if let Some(part) = part(frame, group, &groups, &mut claimed_told, terms) {
            parts.push(part);
        }
    }
    if parts.is_empty() {
        return format!("{head}: nothing changed.");
    }
    let more = parts.len().saturating_sub(TOLD);
    parts.truncate(TOLD);
    let mut said = format!("{head}: {}", parts.join(", "));
    if more > 0 {
        said += &format!(", and {more} more");
    }
    said += ".";
    let tree = Tree::new(&frame.queues);
    let touched = touched(frame);
    let holdings: Vec<String> = tree
        .order()
        .iter()
        .filter(|queue| touched.contains(queue))
        .take(TOLD)
        .map(|queue| &frame.queues[*queue as usize])
        .map(|queue| format!("{} {}", queue.name, amount(r, queue.allocated[usize::from(r)])))
        .collect();
    if !holdings.is_empty() {
        said += &format!(" {}.", holdings.join(", "));
    }
    said
}

fn part(
    frame: &Frame,
    group: &Group<'_>,
    all: &[Group<'_>],
    claimed_told: &mut Vec<JobId>,
    terms: &Terms,
) -> Option<String> {
    let row = group.first;
    let pods =
        if group.n > 1 { format!(" ({})", terms.says(&count(group.n as u64, "pod"))) } else { String::new() };
    let (kind, claimed) = (terms.says(&row.word().spelled()), terms.word("claimed"));
    let (of, job) = (frame.job_of(row), frame.job_name(row));
    let What::Event(event) = row.what else { return Some(format!("{job}{pods} {kind}")) };
    let said = match event {
        Event::Claimed { .. } if of.is_some_and(|of| claimed_told.contains(&of)) => return None,
        Event::Claimed { .. } => format!("room {claimed} for {job}"),
        Event::Evicted { by, .. } => {
            let of_taker = |other: &&Group<'_>| other.first.by() == by;
            let claims = |other: &&Group<'_>| {
                other.first.word() == EventWord::Claimed && frame.job_of(other.first) == by
            };
            let is_for_it = |other: &&Group<'_>| {
                of_taker(other) && matches!(other.first.word(), EventWord::Reclaimed | EventWord::Preempted)
            };
            let is_last = all.iter().rev().find(is_for_it).is_some_and(|last| last.index == group.index);
            match by.filter(|_| is_last && all.iter().any(|other| claims(&other))) {
                Some(by) => {
                    claimed_told.push(by);
                    let whose = if all.iter().filter(of_taker).count() > 1 {
                        "their GPUs"
                    } else if group.gpus == 1.0 {
                        "its GPU"
                    } else {
                        "its GPUs"
                    };
                    format!("{job}{pods} {kind}, {whose} {claimed} for {}", frame.job(by))
                }
                None => format!("{job}{pods} {kind}"),
            }
        }
        Event::NotReplaced { .. } => format!("{job}{pods} gone for good"),
        Event::Requeued { .. } => format!("{job}{pods} waits again"),
        Event::Changed { node: None, .. } => "the plan changed".into(),
        Event::Changed { node: Some((node, state)), .. } => {
            format!("{} {}", frame.node(node), fairground::words::node_state(state))
        }
        Event::Bound { node, .. } if group.n == 1 => format!("{job} started on {}", frame.node(node)),
        Event::Found { .. } => format!("{job}{pods} found running"),
        Event::Dealt { .. } => format!("{job}{pods} has other devices"),
        Event::Submitted { .. }
        | Event::Bound { .. }
        | Event::Unclaimed { .. }
        | Event::Gone { .. }
        | Event::Finished { .. }
        | Event::JobDone { .. }
        | Event::JobEvicted { .. }
        | Event::Offered { .. }
        | Event::SetAside { .. } => format!("{job}{pods} {kind}"),
    };
    Some(said)
}
