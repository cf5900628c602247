//! The engine of Fairground: a deterministic simulator of cluster schedulers. No browser, no clock, no
//! files, no threads.
//!
//! Read in this order: [`units`], [`time`], [`id`]; [`cluster`], the world; [`trace`], what
//! is recorded; [`policy`], the contract and the policies; [`scenario`], what a person wrote; [`sim`], what moves
//! time; [`moment`], the state after a cycle as data, and [`words`], what was decided as sentences; [`link`], `import`, `export`
//! and `translate`, how a scenario travels, where else it comes from and goes to, and how it reads under another policy.

#![warn(missing_docs)]

pub mod cluster;
pub mod export;
pub mod format;
pub mod id;
pub mod import;
pub mod kit;
pub mod link;
pub mod moment;
pub mod policy;
pub mod scenario;
pub mod sim;
pub mod time;
pub mod trace;
pub mod translate;
pub mod units;
pub mod words;
