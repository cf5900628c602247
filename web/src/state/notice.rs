//! Notices to the visitor.

use crate::state::command::Command;

#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub id: u64,
    /// Reports a problem.
    pub is_problem: bool,
    pub text: String,
    /// Label and command of a button.
    pub action: Option<(String, Command)>,
}
