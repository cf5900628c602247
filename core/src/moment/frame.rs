//! What the page is told of a moment of a run, and of the run up to it.
//!
//! Everything drawn derives from it. Reals that may be infinite (unlimited) are `None`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::amounts::Amounts;
use super::orders::PriorityRow;

/// CPU millicores, memory bytes, GPUs, in this order; `None` means unlimited.
pub type BoundTriple = [Option<f64>; 3];

/// What one instant looks like. Everything drawn derives from it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
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
    pub spared: Vec<SparedRow>,
    /// How many of them happened outside, before the policy was asked.
    pub n_outside: u32,
    /// Why pending jobs are pending.
    pub refusals: Vec<RefusalRow>,
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
        self.refusals.iter().filter_map(|refusal| Some((refusal.job.as_str(), refusal.fate()?))).collect()
    }
}

impl RefusalRow {
    /// What became of the job, if it waits no more.
    pub fn fate(&self) -> Option<&'static str> {
        match self.gate.kind.as_str() {
            "gang-failed" => Some("failed"),
            "gang-refused" => Some("refused"),
            _ => None,
        }
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
    /// Held by pods that were told to go.
    pub leaving: Amounts,
    /// Claimed for pods that wait: in this cycle, or for as long as their gang is waited for.
    pub claimed: Amounts,
    /// What siblings are compared with, under a policy that has such priorities.
    pub priority: Option<PriorityRow>,
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
}

/// What pods of a queue hold on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holding {
    /// Position of the queue.
    pub queue: u32,
    /// They were told to go.
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
    /// Placed or told to go in this cycle.
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
    /// Pods told to go.
    pub leaving: u32,
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
    /// Of a semi-preemptible job, how many of its pods may not be taken; 0: it is none.
    pub core: u32,
}

/// An event with what decided it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// `submitted`, `started`, `claimed`, `reclaimed`, `preempted`, `moved`, `evicted`, `gone`, `requeued`,
    /// `not-replaced`, `finished`, `done`, `job-evicted`, `offered`, `changed`, `node`; see [`super::event_word`].
    pub kind: String,
    /// The action of the cycle in which it was decided, by its policy's name; empty if there is none.
    pub action: String,
    /// Milliseconds since the start.
    pub time_ms: i64,
    /// Job.
    pub job: String,
    /// Pod; empty for events of a whole job.
    pub pod: String,
    /// Node; empty if none.
    pub node: String,
    /// Position of the queue.
    pub queue: u32,
    /// GPUs of the pod, or of the whole job.
    pub gpus: f64,
    /// What the pod holds or asks for; nothing for events of a whole job.
    pub amount: Amounts,
    /// The job it is for; empty if none.
    pub by: String,
    /// Position of that job's queue.
    pub by_queue: Option<u32>,
    /// For reclaim: `fair-share` or `quota`; for a node `ready`, `draining` or `down`; for claims: `gang` if the room is for a gang that waits; otherwise empty.
    pub reason: String,
    /// The node pool to which a job is offered from now on; otherwise empty.
    pub pool: String,
    /// Of an eviction: nobody replaces the pod.
    pub for_good: bool,
    /// What decided it.
    pub checks: Vec<CheckRow>,
}

/// A queue or a job that stays although work was taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SparedRow {
    /// The job it was taken for.
    pub by: String,
    /// The job that stays; empty: all of the queue.
    pub job: String,
    /// Position of the queue, or of the job's.
    pub queue: u32,
    /// `non-preemptible`, `core`, `failed`, `later`, `own-queue`, `not-needed`.
    pub why: String,
    /// Pods of a core, jobs of the own queue.
    pub n: u32,
    /// The comparison that it failed or passed.
    pub check: Option<CheckRow>,
}

/// A comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckRow {
    /// Rule key.
    pub rule: String,
    /// The rule in one line.
    pub says: String,
    /// Its formula.
    pub formula: String,
    /// Its source.
    pub source: String,
    /// How it differs from its source.
    pub differs: String,
    /// Names of whom it is about: queue, other queue, job, other job, node; empty if none.
    pub queue: String,
    /// The queue on the right.
    pub other_queue: String,
    /// The job.
    pub job: String,
    /// The other job.
    pub other_job: String,
    /// The node.
    pub node: String,
    /// 0 cpu, 1 memory, 2 gpu; `None`: all.
    pub resource: Option<u8>,
    /// Kebab-case quantity of the left side.
    pub left: String,
    /// Its value.
    pub left_value: ValueRow,
    /// `<`, `<=`, `=`, `>`, `>=`.
    pub op: String,
    /// Kebab-case quantity of the right side.
    pub right: String,
    /// Its value.
    pub right_value: ValueRow,
    /// Result.
    pub holds: bool,
}

/// A value of a comparison; infinite reals are `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValueRow {
    /// A real.
    Real(Option<f64>),
    /// CPU, memory, GPU.
    Triple(BoundTriple),
    /// A count.
    Count(i64),
    /// Milliseconds.
    Time(i64),
    /// A name.
    Name(String),
}

impl Default for ValueRow {
    fn default() -> Self {
        ValueRow::Count(0)
    }
}

/// Why a job is still pending.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RefusalRow {
    /// Job.
    pub job: String,
    /// Position of its queue.
    pub queue: u32,
    /// The dominant reason.
    pub gate: GateRow,
    /// Further reasons.
    pub also: Vec<GateRow>,
    /// The numbers.
    pub checks: Vec<CheckRow>,
    /// What ends it.
    pub outlook: OutlookRow,
}

/// What ends a refusal; moments in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutlookRow {
    /// The next cycle.
    NextCycle,
    /// The evicted pods are gone.
    Terminated(i64),
    /// The jobs to evict have run for their minimum runtime.
    Unprotected(i64),
    /// The reservation of a gang expires.
    Unreserved(i64),
    /// A gang that got no room is tried pod by pod.
    Retried(i64),
    /// A job ends and frees enough; without a moment it has no end.
    WhenEnds(String, Option<i64>),
    /// Only an edit.
    OnlyByEdit,
    /// It depends on other jobs.
    #[default]
    NotForeseeable,
}

/// How far a pending job came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateRow {
    /// Kebab-case name of the gate: `no-node`, `over-limit`, `not-entitled` …
    pub kind: String,
    /// Queue concerned; empty if none.
    pub queue: String,
    /// Other job concerned; empty if none.
    pub job: String,
    /// 0 cpu, 1 memory, 2 gpu.
    pub resource: Option<u8>,
    /// Counts: pods placed and asked, or hypotheses tried.
    pub placed: u32,
    /// Pods asked.
    pub of: u32,
    /// Until when, milliseconds.
    pub until_ms: Option<i64>,
    /// GPUs that were free when it was tried: on all nodes, on the one with most.
    pub free: Option<(f64, f64)>,
    /// Per reason (kebab-case), on how many nodes.
    pub nodes: Vec<(String, u32)>,
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
    /// Events by cycle, without their checks: cycle, kind, job, queue position. Of the latest cycles, at most 5,000.
    pub events: Vec<(u32, String, String, u32)>,
    /// How many events of a kind there were before those: first cycle, kind, number. Stretches of cycles are counted
    /// together where they are many.
    pub earlier: Vec<(u32, String, u32)>,
}

impl Run {
    /// How many events of a kind there were up to a cycle. A stretch of early cycles counts if it begins by then.
    pub fn n_events(&self, up_to: u32, is_meant: impl Fn(&str) -> bool) -> u64 {
        let earlier = self.earlier.iter().filter(|(cycle, kind, _)| *cycle <= up_to && is_meant(kind));
        let latest = self.events.iter().filter(|(cycle, kind, ..)| *cycle <= up_to && is_meant(kind));
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
    pub beside: Vec<BesideRow>,
}

/// A fair share by another reckoning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BesideRow {
    /// The reckoning in one line.
    pub says: String,
    /// Its formula.
    pub formula: String,
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

    /// The weight that a line's part stands for, if past use made it another one.
    pub fn weight_after_use(&self, line: &LadderLine) -> Option<f64> {
        let counted = line.part.0 / line.part.1 * self.weights(line);
        (counted.is_finite() && (counted - line.weight).abs() > 1e-9).then_some(counted)
    }
}

/// One line of a ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderLine {
    /// `quota`, `round`, `rise`, `rest`, `remainder`.
    pub kind: String,
    /// Rule key.
    pub rule: String,
    /// The rule in one line.
    pub says: String,
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
    pub dominant: String,
    /// Where shares rise, why it does not go on: `all` it wants is there, or the resource that is used up; empty: it goes on.
    pub end: String,
}
