//! Checks of a preemption whose victims free less than the ask needs.
//!
//! # Source
//! yunikorn.md 5.2, 5.5 f

use super::amounts::Amounts;
use super::explain::queue_id;
use super::memory::Memory;
use super::model::{Ask, AskIx, Excess};
use super::rules;
use crate::id::JobId;
use crate::policy::checks::{applies, term};
use crate::trace::{Check, Op, Quantity, Subject, Value};

/// What the node has with what the victims free, against the request; the resource that ended the search; that there is
/// no further one. Empty if the victims free enough, or the ask has not preempted.
pub fn too_little(memory: &Memory, job: JobId, ask: AskIx) -> Vec<Check> {
    let ask = &memory.core.asks[ask];
    let Some(preemption) = &ask.preemption else { return Vec::new() };
    let types = &memory.resource_types;
    let free = preemption.then_available();
    let subject = Subject { job: Some(job), node: Some(memory.nodes[preemption.node]), ..Subject::default() };
    let mut checks = Vec::new();
    for resource in types.resources() {
        let Some(type_ix) = types.of(resource).filter(|&type_ix| ask.resource.get(type_ix) > free.get(type_ix).max(0))
        else {
            continue;
        };
        let subject = Subject { resource: Some(resource), ..subject };
        let request = (Quantity::Request, ask.resource.get(type_ix));
        let freed = (Quantity::Freed, preemption.freed.get(type_ix));
        let available = (Quantity::IdleOrReleasing, free.get(type_ix));
        checks.push(rules::amounts(rules::ENOUGH_VICTIMS, subject, freed, Op::AtLeast, request));
        checks.push(rules::amounts(rules::ENOUGH_VICTIMS, subject, request, Op::AtMost, available));
    }
    checks.extend(preemption.over.and_then(|over| excess(memory, job, over)));
    if checks.is_empty() {
        return checks;
    }
    checks.extend(what_ended_the_search(memory, ask, &preemption.freed, subject));
    checks.push(applies(rules::PREEMPTS_ONCE, Subject { job: Some(job), ..Subject::default() }));
    checks
}

/// The maximum that a queue exceeds even without the victims.
fn excess(memory: &Memory, job: JobId, over: Excess) -> Option<Check> {
    let types = &memory.resource_types;
    let resource = types.resources().find(|r| types.of(*r) == Some(over.of))?;
    let queue = queue_id(memory, over.queue);
    let subject = Subject { queue, job: Some(job), resource: Some(resource), ..Subject::default() };
    let (left, right) = ((Quantity::AllocatedWithJob, over.with_ask), (Quantity::Limit, over.max));
    Some(rules::amounts(rules::ENOUGH_VICTIMS, subject, left, Op::AtMost, right))
}

/// The first resource of which the victims free more than the request, else pod slots.
fn what_ended_the_search(memory: &Memory, ask: &Ask, freed: &Amounts, subject: Subject) -> Option<Check> {
    let types = &memory.resource_types;
    let exceeds = |type_ix: usize| ask.resource.has(type_ix) && freed.get(type_ix) > ask.resource.get(type_ix);
    let exceeded = types.resources().find_map(|r| Some((r, types.of(r).filter(|&type_ix| exceeds(type_ix))?)));
    if let Some((resource, type_ix)) = exceeded {
        let subject = Subject { resource: Some(resource), ..subject };
        let (left, right) = ((Quantity::Freed, freed.get(type_ix)), (Quantity::Request, ask.resource.get(type_ix)));
        return Some(rules::amounts(rules::ENOUGH_VICTIMS, subject, left, Op::Exceeds, right));
    }
    let type_ix = types.pods().filter(|&type_ix| exceeds(type_ix))?;
    let left = term(Quantity::Freed, Value::Count(freed.get(type_ix)));
    let right = term(Quantity::Request, Value::Count(ask.resource.get(type_ix)));
    Some(Check::new(rules::ENOUGH_VICTIMS, subject, left, Op::Exceeds, right))
}
