//! Order of queues, jobs and pods, and orders that upstream leaves undefined.

pub(super) mod backoff;
pub(super) mod delay;
pub(super) mod draw;
pub(super) mod job_index;
pub(super) mod job_order;
pub(super) mod leaves;
pub(super) mod nondeterminism;
pub(super) mod nondeterminism_probe;
pub(super) mod queue_order;
pub(super) mod queue_tree;
pub(super) mod task_order;
