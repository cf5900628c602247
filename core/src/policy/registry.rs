//! The closed list of policies: the one place where a policy is registered.
//!
//! A line below gives a policy its name in scenario files, what it takes jobs to be that leave something out, and its scheduler; everything that must know all policies
//! (the configuration in a plan, the policy in charge, its memory between cycles) is made from that line.
//! Enums rather than trait objects: a simulation is cloned, compared and sent to a worker, memory and all.

use super::switches::Rulebook;
use super::{Change, JobDefaults, PartitionView, Rhythm, Scheduler, Turn};
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::trace::{DivisionStep, Ledger, OrderLevel, QueuePriority, Trace};
use crate::units::Resource;

macro_rules! policies {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal, $jobs:ident => $scheduler:ty;)+) => {
        /// A policy with its configuration, not yet in charge.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a simulation has one of them")]
        pub enum Policy {
            $($(#[doc = $doc])* $name(<$scheduler as Scheduler>::Config),)+
        }

        impl Policy {
            /// The names in scenario files, the default first.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The rules of the policy of that name in a scenario, empty for the default; `None`: there is none such.
            pub fn rulebook(name: &str) -> Option<Rulebook> {
                match if name.is_empty() { Self::NAMES[0] } else { name } {
                    $($text => Some(<$scheduler>::rulebook()),)+
                    _ => None,
                }
            }

            /// What the policy of that name takes jobs to be that leave something out; of the default if there is none
            /// of that name.
            pub fn job_defaults(name: &str) -> &'static JobDefaults {
                match name {
                    $($text => &JobDefaults::$jobs,)+
                    _ => &DEFAULT_JOBS,
                }
            }

            /// The name in scenario files.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Policy::$name(_) => $text,)+
                }
            }
        }

        /// A policy in charge.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a simulation has one of them")]
        pub enum InCharge {
            $($(#[doc = $doc])* $name($scheduler),)+
        }

        /// What the policy in charge remembers between cycles.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Memory {
            $($(#[doc = $doc])* $name(Box<<$scheduler as Scheduler>::Memory>),)+
        }

        impl InCharge {
            /// Puts a policy in charge, with an empty memory.
            pub fn new(policy: &Policy, rhythm: Rhythm) -> (InCharge, Memory) {
                match policy {
                    $(Policy::$name(config) => (
                        InCharge::$name(<$scheduler>::new(config.clone(), rhythm)),
                        Memory::$name(Box::default()),
                    ),)+
                }
            }

            /// See [`Scheduler::observe`].
            pub fn observe(&self, world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
                match (self, memory) {
                    $((InCharge::$name(policy), Memory::$name(memory)) => policy.observe(world, change, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::pass`].
            pub fn pass(&self, world: PartitionView<'_>, memory: &mut Memory) {
                match (self, memory) {
                    $((InCharge::$name(policy), Memory::$name(memory)) => policy.pass(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::cycle`].
            pub fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
                let turn = match (self, memory) {
                    $((InCharge::$name(policy), Memory::$name(memory)) => policy.cycle(world, memory, trace),)+
                    _ => unreachable!("a policy has its own memory"),
                };
                super::gated::refuse(world, trace);
                turn
            }

            /// See [`Scheduler::ledger`].
            pub fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
                match (self, memory) {
                    $((InCharge::$name(policy), Memory::$name(memory)) => policy.ledger(world, memory),)+
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
                    $((InCharge::$name(policy), Memory::$name(memory)) => {
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
                    $((InCharge::$name(policy), Memory::$name(memory)) => {
                        policy.order(world, memory, queue, job)
                    })+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::held`].
            pub fn held(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<(PodId, NodeId)> {
                match (self, memory) {
                    $((InCharge::$name(policy), Memory::$name(memory)) => policy.held(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }

            /// See [`Scheduler::priorities`].
            pub fn priorities(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<QueuePriority> {
                match (self, memory) {
                    $((InCharge::$name(policy), Memory::$name(memory)) => policy.priorities(world, memory),)+
                    _ => unreachable!("a policy has its own memory"),
                }
            }
        }
    };
}

/// Of the policy that a scenario has if it names none.
const DEFAULT_JOBS: JobDefaults = JobDefaults::CLASSES;

policies! {
    /// KAI Scheduler.
    Kai = "kai", CLASSES => super::kai::Kai;
    /// First in, first out, in hard partitions.
    Fifo = "fifo", PLAIN => super::fifo::Fifo;
    /// Apache YuniKorn.
    YuniKorn = "yunikorn", PLAIN => super::yunikorn::YuniKorn;
    /// IBM EGO with a multidimensional plan.
    Ego = "ego", PLAIN => super::ego::Ego;
    /// Run:ai.
    Runai = "runai", CLASSES => super::runai::Runai;
    /// Max-min fairness.
    MaxMin = "max-min", PLAIN => super::maxmin::MaxMin;
    /// Dominant resource fairness.
    Drf = "drf", PLAIN => super::drf::Drf;
}
