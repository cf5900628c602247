//! The complete state of the page as plain data. Uses neither signals nor the browser.

use fairground::units::{Resource, ShownResource};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fairground::link::RULES;
use fairground::scenario::{Diagnostic, Scalar, Scenario, Severity};
use fairground::words::{Ladder, Order, Selection};

use crate::engine::protocol::{BranchId, Compared, Exported, Frame, Rulebook, Run, Stop};
use crate::engine::report::Report;
use crate::state::branches::baseline::Baseline;
use crate::state::branches::kept_run::Kept;
use crate::state::branches::shown::Shown;
use crate::state::branches::what_if::Help;
use crate::state::document::history::History;
use crate::state::document::opened::{Opened, Origin};
use crate::state::document::translated::Translated;
use crate::state::document::{self, Checked};
use crate::state::import::{Import, KitState, Pieces};
use crate::state::in_flight::InFlight;
use crate::state::layout::options::Panel;
use crate::state::layout::view::View;
use crate::state::lesson::playing::Playing;
use crate::state::lesson::progress::Progress;
use crate::state::moment::event_filter::EventSubject;
use crate::state::notice::Notice;
use crate::state::playback::engine_state::EngineState;

/// The complete state of the page.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Time in milliseconds; set before every command.
    pub clock_ms: u64,
    pub scenario: Arc<Scenario>,
    /// Findings of `check` on the document.
    pub findings: Arc<Vec<Diagnostic>>,
    /// Dismissed warnings, by code and path.
    pub dismissed: Arc<BTreeSet<String>>,
    pub origin: Origin,
    /// Unchanged since it was opened.
    pub pristine: bool,
    /// Id of the draft; `None` until the document is changed.
    pub draft: Option<String>,
    pub history: History,
    /// The requested cycle.
    pub cursor: u32,
    /// The last computed frame.
    pub frame: Option<Arc<Frame>>,
    /// Number of decisions of the cycle that are shown; `None`: all.
    pub decision: Option<u32>,
    /// Policy and interval of the current run, which determine the times of its cycles.
    pub pace: Option<(String, Option<Scalar>)>,
    /// The frame in flight was requested by its time.
    pub keeps_time: bool,
    /// Show the frame in flight after its first action.
    pub then_first_action: bool,
    /// The frame within the cycle, if `decision` is set.
    pub shown: Option<Arc<Frame>>,
    /// `frame` belongs to a scenario before the last edit.
    pub stale: bool,
    /// What charts show of other runs.
    pub branches: BTreeMap<BranchId, Shown>,
    /// The outcome before the last edit.
    pub baseline: Option<Arc<Baseline>>,
    /// Runs kept for comparison.
    pub kept: Kept,
    /// The outcome before the last edit, whose effect the line under the header tells instead of that of the cycle.
    pub told_edit: Option<Arc<Baseline>>,
    /// Summary of the run.
    pub run: Option<Arc<Run>>,
    /// Explanation of the selected queue's fair share.
    pub ladder: Option<Arc<Ladder>>,
    /// The serving order around the selection.
    pub order: Option<Arc<Order>>,
    /// The rule book of the policy, once it was requested.
    pub rules: Option<Arc<Rulebook>>,
    /// The report on the whole run, for views that show more than a moment.
    pub report: Option<Arc<Report>>,
    /// The stop condition of the current run.
    pub stop: Option<Stop>,
    /// Changes that would help a job.
    pub help: Option<Arc<Help>>,
    /// The scenario as edited text that cannot be parsed yet.
    pub unread: Option<Arc<str>>,
    pub selection: Option<Selection>,
    /// The page made the selection, not the visitor.
    pub auto_selected: bool,
    /// The resource of charts.
    pub resource: ShownResource,
    pub engine: EngineState,
    /// The engine has started.
    pub has_engine: bool,
    pub in_flight: InFlight,
    pub playing: bool,
    /// Index into [`SPEEDS`].
    pub speed: usize,
    /// The layout of the page; never part of the document.
    pub view: View,
    /// Newest last.
    pub notices: Arc<Vec<Notice>>,
    /// Number of deaths of the engine since its last reply.
    pub deaths: u32,
    /// Time of the last announced step.
    pub announced_ms: u64,
    /// Next number of a notice or request.
    pub next_id: u64,
    /// The lesson that is played.
    pub lesson: Option<Box<Playing>>,
    /// How far lessons were played on this device.
    pub lessons: Arc<Progress>,
    /// The import preview.
    pub import: Option<Arc<Import>>,
    /// Pieces of the imported scenario that arrived before the rest.
    pub pieces: Pieces,
    /// The scenario that is being translated to another policy.
    pub translating: Option<Arc<Scenario>>,
    /// Notes of the last change of the policy.
    pub translated: Option<Arc<Translated>>,
    /// Finished runs of the comparison.
    pub compared: Arc<Vec<Compared>>,
    /// Number of runs in the comparison.
    pub to_compare: usize,
    /// Caption and cycle of the comparison's current run.
    pub comparing: Option<(String, u32)>,
    /// The configuration that the scenario was imported from.
    pub original: Option<Arc<str>>,
    /// The scenario in a format of its scheduler, once requested.
    pub exported: Option<Arc<Exported>>,
    /// An export is in progress.
    pub exporting: bool,
    /// The scenario as a virtual cluster.
    pub kit: KitState,
}

impl Model {
    /// The state of a newly opened document, before any response of the engine.
    pub fn new(opened: Opened) -> Model {
        let mut model =
            Model { resource: ShownResource::GPU, speed: 1, next_id: 1, view: View::new(), ..Model::default() };
        model.take(opened);
        model
    }

    /// The scenario with its findings.
    pub fn checked(&self) -> Checked {
        Checked { scenario: self.scenario.clone(), findings: self.findings.clone() }
    }

    /// Whether the scenario has errors and cannot run.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|d| d.severity == Severity::Error)
    }

    /// The resource whose settings are shown.
    pub fn settings_resource(&self) -> Resource {
        self.resource.accounted()
    }

    /// A unique number for a notice, request or draft.
    pub(crate) fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Drops the preview and ignores its replies in flight.
    pub(crate) fn drop_preview(&mut self) {
        self.branches.remove(&BranchId::Preview);
    }

    /// Replaces the document and everything derived from the previous one; ends a lesson.
    pub(crate) fn take(&mut self, opened: Opened) {
        if let Some(playing) = self.lesson.take() {
            self.view = playing.before.layout(&self.view);
        }
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
        self.then_first_action = false;
        self.shown = None;
        self.view.now = opened.moment.view.unwrap_or(self.view.now);
        self.branches.clear();
        self.baseline = None;
        self.kept = Kept::default();
        self.told_edit = None;
        self.run = None;
        self.ladder = None;
        self.report = None;
        self.view.gantt.first = 0;
        self.view.event_subject = EventSubject::default();
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
