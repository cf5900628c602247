//! What is reported of a whole run on request: what ran when, what every queue got, what was wasted.

use fairground::id::PartitionId;
use fairground::moment::{Amounts, BoundTriple, EventWord, Serving};
use fairground::trace::{Assignment, PriorityStep, SharePool};
use serde::{Deserialize, Serialize};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReportRequest {
    /// Who ran when: so many rows from one on.
    Gantt {
        /// What a row is.
        by: GanttBy,
        /// The first row.
        first: u32,
        /// Rows, at most.
        n: u32,
        /// A job or queue that must be among them, in place of `first`; empty: none.
        about: String,
        /// The rows of these names, as far as there are such, in place of a window; empty: a window.
        named: Vec<String>,
    },
    /// What every queue got of a resource, and what was wasted, up to the present cycle.
    Tally {
        /// 0 cpu, 1 memory, 2 gpu, then those that the scenario names.
        resource: u8,
    },
    /// What every queue held, cycle by cycle.
    Series,
    /// How pools are shared by share usage at the present cycle.
    ShareUsage,
    /// How placing pods changed the priorities of queues, up to the present cycle.
    Priorities,
    /// Who is served first in the cycle after the present one.
    Serving,
}

/// What a row of a Gantt chart is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GanttBy {
    /// A job.
    #[default]
    Job,
    /// A pod.
    Pod,
    /// A GPU.
    Gpu,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// Who ran when.
    Gantt(Gantt),
    /// What every queue got.
    Tally(Tally),
    /// What every queue held.
    Series(Series),
    /// How pools are shared by share usage.
    ShareUsage(ShareUsage),
    /// How placing pods changed the priorities of queues.
    Priorities(Priorities),
    /// Who is served first.
    Serving(Serving),
}

/// How pools are shared by share usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareUsage {
    /// At this cycle.
    pub cycle: u32,
    /// The pools after it, each with the node pool that it is a part of.
    pub pools: Vec<(PartitionId, SharePool)>,
    /// What was free and assigned in it, turn by turn, in all node pools; `None`: the cycle is too far back, or too large, to be run again.
    pub assignments: Option<Vec<Assignment>>,
}

/// How placing pods changed the priorities of queues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Priorities {
    /// The first cycle whose steps are listed.
    pub from: u32,
    /// Cycles and what they placed; `None`: they are too large, or too far from a state that was kept, to be run again.
    pub steps: Option<Vec<(u32, PriorityStep)>>,
}

/// Who ran when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gantt {
    /// What a row is.
    pub by: GanttBy,
    /// The first row of the window.
    pub first: u32,
    /// All rows.
    pub total: u32,
    /// The last cycle known.
    pub last: u32,
    /// The window.
    pub rows: Vec<GanttRow>,
}

/// A job, pod or GPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GanttRow {
    /// Name; of a GPU its node and number.
    pub name: String,
    /// Its job; empty for a GPU.
    pub job: String,
    /// Position of its queue; `None` for a GPU.
    pub queue: Option<u32>,
    /// Its pods; 1 for a pod and a GPU.
    pub n: u32,
    /// What all of its pods ask for; nothing for a GPU.
    pub amount: Amounts,
    /// It is known from this cycle up to that one; no end: it is not over.
    pub known: (u32, Option<u32>),
    /// What it did, by start.
    pub bars: Vec<GanttBar>,
    /// When it was evicted: cycle, kind of event.
    pub told: Vec<(u32, EventWord)>,
    /// It waits no more, though it is not over: the first cycle that is known to have said so, and what became of it,
    /// such as `failed`.
    pub fate: Option<(u32, String)>,
}

/// A stretch of cycles in which equally many pods held something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GanttBar {
    /// The first cycle.
    pub from: u32,
    /// The first cycle after it.
    pub to: u32,
    /// It goes on.
    pub open: bool,
    /// Pods whose work counts.
    pub kept: u32,
    /// Pods whose work has to be done again.
    pub lost: u32,
    /// On a GPU: the job and the position of its queue.
    pub holder: Option<(String, u32)>,
}

/// What every queue got of a resource and what was wasted, since the start of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// 0 cpu, 1 memory, 2 gpu, then those that the scenario names.
    pub resource: u8,
    /// Up to this cycle.
    pub cycle: u32,
    /// Its time.
    pub time_ms: i64,
    /// By queue, in the frame's order.
    pub queues: Vec<TallyRow>,
    /// All together.
    pub all: TallyRow,
    /// Seconds of it on ready nodes: core seconds, byte seconds, GPU seconds, seconds of whole named things.
    pub capacity: f64,
    /// Those that were free while somebody waited for it.
    pub idle_wanted: f64,
    /// What is free now and fits nobody who waits.
    pub stranded: f64,
    /// What is free now.
    pub free: f64,
    /// Jain's index over what the leaf queues got of what they were due; `None`: nobody was due anything.
    pub jain: Option<f64>,
    /// Jobs with a pod that was evicted and started again several times, the one with the most evictions first.
    pub ping_pong: Vec<PingPong>,
}

/// A job of which a pod is evicted and started again and again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PingPong {
    /// The job.
    pub job: String,
    /// Evictions of that pod.
    pub evictions: u32,
    /// How often it started again after one.
    pub restarts: u32,
}

/// What one queue got: seconds, and seconds of the resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TallyRow {
    /// Below its entitlement while it wanted more.
    pub short: f64,
    /// Held.
    pub used: f64,
    /// Below the entitlement while it wanted more.
    pub owed: f64,
    /// Above the quota.
    pub borrowed: f64,
    /// Work that has to be done again.
    pub lost: f64,
    /// Jobs that started.
    pub started: u32,
    /// Median of their waits.
    pub wait_median: f64,
    /// 90th percentile.
    pub wait_p90: f64,
    /// The longest wait that goes on; `None`: nobody waits for a first start.
    pub wait_now: Option<f64>,
    /// Pods evicted.
    pub evictions: u64,
    /// Pods placed again.
    pub restarts: u64,
    /// What it got in each of several pools, in the frame's order; empty if there is only one.
    pub pools: Vec<TallyPool>,
}

/// What one queue got in a pool. Seconds and GPU seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TallyPool {
    /// Below its entitlement there while it wanted more there.
    pub short: f64,
    /// Held.
    pub used: f64,
    /// Below the entitlement there while it wanted more there.
    pub owed: f64,
    /// Above the quota there.
    pub borrowed: f64,
}

/// What every queue held, cycle by cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The last cycle known.
    pub last: u32,
    /// The distance between two steps, in cycles.
    pub stride: u32,
    /// What there was in all, from a cycle on.
    pub totals: Vec<(u32, Amounts)>,
    /// By queue, in the frame's order.
    pub queues: Vec<Vec<Level>>,
}

/// What a queue held from a cycle on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// From this cycle on.
    pub cycle: u32,
    /// Held.
    pub allocated: Amounts,
    /// Held and waiting for.
    pub request: Amounts,
    /// Entitlement, if the policy has one.
    pub fair_share: Option<BoundTriple>,
    /// Quota.
    pub quota: BoundTriple,
    /// Past usage as a share of the cluster, if any queue has some.
    pub usage: Option<[f64; 3]>,
}
