//! Commands: all changes of the model.

use fairground::moment::EventKind;
use fairground::scenario::{Fix, Path, Scenario};
use fairground::units::ShownResource;
use fairground::words::Selection;

use super::document::draft::Draft;
use super::document::{Change, Opened, ValidValue};
use super::layout::options::{EventSubject, GanttMove};
use super::layout::width_class::WidthClass;
use super::lesson::step::{LessonStep, RecordStep};
use crate::engine::protocol::{FileBytes, ImportOptions, Message, Response, Stop};
use crate::state::branches::Others;
use crate::state::layout::options::{Dialog, KeySet, NowView, Panel, Presenting, SetupTab, Theme};

/// The owner of the model.
pub trait Dispatch: Copy + 'static {
    /// Applies a command to the model.
    fn dispatch(self, command: Command);
}

/// A change of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Opens a document in place of the current one, which stays in the drafts if it was changed.
    Open(Box<Opened>),
    /// Opens, plays or leaves a lesson.
    Lesson(LessonStep),
    /// Records a lesson.
    Record(RecordStep),
    /// Sets a value if it is valid; else a notice says why not.
    Set {
        at: Path,
        /// Empty: unset.
        value: String,
    },
    /// Sets a value that was checked in its field.
    SetValid(Box<ValidValue>),
    /// Shows a slider for a setting, or removes it.
    TryOut(Option<Path>),
    /// Shows the outcome of a value being typed or stepped; the document stays unchanged.
    Preview {
        at: Path,
        /// Text of the value.
        value: String,
    },
    /// Keeps the current run for comparison.
    KeepRun,
    /// Compares the current run with the kept one of this letter, or with none.
    CompareWith(Option<char>),
    /// Removes the kept run of this letter.
    RemoveRun(char),
    /// Ends editing without a change.
    PreviewEnd,
    /// Hides the baseline of the last edit.
    ForgetBaseline,
    /// Ends a gesture because its control lost the focus.
    GestureEnd,
    /// Replaces the scenario by one edited as text; its shape is known to be valid.
    SetText(Box<Scenario>),
    /// Stores the scenario's text while it cannot be parsed; `None`: discards it.
    Unread(Option<String>),
    Change(Change),
    /// Applies the fix of a finding.
    Fix(Box<Fix>),
    /// Dismisses a warning by its key.
    Dismiss(String),
    /// Undoes the last change.
    Undo,
    /// Redoes the last undone change.
    Redo,
    /// Writes a note on the moment under the cursor; empty: removes it.
    Remark(String),
    /// Restores the earlier state of this time, as a new edit.
    GoBackTo(u64),
    /// Packs a large scenario, to be saved.
    Pack,
    /// Opens a draft that takes long to read.
    OpenDraft {
        /// Id in the storage.
        id: String,
        draft: Box<Draft>,
    },
    /// Restores original names from a list of renamed ones.
    RestoreNames(String),
    GoTo(u32),
    GoToMoment(i64),
    /// Goes one cycle forward.
    Step,
    /// Goes one cycle back.
    Back,
    /// Goes to the next or previous decision within a cycle.
    StepDecision {
        back: bool,
    },
    /// Goes to the end of the next or previous action within a cycle.
    Action {
        back: bool,
    },
    /// Goes to the next or previous event, of the selection if there is one.
    NextEvent {
        back: bool,
    },
    /// Plays or pauses.
    Play(bool),
    /// Plays faster (+1) or slower (−1).
    Speed(i32),
    /// Advances playback by one tick.
    Tick,
    /// Runs until a moment.
    RunUntil(i64),
    /// Runs until a condition is met, and reports why the run stopped.
    RunTo(Stop),
    /// Shows or hides a kind of event in the lane; jumps skip hidden kinds.
    ShowEvents(EventKind, bool),
    /// Chooses the subject of the events that jumps stop at.
    EventsOf(EventSubject),
    /// Goes to a cycle and selects the range from the cursor, or extends a range that ends there; `None`: clears the
    /// range.
    Mark(Option<u32>),
    /// Stops the current task.
    Cancel,
    /// Restarts the engine if it has not replied to this [`Command::Cancel`]: it is within a long cycle.
    EndEngine(u64),
    Select(Option<Selection>),
    /// Looks for changes that would help a pending job.
    Suggest(String),
    /// Chooses the resource of all charts.
    Resource(ShownResource),
    /// Chooses the colour theme.
    Theme(Theme),
    /// Chooses the modifier of character keys.
    Keys(KeySet),
    /// Chooses the view of NOW.
    ShowView(NowView),
    /// Chooses the node pool whose numbers are shown; empty: all.
    ShowPool(String),
    /// Unfolds the rule and all numbers of an explanation.
    ShowAllNumbers(bool),
    /// Moves the window of the Gantt chart.
    Gantt(GanttMove),
    /// Applies edits from the cursor on, or from the start.
    EditLater(bool),
    Tab(SetupTab),
    /// Shows the form of a queue, node group or job in place of the table; `None`: the table.
    Detail(Option<Path>),
    /// Shows a panel on narrow screens.
    Panel(Panel),
    Dialog(Option<Dialog>),
    /// Records the use of a palette entry.
    Used(String),
    Why(bool),
    /// Folds a panel to its rail, or opens it, manually.
    Fold(Panel, bool),
    /// The width of the window allows another arrangement of panels.
    WidthClass(WidthClass),
    /// Sets the width of SETUP, in pixels.
    SetupWidth(u16),
    /// Sets the width of WHY, in pixels.
    WhyWidth(u16),
    /// Hides or shows the children of a queue.
    FoldQueue(String, bool),
    /// Presents the page to a room, blacks it out, or ends that.
    Present(Presenting),
    /// Closes the line under the title.
    CloseNote,
    /// Hides the chips of the start scenario after one was used.
    ChipsUsed,
    /// A reply of the engine arrived.
    Replied(Box<Message<Response>>),
    EngineDied,
    /// Translates the scenario to a policy.
    Policy(String),
    /// Shows the current run beside others.
    Compare(Others),
    /// Reads files that were dropped, pasted or chosen.
    Import {
        /// Name and content.
        files: Vec<(String, FileBytes)>,
        options: ImportOptions,
    },
    /// Opens the imported scenario.
    TakeImport {
        /// Then runs it until this moment.
        run_until_ms: Option<i64>,
    },
    /// Reloads the current scheduler's configuration from the imported files at the displayed moment.
    ReloadImport,
    /// Discards the import.
    DropImport,
    /// Shows a notice.
    Notify {
        is_problem: bool,
        text: String,
    },
    CloseNotice(u64),
    /// Copies the link of the current moment.
    Share,
    /// Downloads the run as a table: either all events or the amounts of queues.
    DownloadCsv {
        is_of_events: bool,
    },
    /// Downloads the scenario file.
    Download,
    /// Requests a virtual cluster with the real scheduler.
    Kit,
    /// Focuses the field of a value.
    FocusField(Path),
    /// Changes the state of a node from the cursor on.
    NodeState {
        node: String,
        /// `down`, `draining` or `ready`.
        state: &'static str,
    },
    /// Another tab has this draft open: continues with a copy, under this id if there are unsaved changes.
    OwnCopy(Option<String>),
}
