//! The engine of Fairground: a deterministic simulator of cluster schedulers. No browser, no clock, no
//! files, no threads.
//!
//! Read in this order: [`units`], [`time`], [`id`]; [`cluster`], the world; [`trace`], what
//! is recorded; [`policy`], the contract and the policies; [`scenario`], what a person wrote; [`sim`], what moves
//! time; [`link`], `import` and `translate`, how a scenario travels, where else it comes from, and how it reads under another
//! policy.

pub mod cluster;
pub mod id;
pub mod import;
pub mod kit;
pub mod link;
pub mod policy;
pub mod scenario;
pub mod sim;
pub mod time;
pub mod trace;
pub mod translate;
pub mod units;
