//! Sentences of the page itself; those about decisions are in [`fairground::words`].

mod announce;
pub mod glossary;
mod jobs;

pub use fairground::words::*;

pub use announce::{action, announce, announce_action, step_sentence};

#[cfg(test)]
mod explanations;
#[cfg(test)]
mod tests;
