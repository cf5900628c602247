//! Sentences of the page beside those about decisions, which are the engine's: [`fairground::words`].

mod announce;
mod help;

pub use fairground::words::*;

pub use announce::{action, announce, announce_action};
pub use help::{compared as help_compared, label as help_label, outcome};

/// KAI's own word for a mark, where it has another one.
pub fn term(mark: &str) -> Option<&'static str> {
    Some(match mark {
        "cannot be taken" => "non-preemptible",
        "claimed" => "pipelined",
        "leaving" => "releasing",
        "quota" => "deserved",
        "limit" => "max allowed",
        "wants" => "requested",
        "down" => "not ready",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
