//! The rules of the policy, asked for once somebody wants to look one up.

use std::sync::Arc;

use fairground::words::Selection;

use crate::engine::protocol::{Ask, RuleUse};
use crate::state::effect::Effect;
use crate::state::layout::options::SetupTab;
use crate::state::model::Model;
use crate::state::request::send;

/// Asks for the rules of the policy where they are shown, unless they are known.
pub(crate) fn ask_rules(model: &mut Model, fx: &mut Vec<Effect>) {
    let is_wanted = model.view.tab == SetupTab::Rules || matches!(model.selection, Some(Selection::Rule(_)));
    let policy = &model.scenario.policy;
    if !is_wanted {
        return;
    }
    if model.rules.as_ref().is_some_and(|known| known.policy == *policy) {
        return ask_use(model, fx);
    }
    let ask = Ask::Rules { policy: policy.clone() };
    model.rules = None;
    model.in_flight.rules = send(model, ask, fx);
}

/// Asks what the rule that is looked up did in the present cycle, unless that is known.
pub(crate) fn ask_use(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(Selection::Rule(rule)) = model.selection.clone() else { return };
    let Some(cycle) = model.frame.as_ref().filter(|_| !model.stale).map(|frame| frame.cycle) else { return };
    let Some(book) = model.rules.as_ref().filter(|book| book.rule(&rule).is_some()) else { return };
    if book.used.as_ref().is_some_and(|used| used.rule == rule && used.cycle == cycle) {
        return;
    }
    model.in_flight.rule_use = send(model, Ask::RuleUse { cycle, rule }, fx);
}

/// Takes in what a rule did.
pub(crate) fn used(model: &mut Model, found: RuleUse) {
    if let Some(book) = &mut model.rules {
        Arc::make_mut(book).used = Some(found);
    }
}
