//! Inside a cycle: the moment after each of its decisions, and after each of its actions.
//!
//! A frame holds a cycle's end and its events in the order in which they were decided; taking the latest decisions
//! back, last first, leads to every moment before. What happened outside (arrivals, ends) comes before the first
//! decision and is never taken back.

use fairground::id::Id;
use fairground::trace::Event;

use crate::engine::protocol::{
    Amounts, Cell, CellPod, Claim, EventRow, EventWord, Frame, Holding, NodeCard, What,
};

/// How many decisions a cycle has.
pub fn n_decisions(frame: &Frame) -> u32 {
    decisions(frame).count() as u32
}

/// Whether an event is a decision that places, claims or evicts: one that can be taken back.
fn is_step(event: &EventRow) -> bool {
    let word = event.word();
    word.is_decision() && !matches!(word, EventWord::Offered | EventWord::SetAside)
}

/// The positions of the decisions among the events.
fn decisions(frame: &Frame) -> impl Iterator<Item = usize> + '_ {
    let from = frame.n_outside as usize;
    frame.events.iter().enumerate().skip(from).filter(|(_, event)| is_step(event)).map(|(i, _)| i)
}

/// The position among the events of the decision with that number, from 1.
pub fn event_of(frame: &Frame, decision: u32) -> Option<u32> {
    decisions(frame).nth(decision.checked_sub(1)? as usize).map(|i| i as u32)
}

/// The last of so many decisions as a moment of its own; `None` before the first one.
pub fn last_of(frame: &Frame, decisions: u32) -> Option<Frame> {
    let index = event_of(frame, decisions)?;
    Some(Frame {
        names: frame.names.clone(),
        policy: frame.policy.clone(),
        cycle: frame.cycle,
        queues: frame.queues.clone(),
        nodes: frame.nodes.clone(),
        events: vec![frame.events[index as usize].clone()],
        ..Frame::default()
    })
}

/// The actions of a cycle that decided something, in order: the policy's name and the number of its last decision. Under
/// a policy whose cycle has no parts, all of it is one action without a name.
pub fn actions(frame: &Frame) -> Vec<(&str, u32)> {
    let mut actions: Vec<(&str, u32)> = Vec::new();
    for (n, at) in (1..).zip(decisions(frame)) {
        let name = frame.events[at].action.as_str();
        match actions.last_mut().filter(|last| last.0 == name) {
            Some(last) => last.1 = n,
            None => actions.push((name, n)),
        }
    }
    actions
}

/// The events of the action that ends with a decision.
pub fn events_of_action(frame: &Frame, last: u32) -> Vec<EventRow> {
    let before = actions(frame).iter().map(|action| action.1).filter(|end| *end < last).max().unwrap_or(0);
    let own = decisions(frame).skip(before as usize).take((last - before) as usize);
    own.map(|at| frame.events[at].clone()).collect()
}

/// The moment after so many decisions; what was changed by the last of them is marked.
pub fn moment_after(frame: &Frame, after: u32) -> Frame {
    let all: Vec<usize> = decisions(frame).collect();
    let keep = (after as usize).min(all.len());
    let mut moment = frame.clone();
    for &at in all[keep..].iter().rev() {
        take_back(&mut moment, &frame.events[at], frame);
    }
    let last = keep.checked_sub(1).map(|i| &frame.events[all[i]]);
    for pod in moment.nodes.iter_mut().flat_map(|node| &mut node.cells).flat_map(|cell| &mut cell.pods) {
        pod.changed = last.and_then(|event| event.pod()).is_some_and(|of| frame.names.pod(of) == pod.pod);
    }
    if keep < all.len() {
        moment.events.truncate(all[keep]);
        // Only the sums are taken back decision by decision.
        moment.pools.clear();
        moment.refusals.clear();
        moment.quiet = false;
    }
    moment
}

/// Who and where a decision is about, by name, and what it moves.
struct About<'a> {
    job: &'a str,
    pod: &'a str,
    /// The position of the job's queue.
    queue: u32,
    /// The position of the node.
    node: usize,
    event: &'a EventRow,
}

fn take_back(moment: &mut Frame, event: &EventRow, end: &Frame) {
    let (Some(pod), Some(node), Some(queue)) = (event.pod(), event.node(), end.queue_of(event)) else {
        return;
    };
    let (job, pod) = (end.job_name(event), end.names.pod(pod));
    let about = About { job, pod, queue: queue.0, node: node.index(), event };
    let event = match event.what {
        What::Event(event) => event,
        What::Mark(_) => return,
    };
    match event {
        Event::Bound { .. } => unplace(moment, &about),
        Event::Claimed { .. } => {
            claim(moment, &about, false);
            add_up(moment, &about, |row| &mut row.claimed, -1.0);
        }
        Event::Unclaimed { .. } => {
            claim(moment, &about, true);
            add_up(moment, &about, |row| &mut row.claimed, 1.0);
        }
        Event::Evicted { .. } => stay(moment, &about, end),
        // No decisions: they happen outside, or follow.
        Event::Submitted { .. }
        | Event::Joined { .. }
        | Event::Found { .. }
        | Event::Dealt { .. }
        | Event::Gone { .. }
        | Event::Requeued { .. }
        | Event::NotReplaced { .. }
        | Event::Finished { .. }
        | Event::JobDone { .. }
        | Event::JobEvicted { .. }
        | Event::Offered { .. }
        | Event::SetAside { .. }
        | Event::Changed { .. } => {}
    }
}

/// A pod that was evicted runs on.
fn stay(moment: &mut Frame, about: &About<'_>, end: &Frame) {
    let pods = moment.nodes.iter_mut().flat_map(|node| &mut node.cells).flat_map(|cell| &mut cell.pods);
    pods.filter(|pod| pod.pod == about.pod).for_each(|pod| pod.leaving = false);
    if let Some(node) = moment.nodes.get_mut(about.node) {
        stay_on(node, about);
    }
    add_up(moment, about, |row| &mut row.leaving, -1.0);
    add_up(moment, about, |row| &mut row.allocated, 1.0);
    // A job that is over at the end has no row any more.
    let was_known = end.jobs.iter().any(|row| row.name == about.job);
    if let Some(row) = moment.jobs.iter_mut().find(|row| row.name == about.job).filter(|_| was_known) {
        row.leaving = row.leaving.saturating_sub(1);
        row.running += 1;
        row.evictions = row.evictions.saturating_sub(1);
    }
}

/// A pod that was placed waits again.
fn unplace(moment: &mut Frame, about: &About<'_>) {
    let Some(node) = moment.nodes.get_mut(about.node) else { return };
    release(node, about, false);
    node.cpu_pods.retain(|(pod, ..)| *pod != about.pod);
    let is_it = |pod: &CellPod| pod.pod == about.pod;
    let mut locked = node.cells.iter().flat_map(|cell| &cell.pods).any(|pod| is_it(pod) && pod.locked);
    // Which pods the core is may change; that it gets smaller hangs on how many run.
    if let Some(row) = moment.jobs.iter().find(|row| row.name == about.job).filter(|row| row.core > 0) {
        locked = row.running <= row.core;
    }
    node.cells.iter_mut().for_each(|cell| cell.pods.retain(|pod| !is_it(pod)));
    for (used, amount) in node.used.iter_mut().zip(about.event.amount.iter()) {
        *used = whole(*used - amount);
    }
    add_up(moment, about, |row| &mut row.allocated, -1.0);
    if locked {
        add_up(moment, about, |row| &mut row.non_preemptible, -1.0);
    }
    if let Some(row) = moment.jobs.iter_mut().find(|row| row.name == about.job) {
        row.running = row.running.saturating_sub(1);
        row.pending += 1;
    }
}

/// Takes what a pod holds from what its queue holds on the node.
fn release(node: &mut NodeCard, about: &About<'_>, leaving: bool) {
    let is_it = |held: &&mut Holding| held.queue == about.queue && held.leaving == leaving;
    if let Some(held) = node.holds.iter_mut().find(is_it) {
        let amounts = held.amount.iter_mut().zip(about.event.amount.iter());
        amounts.for_each(|(sum, amount)| *sum = whole(*sum - amount));
    }
}

/// What a pod holds is not leaving.
fn stay_on(node: &mut NodeCard, about: &About<'_>) {
    if node.holds.iter().any(|held| held.queue == about.queue && held.leaving) {
        release(node, about, true);
        node.holds.push(Holding { queue: about.queue, leaving: false, amount: about.event.amount });
    }
}

/// Claims as many devices of the event's node as it asks for, or gives them up.
fn claim(moment: &mut Frame, about: &About<'_>, on: bool) {
    let Some(node) = moment.nodes.get_mut(about.node) else { return };
    let n = about.event.gpus.ceil() as usize;
    let claim = Claim { job: about.job.to_string(), queue: about.queue };
    let fits = |cell: &&mut Cell| match on {
        true => cell.claimed.is_none() && cell.pods.iter().all(|pod| pod.leaving),
        false => cell.claimed.as_ref() == Some(&claim),
    };
    for cell in node.cells.iter_mut().filter(fits).take(n) {
        cell.claimed = on.then(|| claim.clone());
    }
}

/// A sum of fractions that should be whole is: what was added up in another order may differ in the last digits.
fn whole(sum: f64) -> f64 {
    if (sum - sum.round()).abs() < 1e-9 { sum.round() } else { sum }
}

/// Adds an event's amounts to its queue and all above it.
fn add_up(
    moment: &mut Frame,
    about: &About<'_>,
    part: fn(&mut crate::engine::protocol::QueueRow) -> &mut Amounts,
    sign: f64,
) {
    let mut at = Some(about.queue);
    for _ in 0..moment.queues.len() {
        let Some(row) = at.and_then(|queue| moment.queues.get_mut(queue as usize)) else { return };
        at = row.parent;
        for (held, amount) in part(row).iter_mut().zip(about.event.amount.iter()) {
            *held = whole(*held + sign * amount);
        }
    }
}
