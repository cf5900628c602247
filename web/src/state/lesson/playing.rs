//! The lesson that is played, and what was open before.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::lesson::result_code::{Answer, ResultCode};
use fairground::lesson::{Lesson, LessonFrame, Outcome, Question, QuestionKind, Scene, Subject};

use crate::state::branches::Kept;
use crate::state::document::Opened;
use crate::state::layout::view::View;

/// The name of a lesson that is not in the list, in result codes.
const OWN: &str = "own";

/// A lesson that is played.
#[derive(Clone, Debug)]
pub struct Playing {
    pub id: String,
    pub lesson: Arc<Lesson>,
    /// Position of the frame.
    pub at: usize,
    /// The number that is typed or dragged before it is compared.
    pub guess: String,
    /// The answer to the frame's question; empty: it was only revealed.
    pub said: Option<Vec<String>>,
    /// The answer compared with what happens, once the moment is known.
    pub outcome: Option<Outcome>,
    /// The first answers, by position of the frame.
    pub(super) answers: BTreeMap<usize, Answer>,
    /// The moment of the frame was requested and has not arrived.
    pub(super) is_awaited: bool,
    pub before: Before,
}

impl Playing {
    pub fn frame(&self) -> &LessonFrame {
        &self.lesson.frames[self.at]
    }

    /// What is shown: the frame's moment, or that of the answer.
    pub(super) fn scene(&self) -> &Scene {
        let frame = self.frame();
        match &frame.question {
            Some(question) if self.said.is_some() => &question.scene,
            _ => &frame.scene,
        }
    }

    /// The question, until it is answered.
    pub fn asked(&self) -> Option<&Question> {
        self.frame().question.as_ref().filter(|_| self.said.is_none())
    }

    /// Whether fair shares would give the answer to an open question away: one about a queue in this frame, or one about an
    /// amount in a later frame that is answered with the same scenario.
    pub fn hides_fair_shares(&self) -> bool {
        let is_of_queue = |question: &Question| question.answer.kind.subject() == Subject::Queue;
        let scene = self.scene();
        let is_told = |question: &Question| {
            question.kind != QuestionKind::TrueOrFalse
                && Arc::ptr_eq(&question.scene.scenario, &scene.scenario)
                && question.scene.pool == scene.pool
        };
        let later = self.lesson.frames.iter().enumerate().skip(self.at + 1);
        let mut open =
            later.filter(|(at, _)| !self.answers.contains_key(at)).filter_map(|(_, frame)| frame.question.as_ref());
        self.asked().is_some_and(is_of_queue) || open.any(|question| is_of_queue(question) && is_told(question))
    }

    /// Records how the question of the frame was answered. A second answer is given by someone who knows the first
    /// one's outcome.
    pub(super) fn record(&mut self, outcome: Outcome) {
        let answer = match &self.said {
            Some(said) if said.is_empty() => Answer::NotAnswered,
            _ if outcome.is_as_said => Answer::Right,
            _ => Answer::Wrong,
        };
        self.answers.entry(self.at).or_insert(answer);
        self.outcome = Some(outcome);
    }

    /// The result code, if a question was answered.
    pub fn result_code(&self) -> Option<ResultCode> {
        let answered = |answer: &Answer| *answer != Answer::NotAnswered;
        self.answers.values().any(answered).then(|| {
            let frames = self.lesson.frames.iter().enumerate().filter(|(_, frame)| frame.question.is_some());
            let answer = |at| self.answers.get(&at).copied().unwrap_or(Answer::NotAnswered);
            ResultCode {
                lesson: if self.id.is_empty() { OWN.to_string() } else { self.id.clone() },
                checksum: self.lesson.checksum,
                answers: frames.map(|(at, _)| answer(at)).collect(),
            }
        })
    }

    pub fn is_last(&self) -> bool {
        self.at + 1 == self.lesson.frames.len()
    }
}

/// What was open before a lesson.
#[derive(Clone, Debug)]
pub struct Before {
    pub(super) opened: Box<Opened>,
    pub(super) kept: Kept,
    pub(super) view: View,
}

impl Before {
    /// The former layout, with the settings of the device as they are now.
    pub(crate) fn layout(&self, now: &View) -> View {
        View {
            theme: now.theme,
            keys: now.keys,
            recent: now.recent.clone(),
            setup_width: now.setup_width,
            why_width: now.why_width,
            width_class: now.width_class,
            presenting: now.presenting,
            dialog: now.dialog.clone(),
            ..self.view.clone()
        }
    }
}
