//! Commands that run other scenarios: previews, what-if runs, comparisons of policies, versions and kept runs.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::policy::versions::{self, Revision};
use fairground::scenario::{Edit, Path, Scenario, at_moment};
use fairground::suggestions::{self, Suggestion, TRIED_MAX, Tried, ideas};

use super::alternative::request_branch;
use super::{Help, Trial, TrialState};
use crate::engine::protocol::{BranchId, Compared, Request, ToCompare};
use crate::state::branches::{Comparison, Others};
use crate::state::document::{Change, Changed, edit, timeline_edit};
use crate::state::effect::Effect;
use crate::state::layout::options::{NowView, Panel};
use crate::state::model::{Model, send};
use crate::state::moment::commands::show_view;

pub(crate) fn preview(model: &mut Model, at: &Path, value: &str, fx: &mut Vec<Effect>) {
    let Ok(edited) = timeline_edit::set(model, at, value) else { return };
    if edited == *model.document.scenario {
        model.branches.drop_preview();
        return;
    }
    request_branch(model, BranchId::Preview, Arc::new(edited), fx);
}

/// Shows the current run beside others, up to the current moment.
pub(crate) fn compare(model: &mut Model, others: Others, fx: &mut Vec<Effect>) {
    model.comparison.others = others;
    show_view(model, NowView::Compare, fx);
    (model.view.panel, model.view.dialog) = (Panel::Now, None);
    fx.push(Effect::Announce("The runs are shown side by side.".to_string()));
    run_side_by_side(model, fx);
}

/// Compares again if the scenario is another one, and stops when another view is shown.
pub(crate) fn keep_comparing(model: &mut Model, fx: &mut Vec<Effect>) {
    let is_of = |scenario: &Arc<Scenario>| Arc::ptr_eq(scenario, &model.document.scenario);
    let is_current = model.comparison.scenario.as_ref().is_some_and(is_of);
    match model.view.now {
        NowView::Compare if !is_current && model.moment.frame.is_some() => run_side_by_side(model, fx),
        NowView::Compare => {}
        _ => stop_comparing(model, fx),
    }
}

/// The runs of a comparison; the current one comes first, as the reference for the others.
fn runs(model: &Model) -> Vec<ToCompare> {
    let present = &model.document.scenario;
    match model.comparison.others {
        Others::Policies { with_baselines } => {
            let baselines = Policy::baselines().filter(|_| with_baselines);
            let mut policies: Vec<_> = Policy::products().chain(baselines).collect();
            policies.sort_by_key(|policy| policy.key != present.policy);
            let run = |name: &str, policy: &str| ToCompare {
                name: name.to_owned(),
                scenario: present.clone(),
                policy: policy.to_owned(),
            };
            policies.into_iter().map(|policy| run(policy.short, policy.key)).collect()
        }
        Others::Versions => {
            let Some((modelled, own)) = versions::revision_of(present) else { return Vec::new() };
            let run = |revision: &Revision| ToCompare {
                name: revision.label.to_owned(),
                scenario: Arc::new(modelled.at(present, revision)),
                policy: modelled.policy.to_owned(),
            };
            std::iter::once(own).chain(modelled.others(own)).map(run).collect()
        }
        Others::Kept => {
            let run = |name: String, scenario: &Arc<Scenario>| ToCompare {
                name,
                scenario: scenario.clone(),
                policy: scenario.policy.clone(),
            };
            let kept = model.branches.kept.runs.iter().filter(|kept| kept.scenario != *present);
            let kept = kept.map(|kept| run(format!("run {}: {}", kept.letter, kept.label), &kept.scenario));
            std::iter::once(run("current run".to_owned(), present)).chain(kept).collect()
        }
    }
}

/// Label of the button that compares a scenario with the other versions of its scheduler; `None`: there are none.
pub fn compare_versions_label(scenario: &Scenario) -> Option<String> {
    let (modelled, own) = versions::revision_of(scenario)?;
    let others: Vec<&str> = modelled.others(own).map(|revision| revision.label).collect();
    (!others.is_empty()).then(|| format!("Compare with {}", others.join(", ")))
}

/// Runs scenarios until the current moment or, at the start, until nothing further happens.
fn run_side_by_side(model: &mut Model, fx: &mut Vec<Effect>) {
    let others = match model.comparison.others {
        Others::Versions if compare_versions_label(&model.document.scenario).is_none() => Others::default(),
        others => others,
    };
    model.comparison.others = others;
    // The first difference between versions may come after the displayed cycle.
    let is_to_end = others == Others::Versions;
    let until_ms = model.moment.frame.as_ref().map(|frame| frame.time_ms).filter(|ms| *ms > 0 && !is_to_end);
    let runs = runs(model);
    model.comparison = Comparison {
        others,
        scenario: Some(model.document.scenario.clone()),
        n_runs: runs.len(),
        ..Comparison::default()
    };
    model.in_flight.comparison = send(model, Request::Compare { runs, until_ms }, fx);
}

/// Stops the remaining runs.
pub(crate) fn stop_comparing(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.comparison.compared.len() < model.comparison.n_runs {
        model.comparison = Comparison { others: model.comparison.others, ..Comparison::default() };
        let nothing = Request::Compare { runs: Vec::new(), until_ms: None };
        model.in_flight.comparison = send(model, nothing, fx);
    }
}

/// Adds the result of a run.
pub(crate) fn compared(model: &mut Model, run: Compared) {
    model.comparison.progress = None;
    Arc::make_mut(&mut model.comparison.compared).push(run);
}

/// Stores the outcomes of the changes; `None`: the scenario is too large to try any.
pub(crate) fn tried(model: &mut Model, tried: Option<Box<Tried>>, fx: &mut Vec<Effect>) {
    let Some(help) = &mut model.branches.help else { return };
    let help = Arc::make_mut(help);
    help.state = tried.map_or(TrialState::TooLarge, TrialState::Tried);
    fx.push(Effect::Announce(match (help.is_too_large(), help.offers().len()) {
        (true, _) => "Not tried: the scenario is too large.".to_string(),
        (false, 0) => "No small change helps.".to_string(),
        (false, 1) => "One change would help.".to_string(),
        (false, n) => format!("{n} changes would help."),
    }));
}

/// Tries changes that may help a job at the current moment.
pub(crate) fn try_changes(model: &mut Model, job: String, fx: &mut Vec<Effect>) {
    let Some(frame) = &model.moment.frame else { return };
    let cycle = frame.cycle;
    let has_part = frame.jobs.iter().any(|row| row.name == job && row.running > 0);
    let is_too_large = suggestions::is_too_large(&model.document.scenario);
    let mut trials: Vec<Trial> = Vec::new();
    let mut scenarios = vec![model.document.scenario.clone()];
    // The queues in force at the moment from which the change applies.
    let in_force = timeline_edit::moment(model)
        .map_or_else(|| model.document.scenario.clone(), |(_, ms)| at_moment(&model.document.scenario, ms));
    let all = if is_too_large { Vec::new() } else { ideas(&in_force, frame, &job) };
    for Suggestion { idea, edit } in all {
        let change = change_of(&in_force, edit);
        let Ok((changed, is_from_start)) = make(model, &change) else { continue };
        let is_new = changed.scenario != *model.document.scenario && trials.iter().all(|other| other.change != change);
        if is_new && trials.len() < TRIED_MAX {
            scenarios.push(Arc::new(changed.scenario));
            trials.push(Trial { idea, change, is_from_start });
        }
    }
    model.branches.help =
        Some(Arc::new(Help { job: job.clone(), cycle, has_part, trials, state: TrialState::Running }));
    if is_too_large {
        tried(model, None, fx);
    } else {
        model.in_flight.help = send(model, Request::Try { job, cycle, scenarios }, fx);
    }
}

/// The change of the page that makes an edit.
fn change_of(scenario: &Scenario, edit: Edit) -> Change {
    match &edit {
        Edit::Set { at, value } => Change::Edits { name: edit::name_of_set(scenario, at, value), edits: vec![edit] },
        _ => Change::AddNodes,
    }
}

/// Applies a change as choosing it would; also returns whether it applies from the start although edits should apply
/// from the cursor on.
fn make(model: &Model, change: &Change) -> Result<(Changed, bool), String> {
    let made = edit::change(&model.document.scenario, change, model.selection.as_ref())?;
    let wants_later = timeline_edit::moment(model).is_some();
    let from_start = made.scenario.clone();
    let made = timeline_edit::made(model, change, made)?;
    let is_from_start = wants_later && made.scenario == from_start;
    Ok((made, is_from_start))
}
