//! Options of the layout and of single views.

use fairground::words::{Selection, capital};

use crate::engine::report::GanttBy;
pub use fairground::moment::EventKind;
use fairground::policy::Policy;

/// Colour theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follows the system.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// The stored name, also set on the page.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Parses [`Theme::name`].
    pub fn from_name(name: &str) -> Theme {
        match name {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::System,
        }
    }
}

/// Modifier of the keys that type a character: letters, digits and signs, which speech input or unsteady hands may
/// trigger by accident. Does not affect arrows, Space and keys with Ctrl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySet {
    /// No modifier.
    #[default]
    Plain,
    Alt,
    /// Shortcuts with these keys are off.
    Off,
}

impl KeySet {
    pub const ALL: [KeySet; 3] = [KeySet::Plain, KeySet::Alt, KeySet::Off];

    /// The stored name.
    pub fn name(self) -> &'static str {
        match self {
            KeySet::Plain => "plain",
            KeySet::Alt => "alt",
            KeySet::Off => "off",
        }
    }

    /// Parses [`KeySet::name`].
    pub fn from_name(name: &str) -> KeySet {
        KeySet::ALL.into_iter().find(|set| set.name() == name).unwrap_or_default()
    }

    /// Label of the option.
    pub fn says(self) -> &'static str {
        match self {
            KeySet::Plain => "Letters, digits and signs alone",
            KeySet::Alt => "Letters, digits and signs with Alt",
            KeySet::Off => "No letters, digits and signs",
        }
    }
}

/// Tabs of SETUP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetupTab {
    /// The tree of queues.
    #[default]
    Queues,
    /// Node groups.
    Nodes,
    /// Jobs.
    Work,
    /// The policy and its settings.
    Rules,
    /// The whole scenario as text.
    Text,
}

/// Views of NOW, shown above the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NowView {
    /// Allocations of queues.
    #[default]
    Shares,
    /// Explanation of a fair share.
    Division,
    /// Division of pools by share usage, for policies with that.
    ShareUsage,
    /// Effect of placements on the priorities of queues, for policies with that.
    Priorities,
    /// Nested queues.
    Tree,
    /// Jobs, pods or GPUs over time.
    Gantt,
    /// What every queue received, and what was wasted.
    Fairness,
    /// What every queue held in each cycle.
    Trends,
    /// Other runs beside the current one.
    Compare,
}

impl NowView {
    /// All views, in display order.
    pub const ALL: [NowView; 9] = [
        NowView::Shares,
        NowView::Division,
        NowView::ShareUsage,
        NowView::Priorities,
        NowView::Tree,
        NowView::Gantt,
        NowView::Fairness,
        NowView::Trends,
        NowView::Compare,
    ];

    /// The name in links.
    pub fn name(self) -> &'static str {
        match self {
            NowView::Shares => "shares",
            NowView::Division => "division",
            NowView::ShareUsage => "share-usage",
            NowView::Priorities => "priorities",
            NowView::Tree => "tree",
            NowView::Gantt => "gantt",
            NowView::Fairness => "fairness",
            NowView::Trends => "trends",
            NowView::Compare => "compare",
        }
    }

    /// This view, or Division if the policy does not offer it.
    pub fn under(self, policy: &str) -> NowView {
        let supports = Policy::described_or_default(policy).supports;
        match self {
            NowView::ShareUsage if !supports.share_usage => NowView::Division,
            NowView::Priorities if !supports.queue_priorities => NowView::Division,
            view => view,
        }
    }

    /// The name on screen.
    pub fn title(self) -> String {
        capital(&self.name().replace('-', " "))
    }

    /// Parses [`NowView::name`]; older links call Trends `queues`.
    pub fn from_name(name: &str) -> Option<NowView> {
        let name = if name == "queues" { "trends" } else { name };
        NowView::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// Panels, shown one at a time on narrow screens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    /// Charts of the moment.
    #[default]
    Now,
    /// The scenario.
    Setup,
    /// Explanations.
    Why,
    Time,
}

/// Whether the page is presented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presenting {
    #[default]
    Off,
    On,
    /// Nothing is shown until the next key.
    Black,
}

impl Presenting {
    /// Classes of the root element.
    pub fn classes(self) -> &'static str {
        match self {
            Presenting::Off => "",
            Presenting::On => "presenting",
            Presenting::Black => "presenting black",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Ready-made scenarios and drafts.
    Examples,
    /// Earlier states of the document.
    States,
    /// Link and file.
    Share,
    /// Accuracy of the engine.
    Fidelity,
    /// Introduction and glossary.
    Help,
    /// Definition of a term, by its neutral name.
    Term(&'static str),
    /// Version and what was checked.
    About,
    /// Keyboard shortcuts.
    Keys,
    GoTo,
    /// Search for commands and objects.
    Palette,
    /// Import by pasting or from files, or an empty scenario.
    Paste,
    /// Import preview.
    Import,
    /// Notes on the settings after a change of the policy.
    Translated,
    /// Confirmation to delete everything stored on this device.
    Reset,
    /// The result code of a lesson that was left.
    ResultCode(String),
    /// Result codes of a lesson, added up.
    Results,
    /// A link that cannot be read, with what is known about it.
    BadLink(String),
}

/// Rows per window.
pub const GANTT_ROWS: u32 = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GanttLook {
    /// What a row represents.
    pub by: GanttBy,
    /// Index of the first row.
    pub first: u32,
}

/// A move of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GanttMove {
    /// Changes what rows represent.
    By(GanttBy),
    /// Moves to a row.
    To(u32),
    /// Moves to the selection.
    ToSelection,
}

/// Subject of the events that jumps stop at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventSubject {
    /// The selection; all events if no queue or job is selected.
    #[default]
    Selected,
    /// All events.
    All,
    /// A queue and its descendants.
    Queue(String),
    Job(String),
}

/// Options of the event lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLaneOptions {
    /// Hidden kinds.
    pub without: Kinds,
    /// The subject of events that have a row of their own and that jumps stop at.
    pub followed: Option<Selection>,
    /// The ends of the selected range, in order.
    pub range: Option<(u32, u32)>,
}

/// A set of kinds of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Whether it contains a kind.
    pub fn has(self, kind: EventKind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
    /// Adds or removes a kind.
    pub fn put(&mut self, kind: EventKind, is_in: bool) {
        self.0 = self.0 & !(1 << kind as u16) | u16::from(is_in) << kind as u16;
    }
    /// Its kinds, in order.
    pub fn all(self) -> impl Iterator<Item = EventKind> {
        EventKind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}
