//! Lines that report what happened.

use crate::state::command::Command;

/// A line that tells what happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Its number.
    pub id: u64,
    /// Something went wrong.
    pub is_problem: bool,
    /// The line.
    pub text: String,
    /// What can be done: what the button says, and what it does.
    pub action: Option<(String, Command)>,
}
