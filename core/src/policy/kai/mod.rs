//! KAI Scheduler: hierarchical fair share with reclaim.
//!
//! # Source
//! kai.md; upstream revision `72de64fc8eca10fa8cca26a20156178f3edbe092`

mod allocate;
mod capacity;
mod chunk;
pub mod config;
pub mod division;
mod fit;
mod job;
mod job_order;
mod node;
mod number;
mod place;
mod queue_order;
mod queue_tree;
mod recorder;
mod request;
mod score;
mod session;
pub mod snapshot;
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
            Action::Consolidation | Action::Reclaim | Action::Preempt | Action::StaleGangEviction => (),
        }
        out.end(&session);
    }
    out.outcome
}
