//! What can be asked of the model, and what it asks of the world.

use fairground::moment::Kind;
use fairground::scenario::{Fix, Path, Scenario};
use fairground::words::Selection;

use super::document::draft::Draft;
use super::document::opened::Opened;
use super::layout::gantt_window::GanttMove;
use super::layout::room::Room;
use super::moment::event_filter::Whose;
use crate::engine::protocol::{FileBytes, ImportOptions, Reply, Stop};
use crate::state::document::change::Change;
use crate::state::layout::options::{Dialog, KeySet, NowView, Panel, SetupTab, Theme};

/// What can be asked of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Opens a document in place of the present one, which stays in the drafts if it was changed.
    Open(Box<Opened>),
    /// A value was typed, chosen or stepped; it is known to be valid.
    Set {
        /// The place.
        at: Path,
        /// The new text; empty: unset.
        value: String,
    },
    /// A value is being typed or stepped; nothing changes yet.
    Preview {
        /// The place.
        at: Path,
        /// The text as it would be.
        value: String,
    },
    /// A value may be stepped to next: what it would come to is computed early, nothing is shown.
    Speculate {
        /// The place.
        at: Path,
        /// The text as it would be.
        value: String,
    },
    /// Keeps the present run, to compare with.
    KeepRun,
    /// Compares the present run with the kept one of this letter, or with none.
    CompareWith(Option<char>),
    /// Forgets the kept run of this letter.
    RemoveRun(char),
    /// Editing ended without a change.
    PreviewEnd,
    /// How it was before the last edit is no longer of interest.
    ForgetBaseline,
    /// A control lost the focus: its gesture is over.
    GestureEnd,
    /// The scenario was edited as text; its shape is known to be that of a scenario.
    SetText(Box<Scenario>),
    /// The scenario's text as it is being changed, which cannot be read yet; `None`: it is given up.
    Unread(Option<String>),
    /// A change of more than one value.
    Change(Change),
    /// A finding's own edit.
    Fix(Box<Fix>),
    /// *Keep, I mean it*: a warning's key.
    Dismiss(String),
    /// Takes the last change back.
    Undo,
    /// Makes it again.
    Redo,
    /// Writes a note on the moment under the cursor; empty: removes it.
    Remark(String),
    /// Goes back to the earlier state of this time, which is an edit of its own.
    GoBackTo(u64),
    /// Has a large scenario written, to be kept on the device.
    Pack,
    /// Opens a draft that takes long to be read.
    OpenDraft {
        /// Its name in the storage.
        id: String,
        /// The draft.
        draft: Box<Draft>,
    },
    /// Gives things back the names that a list of names says.
    RestoreNames(String),
    /// Goes to a cycle.
    GoTo(u32),
    /// Goes to a moment.
    GoToMoment(i64),
    /// Goes forward.
    Step,
    /// Goes back.
    Back,
    /// Goes to the next or previous decision, inside a cycle where there is one.
    StepDecision {
        /// Backwards.
        back: bool,
    },
    /// Goes to the end of the next or previous action, inside a cycle where there is one.
    Action {
        /// Backwards.
        back: bool,
    },
    /// Goes to the next or previous event, of the selection if there is one.
    NextEvent {
        /// Backwards.
        back: bool,
    },
    /// Plays or pauses.
    Play(bool),
    /// Plays faster (+1) or slower (−1).
    Speed(i32),
    /// The playing clock ticked.
    Tick,
    /// Runs until a moment.
    RunUntil(i64),
    /// Runs on until something happens, and says why it stopped.
    RunTo(Stop),
    /// Shows events of that kind in the lane and stops at them, or does not.
    ShowEvents(Kind, bool),
    /// Chooses whose events jumps stop at.
    EventsOf(Whose),
    /// Goes to a cycle and marks the range from where the cursor was, or from the other end of a range that ends there;
    /// `None`: no range is marked any more.
    Mark(Option<u32>),
    /// Stops what is going on.
    Cancel,
    /// Ends the engine if it has not answered that [`Command::Cancel`], whose number this is: it is inside of a long cycle.
    EndEngine(u64),
    /// Selects something, or nothing.
    Select(Option<Selection>),
    /// Tries what would help a job that waits.
    Help(String),
    /// Chooses the resource all charts show.
    Resource(u8),
    /// Chooses the colours.
    Theme(Theme),
    /// Chooses how keys that type a character are pressed.
    Keys(KeySet),
    /// Chooses what NOW shows.
    Look(NowView),
    /// Shows below Shares who is served first, or does not.
    Serving(bool),
    /// Moves the window of Gantt.
    Gantt(GanttMove),
    /// Edits hold from the cursor on, or from the start.
    EditLater(bool),
    /// Opens a tab of SETUP.
    Tab(SetupTab),
    /// Shows all values of a queue, of nodes or of a job in place of the table, or the table.
    Detail(Option<Path>),
    /// Shows a panel on narrow screens.
    Panel(Panel),
    /// Opens or closes a dialog.
    Dialog(Option<Dialog>),
    /// A line of the palette was used.
    Used(String),
    /// Opens or closes WHY.
    Why(bool),
    /// Folds or unfolds SETUP, by hand.
    FoldSetup(bool),
    /// Folds a panel to its rail, or opens it.
    Fold(Panel, bool),
    /// The window has another room for panels.
    Room(Room),
    /// Makes SETUP that wide, in pixels.
    SetupWidth(u16),
    /// Makes WHY that wide, in pixels.
    WhyWidth(u16),
    /// Hides or shows the children of a queue.
    FoldQueue(String, bool),
    /// Closes the line under the title.
    CloseNote,
    /// One of the start scenario's chips was used.
    ChipsUsed,
    /// The engine said something.
    Replied(Box<Reply>),
    /// The engine stopped working.
    EngineDied,
    /// Puts the scenario into the words of a policy.
    Policy(String),
    /// Runs the scenario under several policies, side by side.
    Compare {
        /// The simple ones, too.
        with_baselines: bool,
    },
    /// Reads files that were dropped, pasted or chosen.
    Import {
        /// Name and text of each.
        files: Vec<(String, FileBytes)>,
        /// Choices for traces.
        options: ImportOptions,
    },
    /// Takes what was recognised as the present document.
    TakeImport {
        /// Runs it until this moment at once.
        run_until_ms: Option<i64>,
    },
    /// Lets the scheduler of the present document read what was recognised at the moment shown.
    ReloadImport,
    /// Forgets what was recognised.
    DropImport,
    /// Tells a line.
    Notify {
        /// Something went wrong.
        is_problem: bool,
        /// The line.
        text: String,
    },
    /// Closes a notice.
    CloseNotice(u64),
    /// Copies the present moment's link.
    Share,
    /// Downloads the run as a table: all events, or what queues have.
    DownloadCsv {
        /// Whether it is of events.
        is_of_events: bool,
    },
    /// Downloads the scenario as a file.
    Download,
    /// Asks for a virtual cluster with the real scheduler.
    Kit,
    /// Asks for the queues as their scheduler reads them.
    Export(&'static str),
    /// Puts the focus on the field of a value.
    FocusField(Path),
    /// A node goes down, is drained or comes back at the cursor.
    NodeState {
        /// The node.
        node: String,
        /// `down`, `draining` or `ready`.
        state: &'static str,
    },
    /// Another tab has this draft open: the document goes on as a copy, under this name if it was changed here.
    OwnCopy(Option<String>),
}
