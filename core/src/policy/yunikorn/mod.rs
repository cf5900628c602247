//! Apache YuniKorn: requests, applications and queues with dynamic priorities, one allocation per cycle.
//!
//! # Rule
//! From the root down, children with pending asks are sorted by effective priority, then by share, then by pending
//! amounts; in a leaf, applications by priority and submission (or usage); in an application, asks by priority and age.
//! The first ask that a node takes ends the cycle. An ask that cannot be placed does not block others. See
//! [`priority`], [`cycle`], [`preempt`].
//!
//! # Source
//! yunikorn.md; apache/yunikorn-core be3bb487 (after 1.9.0)
//!
//! # Differs
//! ties are broken in ascending byte order of names, one of the possible orders of upstream's maps

mod adapter;
mod advice;
pub mod amounts;
pub mod apps;
mod asks;
mod behind;
pub mod check;
pub mod config;
pub mod cycle;
mod decide;
mod describe;
mod eviction;
mod explain;
mod export;
pub mod file;
mod follow;
mod form;
mod gang;
mod gang_timers;
pub mod guarantee;
mod indices;
pub mod limits;
mod memory;
pub mod model;
mod near_nodes;
mod node_order;
mod node_reasons;
mod nodes;
mod order;
pub mod partition;
mod placeholders;
mod placement;
pub mod preempt;
mod preempted;
pub mod priority;
mod priority_steps;
pub mod properties;
pub mod quantity;
mod quota;
mod refuse;
pub mod required;
mod reservations;
pub mod rules;
pub mod settings;
pub mod shares;
mod spared;
pub mod stable;
mod translate;
mod tree;
mod victim_priority;
mod wake;
pub mod words;

pub use adapter::YuniKorn;
pub use describe::DESCRIPTION;
pub use memory::Memory;
pub use words::Config;
