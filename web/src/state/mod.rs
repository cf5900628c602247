//! The state of the page, in groups, and one function that changes it. No signals, no browser.
//!
//! [`update::update`] takes a [`command::Command`] and returns [`effect::Effect`]s, which are data too; `effects.rs` carries
//! them out. Each group has its data and its commands. Shared parts are behind `Arc`, so that the page can compare and hand them
//! out cheaply.

pub mod branches;
pub mod command;
pub mod document;
pub mod effect;
pub mod import;
pub mod in_flight;
pub mod layout;
pub mod model;
pub mod moment;
pub mod notice;
mod notify;
pub mod playback;
mod replies;
mod request;
pub mod update;
