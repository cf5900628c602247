//! Why jobs are still pending at the end of a cycle.
//!
//! # Rule
//! One dominant reason: not a leaf, not ready; too large for every node; over limit, over quota; not entitled; no
//! victims that would help, for it or for an equivalent job that was tried first; no evictions yet; no node fits;
//! behind others. A job that claims room waits for victims, and earlier refusals no longer count. The outlook of a
//! refusal is completed in `outlooks`.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::super::record::notes::{Excess, Failure};
use crate::policy::kai::number::Quantities;
use crate::policy::kai::place::placement::ROOM;
use crate::policy::kai::record::notes::{Note, count, real};
use crate::policy::kai::record::recorder::Recorder;
use crate::policy::kai::session::Session;
use crate::policy::kai::share::division::PRIORITY;
use crate::policy::kai::share::shares::Queue;
use crate::policy::kai::task::{JobRef, QueueRef, Status, TaskRef};
use crate::trace::{Check, FreeGpus, Gate, Op, Outlook, Quantity, Refusal, Subject, Value};
use crate::units::{Amount, Resource};

/// A reason and the numbers compared.
type Reason = (Gate, Vec<Check>);

/// What the refusals of a cycle look up, found in one pass over the session's jobs.
struct Lookup {
    /// Jobs that claim room.
    claimants: BTreeSet<JobRef>,
    /// By queue, the first two jobs with pending pods in serving order.
    first: BTreeMap<Option<QueueRef>, Vec<JobRef>>,
    /// By queue and resource, the comparison of priorities that explains a fair share of nothing, once it was looked
    /// for.
    higher: RefCell<BTreeMap<(QueueRef, usize), Option<Check>>>,
    /// Fair shares without past usage, once they were looked for.
    without_usage: OnceCell<Vec<Quantities>>,
}

impl Lookup {
    fn of(session: &Session<'_>, out: &Recorder<'_>) -> Lookup {
        let mut first: BTreeMap<Option<QueueRef>, Vec<JobRef>> = BTreeMap::new();
        let is_served = |job: &JobRef| session.job(*job).has_pending() && session.facts_of(*job).is_ordered;
        for job in session.own_jobs().filter(is_served) {
            let first_jobs = first.entry(session.facts_of(job).queue).or_default();
            first_jobs.insert(first_jobs.partition_point(|&listed| session.state.job_order(listed, job).is_le()), job);
            first_jobs.truncate(2);
        }
        let claimants = out.claims.iter().map(|claim| claim.0).collect();
        Lookup { claimants, first, higher: RefCell::default(), without_usage: OnceCell::new() }
    }
}

impl Session<'_> {
    /// One refusal for each job with pending pods, sorted by job.
    pub fn refusals(&mut self, out: &Recorder<'_>) -> Vec<Refusal> {
        if !self.notes.is_on() {
            return Vec::new();
        }
        let waits = |t: TaskRef| {
            matches!(self.task(t).status, Status::Pending | Status::Gated | Status::Pipelined)
                && self.pod_of(t).held_on().is_none()
        };
        let waiting: Vec<JobRef> = self.own_jobs().filter(|&job| self.job(job).tasks().any(waits)).collect();
        let lookup = Lookup::of(self, out);
        let mut refusals: Vec<Refusal> = waiting.into_iter().map(|job| self.refusal(job, &lookup)).collect();
        refusals.sort_by_key(|r| r.job);
        refusals
    }

    fn refusal(&self, job: JobRef, lookup: &Lookup) -> Refusal {
        let id = self.facts_of(job).id;
        if lookup.claimants.contains(&job) {
            // Earlier refusals of the cycle no longer apply. The end of the last victim is known after the decisions.
            let gate = Gate::WaitingForVictims { until: None };
            return Refusal { job: id, gate, also: Vec::new(), checks: Vec::new(), outlook: Outlook::NotForeseeable };
        }
        let reasons = self.gates(job, self.notes.of(job), lookup);
        let (gates, checks): (Vec<Gate>, Vec<Vec<Check>>) = reasons.into_iter().unzip();
        let mut gates = gates.into_iter();
        let gate = gates.next().expect("there is always a reason");
        let outlook = self.outlook(job, &gate);
        // There may be very many refusals, so no capacity is wasted.
        Refusal { job: id, gate, also: gates.collect(), checks: checks.concat(), outlook }
    }

    /// The outlook that follows from a reason alone, without regard to running jobs.
    fn outlook(&self, job: JobRef, gate: &Gate) -> Outlook {
        let note = self.notes.of(job);
        let is_never = |failure: &&Failure| matches!(failure, Failure::Excess(e) if e.requested > e.bound);
        let never = || [&note.not_placed, &note.over_quota].into_iter().flatten().any(|f| is_never(&f));
        match gate {
            // It may be offered to its next node pool once they are gone.
            Gate::TriedOnce if self.is_being_replaced(job) => Outlook::NotForeseeable,
            Gate::TriedOnce | Gate::NotALeaf | Gate::TooLarge { .. } => Outlook::OnlyByEdit,
            Gate::OverLimit { .. } | Gate::NonPreemptibleOverQuota { .. } if never() => Outlook::OnlyByEdit,
            Gate::NotReady if !self.is_being_replaced(job) => Outlook::OnlyByEdit,
            _ => Outlook::NotForeseeable,
        }
    }

    /// Whether pods of a job are terminating, so that new ones may replace them.
    pub fn is_being_replaced(&self, job: JobRef) -> bool {
        self.job(job).tasks().any(|t| matches!(self.task(t).status, Status::Releasing | Status::StuckInReleasing))
    }

    /// All applicable reasons, the dominant one first; at least one.
    fn gates(&self, job: JobRef, note: &Note, lookup: &Lookup) -> Vec<Reason> {
        let facts = self.facts_of(job);
        let mut gates = Vec::new();
        if facts.is_set_aside {
            return vec![(Gate::TriedOnce, vec![self.why_set_aside(job)])];
        }
        if !facts.is_ordered {
            return vec![(Gate::NotALeaf, Vec::new())];
        }
        if !self.job(job).is_ready() {
            return vec![(Gate::NotReady, Vec::new())];
        }
        for failure in [&note.not_placed, &note.over_quota].into_iter().flatten() {
            match failure {
                Failure::Excess(excess) => gates.push(self.excess_gate(job, *excess)),
                Failure::TooLarge { task, resource } => {
                    let checks = vec![self.larger_than_nodes(job, *task, *resource)];
                    gates.push((Gate::TooLarge { resource: *resource }, checks));
                }
                Failure::NoNode { .. } | Failure::NoTask => (),
            }
        }
        gates.dedup();
        if let (Some(check), Some(leaf)) = (&note.not_entitled, facts.queue) {
            let queue = self.state.queues[leaf.ix()].id;
            let mut checks = vec![check.clone()];
            checks.extend(self.why_share_is_small(leaf, check, lookup));
            gates.push((Gate::NotEntitled { queue }, checks));
        }
        if let Some(tried) = note.tried.filter(|&tried| tried > 0) {
            gates.push(self.nothing_helps(job, note, tried));
        }
        if let Some(like) = note.like {
            let job = self.facts_of(like).id;
            gates.push((Gate::LikeFailed { job }, Vec::new()));
        }
        gates.extend(self.may_not_evict_yet(job));
        if let Some(Failure::NoNode { task, placed, of, reasons, free }) = &note.not_placed {
            let gate = Gate::NoNode { placed: *placed, of: *of, reasons: reasons.clone(), free: *free };
            gates.push((gate, self.no_room(job, *task, *free)));
        }
        if note.tried == Some(0) {
            gates.push(self.nothing_helps(job, note, 0));
        }
        if gates.is_empty() {
            let mut first = lookup.first.get(&facts.queue).into_iter().flatten();
            let first = *first.find(|&&other| other != job).unwrap_or(&job);
            gates.push((Gate::Behind { job: self.facts_of(first).id }, Vec::new()));
        }
        gates
    }

    /// No victims would help; names the ancestor at which the validator refused them, if any.
    fn nothing_helps(&self, job: JobRef, note: &Note, tried: u32) -> Reason {
        let job_queue = self.about_job(job).queue;
        let failed = note.refused.iter().find(|check| !check.holds).filter(|check| check.subject.other_queue.is_some());
        let ancestor = failed.and_then(|check| check.subject.queue).filter(|queue| Some(*queue) != job_queue);
        let mut checks: Vec<Check> = if note.refused.is_empty() {
            note.protected.iter().map(|protection| protection.0.clone()).collect()
        } else {
            note.refused.clone()
        };
        checks.extend(note.immovable.iter().cloned());
        (Gate::NoVictims { tried, ancestor }, checks)
    }

    /// What lowers the fair share that a job would exceed: queues of higher priority, and past usage.
    fn why_share_is_small(&self, leaf: QueueRef, check: &Check, lookup: &Lookup) -> Vec<Check> {
        let exceeded = match (&check.left.value, &check.right.value, check.right.quantity) {
            (Value::Triple(with_job), Value::Triple(share), Quantity::FairShare) => {
                (0..3).find(|&r| with_job[r] > share[r])
            }
            _ => None,
        };
        let Some(r) = exceeded else { return Vec::new() };
        let mut cache = lookup.higher.borrow_mut();
        let higher = cache.entry((leaf, r)).or_insert_with(|| self.higher_priority(leaf, r)).clone();
        let without_usage = lookup.without_usage.get_or_init(|| self.shares_without_usage());
        higher.into_iter().chain(self.lowered_by_usage(leaf, without_usage, r)).collect()
    }

    /// The sibling of higher priority that leaves nothing for a queue whose fair share is 0, or for its ancestor.
    fn higher_priority(&self, leaf: QueueRef, r: usize) -> Option<Check> {
        let share_of = |q: &Queue| q.fair_share.to_array()[r];
        let path = self.state.path_up(Some(leaf)).map(|q| &self.state.queues[q.ix()]);
        for queue in path.take_while(|queue| share_of(queue) == 0.0) {
            let is_first = |q: &&Queue| q.parent == queue.parent && q.priority > queue.priority && share_of(q) > 0.0;
            if let Some(first) = self.state.queues.iter().filter(is_first).max_by_key(|q| q.priority) {
                let subject = Subject { queue: Some(first.id), other_queue: Some(queue.id), ..Subject::default() };
                let [left, right] = [first, queue].map(|q| count(Quantity::Priority, q.priority));
                return Some(Check::new(PRIORITY, subject, left, Op::Exceeds, right));
            }
        }
        None
    }

    fn excess_gate(&self, job: JobRef, excess: Excess) -> Reason {
        let queue = self.state.queues[excess.queue.ix()].id;
        let resource = Resource::ACCOUNTED[excess.resource];
        let gate = if excess.of_quota {
            Gate::NonPreemptibleOverQuota { queue, resource }
        } else {
            Gate::OverLimit { queue, resource }
        };
        (gate, vec![self.excess_check(job, excess)])
    }

    /// A task's request compared with the largest node.
    fn larger_than_nodes(&self, job: JobRef, task: TaskRef, resource: Resource) -> Check {
        let pod = self.pod_of(task);
        let subject = Subject { resource: Some(resource), pod: Some(pod.id), ..self.about_job(job) };
        let request = &pod.request;
        let (requested, largest) = match resource {
            Resource::GPU => (request.gpus, self.inputs.largest.gpus),
            Resource::CPU => (request.cpu, self.inputs.largest.cpu),
            Resource::MEMORY => (request.memory, self.inputs.largest.memory),
            named => {
                let amount_in = |scalars: &[i64]| {
                    let amount = named.nth_named().and_then(|n| scalars.get(n)).copied();
                    Amount::base_units(amount.unwrap_or(0)).in_policy_units(named)
                };
                (amount_in(&request.scalars), amount_in(&self.inputs.largest.scalars))
            }
        };
        let (left, right) = (real(Quantity::Request, requested), real(Quantity::LargestNode, largest));
        Check::new(ROOM, subject, left, Op::AtMost, right)
    }

    /// A task's request compared with the most that remained on one node.
    fn no_room(&self, job: JobRef, task: TaskRef, free: Option<FreeGpus>) -> Vec<Check> {
        let request = &self.pod_of(task).request;
        let Some(free) = free.filter(|_| request.gpus != 0.0) else { return Vec::new() };
        let pod = Some(self.pod_of(task).id);
        let subject = Subject { resource: Some(Resource::GPU), pod, ..self.about_job(job) };
        let (l, r) = (real(Quantity::Request, request.gpus), real(Quantity::IdleOrReleasing, free.most));
        vec![Check::new(ROOM, subject, l, Op::AtMost, r)]
    }
}
