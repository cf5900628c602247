//! Kinds of events as people tell them apart, and which events are looked at.

use super::{Model, Selection};
use crate::engine::event_word::EventWord;

/// The kind of an event, from the one that hides others to the one that is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// ✕
    Reclaimed,
    /// ◆
    Preempted,
    /// ⇄
    Moved,
    /// ⚡
    Node,
    /// ✎
    Changed,
    /// ●
    Started,
    /// ■
    Finished,
    /// ▲
    Submitted,
    /// ○
    Requeued,
    /// A dotted ring: room is held.
    Claimed,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 10] = [
        Kind::Reclaimed,
        Kind::Preempted,
        Kind::Moved,
        Kind::Node,
        Kind::Changed,
        Kind::Started,
        Kind::Finished,
        Kind::Submitted,
        Kind::Requeued,
        Kind::Claimed,
    ];

    /// The kind of an event that is drawn by itself; none for those that only follow from others, and for claims.
    pub fn of(word: &str) -> Option<Kind> {
        let (kind, is_drawn) = Kind::among(EventWord::from_name(word)?);
        is_drawn.then_some(kind)
    }

    /// With which kind an event is shown in the lane and left out, drawn or not.
    pub fn with(word: &str) -> Option<Kind> {
        Some(Kind::among(EventWord::from_name(word)?).0)
    }

    /// The kind that an event belongs to, and whether it is drawn by itself.
    fn among(word: EventWord) -> (Kind, bool) {
        match word {
            EventWord::Reclaimed | EventWord::Evicted => (Kind::Reclaimed, true),
            EventWord::Preempted => (Kind::Preempted, true),
            EventWord::Moved => (Kind::Moved, true),
            EventWord::Node => (Kind::Node, true),
            EventWord::Changed => (Kind::Changed, true),
            EventWord::Started => (Kind::Started, true),
            EventWord::Finished => (Kind::Finished, true),
            EventWord::Done | EventWord::JobEvicted => (Kind::Finished, false),
            EventWord::Submitted | EventWord::Offered => (Kind::Submitted, true),
            EventWord::Requeued => (Kind::Requeued, true),
            EventWord::Gone | EventWord::NotReplaced | EventWord::SetAside => (Kind::Requeued, false),
            EventWord::Claimed => (Kind::Claimed, true),
            EventWord::Unclaimed => (Kind::Claimed, false),
        }
    }

    /// Whether an event of that name is an eviction.
    pub fn is_eviction(name: &str) -> bool {
        matches!(Kind::of(name), Some(Kind::Reclaimed | Kind::Preempted))
    }

    /// The words of the events that belong to it.
    pub fn keys(self) -> impl Iterator<Item = &'static str> {
        EventWord::ALL.iter().filter(move |word| Kind::among(**word).0 == self).map(|word| word.name())
    }

    /// Its name in the legend.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Reclaimed => "reclaimed",
            Kind::Preempted => "preempted",
            Kind::Moved => "moved",
            Kind::Node => "node event",
            Kind::Changed => "changed by hand",
            Kind::Started => "started",
            Kind::Finished => "finished",
            Kind::Submitted => "submitted",
            Kind::Requeued => "waits again",
            Kind::Claimed => "claimed",
        }
    }
}

/// Whose events jumps stop at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// Those of the selection; all if no queue or job is selected.
    #[default]
    Selected,
    /// All.
    All,
    /// Those of a queue with what is below it.
    Queue(String),
    /// Those of a job.
    Job(String),
}

/// What the lane of events shows, and what is marked below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneLook {
    /// The kinds that it leaves out.
    pub without: Kinds,
    /// Whose events have a row of their own, and are stopped at.
    pub heeded: Option<Selection>,
    /// The two ends of the marked range, in order.
    pub range: Option<(u32, u32)>,
}

/// Some of the kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Whether a kind is among them.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
    /// Takes a kind in or out.
    pub fn put(&mut self, kind: Kind, is_in: bool) {
        self.0 = self.0 & !(1 << kind as u16) | u16::from(is_in) << kind as u16;
    }
    /// All of them, in order.
    pub fn all(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}

impl Model {
    /// Whose events are stopped at: a queue or a job; `None`: all. What the page selected by itself does not count.
    pub fn heeded(&self) -> Option<Selection> {
        let selection = match &self.view.whose {
            Whose::All => return None,
            Whose::Queue(name) => return Some(Selection::Queue(name.clone())),
            Whose::Job(name) => return Some(Selection::Job(name.clone())),
            Whose::Selected => self.selection.as_ref().filter(|_| !self.auto_selected)?,
        };
        match selection {
            Selection::Queue(_) | Selection::Job(_) => Some(selection.clone()),
            Selection::Event { cycle, index } => {
                let frame = self.frame.as_ref().filter(|frame| frame.cycle == *cycle)?;
                let job = &frame.events.get(*index as usize)?.job;
                (!job.is_empty()).then(|| Selection::Job(job.clone()))
            }
            Selection::Node(_) | Selection::Rule(_) => None,
        }
    }
}

/// What the lane of events shows.
pub fn lane(model: &Model) -> LaneLook {
    let range = model.view.range.map(|(anchor, head)| (anchor.min(head), anchor.max(head)));
    LaneLook { without: model.view.without, heeded: model.heeded(), range }
}
