//! The model of the page: plain data and one function that changes it. No signals, no browser.
//!
//! [`update`] takes a [`Command`] and returns [`Effect`]s, which are data too; the edge of the page carries them
//! out. Shared parts are behind `Arc`, so that the page can compare and hand them out cheaply.

mod asking;
pub mod before;
pub mod command;
pub mod document;
pub mod dominant;
pub mod draft;
pub mod edit;
pub mod embed;
pub mod help;
pub mod history;
pub mod ideas;
mod imports;
pub mod inside;
pub mod kinds;
pub mod ladder;
pub mod later;
pub mod nodes;
mod order;
mod replies;
pub mod requests;
mod room;
mod rules;
mod step;
pub mod table;
pub mod tell;
mod translate;
pub mod tree;
mod update;

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::link::RULES;
use fairground::scenario::{Diagnostic, Path, Scalar, Scenario, Severity};

use crate::engine::protocol::{Frame, Rulebook, Run, Stop};
use crate::engine::story::Story;
pub use before::Before;
pub use command::{
    Change, Command, Dialog, Effect, KeySet, NowView, Panel, RequestKind, SetupTab, Shift, Theme,
};
pub use document::{Opened, Origin};
pub use embed::Embed;
pub use fairground::words::{Selection, Terms, terms};
pub use history::History;
pub use imports::PASTED;
use kinds::Kinds;
pub use ladder::Ladder;
pub use later::mistake;
pub use order::Order;
pub use room::Room;
pub use translate::Translated;
pub use update::{begin, update};

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
    pub inside: Option<u32>,
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
    pub ghost: Option<Arc<Frame>>,
    /// A later ghost than that is on its way.
    pub awaits_ghost: bool,
    /// How the explained fair share would come about there.
    pub ghost_ladder: Option<Arc<Ladder>>,
    /// The run of the scenario as it is being edited, in short.
    pub ghost_run: Option<Arc<Run>>,
    /// What that run has to tell, as the present view wants it told.
    pub ghost_story: Option<Arc<Story>>,
    /// How it was before the last edit.
    pub before: Option<Arc<Before>>,
    /// The run in short.
    pub run: Option<Arc<Run>>,
    /// How the selected queue's fair share came about.
    pub ladder: Option<Arc<Ladder>>,
    /// In which order what is selected and those beside it are looked at next.
    pub order: Option<Arc<Order>>,
    /// The rules of the policy, once somebody looked one up.
    pub rules: Option<Arc<Rulebook>>,
    /// What was told of the whole run, for views that show more than a moment.
    pub story: Option<Arc<Story>>,
    /// What the run is to stop at.
    pub stop: Option<Stop>,
    /// What would help a job.
    pub help: Option<Arc<help::Help>>,
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
    /// Requests that are under way.
    pub asked: Asked,
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
    /// Its queues as its scheduler reads them, once that was asked for.
    pub exported: Option<Arc<crate::engine::protocol::Exported>>,
}

/// The narrowest and the widest SETUP, in pixels.
pub const SETUP_WIDTHS: (u16, u16) = (352, 640);

/// The narrowest and the widest WHY, in pixels.
pub const WHY_WIDTHS: (u16, u16) = (280, 560);

/// Cycles per second while playing.
pub const SPEEDS: [f64; 8] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Whether and how the engine works.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineState {
    /// Not there yet.
    #[default]
    Starting,
    /// Waits for questions.
    Idle,
    /// Computes; how far it came, once that is known.
    Working(Option<Progress>),
    /// The scenario cannot run.
    Refused(Arc<Vec<String>>),
    /// It stopped working and a fresh one takes over; at which cycle.
    Died(u32),
    /// It stopped working twice in a row.
    Dead(u32),
}

/// How far a long run came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Cycle reached.
    pub cycle: u32,
    /// Time reached.
    pub time_ms: i64,
    /// Part of the whole, 0 to 1.
    pub part: Option<f64>,
    /// Since when, on the model's clock.
    pub since_ms: u64,
}

/// The latest request of each kind; replies to earlier ones are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Asked {
    /// For a frame.
    pub frame: u64,
    /// For a ghost.
    pub ghost: u64,
    /// For what the run before the last edit has to tell.
    pub before: u64,
    /// Ghosts of later requests than this are of the value that is being changed: each that comes is shown.
    pub ghost_from: u64,
    /// For a ladder.
    pub ladder: u64,
    /// For an order.
    pub order: u64,
    /// For the rules of a policy.
    pub rules: u64,
    /// For what a rule did in a cycle.
    pub rule_use: u64,
    /// For the end of what is under way, as long as that is not answered.
    pub cancel: u64,
    /// For the next event.
    pub event: u64,
    /// For an import.
    pub import: u64,
    /// For an export.
    pub export: u64,
    /// For what would help.
    pub help: u64,
    /// For what is told of the whole run.
    pub story: u64,
    /// For a translation.
    pub translation: u64,
    /// For a comparison.
    pub comparison: u64,
}

/// What the page looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Colours.
    pub theme: Theme,
    /// The tab of SETUP.
    pub tab: SetupTab,
    /// The panel that narrow screens show.
    pub panel: Panel,
    /// What NOW shows.
    pub now: NowView,
    /// Edits hold from the cursor on, where it is not at the start.
    pub edits_later: bool,
    /// What Gantt shows.
    pub gantt: tell::GanttLook,
    /// An open dialog.
    pub dialog: Option<Dialog>,
    /// WHY is open where it is not always there.
    pub why_open: bool,
    /// It was closed by hand: it opens when something is selected, not by itself.
    pub why_closed: bool,
    /// SETUP is folded away.
    pub setup_folded: bool,
    /// NOW is folded away.
    pub now_folded: bool,
    /// The timeline is folded away; the transport stays.
    pub time_folded: bool,
    /// Whether it was last opened by hand; `None`: it was neither opened nor folded by hand.
    pub setup_by_hand: Option<bool>,
    /// The room for panels.
    pub room: Room,
    /// How wide SETUP is, in pixels; 0: as wide as the stylesheet says.
    pub setup_width: u16,
    /// How wide WHY is where it has a column of its own, in pixels; 0: as wide as the stylesheet says.
    pub why_width: u16,
    /// The chips of the start scenario are still offered.
    pub chips: bool,
    /// The line under the title was closed.
    pub note_closed: bool,
    /// The queue, nodes or job whose form stands in place of the table.
    pub detail: Option<Path>,
    /// Queues whose children are hidden.
    pub folded: Arc<BTreeSet<String>>,
    /// Kinds of events that the lane leaves out and jumps pass over.
    pub without: Kinds,
    /// Whose events jumps stop at.
    pub whose: kinds::Whose,
    /// The marked range of cycles: where it was begun, and its other end.
    pub range: Option<(u32, u32)>,
    /// Lines of the palette that were used last.
    pub recent: Arc<Vec<String>>,
    /// How keys that type a character are pressed.
    pub keys: KeySet,
    /// The page is part of another page, with these switches.
    pub embed: Option<Embed>,
}

impl View {
    /// Whether a panel is folded to its rail.
    pub fn is_folded(&self, panel: Panel) -> bool {
        match panel {
            Panel::Now => self.now_folded,
            Panel::Setup => self.setup_folded,
            Panel::Why => !self.why_open,
            Panel::Time => self.time_folded,
        }
    }

    /// SETUP, where it is not folded away, shows the tree of queues: their names need not stand at the bars.
    pub fn has_tree(&self) -> bool {
        self.tab == SetupTab::Queues && self.detail.is_none()
    }
}

/// A line that tells what happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Its number.
    pub id: u64,
    /// Something went wrong.
    pub is_problem: bool,
    /// The line.
    pub text: String,
    /// What can be done: what the button says, and what it does.
    pub action: Option<(String, Command)>,
}

/// What was recognised in dropped or pasted files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The files: name and text.
    pub files: Vec<(String, String)>,
    /// The choices it was read with.
    pub options: crate::engine::protocol::ImportOptions,
    /// Still being read.
    pub reading: bool,
    /// The scenario (format 1, JSON).
    pub scenario: Option<String>,
    /// The moment of a link.
    pub moment: Option<document::Moment>,
    /// What was understood.
    pub understood: Vec<String>,
    /// What was assumed.
    pub assumed: Vec<String>,
    /// What was ignored.
    pub ignored: Vec<String>,
    /// What is wrong.
    pub findings: Vec<String>,
    /// It is a trace: nodes, quota scale and policy can be chosen.
    pub is_trace: bool,
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
            inside: None,
            pace: None,
            by_time: false,
            to_action: false,
            shown: None,
            stale: false,
            ghost: None,
            awaits_ghost: false,
            ghost_ladder: None,
            ghost_run: None,
            ghost_story: None,
            before: None,
            run: None,
            ladder: None,
            order: None,
            rules: None,
            story: None,
            stop: None,
            help: None,
            unread: None,
            selection: None,
            auto_selected: false,
            resource: 2,
            engine: EngineState::Starting,
            asked: Asked::default(),
            playing: false,
            speed: 1,
            view: View::default(),
            notices: Arc::default(),
            deaths: 0,
            announced_ms: 0,
            next_id: 1,
            import: None,
            translating: None,
            translated: None,
            compared: Arc::default(),
            to_compare: 0,
            comparing: None,
            original: None,
            exported: None,
        }
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

    /// The resource that is explained for the selected queue: 0 cpu, 1 memory, 2 gpu.
    pub fn explained_resource(&self) -> u8 {
        let Some((frame, 3)) = self.frame.as_ref().zip(Some(self.resource)) else {
            return self.resource.min(2);
        };
        let queue = ladder::ladder_queue(self, frame);
        let row = queue.and_then(|name| frame.queues.iter().find(|row| row.name == name));
        row.map_or(2, |row| dominant::resource_of(&row.allocated, &row.request, &frame.total))
    }

    /// The number of a thing of which there is one at a time.
    pub(crate) fn fresh_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Nothing is being tried out any more; what was asked for that is no longer of interest.
    pub(crate) fn drop_ghost(&mut self) {
        self.ghost = None;
        self.ghost_ladder = None;
        self.ghost_run = None;
        self.ghost_story = None;
        self.awaits_ghost = false;
        self.asked.ghost_from = self.fresh_id();
        self.asked.ghost = self.asked.ghost_from;
    }

    /// Makes a document the present one; what was shown before is gone.
    pub(crate) fn take(&mut self, opened: Opened) {
        self.scenario = opened.scenario;
        self.findings = Arc::new(document::findings(&self.scenario));
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
        self.inside = opened.moment.decision;
        self.to_action = false;
        self.shown = None;
        self.view.now = opened.moment.view.unwrap_or(self.view.now);
        self.drop_ghost();
        self.before = None;
        self.run = None;
        self.ladder = None;
        self.story = None;
        self.view.gantt.first = 0;
        self.view.whose = kinds::Whose::default();
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
        self.tell_rules(opened.rules);
    }

    /// Says that a link was made with another version of the rules.
    fn tell_rules(&mut self, rules: u32) {
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

impl Default for View {
    fn default() -> View {
        View {
            theme: Theme::System,
            tab: SetupTab::Queues,
            panel: Panel::Now,
            now: NowView::Shares,
            edits_later: false,
            gantt: tell::GanttLook::default(),
            dialog: None,
            why_open: true,
            why_closed: false,
            setup_folded: false,
            now_folded: false,
            time_folded: false,
            setup_by_hand: None,
            room: Room::default(),
            setup_width: 0,
            why_width: 0,
            chips: true,
            note_closed: false,
            detail: None,
            folded: Arc::default(),
            without: Kinds::default(),
            whose: kinds::Whose::default(),
            range: None,
            recent: Arc::default(),
            keys: KeySet::Plain,
            embed: None,
        }
    }
}
