//! The contract between the world and a policy, and the list of policies.
//!
//! A policy gets a read-only view of one partition and its own memory, and answers with two verbs only,
//! bind and evict, and with the moment at which it wants to be asked again. Policies do not know each other,
//! nor the simulation; they do not change the world.

#[cfg(test)]
#[path = "../../tests/sixth_policy/mod.rs"]
mod by_name;
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
pub mod maxmin;
mod order_level;
mod registry;
pub mod runai;
pub(crate) mod setting;
pub mod switches;
pub mod translation;
pub mod translator;
pub mod versions;
pub mod vocabulary;
pub mod yunikorn;

use description::Description;
use draft::{Draft, DraftQueue};
pub use job_defaults::{JobDefaults, PRIORITY_CLASS};
pub use registry::{Memory, PartitionScheduler, Policy};
use switches::Rulebook;
use translator::Translator;

use crate::cluster::{Cluster, Devices, Node, Queue};
use crate::format::{Findings, Scalar, Scenario};
use crate::id::{Arena, JobId, NodeId, PartitionId, PodId, QueueId};
use crate::time::{Span, Time};
use crate::trace::{
    DivisionStep, Ending, Holdings, Ledger, OrderLevel, Outlook, QueuePriority, SharePool, Trace,
};
use crate::units::{Resource, Weight};

/// The written contract of a policy.
pub trait Scheduler {
    /// What it says of itself.
    const DESCRIPTION: &'static Description;
    /// Its settings, as a scenario gives them.
    type Config: Clone + PartialEq;
    /// Whatever a decision may depend on beyond the cluster, and nothing else.
    type Memory: Clone + PartialEq + Default;
    /// Its rules, and which of them its switches enter.
    fn rulebook() -> Rulebook;
    /// Reads its settings and reports those that it does not have or cannot follow.
    fn read(scenario: &Scenario, findings: &mut Findings) -> Self::Config;
    /// Learns which settings the timeline brings later, for what must be known from the start.
    fn foresee(_config: &mut Self::Config, _later: &[&Self::Config]) {}
    /// Reports what is questionable about a scenario, or would be refused by the product.
    fn advise(_config: &Self::Config, _draft: &Draft<'_>, _findings: &mut Findings) {}
    /// Reports what is questionable about a queue with the values of one pool.
    fn advise_queue(_queue: &DraftQueue<'_>, _findings: &mut Findings) {}
    /// The moments, beyond those of its rhythm, at which time alone changes its decisions.
    fn timers(_config: &Self::Config) -> Timers {
        Timers::default()
    }
    /// How many times what it has a node offers of a resource, at least 1.
    fn over_commit(_config: &Self::Config, _resource: Resource) -> Weight {
        Weight::ONE
    }
    /// Rewrites what only this policy states of queues into common values, or common values into its own. Called before
    /// queues are translated, for both policies.
    fn translate_queues(_work: &mut Translator<'_>) {}
    /// Translates a setting that only this policy has; `false`: it has no counterpart.
    fn translate_setting(_work: &mut Translator<'_>, _name: &str, _value: &Scalar) -> bool {
        false
    }
    /// With these settings, asked in this rhythm.
    fn new(config: Self::Config, rhythm: Rhythm) -> Self;
    /// Hears of a change in the world that it did not cause. Most policies just look when asked.
    fn observe(&self, _world: PartitionView<'_>, _change: &Change, _memory: &mut Self::Memory) {}
    /// Time has passed in which cycles were left out because nothing could happen in them.
    fn pass(&self, _world: PartitionView<'_>, _memory: &mut Self::Memory) {}
    /// Decides one cycle of one partition. Pure but for `memory` and `trace`.
    fn cycle(&self, world: PartitionView<'_>, memory: &mut Self::Memory, trace: &mut Trace) -> Turn;
    /// What the policy believes about every queue right now.
    fn ledger(&self, world: PartitionView<'_>, memory: &Self::Memory) -> Ledger;
    /// How the entitlement that [`Scheduler::ledger`] shows came about: the levels from the root down to the
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
    /// The order in which the next pass will look at the queues on the way from the root to a queue, each among its
    /// siblings, and at what is below it; with a job, at that job among those of its queue. Empty under a policy that cannot
    /// say.
    fn order(
        &self,
        _world: PartitionView<'_>,
        _memory: &Self::Memory,
        _queue: QueueId,
        _job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        Vec::new()
    }
    /// The pools that are shared by share usage, as they are right now; empty under a policy without such.
    fn share_pools(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Vec<SharePool> {
        Vec::new()
    }
    /// Who owns nodes right now; empty under a policy whose queues own none.
    fn holdings(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Holdings {
        Holdings::default()
    }
    /// Room that is held, beyond the cycle, for pods that wait: the pods and where.
    fn held(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Vec<(PodId, NodeId)> {
        Vec::new()
    }
    /// What siblings are compared with right now; empty under a policy whose queues have no priorities of that kind.
    fn priorities(&self, _world: PartitionView<'_>, _memory: &Self::Memory) -> Vec<QueuePriority> {
        Vec::new()
    }
}

/// When time alone changes what a policy decides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timers {
    /// Minimum runtimes of the policy itself: against preemption and against reclaim.
    pub default_min_runtimes: [Span; 2],
    /// How long a gang may run below its minimum; `None`: for ever.
    pub staleness_grace: Option<Span>,
    /// How usage is measured; `None`: it is not.
    pub usage: Option<UsageTimers>,
}

/// When a policy learns of what queues used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UsageTimers {
    /// Every so often, until a window has passed.
    Every {
        /// The distance.
        interval: Span,
        /// How long what was used counts.
        window: Span,
    },
    /// In every cycle, until so many have passed.
    Cycles(i64),
}

/// The read-only world of one partition, at one moment.
#[derive(Clone, Copy, Debug)]
pub struct PartitionView<'a> {
    /// Everything that exists.
    pub cluster: &'a Cluster,
    /// The partition that is asked.
    pub partition: PartitionId,
    /// Now.
    pub now: Time,
}

impl<'a> PartitionView<'a> {
    /// The queues with the values they have in this partition.
    pub fn queues(self) -> &'a Arena<QueueId, Queue> {
        self.cluster.queues_in(self.partition)
    }

    /// Submitted jobs that have not ended and are offered to this partition, ascending.
    pub fn live_jobs(self) -> impl Iterator<Item = JobId> + Clone + 'a {
        let is_here = move |job: &JobId| self.cluster.jobs[*job].partition == self.partition;
        self.cluster.live_jobs.iter().copied().filter(is_here)
    }

    /// The machines of this partition, in file order.
    pub fn nodes(self) -> impl Iterator<Item = (NodeId, &'a Node)> {
        self.cluster.nodes.iter().filter(move |(_, node)| node.partition == self.partition)
    }
}

/// What a policy answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// To be applied in this order.
    pub decisions: Vec<Decision>,
    /// When it wants to be asked again.
    pub wake: Wake,
}

/// The two verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Place the pod.
    Bind {
        /// The pod.
        pod: PodId,
        /// The node.
        node: NodeId,
        /// The devices that become its own; `None`: the lowest free ones, or parts of the fullest shared ones.
        devices: Option<Devices>,
    },
    /// Tell the pod to go.
    Evict {
        /// The pod.
        pod: PodId,
        /// How long it may take.
        grace: Span,
    },
}

/// When a policy wants to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// At the same instant, once the decisions are applied.
    Again,
    /// At this moment at the latest.
    At(Time),
    /// When something changes, but not before this moment.
    OnChange {
        /// The earliest moment.
        not_before: Time,
    },
    /// When something changes, but not before a moment, or at another even if nothing does.
    OnChangeOrAt {
        /// The earliest moment.
        not_before: Time,
        /// The latest moment.
        at: Time,
    },
}

/// A change in the world that the policy did not cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A job became known, or pods that join it.
    Submitted(JobId),
    /// A pod ended, was withdrawn or is gone.
    PodOver(PodId),
    /// Nodes, queues or settings changed.
    Configuration,
}

/// When cycles take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// Every so often.
    Every {
        /// The distance of two cycles.
        period: Span,
        /// From the start to the first; usually one period.
        first: Span,
    },
    /// At every arrival and end, but at least this long after the previous cycle.
    OnChange {
        /// The shortest distance of two cycles.
        at_least: Span,
    },
    /// At every arrival, end and entry of the timeline, and never because time has passed.
    OnEvents,
}

impl Rhythm {
    /// Every so often, the first after one period.
    pub fn every(period: Span) -> Rhythm {
        Rhythm::Every { period, first: period }
    }

    /// When a policy that just looks when asked wants to be asked again.
    pub fn wake(self, now: Time) -> Wake {
        match self {
            Rhythm::Every { period, .. } => Wake::At(now + period),
            Rhythm::OnChange { at_least } => Wake::OnChange { not_before: now + at_least },
            Rhythm::OnEvents => Wake::OnChange { not_before: now },
        }
    }

    /// The earliest moment of the next cycle.
    pub fn earliest(self, now: Time) -> Time {
        match self {
            Rhythm::Every { period, .. } | Rhythm::OnChange { at_least: period } => now + period,
            Rhythm::OnEvents => now,
        }
    }

    /// The first cycle at or after a moment to come, if nothing else happens.
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

    /// What a reason that ends at a known moment promises.
    pub fn outlook(self, now: Time, time: Time, what: Ending) -> Outlook {
        match (self, what) {
            // Only the end of a pod is an event; the other ends bring no cycle.
            (Rhythm::OnEvents, Ending::Protection | Ending::Reservation | Ending::Backoff) => {
                Outlook::NotForeseeable
            }
            _ => Outlook::of_end(self.earliest(now), time, what),
        }
    }
}
