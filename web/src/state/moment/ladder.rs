//! The explanation of a fair share.

use fairground::words::Selection;

use super::{order, rules};
use crate::engine::protocol::{Frame, Request};
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::moment::dominant;
use crate::state::request::send;

pub use fairground::words::Ladder;

/// The queue whose fair share is explained: the selected one; for Division also the queue of the selection, otherwise the first
/// one with a fair share.
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

/// Requests what is shown about the selection: the explanation of its fair share, the serving order, the rules.
pub(crate) fn request_explanations(model: &mut Model, fx: &mut Vec<Effect>) {
    request_ladder(model, fx);
    order::request_order(model, fx);
    rules::request_rule_book(model, fx);
}

/// Requests the explanation of the selected queue's fair share, unless it is known.
fn request_ladder(model: &mut Model, fx: &mut Vec<Effect>) {
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
    // Division shows the previous explanation until the new one arrives.
    let stays = model.view.has_division() || known.is_some_and(|l| l.queue == queue);
    if !is_derived || !stays {
        model.ladder = None;
    }
    if is_derived {
        model.in_flight.ladder = send(model, Request::Ladder { cycle, queue, resource }, fx);
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
