//! The function that changes the state: it dispatches commands, and the engine's replies, to their handlers.

use std::sync::Arc;

use fairground::scenario::Path;

use super::command::Command;
use super::document::Change;
use super::editing::translation;
use super::effect::Effect;
use super::engine_state::EngineState;
use super::layout::options::{Dialog, Panel};
use super::lesson::step::LessonStep;
use super::model::{Model, notify, send};
use super::playback::commands::{go_to, load};
use super::{branches, editing, import, layout, lesson, moment, playback};
use crate::engine::protocol::{BranchId, Message, Moment, Request, Response};
use crate::state::branches::commands::compared;
use crate::state::branches::kept;
use crate::state::moment::explanations::request_explanations;
use crate::state::playback::arrival::{arrived, cycle_progress, no_event, progress};

/// Applies a command to the model and returns the resulting side effects. Long because it is a table.
pub fn update(model: &mut Model, command: Command) -> Vec<Effect> {
    let mut effects = Vec::new();
    if !is_allowed(&command, model) {
        return effects;
    }
    let fx = &mut effects;
    if moves_in_time(&command) {
        playback::commands::pause(model, fx);
    }
    match command {
        Command::Open(opened) => editing::commands::open(model, *opened, fx),
        Command::Lesson(step) => lesson::commands::play(model, step, fx),
        Command::Record(step) => lesson::record::record(model, step, fx),
        Command::Set { at, value } => editing::commands::set(model, &at, &value, fx),
        Command::SetValid(valid) => editing::commands::set_valid(model, *valid, fx),
        Command::GestureEnd => model.document.history.end_gesture(),
        Command::SetText(scenario) => editing::commands::set_text(model, *scenario, fx),
        Command::Unread(text) => editing::commands::unread(model, text, fx),
        Command::Change(change) => editing::commands::make_change(model, &change, fx),
        Command::Fix(fix) => editing::commands::apply_fix(model, *fix, fx),
        Command::Dismiss(key) => editing::commands::dismiss(model, key, fx),
        Command::Undo => editing::commands::undo(model, fx),
        Command::Redo => editing::commands::redo(model, fx),
        Command::Remark(text) => editing::commands::remark(model, &text, fx),
        Command::Pack => editing::commands::pack(model, fx),
        Command::OpenDraft { id, draft } => import::commands::open_draft(model, id, *draft, fx),
        Command::RestoreNames(list) => editing::commands::restore_names(model, &list, fx),
        Command::GoBackTo(made_ms) => editing::commands::go_back_to(model, made_ms, fx),
        Command::NodeState { node, state } => editing::commands::set_node_state(model, &node, state, fx),
        Command::OwnCopy(draft) => editing::commands::own_copy(model, draft, fx),
        Command::Policy(policy) => editing::translation::choose(model, policy, fx),
        Command::DownloadCsv { is_of_events } => {
            model.in_flight.csv = send(model, Request::Csv { is_of_events }, fx);
            fx.push(Effect::Announce("Writing the table …".to_string()));
        }
        Command::Download => fx.push(Effect::DownloadScenario),

        Command::Preview { at, value } => branches::commands::preview(model, &at, &value, fx),
        Command::TryOut(control) => model.view.control = control,
        Command::PreviewEnd => model.branches.drop_preview(),
        Command::ForgetBaseline if model.branches.kept.is_comparing() => branches::kept::compare(model, None, fx),
        Command::ForgetBaseline => (model.branches.baseline, model.branches.told_edit) = (None, None),
        Command::KeepRun => branches::kept::keep(model, fx),
        Command::CompareWith(letter) => branches::kept::compare(model, letter, fx),
        Command::RemoveRun(letter) => branches::kept::remove(model, letter, fx),
        Command::Compare(others) => branches::commands::compare(model, others, fx),
        Command::Suggest(job) => branches::commands::try_changes(model, job, fx),

        Command::Step
        | Command::StepDecision { .. }
        | Command::Action { .. }
        | Command::Play(true)
        | Command::RunTo(_)
            if model.document.has_errors() =>
        {
            playback::commands::pause(model, fx);
            playback::step::refuse(model, fx);
        }
        Command::GoTo(cycle) => playback::commands::go_to(model, cycle, fx),
        Command::GoToMoment(time_ms) => playback::commands::go_to_moment(model, time_ms, fx),
        Command::Step => playback::step::step(model, fx),
        Command::Back => playback::commands::back(model, fx),
        Command::StepDecision { back } => playback::step::step_decision(model, back, fx),
        Command::Action { back } => playback::step::step_action(model, back, fx),
        Command::NextEvent { back } => playback::commands::next_event(model, back, fx),
        Command::Mark(to) => playback::commands::mark(model, to, fx),
        Command::Play(on) => playback::commands::play(model, on, fx),
        Command::Speed(by) => playback::commands::speed(model, by, fx),
        Command::Tick => playback::commands::tick(model, fx),
        Command::RunUntil(time_ms) => playback::commands::run_until(model, time_ms, fx),
        Command::RunTo(stop) => playback::commands::run_to(model, stop, fx),
        Command::Cancel => playback::commands::cancel(model, fx),
        Command::EndEngine(id) if id == model.in_flight.import => import::commands::end_engine(model, fx),
        Command::EndEngine(id) => playback::engine::end_engine(model, id, fx),
        Command::EngineDied => playback::engine::engine_died(model, fx),
        Command::Replied(reply) => replied(model, *reply, fx),

        Command::Select(selection) => match lesson::commands::picked(model, selection.as_ref()) {
            Some(answer) => lesson::commands::play(model, answer, fx),
            None => playback::commands::select(model, selection, fx),
        },
        Command::Resource(resource) => moment::commands::show_resource(model, resource, fx),
        Command::ShowView(now) => moment::commands::show_view(model, now, fx),
        Command::ShowPool(pool) => moment::commands::show_pool(model, pool, fx),
        Command::ShowEvents(kind, shown) => model.view.without.put(kind, !shown),
        Command::EventsOf(subject) => model.view.event_subject = subject,
        Command::Gantt(by) => branches::alternative::move_gantt(model, by, fx),

        Command::Import { files, options } => import::commands::import(model, files, options, fx),
        Command::TakeImport { run_until_ms } => import::commands::take(model, run_until_ms, fx),
        Command::ReloadImport => import::commands::reload(model, fx),
        Command::DropImport => import::commands::forget(model, fx),
        Command::Kit => import::commands::kit(model, fx),

        Command::Theme(theme) => layout::commands::theme(model, theme, fx),
        Command::Keys(set) => layout::commands::keys(model, set, fx),
        Command::Tab(tab) => moment::commands::open_tab(model, tab, fx),
        Command::Detail(at) => layout::commands::show_detail(&mut model.view, at, fx),
        Command::Panel(panel) => layout::commands::panel(model, panel),
        Command::Dialog(Some(Dialog::Share)) => import::commands::share(model, fx),
        Command::Dialog(dialog) => model.view.dialog = dialog,
        Command::Share => import::commands::share_link(model, fx),
        Command::WidthClass(class) => moment::commands::moved(model, class, fx),
        Command::Why(open) => layout::commands::fold(&mut model.view, Panel::Why, !open, fx),
        Command::Fold(panel, folded) => layout::commands::fold(&mut model.view, panel, folded, fx),
        Command::SetupWidth(width) => layout::commands::setup_width(model, width, fx),
        Command::WhyWidth(width) => layout::commands::why_width(model, width, fx),
        Command::FoldQueue(queue, folded) => layout::commands::fold_queue(model, queue, folded),
        Command::ShowAllNumbers(on) => layout::commands::show_all_numbers(&mut model.view, on, fx),
        Command::EditLater(later) => model.view.edits_later = later,
        Command::Used(label) => layout::commands::used(model, label),
        Command::Present(to) => layout::commands::present(&mut model.view, to, fx),
        Command::CloseNote => model.view.note_closed = true,
        Command::ChipsUsed => layout::commands::chips_used(model, fx),
        Command::FocusField(path) => moment::commands::focus_field(model, path, fx),
        Command::Notify { is_problem, text } => notify(model, is_problem, text, None, fx),
        Command::CloseNotice(id) => Arc::make_mut(&mut model.notices).retain(|n| n.id != id),
    }
    branches::commands::keep_comparing(model, fx);
    effects
}

/// Whether a command is allowed: in an embedded page what its address allows, the setting of a slider, and the way through
/// a lesson with its suggestions. A lesson is not left there, as nothing was open before.
fn is_allowed(command: &Command, model: &Model) -> bool {
    let Some(embed) = model.view.embed else { return true };
    let leaves = *command == Command::Lesson(LessonStep::Leave);
    let is_offered = sets(command, model.view.control.as_ref()) || is_suggested(command, model);
    !leaves && (embed.allows(command) || is_offered)
}

/// Whether a command changes the setting that the reader of a link changes with a slider.
fn sets(command: &Command, control: Option<&Path>) -> bool {
    let at = match command {
        Command::Set { at, .. } | Command::Preview { at, .. } => at,
        Command::SetValid(valid) => &valid.at,
        _ => return false,
    };
    Some(at) == control
}

/// Whether a command applies a suggestion of the lesson that is played.
fn is_suggested(command: &Command, model: &Model) -> bool {
    let Command::Change(Change::Edits { edits, .. }) = command else { return false };
    model.lesson.as_ref().is_some_and(|playing| playing.frame().suggestions.iter().any(|of| of.edits == *edits))
}

/// Whether a command ends playback.
fn moves_in_time(command: &Command) -> bool {
    matches!(
        command,
        Command::GoTo(_)
            | Command::GoToMoment(_)
            | Command::Step
            | Command::Back
            | Command::StepDecision { .. }
            | Command::Action { .. }
            | Command::NextEvent { .. }
            | Command::Mark(Some(_))
            | Command::RunUntil(_)
            | Command::RunTo(_)
            | Command::Cancel
    )
}

/// Requests the first frame of a newly opened document, or only passes the document to the engine if the frame is
/// known.
pub fn begin(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    load(model, &mut effects);
    model.moment.is_stale = false;
    effects
}

/// Applies a reply to the model, unless its request is outdated.
pub(crate) fn replied(model: &mut Model, reply: Message<Response>, fx: &mut Vec<Effect>) {
    let id = reply.generation;
    match reply.body {
        Response::Ready => model.engine.has_started = true,
        Response::Moment(moment) => received(model, id, *moment, fx),
        // If the edited scenario cannot run, the last preview that could stays visible.
        Response::Refused { .. } if id != model.in_flight.frame => {
            let asked = model.branches.others.values_mut().filter(|shown| shown.takes(id));
            asked.for_each(|shown| shown.answered = id);
        }
        Response::Refused { findings } => {
            model.engine.state = EngineState::Refused(Arc::new(findings));
        }
        Response::Progress { cycle, time_ms, part } if id == model.in_flight.frame => {
            progress(model, cycle, time_ms, part);
        }
        Response::CycleProgress { part } if id == model.in_flight.frame => cycle_progress(model, part),
        Response::Event { cycle } if id == model.in_flight.event => match cycle {
            Some(cycle) => go_to(model, cycle, fx),
            None => notify(model, false, no_event(model), None, fx),
        },
        Response::Rules(book) if id == model.in_flight.rules => {
            model.rules = Some(Arc::from(book));
            request_explanations(model, fx);
        }
        Response::Tried(tried) if id == model.in_flight.help => super::branches::commands::tried(model, tried, fx),
        Response::Csv { is_of_events, text } if id == model.in_flight.csv => {
            fx.push(Effect::DownloadCsv { is_of_events, text });
        }
        Response::Kit(kit) if id == model.in_flight.kit => import::commands::kit_made(model, kit, fx),
        Response::Packed(text) if id == model.in_flight.packed => fx.push(Effect::SavePacked(text)),
        Response::Exported(exported) if id == model.in_flight.export => {
            model.files.exported = exported.map(Arc::new);
            model.files.exporting = false;
        }
        Response::Reading if id == model.in_flight.import => import::commands::received(model),
        Response::Piece(piece) if id == model.in_flight.import => model.files.pieces.add(piece),
        Response::Imported { scenario, checked, report } if id == model.in_flight.import => {
            import::commands::imported(model, scenario, checked, *report, fx);
        }
        Response::Translated { policy, scenario, notes } if id == model.in_flight.translation => {
            translation::translated(model, policy, scenario.map(|scenario| *scenario), notes, fx);
        }
        Response::Comparing { name, cycle } if id == model.in_flight.comparison => {
            model.comparison.progress = Some((name, cycle));
        }
        Response::Compared(run) if id == model.in_flight.comparison => compared(model, *run),
        Response::Cancelled { goes_back_to } => {
            model.in_flight.cancel = 0;
            goes_back_to.into_iter().for_each(|cycle| playback::engine::goes_back(model, cycle));
            fx.push(Effect::SetUrl);
            fx.push(Effect::Announce("Stopped.".to_string()));
        }
        _ => {}
    }
}

/// Stores what is shown of a moment, unless something later was requested of its run.
fn received(model: &mut Model, id: u64, moment: Moment, fx: &mut Vec<Effect>) {
    let branch = moment.branch;
    if branch == BranchId::Main && id >= model.in_flight.frame {
        arrived(model, id, moment, fx);
        return lesson::commands::arrived(model, fx);
    }
    let Some(shown) = model.branches.others.get_mut(&branch).filter(|shown| shown.takes(id)) else { return };
    let is_complete = moment.run.is_some();
    shown.add(id, moment);
    match branch {
        BranchId::Preview if is_complete => fx.push(Effect::AnnouncePreview),
        BranchId::Kept if is_complete => kept::show(model),
        _ => {}
    }
}
