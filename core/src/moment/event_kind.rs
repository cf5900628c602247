//! Kinds of events in pictures and legends.

use super::EventWord;
use crate::policy::vocabulary::Terms;

/// The kind of an event; where marks overlap, earlier variants cover later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
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

impl EventKind {
    /// All kinds.
    pub const ALL: [EventKind; 10] = [
        EventKind::Reclaimed,
        EventKind::Preempted,
        EventKind::Moved,
        EventKind::Node,
        EventKind::Changed,
        EventKind::Started,
        EventKind::Finished,
        EventKind::Submitted,
        EventKind::Requeued,
        EventKind::Claimed,
    ];

    /// The kind of an event with a mark of its own; `None` for claims and for events that only follow from others.
    pub fn of(word: EventWord) -> Option<EventKind> {
        EventKind::among(word).filter(|(_, is_drawn)| *is_drawn).map(|(kind, _)| kind)
    }

    /// The kind by which an event is filtered, whether or not it has a mark of its own.
    pub fn with(word: EventWord) -> Option<EventKind> {
        EventKind::among(word).map(|(kind, _)| kind)
    }

    /// The kind of an event, and whether it has a mark of its own; `None` for [`super::What::Mark`].
    fn among(word: EventWord) -> Option<(EventKind, bool)> {
        Some(match word {
            EventWord::Reclaimed | EventWord::Evicted => (EventKind::Reclaimed, true),
            EventWord::Preempted => (EventKind::Preempted, true),
            EventWord::Moved => (EventKind::Moved, true),
            EventWord::Node => (EventKind::Node, true),
            EventWord::Changed => (EventKind::Changed, true),
            EventWord::DevicesChanged => (EventKind::Changed, false),
            EventWord::Started | EventWord::Found => (EventKind::Started, true),
            EventWord::Finished => (EventKind::Finished, true),
            EventWord::Done | EventWord::JobEvicted => (EventKind::Finished, false),
            EventWord::Submitted | EventWord::Joined | EventWord::Offered => (EventKind::Submitted, true),
            EventWord::Requeued => (EventKind::Requeued, true),
            EventWord::Gone | EventWord::NotReplaced | EventWord::SetAside => (EventKind::Requeued, false),
            EventWord::Claimed => (EventKind::Claimed, true),
            EventWord::Unclaimed => (EventKind::Claimed, false),
            EventWord::Mark => return None,
        })
    }

    /// Whether the event is an eviction that loses work.
    pub fn is_eviction(word: EventWord) -> bool {
        matches!(EventKind::of(word), Some(EventKind::Reclaimed | EventKind::Preempted))
    }

    /// The events of this kind.
    pub fn words(self) -> impl Iterator<Item = EventWord> {
        EventWord::ALL.iter().copied().filter(move |word| EventKind::with(*word) == Some(self))
    }

    /// Name in the legend, in the words of a policy.
    pub fn name(self, terms: &Terms) -> String {
        terms.fill(match self {
            EventKind::Reclaimed => "reclaimed",
            EventKind::Preempted => "preempted",
            EventKind::Moved => "moved",
            EventKind::Node => "[node] event",
            EventKind::Changed => "timeline change",
            EventKind::Started => "started",
            EventKind::Finished => "finished",
            EventKind::Submitted => "submitted",
            EventKind::Requeued => "waits again",
            EventKind::Claimed => "[claimed]",
        })
    }
}
