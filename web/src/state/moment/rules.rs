//! The rule book of the policy, requested when it is first shown.

use fairground::words::Selection;

use crate::engine::protocol::Request;
use crate::state::effect::Effect;
use crate::state::layout::options::SetupTab;
use crate::state::model::Model;
use crate::state::request::send;

/// Requests the rule book of the policy where it is shown, unless it is known.
pub(crate) fn request_rule_book(model: &mut Model, fx: &mut Vec<Effect>) {
    let is_wanted = model.view.tab == SetupTab::Rules || matches!(model.selection, Some(Selection::Rule(_)));
    let policy = &model.document.scenario.policy;
    if is_wanted && model.rules.as_ref().is_none_or(|known| known.policy != *policy) {
        let request = Request::Rules { policy: policy.clone() };
        model.rules = None;
        model.in_flight.rules = send(model, request, fx);
    }
}
