//! Reasons why jobs are still pending at the end of a pass.
//!
//! # Rule
//! One reason per job: victims are terminating for it; its node has lost the GPUs that its placeholder held; another ask
//! was placed in this pass, which ends it; the request exceeds the headroom of a queue below the root, or of the user;
//! too many applications; no node is large enough, or none has room.
//!
//! # Source
//! yunikorn.md 3.3, 3.5

use std::cell::Cell;
use std::collections::BTreeMap;

use super::amounts;
use super::behind::behind_checks;
use super::cycle::{CycleResult, NANOS, ResultType};
use super::eviction;
use super::explain::{Order, queue_id, short_of};
use super::memory::{Memory, until};
use super::model::{AskIx, Skip};
use super::node_reasons::NodeReasons;
use super::preempted;
use super::rules;
use crate::cluster::Phase;
use crate::id::{Id, JobId};
use crate::policy::PartitionView;
use crate::policy::checks::applies;
use crate::time::Time;
use crate::trace::{
    Check, Delay, Ending, Gate, NotAccepted, Op, Outlook, Quantity, Refusal, Subject, Term, Trace, Value,
};
use crate::units::Resource;

/// Maximum number of searches for victims of asks that may not preempt yet, per pass.
const SEARCHES: u32 = 10;

/// Records one refusal per pending job.
pub fn refuse(
    world: PartitionView<'_>,
    memory: &Memory,
    orders: &[Order],
    found: Option<&CycleResult>,
    trace: &mut Trace,
) {
    let core = &memory.core;
    let pass = Pass {
        world,
        memory,
        served: found.and_then(|result| memory.pod_of(result.ask)).map(|pod| world.cluster.pods[pod].job),
        skipped: core.tried.iter().rev().copied().collect(),
        found,
        orders,
        searches: Cell::new(0),
    };
    let not_admitted = found.and_then(|result| memory.not_admitted(world, result));
    for job in world.live_jobs() {
        let mut asks = world.cluster.pods_of(job).filter(|(_, pod)| pod.phase == Phase::Pending);
        let waiting = asks.find_map(|(pod, _)| {
            let ask = memory.asks.get(&pod).copied();
            let is_waiting = |ask: AskIx| !core.asks[ask].allocated || not_admitted == Some(pod);
            ask.is_none_or(is_waiting).then_some(ask)
        });
        let Some(ask) = waiting else { continue };
        if let Some(gate) = memory.gangs.gate(core, job) {
            let outlook = gang_outlook(world, &gate);
            // A gang is pending for the same reason as its next placeholder.
            let (also, checks) = match memory.gangs.next(core, job) {
                Some(ask) => {
                    let (gate, _, checks) = pass.reason(job, Some(ask));
                    // Another placeholder of the gang was placed in this pass.
                    let is_own = gate == Gate::Behind { job };
                    (Some(gate).filter(|_| !is_own).into_iter().collect(), checks)
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
fn gang_outlook(world: PartitionView<'_>, gate: &Gate) -> Outlook {
    let from = |time, what| Outlook::of_end(world.now, time, what);
    match gate {
        Gate::GangFailed | Gate::GangRefused => Outlook::OnlyByEdit,
        Gate::GangIncomplete { until: Some(until), .. } => from(*until, Ending::Reservation),
        Gate::Delayed { until, .. } => from(*until, Ending::Backoff),
        _ => Outlook::NotForeseeable,
    }
}

/// Why a job waits, what ends that, and the comparisons.
type Reason = (Gate, Outlook, Vec<Check>);

/// Outlook of an ask for which room is reserved by placeholders of one gang: their timeout.
fn reservation_outlook(world: PartitionView<'_>, memory: &Memory, reserved: &[Check]) -> Outlook {
    let [check] = reserved else { return Outlook::NotForeseeable };
    let gang = check.subject.other_job.filter(|_| check.right.quantity == Quantity::Reserved);
    match gang.and_then(|job| memory.gangs.gate(&memory.core, job)) {
        Some(Gate::GangIncomplete { until: Some(until), .. }) => Outlook::of_end(world.now, until, Ending::Reservation),
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
    found: Option<&'p CycleResult>,
    /// The order before the pass.
    orders: &'p [Order],
    /// Number of searches for victims of asks that may not preempt yet.
    searches: Cell<u32>,
}

impl Pass<'_> {
    fn reason(&self, job: JobId, ask: Option<AskIx>) -> Reason {
        let &Pass { world, memory, .. } = self;
        let Some(ask) = ask else {
            return (not_accepted(world, memory, job), Outlook::OnlyByEdit, Vec::new());
        };
        if let Some(reason) = self.while_victims_leave(job, ask) {
            return reason;
        }
        let (gate, outlook, checks) = self.not_placed(job, ask);
        let spent = preempted::too_little(memory, job, ask);
        if !spent.is_empty() && !matches!(gate, Gate::Behind { .. }) {
            let is_new = |check: &Check| !spent.iter().any(|seen| seen.left == check.left && seen.right == check.right);
            let checks: Vec<Check> = checks.into_iter().filter(is_new).collect();
            let checks = spent.into_iter().chain(checks).collect();
            return (Gate::PreemptedTooLittle, Outlook::NotForeseeable, checks);
        }
        self.until_preemption(ask, (gate, outlook, checks))
    }

    /// The reason while victims terminate for the ask.
    fn while_victims_leave(&self, job: JobId, ask: AskIx) -> Option<Reason> {
        let &Pass { world, memory, .. } = self;
        let mut leaving = memory.leaving_for(job).peekable();
        if !memory.core.asks[ask].triggered || leaving.peek().is_none() {
            return None;
        }
        let spent = preempted::too_little(memory, job, ask);
        if !spent.is_empty() {
            return Some((Gate::PreemptedTooLittle, Outlook::NotForeseeable, spent));
        }
        let last = leaving.filter_map(|pod| until(world.cluster.pods[pod].phase)).max();
        let outlook =
            last.map_or(Outlook::NotForeseeable, |time| Outlook::of_end(world.now, time, Ending::Termination));
        Some((Gate::WaitingForVictims { until: last }, outlook, Vec::new()))
    }

    /// Why the ask was not placed.
    fn not_placed(&self, job: JobId, ask: AskIx) -> Reason {
        let &Pass { world, memory, .. } = self;
        if let Some(result) = self.found.filter(|result| result.ask == ask && memory.core.asks[ask].allocated) {
            return (Gate::NoDevice { node: memory.nodes[result.node] }, Outlook::NextCycle, Vec::new());
        }
        match (self.skipped.get(&ask), self.served) {
            (Some(Skip::QueueHeadroom), _) => headroom(world, memory, job, ask),
            (Some(Skip::UserQuota), _) => user_limit(world, memory, job, ask),
            (Some(Skip::MaxApplications), _) => max_applications(world, memory, job, ask),
            (Some(Skip::Backoff), _) => backoff(world, memory, ask),
            (None, Some(served)) if served != job => self.behind(job, ask, served),
            (None, Some(served)) if self.is_placed_by_pass(ask) => {
                (Gate::Behind { job: served }, Outlook::NextCycle, Vec::new())
            }
            _ => no_node(world, memory, job, ask),
        }
    }

    /// Whether the pass placed another ask than this one.
    fn is_placed_by_pass(&self, ask: AskIx) -> bool {
        let placed = [ResultType::Allocated, ResultType::AllocatedReserved, ResultType::Replaced];
        self.found.is_some_and(|result| result.ask != ask && placed.contains(&result.kind))
    }

    /// The reason of a job that was not reached, because another one was served.
    fn behind(&self, job: JobId, ask: AskIx, served: JobId) -> Reason {
        let behind = self.found.map(|found| behind_checks(self.world, self.memory, self.orders, found, ask));
        let subject = Subject { job: Some(job), other_job: Some(served), ..Subject::default() };
        let checks = behind.unwrap_or_else(|| vec![applies(rules::SERVED_FIRST, subject)]);
        (Gate::Behind { job: served }, Outlook::NotForeseeable, checks)
    }

    /// The same reason, with the time from which the ask may preempt, if it would find victims now.
    fn until_preemption(&self, ask: AskIx, (gate, outlook, mut checks): Reason) -> Reason {
        let &Pass { world, memory, .. } = self;
        let core = &memory.core;
        let skip = self.skipped.get(&ask).filter(|skip| matches!(skip, Skip::NoNode | Skip::QueueHeadroom));
        let (Some(skip), Some(from)) = (skip, core.may_preempt_from(ask)) else {
            return (gate, outlook, checks);
        };
        let is_tried = self.searches.get() < SEARCHES;
        self.searches.set(self.searches.get() + 1);
        if !is_tried || !core.would_preempt(ask, *skip == Skip::NoNode) {
            return (gate, outlook, checks);
        }
        checks.push(eviction::guarantee_of(world, memory, ask));
        let outlook = Outlook::of_end(world.now, Time::from_millis(from), Ending::PreemptionDelay);
        (gate, outlook, checks)
    }
}

/// The reason of an application in back-off.
fn backoff(world: PartitionView<'_>, memory: &Memory, ask: AskIx) -> Reason {
    let core = &memory.core;
    let nanos = core.apps[core.asks[ask].app].backoff_until;
    let until = Time::from_millis(nanos.saturating_add(NANOS - 1) / NANOS);
    let outlook = Outlook::of_end(world.now, until, Ending::Backoff);
    (Gate::Delayed { until, why: Delay::Backoff }, outlook, Vec::new())
}

/// Gate of a job whose application the core rejected.
fn not_accepted(world: PartitionView<'_>, memory: &Memory, job: JobId) -> Gate {
    let core = &memory.core;
    let queue = world.cluster.jobs[job].queue;
    match memory.queues[queue.index()] {
        None => Gate::NotAccepted { why: NotAccepted::NoQueue },
        Some(ix) if core.queues[ix].draining => Gate::NotAccepted { why: NotAccepted::Draining },
        Some(_) => Gate::NotALeaf,
    }
}

/// Outlook of an exceeded bound: only an edit helps if the ask alone exceeds it.
fn bound_outlook(alone: i64, bound: i64) -> Outlook {
    if alone > bound { Outlook::OnlyByEdit } else { Outlook::NotForeseeable }
}

fn headroom(world: PartitionView<'_>, memory: &Memory, job: JobId, ask: AskIx) -> Reason {
    let core = &memory.core;
    let Some((ix, resource)) = short_of(memory, ask) else { return no_node(world, memory, job, ask) };
    let (Some(queue), Some(type_ix)) = (queue_id(memory, ix), memory.resource_types.of(resource)) else {
        return no_node(world, memory, job, ask);
    };
    let subject = Subject { queue: Some(queue), job: Some(job), resource: Some(resource), ..Subject::default() };
    let usage = core.queues[ix].allocated.get(type_ix).saturating_add(core.asks[ask].resource.get(type_ix));
    let (left, right) = ((Quantity::AllocatedWithJob, usage), (Quantity::Limit, core.queues[ix].max.get(type_ix)));
    let check = rules::amounts(rules::HEADROOM, subject, left, Op::AtMost, right);
    let request = core.asks[ask].resource.get(type_ix);
    (Gate::OverLimit { queue, resource }, bound_outlook(request, core.queues[ix].max.get(type_ix)), vec![check])
}

fn user_limit(world: PartitionView<'_>, memory: &Memory, job: JobId, ask: AskIx) -> Reason {
    let core = &memory.core;
    let request = &core.asks[ask].resource;
    let limits = core.limits_of(core.asks[ask].app).filter(|(_, limit, _)| !limit.max.is_zero());
    for (ix, limit, used) in limits {
        let Some(queue) = queue_id(memory, ix) else { continue };
        for (resource, type_ix) in memory.resource_types.accounted() {
            let usage = used.map_or(0, |used| used.resource.get(type_ix)).saturating_add(request.get(type_ix));
            if !request.has(type_ix) || !limit.max.has(type_ix) || usage <= limit.max.get(type_ix) {
                continue;
            }
            let subject =
                Subject { queue: Some(queue), job: Some(job), resource: Some(resource), ..Subject::default() };
            let (left, right) = ((Quantity::AllocatedWithJob, usage), (Quantity::Limit, limit.max.get(type_ix)));
            let check = rules::amounts(rules::USER_LIMIT, subject, left, Op::AtMost, right);
            let outlook = bound_outlook(request.get(type_ix), limit.max.get(type_ix));
            return (Gate::UserLimit { queue, resource }, outlook, vec![check]);
        }
    }
    no_node(world, memory, job, ask)
}

fn max_applications(world: PartitionView<'_>, memory: &Memory, job: JobId, ask: AskIx) -> Reason {
    let core = &memory.core;
    let app = core.asks[ask].app;
    let of_queue = core.upwards(core.apps[app].queue).find_map(|ix| {
        let queue = &core.queues[ix];
        let begun = queue.running + queue.accepted.len() as u64;
        let is_full = queue.max_applications > 0
            && !queue.accepted.contains(&core.apps[app].id)
            && begun + 1 > queue.max_applications;
        is_full.then_some((ix, begun, queue.max_applications))
    });
    let of_user = || {
        core.limits_of(app).find_map(|(ix, limit, used)| {
            let apps = used.map_or(0, |used| used.apps.len() as u64);
            let apps_max = limit.max_applications;
            (apps_max > 0 && apps + 1 > apps_max).then_some((ix, apps, apps_max))
        })
    };
    let at_maximum = of_queue.or_else(of_user);
    let Some((ix, begun, apps_max)) = at_maximum else { return no_node(world, memory, job, ask) };
    let Some(queue) = queue_id(memory, ix) else { return no_node(world, memory, job, ask) };
    let subject = Subject { queue: Some(queue), job: Some(job), ..Subject::default() };
    let count = |n: u64| Value::Count(i64::try_from(n).unwrap_or(i64::MAX));
    let left = Term::new(Quantity::Jobs, count(begun + 1));
    let right = Term::new(Quantity::Limit, count(apps_max));
    let check = Check::new(rules::MAX_APPLICATIONS, subject, left, Op::AtMost, right);
    (Gate::TooManyJobs { queue }, Outlook::NotForeseeable, vec![check])
}

fn no_node(world: PartitionView<'_>, memory: &Memory, job: JobId, ask: AskIx) -> Reason {
    let core = &memory.core;
    let request = &core.asks[ask].resource;
    let open =
        |(i, node): &(usize, &super::model::Node)| node.exists && core.asks[ask].refuses.binary_search(i).is_err();
    let nodes: Vec<_> = core.nodes.iter().enumerate().filter(open).map(|(_, node)| node).collect();
    let fits = nodes.is_empty() || nodes.iter().any(|node| amounts::fits(&node.capacity, request));
    let too_large = |resource: Resource| {
        let type_ix = memory.resource_types.of(resource)?;
        let largest = nodes.iter().map(|node| node.capacity.get(type_ix)).max()?;
        let subject = Subject { job: Some(job), resource: Some(resource), ..Subject::default() };
        let (left, right) = ((Quantity::Request, request.get(type_ix)), (Quantity::Capacity, largest));
        let check = rules::amounts(rules::FIRST_FIT, subject, left, Op::AtMost, right);
        (!check.holds).then_some((Gate::TooLarge { resource }, Outlook::OnlyByEdit, vec![check]))
    };
    let too_large = memory.resource_types.resources().find_map(too_large).filter(|_| !fits);
    if let Some(reason) = too_large {
        return reason;
    }
    let nodes = NodeReasons::new(world, memory, ask);
    let free = Some(nodes.free_gpus());
    let gate = Gate::NoNode { placed: 0, of: 1, reasons: nodes.counted(), free };
    let mut checks = nodes.reservations(job);
    // Without a node that is large enough in every resource, room does not help.
    let outlook = if fits { reservation_outlook(world, memory, &checks) } else { Outlook::OnlyByEdit };
    checks.extend(nodes.largest_room(job));
    (gate, outlook, checks)
}
