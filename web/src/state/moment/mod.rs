//! The moment under the cursor: selection, events, explanation.

pub mod commands;
pub mod event_filter;
pub mod explanations;
pub mod report;
pub mod rules;
