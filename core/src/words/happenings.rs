//! Lists of events: of a cycle, a job or a node.

use std::collections::BTreeMap;

use super::number::{self, amount, count, number, with_unit};
use super::phrases::{self, after_comma, marked, node_state, queue_of, requested};
use super::text::{self, Text, job, text};
use super::{Cell, Evidence, Explanation, Selection};
use crate::id::JobId;
use crate::moment::EventKind;
use crate::moment::{Amounts, EventRow, EventWord, Frame, NodeCard, Run, What};
use crate::trace::{Event, EvictReason};
use crate::units::Resource;

/// Largest number of listed entries of a cycle.
const LISTED_MAX: usize = 200;

/// A line of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListEntry {
    /// Time in short form.
    pub when: String,
    /// The cycle it links to, if not the present one.
    pub cycle: Option<u32>,
    /// The kind of its mark.
    pub kind: Option<EventKind>,
    /// The text of the line.
    pub text: Text,
    /// The selection it links to.
    pub selection: Option<Selection>,
    /// Whether it belongs to the present cycle.
    pub current: bool,
}

/// Events of the same kind and job, shown as one.
pub struct Group<'a> {
    /// The first event.
    pub first: &'a EventRow,
    /// Position of the first event in the frame.
    pub index: u32,
    /// Number of pods.
    pub n: usize,
    /// Their amounts.
    pub amount: Amounts,
}

/// The noteworthy events of a cycle, grouped by job. Events that only follow from others are left out.
pub fn groups(frame: &Frame) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places = BTreeMap::new();
    for (index, event) in frame.events.iter().enumerate() {
        let word = event.word();
        if matches!(word, EventWord::Gone | EventWord::Done | EventWord::JobEvicted) {
            continue;
        }
        let place = frame.job_of(event).map(|job| *places.entry((word, job, event.by())).or_insert(groups.len()));
        match place.and_then(|place| groups.get_mut(place)) {
            Some(group) => {
                group.n += 1;
                group.amount.iter_mut().zip(event.amount.iter()).for_each(|(sum, amount)| *sum += amount);
            }
            None => groups.push(Group { first: event, index: index as u32, n: 1, amount: event.amount }),
        }
    }
    groups
}

/// A group of events as a line.
pub fn entry(frame: &Frame, group: &Group<'_>) -> ListEntry {
    ListEntry {
        when: number::time(group.first.time_ms.max(0)),
        kind: EventKind::of(group.first.word()),
        text: line(frame, group),
        selection: Some(Selection::Event { cycle: frame.cycle, index: group.index }),
        ..ListEntry::default()
    }
}

fn line(frame: &Frame, group: &Group<'_>) -> Text {
    let row = group.first;
    let What::Event(event) = row.what else { return marked(frame, row) };
    let (job, queue) = (job(frame.job_name(row)), queue_of(frame, frame.queue_of(row)));
    let pods = if group.n > 1 { format!(" ({} [pods])", group.n) } else { String::new() };
    let amount = requested(frame, &group.amount);
    let comma_amount = after_comma(&amount);
    let place = row.node().filter(|_| group.n == 1);
    let place = place.map(|id| text!(" on {node}", [node = text::node(frame.node(id))]));
    let taker = row.by().map(|by| text::job(frame.job(by)));
    let taker = |word: &str| taker.map(|taker| text!(" {word} {taker}", [word, taker]));
    match event {
        Event::Submitted { .. } => {
            text!("{job} submitted to {queue}{comma_amount}", [job, queue, comma_amount])
        }
        Event::Joined { pods, .. } => text!("{pods} joined {job}", [pods = count(pods.into(), "[pod]"), job]),
        Event::Bound { .. } => text!("{job}{pods} started{place}{comma_amount}", [job, pods, place, comma_amount]),
        Event::Found { .. } => {
            text!("{job}{pods} found running{place}{comma_amount}", [job, pods, place, comma_amount])
        }
        Event::DevicesChanged { .. } => text!("{job}{pods} has other devices{place}", [job, pods, place]),
        Event::Claimed { .. } if amount.is_empty() => text!("room [claimed] for {job}{place}", [job, place]),
        Event::Claimed { .. } => text!("{amount} [claimed] for {job}{place}", [amount, job, place]),
        Event::Unclaimed { .. } => text!("{job}{pods} lost its claim{to}", [job, pods, to = taker("to")]),
        Event::Evicted { reason, .. } => match reason {
            EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota | EvictReason::ReclaimedForPriority => {
                text!("{job}{pods} reclaimed{by}{comma_amount}", [job, pods, by = taker("for"), comma_amount])
            }
            EvictReason::Preempted => {
                text!("{job}{pods} preempted{by}{comma_amount}", [job, pods, by = taker("by"), comma_amount])
            }
            EvictReason::Moved => text!("{job}{pods} moved{by}", [job, pods, by = taker("to make room for")]),
            EvictReason::AboveLimit | EvictReason::StaleGang => {
                text!("{job}{pods} [evicted]: {why}", [job, pods, why = phrases::reason(reason)])
            }
            EvictReason::NodeLost | EvictReason::Withdrawn => {
                text!("{job}{pods} stopped: {why}", [job, pods, why = phrases::reason(reason)])
            }
        },
        Event::Requeued { .. } => text!("{job}{pods} waits again", [job, pods]),
        Event::NotReplaced { .. } => text!("{job}{pods} not recreated", [job, pods]),
        Event::Offered { partition, .. } => {
            text!("{job} offered to the pool {pool}", [job, pool = text::name(frame.names.pool(partition))])
        }
        Event::SetAside { .. } => text!("{job} is not tried again in its [node] pool", [job]),
        Event::Finished { .. } => text!("{job}{pods} finished", [job, pods]),
        Event::Gone { .. } => text!("{job}{pods} shut down", [job, pods]),
        Event::JobDone { .. } => text!("{job} completed", [job]),
        Event::JobEvicted { .. } => text!("{job} is over: its [evicted] [pods] are not recreated", [job]),
        Event::Changed { ended: Some(_), .. } => text!("{job} ended by the timeline", [job]),
        Event::Changed { node: None, .. } => text!("The configuration changed"),
        Event::Changed { node: Some((id, state)), .. } => {
            text!("{node} {state}", [node = text::node(frame.node(id)), state = node_state(state)])
        }
    }
}

/// The explanation shown without a selection: the events of the cycle.
pub fn moment(frame: &Frame) -> Explanation {
    let groups = groups(frame);
    let mut entries: Vec<ListEntry> = groups.iter().take(LISTED_MAX).map(|group| entry(frame, group)).collect();
    if let Some(more) = groups.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        entries.push(ListEntry { text: Text::of(format!("and {} more", number(more as f64))), ..ListEntry::default() });
    }
    let verdict = match (frame.cycle, groups.len()) {
        (0, 0) => {
            text!("Nothing has happened yet. Select a [queue], [a job], a cell or an event to see what decided it.")
        }
        (0, _) => {
            text!("Before the first cycle. Select a [queue], [a job], a cell or an event to see what decided it.")
        }
        (_, 0) if frame.quiet => text!("Nothing changed in this cycle, and nothing more will happen."),
        (_, 0) => text!("Nothing changed in this cycle."),
        (cycle, n) => {
            text!("{things} in cycle {cycle}. Select one to see what decided it.", [things = things(n), cycle])
        }
    };
    let about = if frame.cycle == 0 { "At the start".to_string() } else { format!("Cycle {}", frame.cycle) };
    Explanation {
        about: Text::of(about),
        verdict,
        list: (!entries.is_empty()).then_some(("Now", entries)),
        ..Explanation::default()
    }
}

fn things(n: usize) -> String {
    if n == 1 { "One thing happened".into() } else { format!("{n} things happened") }
}

/// The events of a job up to the last computed cycle.
pub fn history(run: &Run, job: &str, cycle: u32) -> Vec<ListEntry> {
    let mut entries: Vec<(ListEntry, usize)> = Vec::new();
    for (in_cycle, word, event_job) in &run.events {
        let is_gone = *word == EventWord::NotReplaced;
        let shape = if is_gone { Some(EventKind::Reclaimed) } else { EventKind::of(*word) };
        let is_own = event_job.is_some_and(|event_job| run.names.job(event_job) == job);
        let Some(shape) = shape.filter(|_| is_own) else { continue };
        let label = past(*word);
        if let Some((last, n)) = entries.last_mut()
            && last.cycle == Some(*in_cycle)
            && last.kind == Some(shape)
        {
            *n += 1;
            last.text = Text::of(format!("{label}, {n} [pods]"));
            continue;
        }
        let entry = ListEntry {
            when: format!("cycle {in_cycle}"),
            cycle: Some(*in_cycle),
            kind: Some(shape),
            text: Text::of(label),
            current: *in_cycle == cycle,
            ..ListEntry::default()
        };
        entries.push((entry, 1));
    }
    let start = entries.len().saturating_sub(HISTORY);
    entries.drain(..start);
    let first = run.events.first().map_or(run.last_cycle + 1, |event| event.0);
    let left_out = (!run.earlier.is_empty() && start == 0).then(|| ListEntry {
        text: Text::of(format!("What was before cycle {first} is not listed; [ goes there")),
        ..ListEntry::default()
    });
    left_out.into_iter().chain(entries.into_iter().map(|(entry, _)| entry)).collect()
}

/// An event of a job in short form.
fn past(word: EventWord) -> &'static str {
    match word {
        EventWord::Requeued => "waits again",
        EventWord::NotReplaced => "gone, and not recreated",
        EventWord::Offered => "offered to another pool",
        EventWord::Claimed => "room [claimed] for it",
        EventWord::Found => "found running",
        EventWord::DevicesChanged => "has other devices",
        EventWord::Joined => "[pods] joined",
        EventWord::Evicted => "[evicted]",
        EventWord::Node => "[node]",
        // The only change that concerns a job.
        EventWord::Changed => "ended by the timeline",
        EventWord::Submitted
        | EventWord::SetAside
        | EventWord::Started
        | EventWord::Unclaimed
        | EventWord::Reclaimed
        | EventWord::Preempted
        | EventWord::Moved
        | EventWord::Gone
        | EventWord::JobEvicted
        | EventWord::Finished
        | EventWord::Done
        | EventWord::Mark => word.name(),
    }
}

/// Largest number of entries in a history; older ones are left out.
const HISTORY: usize = 24;

/// The owner of a node, if it has one.
fn owner(frame: &Frame, node: &NodeCard) -> Option<Text> {
    let owner = frame.queues.get(node.owner? as usize)?;
    let lent = if node.lent { ", which lends it to others" } else { "" };
    Some(text!(" It is owned by {queue}{lent}.", [queue = text::queue(&owner.name), lent]))
}

/// Explains a node: its pods and free resources.
pub fn node(frame: &Frame, name: &str) -> Explanation {
    let Some(card) = frame.nodes.iter().find(|node| node.name == name) else {
        return Explanation::missing(text::node(name), " is not a [node] of this scenario.");
    };
    let free = (0..3).map(|r| card.capacity[r] - card.used[r]).collect::<Vec<_>>();
    let (node, gpus) = (text::node(name), with_unit(Resource::GPU, card.capacity[2]));
    let state = if !card.ready {
        text!("{node} is down: nothing is placed on it.", [node])
    } else if card.draining {
        text!("{node} is being drained: what is on it stays, nothing more is placed on it.", [node])
    } else if card.cells.is_empty() {
        text!("{node} has no GPU; {cpu} are free.", [node, cpu = with_unit(Resource::CPU, free[0])])
    } else if free[2] > 0.0 {
        text!("{node} has {free} of {gpus} free.", [node, free = number(free[2]), gpus])
    } else if card.capacity[2] == 1.0 {
        text!("{node}: its only GPU is in use.", [node])
    } else {
        text!("{node}: all {gpus} are in use.", [node, gpus])
    };
    let verdict = state.then(slots_in_use(card)).then(owner(frame, card));
    let row = |what, resource: Resource| {
        let r = resource.index();
        (what, [card.capacity[r], card.used[r], free[r]].map(|v| Cell::from(amount(resource, v))).into(), false)
    };
    let entries = on_node(frame, card);
    Explanation {
        about: text::node(name),
        verdict,
        evidence: Some(Evidence {
            caption: Text::of("At this moment"),
            head: ["", "capacity", "used", "free"].map(Text::of).into(),
            rows: [row("GPUs", Resource::GPU), row("CPU, cores", Resource::CPU), row("memory, GiB", Resource::MEMORY)]
                .into_iter()
                .chain(card.slots.map(|slots| {
                    let free = i64::from(slots) - i64::from(card.pods);
                    let cells = [i64::from(slots), card.pods.into(), free].map(|n| Cell::from(number(n as f64)));
                    ("[pod] slots", cells.into(), false)
                }))
                .collect(),
        }),
        list: (!entries.is_empty()).then_some(("On it", entries)),
        ..Explanation::default()
    }
}

/// Whether its pod slots are in use, as a further sentence.
fn slots_in_use(node: &NodeCard) -> String {
    match node.slots {
        Some(slots) if node.pods > slots => {
            let (pods, slots) = (count(node.pods.into(), "[pod]"), count(slots.into(), "[pod] slot"));
            format!(" It holds {pods} although it has {slots}.")
        }
        Some(slots) if node.pods == slots => " All its [pod] slots are in use.".into(),
        _ => String::new(),
    }
}

/// The jobs on a node with their GPUs, and its pods without GPU.
fn on_node(frame: &Frame, node: &NodeCard) -> Vec<ListEntry> {
    let mut jobs: Vec<(JobId, u32, f64)> = Vec::new();
    for pod in node.cells.iter().flat_map(|cell| &cell.pods) {
        match jobs.iter_mut().find(|job| job.0 == pod.job) {
            Some(job) => job.2 += pod.portion,
            None => jobs.push((pod.job, pod.queue, pod.portion)),
        }
    }
    let mut entries: Vec<ListEntry> = jobs
        .into_iter()
        .map(|(job, queue, gpus)| {
            let queue = frame.queues.get(queue as usize).map_or("", |queue| queue.name.as_str());
            let job = frame.job(job);
            let (name, queue, gpus) = (text::job(job), text::queue(queue), with_unit(Resource::GPU, gpus));
            ListEntry {
                kind: Some(EventKind::Started),
                text: text!("{name} of {queue}, {gpus}", [name, queue, gpus]),
                selection: Some(Selection::Job(job.to_string())),
                ..ListEntry::default()
            }
        })
        .collect();
    if !node.cpu_pods.is_empty() {
        let text = Text::of(format!("{} without GPU", count(node.cpu_pods.len() as u64, "[pod]")));
        entries.push(ListEntry { kind: Some(EventKind::Started), text, ..ListEntry::default() });
    }
    entries
}
