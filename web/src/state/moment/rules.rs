//! The rule book of the policy, requested when it is first shown.

use std::sync::Arc;

use fairground::words::Selection;

use crate::engine::protocol::{Request, RuleUse};
use crate::state::effect::Effect;
use crate::state::layout::options::SetupTab;
use crate::state::model::Model;
use crate::state::request::send;

/// Requests the rule book of the policy where it is shown, unless it is known.
pub(crate) fn request_rule_book(model: &mut Model, fx: &mut Vec<Effect>) {
    let is_wanted = model.view.tab == SetupTab::Rules || matches!(model.selection, Some(Selection::Rule(_)));
    let policy = &model.scenario.policy;
    if !is_wanted {
        return;
    }
    if model.rules.as_ref().is_some_and(|known| known.policy == *policy) {
        return request_rule_use(model, fx);
    }
    let request = Request::Rules { policy: policy.clone() };
    model.rules = None;
    model.in_flight.rules = send(model, request, fx);
}

/// Requests what the selected rule did in the current cycle, unless it is known.
pub(crate) fn request_rule_use(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(Selection::Rule(rule)) = model.selection.clone() else { return };
    let Some(cycle) = model.frame.as_ref().filter(|_| !model.stale).map(|frame| frame.cycle) else { return };
    let Some(book) = model.rules.as_ref().filter(|book| book.rule(&rule).is_some()) else { return };
    if book.used.as_ref().is_some_and(|used| used.rule == rule && used.cycle == cycle) {
        return;
    }
    model.in_flight.rule_use = send(model, Request::RuleUse { cycle, rule }, fx);
}

/// Stores what a rule did.
pub(crate) fn used(model: &mut Model, found: RuleUse) {
    if let Some(book) = &mut model.rules {
        Arc::make_mut(book).used = Some(found);
    }
}
