//! One polite sentence per step, for those who listen.

use super::{Group, groups};
use crate::engine::protocol::Frame;
use crate::model::Terms;
use crate::view_model::number::{amount, count};
use crate::view_model::queues::Tree;
use crate::view_model::shares::touched;

/// More things are counted, not told.
const TOLD: usize = 4;

/// *Cycle 7: a2 reclaimed, its GPU claimed for b2. team-a 2, team-b 1.*
pub fn announce(frame: &Frame, resource: u8) -> String {
    let head = if frame.cycle == 0 { "At the start".to_string() } else { format!("Cycle {}", frame.cycle) };
    tell(frame, resource, &head)
}

/// The same of one action, whose events are all that the frame has: *Cycle 7, reclaim: …*
pub fn announce_action(frame: &Frame, resource: u8) -> String {
    let name = frame.events.first().map_or("", |event| action(&event.action));
    let comma = if name.is_empty() { "" } else { ", " };
    tell(frame, resource, &format!("Cycle {}{comma}{name}", frame.cycle))
}

/// What an action of a cycle is called.
pub fn action(name: &str) -> &str {
    match name {
        "stalegangeviction" => "eviction of stale gangs",
        name => name,
    }
}

fn tell(frame: &Frame, resource: u8, head: &str) -> String {
    let r = resource.min(2);
    let groups = groups(frame);
    let mut parts: Vec<String> = Vec::new();
    let mut claimed_told: Vec<&str> = Vec::new();
    let terms = Terms::of(&frame.policy);
    for group in &groups {
        if let Some(part) = part(group, &groups, &mut claimed_told, terms) {
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

fn part<'a>(
    group: &Group<'a>,
    all: &[Group<'a>],
    claimed_told: &mut Vec<&'a str>,
    terms: &Terms,
) -> Option<String> {
    let event = group.first;
    let pods =
        if group.n > 1 { format!(" ({})", terms.says(&count(group.n as u64, "pod"))) } else { String::new() };
    let (kind, claimed) = (terms.says(&event.kind.replace('-', " ")), terms.word("claimed"));
    let said = match event.kind.as_str() {
        "claimed" if claimed_told.contains(&event.job.as_str()) => return None,
        "claimed" => format!("room {claimed} for {}", event.job),
        "reclaimed" | "preempted" | "moved" | "evicted" => {
            let claims = |other: &&Group<'a>| other.first.kind == "claimed" && other.first.job == event.by;
            let last_of_taker = all.iter().rev().find(|other| {
                other.first.by == event.by && matches!(other.first.kind.as_str(), "reclaimed" | "preempted")
            });
            let is_last = last_of_taker.is_some_and(|last| last.index == group.index);
            match all.iter().find(claims).filter(|_| is_last && !event.by.is_empty()) {
                Some(claim) => {
                    claimed_told.push(&claim.first.job);
                    let own = all.iter().filter(|other| other.first.by == event.by).count();
                    let whose = if own > 1 {
                        "their GPUs"
                    } else if group.gpus == 1.0 {
                        "its GPU"
                    } else {
                        "its GPUs"
                    };
                    format!("{}{pods} {kind}, {whose} {claimed} for {}", event.job, event.by)
                }
                None => format!("{}{pods} {kind}", event.job),
            }
        }
        "not-replaced" => format!("{}{pods} gone for good", event.job),
        "requeued" => format!("{}{pods} waits again", event.job),
        "changed" => "the plan changed".into(),
        "node" => format!("{} {}", event.node, super::node_state(&event.reason)),
        "started" if group.n == 1 && !event.node.is_empty() => {
            format!("{} started on {}", event.job, event.node)
        }
        _ => format!("{}{pods} {kind}", event.job),
    };
    Some(said)
}
