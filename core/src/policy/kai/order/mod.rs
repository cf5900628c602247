//! Who is next: queues, jobs and pods in order, and where upstream leaves an order to chance.

pub(super) mod draw;
pub(super) mod job_order;
pub(super) mod job_rank;
pub(super) mod leaves;
pub(super) mod nondeterminism;
pub(super) mod nondeterminism_probe;
pub mod queue_comparison;
pub(super) mod queue_order;
pub(super) mod queue_tree;
pub(super) mod task_order;
