//! Executes the effects that state changes request from the browser, the engine and other tabs; an engine that died is
//! started again.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use fairground::export::with_schema_line;
use fairground::words::Terms;
use leptos::leptos_dom::helpers::{IntervalHandle, TimeoutHandle, set_interval_with_handle, set_timeout_with_handle};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::chart::alternative;
use crate::engine::protocol::{Message, Request};
use crate::engine::transport::ReplyHandlers;
use crate::engine::transport::inline::Inline;
use crate::engine::transport::worker::WorkerLine;
use crate::state::branches;
use crate::state::command::{Command, Dispatch};
use crate::state::document;
use crate::state::document::draft::{DRAFTS_MAX, Draft, is_large};
use crate::state::effect::Effect;
use crate::state::layout::options::Theme;
use crate::state::model::Model;
use crate::storage::{self, StorageError};
use crate::tabs::{TabMessage, Tabs};
use crate::{address, clipboard, downloads, words};

/// Time limit for a stop request; the engine handles requests between cycles, and may leave a long one.
const END_AFTER: Duration = Duration::from_millis(1_500);
/// Delay between the last change and saving it.
const SAVE_AFTER: Duration = Duration::from_millis(300);
/// Delay between the last change and the update of the address.
const URL_AFTER: Duration = Duration::from_millis(1000);

/// Delay after which an unchanged value counts as settled.
const REST_AFTER: Duration = Duration::from_millis(700);

/// The owner of the state, which receives commands from timers, the engine and other tabs.
pub trait Host: Dispatch {
    /// Reads the state without subscribing to it.
    fn now<T>(self, read: impl FnOnce(&Model) -> T) -> T;
    fn announce(self, text: String);
    fn effects(self) -> StoredValue<Effects, LocalStorage>;
}

/// State of the side effects: the engine's client, timers, the last written address.
#[derive(Default)]
pub struct Effects {
    client: Option<Client>,
    /// Run the engine without a worker.
    pub(crate) is_inline: bool,
    save: Option<TimeoutHandle>,
    /// There are changes that are not saved yet.
    is_unsaved: bool,
    url: Option<TimeoutHandle>,
    rest: Option<TimeoutHandle>,
    ticks: Option<IntervalHandle>,
    address: String,
    /// The document being opened already has a history entry: its link was followed in place, or the visitor navigated
    /// back to it.
    pub(crate) has_entry: bool,
    has_warned_of_storage: bool,
    tabs: Option<Tabs>,
    open_draft: Option<String>,
}

impl Effects {
    /// The client of the engine; the first request starts the engine.
    fn client(&mut self, host: impl Host) -> &mut Client {
        let is_inline = self.is_inline;
        self.client.get_or_insert_with(|| {
            let handlers = ReplyHandlers {
                on_reply: Rc::new(move |reply| host.dispatch(Command::Replied(Box::new(reply)))),
                on_death: Rc::new(move || host.dispatch(Command::EngineDied)),
            };
            Client::new(handlers, !is_inline)
        })
    }

    /// The fragment last written by the page itself.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sets the fragment that counts as written by the page.
    pub fn set_address(&mut self, address: String) {
        self.address = address;
    }

    /// Executes an effect.
    pub fn run(&mut self, host: impl Host, effect: Effect) {
        let leaves_traces = matches!(effect, Effect::Save | Effect::SetUrl | Effect::Remember(..));
        if leaves_traces && host.now(|m| m.view.embed.is_some()) {
            return;
        }
        match effect {
            Effect::Send(request) => self.client(host).send(request),
            Effect::EndEngineSoon(id) => {
                set_timeout(move || host.dispatch(Command::EndEngine(id)), END_AFTER);
            }
            Effect::RestartEngine => self.client(host).restart(),
            Effect::Save => self.schedule_save(host),
            Effect::SavePacked(packed) => self.save_packed(host, packed),
            Effect::AddDrafts(scenarios) => add_drafts(host, &scenarios),
            Effect::SetUrl => {
                let later = move || host.effects().update_value(|effects| effects.set_url(host));
                restart_timer(&mut self.url, later, URL_AFTER);
            }
            Effect::CopyLink => self.copy_link(host),
            Effect::DownloadCsv { is_of_events, text } => {
                let what = if is_of_events { "events" } else { "series" };
                let name =
                    host.now(|m| downloads::file_name(&m.document.scenario.name)).replace("fairground.yaml", what);
                downloads::download(&format!("{name}.csv"), "text/csv", &text);
            }
            Effect::DownloadScenario => download_scenario(host),
            Effect::Announce(text) => host.announce(text),
            Effect::AnnounceStep(frame, resource) => {
                // After the paint: of a cycle with many events, the sentence takes a while.
                set_timeout(move || host.announce(words::announce(&frame, resource)), Duration::ZERO);
            }
            Effect::AnnounceAction(frame, resource) => {
                host.announce(words::announce_action(&frame, resource));
            }
            Effect::AnnounceEdit => {
                let said = host.now(|m| {
                    let (before, frame) = (m.branches.told_edit.as_ref()?, m.moment.frame.as_ref()?);
                    Some(alternative::says(before, frame, m.moment.run.as_ref()?, m.settings_resource()))
                });
                said.into_iter().for_each(|said| host.announce(said));
            }
            Effect::AnnouncePreview => {
                let says = move || {
                    let said = host.now(|m| {
                        let terms = Terms::of(&m.document.scenario.policy);
                        let preview = branches::alternative::preview(m)?;
                        alternative::as_edited(m.moment.run.as_ref()?, preview.run.as_ref()?, terms)
                    });
                    said.into_iter().for_each(|said| host.announce(format!("As edited: {said}.")));
                };
                restart_timer(&mut self.rest, says, REST_AFTER);
            }
            Effect::Remember(key, value) => storage::remember(key, &value),
            Effect::Theme(theme) => set_theme(theme),
            Effect::Tick(every) => {
                if let Some(handle) = self.ticks.take() {
                    handle.clear();
                }
                let tick = move || host.dispatch(Command::Tick);
                self.ticks = every
                    .and_then(|ms| set_interval_with_handle(tick, Duration::from_millis(u64::from(ms.max(10)))).ok());
            }
            Effect::FocusField(path) => focus_field(&path.to_string()),
        }
    }

    fn schedule_save(&mut self, host: impl Host) {
        self.is_unsaved = true;
        restart_timer(&mut self.save, move || save_after_delay(host), SAVE_AFTER);
    }

    /// Saves pending changes immediately.
    pub fn save_now(&mut self, host: impl Host) {
        if self.stop_save() {
            self.save_as(host, None);
        }
    }

    /// Saves a large document in the packed form written by the engine, unless the document has changed since.
    fn save_packed(&mut self, host: impl Host, packed: Option<String>) {
        if self.save.is_none() && std::mem::take(&mut self.is_unsaved) {
            match packed {
                Some(_) => self.save_as(host, packed),
                None => self.warn_of_storage(host, NOT_KEPT),
            }
        }
    }

    fn save_as(&mut self, host: impl Host, packed: Option<String>) {
        let Some((id, title, draft)) = host.now(|m| {
            let id = m.document.draft.clone()?;
            Some((id, m.document.scenario.name.clone(), m.draft(&self.address, packed)))
        }) else {
            return;
        };
        let kept = storage::save(&id, &title, &draft);
        let states = if kept.is_ok() { storage::save_states(&id, &draft.states) } else { Ok(()) };
        let says = match kept {
            Ok(0) if states.is_ok() => return,
            Ok(0) => {
                "There is no room left on this device for earlier states: undo ends when this page is closed. The scenario itself is kept."
            }
            Err(StorageError::Foreign) => {
                // Save immediately rather than after the command: the page may be about to close.
                let own = storage::fresh_id();
                let _ = storage::save(&own, &title, &draft);
                let _ = storage::save_states(&own, &draft.states);
                set_timeout(move || host.dispatch(Command::OwnCopy(Some(own))), Duration::ZERO);
                return;
            }
            Ok(_) => "There was no room left on this device: the oldest drafts were removed to keep this scenario.",
            Err(StorageError::Full) => NOT_KEPT,
            Err(StorageError::Absent) => "This browser keeps nothing for this page. Download the scenario to keep it.",
        };
        self.warn_of_storage(host, says);
    }

    fn warn_of_storage(&mut self, host: impl Host, says: &str) {
        if !std::mem::replace(&mut self.has_warned_of_storage, true) {
            let notify = Command::Notify { is_problem: true, text: says.to_string() };
            set_timeout(move || host.dispatch(notify), Duration::ZERO);
        }
    }

    /// Records which draft is open, and asks other tabs whether they have it open too.
    pub(crate) fn set_open_draft(&mut self, host: impl Host, draft: Option<String>) {
        self.open_draft = draft;
        if self.open_draft.is_some() {
            self.mark_entry(host);
        }
        let Some(id) = &self.open_draft else { return };
        if self.tabs.is_none() {
            self.tabs = Tabs::open(move |message| {
                let taken = host.effects().try_update_value(|effects| effects.on_tab_message(&message)).flatten();
                if let Some(own) = taken {
                    host.dispatch(Command::OwnCopy(own));
                }
            });
        }
        if let Some(tabs) = &self.tabs {
            tabs.ask(id);
        }
    }

    /// Drops pending changes before all stored data is deleted.
    pub(crate) fn forget(&mut self) {
        self.stop_save();
        self.set_address(String::new());
    }

    pub(crate) fn open_draft(&self) -> Option<&String> {
        self.open_draft.as_ref()
    }

    /// Handles a message of another tab. If that tab has the same draft open, returns the id under which this tab
    /// continues, or `Some(None)` if there are no unsaved changes.
    fn on_tab_message(&mut self, message: &TabMessage) -> Option<Option<String>> {
        let (TabMessage::Asks(id) | TabMessage::Holds(id)) = message;
        if self.open_draft.as_ref() != Some(id) {
            return None;
        }
        match message {
            TabMessage::Asks(_) => {
                self.tabs.iter().for_each(|tabs| tabs.answer(id));
                None
            }
            TabMessage::Holds(_) => Some(self.stop_save().then(storage::fresh_id)),
        }
    }

    /// Cancels pending saving; returns whether there were unsaved changes.
    fn stop_save(&mut self) -> bool {
        if let Some(handle) = self.save.take() {
            handle.clear();
        }
        std::mem::take(&mut self.is_unsaved)
    }

    /// Replaces the address with the link of the current moment, or removes the link if it would be too long.
    pub fn set_url(&mut self, host: impl Host) {
        self.put_url(host, false);
    }

    /// Called before another document is opened: saves the current one and its address in its history entry.
    pub(crate) fn before_open(&mut self, host: impl Host) {
        self.save_now(host);
        if !self.has_entry && host.now(|m| m.view.embed.is_none()) {
            self.put_url(host, false);
        }
    }

    /// Called after another document was opened: writes its history entry.
    pub(crate) fn after_open(&mut self, host: impl Host) {
        let has_entry = std::mem::take(&mut self.has_entry);
        if host.now(|m| m.view.embed.is_none()) {
            self.put_url(host, !has_entry);
        }
    }

    /// Writes the id of the draft to the current history entry.
    fn mark_entry(&self, host: impl Host) {
        address::put_in_bar(&self.address, &host.now(address::entry), false);
    }

    fn put_url(&mut self, host: impl Host, adds: bool) {
        if let Some(handle) = self.url.take() {
            handle.clear();
        }
        let is_small = host.now(|m| {
            m.document.scenario.jobs.len() + m.document.scenario.nodes.len() + m.document.scenario.queues.len() < 1_500
        });
        let mut fragment = if is_small { host.now(address::write) } else { String::new() };
        if fragment.len() > address::IN_ADDRESS_MAX {
            fragment.clear();
        }
        let entry = host.now(address::entry);
        if !adds && fragment == self.address {
            return;
        }
        address::put_in_bar(&fragment, &entry, adds);
        storage::set_own_address(&fragment);
        self.address = fragment;
        if host.now(|m| m.document.draft.is_some()) {
            self.run(host, Effect::Save);
        }
    }

    fn copy_link(&mut self, host: impl Host) {
        let link = link_of(&host.now(address::write));
        clipboard::copy(host, link, "Link copied.");
        self.set_url(host);
    }
}

/// Message if the document cannot be stored.
const NOT_KEPT: &str =
    "There is no room left on this device: this scenario is not kept. Download it, or remove drafts under Examples.";

/// Saves the document after the delay; the engine packs a large one first.
fn save_after_delay(host: impl Host) {
    if host.now(|m| is_large(&m.document.scenario)) {
        host.effects().update_value(|effects| effects.save = None);
        host.dispatch(Command::Pack);
    } else {
        host.effects().update_value(|effects| effects.save_now(host));
    }
}

fn download_scenario(host: impl Host) {
    let (name, text) =
        host.now(|m| (downloads::file_name(&m.document.scenario.name), document::to_yaml(&m.document.scenario)));
    let text = with_schema_line(&text, &crate::address::beside("scenario.schema.json"));
    downloads::download(&name, "application/yaml", &text);
}

/// Stores scenarios as drafts and reports their number; no other draft is removed for them.
fn add_drafts(host: impl Host, scenarios: &[String]) {
    let add = |(at, scenario): (usize, &String)| {
        let title = document::from_text(scenario).ok()?.name;
        storage::add_draft(at, &title, &Draft { scenario: scenario.clone(), ..Draft::default() }).ok()
    };
    let n_kept = scenarios.iter().enumerate().map_while(add).count();
    let n_left = scenarios.len() - n_kept;
    let kept = if n_kept == 1 { "One further scenario is".into() } else { format!("{n_kept} further scenarios are") };
    let left = match n_left {
        0 => String::new(),
        n => format!(
            " There is no room for {n} more: this page keeps {DRAFTS_MAX} drafts. Remove some and import the file again."
        ),
    };
    let text = format!("{kept} kept among your drafts, under Examples.{left}");
    let notify = Command::Notify { is_problem: n_left > 0, text };
    set_timeout(move || host.dispatch(notify), Duration::ZERO);
}

/// The complete URL of a fragment.
pub fn link_of(fragment: &str) -> String {
    let base = crate::address::browser().and_then(|window| window.location().href().ok()).unwrap_or_default();
    let base = base.split('#').next().unwrap_or_default();
    format!("{base}#{fragment}")
}

/// Restarts a timer.
fn restart_timer(timer: &mut Option<TimeoutHandle>, run: impl FnOnce() + 'static, after: Duration) {
    if let Some(handle) = timer.take() {
        handle.clear();
    }
    *timer = set_timeout_with_handle(run, after).ok();
}

/// Sets the colour theme of the page.
pub fn set_theme(theme: Theme) {
    let Some(root) = document().document_element() else { return };
    let _ = match theme {
        Theme::System => root.remove_attribute("data-theme"),
        Theme::Light | Theme::Dark => root.set_attribute("data-theme", theme.name()),
    };
}

/// Number of attempts to find a field.
const FOCUS_TRIES: u32 = 40;
const FOCUS_PAUSE: Duration = Duration::from_millis(60);

/// Focuses the field of a value once its form is rendered, unless the user has pressed anywhere by then: a press may
/// have opened another field, which would close if it lost the focus.
fn focus_field(path: &str) {
    let has_pressed = Rc::new(Cell::new(false));
    let seen = has_pressed.clone();
    let listener = window_event_listener(leptos::ev::pointerdown, move |_| seen.set(true));
    let look = {
        let path = path.to_string();
        move || {
            if has_pressed.get() {
                return true;
            }
            let field = field_of(&path);
            if let Some(field) = &field {
                field.scroll_into_view();
                let _ = field.focus();
            }
            field.is_some()
        }
    };
    try_later(look, move || listener.remove(), FOCUS_TRIES);
}

/// Tries something after a pause until it succeeds or the number of attempts is used up; then ends it.
fn try_later(attempt: impl Fn() -> bool + 'static, end: impl FnOnce() + 'static, tries: u32) {
    let next = move || {
        if attempt() || tries == 1 {
            end();
        } else {
            try_later(attempt, end, tries - 1);
        }
    };
    set_timeout(next, FOCUS_PAUSE);
}

fn field_of(path: &str) -> Option<web_sys::HtmlElement> {
    let fields = document().query_selector_all("[data-path]").ok()?;
    let mut all = (0..fields.length()).filter_map(|i| fields.get(i)?.dyn_into::<web_sys::HtmlElement>().ok());
    all.find(|field| field.dataset().get("path").as_deref() == Some(path))
}

/// A connection to an engine.
pub struct Client {
    /// Established by the first request.
    line: Option<Line>,
    handlers: ReplyHandlers,
    wants_worker: bool,
}

enum Line {
    Worker(WorkerLine),
    Inline(Inline),
}

impl Client {
    /// Returns a client whose first request starts the engine: in a worker if desired and possible, otherwise in small
    /// slices on the page's thread.
    pub fn new(handlers: ReplyHandlers, wants_worker: bool) -> Client {
        Client { line: None, handlers, wants_worker }
    }

    /// Sends a request; the first one starts the engine.
    pub fn send(&mut self, request: Message<Request>) {
        match self.line.get_or_insert_with(|| connect(&self.handlers, self.wants_worker)) {
            Line::Worker(worker) => worker.send(&request),
            Line::Inline(inline) => inline.send(request),
        }
    }

    /// Ends this engine and starts another one.
    pub fn restart(&mut self) {
        if let Some(Line::Worker(worker)) = &self.line {
            worker.end();
        }
        self.line = Some(connect(&self.handlers, self.wants_worker));
    }
}

fn connect(handlers: &ReplyHandlers, wants_worker: bool) -> Line {
    if wants_worker && let Ok(worker) = WorkerLine::start(handlers.clone()) {
        return Line::Worker(worker);
    }
    Line::Inline(Inline::start(handlers.clone()))
}
