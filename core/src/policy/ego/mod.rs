//! IBM EGO (Spectrum Conductor, Symphony): the multidimensional share policy, and the slot policy as its older sibling.
//!
//! # Rule
//! A consumer tree shares the hosts of a plan. A leaf uses its own hosts first, then the private pools above it,
//! closest first, then the public pool. In a pool, siblings are compared by share priority, then by usage over share
//! ratio, where usage is the number of units held over the capacity of the empty pool in such units. Free resources go
//! to the most under-used; when they are insufficient, reclaim takes from consumers above their share limit, then from
//! those above their share usage quota. A reclaimed unit keeps running for a grace period. Every pool is shared
//! separately.
//!
//! # Source
//! ego.md; IBM, *Share policies for multidimensional scheduling*
//!
//! # Differs
//! IBM publishes no source: our own choices are numbered (OC-1 to OC-34) where they are made.

mod adapter;
pub mod assign;
pub mod config;
pub mod cycle;
mod cycle_state;
mod describe;
mod export;
mod form;
pub mod grace;
mod holdings;
mod host_choice;
mod host_order;
pub mod ids;
mod initial_state;
pub mod layout;
mod ledger;
mod limits;
mod memory;
pub mod model;
mod near_hosts;
pub mod number;
mod order;
mod over_commit;
pub mod ownership;
pub mod plan;
pub mod pool;
pub mod pool_state;
pub mod quota;
mod quota_status;
mod ranking;
pub mod reclaim;
mod refuse;
mod rules;
mod settings;
mod share_usage;
pub mod slot;
mod slot_cycle;
mod slot_findings;
mod slot_view;
mod spared;
mod translate;

pub use adapter::Ego;
pub use config::Config;
pub use describe::DESCRIPTION;
pub use memory::Memory;
pub use rules::RULES;
