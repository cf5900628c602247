//! The state of the page in groups, and the function that changes it. Uses neither signals nor the browser.
//!
//! [`update::update`] takes a [`command::Command`] and returns [`effect::Effect`]s as data; `effects.rs` executes them.
//! Each group consists of data and commands. Shared parts are in `Arc`s, which are cheap to compare and clone.

pub mod branches;
pub mod command;
pub mod document;
pub mod editing;
pub mod effect;
pub mod engine_state;
pub mod import;
pub mod layout;
pub mod lesson;
pub mod model;
pub mod moment;
pub mod playback;
pub mod update;
