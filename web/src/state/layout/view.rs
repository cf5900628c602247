//! What the page looks like.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::scenario::Path;

use crate::state::layout::embed::Embed;
use crate::state::layout::gantt_window::GanttLook;
use crate::state::layout::options::{Dialog, KeySet, NowView, Panel, SetupTab, Theme};
use crate::state::layout::room::Room;
use crate::state::moment::event_filter::{Kinds, Whose};

/// The narrowest and the widest SETUP, in pixels.
pub const SETUP_WIDTHS: (u16, u16) = (352, 640);

/// The narrowest and the widest WHY, in pixels.
pub const WHY_WIDTHS: (u16, u16) = (280, 560);

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
    /// Below Shares, who is served first is shown.
    pub serving: bool,
    /// What Gantt shows.
    pub gantt: GanttLook,
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
    pub whose: Whose,
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

impl Default for View {
    fn default() -> View {
        View {
            theme: Theme::System,
            tab: SetupTab::Queues,
            panel: Panel::Now,
            now: NowView::Shares,
            edits_later: false,
            serving: false,
            gantt: GanttLook::default(),
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
            whose: Whose::default(),
            range: None,
            recent: Arc::default(),
            keys: KeySet::Plain,
            embed: None,
        }
    }
}

impl View {
    /// Puts panels where they belong in that room; what was folded or opened by hand stays so.
    pub fn put(&mut self, room: Room) {
        self.room = room;
        self.setup_folded = self.setup_by_hand.map_or(room == Room::Narrow, |is_open| !is_open);
    }

    /// Whether Division is on screen.
    pub fn has_division(&self) -> bool {
        matches!(self.now, NowView::Division | NowView::ShareUsage | NowView::Priorities)
            || self.room == Room::Wide
    }
}
