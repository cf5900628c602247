//! What the state asks of the world.

use std::sync::Arc;

use fairground::scenario::Path;

use crate::engine::protocol::{Frame, Request};
use crate::state::layout::options::Theme;

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
    /// Keeps the document, whose text the engine has written; `None`: it is too large to be kept.
    SavePacked(Option<String>),
    /// Keeps further scenarios (format 1, JSON) as drafts.
    AddDrafts(Vec<String>),
    /// Replaces the address, when it has been quiet for a while.
    SetUrl,
    /// Copies the link of the present moment, and says so.
    CopyLink,
    /// Offers the scenario as a file.
    DownloadScenario,
    /// Offers a table of the run as a file; of events, or of what queues have.
    DownloadCsv {
        /// Whether it is of events.
        is_of_events: bool,
        /// The table.
        text: String,
    },
    /// Tells everybody who listens.
    Announce(String),
    /// Tells them what a step did, counting this resource.
    AnnounceStep(Arc<Frame>, u8),
    /// Tells them what an action of a cycle did, counting this resource.
    AnnounceAction(Arc<Frame>, u8),
    /// Tells them what an edit did, held against how it was before.
    AnnounceEdit,
    /// Tells them what the edit that is being made would do, once the value rests.
    AnnouncePreview,
    /// Keeps a switch of this device.
    Remember(&'static str, String),
    /// Sets the colours.
    Theme(Theme),
    /// Ticks every so many milliseconds, or not any more.
    Tick(Option<u32>),
    /// Puts the focus on the field of a value.
    FocusField(Path),
}
