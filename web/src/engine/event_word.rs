//! The words that events have on the page: one list, from which every table of words is made.

use fairground::trace::{Event, EvictReason};

macro_rules! event_words {
    ($($word:ident = $name:literal),* $(,)?) => {
        /// What an event is called.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Offered = "offered",
    SetAside = "set-aside",
    Started = "started",
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
}

impl EventWord {
    /// The word for an event.
    pub fn of(event: &Event) -> EventWord {
        match event {
            Event::Submitted { .. } => EventWord::Submitted,
            Event::Bound { .. } | Event::Found { .. } => EventWord::Started,
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
            Event::Changed { node: None, .. } | Event::Dealt { .. } => EventWord::Changed,
        }
    }

    /// Reads [`EventWord::name`].
    pub fn from_name(name: &str) -> Option<EventWord> {
        EventWord::ALL.iter().copied().find(|word| word.name() == name)
    }
}
