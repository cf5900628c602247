//! The ladder of a fair share, with what it belongs to.

use fairground::words::Selection;

use super::{order, rules};
use crate::engine::protocol::{Ask, Frame};
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::moment::dominant;
use crate::state::request::send;

pub use fairground::words::Ladder;

/// The queue whose fair share is explained: the selected one; for Division also that of what is selected, or the
/// first that has a fair share.
fn ladder_queue(model: &Model, frame: &Frame) -> Option<String> {
    let name = |queue: u32| frame.queues.get(queue as usize).map(|row| row.name.clone());
    let of_job = |job: &str| frame.jobs.iter().find(|row| row.name == *job).and_then(|row| name(row.queue));
    if let Some(Selection::Queue(queue)) = &model.selection {
        return Some(queue.clone());
    }
    if !model.view.has_division() {
        return None;
    }
    let meant = match &model.selection {
        Some(Selection::Job(job)) => of_job(job),
        Some(Selection::Event { cycle, index }) if *cycle == frame.cycle => {
            frame.events.get(*index as usize).and_then(|event| name(frame.queue_of(event)?.0))
        }
        _ => None,
    };
    let is_leaf = |at: usize| frame.queues.iter().all(|row| row.parent != Some(at as u32));
    let mut rows = frame.queues.iter().enumerate();
    let first = rows.find(|(at, row)| row.fair_share.is_some() && is_leaf(*at));
    meant.or_else(|| first.map(|(_, row)| row.name.clone()))
}

/// Asks what the engine knows about what is selected: how its fair share came about, and where it stands.
pub(crate) fn ask_about(model: &mut Model, fx: &mut Vec<Effect>) {
    ask_ladder(model, fx);
    order::ask_order(model, fx);
    rules::ask_rules(model, fx);
}

/// Asks how the selected queue's fair share came about, unless that is known.
fn ask_ladder(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(frame) = model.frame.clone().filter(|_| !model.stale) else { return };
    let Some(queue) = ladder_queue(model, &frame) else {
        model.ladder = None;
        return;
    };
    let (cycle, resource) = (frame.cycle, model.explained_resource());
    let known = model.ladder.as_ref();
    if known.is_some_and(|l| l.cycle == cycle && l.queue == queue && l.resource == resource) {
        return;
    }
    let is_derived = frame.queues.iter().any(|q| q.name == queue && q.fair_share.is_some());
    // Division goes on showing the old one until the new one is there.
    let stays = model.view.has_division() || known.is_some_and(|l| l.queue == queue);
    if !is_derived || !stays {
        model.ladder = None;
    }
    if is_derived {
        model.in_flight.ladder = send(model, Ask::Ladder { cycle, queue, resource }, fx);
    }
}

impl Model {
    /// The resource that is explained for the selected queue: 0 cpu, 1 memory, 2 gpu.
    pub fn explained_resource(&self) -> u8 {
        let Some((frame, 3)) = self.frame.as_ref().zip(Some(self.resource)) else {
            return self.resource.min(2);
        };
        let queue = ladder_queue(self, frame);
        let row = queue.and_then(|name| frame.queues.iter().find(|row| row.name == name));
        row.map_or(2, |row| dominant::resource_of(&row.allocated, &row.request, &frame.total))
    }
}
