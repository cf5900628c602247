//! Import of dropped, pasted or chosen files, first as a preview; and export.

use std::sync::Arc;

use super::{Import, KitState, Pieces};
use crate::engine::protocol::{At, FileBytes, ImportOptions, ImportReport, Kit, Request};
use crate::state::command::Command;
use crate::state::document;
use crate::state::document::draft::Draft;
use crate::state::document::timeline_edit::text_of;
use crate::state::document::{Checked, Opened, Origin};
use crate::state::editing::commands::{commit, keep, open};
use crate::state::effect::Effect;
use crate::state::import::PASTED;
use crate::state::layout::options::Dialog;
use crate::state::model::{Model, notify, send};
use crate::state::playback::commands::{load, pause, request_moment};
use fairground::import::is_queues_yaml;
use fairground::policy::Policy;
use fairground::scenario::{Diagnostic, Edit, Scenario};

/// Reads files for the import preview.
pub(crate) fn import(model: &mut Model, files: Vec<(String, FileBytes)>, options: ImportOptions, fx: &mut Vec<Effect>) {
    model.view.dialog = Some(Dialog::Import);
    let previous = model.files.preview.take().filter(|i| i.files == files);
    let mut import = previous.map_or_else(Import::default, |i| (*i).clone());
    (import.files, import.options) = (files, options);
    (import.reading, import.received) = (true, false);
    model.files.preview = Some(Arc::new(import));
    send_files(model, fx);
    fx.push(Effect::EndEngineSoon(model.in_flight.import));
}

/// Lets the engine read a draft, which is opened afterwards.
pub(crate) fn open_draft(model: &mut Model, id: String, draft: Draft, fx: &mut Vec<Effect>) {
    let files = vec![(String::new(), FileBytes::of(&draft.scenario))];
    import(model, files, ImportOptions::default(), fx);
    if let Some(import) = &mut model.files.preview {
        Arc::make_mut(import).draft = Some(Arc::new((id, draft)));
    }
}

/// Opens a draft that the engine has read.
fn opened_draft(model: &mut Model, draft: &(String, Draft), scenario: Option<Checked>, fx: &mut Vec<Effect>) {
    let (id, draft) = draft;
    model.files.preview = None;
    model.view.dialog = None;
    match scenario {
        Some(checked) => open(model, draft.opened(id, checked), fx),
        None => notify(model, true, "This draft cannot be read.".to_string(), None, fx),
    }
}

/// Sends the files of the import to the engine.
fn send_files(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(import) = &model.files.preview else { return };
    let (files, options) = (import.files.clone(), import.options.clone());
    model.files.pieces = Pieces::default();
    model.in_flight.import = send(model, Request::Import { files, options }, fx);
}

/// Restarts an engine that is within a long cycle and has not received the files: the new one first reads them and then
/// returns to the document's moment.
pub(crate) fn end_engine(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.files.preview.as_ref().is_none_or(|import| !import.reading || import.received) {
        return;
    }
    if !model.engine.has_started {
        // The engine is still starting; a restart would only begin that again.
        return fx.push(Effect::EndEngineSoon(model.in_flight.import));
    }
    pause(model, fx);
    fx.push(Effect::RestartEngine);
    send_files(model, fx);
    load(model, fx);
}

/// The engine has received the files.
pub(crate) fn received(model: &mut Model) {
    if let Some(import) = &mut model.files.preview {
        Arc::make_mut(import).received = true;
    }
}

/// Stores the result of reading the files.
pub(crate) fn imported(
    model: &mut Model,
    scenario: Option<Box<Scenario>>,
    checked: Vec<Diagnostic>,
    report: ImportReport,
    fx: &mut Vec<Effect>,
) {
    let Pieces { jobs, timeline } = std::mem::take(&mut model.files.pieces);
    let Some(import) = &mut model.files.preview else { return };
    let whole = |scenario: Box<Scenario>| Checked {
        scenario: Arc::new(Scenario { jobs: Arc::new(jobs), timeline: Arc::new(timeline), ..*scenario }),
        findings: Arc::new(checked),
    };
    let scenario = scenario.map(whole);
    if let Some(draft) = import.draft.clone() {
        return opened_draft(model, &draft, scenario, fx);
    }
    let import = Arc::make_mut(import);
    (import.scenario, import.report) = (scenario, report);
    (import.reading, import.received) = (false, true);
    model.view.dialog = Some(Dialog::Import);
}

/// Discards the import. An engine that is still reading handles no other requests, so it is restarted and returns to
/// the document's moment.
pub(crate) fn forget(model: &mut Model, fx: &mut Vec<Effect>) {
    let was_reading = model.files.preview.take().is_some_and(|i| i.reading);
    model.in_flight.import = model.fresh_id();
    model.view.dialog = None;
    if was_reading {
        pause(model, fx);
        fx.push(Effect::RestartEngine);
        load(model, fx);
        let text = "Reading was cancelled. Your scenario is unchanged.".to_string();
        notify(model, false, text, None, fx);
    }
}

/// Opens the imported scenario.
pub(crate) fn take(model: &mut Model, run_until_ms: Option<i64>, fx: &mut Vec<Effect>) {
    let Some(import) = model.files.preview.take() else { return };
    let Some(mut checked) = import.scenario.clone() else { return };
    if checked.scenario.name.is_empty() {
        // Copies what the preview shares; long sections stay shared.
        Arc::make_mut(&mut checked.scenario).name = title_of(&import.files);
    }
    let policy = Policy::described(&checked.scenario.policy);
    let has_file = policy.is_some_and(|policy| !policy.exports.is_empty());
    let is_foreign = has_file && import.files.len() == 1;
    open(model, Opened::of(checked, Origin::Files), fx);
    let original = import.files.first().filter(|_| is_foreign);
    model.document.original = original.and_then(|(_, bytes)| Some(Arc::from(std::str::from_utf8(&bytes.0).ok()?)));
    model.document.is_changed = true;
    keep(model, fx);
    if !import.report.more.is_empty() {
        fx.push(Effect::AddDrafts(import.report.more.clone()));
    }
    if let Some(time_ms) = run_until_ms {
        request_moment(model, false, At::Time(time_ms), fx);
    }
}

/// Size limit of a ConfigMap: 1 MiB.
const CONFIGURATION_MAX: usize = 1 << 20;

/// The configuration among the files, if the current scheduler reloads its configuration during a run; with the
/// displayed cycle and its time.
pub fn reloadable(model: &Model) -> Option<(String, u32, i64)> {
    let import = model.files.preview.as_ref().filter(|import| !import.reading)?;
    let [(_, bytes)] = import.files.as_slice() else { return None };
    let text = std::str::from_utf8(&bytes.0).ok().filter(|text| text.len() <= CONFIGURATION_MAX)?;
    if !is_queues_yaml(text) {
        return None;
    }
    let frame = model.moment.frame.as_ref().filter(|frame| frame.cycle > 0)?;
    Policy::described_or_default(&model.document.scenario.policy).supports.reloads?;
    Some((text.to_string(), frame.cycle, frame.time_ms))
}

/// Adds the changes of the configuration to the timeline of the current document.
pub(crate) fn reload(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some((text, cycle, time_ms)) = reloadable(model) else { return };
    let reload = fairground::import::reload(&model.document.scenario, &text_of(time_ms), &text);
    if !reload.diagnostics.is_empty() {
        let says: Vec<&str> = reload.diagnostics.iter().map(|found| found.says.as_str()).collect();
        return notify(model, true, says.join(" "), None, fx);
    }
    (model.files.preview, model.view.dialog) = (None, None);
    if reload.entries.is_empty() {
        let text = format!("This is the configuration that cycle {cycle} has already; nothing was changed.");
        return notify(model, false, text, None, fx);
    }
    let add = |entry| Edit::AddTimeline { entry: Box::new(entry) };
    let edits: Vec<Edit> = reload.entries.into_iter().map(add).collect();
    match document::apply(&model.document.scenario, &edits) {
        Ok(after) => {
            let name = format!("configuration reloaded at cycle {cycle}");
            commit(model, Checked::of(after), "", |_| name.clone(), fx);
            let undo = Some(("Undo".to_string(), Command::Undo));
            notify(model, false, format!("{} changes at cycle {cycle}.", edits.len()), undo, fx);
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}

/// The title of a scenario without one: its file name without extensions.
fn title_of(files: &[(String, FileBytes)]) -> String {
    let name = files.first().map_or("", |(name, _)| name.as_str());
    let stem = name.split('.').next().unwrap_or_default().replace(['_', '-'], " ");
    let stem = if name == PASTED { "" } else { stem.trim() };
    let title = stem.chars().take(1).flat_map(char::to_uppercase).chain(stem.chars().skip(1)).collect();
    if stem.is_empty() { "Imported scenario".into() } else { title }
}

/// Shows the share sheet and requests the scenario in the formats of its scheduler.
pub(crate) fn share(model: &mut Model, fx: &mut Vec<Effect>) {
    model.view.dialog = Some(Dialog::Share);
    let policy = Policy::described_or_default(&model.document.scenario.policy);
    (model.files.exported, model.files.exporting) = (None, !policy.exports.is_empty());
    for format in policy.exports {
        let original = model.document.original.as_deref().map(str::to_string);
        let (scenario, format) = (model.document.scenario.clone(), format.file.to_string());
        model.in_flight.export = send(model, Request::Export { scenario, format, original }, fx);
    }
}

/// Shows the share sheet and copies the link.
pub(crate) fn share_link(model: &mut Model, fx: &mut Vec<Effect>) {
    share(model, fx);
    fx.push(Effect::CopyLink);
}

/// Requests the scenario as a virtual cluster.
pub(crate) fn kit(model: &mut Model, fx: &mut Vec<Effect>) {
    model.files.kit = KitState::Preparing;
    let scenario = model.document.scenario.clone();
    model.in_flight.kit = send(model, Request::Kit { scenario }, fx);
    fx.push(Effect::Announce("Preparing the kit …".to_string()));
}

/// Stores the virtual cluster.
pub(crate) fn kit_made(model: &mut Model, kit: Option<Box<Kit>>, fx: &mut Vec<Effect>) {
    let says = if kit.is_some() { "The kit is ready." } else { "There is no kit of this scenario." };
    fx.push(Effect::Announce(says.to_string()));
    model.files.kit = kit.map_or(KitState::Refused, |kit| KitState::Ready(Arc::from(kit)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::update::{begin, update};

    fn model() -> Model {
        let mut model = Model::new(Opened::new(crate::library::start(), Origin::Start));
        begin(&mut model);
        model
    }

    #[test]
    fn reading_is_cancelled_with_the_engine_and_the_document_stays() {
        let mut model = model();
        let before = model.document.scenario.clone();
        let files = vec![("big.json".to_string(), FileBytes::of("{}"))];
        update(&mut model, Command::Import { files, options: ImportOptions::default() });
        let effects = update(&mut model, Command::DropImport);
        assert!(effects.contains(&Effect::RestartEngine), "{effects:?}");
        let asks = |effect: &Effect| matches!(effect, Effect::Send(request) if matches!(request.body, Request::Moment(crate::engine::protocol::MomentRequest { scenario: Some(_), .. })));
        assert!(effects.iter().any(asks), "the fresh engine gets the document");
        assert!(model.files.preview.is_none() && Arc::ptr_eq(&before, &model.document.scenario));
        assert!(model.notices.iter().any(|notice| notice.text.starts_with("Reading was cancelled.")));
        // After reading has ended, the engine is not restarted.
        assert!(!update(&mut model, Command::DropImport).contains(&Effect::RestartEngine));
    }

    #[test]
    fn a_kit_is_of_the_scenario_as_it_is() {
        let mut model = model();
        let ask = update(&mut model, Command::Kit);
        let Some(Effect::Send(request)) = ask.first() else { panic!("{ask:?}") };
        let mut server = crate::engine::serve::Server::default();
        let mut replies = server.handle(request.clone());
        while server.is_busy() {
            replies.extend(server.work());
        }
        for reply in replies {
            update(&mut model, Command::Replied(Box::new(reply)));
        }
        let KitState::Ready(kit) = &model.files.kit else { panic!("{:?}", model.files.kit) };
        assert!(kit.archive.0.starts_with(b"PK") && kit.n_files > 5);
        update(&mut model, Command::Change(crate::state::document::Change::AddNodes));
        assert_eq!(model.files.kit, KitState::None);
    }

    const QUEUES: &str =
        "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n    - name: a\n";

    #[test]
    fn a_configuration_is_read_anew_at_the_cycle_shown() {
        let scenario = fairground::import::import_queues_yaml(QUEUES, &Default::default()).scenario;
        let mut model = Model::new(Opened::new(scenario.expect("it can be read"), Origin::Start));
        begin(&mut model);
        let text = format!("{QUEUES}      maxapplications: 2\n");
        let recognised =
            |text: &str| Import { files: vec![("queues.yaml".into(), FileBytes::of(text))], ..Import::default() };
        model.files.preview = Some(Arc::new(recognised(&text)));
        assert_eq!(reloadable(&model), None, "nothing has run yet");
        let frame = crate::engine::protocol::Frame { cycle: 4, time_ms: 3_500, ..Default::default() };
        model.moment.frame = Some(Arc::new(frame));
        assert!(reloadable(&model).is_some_and(|(_, cycle, time_ms)| (cycle, time_ms) == (4, 3_500)));
        update(&mut model, Command::ReloadImport);
        let [entry] = model.document.scenario.timeline.as_slice() else {
            panic!("{:?}", model.document.scenario.timeline)
        };
        assert_eq!((entry.at.0.as_str(), entry.settings["maxapplications.a"].0.as_str()), ("3500ms", "2"));
        assert!(model.files.preview.is_none() && model.view.dialog.is_none());
        // Not offered under a policy that does not reload its configuration.
        model.files.preview = Some(Arc::new(recognised(&text)));
        let other = Policy::ALL.iter().find(|policy| policy.supports.reloads.is_none());
        Arc::make_mut(&mut model.document.scenario).policy = other.expect("a policy without reloads").key.into();
        assert_eq!(reloadable(&model), None);
    }
}
