//! The layout of the page.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::scenario::Path;

use super::options::{EventSubject, GanttLook, Kinds};
use crate::state::layout::embed::Embed;
use crate::state::layout::options::{Dialog, KeySet, NowView, Panel, Presenting, SetupTab, Theme};
use crate::state::layout::width_class::WidthClass;

/// Smallest and largest width of SETUP, in pixels.
pub const SETUP_WIDTHS: (u16, u16) = (352, 640);

/// Smallest and largest width of WHY, in pixels.
pub const WHY_WIDTHS: (u16, u16) = (280, 560);

/// The layout of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub theme: Theme,
    pub tab: SetupTab,
    /// The panel shown on narrow screens.
    pub panel: Panel,
    pub now: NowView,
    /// The node pool whose numbers are shown; empty: all.
    pub pool: String,
    /// Edits apply from the cursor on, unless it is at the start.
    pub edits_later: bool,
    pub gantt: GanttLook,
    /// The open dialog.
    pub dialog: Option<Dialog>,
    /// WHY is open; only relevant where it is not always shown.
    pub why_open: bool,
    /// WHY was closed manually: it opens on a selection by the visitor, but not by itself.
    pub why_closed: bool,
    /// The rule and all numbers of explanations are unfolded.
    pub all_numbers: bool,
    pub setup_folded: bool,
    /// The timeline is folded; the transport stays visible.
    pub time_folded: bool,
    /// Whether SETUP was last opened (or folded) manually; `None`: neither.
    pub setup_by_hand: Option<bool>,
    pub width_class: WidthClass,
    /// Width of SETUP in pixels; 0: that of the stylesheet.
    pub setup_width: u16,
    /// Width of WHY in pixels, where it has a column of its own; 0: that of the stylesheet.
    pub why_width: u16,
    /// The chips of the start scenario are still shown.
    pub chips: bool,
    /// The line under the title was closed.
    pub note_closed: bool,
    /// The queue, node group or job whose form replaces the table.
    pub detail: Option<Path>,
    /// The setting that the reader of the link changes with a slider.
    pub control: Option<Path>,
    /// Queues whose children are hidden.
    pub folded: Arc<BTreeSet<String>>,
    /// Kinds of events that the lane hides and jumps skip.
    pub without: Kinds,
    /// Subject of the events that jumps stop at.
    pub event_subject: EventSubject,
    /// The selected range of cycles: its start, and its other end.
    pub range: Option<(u32, u32)>,
    /// Recently used palette entries.
    pub recent: Arc<Vec<String>>,
    /// Modifier of character keys.
    pub keys: KeySet,
    /// Options of an embedded page; `None`: not embedded.
    pub embed: Option<Embed>,
    pub presenting: Presenting,
}

impl View {
    /// The layout on the first visit.
    pub fn new() -> View {
        View { why_open: true, chips: true, ..View::default() }
    }

    /// Adapts the layout to a newly opened document.
    pub(crate) fn opened(&mut self, now: Option<NowView>, explains: bool) {
        self.now = now.unwrap_or(self.now);
        self.why_open |= explains;
        self.edits_later = false;
        self.gantt.first = 0;
        self.event_subject = EventSubject::default();
        self.range = None;
        self.note_closed = false;
        self.folded = Arc::default();
        self.detail = None;
    }

    /// Whether a panel is folded to its rail.
    pub fn is_folded(&self, panel: Panel) -> bool {
        match panel {
            Panel::Now => false,
            Panel::Setup => self.setup_folded,
            Panel::Why => !self.why_open,
            Panel::Time => self.time_folded,
        }
    }

    /// Whether the tree of queues is visible in SETUP, so that the bars beside it need no names.
    pub fn has_tree(&self) -> bool {
        self.tab == SetupTab::Queues && self.detail.is_none()
    }

    /// Arranges panels for a width class, except those that were folded or opened manually.
    pub fn put(&mut self, class: WidthClass) {
        self.width_class = class;
        self.setup_folded = self.setup_by_hand.map_or(class == WidthClass::Narrow, |is_open| !is_open);
    }

    /// Whether Division is visible.
    pub fn has_division(&self) -> bool {
        matches!(self.now, NowView::Division | NowView::ShareUsage | NowView::Priorities)
            || self.width_class == WidthClass::Wide
    }
}
