//! What the page asks of the engine, and what the engine answers.
//!
//! Protocol types are separate from the engine's and converted by hand in `serve`. Replies are windows: the
//! page asks for the cycles it draws, never for "the state". Every request carries a generation; replies of an
//! old one are dropped. Reals that may be infinite (unlimited) are `None`.
//! Long because it is a list of everything that is said.

use serde::{Deserialize, Serialize};

pub use super::orders::{OrderRow, PlaceRow, PriorityRow};
pub use super::others::{ColumnRow, ImportOptions, NoteRow, Outcome, QueueCell};
use super::story::{Story, Tell};

/// CPU millicores, memory bytes, GPUs, in this order.
pub type Triple = [f64; 3];
/// A triple in which `None` means unlimited.
pub type BoundTriple = [Option<f64>; 3];

/// A question of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Counts up with every change of what the page wants to see.
    pub generation: u64,
    /// What is asked.
    pub ask: Ask,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Start a run of this scenario (format 1, JSON) and go to a cycle.
    Load {
        /// The scenario's text.
        scenario: String,
        /// The name of its policy; empty: the default one.
        policy: String,
        /// The cycle to go to.
        cycle: u32,
    },
    /// Go to a cycle of the present run; cycles on the way are computed.
    GoTo {
        /// The cycle.
        cycle: u32,
    },
    /// Run until a moment, reporting progress; the reply is a frame there.
    RunUntil {
        /// Milliseconds since the start.
        time_ms: i64,
    },
    /// Run on until something happens; the reply is a frame there, and whether it happened.
    RunTo {
        /// What.
        stop: Stop,
    },
    /// The next (or previous) cycle with an event, of the given job or queue if any.
    NextEvent {
        /// From this cycle, exclusive.
        from: u32,
        /// Backwards.
        back: bool,
        /// Only events of this queue.
        queue: Option<String>,
        /// Only events of this job.
        job: Option<String>,
        /// Kinds of events that do not count.
        without: Vec<String>,
    },
    /// How the fair share of a queue came about at a cycle.
    Ladder {
        /// The cycle.
        cycle: u32,
        /// The queue.
        queue: String,
        /// 0 cpu, 1 memory, 2 gpu.
        resource: u8,
    },
    /// In which order a queue, or a job of it, and those beside it are looked at next.
    Order {
        /// The cycle.
        cycle: u32,
        /// The queue.
        queue: String,
        /// The job.
        job: Option<String>,
    },
    /// The frame of another scenario at a cycle, without leaving the present run: what an edit would do. Only
    /// the latest one counts.
    Ghost {
        /// The scenario's text.
        scenario: String,
        /// The cycle.
        cycle: u32,
        /// Also how this queue's fair share of this resource would come about.
        ladder: Option<(String, u8)>,
    },
    /// When a job runs in variations of the scenario, held against the scenario itself. Only the latest one counts.
    Try {
        /// The job.
        job: String,
        /// From which cycle on.
        cycle: u32,
        /// The texts; the first is the unchanged scenario.
        scenarios: Vec<String>,
    },
    /// Read pasted or dropped files: scenario text, a link, a trace with its queue sizes.
    Import {
        /// The files: name and text.
        files: Vec<(String, String)>,
        /// Choices for traces.
        options: ImportOptions,
    },
    /// Write a scenario's queues as its scheduler reads them.
    Export {
        /// The scenario's text.
        scenario: String,
        /// The file it came from, if it came from one.
        original: Option<String>,
    },
    /// Tell of the whole run, as it is at the present cycle.
    Tell(Tell),
    /// The scenario in the words of another policy.
    Translate {
        /// The scenario's text.
        scenario: String,
        /// The policy.
        policy: String,
    },
    /// What a run of the scenario comes to under a policy, its words translated.
    Compare {
        /// The scenario's text.
        scenario: String,
        /// The policy.
        policy: String,
        /// Until this moment; `None`: until nothing further happens.
        until_ms: Option<i64>,
    },
    /// Stop what is going on.
    Cancel,
}

/// What a run stops at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stop {
    /// A pod of the job is placed.
    Starts(String),
    /// The queue comes to hold its fair share of GPUs, or its quota where there is no fair share.
    Share(String),
    /// Somebody is told to go.
    Evicts,
    /// Nothing happens in a cycle.
    Nothing,
}

/// An answer of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Of the request.
    pub generation: u64,
    /// What is said.
    pub say: Say,
}

/// What can be said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Say {
    /// The engine is there.
    Ready,
    /// The state after a cycle, and the run so far in short.
    Frame {
        /// The frame.
        frame: Box<Frame>,
        /// The run up to the furthest computed cycle.
        run: Box<Run>,
    },
    /// The frame of a scenario that is being edited; `None` if it cannot run.
    Ghost {
        /// The frame.
        frame: Option<Box<Frame>>,
        /// How the fair share that was asked for would come about: its levels from the root down.
        levels: Vec<LadderLevel>,
    },
    /// The scenario cannot run; its findings are computed by the page itself.
    Refused {
        /// The findings as lines.
        findings: Vec<String>,
    },
    /// Computing.
    Progress {
        /// Cycle reached.
        cycle: u32,
        /// Time reached.
        time_ms: i64,
        /// Where it goes: a cycle or a time, whichever was asked.
        to_cycle: Option<u32>,
        /// Where it goes.
        to_time_ms: Option<i64>,
    },
    /// The cycle of the event asked for, if there is one (known so far or found by running at most 10,000 cycles).
    Event {
        /// The cycle.
        cycle: Option<u32>,
    },
    /// Why a run stopped: what it was to stop at happened, or it ended before.
    Stopped {
        /// It happened.
        met: bool,
    },
    /// The ladder of a fair share.
    Ladder {
        /// The queue.
        queue: String,
        /// 0 cpu, 1 memory, 2 gpu.
        resource: u8,
        /// Its levels from the root down.
        levels: Vec<LadderLevel>,
    },
    /// In which order queues and jobs are looked at next: its levels from the root down.
    Order(Vec<OrderRow>),
    /// What was understood of pasted or dropped files.
    Imported {
        /// The scenario (format 1, JSON), if there is one.
        scenario: Option<String>,
        /// It was made of a trace: nodes, quota scale and policy can be chosen.
        is_trace: bool,
        /// What was understood.
        understood: Vec<String>,
        /// What was assumed.
        assumed: Vec<String>,
        /// What was ignored.
        ignored: Vec<String>,
        /// What is wrong.
        findings: Vec<String>,
    },
    /// Queues as a scheduler reads them.
    Exported(Option<Exported>),
    /// What came of variations; `None`: one cannot run.
    Tried {
        /// In the order asked, without the unchanged scenario.
        outcomes: Vec<Option<Outcome>>,
    },
    /// What was to be told; `None`: there is no run.
    Told(Option<Box<Story>>),
    /// The scenario in the words of another policy.
    Translated {
        /// The policy.
        policy: String,
        /// The scenario (format 1, JSON); `None`: this engine cannot translate it.
        scenario: Option<String>,
        /// What became of its settings.
        notes: Vec<NoteRow>,
    },
    /// What a run came to under a policy.
    Compared {
        /// The run.
        column: Box<ColumnRow>,
    },
    /// The request was stopped.
    Cancelled,
}

/// Queues as a scheduler reads them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exported {
    /// The whole file.
    pub text: String,
    /// What changed against the file the scenario came from, as a unified difference; `None`: it came from none.
    pub changes: Option<String>,
}

impl Say {
    /// No scenario could be made of what was dropped.
    pub fn nothing_imported(why: &str) -> Say {
        Say::Imported {
            scenario: None,
            is_trace: false,
            understood: Vec::new(),
            assumed: Vec::new(),
            ignored: Vec::new(),
            findings: vec![why.to_string()],
        }
    }
}

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
    pub total: Triple,
    /// Queues in file order; `parent` indexes into this list.
    pub queues: Vec<QueueRow>,
    /// The same numbers in each node pool, in file order; empty if there is only one.
    pub pools: Vec<PoolRow>,
    /// Nodes in file order.
    pub nodes: Vec<NodeCard>,
    /// Jobs that are known and not over, in file order.
    pub jobs: Vec<JobRow>,
    /// Events of the cycle, in order.
    pub events: Vec<EventRow>,
    /// How many of them happened outside, before the policy was asked.
    pub n_outside: u32,
    /// Why pending jobs are pending.
    pub refusals: Vec<RefusalRow>,
}

/// What one node pool has, and every queue's numbers there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoolRow {
    /// Name.
    pub name: String,
    /// What its root divides.
    pub total: Triple,
    /// Queues in file order.
    pub queues: Vec<QueueRow>,
}

impl Frame {
    /// The moment with the queues' numbers in a pool; as it is if there is no pool of that name.
    pub fn in_pool(&self, name: &str) -> Option<Frame> {
        let pool = self.pools.iter().find(|pool| pool.name == name)?;
        Some(Frame { total: pool.total, queues: pool.queues.clone(), ..self.clone() })
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
    pub allocated: Triple,
    /// Allocated and not to be taken.
    pub non_preemptible: Triple,
    /// Allocated plus waiting.
    pub request: Triple,
    /// Entitlement, if the policy has one.
    pub fair_share: Option<BoundTriple>,
    /// Quota as the policy resolved it.
    pub quota: BoundTriple,
    /// Limit as the policy resolved it.
    pub limit: BoundTriple,
    /// Held by pods that were told to go.
    pub leaving: Triple,
    /// Claimed in this cycle for pods that wait.
    pub claimed: Triple,
    /// What siblings are compared with, under a policy that has such priorities.
    pub priority: Option<PriorityRow>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeCard {
    /// Name.
    pub name: String,
    /// Takes part.
    pub ready: bool,
    /// Allocatable.
    pub capacity: Triple,
    /// Used, with what is leaving.
    pub used: Triple,
    /// One cell per GPU.
    pub cells: Vec<Cell>,
    /// CPU-only pods on it: pod name, job, queue position.
    pub cpu_pods: Vec<(String, String, u32)>,
    /// Its pool; empty if there is only one.
    pub pool: String,
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
}

/// An event with what decided it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// `submitted`, `started`, `claimed`, `reclaimed`, `preempted`, `moved`, `evicted`, `gone`, `requeued`,
    /// `finished`, `done`, `offered`, `changed`.
    pub kind: String,
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
    pub amount: Triple,
    /// The job it is for; empty if none.
    pub by: String,
    /// Position of that job's queue.
    pub by_queue: Option<u32>,
    /// For reclaim: `fair-share` or `quota`; for claims: `gang` if the room is for a gang that waits; otherwise empty.
    pub reason: String,
    /// The node pool to which a job is offered from now on; otherwise empty.
    pub pool: String,
    /// What decided it.
    pub checks: Vec<CheckRow>,
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
    /// `next-cycle`, `when-freed`, `when-reclaimed`, `only-by-edit`, `never`.
    pub outlook: String,
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
    /// Events by cycle, without their checks: cycle, kind, job, queue position. At most the latest 5,000.
    pub events: Vec<(u32, String, String, u32)>,
}

/// A point of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Cycle.
    pub cycle: u32,
    /// Time.
    pub time_ms: i64,
    /// Capacity.
    pub total: Triple,
    /// Allocated by top queue: position of the queue, amounts.
    pub allocated: Vec<(u32, Triple)>,
    /// Entitlement by top queue.
    pub fair_share: Vec<(u32, BoundTriple)>,
    /// Waiting (request minus allocated) of all.
    pub waiting: Triple,
}

/// One level of the division that ends in a queue's fair share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderLevel {
    /// Name of the queue whose share is divided; empty: the cluster.
    pub of: String,
    /// What is divided.
    pub capacity: f64,
    /// Lines, in order.
    pub lines: Vec<LadderLine>,
    /// The queue on the path, and its result.
    pub queue: String,
    /// Its fair share.
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
    /// `quota`, `round`, `remainder`.
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
    /// Part and sum of parts.
    pub part: (f64, f64),
    /// Offer before rounding, or the rounded-off fraction.
    pub offer: f64,
    /// What it still wanted.
    pub wanted: f64,
    /// The gift.
    pub given: f64,
    /// What remains.
    pub remaining: f64,
}
