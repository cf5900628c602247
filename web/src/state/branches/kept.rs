//! Runs kept for comparison. Charts show one of them behind the current run at every moment, until another one or none
//! is chosen; it replaces the baseline of the last edit.

use std::sync::Arc;

use super::alternative::request_branch;
use super::{Baseline, KeptRun, LETTERS};
use crate::engine::protocol::BranchId;
use crate::state::branches::Others;
use crate::state::command::Command;
use crate::state::effect::Effect;
use crate::state::model::Model;

/// The letter of the current run: its own if it is kept, otherwise the next free one; `None`: all letters are in use.
pub fn present(model: &Model) -> Option<char> {
    let own = model.branches.kept.runs.iter().find(|run| run.scenario == model.document.scenario).map(|run| run.letter);
    own.or_else(|| LETTERS.into_iter().find(|letter| model.branches.kept.run(*letter).is_none()))
}

/// The letter on the button that keeps the current run; none before a step or an edit.
pub fn to_keep(model: &Model) -> Option<char> {
    let is_begun = model.playback.cursor > 0 || model.document.history.undo_name().is_some();
    present(model).filter(|_| is_begun)
}

/// Label of the button that keeps a run.
pub const KEEP: &str = "Keep this run to compare with";

/// Label of the button that shows all runs side by side.
pub const TABLE: &str = "Compare all runs in a table";

/// Whether a kept run differs from the current one.
pub fn is_comparable(model: &Model) -> bool {
    model.branches.kept.runs.iter().any(|run| run.scenario != model.document.scenario)
}

/// Commands on kept runs: label, whether it is the current choice, command.
pub fn offers(model: &Model) -> Vec<(String, Option<bool>, Command)> {
    let mut offers = vec![(KEEP.to_string(), None, Command::KeepRun)];
    for KeptRun { letter, label, .. } in &model.branches.kept.runs {
        let is_compared = model.branches.kept.compared == Some(*letter);
        let compare = Command::CompareWith((!is_compared).then_some(*letter));
        offers.push((format!("Compare with run {letter}: {label}"), Some(is_compared), compare));
        offers.push((format!("Remove run {letter}"), None, Command::RemoveRun(*letter)));
    }
    if is_comparable(model) {
        offers.push((TABLE.to_string(), None, Command::Compare(Others::Kept)));
    }
    offers
}

/// Keeps the current run and compares later edits with it.
pub(crate) fn keep(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(letter) = present(model).filter(|_| !model.document.has_errors()) else { return };
    if model.branches.kept.run(letter).is_none() {
        let label = model.document.history.undo_name().unwrap_or("as opened").to_string();
        model.branches.kept.runs.push(KeptRun { letter, label, scenario: model.document.scenario.clone() });
        model.branches.kept.runs.sort_by_key(|run| run.letter);
        model.comparison.scenario = None;
    }
    compare(model, Some(letter), fx);
    fx.push(Effect::Announce(format!("Run {letter} is kept. Edits are compared with it.")));
}

/// Compares the current run with a kept one, or with none.
pub(crate) fn compare(model: &mut Model, letter: Option<char>, fx: &mut Vec<Effect>) {
    model.branches.kept.compared = letter;
    model.branches.baseline = None;
    model.branches.told_edit = None;
    fx.push(Effect::Announce(match letter {
        Some(letter) => format!("Compared with run {letter}."),
        None => "The comparison is hidden.".to_string(),
    }));
    request_moment(model, fx);
}

/// Removes a kept run.
pub(crate) fn remove(model: &mut Model, letter: char, fx: &mut Vec<Effect>) {
    model.branches.kept.runs.retain(|run| run.letter != letter);
    model.comparison.scenario = None;
    if model.branches.kept.compared == Some(letter) {
        compare(model, None, fx);
    }
    fx.push(Effect::Announce(format!("Run {letter} is removed.")));
}

/// Requests the current moment of the compared run, unless it equals the current run.
pub(crate) fn request_moment(model: &mut Model, fx: &mut Vec<Effect>) {
    let compared = model.branches.kept.compared.and_then(|letter| model.branches.kept.run(letter));
    let Some(run) = compared.filter(|run| run.scenario != model.document.scenario && model.moment.frame.is_some())
    else {
        return;
    };
    request_branch(model, BranchId::Kept, run.scenario.clone(), fx);
}

/// Shows the compared run, which is complete.
pub(crate) fn show(model: &mut Model) {
    let Some(shown) = model.branches.others.remove(&BranchId::Kept) else { return };
    let Some((frame, run)) = shown.frame.clone().zip(shown.run.clone()) else { return };
    let kept = model.branches.kept.compared.and_then(|letter| model.branches.kept.run(letter));
    let present = model.moment.frame.as_ref().zip(model.moment.run.as_ref()).filter(|_| !model.moment.is_stale);
    let Some((kept, (now, present))) = kept.zip(present) else { return };
    // Cycles of the same number may differ in time; then the runs cannot be compared.
    let is_same_moment = frame.time_ms == now.time_ms || frame.quiet && frame.time_ms < now.time_ms;
    let (changed, scenario) = (format!("run {}", kept.letter), Some(kept.scenario.clone()));
    let ladder = shown.ladder.clone();
    let baseline = Baseline { changed, frame, at: now.cycle, run, ladder, scenario };
    let is_shown = is_same_moment && baseline.is_other(now, present);
    model.branches.baseline = is_shown.then(|| Arc::new(baseline));
    model.branches.others.insert(BranchId::Baseline, shown);
}
