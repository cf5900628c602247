//! Reasons why jobs are still pending at the end of a pass.
//!
//! # Rule
//! One reason per job: victims are terminating for it; another ask was placed in this pass, which ends it; the request
//! exceeds the headroom of a queue below the root, or of the user; too many applications; no node is large enough, or none
//! has room.
//!
//! # Source
//! yunikorn.md 3.3, 3.5

use std::collections::BTreeMap;

use super::amounts;
use super::cycle::CycleResult;
use super::explain::{queue_id, short_of};
use super::memory::{Memory, until};
use super::model::{AskIx, Skip};
use super::rules;
use crate::cluster::Phase;
use crate::id::{Id, JobId};
use crate::policy::PartitionView;
use crate::time::Time;
use crate::trace::{
    Check, Ending, Gate, NodeReason, NotAccepted, Op, Outlook, Quantity, Refusal, Subject, Trace, Value,
};
use crate::units::Resource;

/// Records one refusal per pending job.
pub fn refuse(world: PartitionView<'_>, memory: &Memory, found: Option<&CycleResult>, trace: &mut Trace) {
    let core = &memory.core;
    let pass = Pass {
        world,
        memory,
        served: found.and_then(|found| memory.pod_of(found.ask)).map(|pod| world.cluster.pods[pod].job),
        skipped: core.tried.iter().rev().copied().collect(),
    };
    for job in world.live_jobs() {
        let mut asks = world.cluster.pods_of(job).filter(|(_, pod)| pod.phase == Phase::Pending);
        let waiting = asks.find_map(|(pod, _)| {
            let ask = memory.asks.get(&pod).copied();
            ask.is_none_or(|ask| !core.asks[ask].allocated).then_some(ask)
        });
        let Some(ask) = waiting else { continue };
        if let Some(gate) = memory.gangs.gate(core, job) {
            let outlook = gang_outlook(world, memory, job, &gate);
            // A gang is pending for the same reason as its next placeholder.
            let (also, checks) = match memory.gangs.next(core, job) {
                Some(ask) => {
                    let (gate, _, checks) = pass.reason(job, Some(ask));
                    (vec![gate], checks)
                }
                None => (Vec::new(), Vec::new()),
            };
            trace.refusal(|| Refusal { job, gate, also, checks, outlook });
            continue;
        }
        let (gate, outlook, checks) = pass.reason(job, ask);
        trace.refusal(|| Refusal { job, gate, also: Vec::new(), checks, outlook });
    }
}

/// Outlook of a gang whose pods may not start yet.
fn gang_outlook(world: PartitionView<'_>, memory: &Memory, job: JobId, gate: &Gate) -> Outlook {
    let from = |time, what| Outlook::of_end(world.now, time, what);
    match gate {
        Gate::GangFailed | Gate::GangRefused => Outlook::OnlyByEdit,
        Gate::GangIncomplete { until: Some(until), .. } => from(*until, Ending::Reservation),
        Gate::NotReady => {
            memory.gangs.resumes_at(job).map_or(Outlook::NotForeseeable, |at| from(at, Ending::Backoff))
        }
        _ => Outlook::NotForeseeable,
    }
}

/// A completed pass.
struct Pass<'p> {
    world: PartitionView<'p>,
    memory: &'p Memory,
    /// The job whose ask was placed, which ends the pass.
    served: Option<JobId>,
    /// Why asks were skipped, at their first attempt.
    skipped: BTreeMap<AskIx, Skip>,
}

impl Pass<'_> {
    fn reason(&self, job: JobId, ask: Option<AskIx>) -> (Gate, Outlook, Vec<Check>) {
        let &Pass { world, memory, .. } = self;
        let Some(ask) = ask else {
            return (not_accepted(world, memory, job), Outlook::OnlyByEdit, Vec::new());
        };
        let is_triggered = memory.core.asks[ask].triggered;
        let mut leaving = memory.leaving_for(job).peekable();
        if is_triggered && leaving.peek().is_some() {
            let last = leaving.filter_map(|pod| until(world.cluster.pods[pod].phase)).max();
            let outlook = last.map_or(Outlook::NotForeseeable, |time| {
                Outlook::of_end(world.now, time, Ending::Termination)
            });
            return (Gate::WaitingForVictims { until: last }, outlook, Vec::new());
        }
        match (self.skipped.get(&ask), self.served) {
            (Some(Skip::QueueHeadroom), _) => headroom(memory, job, ask),
            (Some(Skip::UserQuota), _) => user_limit(memory, job, ask),
            (Some(Skip::MaxApplications), _) => max_applications(memory, job, ask),
            (None, Some(served)) if served != job => {
                (Gate::Behind { job: served }, Outlook::NotForeseeable, Vec::new())
            }
            _ => {
                let (gate, outlook, checks) = no_node(memory, ask);
                let from = memory.core.may_preempt_from(ask).map(Time::from_millis);
                match (outlook, from) {
                    (Outlook::NotForeseeable, Some(from)) => (gate, Outlook::MayPreempt { from }, checks),
                    _ => (gate, outlook, checks),
                }
            }
        }
    }
}

/// Gate of a job whose application the core rejected.
fn not_accepted(world: PartitionView<'_>, memory: &Memory, job: JobId) -> Gate {
    let core = &memory.core;
    let queue = world.cluster.jobs[job].queue;
    match memory.queues[queue.index()] {
        None => Gate::NotAccepted { why: NotAccepted::NoQueue },
        Some(at) if core.queues[at].draining => Gate::NotAccepted { why: NotAccepted::Draining },
        Some(_) => Gate::NotALeaf,
    }
}

/// Outlook of an exceeded bound: only an edit helps if the ask alone exceeds it.
fn bound_outlook(alone: i64, bound: i64) -> Outlook {
    if alone > bound { Outlook::OnlyByEdit } else { Outlook::NotForeseeable }
}

fn headroom(memory: &Memory, job: JobId, ask: AskIx) -> (Gate, Outlook, Vec<Check>) {
    let core = &memory.core;
    let Some((at, resource)) = short_of(memory, ask) else { return no_node(memory, ask) };
    let (Some(queue), Some(of)) = (queue_id(memory, at), memory.resource_types.of(resource)) else {
        return no_node(memory, ask);
    };
    let subject =
        Subject { queue: Some(queue), job: Some(job), resource: Some(resource), ..Subject::default() };
    let with = core.queues[at].allocated.get(of).saturating_add(core.asks[ask].resource.get(of));
    let (left, right) = ((Quantity::AllocatedWithJob, with), (Quantity::Limit, core.queues[at].max.get(of)));
    let check = rules::amounts(rules::HEADROOM, subject, left, Op::AtMost, right);
    let alone = core.asks[ask].resource.get(of);
    (Gate::OverLimit { queue, resource }, bound_outlook(alone, core.queues[at].max.get(of)), vec![check])
}

fn user_limit(memory: &Memory, job: JobId, ask: AskIx) -> (Gate, Outlook, Vec<Check>) {
    let core = &memory.core;
    let wanted = &core.asks[ask].resource;
    let limits = core.limits_of(core.asks[ask].app).filter(|(_, limit, _)| !limit.max.is_zero());
    for (at, limit, used) in limits {
        let Some(queue) = queue_id(memory, at) else { continue };
        for (resource, of) in memory.resource_types.accounted() {
            let with = used.map_or(0, |used| used.resource.get(of)).saturating_add(wanted.get(of));
            if !wanted.has(of) || !limit.max.has(of) || with <= limit.max.get(of) {
                continue;
            }
            let subject = Subject {
                queue: Some(queue),
                job: Some(job),
                resource: Some(resource),
                ..Subject::default()
            };
            let (left, right) = ((Quantity::AllocatedWithJob, with), (Quantity::Limit, limit.max.get(of)));
            let check = rules::amounts(rules::USER_LIMIT, subject, left, Op::AtMost, right);
            let outlook = bound_outlook(wanted.get(of), limit.max.get(of));
            return (Gate::UserLimit { queue, resource }, outlook, vec![check]);
        }
    }
    no_node(memory, ask)
}

fn max_applications(memory: &Memory, job: JobId, ask: AskIx) -> (Gate, Outlook, Vec<Check>) {
    let core = &memory.core;
    let app = core.asks[ask].app;
    let of_queue = core.upwards(core.apps[app].queue).find_map(|at| {
        let queue = &core.queues[at];
        let begun = queue.running + queue.accepted.len() as u64;
        let is_full = queue.max_applications > 0
            && !queue.accepted.contains(&core.apps[app].id)
            && begun + 1 > queue.max_applications;
        is_full.then_some((at, begun, queue.max_applications))
    });
    let of_user = || {
        core.limits_of(app).find_map(|(at, limit, used)| {
            let apps = used.map_or(0, |used| used.apps.len() as u64);
            let most = limit.max_applications;
            (most > 0 && apps + 1 > most).then_some((at, apps, most))
        })
    };
    let found = of_queue.or_else(of_user);
    let Some((at, begun, most)) = found else { return no_node(memory, ask) };
    let Some(queue) = queue_id(memory, at) else { return no_node(memory, ask) };
    let subject = Subject { queue: Some(queue), job: Some(job), ..Subject::default() };
    let count = |n: u64| Value::Count(i64::try_from(n).unwrap_or(i64::MAX));
    let values = [count(begun + 1), count(most)];
    let check = rules::compare(rules::MAX_APPLICATIONS, subject, Quantity::Jobs, values, Op::AtMost);
    (Gate::TooManyJobs { queue }, Outlook::NotForeseeable, vec![check])
}

/// Reasons why nodes cannot take the ask, with the number of nodes for each.
fn reasons(memory: &Memory, ask: AskIx) -> Vec<(NodeReason, u32)> {
    let core = &memory.core;
    let wanted = &core.asks[ask].resource;
    let mut found: Vec<(NodeReason, u32)> = Vec::new();
    for (at, node) in core.nodes.iter().enumerate() {
        let lacks = |r: &Resource| {
            memory.resource_types.of(*r).is_some_and(|of| wanted.get(of) > node.available.get(of).max(0))
        };
        let reason = match memory.resource_types.resources().find(lacks) {
            _ if !node.schedulable => NodeReason::NotReady,
            _ if core.refuses(ask, at) => NodeReason::Selector,
            Some(resource) => NodeReason::Insufficient(resource),
            None if !node.reserved.is_empty() => NodeReason::Gate,
            None => NodeReason::PodSlots,
        };
        match found.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, n)) => *n += 1,
            None => found.push((reason, 1)),
        }
    }
    found
}

fn no_node(memory: &Memory, ask: AskIx) -> (Gate, Outlook, Vec<Check>) {
    let core = &memory.core;
    let wanted = &core.asks[ask].resource;
    let open = |(at, node): &(usize, &super::model::Node)| {
        node.exists && core.asks[ask].refuses.binary_search(at).is_err()
    };
    let nodes: Vec<_> = core.nodes.iter().enumerate().filter(open).map(|(_, node)| node).collect();
    if nodes.iter().any(|node| amounts::fits(&node.capacity, wanted)) || nodes.is_empty() {
        let gate = Gate::NoNode { placed: 0, of: 1, reasons: reasons(memory, ask), free: None };
        return (gate, Outlook::NotForeseeable, Vec::new());
    }
    let too_large = |r: &Resource| {
        memory
            .resource_types
            .of(*r)
            .is_some_and(|of| nodes.iter().all(|node| node.capacity.get(of) < wanted.get(of)))
    };
    let resource = memory.resource_types.resources().find(too_large).unwrap_or(Resource::GPU);
    (Gate::TooLarge { resource }, Outlook::OnlyByEdit, Vec::new())
}
