//! The moments after each decision and each action within a cycle.
//!
//! A frame contains the end of a cycle and its events in order of decision. Reverting the decisions, last first, yields
//! every earlier moment. External events (arrivals, ends) precede the first decision and are never reverted.

use fairground::id::{Id, JobId, PodId};
use fairground::trace::Event;
use fairground::units::Resource;

use crate::engine::protocol::{Amounts, Cell, CellPod, Claim, EventRow, EventWord, Frame, Holding, NodeCard, What};

/// Number of decisions in a cycle.
pub fn n_decisions(frame: &Frame) -> u32 {
    decisions(frame).count() as u32
}

/// Whether an event is a decision that places, claims or evicts, and can be reverted.
fn is_step(event: &EventRow) -> bool {
    let word = event.word();
    word.is_decision() && !matches!(word, EventWord::Offered | EventWord::SetAside)
}

/// Indices of the decisions among the events.
fn decisions(frame: &Frame) -> impl Iterator<Item = usize> + '_ {
    let from = frame.n_outside as usize;
    frame.events.iter().enumerate().skip(from).filter(|(_, event)| is_step(event)).map(|(i, _)| i)
}

/// Index of the event of a decision, numbered from 1.
pub fn event_of(frame: &Frame, decision: u32) -> Option<u32> {
    decisions(frame).nth(decision.checked_sub(1)? as usize).map(|i| i as u32)
}

/// A frame whose only event is the decision of this number; `None` for 0.
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

/// The actions of a cycle that made decisions, in order: the policy's name of the action, and the number of its last
/// decision. A cycle without actions counts as one action without a name.
pub fn actions(frame: &Frame) -> Vec<(&str, u32)> {
    let mut actions: Vec<(&str, u32)> = Vec::new();
    for (n, at) in (1..).zip(decisions(frame)) {
        let name = frame.action_of(at);
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

/// The moment after a number of decisions, with the changes of the last one marked.
pub fn moment_after(frame: &Frame, after: u32) -> Frame {
    let all: Vec<usize> = decisions(frame).collect();
    let keep = (after as usize).min(all.len());
    let mut moment = frame.clone();
    for &at in all[keep..].iter().rev() {
        revert(&mut moment, &frame.events[at], frame);
    }
    let last = keep.checked_sub(1).map(|i| &frame.events[all[i]]);
    for pod in moment.nodes.iter_mut().flat_map(|node| &mut node.cells).flat_map(|cell| &mut cell.pods) {
        pod.changed = last.and_then(|event| event.pod()) == Some(pod.pod);
    }
    if keep < all.len() {
        moment.events.truncate(all[keep]);
        // Only sums can be reverted decision by decision.
        moment.pools.clear();
        moment.refusals.clear();
        moment.quiet = false;
    }
    moment
}

/// The job and node of a decision, and the amounts it moves.
struct About<'a> {
    job: JobId,
    pod: PodId,
    /// Index of the job's queue.
    queue: u32,
    /// Index of the node.
    node: usize,
    event: &'a EventRow,
}

fn revert(moment: &mut Frame, event: &EventRow, end: &Frame) {
    let (Some(pod), Some(node)) = (event.pod(), event.node()) else { return };
    let (Some(job), Some(queue)) = (end.job_of(event), end.queue_of(event)) else { return };
    let about = About { job, pod, queue: queue.0, node: node.index(), event };
    let event = match event.what {
        What::Event(event) => event,
        What::Mark(_) => return,
    };
    match event {
        Event::Bound { .. } => revert_placement(moment, &about),
        Event::Claimed { .. } => {
            claim(moment, &about, false);
            add_up(moment, &about, |row| &mut row.claimed, -1.0);
        }
        Event::Unclaimed { .. } => {
            claim(moment, &about, true);
            add_up(moment, &about, |row| &mut row.claimed, 1.0);
        }
        Event::Evicted { .. } => revert_eviction(moment, &about, end),
        // Not decisions: external events and their consequences.
        Event::Submitted { .. }
        | Event::Joined { .. }
        | Event::Found { .. }
        | Event::DevicesChanged { .. }
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

/// Reverts an eviction.
fn revert_eviction(moment: &mut Frame, about: &About<'_>, end: &Frame) {
    let pods = moment.nodes.iter_mut().flat_map(|node| &mut node.cells).flat_map(|cell| &mut cell.pods);
    pods.filter(|pod| pod.pod == about.pod).for_each(|pod| pod.leaving = false);
    if let Some(node) = moment.nodes.get_mut(about.node) {
        revert_termination(node, about);
    }
    add_up(moment, about, |row| &mut row.leaving, -1.0);
    add_up(moment, about, |row| &mut row.allocated, 1.0);
    // A job that has ended by the end of the cycle has no row.
    let was_known = end.job_row(about.job).is_some();
    if let Some(row) = moment.jobs.iter_mut().find(|row| row.id == about.job).filter(|_| was_known) {
        row.leaving = row.leaving.saturating_sub(1);
        row.running += 1;
        row.evictions = row.evictions.saturating_sub(1);
    }
}

/// Reverts a placement.
fn revert_placement(moment: &mut Frame, about: &About<'_>) {
    let Some(node) = moment.nodes.get_mut(about.node) else { return };
    release(node, about, false);
    node.cpu_pods.retain(|pod| *pod != about.pod);
    let is_it = |pod: &CellPod| pod.pod == about.pod;
    let mut locked = node.cells.iter().flat_map(|cell| &cell.pods).any(|pod| is_it(pod) && pod.locked);
    // The pods of the core may change; its size only shrinks with the number of running pods.
    if let Some(row) = moment.jobs.iter().find(|row| row.id == about.job).filter(|row| row.core > 0) {
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
    if let Some(row) = moment.jobs.iter_mut().find(|row| row.id == about.job) {
        row.running = row.running.saturating_sub(1);
        row.pending += 1;
    }
}

/// Subtracts a pod's amounts from those of its queue on the node.
fn release(node: &mut NodeCard, about: &About<'_>, leaving: bool) {
    let is_it = |held: &&mut Holding| held.queue == about.queue && held.leaving == leaving;
    if let Some(held) = node.holds.iter_mut().find(is_it) {
        let amounts = held.amount.iter_mut().zip(about.event.amount.iter());
        amounts.for_each(|(sum, amount)| *sum = whole(*sum - amount));
    }
}

/// Reverts the termination of a pod's amounts.
fn revert_termination(node: &mut NodeCard, about: &About<'_>) {
    if node.holds.iter().any(|held| held.queue == about.queue && held.leaving) {
        release(node, about, true);
        node.holds.push(Holding { queue: about.queue, leaving: false, amount: about.event.amount });
    }
}

/// Adds or removes claims of devices on the event's node, as many as the pod requests.
fn claim(moment: &mut Frame, about: &About<'_>, on: bool) {
    let Some(node) = moment.nodes.get_mut(about.node) else { return };
    let n = about.event.amount[Resource::GPU.index()].ceil() as usize;
    let claim = Claim { job: about.job, queue: about.queue };
    let fits = |cell: &&mut Cell| {
        if on {
            cell.claimed.is_none() && cell.pods.iter().all(|pod| pod.leaving)
        } else {
            cell.claimed.as_ref() == Some(&claim)
        }
    };
    for cell in node.cells.iter_mut().filter(fits).take(n) {
        cell.claimed = on.then(|| claim.clone());
    }
}

/// Rounds a sum that is whole up to floating-point error, which depends on the order of addition.
fn whole(sum: f64) -> f64 {
    if (sum - sum.round()).abs() < 1e-9 { sum.round() } else { sum }
}

/// Adds an event's amounts to its queue and all ancestors.
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
