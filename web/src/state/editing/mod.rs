//! Commands that open and edit the document: its run starts again, and what was shown before is kept to compare.

pub mod commands;
pub mod translation;
