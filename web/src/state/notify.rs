//! Adds and removes notices.

use std::sync::Arc;

use crate::state::command::Command;
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::notice::Notice;

/// Largest number of notices.
const NOTICES_MAX: usize = 3;

pub(crate) fn notify(
    model: &mut Model,
    is_problem: bool,
    text: String,
    action: Option<(String, Command)>,
    fx: &mut Vec<Effect>,
) {
    fx.push(Effect::Announce(text.clone()));
    let id = model.fresh_id();
    let notices = Arc::make_mut(&mut model.notices);
    notices.retain(|n| n.text != text && (n.is_problem || is_problem));
    notices.push(Notice { id, is_problem, text, action });
    if notices.len() > NOTICES_MAX {
        notices.remove(0);
    }
}
