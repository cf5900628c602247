//! KAI Scheduler: hierarchical fair share with reclaim.
//!
//! # Source
//! kai.md; upstream revision `72de64fc8eca10fa8cca26a20156178f3edbe092`

pub mod config;
pub mod snapshot;
