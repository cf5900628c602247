//! The complete state of the page as plain data, with the notices to the visitor and the requests in flight. Uses neither
//! signals nor the browser.

use std::sync::Arc;

use fairground::link::{self, RULES};
use fairground::units::{Resource, ShownResource};
use fairground::words::Selection;

use crate::engine::protocol::{Message, Request, Rulebook};
use crate::state::branches::{Branches, Comparison, Kept};
use crate::state::command::Command;
use crate::state::document;
use crate::state::document::draft::{Draft, is_large};
use crate::state::document::{Document, Opened, Origin};
use crate::state::effect::Effect;
use crate::state::import::Files;
use crate::state::layout::options::Panel;
use crate::state::layout::view::View;
use crate::state::lesson::playing::Playing;
use crate::state::lesson::progress::Progress;
use crate::state::lesson::recorder::Recorder;
use crate::state::moment::Displayed;
use crate::state::playback::{Engine, Playback};

/// The complete state of the page.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Time in milliseconds; set before every command.
    pub clock_ms: u64,
    /// The layout of the page; never part of the document.
    pub view: View,
    pub selection: Option<Selection>,
    /// The page made the selection, not the visitor.
    pub auto_selected: bool,
    /// The resource of charts.
    pub resource: ShownResource,
    /// The displayed moment.
    pub moment: Displayed,
    /// The rule book of the policy, once it was requested.
    pub rules: Option<Arc<Rulebook>>,
    pub document: Document,
    pub branches: Branches,
    pub comparison: Comparison,
    pub playback: Playback,
    pub engine: Engine,
    pub in_flight: InFlight,
    pub files: Files,
    /// The lesson that is played.
    pub lesson: Option<Box<Playing>>,
    /// How far lessons were played on this device.
    pub lessons: Arc<Progress>,
    /// The lesson that is being written.
    pub recorder: Recorder,
    /// Newest last.
    pub notices: Arc<Vec<Notice>>,
    /// Time of the last announced step.
    pub announced_ms: u64,
    /// Next number of a notice or request.
    pub next_id: u64,
}

impl Model {
    /// The state of a newly opened document, before any response of the engine.
    pub fn new(opened: Opened) -> Model {
        let mut model = Model {
            resource: ShownResource::GPU,
            playback: Playback { speed: 1, ..Playback::default() },
            next_id: 1,
            view: View::new(),
            ..Model::default()
        };
        model.take(opened);
        model
    }

    /// The resource whose settings are shown.
    pub fn settings_resource(&self) -> Resource {
        self.resource.accounted()
    }

    /// The document as a draft; `packed`: its packed text, if that is written already.
    pub fn draft(&self, address: &str, packed: Option<String>) -> Draft {
        let is_large = is_large(&self.document.scenario);
        let pack = || link::encode_within_limit(&self.document.scenario).filter(|_| is_large);
        let states = if is_large { Vec::new() } else { self.document.history.kept() };
        Draft {
            scenario: packed.or_else(pack).unwrap_or_else(|| document::to_json(&self.document.scenario)),
            cycle: self.playback.cursor,
            selection: self.selection.as_ref().map(Selection::to_text).unwrap_or_default(),
            dismissed: (*self.document.dismissed).clone(),
            address: address.to_string(),
            text: self.document.unread.as_deref().unwrap_or_default().to_string(),
            states: states.into_iter().map(|(line, of)| (line, of.clone())).collect(),
        }
    }

    /// A unique number for a notice, request or draft.
    pub(crate) fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Replaces the document and everything derived from the previous one; ends a lesson.
    pub(crate) fn take(&mut self, opened: Opened) {
        if let Some(playing) = self.lesson.take() {
            self.view = playing.before.layout(&self.view);
        }
        let Opened {
            document,
            moment: document::Moment { cycle, decision, selection, view, pool, why, note, control, kept },
            rules,
        } = opened;
        let explains = selection.is_some() || document.origin == Origin::Link;
        self.view.opened(view, explains);
        (self.view.pool, self.view.control) = (pool, control);
        if why {
            self.view.panel = Panel::Why;
        }
        self.document = document;
        self.playback = Playback { cursor: cycle, decision, speed: self.playback.speed, ..Playback::default() };
        (self.selection, self.auto_selected) = (selection, false);
        self.moment = Displayed::default();
        self.branches = Branches::default();
        self.comparison = Comparison::default();
        self.branches.kept = Kept::of_link(&kept, &self.document.scenario);
        if self.branches.kept.runs.len() < kept.len() {
            self.put_notice("A kept run of this link does not fit its scenario, and is left out.".to_string());
        }
        self.warn_of_rules(rules);
        self.show_note(&note);
    }

    /// Shows the sender's note on the moment of a link.
    fn show_note(&mut self, note: &str) {
        if !note.is_empty() {
            self.put_notice(format!("Note in this link: {note}"));
        }
    }

    /// Warns that a link was made with another version of the rules.
    fn warn_of_rules(&mut self, rules: u32) {
        if rules != RULES {
            self.put_notice(format!(
                "This link was made with another version of the rules ({rules}; this page has {RULES}): what happens here may \
                 differ from what its sender saw."
            ));
        }
    }

    fn put_notice(&mut self, text: String) {
        let id = self.fresh_id();
        let notices = Arc::make_mut(&mut self.notices);
        notices.retain(|notice| notice.text != text);
        notices.push(Notice { id, is_problem: false, text, action: None });
    }
}

/// The latest request of each kind; replies to earlier ones are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InFlight {
    /// The displayed moment; what is asked about it afterwards has higher numbers.
    pub frame: u64,
    /// Report on a known moment.
    pub report: u64,
    pub rules: u64,
    /// Cancellation that has no reply yet.
    pub cancel: u64,
    /// Next event.
    pub event: u64,
    pub import: u64,
    /// Table of the whole run.
    pub csv: u64,
    /// Packed form of a large scenario.
    pub packed: u64,
    pub export: u64,
    pub kit: u64,
    /// What would help a job.
    pub help: u64,
    pub translation: u64,
    pub comparison: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub id: u64,
    /// Reports a problem.
    pub is_problem: bool,
    pub text: String,
    /// Label and command of a button.
    pub action: Option<(String, Command)>,
}

/// Largest number of notices.
const NOTICES_MAX: usize = 3;

pub(crate) fn notify(
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

/// Sends a request and returns its number.
pub(crate) fn send(model: &mut Model, body: Request, fx: &mut Vec<Effect>) -> u64 {
    let generation = model.fresh_id();
    fx.push(Effect::Send(Message { generation, body }));
    generation
}
