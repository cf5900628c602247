//! Max-min fairness: nobody can get more without taking it from somebody who has less.
//!
//! # Rule
//! The share of a queue is what it holds divided by its weight: `s = u / w`, in GPUs, or in cores where no node has a GPU. The
//! smallest share is served first ([`super::filling`]). Quotas, priorities and other resources do not enter; a queue
//! without a weight has weight 1, one of weight 0 comes after all others. The fair share that is shown is what filling gives if
//! everything can be split: everybody gets the same per weight, except those who want less.
//!
//! # Source
//! D. Bertsekas, R. Gallager, *Data Networks*, 2nd ed., 6.5.2 *Max-min flow control*
//!
//! # Differs
//! Pods are whole, so that queues may differ by one pod from the fair share.

mod division;
mod rules;

pub use rules::RULES;

use super::filling;
use super::{PartitionView, Rhythm, Scheduler, Turn};
use crate::id::{JobId, QueueId};
use crate::policy::switches::Rulebook;
use crate::trace::{DivisionStep, Ledger, OrderLevel, Trace};
use crate::units::Resource;

/// This policy has no switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {}

/// The policy.
#[derive(Clone, Debug, PartialEq)]
pub struct MaxMin {
    rhythm: Rhythm,
}

impl Scheduler for MaxMin {
    type Config = Config;
    type Memory = ();

    fn rulebook() -> Rulebook {
        Rulebook::new(RULES.to_vec(), &[])
    }

    fn new(_config: Config, rhythm: Rhythm) -> MaxMin {
        MaxMin { rhythm: filling::rhythm(rhythm) }
    }

    fn cycle(&self, world: PartitionView<'_>, _memory: &mut (), trace: &mut Trace) -> Turn {
        filling::cycle(&rules::MEASURE, self.rhythm, world, trace)
    }

    fn ledger(&self, world: PartitionView<'_>, _memory: &()) -> Ledger {
        filling::ledger(&rules::MEASURE, world)
    }

    fn derive(&self, world: PartitionView<'_>, _: &(), queue: QueueId, r: Resource) -> Vec<DivisionStep> {
        filling::ladder(&rules::MEASURE, world, queue, r, division::steps)
    }

    fn order(
        &self,
        world: PartitionView<'_>,
        _memory: &(),
        queue: QueueId,
        job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        filling::order(&rules::MEASURE, world, queue, job)
    }
}
