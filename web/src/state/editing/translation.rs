//! Change of the policy: the engine translates the scenario, which is one undo step, and notes report what became of
//! its settings.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::{Path, Scenario};
use fairground::translate::NoteKind;

use super::commands::{commit, set};
use crate::engine::protocol::{NoteRow, Request};
use crate::state::command::Command;
use crate::state::document::{Checked, Translated, edit};
use crate::state::effect::Effect;
use crate::state::engine_state::{EngineState, Work};
use crate::state::layout::options::Dialog;
use crate::state::model::{Model, notify, send};

/// Requests a translation to a policy.
pub(crate) fn choose(model: &mut Model, policy: String, fx: &mut Vec<Effect>) {
    let now =
        if model.document.scenario.policy.is_empty() { Policy::DEFAULT.key } else { &model.document.scenario.policy };
    if now == policy {
        return;
    }
    let scenario = model.document.scenario.clone();
    model.document.translating = Some(scenario.clone());
    model.engine.state = EngineState::Working(Work::Cycle(None));
    model.in_flight.translation = send(model, Request::Translate { scenario, policy }, fx);
}

/// Takes over the translated scenario; without one, changes only the policy's name.
pub(crate) fn translated(
    model: &mut Model,
    policy: String,
    scenario: Option<Scenario>,
    notes: Vec<NoteRow>,
    fx: &mut Vec<Effect>,
) {
    // Another document may have been opened in the meantime.
    let Some(of) = model.document.translating.take() else { return };
    if !Arc::ptr_eq(&of, &model.document.scenario) {
        // The scenario was edited in the meantime.
        return choose(model, policy, fx);
    }
    let Some(scenario) = scenario else {
        set(model, &Path::default().field("policy"), &policy, fx);
        return;
    };
    commit(
        model,
        Checked::of(scenario),
        "policy",
        |before| edit::name_of_set(before, &Path::default().field("policy"), &policy),
        fx,
    );
    let translated = Translated { policy, notes };
    let counts = [NoteKind::Refused, NoteKind::Dropped, NoteKind::Assumed, NoteKind::Changed]
        .map(|kind| (kind, translated.count(kind)));
    let said: Vec<String> =
        counts.iter().filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{n} {}", kind.name())).collect();
    model.document.translated = Some(Arc::new(translated));
    if !said.is_empty() {
        let text = format!("Settings converted to this policy: {}.", said.join(", "));
        let action = ("Details".to_string(), Command::Dialog(Some(Dialog::Translated)));
        notify(model, false, text, Some(action), fx);
    }
}
