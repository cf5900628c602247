//! The serving order around the selection.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::trace::OrderLevel;
use fairground::words::Selection;

use crate::engine::protocol::Request;
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::request::send;

pub use fairground::words::Order;

/// Requests the serving order around the selected queue or job, unless it is known or the policy does not provide it.
pub(crate) fn request_order(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(frame) = model.frame.clone().filter(|_| !model.stale) else { return };
    let has_order = Policy::described(&frame.policy).is_some_and(|policy| policy.knows.lists_order);
    let asked = match &model.selection {
        Some(Selection::Queue(queue)) if has_order => Some((queue.clone(), None)),
        Some(Selection::Job(job)) if has_order => Some((String::new(), Some(job.clone()))),
        _ => None,
    };
    let known = model.order.as_ref();
    if known.is_some_and(|o| o.cycle == frame.cycle && Some(&o.of) == model.selection.as_ref()) {
        return;
    }
    model.order = None;
    if let Some((queue, job)) = asked {
        let request = Request::Order { cycle: frame.cycle, queue, job };
        model.in_flight.order = send(model, request, fx);
    }
}

/// Stores a serving order.
pub(crate) fn received(model: &mut Model, levels: Vec<OrderLevel>) {
    let cycle = model.frame.as_ref().map_or(0, |frame| frame.cycle);
    model.order = model.selection.clone().map(|of| Arc::new(Order { cycle, of, levels }));
}
