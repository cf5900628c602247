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
