//! What happened and why, as typed data.
//!
//! *Outcomes* ([`Event`]) are always recorded; the [`Check`]s that decided an event or a refusal come with
//! it at level [`Level::Decisive`]; every comparison only at [`Level::Every`], for one cycle on request. No
//! text for people is made here: sentences are made by [`crate::words`]. What is recorded can be sent as it is, but for
//! rules, whose records go beside it.

use serde::{Deserialize, Serialize};

mod check;
mod digest;
mod event;
mod holdings;
mod ledger;
mod not_selected;
mod order;
mod refusal;
mod rule;
mod share_usage;

pub use check::{Check, Op, Quantity, Subject, Term, Value};
pub use digest::Digest;
pub use event::{Event, EvictReason, Recorded};
pub use holdings::{Holdings, OwnedNode};
pub use ledger::{Column, DivisionStep, Ledger, LedgerRow, RiseEnd};
pub use not_selected::{NotSelected, Protection, Whom};
pub use order::{BeforeAfter, OrderLevel, OrderPlace, PriorityStep, QueuePriority};
pub use refusal::{Ending, FreeGpus, Gate, NodeReason, NotAccepted, Outlook, Refusal};
pub use rule::{Rule, RuleRecord};
pub use share_usage::{
    Assignment, ConsumerUsage, Exact, QuotaStep, ShareCandidate, ShareChoice, SharePool, UnitSize, UsageOf,
    UsageRow, Vector,
};

/// How much is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Events only.
    Outcomes,
    /// Also the checks that decided, and one refusal per pending job.
    #[default]
    Decisive,
    /// Every comparison.
    Every,
}

/// The record of one cycle of one partition, in the order in which things were decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// How much is recorded.
    pub level: Level,
    /// The action of the cycle that decides now; empty: its cycle has no parts.
    pub action: &'static str,
    /// Events with what decided them.
    pub events: Vec<Recorded>,
    /// Why jobs that are still pending at the end of the cycle are pending, by job.
    pub refusals: Vec<Refusal>,
    /// Who stays although work was taken, and why; none at level [`Level::Outcomes`].
    pub not_selected: Vec<NotSelected>,
    /// Every comparison, at level [`Level::Every`] only.
    pub checks: Vec<Check>,
    /// How pools gave away what was free in them, unit by unit, at level [`Level::Every`] only.
    pub assignments: Vec<Assignment>,
    /// How placing a pod changed the priorities of queues, at level [`Level::Every`] only.
    pub priority_steps: Vec<PriorityStep>,
    /// Where the simulation cannot be held against the real scheduler, at any level; at [`Level::Outcomes`] also where
    /// chance chose, but the other way would have ended alike.
    pub marks: Vec<Mark>,
}

/// A place where the real scheduler does something that is no decision, or where its decision hangs on chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What is known about such places.
    #[serde(skip)]
    pub rule: Rule,
    /// Whom it is about.
    pub subject: Subject,
}

impl Trace {
    /// An empty record.
    pub fn new(level: Level) -> Self {
        Trace { level, ..Trace::default() }
    }

    /// Records an event together with the checks that decided it.
    pub fn event(&mut self, event: Event, why: impl FnOnce() -> Vec<Check>) {
        let checks = if self.level >= Level::Decisive { why() } else { Vec::new() };
        self.events.push(Recorded { event, action: self.action, checks });
    }

    /// Records why a job stays pending.
    pub fn refusal(&mut self, refusal: impl FnOnce() -> Refusal) {
        if self.level >= Level::Decisive {
            self.refusals.push(refusal());
        }
    }

    /// Records one comparison, if every comparison is wanted.
    pub fn check(&mut self, check: impl FnOnce() -> Check) {
        if self.level >= Level::Every {
            self.checks.push(check());
        }
    }
}
