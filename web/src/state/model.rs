//! Everything the page knows: plain data. No signals, no browser.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::link::RULES;
use fairground::scenario::{Diagnostic, Scalar, Scenario, Severity};
use fairground::words::{Ladder, Order, Selection};

use crate::engine::protocol::{Frame, Rulebook, Run, Stop};
use crate::engine::report::Report;
use crate::state::branches::baseline::Baseline;
use crate::state::branches::kept_run::Kept;
use crate::state::branches::what_if::Help;
use crate::state::document::history::History;
use crate::state::document::opened::{Opened, Origin};
use crate::state::document::translated::Translated;
use crate::state::document::{self, Checked};
use crate::state::import::{Import, KitState, Pieces};
use crate::state::in_flight::InFlight;
use crate::state::layout::options::Panel;
use crate::state::layout::view::View;
use crate::state::moment::event_filter::Whose;
use crate::state::notice::Notice;
use crate::state::playback::engine_state::EngineState;

/// Everything the page knows.
#[derive(Clone, Debug)]
pub struct Model {
    /// Milliseconds of some clock; set before every command.
    pub clock_ms: u64,
    /// The document.
    pub scenario: Arc<Scenario>,
    /// What `check` says about it.
    pub findings: Arc<Vec<Diagnostic>>,
    /// Warnings that were answered with *Keep, I mean it*, by code and place.
    pub dismissed: Arc<BTreeSet<String>>,
    /// Where the document came from.
    pub origin: Origin,
    /// Nothing was changed since it was opened.
    pub pristine: bool,
    /// Under which name the document is kept on this device; `None` until it was changed.
    pub draft: Option<String>,
    /// Undo and redo.
    pub history: History,
    /// The cycle that is wanted.
    pub cursor: u32,
    /// The moment under the cursor, as last computed.
    pub frame: Option<Arc<Frame>>,
    /// After how many decisions of the cycle; `None`: after all of them.
    pub decision: Option<u32>,
    /// Policy and interval of the present run: what says when its cycles come.
    pub pace: Option<(String, Option<Scalar>)>,
    /// The cycle that is on its way was asked for by its time.
    pub by_time: bool,
    /// The cycle that is on its way is to be shown after its first action.
    pub to_action: bool,
    /// The moment inside the cycle.
    pub shown: Option<Arc<Frame>>,
    /// `frame` belongs to a scenario before the last edit.
    pub stale: bool,
    /// The cursor's moment of the scenario as it is being edited.
    pub preview: Option<Arc<Frame>>,
    /// A later alternative than that is on its way.
    pub awaits_preview: bool,
    /// How the explained fair share would come about there.
    pub preview_ladder: Option<Arc<Ladder>>,
    /// The run of the scenario as it is being edited, in short.
    pub preview_run: Option<Arc<Run>>,
    /// What that run has to tell, as the present view wants it told.
    pub preview_report: Option<Arc<Report>>,
    /// How it was before the last edit.
    pub baseline: Option<Arc<Baseline>>,
    /// The runs that are kept to compare with.
    pub kept: Kept,
    /// The line under the header tells what the last edit did, not what the cycle decided.
    pub tells_edit: bool,
    /// The run in short.
    pub run: Option<Arc<Run>>,
    /// How the selected queue's fair share came about.
    pub ladder: Option<Arc<Ladder>>,
    /// In which order what is selected and those beside it are looked at next.
    pub order: Option<Arc<Order>>,
    /// The rules of the policy, once somebody looked one up.
    pub rules: Option<Arc<Rulebook>>,
    /// What was told of the whole run, for views that show more than a moment.
    pub report: Option<Arc<Report>>,
    /// What the run is to stop at.
    pub stop: Option<Stop>,
    /// What would help a job.
    pub help: Option<Arc<Help>>,
    /// The scenario as text that somebody began to change and that cannot be read yet.
    pub unread: Option<Arc<str>>,
    /// What is selected.
    pub selection: Option<Selection>,
    /// The page selected it, not a person.
    pub auto_selected: bool,
    /// What charts show: 0 cpu, 1 memory, 2 gpu, 3 each queue's dominant resource, from 4 on those that the scenario names.
    pub resource: u8,
    /// The engine.
    pub engine: EngineState,
    /// It was started and said so.
    pub has_engine: bool,
    /// Requests that are under way.
    pub in_flight: InFlight,
    /// Playing.
    pub playing: bool,
    /// Index into [`SPEEDS`].
    pub speed: usize,
    /// What the page looks like; never part of the document.
    pub view: View,
    /// Lines that tell what happened, newest last.
    pub notices: Arc<Vec<Notice>>,
    /// How often the engine stopped working since it last answered.
    pub deaths: u32,
    /// When a step was last announced.
    pub announced_ms: u64,
    /// Number of the next notice and of the next request.
    pub next_id: u64,
    /// What was recognised in dropped or pasted files.
    pub import: Option<Arc<Import>>,
    /// What of its scenario was received before the rest.
    pub pieces: Pieces,
    /// The scenario that is being put into the words of another policy.
    pub translating: Option<Arc<Scenario>>,
    /// What became of its settings when the policy was last changed.
    pub translated: Option<Arc<Translated>>,
    /// The same scenario under several policies, as far as the runs are over.
    pub compared: Arc<Vec<crate::engine::protocol::ColumnRow>>,
    /// How many runs there are to be.
    pub to_compare: usize,
    /// Which policy's run is under way for that, and at which cycle it is.
    pub comparing: Option<(String, u32)>,
    /// The configuration of another scheduler that the scenario came from.
    pub original: Option<Arc<str>>,
    /// It as its scheduler reads it, once that was asked for.
    pub exported: Option<Arc<crate::engine::protocol::Exported>>,
    /// Whether it is being written.
    pub exporting: bool,
    /// It as a virtual cluster with the real scheduler.
    pub kit: KitState,
}

impl Model {
    /// A model of a document, before the engine has said anything.
    pub fn new(opened: Opened) -> Model {
        let mut model = Model::empty();
        model.take(opened);
        model
    }

    fn empty() -> Model {
        Model {
            clock_ms: 0,
            scenario: Arc::default(),
            findings: Arc::default(),
            dismissed: Arc::default(),
            origin: Origin::Start,
            pristine: true,
            draft: None,
            history: History::default(),
            cursor: 0,
            frame: None,
            decision: None,
            pace: None,
            by_time: false,
            to_action: false,
            shown: None,
            stale: false,
            preview: None,
            awaits_preview: false,
            preview_ladder: None,
            preview_run: None,
            preview_report: None,
            baseline: None,
            kept: Kept::default(),
            tells_edit: false,
            run: None,
            ladder: None,
            order: None,
            rules: None,
            report: None,
            stop: None,
            help: None,
            unread: None,
            selection: None,
            auto_selected: false,
            resource: 2,
            engine: EngineState::Starting,
            has_engine: false,
            in_flight: InFlight::default(),
            playing: false,
            speed: 1,
            view: View::default(),
            notices: Arc::default(),
            deaths: 0,
            announced_ms: 0,
            next_id: 1,
            import: None,
            pieces: Pieces::default(),
            translating: None,
            translated: None,
            compared: Arc::default(),
            to_compare: 0,
            comparing: None,
            original: None,
            exported: None,
            exporting: false,
            kit: KitState::None,
        }
    }

    /// The scenario with its findings.
    pub fn checked(&self) -> Checked {
        Checked { scenario: self.scenario.clone(), findings: self.findings.clone() }
    }

    /// Whether the scenario cannot run.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|d| d.severity == Severity::Error)
    }

    /// The resource whose settings are shown: 0 cpu, 1 memory, 2 gpu.
    pub fn settings_resource(&self) -> u8 {
        self.resource.min(2)
    }

    /// The resource in which things are counted that cannot be counted in each queue's own: by its index.
    pub fn counted_resource(&self) -> u8 {
        match self.resource {
            3 => 2,
            named if named > 3 => named - 1,
            own => own,
        }
    }

    /// The number of a thing of which there is one at a time.
    pub(crate) fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Nothing is being tried out any more; what was asked for that is no longer of interest.
    pub(crate) fn drop_preview(&mut self) {
        self.preview = None;
        self.preview_ladder = None;
        self.preview_run = None;
        self.preview_report = None;
        self.awaits_preview = false;
        self.in_flight.preview_from = self.fresh_id();
        self.in_flight.preview = self.in_flight.preview_from;
    }

    /// Makes a document the present one; what was shown before is gone.
    pub(crate) fn take(&mut self, opened: Opened) {
        self.findings = opened.findings.unwrap_or_else(|| Arc::new(document::findings(&opened.scenario)));
        self.scenario = opened.scenario;
        self.dismissed = opened.dismissed;
        self.origin = opened.origin;
        self.pristine = true;
        self.draft = opened.draft;
        self.history = opened.history;
        self.unread = opened.unread;
        self.cursor = opened.moment.cycle;
        self.selection = opened.moment.selection;
        self.auto_selected = false;
        self.frame = None;
        self.decision = opened.moment.decision;
        self.to_action = false;
        self.shown = None;
        self.view.now = opened.moment.view.unwrap_or(self.view.now);
        self.drop_preview();
        self.baseline = None;
        self.kept = Kept::default();
        self.tells_edit = false;
        self.run = None;
        self.ladder = None;
        self.report = None;
        self.view.gantt.first = 0;
        self.view.whose = Whose::default();
        self.view.range = None;
        self.view.edits_later = false;
        self.help = None;
        self.stale = false;
        self.playing = false;
        self.view.note_closed = false;
        self.view.why_open |= self.selection.is_some() || matches!(self.origin, Origin::Link);
        self.view.folded = Arc::default();
        self.view.detail = None;
        if opened.moment.why {
            self.view.panel = Panel::Why;
        }
        self.warn_of_rules(opened.rules);
        self.show_note(&opened.moment.note);
    }

    /// Shows what the sender of a link says about its moment.
    fn show_note(&mut self, note: &str) {
        if note.is_empty() {
            return;
        }
        let id = self.fresh_id();
        let text = format!("Note in this link: {note}");
        let notices = Arc::make_mut(&mut self.notices);
        notices.retain(|notice| notice.text != text);
        notices.push(Notice { id, is_problem: false, text, action: None });
    }

    /// Says that a link was made with another version of the rules.
    fn warn_of_rules(&mut self, rules: u32) {
        if rules == RULES {
            return;
        }
        let text = format!(
            "This link was made with another version of the rules ({rules}; this page has {RULES}): what happens here may \
             differ from what its sender saw."
        );
        let id = self.fresh_id();
        let notices = Arc::make_mut(&mut self.notices);
        notices.retain(|notice| notice.text != text);
        notices.push(Notice { id, is_problem: false, text, action: None });
    }
}
