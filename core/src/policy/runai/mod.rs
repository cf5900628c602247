//! Run:ai: departments and projects in node pools, a dialect of the KAI engine.
//!
//! # Rule
//! Every node pool is scheduled separately. A queue per department and pool has a queue per project and pool below it.
//! Fairshare is quota plus a part of the unused quota: among departments in proportion to their quotas, among the
//! projects of a department by their over-quota weights. Workloads of priority 100 and above are non-preemptible and
//! must fit in the quota. The cycle, its queue order, reclaim and preemption are those of the KAI engine; the
//! differences are in [`crate::policy::kai::config::Dialect`].
//!
//! # Source
//! runai.md; docs.run.ai, "The Run:ai Scheduler"
//!
//! # Differs
//! Run:ai publishes no source: our own choices are numbered (RC-1 to RC-16) where they are made.

mod adapter;
mod alternative_share;
pub mod config;
mod describe;
pub mod exact;
mod export;
pub mod fairshare;
mod form;
mod queues;
mod rules;
mod settings;
pub mod state;
pub mod terms;
mod translate;

pub use adapter::Runai;
pub use config::{Config, DIALECT};
pub use describe::DESCRIPTION;
pub use rules::own_rules;
