//! Steps of a lesson that is played, and of one that is written.

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
    /// Proposes a number, which is not compared yet.
    Guess(String),
    /// Answers the question of the frame, which reveals what happens: the chosen names in order, or a number. An empty
    /// answer only reveals it.
    Answer(Vec<String>),
    /// Restores what was open before.
    Leave,
}

/// A step of the recorder.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordStep {
    /// Opens or closes it.
    Open(bool),
    /// Puts another lesson in place of the one that is being written.
    Replace(Arc<Lesson>),
    /// The same lesson with other texts.
    Edit(Box<Lesson>),
    /// Shows a frame.
    Show(usize),
    /// Adds a frame after the one that is edited, with the moment on the screen.
    Take,
    /// Gives the frame the moment on the screen.
    Retake,
    /// Shows the answer to the frame's question at the moment on the screen.
    TakeAnswer,
    /// Suggests the edits that lead from the frame to the scenario on the screen.
    Suggest,
    /// Moves the frame to a position.
    Move(usize),
    Remove,
    Undo,
}
