//! KAI Scheduler: hierarchical fair share with reclaim.
//!
//! # Source
//! kai.md; upstream revision `72de64fc8eca10fa8cca26a20156178f3edbe092`

mod allocate;
mod capacity;
mod chunk;
pub mod config;
mod consolidate;
pub mod division;
mod filters;
mod fit;
mod hypothesis;
mod job;
mod job_order;
mod min_runtime;
mod node;
mod number;
mod place;
mod preempt;
mod queue_order;
mod queue_tree;
mod reclaim;
mod reclaimable;
mod recorder;
mod request;
mod score;
mod session;
mod signatures;
mod simulate;
pub mod snapshot;
mod solver;
mod stale_gang;
mod statement;
mod task;

use crate::trace::Trace;
use config::Action;
use recorder::Recorder;
use session::Session;
use snapshot::{CycleOutcome, Snapshot};

/// One cycle: opens a session from the snapshot, runs the configured actions in order, closes it.
pub fn run_cycle(snapshot: &Snapshot, trace: &mut Trace) -> CycleOutcome {
    let mut session = Session::open(snapshot);
    let names = snapshot.queues.iter().map(|q| q.name.clone());
    let mut out = Recorder::new(&session, names, trace);
    for &action in &snapshot.config.actions {
        out.begin(&session, action);
        match action {
            Action::Allocate => session.run_allocate(&mut out),
            Action::Consolidation => session.run_consolidation(&mut out),
            Action::Reclaim => session.run_reclaim(&mut out),
            Action::Preempt => session.run_preempt(&mut out),
            Action::StaleGangEviction => session.run_stale_gang_eviction(&mut out),
        }
        out.end(&session);
    }
    out.outcome
}
