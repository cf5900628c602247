//! The recorder: a lesson that is being written.

use std::sync::Arc;

use fairground::lesson::{Lesson, LessonFrame};

/// Largest number of undo steps.
const PAST_MAX: usize = 50;

/// The lesson that is being written; it stays when the recorder is closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorder {
    pub is_open: bool,
    pub lesson: Arc<Lesson>,
    /// Position of the frame that is edited.
    pub at: usize,
    /// Lessons before each step that a slip could take, newest last.
    pub(super) past: Vec<Arc<Lesson>>,
}

impl Recorder {
    pub fn frame(&self) -> Option<&LessonFrame> {
        self.lesson.frames.get(self.at)
    }

    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Changes the lesson; the step can be undone.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Lesson, usize)) {
        self.past.push(self.lesson.clone());
        if self.past.len() > PAST_MAX {
            self.past.remove(0);
        }
        change(Arc::make_mut(&mut self.lesson), self.at);
        self.at = self.at.min(self.lesson.frames.len().saturating_sub(1));
    }

    pub(super) fn change_frame(&mut self, change: impl FnOnce(&mut LessonFrame)) {
        self.change(|lesson, at| {
            if let Some(frame) = lesson.frames.get_mut(at) {
                change(frame);
            }
        });
    }
}
