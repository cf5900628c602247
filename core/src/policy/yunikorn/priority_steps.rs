//! Data of the view Priorities: the pod that a pass placed, and the priorities before and after it.
//!
//! # Rule
//! Priorities are read from the core, which updates them on placement. Only the application of the pod and the queues
//! above it can change, so only these are compared.
//!
//! # Source
//! yunikorn.md 2.1, 2.3, 9.2
//!
//! # Differs
//! nothing

use super::cycle::{CycleResult, ResultType};
use super::memory::Memory;
use super::model::{Core, QueueIx};
use super::priority::MIN;
use crate::id::{Id, QueueId};
use crate::trace::PriorityStep;

/// Priorities of all queues and applications.
pub(super) struct Priorities {
    queues: Vec<i32>,
    apps: Vec<i32>,
}

impl Priorities {
    pub(super) fn of(core: &Core) -> Priorities {
        Priorities {
            queues: core.queues.iter().map(|queue| queue.effective()).collect(),
            apps: core.apps.iter().map(|app| app.priority).collect(),
        }
    }
}

/// Placement of a pass and the changes that it caused; `None` if nothing was placed.
pub(super) fn step(previous: &Priorities, memory: &Memory, result: &CycleResult) -> Option<PriorityStep> {
    if !matches!(result.kind, ResultType::Allocated | ResultType::AllocatedReserved | ResultType::Replaced) {
        return None;
    }
    let core = &memory.core;
    let ask = &core.asks[result.ask];
    let app = &core.apps[ask.app];
    let id_of = |queue: QueueIx| memory.queues.iter().position(|&other| other == Some(queue)).map(QueueId::from_index);
    let both =
        |before: i32, after: i32| [before, after].map(|priority| Some(priority).filter(|&priority| priority != MIN));
    let change = |queue: QueueIx| {
        let (before, after) = (previous.queues[queue], core.queues[queue].effective());
        Some((id_of(queue).filter(|_| before != after)?, both(before, after)))
    };
    Some(PriorityStep {
        task: ask.key.clone(),
        queue: id_of(app.queue),
        application: app.id.clone(),
        dynamic: both(previous.apps[ask.app], app.priority),
        queues: core.upwards(app.queue).filter_map(change).collect(),
    })
}
