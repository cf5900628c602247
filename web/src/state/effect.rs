//! Side effects that the state requests.

use fairground::units::Resource;
use std::sync::Arc;

use fairground::scenario::Path;

use crate::engine::protocol::{Frame, Message, Request};
use crate::state::layout::options::Theme;

/// Side effects that the state requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Sends a request to the engine.
    Send(Message<Request>),
    /// Ends the engine and starts another one.
    RestartEngine,
    /// Dispatches [`Command::EndEngine`] after a delay.
    EndEngineSoon(u64),
    /// Saves the document after a delay.
    Save,
    /// Saves the document in the packed form written by the engine; `None`: it is too large to store.
    SavePacked(Option<String>),
    /// Stores further scenarios (format 1, JSON) as drafts.
    AddDrafts(Vec<String>),
    /// Replaces the address after a delay.
    SetUrl,
    /// Copies the link of the current moment, and reports that.
    CopyLink,
    /// Offers the scenario as a download.
    DownloadScenario,
    /// Offers a table of the run as a download: either events or the amounts of queues.
    DownloadCsv {
        is_of_events: bool,
        text: String,
    },
    /// Sets the text of the live region.
    Announce(String),
    /// Announces the outcome of a step, for this resource.
    AnnounceStep(Arc<Frame>, Resource),
    /// Announces the outcome of an action of a cycle, for this resource.
    AnnounceAction(Arc<Frame>, Resource),
    /// Announces the outcome of an edit, compared with the baseline.
    AnnounceEdit,
    /// Announces the outcome of the current preview, once the value has settled.
    AnnouncePreview,
    /// Stores a setting of this device.
    Remember(&'static str, String),
    Theme(Theme),
    /// Ticks at this interval in milliseconds; `None`: stops.
    Tick(Option<u32>),
    /// Focuses the field of a value.
    FocusField(Path),
}
