//! What a cycle records: its decisions, and notes for explanations.

pub(super) mod notes;
pub(super) mod recorder;
