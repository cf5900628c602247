//! Phrases shared by several explanations.

use super::number::with_unit;
use super::text::{self, Text, job, text};
use crate::cluster::NodeState;
use crate::id::QueueId;
use crate::moment::{Amounts, EventRow, Frame, What};
use crate::trace::{EvictReason, Mark, NodeReason};
use crate::units::Resource;

/// The name of a queue, which may be missing.
pub fn queue_of(frame: &Frame, queue: impl Into<Option<QueueId>>) -> Text {
    text::queue(queue.into().map_or("", |queue| frame.queue(queue)))
}

/// The reason of an eviction, without the claimant.
pub fn reason(reason: EvictReason) -> &'static str {
    match reason {
        EvictReason::AboveLimit => "its [queue] uses more than its [limit]",
        EvictReason::StaleGang => "fewer [pods] of its gang ran than its minimum for too long",
        EvictReason::NodeLost => "its [node] is gone",
        EvictReason::Withdrawn => "the timeline of the scenario ended its [job]",
        EvictReason::Moved => "to be moved to another [node]",
        EvictReason::Preempted => "[a job] of higher priority comes first",
        EvictReason::ReclaimedForQuota => "another [queue] reclaims its [quota]",
        EvictReason::ReclaimedForPriority => "another [queue] of higher priority reclaims its [quota]",
        EvictReason::ReclaimedForFairShare => "another [queue] reclaims its [fair share]",
    }
}

/// Whether more free room on some node would help.
pub fn is_of_room(reasons: &[(NodeReason, u32)]) -> bool {
    let is_room = |reason: &NodeReason| matches!(reason, NodeReason::Insufficient(_) | NodeReason::PodSlots);
    reasons.iter().any(|(reason, _)| is_room(reason))
}

/// Why a node does not take a pod, after a number of nodes.
fn node_reason(frame: &Frame, reason: NodeReason) -> Text {
    Text::of(match reason {
        NodeReason::PodSlots => "without a free [pod] slot",
        NodeReason::NotReady => "down",
        NodeReason::Selector => "without a required label",
        NodeReason::Taint => "with a taint the [job] does not tolerate",
        NodeReason::Reserved(job_id) => return text!("reserved for {job}", [job = job(frame.job(job_id))]),
        NodeReason::Held => "held by another [queue]",
        NodeReason::OtherPool => "of another [node] pool than its first [pods]",
        NodeReason::Gate => "on which a quota or [limit] of its [queue] allows no more",
        NodeReason::Insufficient(Resource::GPU) => "with too few free GPUs",
        NodeReason::Insufficient(Resource::CPU) => "with too little free CPU",
        NodeReason::Insufficient(resource) => {
            let named = resource.nth_named().and_then(|n| frame.named.get(n));
            return Text::of("with too little free ").name(named.map_or(resource.name(), String::as_str));
        }
    })
}

/// How many nodes do not take a pod, and why.
pub fn nodes_because(frame: &Frame, &(reason, n): &(NodeReason, u32)) -> Text {
    text!("{n} {why}", [n, why = node_reason(frame, reason)])
}

/// The state of a node in words.
pub fn node_state(state: NodeState) -> &'static str {
    match state {
        NodeState::Down => "went down",
        NodeState::Draining => "is being drained",
        NodeState::Ready => "is ready",
    }
}

/// The sibling ancestors at which the paths of two queues split, and their parent.
pub fn split(frame: &Frame, a: QueueId, b: QueueId) -> Option<(QueueId, QueueId, Option<QueueId>)> {
    let path = |queue: QueueId| {
        let mut path = vec![queue.0];
        while let Some(parent) = frame.queues.get(path[path.len() - 1] as usize).and_then(|row| row.parent) {
            if path.len() > frame.queues.len() {
                break;
            }
            path.push(parent);
        }
        path.reverse();
        path
    };
    let (one, two) = (path(a), path(b));
    let level = one.iter().zip(&two).position(|(x, y)| x != y)?;
    let parent = level.checked_sub(1).map(|above| QueueId(one[above]));
    Some((QueueId(one[level]), QueueId(two[level]), parent))
}

/// The evicted job and the job that replaces it.
pub fn reclaimed_for(frame: &Frame, event: &EventRow) -> Text {
    let by = event.by().map(|by| text!(" so that {taker} can run", [taker = job(frame.job(by))]));
    text!("{victim} was [evicted]{by}", [victim = job(frame.job_name(event)), by])
}

/// The sentence of a mark; empty for an event.
pub fn marked(frame: &Frame, event: &EventRow) -> Text {
    let What::Mark(Mark { rule, subject }) = event.what else { return Text::default() };
    let about = match (subject.job, subject.other_queue) {
        (Some(id), _) => job(frame.job(id)),
        (None, None) => queue_of(frame, subject.queue),
        (None, other) => {
            text!("{one} and {other}", [one = queue_of(frame, subject.queue), other = queue_of(frame, other)])
        }
    };
    text!("{about}: {says}", [about, says = rule.0.says])
}

/// The resource by which a request is named, and its amount: GPUs if there are some, else the one that the jobs of the
/// run compete for, else CPU or memory; `None`: nothing but pods is requested.
pub fn requested_amount(contended: Resource, request: &Amounts) -> Option<(Resource, f64)> {
    let amount = |resource: Resource| Some((resource, request[resource.index()])).filter(|(_, amount)| *amount > 0.0);
    [Resource::GPU, contended, Resource::CPU, Resource::MEMORY].into_iter().find_map(amount)
}

/// The named amount with its unit; empty if nothing but pods is requested.
pub fn requested(frame: &Frame, request: &Amounts) -> String {
    let named = requested_amount(frame.names.resource, request);
    named.map_or(String::new(), |(resource, amount)| with_unit(resource, amount))
}

/// The amount after a comma; nothing for an empty one.
pub fn after_comma(amount: &str) -> String {
    if amount.is_empty() { String::new() } else { format!(", {amount}") }
}
