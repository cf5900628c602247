//! The data of a moment of a run, and of the run up to it, as the page receives them.
//!
//! Reals that may be infinite (unlimited) are `None`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::amounts::Amounts;
use super::event::{EventWord, What};
use super::names::Names;
use super::orders::PriorityRow;
use crate::id::{Id, JobId, NodeId, PodId, QueueId};
use crate::trace::{
    Check, DivisionRound, DivisionStep, Event, EvictReason, Gate, LostClaim, Mark, NotSelected, Refusal, Rule, Search,
    Unfinished,
};

/// CPU millicores, memory bytes and GPUs, in this order; `None`: unlimited.
pub type BoundTriple = [Option<f64>; 3];

/// The state of a run after a cycle. Every picture of a moment derives from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The catalogue of names. Sent once per run, not with every frame.
    #[serde(skip)]
    pub names: Arc<Names>,
    /// Name of the policy in scenario files; empty: the default policy.
    pub policy: String,
    /// Number of the cycle; 0: the opening state.
    pub cycle: u32,
    /// Milliseconds since the start.
    pub time_ms: i64,
    /// Hash of the state, hexadecimal; equal in native builds and in the browser.
    pub digest: String,
    /// Whether nothing further can happen.
    pub quiet: bool,
    /// Amounts divided at the root.
    pub total: Amounts,
    /// Queues in file order; `parent` indexes into this list.
    pub queues: Vec<QueueRow>,
    /// The numbers of each node pool, in file order; empty if there is only one.
    pub pools: Vec<PoolRow>,
    /// The node pool whose numbers `queues` has; empty: those of the whole cluster.
    pub pool: String,
    /// Nodes in file order.
    pub nodes: Vec<NodeCard>,
    /// Submitted jobs that have not ended, ascending by id.
    pub jobs: Vec<JobRow>,
    /// The latest jobs that ended because evicted pods were not replaced: the last eviction of each, without checks.
    pub evicted: Vec<EventRow>,
    /// Events of the cycle, in order.
    pub events: Vec<EventRow>,
    /// The policy's names of the actions that decided them, in order, each with the number of events up to its last.
    pub actions: Vec<(String, u32)>,
    /// Queues and jobs that were not selected as victims in the cycle, with the reason.
    pub not_selected: Vec<NotSelected>,
    /// Searches for victims in the cycle.
    pub searches: Vec<Search>,
    /// Claims of the cycle that only counted as made.
    pub unfinished: Vec<Unfinished>,
    /// Number of external events, at the beginning of `events`.
    pub n_outside: u32,
    /// Why pending jobs are pending.
    pub refusals: Vec<Refusal>,
    /// Jobs that have claimed room and lost it, and claim it again.
    pub lost_claims: Vec<LostClaim>,
    /// Time of the next cycle, if there is one.
    pub next_ms: Option<i64>,
    /// Time of the next entry of the timeline, if there is one.
    pub next_change_ms: Option<i64>,
    /// Names of the resources other than CPU, memory and GPUs.
    pub named: Vec<String>,
}

/// A node pool, with every queue's numbers there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoolRow {
    /// Name of the pool.
    pub name: String,
    /// Amounts divided at its root.
    pub total: Amounts,
    /// Queues in file order.
    pub queues: Vec<QueueRow>,
}

impl Frame {
    /// A copy with the queues' numbers in a pool; `None` if there is no pool of that name.
    pub fn in_pool(&self, name: &str) -> Option<Frame> {
        let pool = self.pools.iter().find(|pool| pool.name == name)?;
        let total = pool.total;
        let (pool, queues) = (pool.name.clone(), pool.queues.clone());
        Some(Frame { total, queues, pool, ..self.clone() })
    }

    /// The position of a queue; `near`, its position in another frame, is tried first.
    pub fn position(&self, name: &str, near: usize) -> Option<usize> {
        let is_named = |i: &usize| self.queues.get(*i).is_some_and(|row| row.name == name);
        Some(near).filter(is_named).or_else(|| self.queues.iter().position(|row| row.name == name))
    }

    /// States such as `failed` of jobs that are no longer pending although they have not ended.
    pub fn fates(&self) -> BTreeMap<JobId, &'static str> {
        let fate = |refusal: &Refusal| Some((refusal.job, fate(&refusal.gate)?));
        self.refusals.iter().filter_map(fate).collect()
    }

    /// The policy's name of the action that decided an event; empty if there is none.
    pub fn action_of(&self, event: usize) -> &str {
        self.actions.iter().find(|(_, end)| event < *end as usize).map_or("", |(name, _)| name)
    }

    /// The claims that a job has lost, if any.
    pub fn lost_claim(&self, job: JobId) -> Option<&LostClaim> {
        self.lost_claims.iter().find(|lost| lost.job == job)
    }

    /// The name of a queue; empty for an unknown id.
    pub fn queue(&self, queue: QueueId) -> &str {
        self.queues.get(queue.index()).map_or("", |row| row.name.as_str())
    }

    /// The name of a node; empty for an unknown id.
    pub fn node(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("", |row| row.name.as_str())
    }

    /// The name of a job.
    pub fn job(&self, job: JobId) -> &str {
        self.names.job(job)
    }

    /// The row of a job, unless it has ended.
    pub fn job_row(&self, job: JobId) -> Option<&JobRow> {
        self.jobs.binary_search_by_key(&job, |row| row.id).ok().map(|at| &self.jobs[at])
    }

    /// The job of an event, if it has one.
    pub fn job_of(&self, event: &EventRow) -> Option<JobId> {
        self.names.job_of(&event.what)
    }

    /// The name of an event's job; empty if it has none.
    pub fn job_name(&self, event: &EventRow) -> &str {
        self.job_of(event).map_or("", |job| self.names.job(job))
    }

    /// The queue of an event: the subject of a mark, or the queue of the event's job.
    pub fn queue_of(&self, event: &EventRow) -> Option<QueueId> {
        match event.what {
            What::Mark(Mark { subject, .. }) if subject.queue.is_some() => subject.queue,
            What::Mark(_) | What::Event(_) => self.job_of(event).and_then(|job| self.names.queue_of(job)),
        }
    }

    /// The name of an event's node; empty if it has none.
    pub fn node_name(&self, event: &EventRow) -> &str {
        event.node().map_or("", |node| self.node(node))
    }
}

/// The state of a job that is no longer pending although it has not ended.
pub fn fate(gate: &Gate) -> Option<&'static str> {
    match gate {
        Gate::GangFailed => Some("failed"),
        Gate::GangRefused => Some("refused"),
        Gate::NotReady
        | Gate::NotALeaf
        | Gate::NotAccepted { .. }
        | Gate::TooLarge { .. }
        | Gate::OverLimit { .. }
        | Gate::UserLimit { .. }
        | Gate::TooManyJobs { .. }
        | Gate::NonPreemptibleOverQuota { .. }
        | Gate::NotEntitled { .. }
        | Gate::NoVictims { .. }
        | Gate::VictimsProtected { .. }
        | Gate::NoNode { .. }
        | Gate::Behind { .. }
        | Gate::WaitingForVictims { .. }
        | Gate::GangIncomplete { .. }
        | Gate::PreemptedTooLittle
        | Gate::Delayed { .. }
        | Gate::NoDevice { .. }
        | Gate::TriedOnce
        | Gate::LikeFailed { .. } => None,
    }
}

/// A queue's numbers as the policy sees them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueRow {
    /// Name of the queue.
    pub name: String,
    /// Position of the parent.
    pub parent: Option<u32>,
    /// Allocated, without terminating pods.
    pub allocated: Amounts,
    /// Allocated by non-preemptible jobs.
    pub non_preemptible: Amounts,
    /// Allocated plus pending.
    pub request: Amounts,
    /// Entitlement; `None` under a policy without entitlements.
    pub fair_share: Option<BoundTriple>,
    /// Quota as resolved by the policy.
    pub quota: BoundTriple,
    /// Limit as resolved by the policy.
    pub limit: BoundTriple,
    /// Held by terminating pods.
    pub leaving: Amounts,
    /// Past usage of CPU, memory and GPU as a share of the cluster; `None`: no queue has any.
    pub usage: Option<[f64; 3]>,
    /// Reserved for pending pods, in this cycle or for a gang.
    pub claimed: Amounts,
    /// The priority by which siblings are compared, under a policy that derives one.
    pub priority: Option<PriorityRow>,
    /// Allocated on nodes that it or an ancestor owns; `None`: no queue owns nodes.
    pub private: Option<Amounts>,
    /// Allocated above its limit; reclaimed before anything else.
    pub over_limit: Amounts,
    /// Its states in CPU, memory and GPU, then the worst of them; empty under a policy that defines none.
    pub states: Vec<String>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeCard {
    /// Name of the node.
    pub name: String,
    /// Whether it is not down.
    pub ready: bool,
    /// Whether it is being drained: its pods stay, but it accepts no others.
    pub draining: bool,
    /// Allocatable amounts.
    pub capacity: Amounts,
    /// Used amounts, including terminating pods.
    pub used: Amounts,
    /// Pods on it, including terminating ones.
    pub pods: u32,
    /// Pod slots; `None`: no limit.
    pub slots: Option<u32>,
    /// One cell per GPU.
    pub cells: Vec<Cell>,
    /// Amounts held by each queue's pods that hold more than GPUs; terminating pods come last.
    pub holds: Vec<Holding>,
    /// CPU-only pods on it.
    pub cpu_pods: Vec<PodId>,
    /// Name of its pool; empty if there is only one.
    pub pool: String,
    /// Position of the queue that owns it.
    pub owner: Option<u32>,
    /// Whether its owner lends it to others.
    pub lent: bool,
}

/// Amount held by pods of a queue on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holding {
    /// Position of the queue.
    pub queue: u32,
    /// Whether these are terminating pods.
    pub leaving: bool,
    /// Sum over the pods.
    pub amount: Amounts,
}

/// A GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Pods that hold parts of it, bottom first; a device held as a whole has one.
    pub pods: Vec<CellPod>,
    /// The reservation on it.
    pub claimed: Option<Claim>,
}

/// A pod on a GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellPod {
    /// The pod.
    pub pod: PodId,
    /// Its job.
    pub job: JobId,
    /// Position of the queue.
    pub queue: u32,
    /// Part of the device, 0 to 1.
    pub portion: f64,
    /// Whether the pod is terminating.
    pub leaving: bool,
    /// Whether the pod is placed but not running yet.
    pub starting: bool,
    /// Whether the pod may not be preempted.
    pub locked: bool,
    /// Whether the pod was placed or evicted in this cycle.
    pub changed: bool,
}

/// A reservation of a GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The job.
    pub job: JobId,
    /// Position of the queue.
    pub queue: u32,
}

/// A submitted job that has not ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobRow {
    /// The job.
    pub id: JobId,
    /// Name of the job.
    pub name: String,
    /// Position of the queue.
    pub queue: u32,
    /// Name of the node pool that it is offered to; empty if there is only one.
    pub pool: String,
    /// Running and starting pods.
    pub running: u32,
    /// Pending and gated pods.
    pub pending: u32,
    /// Terminating pods.
    pub leaving: u32,
    /// Time at which the first of them is gone.
    pub leaves_ms: Option<i64>,
    /// GPUs requested by all its pods.
    pub gpus: f64,
    /// Amounts requested by all its pods.
    pub request: Amounts,
    /// GPUs requested by its pending pods, alike pods together, in the order of the pods.
    pub asks: Vec<Ask>,
    /// Time of the submission.
    pub submit_ms: i64,
    /// Time of the first start.
    pub first_start_ms: Option<i64>,
    /// Number of evictions so far.
    pub evictions: u32,
    /// Evicted pods that are not replaced.
    pub gone: u32,
    /// Pods that have not joined it yet.
    pub joining: u32,
    /// Time at which the next of them join.
    pub joins_ms: Option<i64>,
    /// Size of the core of a semi-preemptible job; 0 for other jobs.
    pub core: u32,
}

/// Pods that request the same number of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Number of pods.
    pub pods: u32,
    /// GPUs that each requests.
    pub gpus: f64,
}

/// An event with its decisive checks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// The event or mark.
    pub what: What,
    /// Milliseconds since the start.
    pub time_ms: i64,
    /// Amounts of the pod, or of the whole job.
    pub amount: Amounts,
    /// For an eviction: whether the pod is not replaced.
    pub for_good: bool,
    /// For a claim: whether the room is reserved for a pending gang.
    pub for_gang: bool,
    /// The decisive checks.
    pub checks: Arc<[Check]>,
}

impl EventRow {
    /// Creates an event without any further data.
    pub fn of(what: impl Into<What>) -> EventRow {
        EventRow {
            what: what.into(),
            time_ms: 0,
            amount: Amounts::default(),
            for_good: false,
            for_gang: false,
            checks: Arc::default(),
        }
    }

    /// The name of the event.
    pub fn word(&self) -> EventWord {
        EventWord::of(&self.what)
    }

    /// The pod of the event, if it has one.
    pub fn pod(&self) -> Option<PodId> {
        match self.what {
            What::Event(event) => event.subject().pod,
            What::Mark(mark) => mark.subject.pod,
        }
    }

    /// The node of the event, if it has one.
    pub fn node(&self) -> Option<NodeId> {
        match self.what {
            What::Event(event) => event.subject().node,
            What::Mark(_) => None,
        }
    }

    /// The job on whose behalf it happened, if there is one.
    pub fn by(&self) -> Option<JobId> {
        match self.what {
            What::Event(event) => event.subject().other_job,
            What::Mark(_) => None,
        }
    }

    /// The reason of an eviction; `None` for other events.
    pub fn eviction(&self) -> Option<EvictReason> {
        match self.what {
            What::Event(Event::Evicted { reason, .. }) => Some(reason),
            What::Event(_) | What::Mark(_) => None,
        }
    }
}

/// The decisive checks of an event, for a frame that has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventChecks {
    /// The cycle of the event.
    pub cycle: u32,
    /// Position of the event in the frame.
    pub index: u32,
    /// Its checks.
    pub checks: Arc<[Check]>,
}

/// Summary of the run up to the furthest computed cycle, for timeline and event lane. Thinned to at most 2,000 points,
/// each of which holds until the next one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The furthest computed cycle.
    pub last_cycle: u32,
    /// Time of that cycle.
    pub last_time_ms: i64,
    /// Whether nothing further can happen after `last_cycle`.
    pub complete: bool,
    /// One point per cycle, or per bucket of cycles.
    pub points: Vec<Point>,
    /// The catalogue of names; see [`Frame::names`].
    #[serde(skip)]
    pub names: Arc<Names>,
    /// The latest events, at most 5,000: cycle, name, job.
    pub events: Vec<(u32, EventWord, Option<JobId>)>,
    /// Counts of earlier events: first cycle, name, number. In long runs each entry covers several cycles.
    pub earlier: Vec<(u32, EventWord, u32)>,
}

impl Run {
    /// Number of matching events up to a cycle. An entry of `earlier` counts if it begins by then.
    pub fn n_events(&self, up_to: u32, is_meant: impl Fn(EventWord) -> bool) -> u64 {
        let earlier = self.earlier.iter().filter(|(cycle, kind, _)| *cycle <= up_to && is_meant(*kind));
        let latest = self.events.iter().filter(|(cycle, kind, ..)| *cycle <= up_to && is_meant(*kind));
        earlier.map(|(.., n)| u64::from(*n)).sum::<u64>() + latest.count() as u64
    }
}

/// A point of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Number of the cycle.
    pub cycle: u32,
    /// Time of the cycle.
    pub time_ms: i64,
    /// Capacity.
    pub total: Amounts,
    /// Allocated per top-level queue: position of the queue, amounts.
    pub allocated: Vec<(u32, Amounts)>,
    /// Allocated plus pending per top-level queue.
    pub request: Vec<(u32, Amounts)>,
    /// Entitlement per top-level queue.
    pub fair_share: Vec<(u32, BoundTriple)>,
    /// Pending (request minus allocated) of all queues.
    pub waiting: Amounts,
    /// Held by terminating pods, for the top-level queues that have any.
    pub leaving: Vec<(u32, Amounts)>,
}

/// One level in the derivation of a queue's fair share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderLevel {
    /// Name of the queue whose share is divided; empty: the cluster, or its node pool.
    pub of: String,
    /// The node pool it belongs to; empty if there is only one.
    pub pool: String,
    /// Amount that is divided.
    pub capacity: f64,
    /// Steps of the division, in order.
    pub lines: Vec<LadderLine>,
    /// The queue on the path of the derivation.
    pub queue: String,
    pub fair_share: f64,
    /// Its fair share by other calculations, for information only.
    pub alternatives: Vec<AlternativeShare>,
}

/// A fair share by another calculation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlternativeShare {
    /// The calculation.
    #[serde(skip)]
    pub rule: Rule,
    /// Its result.
    pub fair_share: f64,
}

impl LadderLevel {
    /// Sum of the weights in a round.
    pub fn weights(&self, round: &DivisionRound) -> f64 {
        let rounds = self.lines.iter().filter_map(|line| match &line.step {
            DivisionStep::Round(round) => Some(round),
            _ => None,
        });
        let same_round = rounds.filter(|r| (r.priority, r.round) == (round.priority, round.round));
        same_round.map(|r| r.weight).sum()
    }

    /// A queue's part and the sum of all parts of its round: weights, corrected by past usage if that changes them.
    pub fn parts(&self, round: &DivisionRound) -> (f64, f64) {
        match self.weight_after_use(round) {
            None => (round.weight, self.weights(round)),
            Some(_) => round.part,
        }
    }

    /// The weight equivalent to a queue's part, if past usage changed it.
    pub fn weight_after_use(&self, round: &DivisionRound) -> Option<f64> {
        let counted = round.part.0 / round.part.1 * self.weights(round);
        (counted.is_finite() && (counted - round.weight).abs() > 1e-9).then_some(counted)
    }
}

/// One line of a derivation: a step with the name of its queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderLine {
    /// Name of the queue.
    pub queue: String,
    /// Quota, round or remainder.
    pub step: DivisionStep,
}
