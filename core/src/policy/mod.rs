//! The interface between the cluster and a policy, and the list of policies.
//!
//! A policy receives a read-only view of one partition and its own memory. It returns only two kinds of decisions,
//! bind and evict, and the time of its next cycle. Policies know neither each other
//! nor the simulation; they do not change the cluster.

pub mod agreement;
#[cfg(test)]
#[path = "../../tests/sixth_policy/mod.rs"]
mod by_name;
mod checks;
pub mod description;
pub mod draft;
pub mod drf;
pub mod ego;
mod ends;
pub mod export;
pub mod field;
pub mod fifo;
pub mod filling;
pub mod form;
mod gated;
mod job_defaults;
pub mod kai;
mod ledger;
pub mod maxmin;
mod monitor;
mod node_order;
mod order_level;
mod registry;
pub mod runai;
pub mod setting;
pub mod translation;
pub mod translator;
pub mod versions;
pub mod vocabulary;
pub mod yunikorn;

use description::Description;
use draft::{Draft, DraftQueue};
pub use job_defaults::{JobDefaults, PRIORITY_CLASS};
pub use monitor::Monitor;
pub use registry::{Memory, PartitionScheduler, Policy};
use setting::Rulebook;
use translator::Translator;

use crate::cluster::{Cluster, ClusterState, Devices, Node, NodeUse, Queue, QueueSums, Sums};
use crate::format::{Findings, Scalar, Scenario};
use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, QueueId};
use crate::time::{Span, Time};
use crate::trace::{DivisionStep, Ending, Holdings, Ledger, OrderLevel, Outlook, QueuePriority, SharePool, Trace};
use crate::units::{Resource, ResourceVec, Weight};

/// The interface of a policy.
#[warn(missing_docs)]
pub trait Scheduler {
    /// Self-description.
    const DESCRIPTION: &'static Description;
    /// Its settings, parsed from a scenario.
    type Config: Clone + PartialEq;
    /// All state between cycles that decisions depend on. What is kept beside it for speed is not copied and not
    /// compared.
    type Memory: Clone + PartialEq + Default;
    /// Its rules, and the rules affected by each of its settings.
    fn rulebook() -> Rulebook;
    /// Parses its settings and reports unknown or invalid ones.
    fn read(scenario: &Scenario, findings: &mut Findings) -> Self::Config;
    /// Receives the configurations that the timeline sets later, for values that must be known from the start.
    fn with_later_configs(_config: &mut Self::Config, _later: &[&Self::Config]) {}
    /// Reports questionable values of a scenario, and values that the product would reject.
    fn advise(_config: &Self::Config, _draft: &Draft<'_>, _findings: &mut Findings) {}
    /// Reports questionable values of a queue in one pool.
    fn advise_queue(_queue: &DraftQueue<'_>, _findings: &mut Findings) {}
    /// Whether the limits of all queues above a leaf hold for its jobs, not only that of the leaf.
    fn inherits_limits(_config: &Self::Config) -> bool {
        true
    }
    /// Timers, beyond its rhythm, after which decisions may change without an event.
    fn timers(_config: &Self::Config) -> Timers {
        Timers::default()
    }
    /// Factor, at least 1, by which a node's capacity of a resource is multiplied.
    fn over_commit(_config: &Self::Config, _resource: Resource) -> Weight {
        Weight::ONE
    }
    /// Converts this policy's own settings of queues into common values, or common values into its own. Called for both
    /// policies before queues are translated.
    fn translate_queues(_work: &mut Translator<'_>) {}
    /// Translates a setting that only this policy has; `false` if there is no equivalent.
    fn translate_setting(_work: &mut Translator<'_>, _name: &str, _value: &Scalar) -> bool {
        false
    }
    /// Creates the scheduler with a configuration and the times of its cycles.
    fn new(config: Self::Config, rhythm: Rhythm) -> Self;
    /// Handles a change that the policy did not cause. Most policies do nothing.
    fn observe(&self, _world: PartitionView<'_>, _change: &Change, _memory: &mut Self::Memory) {}
    /// Called after `n` skipped cycles, at least 1, in which nothing could happen.
    fn cycles_skipped(&self, _world: PartitionView<'_>, _n: u32, _memory: &mut Self::Memory) {}
    /// Decides one cycle of one partition. Has no side effects except on `memory` and `trace`.
    fn cycle(&self, world: PartitionView<'_>, memory: &mut Self::Memory, trace: &mut Trace) -> Turn;
    /// Current amounts of every queue, as the policy computes them.
    fn ledger(&self, world: PartitionView<'_>, memory: &Self::Memory) -> Ledger;
    /// Derivation of the entitlement that [`Scheduler::ledger`] returns: the levels from the root down to the
    /// queue, each beginning with [`DivisionStep::Capacity`] and ending with the result of the queue on the path.
    /// Empty under a policy without entitlements.
    fn derive(
        &self,
        _world: PartitionView<'_>,
        _memory: &Self::Memory,
        _queue: QueueId,
        _resource: Resource,
    ) -> Vec<DivisionStep> {
        Vec::new()
    }
    /// Order in which the next cycle serves the queues on the path from the root to a queue, each among its siblings,
    /// and the level below the queue, which includes the given job. Empty under a policy that does not define an order.
    fn order(
        &self,
        _world: PartitionView<'_>,
        _memory: &Self::Memory,
        _queue: QueueId,
        _job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        Vec::new()
    }
    /// Current pools with share usage; empty under a policy without them.
    fn share_pools(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Vec<SharePool> {
        Vec::new()
    }
    /// Current owners of nodes; empty under a policy whose queues own none.
    fn holdings(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Holdings {
        Holdings::default()
    }
    /// Reservations that outlast the cycle: pending pods and their nodes.
    fn held(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Vec<(PodId, NodeId)> {
        Vec::new()
    }
    /// Current priorities by which siblings are compared; empty under a policy without queue priorities of that kind.
    fn priorities(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Vec<QueuePriority> {
        Vec::new()
    }
}

/// Timers after which decisions may change without an event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timers {
    /// Default minimum runtimes: against preemption and against reclaim.
    pub default_min_runtimes: [Span; 2],
    /// Grace period of gangs below their minimum; `None`: unlimited.
    pub staleness_grace: Option<Span>,
    /// How long a pod may terminate until the policy counts it otherwise; `None`: for ever.
    pub stuck_in_releasing: Option<Span>,
    /// Measurement of usage; `None`: not measured.
    pub usage: Option<UsageTimers>,
}

/// Times at which a policy reads the usage of queues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UsageTimers {
    /// At a fixed interval, until a window has passed.
    Every {
        /// Interval between two reads.
        interval: Span,
        /// Length of the window.
        window: Span,
    },
    /// In each of this many cycles after the last change.
    Cycles(i64),
}

/// Read-only view of one partition at one time.
#[derive(Clone, Copy, Debug)]
pub struct PartitionView<'a> {
    /// The whole cluster.
    pub cluster: &'a Cluster,
    /// Allocation of every node.
    pub node_use: &'a Arena<NodeId, NodeUse>,
    /// Sums of every queue in the partition.
    pub sums: &'a Arena<QueueId, QueueSums>,
    /// The partition to schedule.
    pub partition: PartitionId,
    /// Current time.
    pub now: Time,
    /// What watches the cycle and may end it early.
    pub monitor: Option<&'a Monitor>,
}

impl<'a> PartitionView<'a> {
    /// The view of a partition at a time.
    pub fn new(world: &'a ClusterState, partition: PartitionId, now: Time) -> PartitionView<'a> {
        let (node_use, sums) = (world.node_uses(), world.sums_in(partition));
        PartitionView { cluster: world.cluster(), node_use, sums, partition, now, monitor: None }
    }

    /// Whether the cycle is to end early; its decisions are discarded then.
    pub fn is_interrupted(self) -> bool {
        self.monitor.is_some_and(Monitor::is_interrupted)
    }

    /// The queues with their values in this partition.
    pub fn queues(self) -> &'a Arena<QueueId, Queue> {
        self.cluster.queues_in(self.partition)
    }

    /// Submitted jobs that have not ended and are offered to this partition, ascending.
    pub fn live_jobs(self) -> impl Iterator<Item = JobId> + Clone + 'a {
        let is_here = move |job: &JobId| self.cluster.jobs[*job].partition == self.partition;
        self.cluster.live_jobs.iter().copied().filter(is_here)
    }

    /// The nodes of this partition, in file order.
    pub fn nodes(self) -> impl Iterator<Item = (NodeId, &'a Node)> {
        self.cluster.nodes.iter().filter(move |(_, node)| node.partition == self.partition)
    }

    /// Total capacity of the ready nodes of this partition.
    pub fn capacity(self) -> Sums {
        let mut total = ResourceVec::default();
        self.nodes().filter(|(_, node)| node.ready).for_each(|(_, node)| total.add(&node.capacity));
        total.in_base_units()
    }
}

/// Result of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Applied in this order.
    pub decisions: Vec<Decision>,
    /// Time of the next cycle.
    pub wake: Wake,
}

/// A decision of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Places a pod.
    Bind {
        /// The pod.
        pod: PodId,
        /// The node.
        node: NodeId,
        /// Devices of the pod; `None`: the lowest free ones, or parts of the fullest shared ones.
        devices: Option<Devices>,
    },
    /// Evicts a pod.
    Evict {
        /// The pod.
        pod: PodId,
        /// Termination time.
        grace: Span,
    },
}

/// Time of the next cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// At the same time, after the decisions are applied.
    Again,
    /// At this time at the latest.
    At(Time),
    /// At the next change, but not before this time.
    OnChange {
        /// Earliest time.
        not_before: Time,
    },
    /// At the next change, but not before one time and no later than another.
    OnChangeOrAt {
        /// Earliest time.
        not_before: Time,
        /// Latest time.
        at: Time,
    },
}

/// A change that the policy did not cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A job was submitted, or pods joined it.
    Submitted(JobId),
    /// A pod ended, was withdrawn or was removed.
    PodOver(PodId),
    /// Nodes, queues or settings changed.
    Configuration,
}

/// Times of the cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// At a fixed interval.
    Every {
        /// Interval between two cycles.
        period: Span,
        /// Time from the start to the first cycle; usually one period.
        first: Span,
    },
    /// At every arrival and end, but at least this long after the previous cycle.
    OnChange {
        /// Minimum interval between two cycles.
        at_least: Span,
    },
    /// At every arrival, end and entry of the timeline, and never because time has passed.
    OnEvents,
}

impl Rhythm {
    /// At a fixed interval, the first after one period.
    pub fn every(period: Span) -> Rhythm {
        Rhythm::Every { period, first: period }
    }

    /// The same, but *on change* cycles follow each change without delay.
    pub fn without_delay(self) -> Rhythm {
        match self {
            Rhythm::OnChange { .. } => Rhythm::OnChange { at_least: Span::ZERO },
            other => other,
        }
    }

    /// Time of the next cycle for a policy without timers of its own.
    pub fn wake(self, now: Time) -> Wake {
        match self {
            Rhythm::Every { period, .. } => Wake::At(now + period),
            Rhythm::OnChange { at_least } => Wake::OnChange { not_before: now + at_least },
            Rhythm::OnEvents => Wake::OnChange { not_before: now },
        }
    }

    /// Earliest time of the next cycle.
    pub fn earliest(self, now: Time) -> Time {
        match self {
            Rhythm::Every { period, .. } | Rhythm::OnChange { at_least: period } => now + period,
            Rhythm::OnEvents => now,
        }
    }

    /// First cycle at or after a future time if nothing else happens.
    pub fn first_from(self, now: Time, time: Time) -> Time {
        match self {
            Rhythm::Every { period, .. } if period > Span::ZERO => {
                let (period, wait) = (period.as_millis(), (time - now).as_millis().max(1));
                now + Span::from_millis((wait + period - 1) / period * period)
            }
            Rhythm::Every { .. } => time,
            Rhythm::OnChange { .. } | Rhythm::OnEvents => time.max(self.earliest(now)),
        }
    }

    /// Outlook of a refusal that ends at a known time.
    pub fn outlook(self, now: Time, time: Time, what: Ending) -> Outlook {
        match (self, what) {
            // Only the end of a pod is an event; the other ends trigger no cycle.
            (
                Rhythm::OnEvents,
                Ending::Protection
                | Ending::Reservation
                | Ending::Backoff
                | Ending::PreemptionDelay
                | Ending::NoEvictions,
            ) => Outlook::NotForeseeable,
            _ => Outlook::of_end(self.earliest(now), time, what),
        }
    }
}
