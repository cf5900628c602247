//! What the page receives about a moment of a run, and of the run up to it.
//!
//! Everything drawn derives from it. Reals that may be infinite (unlimited) are `None`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::amounts::Amounts;
use super::event_word::EventWord;
use super::names::Names;
use super::orders::PriorityRow;
use super::what::What;
use crate::id::{Id, JobId, NodeId, PodId, QueueId};
use crate::trace::{Check, Event, EvictReason, Gate, Mark, NotSelected, Refusal, RiseEnd, Rule};
use crate::units::Resource;

/// CPU millicores, memory bytes, GPUs, in this order; `None` means unlimited.
pub type BoundTriple = [Option<f64>; 3];

/// What one instant looks like. Everything drawn derives from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// What jobs and pods of the run are called. Sent once in a run, not with every moment.
    #[serde(skip)]
    pub names: Arc<Names>,
    /// The policy that runs, by its name in a scenario; empty: the default one.
    pub policy: String,
    /// 0: the opening state.
    pub cycle: u32,
    /// Milliseconds since the start.
    pub time_ms: i64,
    /// Hash of the state, hexadecimal; equal natively and in the browser.
    pub digest: String,
    /// Nothing further will happen.
    pub quiet: bool,
    /// What the root divides.
    pub total: Amounts,
    /// Queues in file order; `parent` indexes into this list.
    pub queues: Vec<QueueRow>,
    /// The same numbers in each node pool, in file order; empty if there is only one.
    pub pools: Vec<PoolRow>,
    /// Nodes in file order.
    pub nodes: Vec<NodeCard>,
    /// Jobs that are known and not over, in file order.
    pub jobs: Vec<JobRow>,
    /// Jobs that are over because nobody replaced their evicted pods, the latest: the last eviction of a pod of each, without what
    /// decided it.
    pub evicted: Vec<EventRow>,
    /// Events of the cycle, in order.
    pub events: Vec<EventRow>,
    /// Who stays although work was taken in the cycle, and why.
    pub not_selected: Vec<NotSelected>,
    /// How many of them happened outside, before the policy was asked.
    pub n_outside: u32,
    /// Why pending jobs are pending.
    pub refusals: Vec<Refusal>,
    /// What the resources beside CPU, memory and GPUs are called.
    pub named: Vec<String>,
}

/// What one node pool has, and every queue's numbers there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoolRow {
    /// Name.
    pub name: String,
    /// What its root divides.
    pub total: Amounts,
    /// Queues in file order.
    pub queues: Vec<QueueRow>,
}

impl Frame {
    /// The moment with the queues' numbers in a pool; as it is if there is no pool of that name.
    pub fn in_pool(&self, name: &str) -> Option<Frame> {
        let pool = self.pools.iter().find(|pool| pool.name == name)?;
        Some(Frame { total: pool.total, queues: pool.queues.clone(), ..self.clone() })
    }

    /// The position of a queue, which is looked for at another moment's first.
    pub fn position(&self, name: &str, near: usize) -> Option<usize> {
        let is_it = |at: &usize| self.queues.get(*at).is_some_and(|row| row.name == name);
        Some(near).filter(is_it).or_else(|| self.queues.iter().position(|row| row.name == name))
    }

    /// What became of jobs that wait no more, though they are not over, such as `failed`.
    pub fn fates(&self) -> BTreeMap<&str, &'static str> {
        let fate = |refusal: &'_ Refusal| Some((refusal.job, fate(&refusal.gate)?));
        self.refusals.iter().filter_map(fate).map(|(job, fate)| (self.names.job(job), fate)).collect()
    }

    /// The name of a queue.
    pub fn queue(&self, queue: QueueId) -> &str {
        self.queues.get(queue.index()).map_or("", |row| row.name.as_str())
    }

    /// The name of a node.
    pub fn node(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("", |row| row.name.as_str())
    }

    /// The name of a job.
    pub fn job(&self, job: JobId) -> &str {
        self.names.job(job)
    }

    /// The job that an event is about, if it is about one.
    pub fn job_of(&self, event: &EventRow) -> Option<JobId> {
        self.names.job_of(&event.what)
    }

    /// The name of the job that an event is about; empty if there is none.
    pub fn job_name(&self, event: &EventRow) -> &str {
        self.job_of(event).map_or("", |job| self.names.job(job))
    }

    /// The queue that an event is about: that of its job.
    pub fn queue_of(&self, event: &EventRow) -> Option<QueueId> {
        match event.what {
            What::Mark(Mark { subject, .. }) if subject.queue.is_some() => subject.queue,
            What::Mark(_) | What::Event(_) => self.job_of(event).and_then(|job| self.names.queue_of(job)),
        }
    }

    /// The name of the node that an event is about; empty if there is none.
    pub fn node_name(&self, event: &EventRow) -> &str {
        event.node().map_or("", |node| self.node(node))
    }
}

/// What became of a job that waits no more, though it is not over.
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
        | Gate::NoDevice { .. }
        | Gate::TriedOnce
        | Gate::LikeFailed { .. } => None,
    }
}

/// A queue's numbers under the policy's view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueRow {
    /// Name.
    pub name: String,
    /// Position of the parent.
    pub parent: Option<u32>,
    /// Allocated, without what is leaving.
    pub allocated: Amounts,
    /// Allocated and not to be taken.
    pub non_preemptible: Amounts,
    /// Allocated plus waiting.
    pub request: Amounts,
    /// Entitlement, if the policy has one.
    pub fair_share: Option<BoundTriple>,
    /// Quota as the policy resolved it.
    pub quota: BoundTriple,
    /// Limit as the policy resolved it.
    pub limit: BoundTriple,
    /// Held by pods that were evicted.
    pub leaving: Amounts,
    /// Past usage as a share of the cluster, in CPU, memory and GPU; `None`: no queue has any.
    pub usage: Option<[f64; 3]>,
    /// Claimed for pods that wait: in this cycle, or for as long as their gang is waited for.
    pub claimed: Amounts,
    /// What siblings are compared with, under a policy that has such priorities.
    pub priority: Option<PriorityRow>,
    /// Allocated on nodes that it or a queue above it owns; `None`: no queue owns nodes.
    pub private: Option<Amounts>,
    /// Allocated above its limit, which is reclaimed before anything else.
    pub over_limit: Amounts,
    /// Under Run:ai its state in CPU, memory and GPU, then the worst of them; empty elsewhere.
    pub states: Vec<String>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeCard {
    /// Name.
    pub name: String,
    /// Takes part.
    pub ready: bool,
    /// It is being drained: what is on it stays, nothing more comes.
    pub draining: bool,
    /// Allocatable.
    pub capacity: Amounts,
    /// Used, with what is leaving.
    pub used: Amounts,
    /// One cell per GPU.
    pub cells: Vec<Cell>,
    /// What the pods of each queue hold, where they hold more than GPUs; first what stays, then what is leaving.
    pub holds: Vec<Holding>,
    /// CPU-only pods on it: pod name, job, queue position.
    pub cpu_pods: Vec<(String, String, u32)>,
    /// Its pool; empty if there is only one.
    pub pool: String,
    /// Position of the queue that owns it.
    pub owner: Option<u32>,
    /// Its owner lends it to others.
    pub lent: bool,
}

/// What pods of a queue hold on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holding {
    /// Position of the queue.
    pub queue: u32,
    /// They were evicted.
    pub leaving: bool,
    /// All together.
    pub amount: Amounts,
}

/// A GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Who holds it, bottom first; whole devices have one.
    pub pods: Vec<CellPod>,
    /// Who claims it.
    pub claimed: Option<Claim>,
}

/// A pod on a GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellPod {
    /// Pod.
    pub pod: String,
    /// Job.
    pub job: String,
    /// Position of the queue.
    pub queue: u32,
    /// Part of the device, 0 to 1.
    pub portion: f64,
    /// Told to go.
    pub leaving: bool,
    /// Placed, not running yet.
    pub starting: bool,
    /// May not be taken.
    pub locked: bool,
    /// Placed or evicted in this cycle.
    pub changed: bool,
}

/// A claim on a GPU until the end of the cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Job.
    pub job: String,
    /// Position of the queue.
    pub queue: u32,
}

/// A job that is known and not over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobRow {
    /// Name.
    pub name: String,
    /// Position of the queue.
    pub queue: u32,
    /// Pods that run or start.
    pub running: u32,
    /// Pods that wait.
    pub pending: u32,
    /// Pods evicted.
    pub leaving: u32,
    /// When the first of them is gone.
    pub leaves_ms: Option<i64>,
    /// GPUs of all its pods.
    pub gpus: f64,
    /// Submitted.
    pub submit_ms: i64,
    /// First start.
    pub first_start_ms: Option<i64>,
    /// Evicted pods so far.
    pub evictions: u32,
    /// Evicted pods that nobody replaces.
    pub gone: u32,
    /// Pods that join it later.
    pub joining: u32,
    /// When the next of them do.
    pub joins_ms: Option<i64>,
    /// Of a semi-preemptible job, how many of its pods may not be taken; 0: it is none.
    pub core: u32,
}

/// An event with what decided it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// What happened.
    pub what: What,
    /// The action of the cycle in which it was decided, by its policy's name; empty if there is none.
    pub action: String,
    /// Milliseconds since the start.
    pub time_ms: i64,
    /// GPUs of the pod, or of the whole job.
    pub gpus: f64,
    /// What the pod holds or asks for; nothing for events of a whole job.
    pub amount: Amounts,
    /// Of an eviction: nobody replaces the pod.
    pub for_good: bool,
    /// Of a claim: the room is for a gang that waits.
    pub for_gang: bool,
    /// What decided it.
    pub checks: Vec<Check>,
}

impl EventRow {
    /// An event of which nothing else is known.
    pub fn of(what: impl Into<What>) -> EventRow {
        EventRow {
            what: what.into(),
            action: String::new(),
            time_ms: 0,
            gpus: 0.0,
            amount: Amounts::default(),
            for_good: false,
            for_gang: false,
            checks: Vec::new(),
        }
    }

    /// What it is called.
    pub fn word(&self) -> EventWord {
        EventWord::of(&self.what)
    }

    /// The pod that it is about, if it is about one.
    pub fn pod(&self) -> Option<PodId> {
        match self.what {
            What::Event(
                Event::Bound { pod, .. }
                | Event::Found { pod, .. }
                | Event::Dealt { pod, .. }
                | Event::Claimed { pod, .. }
                | Event::Unclaimed { pod, .. }
                | Event::Evicted { pod, .. }
                | Event::Gone { pod, .. }
                | Event::Finished { pod, .. }
                | Event::Requeued { pod }
                | Event::NotReplaced { pod },
            ) => Some(pod),
            What::Event(
                Event::Submitted { .. }
                | Event::Joined { .. }
                | Event::JobDone { .. }
                | Event::JobEvicted { .. }
                | Event::SetAside { .. }
                | Event::Offered { .. }
                | Event::Changed { .. },
            ) => None,
            What::Mark(mark) => mark.subject.pod,
        }
    }

    /// The node that it is about, if it is about one.
    pub fn node(&self) -> Option<NodeId> {
        match self.what {
            What::Event(
                Event::Bound { node, .. }
                | Event::Found { node, .. }
                | Event::Dealt { node, .. }
                | Event::Claimed { node, .. }
                | Event::Unclaimed { node, .. }
                | Event::Evicted { node, .. }
                | Event::Gone { node, .. }
                | Event::Finished { node, .. },
            ) => Some(node),
            What::Event(Event::Changed { node, .. }) => node.map(|(node, _)| node),
            What::Event(
                Event::Requeued { .. }
                | Event::NotReplaced { .. }
                | Event::Submitted { .. }
                | Event::Joined { .. }
                | Event::JobDone { .. }
                | Event::JobEvicted { .. }
                | Event::SetAside { .. }
                | Event::Offered { .. },
            )
            | What::Mark(_) => None,
        }
    }

    /// The job it is for, if it is for one.
    pub fn by(&self) -> Option<JobId> {
        match self.what {
            What::Event(Event::Evicted { by, .. } | Event::Unclaimed { by, .. }) => by,
            What::Event(_) | What::Mark(_) => None,
        }
    }

    /// Why a pod is evicted, if that is what happens.
    pub fn eviction(&self) -> Option<EvictReason> {
        match self.what {
            What::Event(Event::Evicted { reason, .. }) => Some(reason),
            What::Event(_) | What::Mark(_) => None,
        }
    }
}

/// The run up to the furthest computed cycle, in short: what timeline and event lane draw. Thinned to at most
/// 2,000 points when it is longer; points are steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The furthest computed cycle.
    pub last_cycle: u32,
    /// Its time.
    pub last_time_ms: i64,
    /// The run is over: nothing further will happen after `last_cycle`.
    pub complete: bool,
    /// One point per cycle, or per bucket of cycles.
    pub points: Vec<Point>,
    /// What jobs are called; as in [`Frame`].
    #[serde(skip)]
    pub names: Arc<Names>,
    /// Events by cycle, without what decided them: cycle, kind, job. Of the latest cycles, at most 5,000.
    pub events: Vec<(u32, EventWord, Option<JobId>)>,
    /// How many events of a kind there were before those: first cycle, kind, number. Stretches of cycles are counted
    /// together where they are many.
    pub earlier: Vec<(u32, EventWord, u32)>,
}

impl Run {
    /// How many events of a kind there were up to a cycle. A stretch of early cycles counts if it begins by then.
    pub fn n_events(&self, up_to: u32, is_meant: impl Fn(EventWord) -> bool) -> u64 {
        let earlier = self.earlier.iter().filter(|(cycle, kind, _)| *cycle <= up_to && is_meant(*kind));
        let latest = self.events.iter().filter(|(cycle, kind, ..)| *cycle <= up_to && is_meant(*kind));
        earlier.map(|(.., n)| u64::from(*n)).sum::<u64>() + latest.count() as u64
    }
}

/// A point of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Cycle.
    pub cycle: u32,
    /// Time.
    pub time_ms: i64,
    /// Capacity.
    pub total: Amounts,
    /// Allocated by top queue: position of the queue, amounts.
    pub allocated: Vec<(u32, Amounts)>,
    /// Allocated plus waiting by top queue.
    pub request: Vec<(u32, Amounts)>,
    /// Entitlement by top queue.
    pub fair_share: Vec<(u32, BoundTriple)>,
    /// Waiting (request minus allocated) of all.
    pub waiting: Amounts,
    /// Held by evicted pods that have not gone yet, by top queue, where there are any.
    pub leaving: Vec<(u32, Amounts)>,
}

/// One level of the division that ends in a queue's fair share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderLevel {
    /// Name of the queue whose share is divided; empty: the cluster, or its node pool.
    pub of: String,
    /// The node pool it belongs to; empty if there is only one.
    pub pool: String,
    /// What is divided.
    pub capacity: f64,
    /// Lines, in order.
    pub lines: Vec<LadderLine>,
    /// The queue on the path, and its result.
    pub queue: String,
    /// Its fair share.
    pub fair_share: f64,
    /// What it would be by other reckonings, by which nothing is decided.
    pub alternatives: Vec<AlternativeShare>,
}

/// A fair share by another reckoning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlternativeShare {
    /// The reckoning.
    #[serde(skip)]
    pub rule: Rule,
    /// What it gives.
    pub fair_share: f64,
}

impl LadderLevel {
    /// The sum of the weights in a line's round.
    pub fn weights(&self, line: &LadderLine) -> f64 {
        let same = |other: &&LadderLine| {
            other.kind == line.kind && other.round == line.round && other.priority == line.priority
        };
        self.lines.iter().filter(same).map(|line| line.weight).sum()
    }

    /// A line's part and the sum of all parts of its round: weights, or what past use made of them.
    pub fn parts(&self, line: &LadderLine) -> (f64, f64) {
        match self.weight_after_use(line) {
            None => (line.weight, self.weights(line)),
            Some(_) => line.part,
        }
    }

    /// The weight that a line's part stands for, if past use made it another one.
    pub fn weight_after_use(&self, line: &LadderLine) -> Option<f64> {
        let counted = line.part.0 / line.part.1 * self.weights(line);
        (counted.is_finite() && (counted - line.weight).abs() > 1e-9).then_some(counted)
    }
}

/// What is done in a line of a ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineKind {
    /// A quota is granted.
    #[default]
    Quota,
    /// A round divides by weights.
    Round,
    /// Dominant shares rise together.
    Rise,
    /// A queue without weight gets what the others left.
    Rest,
    /// A left-over unit is given.
    Remainder,
}

/// One line of a ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderLine {
    /// What is done.
    pub kind: LineKind,
    /// By which rule.
    #[serde(skip)]
    pub rule: Rule,
    /// Queue it is about.
    pub queue: String,
    /// Priority group and round, for rounds.
    pub priority: i32,
    /// From 1.
    pub round: u32,
    /// Quota, or the pot of the round.
    pub pot: f64,
    /// Requestable, or weight.
    pub weight: f64,
    /// Past usage as a share of the cluster, and how strongly it counts.
    pub past: Option<(f64, f64)>,
    /// Part and sum of parts; where shares rise, the dominant share before and after.
    pub part: (f64, f64),
    /// Offer before rounding, or the rounded-off fraction.
    pub offer: f64,
    /// What it still wanted.
    pub wanted: f64,
    /// The gift.
    pub given: f64,
    /// What remains.
    pub remaining: f64,
    /// Where shares rise, the resource of which it takes the largest part.
    pub dominant: Option<Resource>,
    /// Where shares rise, how the queue stands afterwards.
    pub end: Option<RiseEnd>,
}
