//! Checks of a job that was not reached in a pass against the one that was served.
//!
//! # Rule
//! Asks with a reservation and pods that replace placeholders precede all others. Otherwise the order of the pass
//! decides at the queue where both paths split, in the leaf that both have in common, or in their application.
//!
//! # Source
//! yunikorn.md 3.1, 3.2, 3.4, 3.5

use super::cycle::{CycleResult, Stage};
use super::explain::{Order, application_order, between, by_priority, by_time, siblings};
use super::memory::Memory;
use super::model::{AskIx, Core, QueueIx};
use super::rules;
use crate::policy::PartitionView;
use crate::policy::checks::applies;
use crate::trace::{Check, Subject};

/// The comparison that put the served ask before another one.
pub fn behind_checks(
    world: PartitionView<'_>,
    memory: &Memory,
    orders: &[Order],
    result: &CycleResult,
    ask: AskIx,
) -> Vec<Check> {
    let core = &memory.core;
    let subject = between(world, memory, result.ask, ask);
    if result.stage != Stage::Normal {
        return vec![applies(rules::SERVED_FIRST, Subject { queue: None, other_queue: None, ..subject })];
    }
    let path = |ask: AskIx| {
        let mut path: Vec<QueueIx> = core.upwards(core.apps[core.asks[ask].app].queue).collect();
        path.reverse();
        path
    };
    let (first, own_path) = (path(result.ask), path(ask));
    let split = first.iter().zip(&own_path).find(|(a, b)| a != b);
    let check = match split {
        Some((&first, &own_path)) => siblings(memory, orders, first, own_path),
        None => {
            let asks = [result.ask, ask];
            let [first, other] = asks.map(|ask| core.asks[ask].app);
            if first == other {
                request_order(core, asks, subject)
            } else {
                application_order(memory, orders, [first, other], subject)
            }
        }
    };
    check.into_iter().collect()
}

/// Check of the order of two asks of an application; `None`: they are equal, and the order of their arrival decides.
fn request_order(core: &Core, asks: [AskIx; 2], subject: Subject) -> Option<Check> {
    by_priority(rules::REQUEST, subject, asks.map(|ask| core.asks[ask].priority))
        .or_else(|| by_time(rules::REQUEST, subject, asks.map(|ask| core.asks[ask].created)))
        .filter(|check| check.holds)
}
