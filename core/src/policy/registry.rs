//! The closed list of policies: the only place where a policy is registered.
//!
//! Each line below names a scheduler; everything that must know all policies (their descriptions, the configuration in
//! a plan, the active policy, its memory between cycles) is generated from that line. Enums rather than trait objects:
//! a simulation is cloned, compared and sent to a worker, including memory.

use super::description::Description;
use super::draft::{Draft, DraftQueue};
use super::setting::Rulebook;
use super::translator::Translator;
use super::{Change, JobDefaults, PartitionView, Rhythm, Scheduler, Timers, Turn};
use crate::format::{Findings, Scalar, Scenario};
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::trace::{DivisionStep, Holdings, Ledger, OrderLevel, QueuePriority, SharePool, Trace};
use crate::units::{Resource, Weight};

macro_rules! policies {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $name:ident => $scheduler:ty;)+) => {
        /// A policy with its configuration, not yet active.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a simulation has one of them")]
        pub enum Policy {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $name(<$scheduler as Scheduler>::Config),)+
        }

        /// The active policy of a partition.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a simulation has one of them")]
        pub enum PartitionScheduler {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $name($scheduler),)+
        }

        /// Memory of an active policy between cycles.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Memory {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $name(Box<<$scheduler as Scheduler>::Memory>),)+
        }

        impl Policy {
            /// Descriptions of all policies, the default first.
            pub const ALL: &'static [&'static Description] = &[$($(#[cfg($cfg)])? <$scheduler as Scheduler>::DESCRIPTION),+];
            /// The policy of scenarios that name none. Its product's terms and units are those of all scenario files.
            pub const DEFAULT: &'static Description = Self::ALL[0];
            /// Names in scenario files, the default first.
            pub const NAMES: &'static [&'static str] = &[$($(#[cfg($cfg)])? <$scheduler as Scheduler>::DESCRIPTION.key),+];

            /// Reads the policy of a scenario with its settings; the default if the name is missing or unknown.
            pub fn read(s: &Scenario, f: &mut Findings) -> Policy {
                let key = Self::described_or_default(&s.policy).key;
                $($(#[cfg($cfg)])? if key == <$scheduler as Scheduler>::DESCRIPTION.key {
                    return Policy::$name(<$scheduler>::read(s, f));
                })+
                unreachable!("every description belongs to a policy")
            }

            /// See [`Scheduler::with_later_configs`].
            pub fn with_later_configs(&mut self, later: &[&Policy]) {
                match self {
                    $($(#[cfg($cfg)])? Policy::$name(config) => {
                        let own = later.iter().filter_map(|policy| match policy {
                            Policy::$name(config) => Some(config),
                            _ => None,
                        });
                        <$scheduler>::with_later_configs(config, &own.collect::<Vec<_>>());
                    })+
                }
            }
        }

        impl PartitionScheduler {
            /// Activates a policy, with an empty memory.
            pub fn new(policy: &Policy, rhythm: Rhythm) -> (PartitionScheduler, Memory) {
                match policy {
                    $($(#[cfg($cfg)])? Policy::$name(config) => (
                        PartitionScheduler::$name(<$scheduler>::new(config.clone(), rhythm)),
                        Memory::$name(Box::default()),
                    ),)+
                }
            }
        }

        /// Returns a value from the function if a policy has this name; `$S` is its scheduler.
        macro_rules! return_if_named {
            ($key:expr, |$S:ident| $value:expr) => {
                $($(#[cfg($cfg)])? if $key == <$scheduler as Scheduler>::DESCRIPTION.key {
                    type $S = $scheduler;
                    return $value;
                })+
            };
        }

        /// A value computed from the configuration of a policy; `$S` is its scheduler.
        macro_rules! with_config {
            ($policy:expr, |$S:ident, $config:ident| $value:expr) => {
                match $policy {
                    $($(#[cfg($cfg)])? Policy::$name($config) => {
                        type $S = $scheduler;
                        $value
                    })+
                }
            };
        }

        /// A value computed from an active policy and its memory.
        macro_rules! with_memory {
            ($scheduler_and_memory:expr, |$active:ident, $memory:ident| $value:expr) => {
                match $scheduler_and_memory {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name($active), Memory::$name($memory)) => $value,)+
                    _ => unreachable!("a policy has its own memory"),
                }
            };
        }
    };
}

policies! {
    /// KAI Scheduler.
    Kai => super::kai::Kai;
    /// Run:ai.
    Runai => super::runai::Runai;
    /// Apache YuniKorn.
    YuniKorn => super::yunikorn::YuniKorn;
    /// IBM EGO with a multidimensional plan.
    Ego => super::ego::Ego;
    /// First in, first out, in hard partitions.
    Fifo => super::fifo::Fifo;
    /// Max-min fairness.
    MaxMin => super::maxmin::MaxMin;
    /// Dominant resource fairness.
    Drf => super::drf::Drf;
    /// The policy of the tests.
    #[cfg(test)]
    ByName => super::by_name::ByName;
}

impl Policy {
    /// The rules of the policy with this name in a scenario, the default if empty; `None` if there is no such policy.
    pub fn rulebook(name: &str) -> Option<Rulebook> {
        let key = Self::described(name)?.key;
        return_if_named!(key, |S| Some(S::rulebook()));
        None
    }

    /// See [`Scheduler::translate_queues`].
    pub fn translate_queues(key: &str, work: &mut Translator<'_>) {
        return_if_named!(key, |S| S::translate_queues(work));
    }

    /// See [`Scheduler::translate_setting`].
    pub fn translate_setting(key: &str, work: &mut Translator<'_>, name: &str, value: &Scalar) -> bool {
        return_if_named!(key, |S| S::translate_setting(work, name, value));
        false
    }

    /// Description of the policy.
    pub fn description(&self) -> &'static Description {
        with_config!(self, |S, _config| S::DESCRIPTION)
    }

    /// See [`Scheduler::advise`].
    pub fn advise(&self, draft: &Draft<'_>, f: &mut Findings) {
        with_config!(self, |S, config| S::advise(config, draft, f));
    }

    /// See [`Scheduler::advise_queue`].
    pub fn advise_queue(&self, queue: &DraftQueue<'_>, f: &mut Findings) {
        with_config!(self, |S, _config| S::advise_queue(queue, f));
    }

    /// See [`Scheduler::inherits_limits`].
    pub fn inherits_limits(&self) -> bool {
        with_config!(self, |S, config| S::inherits_limits(config))
    }

    /// See [`Scheduler::timers`].
    pub fn timers(&self) -> Timers {
        with_config!(self, |S, config| S::timers(config))
    }

    /// See [`Scheduler::over_commit`].
    pub fn over_commit(&self, resource: Resource) -> Weight {
        with_config!(self, |S, config| S::over_commit(config, resource))
    }

    /// The description of the policy with this name in a scenario, the default if empty; `None` if there is no such
    /// policy.
    pub fn described(name: &str) -> Option<&'static Description> {
        let name = if name.is_empty() { Self::DEFAULT.key } else { name };
        Self::ALL.iter().find(|policy| policy.key == name).copied()
    }

    /// The description of the policy with this name; the default if there is no such policy.
    pub fn described_or_default(name: &str) -> &'static Description {
        Self::described(name).unwrap_or(Self::DEFAULT)
    }

    /// Policies that model products.
    pub fn products() -> impl Iterator<Item = &'static Description> {
        Self::ALL.iter().copied().filter(|policy| policy.modelled.is_some())
    }

    /// Policies that model no product, for comparison with products.
    pub fn baselines() -> impl Iterator<Item = &'static Description> {
        Self::ALL.iter().copied().filter(|policy| policy.modelled.is_none())
    }

    /// Defaults of jobs under the policy with this name; the default policy if there is no such policy.
    pub fn job_defaults(name: &str) -> &'static JobDefaults {
        &Self::described_or_default(name).jobs
    }

    /// Name in scenario files.
    pub fn key(&self) -> &'static str {
        self.description().key
    }
}

impl PartitionScheduler {
    /// See [`Scheduler::observe`].
    pub fn observe(&self, world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
        with_memory!((self, memory), |policy, memory| policy.observe(world, change, memory));
    }

    /// See [`Scheduler::cycles_skipped`].
    pub fn cycles_skipped(&self, world: PartitionView<'_>, n: u32, memory: &mut Memory) {
        with_memory!((self, memory), |policy, memory| policy.cycles_skipped(world, n, memory));
    }

    /// See [`Scheduler::cycle`].
    pub fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        let turn = with_memory!((self, memory), |policy, memory| policy.cycle(world, memory, trace));
        super::gated::refuse(world, trace);
        turn
    }

    /// See [`Scheduler::ledger`].
    pub fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
        with_memory!((self, memory), |policy, memory| policy.ledger(world, memory))
    }

    /// See [`Scheduler::derive`].
    pub fn derive(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        resource: Resource,
    ) -> Vec<DivisionStep> {
        with_memory!((self, memory), |policy, memory| policy.derive(world, memory, queue, resource))
    }

    /// See [`Scheduler::order`].
    pub fn order(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        with_memory!((self, memory), |policy, memory| policy.order(world, memory, queue, job))
    }

    /// See [`Scheduler::share_pools`].
    pub fn share_pools(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<SharePool> {
        with_memory!((self, memory), |policy, memory| policy.share_pools(world, memory))
    }

    /// See [`Scheduler::holdings`].
    pub fn holdings(&self, world: PartitionView<'_>, memory: &Memory) -> Holdings {
        with_memory!((self, memory), |policy, memory| policy.holdings(world, memory))
    }

    /// See [`Scheduler::held`].
    pub fn held(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<(PodId, NodeId)> {
        with_memory!((self, memory), |policy, memory| policy.held(world, memory))
    }

    /// See [`Scheduler::priorities`].
    pub fn priorities(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<QueuePriority> {
        with_memory!((self, memory), |policy, memory| policy.priorities(world, memory))
    }
}
