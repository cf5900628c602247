//! Checks of the priorities of an ask and a victim, with the offsets and fences between them.
//!
//! # Rule
//! On the way to the queue that both paths have in common, each queue adds its offset, or replaces the priority by it
//! behind a fence. The offset of the common queue counts for the ask alone. Fences inside a fence are compared,
//! too.
//!
//! # Source
//! yunikorn.md 5.3

use super::explain::{between, queue_id};
use super::memory::Memory;
use super::model::{AskIx, QueueIx};
use super::priority::{PriorityPolicy, counted};
use super::rules;
use crate::policy::PartitionView;
use crate::policy::checks::term;
use crate::trace::{Check, Op, Quantity, Subject, Value};

/// The offsets that count for the ask and for the victim, then the comparisons of their priorities.
pub fn checks(world: PartitionView<'_>, memory: &Memory, ask: AskIx, victim: AskIx) -> Vec<Check> {
    let core = &memory.core;
    let leaf = |ask: AskIx| core.apps[core.asks[ask].app].queue;
    let path = core.fence(ask);
    let is_common = |ix: &QueueIx| path.iter().any(|(queue, _)| queue == ix);
    let Some(common) = core.upwards(leaf(victim)).find(is_common) else { return Vec::new() };
    let Some(limit) = path.iter().find(|(queue, _)| *queue == common).map(|(_, value)| *value) else {
        return Vec::new();
    };
    let priority = |ask: AskIx| i64::from(core.asks[ask].priority);
    let of_ask = path.iter().map(|(queue, _)| *queue).take_while(|&ix| ix != common).chain([common]);
    let of_victim = core.upwards(leaf(victim)).take_while(|&ix| ix != common);
    let subject = between(world, memory, victim, ask);
    let subject_of = |ask: AskIx| Subject { job: between(world, memory, ask, ask).job, ..Subject::default() };
    let (mut checks, _) = steps(memory, subject_of(ask), priority(ask), of_ask);
    let (of_victim, compared) = steps(memory, subject_of(victim), priority(victim), of_victim);
    checks.extend(of_victim);
    checks.extend(compared.into_iter().map(|value| {
        let values = [value, limit].map(Value::Count);
        rules::compare(rules::VICTIM_PRIORITY, subject, Quantity::Priority, values, Op::AtMost)
    }));
    checks
}

/// The offsets on a path from a leaf upwards, and the priorities compared in its end: those of its fences, the
/// outermost last, else that of the task.
fn steps(
    memory: &Memory,
    subject: Subject,
    priority: i64,
    path: impl Iterator<Item = QueueIx>,
) -> (Vec<Check>, Vec<i64>) {
    let (mut checks, mut compared) = (Vec::new(), vec![priority]);
    let mut is_fenced = false;
    for ix in path {
        let properties = &memory.core.queues[ix].properties;
        let (policy, offset) = (properties.priority_policy, properties.offset);
        let fences = policy == PriorityPolicy::Fence;
        if !fences && offset == 0 {
            continue;
        }
        let subject = Subject { queue: queue_id(memory, ix), ..subject };
        let previous = *compared.last().unwrap_or(&priority);
        match policy {
            PriorityPolicy::Default => {
                compared.iter_mut().for_each(|value| *value = counted(policy, offset, *value));
            }
            PriorityPolicy::Fence if is_fenced => compared.push(i64::from(offset)),
            PriorityPolicy::Fence => compared = vec![i64::from(offset)],
        }
        is_fenced |= fences;
        let offset = i64::from(offset);
        let (rule, left) = match policy {
            PriorityPolicy::Default => (rules::OFFSET, term(Quantity::Priority, Value::Sum([previous, offset]))),
            PriorityPolicy::Fence => (rules::PRIORITY_FENCE, term(Quantity::PriorityOffset, Value::Count(offset))),
        };
        let right = term(Quantity::Priority, Value::Count(*compared.last().unwrap_or(&priority)));
        checks.push(Check::new(rule, subject, left, Op::Equal, right));
    }
    (checks, compared)
}
