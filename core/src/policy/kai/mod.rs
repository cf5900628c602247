//! KAI Scheduler: hierarchical fair share with reclaim.
//!
//! # Source
//! kai.md; upstream revision `72de64fc8eca10fa8cca26a20156178f3edbe092`

mod adapter;
mod advice;
mod allocate;
mod backoff;
mod bind;
mod bystanders;
mod capacity;
mod chunk;
pub mod config;
mod consolidate;
mod describe;
pub mod division;
mod equivalence_classes;
mod filters;
mod fit;
pub mod form;
mod hopeful;
mod hypothesis;
mod job;
mod job_order;
mod memory;
mod min_runtime;
mod names;
mod node;
mod nondeterminism;
mod nondeterminism_probe;
mod not_selected;
mod notes;
mod number;
mod outlooks;
mod place;
mod preempt;
mod prospect;
pub mod queue_comparison;
mod queue_order;
mod queue_tree;
pub(in crate::policy) mod queues;
mod reclaim;
mod reclaimable;
mod recorder;
mod refusals;
mod request;
mod score;
mod semi;
mod session;
pub mod settings;
mod shared;
mod shares;
mod signatures;
mod simulate;
pub mod snapshot;
mod solver;
mod stale_gang;
mod statement;
mod task;
mod translate;
mod unused;
pub mod usage;
mod usage_tracker;
mod versions;
mod vocabulary;

pub use adapter::Kai;
pub use describe::DESCRIPTION;
pub use memory::Memory;
pub use queue_order::NAME;
pub use recorder::CRASH;

use crate::trace::{Level, Mark, Rule, Trace};
use config::Action;
use recorder::Recorder;
use session::{Ids, Session};
use snapshot::{CycleOutcome, Snapshot};

/// One cycle: opens a session from the snapshot, runs the configured actions in order, closes it. Choices between equals
/// are marked whether or not they change the end.
pub fn run_cycle(snapshot: &Snapshot, trace: &mut Trace) -> CycleOutcome {
    let ids = Ids::in_file_order(snapshot);
    let mut session = Session::open(snapshot, &ids, trace.level);
    let mut out = Recorder::comparing(&session, snapshot, trace);
    run_actions(&mut session, &mut out);
    out.trace.marks.append(&mut session.ties.marks);
    out.outcome.unwrap_or_default()
}

/// Where a cycle hangs on chance: what [`run_cycle`] marks wherever there was a choice between equals, as far as it
/// changes the end.
pub fn hangs_on_chance(snapshot: &Snapshot) -> Vec<Mark> {
    let ids = Ids::in_file_order(snapshot);
    let mut session = Session::open(snapshot, &ids, Level::Outcomes);
    let mut trace = Trace::new(Level::Outcomes);
    let mut out = Recorder::new(&mut trace);
    act(&mut session, &mut out);
    nondeterminism_probe::marks(snapshot, &ids, &session, &out)
}

/// One cycle in which only the job of this name is tried; the others that wait count and stand in their queues.
pub fn try_job(snapshot: &Snapshot, job: &str, trace: &mut Trace) -> CycleOutcome {
    let mut session = Session::open(snapshot, &Ids::in_file_order(snapshot), trace.level);
    session.only = session.own_jobs().find(|&j| *session.facts_of(j).name == *job);
    let mut out = Recorder::comparing(&session, snapshot, trace);
    run_actions(&mut session, &mut out);
    out.outcome.unwrap_or_default()
}

/// The configured actions in order, and the explanations of what is left.
fn run_actions(session: &mut Session<'_>, out: &mut Recorder<'_>) {
    act(session, out);
    for refusal in session.refusals(out) {
        out.trace.refusal(|| refusal);
    }
    out.trace.checks.append(&mut session.notes.checks);
}

/// The configured actions in order.
fn act(session: &mut Session<'_>, out: &mut Recorder<'_>) {
    for &action in &session.config.actions {
        out.begin(session, action);
        session.ties.forget(0);
        match action {
            Action::Allocate => session.run_allocate(out),
            Action::Consolidation => session.run_consolidation(out),
            Action::Reclaim => session.run_reclaim(out),
            Action::Preempt => session.run_preempt(out),
            Action::StaleGangEviction => session.run_stale_gang_eviction(out),
        }
        out.end(session);
    }
}

/// All rules of the policy, in the order of a cycle.
pub fn rules() -> Vec<Rule> {
    let mut rules = vec![
        division::QUOTA,
        division::ROUND,
        division::REMAINDER,
        queue_order::OVER_UTILISED,
        queue_order::WITHIN_QUOTA,
        queue_order::PRIORITY,
        queue_order::ZERO_SHARE,
        queue_order::SHARE_WITH_JOB,
        queue_order::SHARE,
        queue_order::SMALLER,
        queue_order::OLDER,
        capacity::LIMIT,
        capacity::QUOTA,
        place::ROOM,
        place::BEST_NODE,
        place::NOMINATED,
        reclaimable::CAN_RECLAIM,
        reclaimable::MAINTAIN_FAIR_SHARE,
        reclaimable::GUARANTEE_QUOTA,
        reclaimable::KEEPS_ORDER,
        reclaimable::STAYS_WITHIN_QUOTA,
        min_runtime::RAN_LONG_ENOUGH,
        recorder::LOWER_PRIORITY,
        recorder::STALE_GRACE,
        backoff::BACKOFF,
        recorder::CRASH,
        recorder::NO_DEVICE,
    ];
    rules.extend(nondeterminism::rules());
    rules
}

/// What people can look up: the rules, and how past usage is measured, by which nothing is decided directly.
pub fn all_rules() -> Vec<Rule> {
    let mut rules = rules();
    rules.push(usage::USAGE);
    rules
}
