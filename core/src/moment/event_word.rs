//! What events are called: one list, from which every table of words is made.

use serde::{Deserialize, Serialize};

use super::what::What;
use crate::trace::{Event, EvictReason};

macro_rules! event_words {
    ($($word:ident = $name:literal),* $(,)?) => {
        /// What an event is called.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EventWord {
            $(#[doc = $name] $word),*
        }

        impl EventWord {
            /// All words.
            pub const ALL: &'static [EventWord] = &[$(EventWord::$word),*];

            /// As frames and runs say it.
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
    Dealt = "dealt",
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
    /// The word for what happened.
    pub fn of(what: &What) -> EventWord {
        match what {
            What::Event(event) => EventWord::of_event(event),
            What::Mark(_) => EventWord::Mark,
        }
    }

    /// The word for an event.
    pub fn of_event(event: &Event) -> EventWord {
        match event {
            Event::Submitted { .. } => EventWord::Submitted,
            Event::Joined { .. } => EventWord::Joined,
            Event::Bound { .. } => EventWord::Started,
            Event::Found { .. } => EventWord::Found,
            Event::Dealt { .. } => EventWord::Dealt,
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

    /// Whether it is decided in a cycle; all others happen outside or follow from what was decided.
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
            | EventWord::Dealt
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

    /// Whether a pod is evicted.
    pub fn is_eviction(self) -> bool {
        match self {
            EventWord::Reclaimed | EventWord::Preempted | EventWord::Moved | EventWord::Evicted => true,
            EventWord::Submitted
            | EventWord::Joined
            | EventWord::Offered
            | EventWord::SetAside
            | EventWord::Started
            | EventWord::Found
            | EventWord::Dealt
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

    /// Whether it changes what a queue holds.
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
            | EventWord::Dealt
            | EventWord::Done
            | EventWord::Changed
            | EventWord::Node
            | EventWord::Mark => false,
        }
    }

    /// In a sentence: `not replaced`.
    pub fn spelled(self) -> String {
        self.name().replace('-', " ")
    }
}
