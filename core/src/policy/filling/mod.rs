//! Progressive filling, the common engine of max-min fairness and dominant resource fairness.
//!
//! # Rule
//! In each step, the queue with the *smallest share* that still has pods to place receives the next pods of its first
//! job: level by level from the top, among siblings the smallest share, the first in file order among equals. The
//! policies differ only in how they measure shares ([`Measure`]). A queue whose next pods would exceed a limit on the
//! path to the root, or fit nowhere, is frozen for the rest of the cycle; the cycle ends when every queue is frozen or
//! served.
//!
//! Jobs of a queue start in the order of submission (submit time, then file order). The minimum number of pods of a job
//! starts together or not at all, further pods singly; pods are never split. A pod goes to the node with the fewest
//! free GPUs on which it fits, the first in file order among equals. Nothing is ever evicted.
//!
//! # Source
//! D. Bertsekas, R. Gallager, *Data Networks*, 6.5.2 (filling); A. Ghodsi et al., *Dominant Resource Fairness*, NSDI
//! 2011, Algorithm 1
//!
//! # Differs
//! The sources place single tasks of one level of users and stop at the first that does not fit.

mod cycle_state;
mod describe;
mod ledger;
mod measure;
mod order;
mod place;
mod refuse;
mod rules;

pub use describe::DESCRIPTION;
pub use measure::{Child, DivisionLevel, Measure, Rules, Share};
pub use rules::{best_fit, node_order, submit_order};

use std::marker::PhantomData;

use cycle_state::CycleState;
use place::Placed;

use super::description::Description;
use super::setting::Rulebook;
use super::{Decision, PartitionView, Rhythm, Scheduler, Turn, setting};
use crate::format::{Findings, Scenario};
use crate::id::{JobId, QueueId};
use crate::trace::{DivisionStep, Event, Ledger, Level, OrderLevel, Trace};
use crate::units::Resource;

/// What distinguishes a policy with progressive filling from others.
pub trait Variant: Clone + PartialEq {
    /// Self-description.
    const DESCRIPTION: &'static Description;
    /// Share measure, division and rules.
    const MEASURE: &'static Measure;
}

/// The scheduler of a policy with progressive filling; it has no settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Filling<V> {
    rhythm: Rhythm,
    variant: PhantomData<V>,
}

impl<V: Variant> Scheduler for Filling<V> {
    const DESCRIPTION: &'static Description = V::DESCRIPTION;
    type Config = ();
    type Memory = ();

    fn read(scenario: &Scenario, findings: &mut Findings) {
        setting::none(scenario, V::DESCRIPTION, findings);
    }

    fn rulebook() -> Rulebook {
        Rulebook::new(V::MEASURE.rules.all().to_vec(), [])
    }

    fn new(_config: (), rhythm: Rhythm) -> Filling<V> {
        Filling { rhythm: rhythm.without_delay(), variant: PhantomData }
    }

    fn cycle(&self, world: PartitionView<'_>, _memory: &mut (), trace: &mut Trace) -> Turn {
        let decisions = fill(CycleState::open(V::MEASURE, world), trace);
        Turn { decisions, wake: self.rhythm.wake(world.now) }
    }

    fn ledger(&self, world: PartitionView<'_>, _memory: &()) -> Ledger {
        ledger::ledger(V::MEASURE, world)
    }

    fn derive(&self, world: PartitionView<'_>, _: &(), queue: QueueId, r: Resource) -> Vec<DivisionStep> {
        ledger::derive(V::MEASURE, world, queue, r)
    }

    fn order(&self, world: PartitionView<'_>, _memory: &(), queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
        order::order(V::MEASURE, world, queue, job)
    }
}

/// Serves and freezes leaves until none is left.
fn fill(mut state: CycleState<'_>, trace: &mut Trace) -> Vec<Decision> {
    let mut decisions = Vec::new();
    let records = trace.level >= Level::Refusals;
    while !state.world.is_interrupted()
        && let Some(leaf) = state.next_leaf()
    {
        let pods = state.next_pods(leaf).to_vec();
        if let Some(bound) = state.over_limit(leaf, &pods) {
            let stop = records.then(|| refuse::over_limit(&state, bound, &pods));
            state.freeze(leaf, stop);
            continue;
        }
        match place::place(&mut state, &pods, records) {
            Err(lacks) => {
                let stop = records.then(|| refuse::no_room(&state, &pods, lacks));
                state.freeze(leaf, stop);
            }
            Ok(places) => {
                for (i, &Placed { pod, node, devices, .. }) in places.iter().enumerate() {
                    trace.event(Event::Bound { pod, node, devices }, || rules::bound(&state, leaf, &places[i..]));
                    decisions.push(Decision::Bind { pod, node, devices: Some(devices) });
                }
                state.placed(leaf, &pods);
            }
        }
    }
    if records {
        refuse::refuse(&state, trace);
    }
    decisions
}
