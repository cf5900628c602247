//! KAI Scheduler: hierarchical fair share with reclaim.
//!
//! # Source
//! kai.md; upstream revision `72de64fc8eca10fa8cca26a20156178f3edbe092`

pub mod config;
pub mod snapshot;

use crate::trace::Trace;
use snapshot::{CycleOutcome, Snapshot};

/// One cycle: opens a session from the snapshot, runs the configured actions in order, closes it.
pub fn run_cycle(_snapshot: &Snapshot, _trace: &mut Trace) -> CycleOutcome {
    CycleOutcome::default()
}
