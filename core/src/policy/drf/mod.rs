//! Plain dominant resource fairness: the queue with the smallest dominant share is served first.
//!
//! # Rule
//! The dominant share of a queue is its largest weighted share of any resource:
//! `s = max over r of u(r) / (w(r) × R(r))`, where `R` is the capacity of all nodes in CPU, memory and GPUs. The smallest is
//! served first ([`super::filling`]). Quotas and priorities do not enter; the default weight is 1. A queue with weight 0
//! for a resource that it holds, or for all resources, comes after the others.
//!
//! # Source
//! A. Ghodsi, M. Zaharia, B. Hindman, A. Konwinski, S. Shenker, I. Stoica, *Dominant Resource Fairness: Fair Allocation of
//! Multiple Resource Types*, NSDI 2011, Algorithm 1 and 4.3
//!
//! # Differs
//! Queues form a tree: shares are compared level by level, each against the whole cluster.

mod describe;
mod division;
mod measure;
mod rules;

pub use rules::RULES;

use super::filling;
use super::{PartitionView, Rhythm, Scheduler, Turn};
use crate::format::{Findings, Scenario};
use crate::id::{JobId, QueueId};
use crate::policy::description::Description;
use crate::policy::setting;
use crate::policy::switches::Rulebook;
use crate::trace::{DivisionStep, Ledger, OrderLevel, Trace};
use crate::units::Resource;

/// The policy has no settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {}

/// The scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Drf {
    rhythm: Rhythm,
}

impl Scheduler for Drf {
    const DESCRIPTION: &'static Description = &describe::DESCRIPTION;
    type Config = Config;
    type Memory = ();

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        setting::none(scenario, "drf has no switches", findings);
        Config::default()
    }

    fn rulebook() -> Rulebook {
        Rulebook::new(RULES.to_vec(), &[])
    }

    fn new(_config: Config, rhythm: Rhythm) -> Drf {
        Drf { rhythm: filling::rhythm(rhythm) }
    }

    fn cycle(&self, world: PartitionView<'_>, _memory: &mut (), trace: &mut Trace) -> Turn {
        filling::cycle(&measure::MEASURE, self.rhythm, world, trace)
    }

    fn ledger(&self, world: PartitionView<'_>, _memory: &()) -> Ledger {
        filling::ledger(&measure::MEASURE, world)
    }

    fn derive(&self, world: PartitionView<'_>, _: &(), queue: QueueId, r: Resource) -> Vec<DivisionStep> {
        filling::derive(&measure::MEASURE, world, queue, r, division::steps)
    }

    fn order(
        &self,
        world: PartitionView<'_>,
        _memory: &(),
        queue: QueueId,
        job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        filling::order(&measure::MEASURE, world, queue, job)
    }
}
