//! Commands that open and edit the document, also the state of nodes at the cursor.

use std::sync::Arc;

use fairground::export::restored;
use fairground::scenario::{Fix, Path, Scenario, at_moment};
use fairground::words::{Selection, Terms, capital};

use crate::engine::protocol::{NodeCard, Request};
use crate::state::branches::alternative;
use crate::state::command::Command;
use crate::state::document::{
    self, Change, Changed, Checked, Opened, Origin, ValidValue, edit, remarks, timeline_edit,
};
use crate::state::effect::Effect;
use crate::state::layout::table;
use crate::state::model::{Model, notify, send};
use crate::state::playback::commands::{load, pause};

pub(crate) fn open(model: &mut Model, opened: Opened, fx: &mut Vec<Effect>) {
    pause(model, fx);
    let title = opened.document.scenario.name.clone();
    model.take(opened);
    model.view.dialog = None;
    load(model, fx);
    fx.push(Effect::SetUrl);
    fx.push(Effect::Announce(format!("Opened: {title}.")));
}

pub(crate) fn set(model: &mut Model, at: &Path, value: &str, fx: &mut Vec<Effect>) {
    match timeline_edit::try_set(model, at, value) {
        Ok(valid) => set_valid(model, valid, fx),
        Err(says) => notify(model, true, says, None, fx),
    }
}

/// Sets a value that was checked; once more if the document is another by now.
pub(crate) fn set_valid(model: &mut Model, valid: ValidValue, fx: &mut Vec<Effect>) {
    if !timeline_edit::is_of(&valid, model) {
        return set(model, &valid.at, &valid.value, fx);
    }
    let ValidValue { at, value, after, from, .. } = valid;
    let (before, at, value) = (model.document.scenario.clone(), &at, value.as_str());
    match from {
        _ if after.scenario == before => model.branches.drop_preview(),
        None => {
            let control = at.to_string();
            commit(model, after, &control, |before| edit::name_of_set(before, at, value), fx);
            follow_rename(model, at, value);
            if timeline_edit::moment(model).is_some() {
                let text = "This edit applies from the start. During a run these can change: quota, limit, weight and priority of queues, capacity and state of nodes, jobs that are submitted or end, and settings that the policy reloads.";
                notify(model, false, text.to_string(), Some(("Undo".to_string(), Command::Undo)), fx);
            }
        }
        Some((cycle, time_ms)) => {
            let control = format!("{at} {time_ms}");
            let was = at_moment(&before, time_ms);
            let name = format!("{} from cycle {cycle}", edit::name_of_set(&was, at, value));
            commit(model, after, &control, |_| name, fx);
        }
    }
}

/// Updates selection and form after a rename.
fn follow_rename(model: &mut Model, at: &Path, value: &str) {
    use fairground::scenario::Segment::Field;
    use fairground::scenario::Segment::Named;
    let [Field(list), Named(old), Field(field)] = at.0.as_slice() else { return };
    if field != "name" {
        return;
    }
    // The baseline has the old name, so the runs cannot be compared.
    model.branches.baseline = None;
    let new = value.trim().to_string();
    if model.view.detail.is_some() && model.view.detail == table::owner(at) {
        model.view.detail = Some(Path(vec![Field(list.clone()), Named(new.clone())]));
    }
    match (&mut model.selection, list.as_str()) {
        (Some(Selection::Queue(name)), "queues") if name == old => *name = new,
        (Some(Selection::Job(name)), "jobs") if name == old => *name = new,
        _ => {}
    }
}

/// Makes an edited scenario the current one, as one undo step.
pub(crate) fn commit(
    model: &mut Model,
    after: Checked,
    control: &str,
    name: impl FnOnce(&Scenario) -> String,
    fx: &mut Vec<Effect>,
) {
    let before = model.document.scenario.clone();
    let joins = model.document.history.record(control, model.clock_ms, &before, &after.scenario, name);
    let changed = model.document.history.undo_name().unwrap_or_default().to_string();
    alternative::keep(model, &before, changed, joins);
    edited(model, after, fx);
}

/// Runs and saves an edited scenario.
fn edited(model: &mut Model, after: Checked, fx: &mut Vec<Effect>) {
    (model.document.scenario, model.document.findings) = (after.scenario, after.findings);
    model.document.is_changed = true;
    if model.document.origin == Origin::Link {
        model.document.origin = Origin::Draft;
    }
    load(model, fx);
    fx.push(Effect::SetUrl);
    keep(model, fx);
}

/// Saves the document, which becomes a draft if it is not one yet. The scenarios of a lesson are not kept.
pub(crate) fn keep(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.lesson.is_some() {
        return;
    }
    if model.document.draft.is_none() {
        let number = model.fresh_id();
        model.document.draft = Some(format!("{}-{number}", model.clock_ms));
    }
    fx.push(Effect::Save);
}

/// Stores a text that cannot be parsed yet, or discards it.
pub(crate) fn unread(model: &mut Model, text: Option<String>, fx: &mut Vec<Effect>) {
    let before = std::mem::replace(&mut model.document.unread, text.as_deref().map(Arc::from));
    match (before, text) {
        (Some(before), None) => {
            let back = ("Restore".to_string(), Command::Unread(Some(before.to_string())));
            notify(model, false, "Text discarded.".to_string(), Some(back), fx);
        }
        (None, None) => return,
        _ => model.document.is_changed = true,
    }
    keep(model, fx);
}

/// Detaches the document from a draft that another tab has open.
pub(crate) fn own_copy(model: &mut Model, draft: Option<String>, fx: &mut Vec<Effect>) {
    fx.extend(draft.is_some().then_some(Effect::Save));
    model.document.draft = draft;
    let text = "This scenario is also open in another tab; this tab keeps its own copy.".to_string();
    notify(model, false, text, None, fx);
}

pub(crate) fn make_change(model: &mut Model, change: &Change, fx: &mut Vec<Effect>) {
    let before = model.document.scenario.clone();
    let made = edit::change(&before, change, model.selection.as_ref());
    match made.and_then(|made| timeline_edit::made(model, change, made)) {
        Ok(Changed { scenario, name, select }) => {
            let removes = matches!(change, Change::RemoveQueue(_) | Change::RemoveNodes(_) | Change::RemoveJob(_));
            let terms = Terms::of(&before.policy);
            let lost_jobs = before.jobs.len().saturating_sub(scenario.jobs.len());
            // The run of the changed scenario explains what the change selects.
            model.selection = select.clone().or(model.selection.take());
            commit(model, Checked::of(scenario), "", |_| name.clone(), fx);
            if let Some(row) = added(model, change, select.as_ref()) {
                show_row(model, row, fx);
            }
            if removes {
                let with = match (change, lost_jobs) {
                    (Change::RemoveQueue(_), 1) => terms.fill(" and 1 [job]"),
                    (Change::RemoveQueue(_), n) if n > 1 => terms.fill(&format!(" and {n} [jobs]")),
                    _ => String::new(),
                };
                let text = format!("{}{with}.", capital(&name.replacen("remove", "removed", 1)));
                notify(model, false, text, Some(("Undo".to_string(), Command::Undo)), fx);
            } else {
                fx.push(Effect::Announce(format!("Done: {name}.")));
            }
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}

/// Shows the table that a row was added to, and focuses its name.
fn show_row(model: &mut Model, row: Path, fx: &mut Vec<Effect>) {
    if model.view.embed.is_none() {
        model.view.tab = table::tab(&row);
        model.view.detail = None;
        fx.push(Effect::FocusField(row.field("name")));
    }
}

/// The row that a change has added to a table.
fn added(model: &Model, change: &Change, select: Option<&Selection>) -> Option<Path> {
    let of = |list: &str, name: &str| Path::default().field(list).named(name);
    match (change, select) {
        (Change::AddNodes, _) => model.document.scenario.nodes.last().map(|node| of("nodes", &node.name)),
        (Change::AddQueue { .. }, Some(Selection::Queue(name))) => Some(of("queues", name)),
        (Change::AddJob { .. }, Some(Selection::Job(name))) => Some(of("jobs", name)),
        _ => None,
    }
}

pub(crate) fn apply_fix(model: &mut Model, fix: Fix, fx: &mut Vec<Effect>) {
    match document::apply(&model.document.scenario, &fix.edits) {
        Ok(after) => {
            commit(model, Checked::of(after), "", |_| fix.label.clone(), fx);
            fx.push(Effect::Announce(format!("Done: {}.", fix.label)));
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}

pub(crate) fn undo(model: &mut Model, fx: &mut Vec<Effect>) {
    if let Some(step) = model.document.history.undo() {
        alternative::keep(model, &model.document.scenario.clone(), format!("undo of {}", step.name), false);
        edited(model, Checked::of(step.before), fx);
        model.document.is_changed =
            !model.document.history.is_empty() || !matches!(model.document.origin, Origin::Start | Origin::Example(_));
        fx.push(Effect::Announce(format!("Undone: {}.", step.name)));
    }
}

pub(crate) fn redo(model: &mut Model, fx: &mut Vec<Effect>) {
    if let Some(step) = model.document.history.redo() {
        alternative::keep(model, &model.document.scenario.clone(), step.name.clone(), false);
        edited(model, Checked::of(step.after), fx);
        fx.push(Effect::Announce(format!("Done again: {}.", step.name)));
    }
}

/// Writes a note on the moment under the cursor, or removes it.
pub(crate) fn remark(model: &mut Model, text: &str, fx: &mut Vec<Effect>) {
    let Some(frame) = model.moment.frame.clone() else { return };
    let after = remarks::with_remark(&model.document.scenario, frame.time_ms, text);
    if after != *model.document.scenario {
        commit(model, Checked::of(after), "", |_| format!("note on cycle {}", frame.cycle), fx);
    }
}

/// Lets the engine pack the scenario: a large one would block the page.
pub(crate) fn pack(model: &mut Model, fx: &mut Vec<Effect>) {
    // A scenario with errors was not loaded, so send it.
    let scenario = model.document.has_errors().then(|| model.document.scenario.clone());
    model.in_flight.packed = send(model, Request::Pack { scenario }, fx);
}

/// Restores the names that the scenario had before it was shared with neutral ones.
pub(crate) fn restore_names(model: &mut Model, list: &str, fx: &mut Vec<Effect>) {
    let made = restored(&model.document.scenario, list).and_then(|made| {
        if made.scenario == *model.document.scenario {
            return Err("No name of this list is in the scenario that is open.".to_string());
        }
        Ok((made.n_names, model.document.checked().try_edit(made.scenario)?))
    });
    match made {
        Ok((n_names, after)) => {
            model.view.dialog = None;
            model.selection = None;
            commit(model, after, "", |_| "restore the names".to_string(), fx);
            let text = format!("The names were restored by a list of {n_names}.");
            notify(model, false, text, Some(("Undo".to_string(), Command::Undo)), fx);
        }
        Err(says) => notify(model, true, format!("The names were not restored. {}", capital(&says)), None, fx),
    }
}

/// Restores an earlier state.
pub(crate) fn go_back_to(model: &mut Model, made_ms: u64, fx: &mut Vec<Effect>) {
    let states = model.document.history.states(&model.document.scenario);
    let Some(state) = states.into_iter().find(|state| state.made_ms == made_ms) else { return };
    let name = format!("return to the state \u{201c}{}\u{201d}", state.name);
    model.view.dialog = None;
    fx.push(Effect::Announce(format!("Done: {name}.")));
    commit(model, Checked::of(state.scenario), "", |_| name, fx);
}

/// Replaces the scenario by one that was edited as text.
pub(crate) fn set_text(model: &mut Model, scenario: Scenario, fx: &mut Vec<Effect>) {
    let was_unread = model.document.unread.take().is_some();
    if scenario != *model.document.scenario {
        commit(model, Checked::of(scenario), "text", |_| "edit of the text".to_string(), fx);
    } else if was_unread {
        keep(model, fx);
    }
}

/// Dismisses a warning.
pub(crate) fn dismiss(model: &mut Model, key: String, fx: &mut Vec<Effect>) {
    Arc::make_mut(&mut model.document.dismissed).insert(key);
    keep(model, fx);
}

/// Available changes of a node's state at the cursor: label and command.
pub fn offers(model: &Model, node: &str) -> Vec<(String, Command)> {
    let Some(frame) = &model.moment.frame else { return Vec::new() };
    let Some(card) = frame.nodes.iter().find(|card| card.name == node) else { return Vec::new() };
    let from = if frame.cycle == 0 { "from the start".to_string() } else { format!("from cycle {}", frame.cycle) };
    let offer = |says: &str, state: &'static str| {
        (format!("{says} {from}"), Command::NodeState { node: node.to_string(), state })
    };
    let down = offer(&format!("Take {node} down"), "down");
    let drain = offer(&format!("Drain {node}"), "draining");
    let back = offer(&format!("Bring {node} back"), "ready");
    match (card.ready, card.draining) {
        (true, false) => vec![drain, down],
        (true, true) => vec![back, down],
        (false, _) => vec![back],
    }
}

/// The same for a row of the node table: for the selected node of a group, otherwise for the first one that accepts
/// pods; and recovery of the first one that does not.
pub fn offers_of_line(model: &Model, line: &str) -> Vec<(String, Command)> {
    let Some(frame) = &model.moment.frame else { return Vec::new() };
    let is_group = model.document.scenario.nodes.iter().any(|entry| entry.name == line && entry.count.is_some());
    if !is_group {
        return offers(model, line);
    }
    let number = |name: &str| name.strip_prefix(line)?.strip_prefix('-')?.parse::<u32>().ok();
    let of_group: Vec<&NodeCard> = frame.nodes.iter().filter(|card| number(&card.name).is_some()).collect();
    let selected = of_group.iter().find(|card| model.selection == Some(Selection::Node(card.name.clone())));
    if let Some(card) = selected {
        return offers(model, &card.name);
    }
    let takes_pods = |card: &&&NodeCard| card.ready && !card.draining;
    let first = of_group.iter().find(takes_pods);
    let gone = of_group.iter().find(|card| !takes_pods(card));
    first.into_iter().chain(gone).flat_map(|card| offers(model, &card.name)).collect()
}

/// Changes the state of a node at the cursor, regardless of when other edits apply.
pub(crate) fn set_node_state(model: &mut Model, node: &str, state: &str, fx: &mut Vec<Effect>) {
    let (cycle, time_ms) = model.moment.frame.as_ref().map_or((0, 0), |frame| (frame.cycle, frame.time_ms));
    let made = timeline_edit::node_state(&model.document.scenario, node, state, time_ms);
    match made.and_then(|after| model.document.checked().try_edit(after)) {
        Ok(after) => {
            let name = format!("{node} {state} from cycle {cycle}");
            fx.push(Effect::Announce(format!("Done: {name}.")));
            commit(model, after, "", |_| name, fx);
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}
