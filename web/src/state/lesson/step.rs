//! Steps of a lesson.

use std::sync::Arc;

use fairground::lesson::Lesson;

/// A step of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonStep {
    Open {
        /// Its file name without extension.
        id: String,
        lesson: Arc<Lesson>,
        /// Position of the frame to begin with.
        at: usize,
    },
    Next,
    Back,
    /// Answers the question of the frame, which reveals what happens.
    Answer(String),
    /// Restores what was open before.
    Leave,
}
