//! The rules of the policy, asked for once somebody wants to look one up.

use fairground::policy::Policy;

use super::command::Effect;
use super::{Model, Selection, SetupTab, asking};
use crate::engine::protocol::Ask;

/// Asks for the rules of the policy where they are shown, unless they are known.
pub(super) fn ask_rules(model: &mut Model, fx: &mut Vec<Effect>) {
    let is_wanted = model.view.tab == SetupTab::Rules || matches!(model.selection, Some(Selection::Rule(_)));
    let policy = &model.scenario.policy;
    if !is_wanted || model.rules.as_ref().is_some_and(|known| known.policy == *policy) {
        return;
    }
    let whole = !(policy.is_empty() || Policy::is_built(policy));
    let ask = Ask::Rules { policy: policy.clone(), whole };
    model.rules = None;
    model.asked.rules = asking::send(model, ask, fx);
}
