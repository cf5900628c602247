//! Reports on a whole run, computed on request: what ran when, what every queue received, what was wasted.

use fairground::id::PartitionId;
use fairground::moment::{Amounts, BoundTriple, EventWord};
use fairground::sim::Summary;
use fairground::trace::{Assignment, PriorityStep, SharePool};
use fairground::units::Resource;
use serde::{Deserialize, Serialize};

/// A requested report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReportRequest {
    /// A window of rows of a Gantt chart.
    Gantt {
        by: GanttBy,
        /// Index of the first row.
        first: u32,
        /// Largest number of rows.
        n: u32,
        /// A job or queue that must be in the window, which then ignores `first`; empty: none.
        about: String,
        /// Rows by name, as far as they exist, instead of a window; empty: a window.
        named: Vec<String>,
    },
    /// What every queue received of a resource, and what was wasted, up to the current cycle.
    Fairness {
        /// The resource that is counted.
        resource: Resource,
    },
    /// What every queue held in each cycle.
    Trends,
    /// How pools are divided by share usage at the current cycle.
    ShareUsage,
    /// How placements changed the priorities of queues, up to the current cycle.
    Priorities,
}

/// What a row of a Gantt chart represents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GanttBy {
    #[default]
    Job,
    Pod,
    Gpu,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    Gantt(Gantt),
    Fairness(Box<Fairness>),
    Trends(Trends),
    ShareUsage(ShareUsage),
    Priorities(Priorities),
}

/// How pools are divided by share usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareUsage {
    pub cycle: u32,
    /// The pools after that cycle, each with the node pool it is part of.
    pub pools: Vec<(PartitionId, SharePool)>,
    /// Free and assigned amounts of all node pools, turn by turn; `None`: the cycle is too far back or too large to be
    /// computed again.
    pub assignments: Option<Vec<Assignment>>,
}

/// How placements changed the priorities of queues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Priorities {
    /// The first cycle whose steps are listed.
    pub from: u32,
    /// Cycles and what they placed; `None`: they are too large, or too far from a checkpoint, to be computed again.
    pub steps: Option<Vec<(u32, PriorityStep)>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gantt {
    pub by: GanttBy,
    /// Index of the first row of the window.
    pub first: u32,
    /// Number of all rows.
    pub total: u32,
    /// The last known cycle.
    pub last: u32,
    /// Rows of the window.
    pub rows: Vec<GanttRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GanttRow {
    /// For a GPU: its node and number.
    pub name: String,
    /// Empty for a GPU.
    pub job: String,
    /// Position of the queue; `None` for a GPU.
    pub queue: Option<u32>,
    /// Number of pods; 1 for a pod or a GPU.
    pub n: u32,
    /// Request of all pods; zero for a GPU.
    pub amount: Amounts,
    /// First cycle, and the cycle in which it ended; `None`: not ended.
    pub known: (u32, Option<u32>),
    /// Ordered by start.
    pub bars: Vec<GanttBar>,
    /// Evictions: cycle and kind of event.
    pub evictions: Vec<(u32, EventWord)>,
    /// Why it is neither pending nor ended, such as `failed`, with the first cycle in which that is known.
    pub fate: Option<(u32, String)>,
}

/// Consecutive cycles in which the number of pods that hold resources stays the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GanttBar {
    pub from: u32,
    /// Exclusive.
    pub to: u32,
    /// Continues beyond the last known cycle.
    pub open: bool,
    /// Pods whose work counts.
    pub kept: u32,
    /// Pods whose work is lost and repeated.
    pub lost: u32,
    /// On a GPU: the job, and the position of its queue.
    pub holder: Option<(String, u32)>,
}

/// What every queue received of a resource and what was wasted, since the start of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    /// The resource that is counted.
    pub resource: Resource,
    /// In seconds of that resource: core seconds, byte seconds, GPU seconds, unit seconds. Queues are in the frame's
    /// order.
    pub summary: Summary,
    /// Free now, but fits no pending pod.
    pub stranded: f64,
    /// Free now.
    pub free: f64,
    /// Jobs with a pod that was evicted and restarted repeatedly, most evictions first.
    pub ping_pong: Vec<PingPong>,
}

/// A job with a pod that is evicted and restarted repeatedly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PingPong {
    pub job: String,
    /// Evictions of that pod.
    pub evictions: u32,
    /// Starts of that pod after an eviction.
    pub restarts: u32,
}

/// What every queue held in each cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trends {
    /// The last known cycle.
    pub last: u32,
    /// Cycles between two steps.
    pub stride: u32,
    /// Total capacity, from a cycle on.
    pub totals: Vec<(u32, Amounts)>,
    /// In the frame's order.
    pub queues: Vec<Vec<Level>>,
}

/// Amounts of a queue from a cycle on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    pub cycle: u32,
    pub allocated: Amounts,
    /// Allocated and pending.
    pub request: Amounts,
    /// Entitlement, if the policy has one.
    pub fair_share: Option<BoundTriple>,
    pub quota: BoundTriple,
    /// Past usage as a share of the cluster, if usage is recorded.
    pub usage: Option<[f64; 3]>,
}
