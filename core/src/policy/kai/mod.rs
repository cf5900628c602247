//! KAI Scheduler: hierarchical fair share with reclaim.
//!
//! # Source
//! kai.md, upstream revision `72de64fc8eca10fa8cca26a20156178f3edbe092`; kai-v0.17.md, upstream revision
//! `d5bc503a146317e51037d89775d77172c6d12f71`

mod actions;
mod adapter;
pub(in crate::policy) mod advice;
pub mod config;
mod describe;
mod explain;
mod export;
mod facts;
mod fast;
pub mod form;
mod job;
mod kit;
mod kit_jobs;
mod kit_nodes;
mod kit_shards;
mod kit_timetable;
mod memory;
mod names;
pub(in crate::policy) mod number;
pub mod operator;
mod order;
mod place;
mod pod;
mod pool_facts;
mod pool_reader;
mod pool_state;
pub(in crate::policy) mod queues;
mod record;
pub mod recorded;
mod request;
mod revision;
mod session;
pub mod settings;
pub mod share;
mod solve;
mod statement;
mod task;
mod unused;
mod versions;

pub use adapter::Kai;
pub use describe::DESCRIPTION;
pub use memory::Memory;
pub use order::delay::PREEMPTION_DELAY;
pub use order::queue_order::{NAME, PRIORITY_WITHIN_QUOTA as PRIORITY_WITHIN_QUOTA_ORDER};
pub use record::recorder::{CRASH, STUCK_IN_RELEASING, UNFINISHED};
pub use solve::candidates::BELOW_QUOTA;
pub use solve::reclaimable::PRIORITY_WITHIN_QUOTA;

use crate::trace::Rule;
use config::Action;
use record::recorder::Recorder;
use session::Session;

/// Runs the configured actions in order and explains the remaining jobs.
fn run_actions(session: &mut Session<'_>, out: &mut Recorder<'_>) {
    execute_actions(session, out);
    if !session.inputs.monitor.is_interrupted() {
        explain(session, out);
    }
}

/// Explains the remaining jobs.
fn explain(session: &mut Session<'_>, out: &mut Recorder<'_>) {
    for refusal in session.refusals(out) {
        out.trace.refusal(|| refusal);
    }
    out.trace.searches.extend(session.failed_searches());
    out.trace.checks.append(&mut session.notes.checks);
}

/// Runs the configured actions in order.
fn execute_actions(session: &mut Session<'_>, out: &mut Recorder<'_>) {
    let (actions, monitor) = (&session.inputs.config.actions, session.inputs.monitor.clone());
    for (i, &action) in actions.iter().enumerate() {
        session.inputs.monitor = monitor.of_part(i, actions.len());
        execute(session, action, out);
    }
}

fn execute(session: &mut Session<'_>, action: Action, out: &mut Recorder<'_>) {
    out.trace.action = action.name();
    session.notes.ties.forget(0);
    match action {
        Action::Allocate => session.run_allocate(out),
        Action::Consolidation => session.run_consolidation(out),
        Action::Reclaim => session.run_reclaim(out),
        Action::Preempt => session.run_preempt(out),
        Action::StaleGangEviction => session.run_stale_gang_eviction(out),
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
        solve::immovable::PREEMPTIBLE,
        record::recorder::LOWER_PRIORITY,
        record::recorder::STALE_GRACE,
        order::backoff::BACKOFF,
        record::recorder::CRASH,
        record::recorder::NO_DEVICE,
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
