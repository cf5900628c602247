//! Kinds of events as people tell them apart.

use super::EventWord;

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
    pub fn of(word: EventWord) -> Option<Kind> {
        Kind::among(word).filter(|(_, is_drawn)| *is_drawn).map(|(kind, _)| kind)
    }

    /// With which kind an event is shown in the lane and left out, drawn or not.
    pub fn with(word: EventWord) -> Option<Kind> {
        Kind::among(word).map(|(kind, _)| kind)
    }

    /// The kind that an event belongs to, and whether it is drawn by itself; none for a mark, which is no event.
    fn among(word: EventWord) -> Option<(Kind, bool)> {
        Some(match word {
            EventWord::Reclaimed | EventWord::Evicted => (Kind::Reclaimed, true),
            EventWord::Preempted => (Kind::Preempted, true),
            EventWord::Moved => (Kind::Moved, true),
            EventWord::Node => (Kind::Node, true),
            EventWord::Changed => (Kind::Changed, true),
            EventWord::Dealt => (Kind::Changed, false),
            EventWord::Started | EventWord::Found => (Kind::Started, true),
            EventWord::Finished => (Kind::Finished, true),
            EventWord::Done | EventWord::JobEvicted => (Kind::Finished, false),
            EventWord::Submitted | EventWord::Joined | EventWord::Offered => (Kind::Submitted, true),
            EventWord::Requeued => (Kind::Requeued, true),
            EventWord::Gone | EventWord::NotReplaced | EventWord::SetAside => (Kind::Requeued, false),
            EventWord::Claimed => (Kind::Claimed, true),
            EventWord::Unclaimed => (Kind::Claimed, false),
            EventWord::Mark => return None,
        })
    }

    /// Whether an event of that name is an eviction that loses work.
    pub fn is_eviction(word: EventWord) -> bool {
        matches!(Kind::of(word), Some(Kind::Reclaimed | Kind::Preempted))
    }

    /// The words of the events that belong to it.
    pub fn words(self) -> impl Iterator<Item = EventWord> {
        EventWord::ALL.iter().copied().filter(move |word| Kind::with(*word) == Some(self))
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
