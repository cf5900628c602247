//! Runners of recorded and written cases, and shared code of tests and benches.
//!
//! The runner of the recordings is a library with two users: the binary `golden`, which takes
//! any directory, and the test of this package, which takes the recordings of the repository.

pub mod checker;
pub mod cycle;
pub mod digests;
pub mod division;
pub mod draw;
mod draw_newer;
mod draw_settings;
pub mod ego;
pub mod fifo_reference;
pub mod front;
pub mod known;
pub mod laws;
pub mod performance;
pub mod philly;
pub mod recording;
pub mod report;
pub mod rule_use;
pub mod run;
pub mod runai;
pub mod scenarios;
pub mod soak;
pub mod worlds;
pub mod written;
pub mod yunikorn;
