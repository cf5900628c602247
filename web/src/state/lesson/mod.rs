//! Lessons: the one that is played, its steps, and how far lessons were played.

pub mod commands;
pub mod playing;
pub mod progress;
pub mod step;
