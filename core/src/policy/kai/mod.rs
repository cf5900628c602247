//! KAI Scheduler: hierarchical fair share with reclaim.
//!
//! # Source
//! kai.md, upstream revision `72de64fc8eca10fa8cca26a20156178f3edbe092`; kai-v0.17.md, upstream revision
//! `d5bc503a146317e51037d89775d77172c6d12f71`

mod actions;
mod adapter;
pub(in crate::policy) mod advice;
mod catalogue;
pub mod config;
mod describe;
mod explain;
mod export;
mod facts;
mod fast;
pub mod form;
mod job;
mod job_tasks;
mod kit;
mod kit_jobs;
mod kit_nodes;
mod kit_shards;
mod kit_timetable;
mod memory;
mod names;
pub(in crate::policy) mod number;
mod opening;
pub mod operator;
pub mod order;
mod place;
mod pod;
mod pool;
pub(in crate::policy) mod queues;
mod recorded;
mod request;
mod revision;
mod session;
pub mod settings;
pub mod share;
pub mod snapshot;
mod solve;
mod statement;
mod subgroups;
mod task;
mod translate;
mod unused;
mod versions;
mod vocabulary;
mod world;

pub use adapter::Kai;
pub use describe::DESCRIPTION;
pub use explain::recorder::{CRASH, STUCK_IN_RELEASING, UNFINISHED};
pub use memory::Memory;
pub use order::queue_order::{NAME, PRIORITY_WITHIN_QUOTA as PRIORITY_WITHIN_QUOTA_ORDER};
pub use solve::reclaimable::PRIORITY_WITHIN_QUOTA;

use crate::trace::{Level, Mark, Rule, Trace};
use config::Action;
use explain::recorder::Recorder;
use opening::Opening;
use session::Session;
use snapshot::{CycleOutcome, Snapshot};

/// One cycle: opens a session from the snapshot, runs the configured actions in order, closes it. Choices between equals
/// are marked whether or not they affect the result.
pub fn run_cycle(snapshot: &Snapshot, trace: &mut Trace) -> CycleOutcome {
    let mut session = Session::open(Opening::recorded(snapshot), trace.level);
    let mut out = Recorder::comparing(&session, snapshot, trace);
    run_actions(&mut session, &mut out);
    out.trace.marks.append(&mut session.ties.marks);
    out.outcome.unwrap_or_default()
}

/// Marks of [`run_cycle`] whose undefined order affects the result.
pub fn nondeterministic_marks(snapshot: &Snapshot) -> Vec<Mark> {
    let opening = Opening::recorded(snapshot);
    let mut session = Session::open(opening.clone(), Level::Outcomes);
    let mut trace = Trace::new(Level::Outcomes);
    let mut out = Recorder::new(&mut trace);
    execute_actions(&mut session, &mut out);
    order::nondeterminism_probe::marks(&opening, &session, &out)
}

/// One cycle in which only the named job is tried; other pending jobs still count in their queues.
pub fn try_job(snapshot: &Snapshot, job: &str, trace: &mut Trace) -> CycleOutcome {
    let mut session = Session::open(Opening::recorded(snapshot), trace.level);
    session.only = session.own_jobs().find(|&j| *session.facts_of(j).name == *job);
    let mut out = Recorder::comparing(&session, snapshot, trace);
    run_actions(&mut session, &mut out);
    out.outcome.unwrap_or_default()
}

/// Runs the configured actions in order and explains the remaining jobs.
fn run_actions(session: &mut Session<'_>, out: &mut Recorder<'_>) {
    execute_actions(session, out);
    for refusal in session.refusals(out) {
        out.trace.refusal(|| refusal);
    }
    out.trace.checks.append(&mut session.notes.checks);
}

/// Runs the configured actions in order.
fn execute_actions(session: &mut Session<'_>, out: &mut Recorder<'_>) {
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
        share::division::QUOTA,
        share::division::PRIORITY,
        share::division::ROUND,
        share::division::REMAINDER,
        order::queue_order::OVER_UTILISED,
        order::queue_order::WITHIN_QUOTA,
        order::queue_order::PRIORITY,
        order::queue_order::ZERO_SHARE,
        order::queue_order::SHARE_WITH_JOB,
        order::queue_order::SHARE,
        order::queue_order::SMALLER,
        order::queue_order::OLDER,
        order::job_order::PRIORITY,
        order::job_order::FILLED,
        order::job_order::OLDER,
        order::job_order::NAME,
        share::capacity::LIMIT,
        share::capacity::QUOTA,
        place::placement::ROOM,
        place::placement::BEST_NODE,
        place::placement::NOMINATED,
        solve::reclaimable::CAN_RECLAIM,
        solve::reclaimable::MAINTAIN_FAIR_SHARE,
        solve::reclaimable::GUARANTEE_QUOTA,
        solve::reclaimable::KEEPS_ORDER,
        solve::reclaimable::STAYS_WITHIN_QUOTA,
        solve::min_runtime::RAN_LONG_ENOUGH,
        explain::immovable::PREEMPTIBLE,
        explain::recorder::LOWER_PRIORITY,
        explain::recorder::STALE_GRACE,
        actions::backoff::BACKOFF,
        explain::recorder::CRASH,
        explain::recorder::NO_DEVICE,
    ];
    rules.extend(order::nondeterminism::rules());
    rules
}

/// Rules for the rule book: [`rules`] and the measurement of past usage, which no decision uses directly.
pub fn all_rules() -> Vec<Rule> {
    let mut rules = rules();
    rules.push(share::usage::USAGE);
    rules
}
