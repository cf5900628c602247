//! Sentences of the page itself; those about decisions are in [`fairground::words`].

mod announce;
pub mod glossary;
mod help;

pub use fairground::words::*;

pub use announce::{action, announce, announce_action, step_sentence};
pub use help::{compared as help_compared, label as help_label, outcome};

#[cfg(test)]
mod explanations;
#[cfg(test)]
mod tests;
