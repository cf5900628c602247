//! The one function that changes the model.

use std::sync::Arc;

use fairground::scenario::{Fix, Path, Scenario};

use super::asking::{ask_frame, go_to, load, send};
use super::command::{Change, Command, Dialog, Effect, Panel};
use super::document::{self, Opened};
use super::edit::{self, Changed};
use super::ladder::ask_about;
use super::step::{refuse, step, step_action, step_inside};
use super::{
    EngineState, Model, Notice, Origin, SETUP_WIDTHS, SPEEDS, Selection, Terms, WHY_WIDTHS, before, imports,
    later, replies, room, rules, table, tell, translate,
};
use crate::engine::protocol::Ask;

/// Most notices that are kept.
const NOTICES_MAX: usize = 3;

/// Most lines of the palette that are remembered.
const RECENT_MAX: usize = 5;

/// Changes the model as the command says; gives what the world has to do about it. Long because it is a table.
pub fn update(model: &mut Model, command: Command) -> Vec<Effect> {
    let mut effects = Vec::new();
    if model.view.embed.is_some_and(|embed| !embed.allows(&command)) {
        return effects;
    }
    let fx = &mut effects;
    match command {
        Command::Open(opened) => open(model, *opened, fx),
        Command::Set { at, value } => set(model, &at, &value, fx),
        Command::Preview { at, value } => preview(model, &at, &value, fx),
        Command::Foresee { at, value } => foresee(model, &at, &value, fx),
        Command::PreviewEnd => end_preview(model, fx),
        Command::ForgetBefore => model.before = None,
        Command::GestureEnd => model.history.end_gesture(),
        Command::Look(now) => {
            model.view.now = now;
            ask_about(model, fx);
            tell::ask_story(model, true, fx);
            fx.push(Effect::SetUrl);
        }
        Command::Gantt(by) => tell::move_gantt(model, by, fx),
        Command::SetText(scenario) => {
            let was_unread = model.unread.take().is_some();
            if *scenario != *model.scenario {
                commit(model, *scenario, "text", |_| "edit the text".to_string(), fx);
            } else if was_unread {
                keep(model, fx);
            }
        }
        Command::Unread(text) => unread(model, text, fx),
        Command::Change(change) => make_change(model, &change, fx),
        Command::Fix(fix) => apply_fix(model, *fix, fx),
        Command::Dismiss(key) => {
            Arc::make_mut(&mut model.dismissed).insert(key);
            keep(model, fx);
        }
        Command::Undo => undo(model, fx),
        Command::Redo => redo(model, fx),
        Command::Select(selection) => select(model, selection, fx),
        Command::Resource(resource) => {
            let n_named = model.frame.as_ref().map_or(0, |frame| frame.named.len());
            model.resource = resource.min(u8::try_from(3 + n_named).unwrap_or(3));
            ask_about(model, fx);
            super::tell::ask_story(model, false, fx);
        }
        Command::Policy(policy) => translate::choose(model, policy, fx),
        Command::Compare { with_baselines } => translate::compare(model, with_baselines, fx),
        Command::Help(job) => super::help::ask(model, job, fx),
        Command::Replied(reply) => replies::replied(model, *reply, fx),
        Command::EngineDied => engine_died(model, fx),
        Command::Import { files, options } => imports::import(model, files, options, fx),
        Command::TakeImport { run_until_ms } => imports::take(model, run_until_ms, fx),
        Command::DropImport => imports::forget(model, fx),
        Command::Notify { is_problem, text } => notify(model, is_problem, text, None, fx),
        Command::CloseNotice(id) => Arc::make_mut(&mut model.notices).retain(|n| n.id != id),
        Command::Share => {
            model.view.dialog = Some(Dialog::Share);
            fx.push(Effect::CopyLink);
        }
        Command::Export => imports::export(model, fx),
        Command::Download => fx.push(Effect::DownloadScenario),
        Command::FocusField(path) => focus_field(model, path, fx),
        Command::NodeState { node, state } => super::nodes::put(model, &node, state, fx),
        Command::OwnCopy(draft) => own_copy(model, draft, fx),
        other => {
            if let Some(view) = update_time(model, other, fx) {
                update_view(model, view, fx);
            }
        }
    }
    effects
}

/// Asks for the first frame of a document that was just opened; if it is known, only to give the engine the document.
pub fn begin(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    load(model, &mut effects);
    model.stale = false;
    effects
}

/// Commands that move in time; returns the others. Long because it is one table of commands.
fn update_time(model: &mut Model, command: Command, fx: &mut Vec<Effect>) -> Option<Command> {
    match command {
        Command::Step
        | Command::Inside { .. }
        | Command::Action { .. }
        | Command::Play(true)
        | Command::RunTo(_)
            if model.has_errors() =>
        {
            pause(model, fx);
            refuse(model, fx);
        }
        Command::GoTo(cycle) => {
            pause(model, fx);
            go_to(model, cycle, fx);
        }
        Command::Step => {
            pause(model, fx);
            step(model, fx);
        }
        Command::Back => {
            pause(model, fx);
            if model.cursor > 0 {
                go_to(model, model.cursor - 1, fx);
            }
        }
        Command::Inside { back } => {
            pause(model, fx);
            step_inside(model, back, fx);
        }
        Command::Action { back } => {
            pause(model, fx);
            step_action(model, back, fx);
        }
        Command::NextEvent { back } => next_event(model, back, fx),
        Command::Mark(to) => mark(model, to, fx),
        Command::Play(on) => {
            let at_end = model.frame.as_ref().is_some_and(|f| f.quiet && f.cycle == model.cursor);
            if on && at_end {
                go_to(model, 0, fx);
            }
            model.playing = on;
            fx.push(Effect::Tick(on.then(|| tick_ms(model))));
        }
        Command::Speed(by) => {
            let speed = model.speed.saturating_add_signed(by as isize);
            model.speed = speed.min(SPEEDS.len() - 1);
            if model.playing {
                fx.push(Effect::Tick(Some(tick_ms(model))));
            }
        }
        Command::Tick => {
            if model.playing && !matches!(model.engine, EngineState::Working(_)) {
                match &model.frame {
                    Some(frame) if frame.quiet => pause(model, fx),
                    _ if model.has_errors() => pause(model, fx),
                    _ => go_to(model, model.cursor + 1, fx),
                }
            }
        }
        Command::RunUntil(time_ms) => {
            pause(model, fx);
            model.before = None;
            ask_frame(model, Ask::RunUntil { time_ms }, fx);
        }
        Command::RunTo(stop) => {
            pause(model, fx);
            model.before = None;
            model.stop = Some(stop.clone());
            ask_frame(model, Ask::RunTo { stop }, fx);
        }
        Command::Cancel => {
            pause(model, fx);
            model.asked.cancel = send(model, Ask::Cancel, fx);
            fx.push(Effect::EndEngineSoon(model.asked.cancel));
        }
        Command::EndEngine(id) if id == model.asked.cancel => end_engine(model, fx),
        Command::EndEngine(_) => {}
        other => return Some(other),
    }
    None
}

/// Commands that change what the page looks like only.
fn update_view(model: &mut Model, command: Command, fx: &mut Vec<Effect>) {
    let view = &mut model.view;
    match command {
        Command::Theme(theme) => {
            view.theme = theme;
            fx.push(Effect::Theme(theme));
            fx.push(Effect::Remember("theme", theme.name().to_string()));
        }
        Command::Keys(set) => {
            view.keys = set;
            fx.push(Effect::Remember("keys", set.name().to_string()));
            fx.push(Effect::Announce(format!("Keys: {}.", set.says())));
        }
        Command::Tab(tab) => {
            view.tab = tab;
            view.detail = None;
            view.panel = Panel::Setup;
            view.setup_folded = false;
            rules::ask_rules(model, fx);
        }
        Command::Detail(at) => table::show_detail(view, at, fx),
        Command::Panel(panel) => {
            view.panel = panel;
            view.why_open |= panel == Panel::Why;
        }
        Command::Dialog(dialog) => show_dialog(model, dialog, fx),
        Command::Room(room) => room::moved(model, room, fx),
        Command::Why(open) => room::fold(view, Panel::Why, !open, fx),
        Command::FoldSetup(folded) => room::fold(view, Panel::Setup, folded, fx),
        Command::Fold(panel, folded) => room::fold(view, panel, folded, fx),
        Command::SetupWidth(width) => {
            view.setup_width = width.clamp(SETUP_WIDTHS.0, SETUP_WIDTHS.1);
            fx.push(Effect::Remember("setup-width", view.setup_width.to_string()));
        }
        Command::WhyWidth(width) => {
            view.why_width = width.clamp(WHY_WIDTHS.0, WHY_WIDTHS.1);
            fx.push(Effect::Remember("why-width", view.why_width.to_string()));
        }
        Command::FoldQueue(queue, true) => drop(Arc::make_mut(&mut view.folded).insert(queue)),
        Command::FoldQueue(queue, false) => drop(Arc::make_mut(&mut view.folded).remove(&queue)),
        Command::EditLater(later) => view.edits_later = later,
        Command::ShowEvents(kind, shown) => {
            view.without.put(kind, !shown);
        }
        Command::EventsOf(whose) => view.whose = whose,
        Command::Used(label) => {
            let recent = Arc::make_mut(&mut view.recent);
            recent.retain(|used| *used != label);
            recent.insert(0, label);
            recent.truncate(RECENT_MAX);
        }
        Command::CloseNote => view.note_closed = true,
        Command::ChipsUsed => {
            view.chips = false;
            fx.push(Effect::Remember("chips", "used".to_string()));
        }
        _ => {}
    }
}

/// Opens a dialog, or closes the one that is open.
fn show_dialog(model: &mut Model, dialog: Option<Dialog>, fx: &mut Vec<Effect>) {
    if model.view.dialog == Some(Dialog::Compare) {
        translate::stop_comparing(model, fx);
    }
    model.view.dialog = dialog;
}

fn pause(model: &mut Model, fx: &mut Vec<Effect>) {
    if std::mem::take(&mut model.playing) {
        fx.push(Effect::Tick(None));
    }
}

fn tick_ms(model: &Model) -> u32 {
    (1000.0 / SPEEDS[model.speed]) as u32
}

/// Marks the range up to a cycle and goes there, or marks none.
fn mark(model: &mut Model, to: Option<u32>, fx: &mut Vec<Effect>) {
    let Some(to) = to else {
        let was = model.view.range.take();
        fx.extend(was.map(|_| Effect::Announce("No range is marked.".to_string())));
        return;
    };
    let now = model.cursor;
    let anchor = model.view.range.filter(|range| range.1 == now).map_or(now, |range| range.0);
    model.view.range = (anchor != to).then_some((anchor, to));
    pause(model, fx);
    go_to(model, to, fx);
}

fn next_event(model: &mut Model, back: bool, fx: &mut Vec<Effect>) {
    pause(model, fx);
    let (queue, job) = match model.heeded() {
        Some(Selection::Queue(name)) => (Some(name), None),
        Some(Selection::Job(name)) => (None, Some(name)),
        _ => (None, None),
    };
    let from = model.cursor;
    let without = model.view.without.all().flat_map(|kind| kind.words()).collect();
    model.asked.event = send(model, Ask::NextEvent { from, back, queue, job, without }, fx);
}

pub(super) fn open(model: &mut Model, opened: Opened, fx: &mut Vec<Effect>) {
    pause(model, fx);
    let title = opened.scenario.name.clone();
    model.take(opened);
    model.original = None;
    model.view.dialog = None;
    load(model, fx);
    fx.push(Effect::SetUrl);
    fx.push(Effect::Announce(format!("Opened: {title}.")));
}

pub(super) fn set(model: &mut Model, at: &Path, value: &str, fx: &mut Vec<Effect>) {
    let before = model.scenario.clone();
    match later::try_set(model, at, value) {
        Ok((after, _)) if after == *before => end_preview(model, fx),
        Ok((after, None)) => {
            let control = at.to_string();
            commit(model, after, &control, |before| edit::name_of_set(before, at, value), fx);
            follow_rename(model, at, value);
            if later::moment(model).is_some() {
                let text = "That holds from the start: during a run only quota, limit, weight and priority of queues \
                            change, states of single nodes, and jobs that come or end.";
                notify(model, false, text.to_string(), Some(("Undo".to_string(), Command::Undo)), fx);
            }
        }
        Ok((after, Some((cycle, time_ms)))) => {
            let control = format!("{at} {time_ms}");
            let was = later::at_moment(&before, time_ms);
            let name = format!("{} from cycle {cycle}", edit::name_of_set(&was, at, value));
            commit(model, after, &control, |_| name, fx);
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}

/// Keeps the selection on a thing that was renamed.
fn follow_rename(model: &mut Model, at: &Path, value: &str) {
    use fairground::scenario::Segment::{Field, Named};
    let [Field(list), Named(old), Field(field)] = at.0.as_slice() else { return };
    if field != "name" {
        return;
    }
    // Under another name nothing could be held against it.
    model.before = None;
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

/// Makes an edited scenario the present one, as one step of undo.
pub(super) fn commit(
    model: &mut Model,
    after: Scenario,
    control: &str,
    name: impl FnOnce(&Scenario) -> String,
    fx: &mut Vec<Effect>,
) {
    let before = std::mem::replace(&mut model.scenario, Arc::new(after));
    let joins = model.history.record(control, model.clock_ms, &before, &model.scenario, name);
    let changed = model.history.undo_name().unwrap_or_default().to_string();
    before::keep(model, &before, changed, joins);
    edited(model, fx);
}

/// The scenario is another one: check it, run it, keep it.
fn edited(model: &mut Model, fx: &mut Vec<Effect>) {
    model.findings = Arc::new(document::findings(&model.scenario));
    model.pristine = false;
    if model.origin == Origin::Link {
        model.origin = Origin::Draft;
    }
    load(model, fx);
    fx.push(Effect::SetUrl);
    keep(model, fx);
}

/// Keeps the document on this device from now on.
pub(super) fn keep(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.draft.is_none() {
        let number = model.fresh_id();
        model.draft = Some(format!("{}-{number}", model.clock_ms));
    }
    fx.push(Effect::Save);
}

/// Keeps a text that cannot be read yet, or gives it up.
fn unread(model: &mut Model, text: Option<String>, fx: &mut Vec<Effect>) {
    let before = std::mem::replace(&mut model.unread, text.as_deref().map(Arc::from));
    match (before, text) {
        (Some(before), None) => {
            let back = ("Put it back".to_string(), Command::Unread(Some(before.to_string())));
            notify(model, false, "The text was discarded.".to_string(), Some(back), fx);
        }
        (None, None) => return,
        _ => model.pristine = false,
    }
    keep(model, fx);
}

/// From now on the document is not the draft that another tab has open.
fn own_copy(model: &mut Model, draft: Option<String>, fx: &mut Vec<Effect>) {
    fx.extend(draft.is_some().then_some(Effect::Save));
    model.draft = draft;
    let text = "This scenario is also open in another tab; this tab keeps its own copy.".to_string();
    notify(model, false, text, None, fx);
}

fn preview(model: &mut Model, at: &Path, value: &str, fx: &mut Vec<Effect>) {
    let Ok(edited) = later::set(model, at, value) else { return };
    if edited == *model.scenario {
        end_preview(model, fx);
        return;
    }
    let ask = ghost_of(model, &edited, false);
    model.asked.ghost = send(model, ask, fx);
    model.awaits_ghost = true;
}

fn foresee(model: &mut Model, at: &Path, value: &str, fx: &mut Vec<Effect>) {
    if let Ok(edited) = later::set(model, at, value) {
        let ask = ghost_of(model, &edited, true);
        send(model, ask, fx);
    }
}

/// Asks for a scenario at the cursor. Whether it can run at all, the engine says.
fn ghost_of(model: &Model, edited: &Scenario, is_early: bool) -> Ask {
    let scenario = document::to_json(edited);
    let is_seen = model.view.has_division();
    let ladder = model.ladder.as_ref().filter(|_| is_seen).map(|l| (l.queue.clone(), l.resource));
    let until = model.run.as_ref().map_or(0, |run| run.last_cycle);
    let tell = tell::counterpart(model);
    Ask::Ghost { scenario, cycle: Some(model.cursor), ladder, until, tell, is_early }
}

/// Nothing is being tried out any more.
fn end_preview(model: &mut Model, fx: &mut Vec<Effect>) {
    model.drop_ghost();
    // The engine computes one ghost at a time: that of the edit was in the way of how it was before.
    if before::ghost_story(model).is_none() {
        tell::ask_before(model, fx);
    }
}

fn make_change(model: &mut Model, change: &Change, fx: &mut Vec<Effect>) {
    let before = model.scenario.clone();
    let made = edit::change(&before, change, model.selection.as_ref());
    match made.and_then(|made| later::made(model, change, made)) {
        Ok(Changed { scenario, name, select }) => {
            let removes =
                matches!(change, Change::RemoveQueue(_) | Change::RemoveNodes(_) | Change::RemoveJob(_));
            let terms = Terms::of(&before.policy);
            let lost_jobs = before.jobs.len().saturating_sub(scenario.jobs.len());
            commit(model, scenario, "", |_| name.clone(), fx);
            if select.is_some() {
                model.selection = select;
                ask_about(model, fx);
            }
            if removes {
                let with = match (change, lost_jobs) {
                    (Change::RemoveQueue(_), 1) => terms.says(" and 1 job"),
                    (Change::RemoveQueue(_), n) if n > 1 => terms.says(&format!(" and {n} jobs")),
                    _ => String::new(),
                };
                let text = format!("{}{with}.", capitalised(&name.replacen("remove", "removed", 1)));
                notify(model, false, text, Some(("Undo".to_string(), Command::Undo)), fx);
            } else {
                fx.push(Effect::Announce(format!("Done: {name}.")));
            }
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

fn apply_fix(model: &mut Model, fix: Fix, fx: &mut Vec<Effect>) {
    match document::apply(&model.scenario, &fix.edits) {
        Ok(after) => {
            commit(model, after, "", |_| fix.label.clone(), fx);
            fx.push(Effect::Announce(format!("Done: {}.", fix.label)));
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}

fn undo(model: &mut Model, fx: &mut Vec<Effect>) {
    if let Some(step) = model.history.undo() {
        before::keep(model, &model.scenario.clone(), format!("undo of {}", step.name), false);
        model.scenario = step.before;
        edited(model, fx);
        model.pristine =
            model.history.is_empty() && matches!(model.origin, Origin::Start | Origin::Example(_));
        fx.push(Effect::Announce(format!("Undone: {}.", step.name)));
    }
}

fn redo(model: &mut Model, fx: &mut Vec<Effect>) {
    if let Some(step) = model.history.redo() {
        before::keep(model, &model.scenario.clone(), step.name.clone(), false);
        model.scenario = step.after;
        edited(model, fx);
        fx.push(Effect::Announce(format!("Done again: {}.", step.name)));
    }
}

fn select(model: &mut Model, selection: Option<Selection>, fx: &mut Vec<Effect>) {
    model.auto_selected = false;
    if selection.is_some() {
        model.view.why_open = true;
        // Where one panel is shown at a time, what is tapped is explained.
        if matches!(model.view.panel, Panel::Now | Panel::Time)
            || matches!(selection, Some(Selection::Rule(_)))
        {
            model.view.panel = Panel::Why;
        }
    }
    if let Some(Selection::Event { cycle, .. }) = selection
        && cycle != model.cursor
    {
        go_to(model, cycle, fx);
    }
    model.selection = selection;
    ask_about(model, fx);
    fx.push(Effect::SetUrl);
}

/// Ends the engine inside of a cycle that takes long; a fresh one goes to the last cycle that was reached.
fn end_engine(model: &mut Model, fx: &mut Vec<Effect>) {
    let EngineState::Working(progress) = &model.engine else { return };
    let shown = model.frame.as_ref().map(|frame| frame.cycle);
    let Some(reached) = progress.as_ref().map(|progress| progress.cycle).or(shown) else { return };
    model.asked.cancel = 0;
    fx.push(Effect::RestartEngine);
    model.cursor = reached;
    model.inside = None;
    model.to_action = false;
    model.stop = None;
    let text = format!(
        "The cycle after cycle {reached} was cancelled. The engine was started again and goes back to cycle {reached}."
    );
    notify(model, false, text, None, fx);
    load(model, fx);
}

fn engine_died(model: &mut Model, fx: &mut Vec<Effect>) {
    pause(model, fx);
    let at = model.cursor;
    let again = matches!(model.engine, EngineState::Dead(_)) || model.deaths > 0;
    model.deaths += 1;
    model.drop_ghost();
    model.before = None;
    fx.push(Effect::RestartEngine);
    if again {
        model.engine = EngineState::Dead(at);
        model.stale = model.frame.is_some();
        let text = format!(
            "The engine stopped again at cycle {at}. Your scenario is kept; download it to report this."
        );
        let download = ("Download the scenario".to_string(), Command::Download);
        notify(model, true, text, Some(download), fx);
        return;
    }
    let text = format!("The engine stopped at cycle {at} and was started again. Your scenario is kept.");
    let download = ("Download the scenario".to_string(), Command::Download);
    notify(model, true, text, Some(download), fx);
    model.cursor = model.frame.as_ref().map_or(0, |f| f.cycle);
    load(model, fx);
}

pub(super) fn notify(
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

pub(super) fn focus_field(model: &mut Model, path: Path, fx: &mut Vec<Effect>) {
    model.view.setup_folded = false;
    model.view.panel = Panel::Setup;
    model.view.tab = table::tab(&path);
    let is_shown = table::has_column(&path, &model.scenario.policy, model.settings_resource());
    model.view.detail = table::owner(&path).filter(|_| !is_shown);
    rules::ask_rules(model, fx);
    fx.push(Effect::FocusField(path));
}
