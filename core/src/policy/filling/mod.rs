//! Progressive filling, the common engine of max-min fairness and dominant resource fairness.
//!
//! # Rule
//! In each step, the queue with the *smallest share* that still has pods to place receives the next pods of its first job:
//! level by level from the top, among siblings the smallest share, the first in file order among equals. The policies differ
//! only in how they measure shares ([`Measure`]). A queue whose next pods would exceed a limit on the path to the
//! root, or fit nowhere, is frozen for the rest of the cycle; the cycle ends when every queue is frozen or served.
//!
//! Jobs of a queue start in the order of submission (submit time, then file order). The minimum number of pods of a job starts
//! together or not at all, further pods singly; pods are never split. A pod goes to the node with the fewest free GPUs
//! on which it fits, the first in file order among equals. Nothing is ever evicted.
//!
//! # Source
//! D. Bertsekas, R. Gallager, *Data Networks*, 6.5.2 (filling); A. Ghodsi et al., *Dominant Resource Fairness*, NSDI 2011,
//! Algorithm 1
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
mod vocabulary;

pub use describe::DESCRIPTION;
pub use ledger::{DivisionLevel, derive, ledger};
pub use measure::{Child, Measure, Rules, Share, Triple};
pub use order::order;
pub use rules::{best_fit, submit_order};

use cycle_state::{CycleState, Stop};

use super::{Decision, PartitionView, Rhythm, Turn};
use crate::trace::{Event, Level, Trace};

/// Runs one cycle.
pub fn cycle(measure: &'static Measure, rhythm: Rhythm, world: PartitionView<'_>, trace: &mut Trace) -> Turn {
    let mut state = CycleState::open(measure, world);
    let mut decisions = Vec::new();
    while let Some(leaf) = state.next_leaf() {
        let pods = state.next_pods(leaf).to_vec();
        let stop = match state.over_limit(leaf, &pods) {
            Some((queue, resource)) => Err(Stop::Limit { queue, resource }),
            None => {
                let placed = place::place(&mut state, &pods);
                placed.map_err(|placed| Stop::NoRoom { placed, free: state.free() })
            }
        };
        match stop {
            Err(stop) => state.freeze(leaf, stop),
            Ok(places) => {
                for (pod, node, devices) in places {
                    trace
                        .event(Event::Bound { pod, node, devices }, || rules::bound(&state, leaf, pod, node));
                    decisions.push(Decision::Bind { pod, node, devices: Some(devices) });
                }
                state.placed(leaf, &pods);
            }
        }
    }
    if trace.level >= Level::Decisive {
        refuse::refuse(&state, trace);
    }
    Turn { decisions, wake: rhythm.wake(world.now) }
}

/// Returns the rhythm of the policy: cycles follow each change without delay, unless the scenario gives a period.
pub fn rhythm(rhythm: Rhythm) -> Rhythm {
    match rhythm {
        Rhythm::OnChange { .. } => Rhythm::OnChange { at_least: crate::time::Span::ZERO },
        other => other,
    }
}
