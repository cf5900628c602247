//! Names of events: the one list from which every other table derives.

use serde::{Deserialize, Serialize};

use super::what::What;
use crate::trace::{Event, EvictReason};

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
