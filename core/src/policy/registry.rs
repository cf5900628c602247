//! The closed list of policies: the only place where a policy is registered.
//!
//! Each line below names a scheduler; everything that must know all policies (their descriptions, the configuration in a
//! plan, the active policy, its memory between cycles) is generated from that line.
//! Enums rather than trait objects: a simulation is cloned, compared and sent to a worker, including memory.

use super::description::Description;
use super::draft::{Draft, DraftQueue};
use super::switches::Rulebook;
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

        impl Policy {
            /// Descriptions of all policies, the default first.
            pub const ALL: &'static [&'static Description] = &[$($(#[cfg($cfg)])? <$scheduler as Scheduler>::DESCRIPTION),+];
            /// Names in scenario files, the default first.
            pub const NAMES: &'static [&'static str] = &[$($(#[cfg($cfg)])? <$scheduler as Scheduler>::DESCRIPTION.key),+];

            /// The rules of the policy with this name in a scenario, the default if empty; `None` if there is no such policy.
            pub fn rulebook(name: &str) -> Option<Rulebook> {
                let key = Self::described(name)?.key;
                $($(#[cfg($cfg)])? if key == <$scheduler as Scheduler>::DESCRIPTION.key {
                    return Some(<$scheduler>::rulebook());
                })+
                None
            }

            /// See [`Scheduler::translate_queues`].
            pub fn translate_queues(key: &str, work: &mut Translator<'_>) {
                $($(#[cfg($cfg)])? if key == <$scheduler as Scheduler>::DESCRIPTION.key {
                    return <$scheduler>::translate_queues(work);
                })+
            }

            /// See [`Scheduler::translate_setting`].
            pub fn translate_setting(key: &str, work: &mut Translator<'_>, name: &str, value: &Scalar) -> bool {
                $($(#[cfg($cfg)])? if key == <$scheduler as Scheduler>::DESCRIPTION.key {
                    return <$scheduler>::translate_setting(work, name, value);
                })+
                false
            }

            /// Description of the policy.
            pub fn description(&self) -> &'static Description {
                match self {
                    $($(#[cfg($cfg)])? Policy::$name(_) => <$scheduler as Scheduler>::DESCRIPTION,)+
                }
            }

            /// Reads the policy of a scenario with its settings; the default if the name is missing or unknown.
            pub fn read(s: &Scenario, f: &mut Findings) -> Policy {
                let key = Self::described(&s.policy).unwrap_or(Self::ALL[0]).key;
                $($(#[cfg($cfg)])? if key == <$scheduler as Scheduler>::DESCRIPTION.key {
                    return Policy::$name(<$scheduler>::read(s, f));
                })+
                unreachable!("every description belongs to a policy")
            }

            /// See [`Scheduler::foresee`].
            pub fn foresee(&mut self, later: &[&Policy]) {
                match self {
                    $($(#[cfg($cfg)])? Policy::$name(config) => {
                        let own = later.iter().filter_map(|policy| match policy {
                            Policy::$name(config) => Some(config),
                            _ => None,
                        });
                        <$scheduler>::foresee(config, &own.collect::<Vec<_>>());
                    })+
                }
            }

            /// See [`Scheduler::advise`].
            pub fn advise(&self, draft: &Draft<'_>, f: &mut Findings) {
                match self {
                    $($(#[cfg($cfg)])? Policy::$name(config) => <$scheduler>::advise(config, draft, f),)+
                }
            }

            /// See [`Scheduler::advise_queue`].
            pub fn advise_queue(&self, queue: &DraftQueue<'_>, f: &mut Findings) {
                match self {
                    $($(#[cfg($cfg)])? Policy::$name(_) => <$scheduler>::advise_queue(queue, f),)+
                }
            }

            /// See [`Scheduler::timers`].
            pub fn timers(&self) -> Timers {
                match self {
                    $($(#[cfg($cfg)])? Policy::$name(config) => <$scheduler>::timers(config),)+
                }
            }

            /// See [`Scheduler::over_commit`].
            pub fn over_commit(&self, resource: Resource) -> Weight {
                match self {
                    $($(#[cfg($cfg)])? Policy::$name(config) => <$scheduler>::over_commit(config, resource),)+
                }
            }
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

            /// See [`Scheduler::observe`].
            pub fn observe(&self, world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.observe(world, change, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::pass`].
            pub fn pass(&self, world: PartitionView<'_>, memory: &mut Memory) {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.pass(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::cycle`].
            pub fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
                let turn = match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.cycle(world, memory, trace),)+
                    _ => unreachable!("a policy has its own memory"),
                };
                super::gated::refuse(world, trace);
                turn
            }

            /// See [`Scheduler::ledger`].
            pub fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.ledger(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::derive`].
            pub fn derive(
                &self,
                world: PartitionView<'_>,
                memory: &Memory,
                queue: QueueId,
                resource: Resource,
            ) -> Vec<DivisionStep> {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => {
                        policy.derive(world, memory, queue, resource)
                    })+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::order`].
            pub fn order(
                &self,
                world: PartitionView<'_>,
                memory: &Memory,
                queue: QueueId,
                job: Option<JobId>,
            ) -> Vec<OrderLevel> {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => {
                        policy.order(world, memory, queue, job)
                    })+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::share_pools`].
            pub fn share_pools(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<SharePool> {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.share_pools(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::holdings`].
            pub fn holdings(&self, world: PartitionView<'_>, memory: &Memory) -> Holdings {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.holdings(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::held`].
            pub fn held(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<(PodId, NodeId)> {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.held(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::priorities`].
            pub fn priorities(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<QueuePriority> {
                match (self, memory) {
                    $($(#[cfg($cfg)])? (PartitionScheduler::$name(policy), Memory::$name(memory)) => policy.priorities(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }
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
    /// The description of the policy with this name in a scenario, the default if empty; `None` if there is no such policy.
    pub fn described(name: &str) -> Option<&'static Description> {
        let name = if name.is_empty() { Self::NAMES[0] } else { name };
        Self::ALL.iter().find(|policy| policy.key == name).copied()
    }

    /// The description of the policy with this name; the default if there is no such policy.
    pub fn described_or_default(name: &str) -> &'static Description {
        Self::described(name).unwrap_or(Self::ALL[0])
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
