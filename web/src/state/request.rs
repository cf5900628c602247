//! Sends requests to the engine.

use crate::engine::protocol::{Message, Request};
use crate::state::effect::Effect;
use crate::state::model::Model;

/// Sends a request and returns its number.
pub(crate) fn send(model: &mut Model, body: Request, fx: &mut Vec<Effect>) -> u64 {
    let generation = model.fresh_id();
    fx.push(Effect::Send(Message { generation, body }));
    generation
}
