//! Checks of a job that was not reached in a pass against the one that was served.
//!
//! # Rule
//! Asks with a reservation and pods that replace placeholders precede all others. Otherwise the order of the pass decides at
//! the queue where both paths split, or in the leaf that both have in common.
//!
//! # Source
//! yunikorn.md 3.1, 3.2, 3.4

use super::cycle::{CycleResult, Stage};
use super::explain::{Order, application_order, between, siblings};
use super::memory::Memory;
use super::model::{AskIx, QueueIx};
use super::rules;
use crate::policy::PartitionView;
use crate::policy::checks::applies;
use crate::trace::{Check, Subject};

/// The comparison that put the served ask before another one.
pub fn behind_checks(
    world: PartitionView<'_>,
    memory: &Memory,
    orders: &[Order],
    found: &CycleResult,
    ask: AskIx,
) -> Vec<Check> {
    let core = &memory.core;
    let subject = between(world, memory, found.ask, ask);
    if found.stage != Stage::Normal {
        return vec![applies(rules::SERVED_FIRST, Subject { queue: None, other_queue: None, ..subject })];
    }
    let path = |ask: AskIx| {
        let mut path: Vec<QueueIx> = core.upwards(core.apps[core.asks[ask].app].queue).collect();
        path.reverse();
        path
    };
    let (first, own) = (path(found.ask), path(ask));
    let split = first.iter().zip(&own).find(|(a, b)| a != b);
    let check = match split {
        Some((&first, &own)) => siblings(memory, orders, first, own),
        None => application_order(memory, orders, [found.ask, ask].map(|ask| core.asks[ask].app), subject),
    };
    check.into_iter().collect()
}
