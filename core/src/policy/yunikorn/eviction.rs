//! Checks behind evictions: the guarantees and priorities of both sides, a lowered maximum, a required node.
//!
//! # Source
//! yunikorn.md 5

use super::explain::{between, queue_id};
use super::memory::Memory;
use super::model::{AskIx, Core, QueueIx};
use super::{rules, victim_priority};
use crate::policy::PartitionView;
use crate::policy::checks::applies;
use crate::trace::{Check, Op, Quantity, Subject};
use crate::units::Resource;

/// Checks for a victim that was marked for an ask below its guarantee.
pub fn eviction_checks(
    world: PartitionView<'_>,
    memory: &Memory,
    ask: AskIx,
    marked: &[AskIx],
    victim: AskIx,
) -> Vec<Check> {
    let subject = between(world, memory, ask, victim);
    let mut checks = vec![below_guarantee(memory, ask, subject), above_guarantee(memory, ask, marked, victim, subject)];
    checks.extend(victim_priority::checks(world, memory, ask, victim));
    checks
}

/// Check for a victim on a required node: its priority is not above that of the ask.
pub fn required_node_checks(world: PartitionView<'_>, memory: &Memory, ask: AskIx, victim: AskIx) -> Vec<Check> {
    let subject = between(world, memory, victim, ask);
    let [left, right] = [victim, ask].map(|ask| i64::from(memory.core.asks[ask].priority));
    let (left, right) = ((Quantity::Priority, left), (Quantity::Priority, right));
    vec![rules::amounts(rules::REQUIRED_NODE, subject, left, Op::AtMost, right)]
}

/// Check that the ask fits the guarantee of its leaf; without numbers if only an ancestor has a guarantee.
fn below_guarantee(memory: &Memory, ask: AskIx, subject: Subject) -> Check {
    let core = &memory.core;
    let request = &core.asks[ask].resource;
    let leaf = &core.queues[core.apps[core.asks[ask].app].queue];
    let is_common = |&(_, type_ix): &(Resource, usize)| request.has(type_ix) && leaf.guaranteed.has(type_ix);
    for (resource, type_ix) in memory.resource_types.accounted().filter(is_common) {
        let usage = leaf.allocated.get(type_ix) - leaf.preempting.get(type_ix);
        let (left, right) = (usage.saturating_add(request.get(type_ix)), leaf.guaranteed.get(type_ix));
        let (left, right) = ((Quantity::AllocatedWithJob, left), (Quantity::Quota, right));
        let subject = Subject { resource: Some(resource), ..subject };
        let check = rules::amounts(rules::BELOW_GUARANTEE, subject, left, Op::AtMost, right);
        if check.holds {
            return check;
        }
    }
    applies(rules::BELOW_GUARANTEE, subject)
}

/// Check that a waiting ask fits the guarantee of its leaf.
pub fn guarantee_of(world: PartitionView<'_>, memory: &Memory, ask: AskIx) -> Check {
    let subject = between(world, memory, ask, ask);
    below_guarantee(memory, ask, Subject { other_queue: None, other_job: None, ..subject })
}

/// What a queue uses without the tasks marked so far, before the remaining ones are marked.
fn kept_before(core: &Core, ix: QueueIx, remaining: &[AskIx], type_ix: usize) -> i64 {
    let is_below = |&&m: &&AskIx| core.upwards(core.apps[core.asks[m].app].queue).any(|q| q == ix);
    let remaining_amount: i64 = remaining.iter().filter(is_below).map(|&m| core.asks[m].resource.get(type_ix)).sum();
    core.queues[ix].allocated.get(type_ix) - core.queues[ix].preempting.get(type_ix) + remaining_amount
}

/// Check that the victim's leaf, or a queue above it, exceeds its guarantee after the evictions marked earlier.
fn above_guarantee(memory: &Memory, ask: AskIx, marked: &[AskIx], victim: AskIx, subject: Subject) -> Check {
    let core = &memory.core;
    let request = &core.asks[ask].resource;
    let earlier = marked.iter().position(|&m| m == victim).unwrap_or_default();
    let later = &marked[earlier..];
    for ix in core.upwards(core.apps[core.asks[victim].app].queue) {
        let queue = &core.queues[ix];
        for (resource, type_ix) in memory.resource_types.accounted().filter(|&(_, type_ix)| request.has(type_ix)) {
            let usage = kept_before(core, ix, later, type_ix);
            let (left, right) =
                ((Quantity::AllocatedWithoutVictims, usage), (Quantity::Quota, queue.guaranteed.get(type_ix)));
            let subject = Subject { other_queue: queue_id(memory, ix), resource: Some(resource), ..subject };
            let check = rules::amounts(rules::ABOVE_GUARANTEE, subject, left, Op::Exceeds, right);
            if check.holds {
                return check;
            }
        }
    }
    applies(rules::ABOVE_GUARANTEE, Subject { queue: subject.other_queue, other_queue: subject.queue, ..subject })
}

/// Check for a task evicted without a preemptor: a queue on its path uses more than its lowered maximum.
pub fn lowered_maximum_checks(memory: &Memory, marked: &[AskIx], victim: AskIx) -> Vec<Check> {
    let core = &memory.core;
    let start = marked.iter().position(|&m| m == victim).unwrap_or_default();
    let pod = memory.pods.get(&victim).copied();
    for ix in core.upwards(core.apps[core.asks[victim].app].queue) {
        let queue = &core.queues[ix];
        for (resource, type_ix) in memory.resource_types.accounted().filter(|&(_, type_ix)| queue.max.has(type_ix)) {
            let usage = kept_before(core, ix, &marked[start..], type_ix);
            let (left, right) = ((Quantity::Allocated, usage), (Quantity::Limit, queue.max.get(type_ix)));
            let subject = Subject { queue: queue_id(memory, ix), pod, resource: Some(resource), ..Subject::default() };
            let check = rules::amounts(rules::LOWERED_MAX, subject, left, Op::Exceeds, right);
            if check.holds && queue.parent.is_some() {
                return vec![check];
            }
        }
    }
    Vec::new()
}
