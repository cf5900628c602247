//! The moment under the cursor: selection, events, explanation.

pub mod commands;
pub mod dominant;
pub mod event_filter;
pub mod ladder;
pub mod order;
pub mod rules;
