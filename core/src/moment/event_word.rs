//! Names of events: the one list from which every other table derives.

use serde::{Deserialize, Serialize};

use super::what::What;
use crate::trace::{Event, EvictReason};

macro_rules! event_words {
    ($($word:ident = $name:literal),* $(,)?) => {
        /// The name of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EventWord {
            $(#[doc = $name] $word),*
        }

        impl EventWord {
            /// All names.
            pub const ALL: &'static [EventWord] = &[$(EventWord::$word),*];

            /// The name as text.
            pub fn name(self) -> &'static str {
                match self {
                    $(EventWord::$word => $name),*
                }
            }
        }
    };
}

event_words! {
    Submitted = "submitted",
    Joined = "joined",
    Offered = "offered",
    SetAside = "set-aside",
    Started = "started",
    Found = "found",
    DevicesChanged = "dealt",
    Claimed = "claimed",
    Unclaimed = "unclaimed",
    Reclaimed = "reclaimed",
    Preempted = "preempted",
    Moved = "moved",
    Evicted = "evicted",
    Gone = "gone",
    Requeued = "requeued",
    NotReplaced = "not-replaced",
    JobEvicted = "job-evicted",
    Finished = "finished",
    Done = "done",
    Changed = "changed",
    Node = "node",
    Mark = "mark",
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
                EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota => EventWord::Reclaimed,
                EvictReason::Preempted => EventWord::Preempted,
                EvictReason::Moved => EventWord::Moved,
                EvictReason::AboveLimit
                | EvictReason::StaleGang
                | EvictReason::NodeLost
                | EvictReason::Withdrawn => EventWord::Evicted,
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

    /// Whether the event is a decision of a policy; all others are external or follow from decisions.
    pub fn is_decision(self) -> bool {
        match self {
            EventWord::Offered
            | EventWord::SetAside
            | EventWord::Started
            | EventWord::Claimed
            | EventWord::Unclaimed
            | EventWord::Reclaimed
            | EventWord::Preempted
            | EventWord::Moved
            | EventWord::Evicted => true,
            EventWord::Submitted
            | EventWord::Joined
            | EventWord::Found
            | EventWord::DevicesChanged
            | EventWord::Gone
            | EventWord::Requeued
            | EventWord::NotReplaced
            | EventWord::JobEvicted
            | EventWord::Finished
            | EventWord::Done
            | EventWord::Changed
            | EventWord::Node
            | EventWord::Mark => false,
        }
    }

    /// Whether the event is an eviction of a pod.
    pub fn is_eviction(self) -> bool {
        match self {
            EventWord::Reclaimed | EventWord::Preempted | EventWord::Moved | EventWord::Evicted => true,
            EventWord::Submitted
            | EventWord::Joined
            | EventWord::Offered
            | EventWord::SetAside
            | EventWord::Started
            | EventWord::Found
            | EventWord::DevicesChanged
            | EventWord::Claimed
            | EventWord::Unclaimed
            | EventWord::Gone
            | EventWord::Requeued
            | EventWord::NotReplaced
            | EventWord::JobEvicted
            | EventWord::Finished
            | EventWord::Done
            | EventWord::Changed
            | EventWord::Node
            | EventWord::Mark => false,
        }
    }

    /// Whether the event changes the allocation of a queue.
    pub fn moves(self) -> bool {
        match self {
            EventWord::Started
            | EventWord::Found
            | EventWord::Claimed
            | EventWord::Unclaimed
            | EventWord::Reclaimed
            | EventWord::Preempted
            | EventWord::Moved
            | EventWord::Evicted
            | EventWord::Gone
            | EventWord::NotReplaced
            | EventWord::JobEvicted
            | EventWord::Offered
            | EventWord::SetAside
            | EventWord::Finished => true,
            EventWord::Submitted
            | EventWord::Joined
            | EventWord::Requeued
            | EventWord::DevicesChanged
            | EventWord::Done
            | EventWord::Changed
            | EventWord::Node
            | EventWord::Mark => false,
        }
    }

    /// The name with spaces, for sentences: `not replaced`.
    pub fn spelled(self) -> String {
        self.name().replace('-', " ")
    }
}
