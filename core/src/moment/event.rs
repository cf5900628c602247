//! Entries of the event list: what happened, its name, and its kind in pictures and legends. Every other table derives
//! from the one list of names.

use serde::{Deserialize, Serialize};

use crate::policy::vocabulary::Terms;
use crate::trace::{Event, EvictReason, Mark};

/// Origin of an event.
#[derive(PartialEq, Eq)]
enum Origin {
    /// An eviction of a pod, which is a decision of a policy.
    Eviction,
    /// Another decision of a policy.
    Decision,
    /// External, or a consequence of decisions.
    Other,
}

macro_rules! event_words {
    ($($word:ident = ($name:literal, $origin:ident, $moves:literal)),* $(,)?) => {
        /// The name of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EventWord {
            $(#[doc = $name] $word),*
        }

        impl EventWord {
            /// All names.
            pub const ALL: &'static [EventWord] = &[$(EventWord::$word),*];

            /// The name as text, the origin, and whether the event changes the allocation of a queue.
            fn facts(self) -> (&'static str, Origin, bool) {
                match self {
                    $(EventWord::$word => ($name, Origin::$origin, $moves)),*
                }
            }
        }
    };
}

// Name, origin, and whether the event changes the allocation of a queue.
event_words! {
    Submitted = ("submitted", Other, false),
    Joined = ("joined", Other, false),
    Offered = ("offered", Decision, true),
    SetAside = ("set-aside", Decision, true),
    Started = ("started", Decision, true),
    Found = ("found", Other, true),
    DevicesChanged = ("dealt", Other, false),
    Claimed = ("claimed", Decision, true),
    Unclaimed = ("unclaimed", Decision, true),
    Reclaimed = ("reclaimed", Eviction, true),
    Preempted = ("preempted", Eviction, true),
    Moved = ("moved", Eviction, true),
    Evicted = ("evicted", Eviction, true),
    Gone = ("gone", Other, true),
    Requeued = ("requeued", Other, false),
    NotReplaced = ("not-replaced", Other, true),
    JobEvicted = ("job-evicted", Other, true),
    Finished = ("finished", Other, true),
    Done = ("done", Other, false),
    Changed = ("changed", Other, false),
    Node = ("node", Other, false),
    Mark = ("mark", Other, false),
}

impl EventWord {
    /// The name of an event or a mark.
    pub fn of(what: &What) -> EventWord {
        match what {
            What::Event(event) => EventWord::of_event(event),
            What::Mark(_) => EventWord::Mark,
        }
    }

    /// The name of an event.
    pub fn of_event(event: &Event) -> EventWord {
        match event {
            Event::Submitted { .. } => EventWord::Submitted,
            Event::Joined { .. } => EventWord::Joined,
            Event::Bound { .. } => EventWord::Started,
            Event::Found { .. } => EventWord::Found,
            Event::DevicesChanged { .. } => EventWord::DevicesChanged,
            Event::Claimed { .. } => EventWord::Claimed,
            Event::Unclaimed { .. } => EventWord::Unclaimed,
            Event::Evicted { reason, .. } => match reason {
                EvictReason::ReclaimedForFairShare
                | EvictReason::ReclaimedForQuota
                | EvictReason::ReclaimedForPriority => EventWord::Reclaimed,
                EvictReason::Preempted => EventWord::Preempted,
                EvictReason::Moved => EventWord::Moved,
                EvictReason::AboveLimit | EvictReason::StaleGang | EvictReason::NodeLost | EvictReason::Withdrawn => {
                    EventWord::Evicted
                }
            },
            Event::Gone { .. } => EventWord::Gone,
            Event::Requeued { .. } => EventWord::Requeued,
            Event::NotReplaced { .. } => EventWord::NotReplaced,
            Event::JobEvicted { .. } => EventWord::JobEvicted,
            Event::Finished { .. } => EventWord::Finished,
            Event::JobDone { .. } => EventWord::Done,
            Event::Offered { .. } => EventWord::Offered,
            Event::SetAside { .. } => EventWord::SetAside,
            Event::Changed { node: Some(_), .. } => EventWord::Node,
            Event::Changed { node: None, .. } => EventWord::Changed,
        }
    }

    /// The name as text.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Whether the event is a decision of a policy; all others are external or follow from decisions.
    pub fn is_decision(self) -> bool {
        self.facts().1 != Origin::Other
    }

    /// Whether the event is an eviction of a pod.
    pub fn is_eviction(self) -> bool {
        self.facts().1 == Origin::Eviction
    }

    /// Whether the event changes the allocation of a queue.
    pub fn moves(self) -> bool {
        self.facts().2
    }

    /// The name with spaces, for sentences: `not replaced`.
    pub fn spelled(self) -> String {
        self.name().replace('-', " ")
    }
}

/// An event, or a place where the simulation is not comparable with the real scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    Event(Event),
    /// A limit of the model.
    Mark(Mark),
}

impl From<Event> for What {
    fn from(event: Event) -> What {
        What::Event(event)
    }
}
impl From<Mark> for What {
    fn from(mark: Mark) -> What {
        What::Mark(mark)
    }
}

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
