//! The record of a run as typed data: events, and the comparisons that decided them.
//!
//! *Outcomes* ([`Event`]) are always recorded, the [`Check`]s that decided an event or a refusal at level
//! [`Level::Decisive`], and every comparison only at [`Level::Every`], for one cycle on request. Sentences are written
//! by [`crate::words`]. The record can be serialised as it is, except for rules, whose records are sent separately.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::PodId;

mod check;
mod digest;
mod event;
mod holdings;
mod ledger;
mod order;
mod refusal;
mod rule;
mod search;
mod share_usage;

pub use check::{Check, Op, Quantity, Subject, Term, Value};
pub use digest::Digest;
pub use event::{Event, EvictReason, Recorded};
pub use holdings::{Holdings, OwnedNode};
pub use ledger::{DivisionRound, DivisionStep, Ledger, LedgerRow, RiseEnd};
pub use order::{BeforeAfter, OrderLevel, OrderPlace, PriorityStep, QueuePriority};
pub use refusal::{Delay, Ending, FreeGpus, Gate, NodeReason, NotAccepted, Outlook, Refusal};
pub use rule::{Rule, RuleRecord};
pub use search::{Candidate, Emptied, LostClaim, NotSelected, Protection, Search, Unfinished};
pub use share_usage::{
    Assignment, ConsumerUsage, Exact, QuotaStep, ShareCandidate, ShareChoice, SharePool, UnitSize, UsageOf, UsageRow,
    Vector,
};

/// The amount of detail that is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Events only.
    Outcomes,
    /// Also one refusal per pending job, without its outlook.
    Refusals,
    /// Also the decisive checks, and what is found by running the cycle again: outlooks, and whether an undefined order
    /// affects the result.
    #[default]
    Decisive,
    /// Every comparison.
    Every,
}

/// Number of events in a cycle whose decisive checks are kept: the first ones. Those of a later event are found by
/// running the cycle again, so that a cycle that starts every pod of a large cluster does not keep a million of them.
pub const EXPLAINED_MAX: usize = 5_000;

/// The record of one cycle of one partition, in the order of the decisions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The amount of detail that is recorded.
    pub level: Level,
    /// The pod whose events get their decisive checks; `None`: the first [`EXPLAINED_MAX`] events do.
    pub explained: Option<PodId>,
    /// The present action of the cycle; empty under a policy whose cycle has no actions.
    pub action: &'static str,
    /// Events with their decisive checks.
    pub events: Vec<Recorded>,
    /// Reasons of the jobs that are still pending at the end of the cycle, by job.
    pub refusals: Vec<Refusal>,
    /// Queues and jobs that were not selected as victims; empty at level [`Level::Outcomes`].
    pub not_selected: Vec<NotSelected>,
    /// Searches for victims; empty at level [`Level::Outcomes`].
    pub searches: Vec<Search>,
    /// Claims that only count as made, at any level.
    pub unfinished: Vec<Unfinished>,
    /// Every comparison, at level [`Level::Every`] only.
    pub checks: Vec<Check>,
    /// Assignments of free units in pools, in order, at level [`Level::Every`] only.
    pub assignments: Vec<Assignment>,
    /// Changes of queue priorities by placements, at level [`Level::Every`] only.
    pub priority_steps: Vec<PriorityStep>,
    /// Places where the simulation is not comparable with the real scheduler, at any level; below [`Level::Decisive`]
    /// also random choices whose alternatives have the same outcome.
    pub marks: Vec<Mark>,
}

/// A place where the real scheduler's behaviour is not a decision, or where its decision is random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The rule that describes such places.
    #[serde(skip)]
    pub rule: Rule,
    /// The queues, jobs, pods or nodes concerned.
    pub subject: Subject,
}

impl Trace {
    /// Creates an empty record.
    pub fn new(level: Level) -> Self {
        Trace { level, ..Trace::default() }
    }

    /// Records an event with its decisive checks; `why` is called at level [`Level::Decisive`] and above, if the event
    /// is one of those that are explained.
    pub fn event<C: Into<Arc<[Check]>>>(&mut self, event: Event, why: impl FnOnce() -> C) {
        let is_explained = match self.explained {
            Some(pod) => event.subject().pod == Some(pod),
            None => self.events.len() < EXPLAINED_MAX,
        };
        let checks = if is_explained && self.level >= Level::Decisive { why().into() } else { Arc::default() };
        self.events.push(Recorded { event, action: self.action, checks });
    }

    /// Records why a job stays pending, at level [`Level::Refusals`] and above.
    pub fn refusal(&mut self, refusal: impl FnOnce() -> Refusal) {
        if self.level >= Level::Refusals {
            self.refusals.push(refusal());
        }
    }

    /// Records why several jobs stay pending, by job, at level [`Level::Refusals`] and above.
    pub fn refusals_by_job(&mut self, mut refusals: Vec<Refusal>) {
        refusals.sort_by_key(|refusal: &Refusal| refusal.job);
        refusals.into_iter().for_each(|refusal| self.refusal(|| refusal));
    }
}
