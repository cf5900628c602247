//! The closed list of policies behind one `match`.

use crate::id::QueueId;
use crate::policy::fifo::{self, Fifo};
use crate::policy::kai::{self, Kai};
use crate::policy::{Change, PartitionView, Policy, Rhythm, Scheduler, Turn};
use crate::trace::{DivisionStep, Ledger, Trace};
use crate::units::Resource;

/// A policy in charge.
#[derive(Clone, Debug, PartialEq)]
pub enum Policies {
    /// First in, first out.
    Fifo(Fifo),
    /// KAI Scheduler.
    Kai(Kai),
}

/// What the policy in charge remembers between cycles.
#[derive(Clone, Debug, PartialEq)]
pub enum Memory {
    /// First in, first out.
    Fifo(Box<fifo::Memory>),
    /// KAI Scheduler.
    Kai(kai::Memory),
}

impl Policies {
    /// Puts a policy in charge, with an empty memory.
    pub fn new(policy: &Policy, rhythm: Rhythm) -> (Policies, Memory) {
        match policy {
            Policy::Fifo(config) => {
                (Policies::Fifo(Fifo::new(config.clone(), rhythm)), Memory::Fifo(Box::default()))
            }
            Policy::Kai(config) => {
                (Policies::Kai(Kai { config: config.clone(), rhythm }), Memory::Kai(Default::default()))
            }
        }
    }

    /// See [`Scheduler::observe`].
    pub fn observe(&self, world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
        match (self, memory) {
            (Policies::Fifo(policy), Memory::Fifo(memory)) => policy.observe(world, change, memory),
            (Policies::Kai(policy), Memory::Kai(memory)) => policy.observe(world, change, memory),
            _ => unreachable!("a policy has its own memory"),
        }
    }

    /// See [`Scheduler::cycle`].
    pub fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        match (self, memory) {
            (Policies::Fifo(policy), Memory::Fifo(memory)) => policy.cycle(world, memory, trace),
            (Policies::Kai(policy), Memory::Kai(memory)) => policy.cycle(world, memory, trace),
            _ => unreachable!("a policy has its own memory"),
        }
    }

    /// See [`Scheduler::ledger`].
    pub fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
        match (self, memory) {
            (Policies::Fifo(policy), Memory::Fifo(memory)) => policy.ledger(world, memory),
            (Policies::Kai(policy), Memory::Kai(memory)) => policy.ledger(world, memory),
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
            (Policies::Fifo(policy), Memory::Fifo(memory)) => policy.derive(world, memory, queue, resource),
            (Policies::Kai(policy), Memory::Kai(memory)) => policy.derive(world, memory, queue, resource),
            _ => unreachable!("a policy has its own memory"),
        }
    }
}
