//! Run:ai: departments and projects in node pools, a dialect of the KAI engine.
//!
//! # Rule
//! Every node pool is scheduled on its own. A queue per department and pool has a queue per project and pool below it. Fairshare
//! is quota plus a part of what nobody's quota uses: among departments in proportion to their quotas, among the projects of
//! one by their over-quota weights. Work of priority 100 and above is not preemptible and must fit in the quota. The cycle, its
//! queue order, reclaim and preemption are those of the KAI engine; what differs is named in
//! [`crate::policy::kai::config::Dialect`].
//!
//! # Source
//! runai.md; docs.run.ai, "The Run:ai Scheduler"
//!
//! # Differs
//! Run:ai publishes no source: choices of our own carry their number (RC-1 to RC-15) where they are made.

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
mod shared_rules;
pub mod state;
mod switches;
pub mod terms;
mod translate;
mod versions;
mod vocabulary;

pub use adapter::Runai;
pub use config::{Config, DIALECT};
pub use describe::DESCRIPTION;
pub use rules::RULES;
