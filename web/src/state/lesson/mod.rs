//! Lessons: the one that is played, its steps, how far lessons were played, and the one that is being written.

pub mod commands;
pub mod playing;
pub mod progress;
pub mod record;
pub mod recorder;
pub mod step;
