//! Plain dominant resource fairness: the queue whose largest share of any resource is smallest comes first.
//!
//! # Rule
//! The dominant share of a queue is the largest part it holds of any resource, over its weight for that resource:
//! `s = max over r of u(r) / (w(r) × R(r))`, where `R` is what all nodes have of CPU, memory and GPUs. The smallest is served
//! first ([`super::filling`]). Quotas and priorities do not enter; a weight left out is 1, with weight 0 for a
//! resource that it holds or for all a queue comes after the others.
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

/// This policy has no switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {}

/// The policy.
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
        filling::ladder(&measure::MEASURE, world, queue, r, division::steps)
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
