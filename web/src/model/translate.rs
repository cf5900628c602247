//! Another policy for the scenario: its words are translated by the engine, as one step of undo, and what became of its
//! settings is told. And the same scenario under several policies, side by side.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::Path;

use super::asking::send;
use super::command::{Command, Dialog, Effect};
use super::update::{commit, notify, set};
use super::{EngineState, Model, document, edit};
use crate::engine::protocol::{Ask, ColumnRow, NoteRow};

/// What became of the settings when the policy was changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translated {
    /// The policy.
    pub policy: String,
    /// What became of the settings.
    pub notes: Vec<NoteRow>,
}

impl Translated {
    /// How many settings there are of a kind.
    pub fn count(&self, kind: &str) -> u32 {
        self.notes.iter().filter(|note| note.kind == kind).map(|note| note.n).sum()
    }
}

/// Asks for the scenario in the words of a policy.
pub(super) fn choose(model: &mut Model, policy: String, fx: &mut Vec<Effect>) {
    let now = if model.scenario.policy.is_empty() { Policy::NAMES[0] } else { &model.scenario.policy };
    if now == policy {
        return;
    }
    let scenario = document::to_json(&model.scenario);
    model.translating = Some(model.scenario.clone());
    model.engine = EngineState::Working(None);
    model.asked.translation = send(model, Ask::Translate { scenario, policy }, fx);
}

/// Takes the translated scenario; without one only the policy's name changes.
pub(super) fn translated(
    model: &mut Model,
    policy: String,
    scenario: Option<String>,
    notes: Vec<NoteRow>,
    fx: &mut Vec<Effect>,
) {
    let of = model.translating.take();
    if of.is_none_or(|of| !Arc::ptr_eq(&of, &model.scenario)) {
        // It was edited in the meantime.
        return choose(model, policy, fx);
    }
    let Some(scenario) = scenario.and_then(|text| document::from_text(&text).ok()) else {
        set(model, &Path::default().field("policy"), &policy, fx);
        return;
    };
    commit(
        model,
        scenario,
        "policy",
        |before| edit::name_of_set(before, &Path::default().field("policy"), &policy),
        fx,
    );
    let translated = Translated { policy, notes };
    let counts = ["refused", "dropped", "assumed", "changed"].map(|kind| (kind, translated.count(kind)));
    let said: Vec<String> =
        counts.iter().filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{n} {kind}")).collect();
    model.translated = Some(Arc::new(translated));
    if !said.is_empty() {
        let text = format!("Settings put into the words of this policy: {}.", said.join(", "));
        let action = ("Details".to_string(), Command::Dialog(Some(Dialog::Translated)));
        notify(model, false, text, Some(action), fx);
    }
}

/// Runs the scenario under several policies, until the present moment or, at the start, until nothing further happens.
pub(super) fn compare(model: &mut Model, with_baselines: bool, fx: &mut Vec<Effect>) {
    model.view.dialog = Some(Dialog::Compare);
    model.compared = Arc::default();
    model.comparing = None;
    let scenario = document::to_json(&model.scenario);
    let until_ms = model.frame.as_ref().map(|frame| frame.time_ms).filter(|ms| *ms > 0);
    let baselines = Policy::baselines().filter(|_| with_baselines);
    let policies: Vec<String> = Policy::products().chain(baselines).map(|policy| policy.key.into()).collect();
    model.to_compare = policies.len();
    model.asked.comparison = send(model, Ask::Compare { scenario, policies, until_ms }, fx);
}

/// Leaves what is still to be run.
pub(super) fn stop_comparing(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.compared.len() < model.to_compare {
        let nothing = Ask::Compare { scenario: String::new(), policies: Vec::new(), until_ms: None };
        model.asked.comparison = send(model, nothing, fx);
    }
}

/// Takes a policy's run.
pub(super) fn compared(model: &mut Model, column: ColumnRow) {
    model.comparing = None;
    Arc::make_mut(&mut model.compared).push(column);
}
