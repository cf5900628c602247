//! What can be asked of the model, and what it asks of the world.

use std::sync::Arc;

use fairground::scenario::{Edit, Fix, Path, Scenario};

use super::kinds::{Kind, Whose};
use super::room::Room;
use super::tell::GanttMove;
use super::{Opened, Selection};
use crate::engine::protocol::{Frame, ImportOptions, Reply, Request, Stop};

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
    Foresee {
        /// The place.
        at: Path,
        /// The text as it would be.
        value: String,
    },
    /// Editing ended without a change.
    PreviewEnd,
    /// How it was before the last edit is no longer of interest.
    ForgetBefore,
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
    /// Goes to a cycle.
    GoTo(u32),
    /// Goes forward.
    Step,
    /// Goes back.
    Back,
    /// Goes to the next or previous decision, inside a cycle where there is one.
    Inside {
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
        files: Vec<(String, String)>,
        /// Choices for traces.
        options: ImportOptions,
    },
    /// Takes what was recognised as the present document.
    TakeImport {
        /// Runs it until this moment at once.
        run_until_ms: Option<i64>,
    },
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
    /// Downloads the scenario as a file.
    Download,
    /// Asks for the queues as their scheduler reads them.
    Export,
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

/// A change of more than one value.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Edits in order, under one name.
    Edits {
        /// The name of the step.
        name: String,
        /// The edits.
        edits: Vec<Edit>,
    },
    /// Adds a queue below another, or on top.
    AddQueue {
        /// The parent.
        parent: Option<String>,
    },
    /// Copies a queue with its descendants.
    DuplicateQueue {
        /// Which.
        queue: String,
        /// Their jobs too.
        jobs: bool,
    },
    /// Moves a queue.
    MoveQueue {
        /// Which.
        queue: String,
        /// Where.
        to: Shift,
    },
    /// Removes a queue with its descendants and their jobs.
    RemoveQueue(String),
    /// Adds a group of nodes.
    AddNodes,
    /// Removes a group of nodes.
    RemoveNodes(String),
    /// Adds a job to a queue.
    AddJob {
        /// The queue; `None`: the selected one or the first leaf.
        queue: Option<String>,
    },
    /// Copies a job.
    DuplicateJob(String),
    /// Removes a job.
    RemoveJob(String),
    /// Adds pods of another kind to a job.
    AddPodSet(String),
    /// Sets how pods ask for GPUs, of a job or of a pod set.
    Request {
        /// The job or pod set.
        at: Path,
        /// How.
        kind: RequestKind,
    },
}

/// How a pod asks for GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// It asks for none.
    CpuOnly,
    /// Whole GPUs.
    Whole,
    /// A part of one GPU.
    Fraction,
    /// Memory of one GPU.
    Memory,
}

/// Where a queue is moved.
#[derive(Clone, Debug, PartialEq)]
pub enum Shift {
    /// Before its previous sibling.
    Up,
    /// After its next sibling.
    Down,
    /// Below another queue, or to the top.
    Under(Option<String>),
    /// Before another queue, as its sibling.
    Before(String),
}

/// What the model asks of the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Sends a question to the engine.
    Send(Request),
    /// Ends the engine and starts a fresh one.
    RestartEngine,
    /// Says [`Command::EndEngine`] after a moment.
    EndEngineSoon(u64),
    /// Keeps the document, soon.
    Save,
    /// Replaces the address, when it has been quiet for a while.
    SetUrl,
    /// Copies the link of the present moment, and says so.
    CopyLink,
    /// Offers the scenario as a file.
    DownloadScenario,
    /// Tells everybody who listens.
    Announce(String),
    /// Tells them what a step did, counting this resource.
    AnnounceStep(Arc<Frame>, u8),
    /// Tells them what an action of a cycle did, counting this resource.
    AnnounceAction(Arc<Frame>, u8),
    /// Tells them what an edit did, held against how it was before.
    AnnounceEdit,
    /// Tells them what the edit that is being made would do, once the value rests.
    AnnounceGhost,
    /// Keeps a switch of this device.
    Remember(&'static str, String),
    /// Sets the colours.
    Theme(Theme),
    /// Ticks every so many milliseconds, or not any more.
    Tick(Option<u32>),
    /// Puts the focus on the field of a value.
    FocusField(Path),
}

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The word that is kept and set on the page.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Reads [`Theme::name`].
    pub fn from_name(name: &str) -> Theme {
        match name {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::System,
        }
    }
}

/// How the keys that type a character are pressed: letters, digits and signs, which voices and stray hands can press
/// by accident. Arrows, Space and keys with Ctrl stay what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySet {
    /// Alone.
    #[default]
    Plain,
    /// With Alt.
    Alt,
    /// Not at all.
    Off,
}

impl KeySet {
    /// All of them.
    pub const ALL: [KeySet; 3] = [KeySet::Plain, KeySet::Alt, KeySet::Off];

    /// The word that is kept.
    pub fn name(self) -> &'static str {
        match self {
            KeySet::Plain => "plain",
            KeySet::Alt => "alt",
            KeySet::Off => "off",
        }
    }

    /// Reads [`KeySet::name`].
    pub fn from_name(name: &str) -> KeySet {
        KeySet::ALL.into_iter().find(|set| set.name() == name).unwrap_or_default()
    }

    /// What people choose.
    pub fn says(self) -> &'static str {
        match self {
            KeySet::Plain => "Letters, digits and signs alone",
            KeySet::Alt => "Letters, digits and signs with Alt",
            KeySet::Off => "No letters, digits and signs",
        }
    }
}

/// Tabs of SETUP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupTab {
    /// The tree of queues.
    Queues,
    /// Groups of nodes.
    Nodes,
    /// Jobs.
    Work,
    /// The policy and its switches.
    Rules,
    /// All of it as text.
    Text,
}

/// What NOW shows above the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NowView {
    /// What each queue has.
    Shares,
    /// How a fair share came about.
    Division,
    /// Queues inside queues.
    Tree,
    /// Who ran when.
    Gantt,
    /// What every queue got, and what was wasted.
    Fairness,
    /// What every queue held, cycle by cycle.
    Queues,
}

impl NowView {
    /// All views, in order.
    pub const ALL: [NowView; 6] = [
        NowView::Shares,
        NowView::Division,
        NowView::Tree,
        NowView::Gantt,
        NowView::Fairness,
        NowView::Queues,
    ];

    /// The word of links.
    pub fn name(self) -> &'static str {
        match self {
            NowView::Shares => "shares",
            NowView::Division => "division",
            NowView::Tree => "tree",
            NowView::Gantt => "gantt",
            NowView::Fairness => "fairness",
            NowView::Queues => "queues",
        }
    }

    /// Reads [`NowView::name`].
    pub fn from_name(name: &str) -> Option<NowView> {
        NowView::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// Panels of narrow screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Charts of the moment.
    Now,
    /// The scenario.
    Setup,
    /// Explanations.
    Why,
    /// Timeline.
    Time,
}

/// Dialogs.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Ready-made scenarios and drafts.
    Examples,
    /// Link and file.
    Share,
    /// How well the engine is checked.
    Fidelity,
    /// Keys.
    Keys,
    /// Go to a cycle.
    GoTo,
    /// Everything that can be done or found, by name.
    Palette,
    /// A place to paste, choose a file, or start empty.
    Paste,
    /// What was recognised in files.
    Import,
    /// What became of the settings when the policy was changed.
    Translated,
    /// The scenario under several policies.
    Compare,
    /// Whether everything that is kept on this device is to be deleted.
    Reset,
    /// A link that could not be read: what is known about it.
    BadLink(String),
}
