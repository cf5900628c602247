//! Kinds of events in pictures and legends.

use super::EventWord;
use crate::policy::vocabulary::Terms;

/// The kind of an event; where marks overlap, earlier variants cover later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Drawn as ✕.
    Reclaimed,
    /// Drawn as ◆.
    Preempted,
    /// Drawn as ⇄.
    Moved,
    /// Drawn as ⚡.
    Node,
    /// Drawn as ✎.
    Changed,
    /// Drawn as ●.
    Started,
    /// Drawn as ■.
    Finished,
    /// Drawn as ▲.
    Submitted,
    /// Drawn as ○.
    Requeued,
    /// A reservation, drawn as a dotted ring.
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

    /// The kind of an event with a mark of its own; `None` for claims and for events that only follow from others.
    pub fn of(word: EventWord) -> Option<Kind> {
        Kind::among(word).filter(|(_, is_drawn)| *is_drawn).map(|(kind, _)| kind)
    }

    /// The kind by which an event is filtered, whether or not it has a mark of its own.
    pub fn with(word: EventWord) -> Option<Kind> {
        Kind::among(word).map(|(kind, _)| kind)
    }

    /// The kind of an event, and whether it has a mark of its own; `None` for [`super::What::Mark`].
    fn among(word: EventWord) -> Option<(Kind, bool)> {
        Some(match word {
            EventWord::Reclaimed | EventWord::Evicted => (Kind::Reclaimed, true),
            EventWord::Preempted => (Kind::Preempted, true),
            EventWord::Moved => (Kind::Moved, true),
            EventWord::Node => (Kind::Node, true),
            EventWord::Changed => (Kind::Changed, true),
            EventWord::DevicesChanged => (Kind::Changed, false),
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

    /// Whether the event is an eviction that loses work.
    pub fn is_eviction(word: EventWord) -> bool {
        matches!(Kind::of(word), Some(Kind::Reclaimed | Kind::Preempted))
    }

    /// The events of this kind.
    pub fn words(self) -> impl Iterator<Item = EventWord> {
        EventWord::ALL.iter().copied().filter(move |word| Kind::with(*word) == Some(self))
    }

    /// Name in the legend, in the words of a policy.
    pub fn name(self, terms: &Terms) -> String {
        terms.fill(match self {
            Kind::Reclaimed => "reclaimed",
            Kind::Preempted => "preempted",
            Kind::Moved => "moved",
            Kind::Node => "[node] event",
            Kind::Changed => "timeline change",
            Kind::Started => "started",
            Kind::Finished => "finished",
            Kind::Submitted => "submitted",
            Kind::Requeued => "waits again",
            Kind::Claimed => "[claimed]",
        })
    }
}
