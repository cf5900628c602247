//! Lessons: short texts about moments of runs, with questions that the engine answers.
//!
//! A lesson is a file of its own. [`read`] checks it completely and resolves the scenario of every frame, so that
//! whoever plays it only opens scenarios and goes to cycles. Answers are not written in the file: a [`Question`] names
//! a [`Fact`], and its value is read off the moment.

mod entries;
mod fact;
mod hint;
mod question;
mod read;
pub mod result_code;
mod schema;
mod write;

use std::sync::Arc;

use crate::scenario::{Edit, Scenario};
use crate::words::Selection;

pub use fact::{Fact, FactKind, Subject};
pub use hint::{Hint, hint};
pub use question::{Outcome, Question, QuestionKind};
pub use read::{
    BYTES_MAX, FRAMES_MAX, Known, Mistake, NOTES_CHARS_MAX, SUGGESTIONS_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX,
    is_lesson, read, read_unfinished,
};
pub use schema::{lesson_reference, lesson_schema};
pub use write::to_yaml;

/// Value of the `format` key.
pub const FORMAT: &str = "fairground-lesson";

/// A lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lesson {
    pub title: String,
    /// What one learns.
    pub about: String,
    /// At least one; the last one is free play.
    pub frames: Vec<LessonFrame>,
    /// Checksum of what it says, however its file is laid out: results of other versions are not mixed with those of
    /// this one.
    pub checksum: u32,
}

impl Lesson {
    /// The questions in order.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.frames.iter().filter_map(|frame| frame.question.as_ref())
    }

    pub fn n_questions(&self) -> usize {
        self.questions().count()
    }
}

/// A text about a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LessonFrame {
    pub title: String,
    pub text: String,
    /// For the speaker.
    pub notes: String,
    pub scene: Scene,
    pub question: Option<Question>,
    /// Facts that the text states.
    pub claims: Vec<Fact>,
    /// Edits to try.
    pub suggestions: Vec<Suggestion>,
}

/// What is shown: a moment of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    pub scenario: Arc<Scenario>,
    /// The example whose scenario it is, if the frame names one.
    pub example: Option<String>,
    /// The edits of the scene before that lead to the scenario; none: it is an example, another scenario, or the same.
    pub edits: Vec<Edit>,
    pub cycle: u32,
    pub selection: Option<Selection>,
    /// The view of NOW, by its name in links.
    pub view: String,
    /// The node pool whose numbers are shown; empty: all.
    pub pool: String,
}

/// An edit to try.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub label: String,
    pub edits: Vec<Edit>,
}
