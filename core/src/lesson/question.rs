//! Questions of a lesson.

use super::fact::TOLERANCE;
use super::{Fact, FactKind, Scene};
use crate::moment::Frame;

/// A question about what happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question, or the statement that is true or false.
    pub asks: String,
    pub kind: QuestionKind,
    /// Without a subject if there are options.
    pub answer: Fact,
    /// The moment that shows the answer.
    pub scene: Scene,
    /// The reason.
    pub because: String,
    /// Facts that the reason states.
    pub claims: Vec<Fact>,
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum QuestionKind {
    TrueOrFalse,
    PickOne(Vec<String>),
    /// The names are put in order: the largest value first, of times the earliest.
    Order(Vec<String>),
    Number,
}

/// What the reader said, compared with what happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub is_as_said: bool,
    /// One sentence.
    pub says: String,
}

/// Answers of a question that is true or false.
pub const TRUTHS: [&str; 2] = ["True", "False"];

impl Question {
    /// The answers to choose from; none if the answer is a number.
    pub fn choices(&self) -> Vec<&str> {
        match &self.kind {
            QuestionKind::TrueOrFalse => TRUTHS.to_vec(),
            QuestionKind::PickOne(options) | QuestionKind::Order(options) => {
                options.iter().map(String::as_str).collect()
            }
            QuestionKind::Number => Vec::new(),
        }
    }

    /// The choices that are right at the moment of the answer, those of an order in that order; for a number, its value
    /// with the unit.
    pub fn right(&self, frame: &Frame) -> Vec<String> {
        match &self.kind {
            QuestionKind::TrueOrFalse => vec![TRUTHS[usize::from(!self.answer.holds(frame))].to_string()],
            QuestionKind::PickOne(options) => {
                options.iter().filter(|option| self.answer.about(option).holds(frame)).cloned().collect()
            }
            QuestionKind::Order(options) => {
                let mut options = options.clone();
                options.sort_by(|a, b| self.rank(a, frame).total_cmp(&self.rank(b, frame)));
                options
            }
            QuestionKind::Number => self.answer.value(frame).map(|is| self.answer.spelled(is)).into_iter().collect(),
        }
    }

    /// Compares an answer, the chosen names or the number, with the moment that shows what happens; an empty one only
    /// asks for it.
    pub fn outcome(&self, said: &[String], frame: &Frame) -> Outcome {
        let mut said = said.to_vec();
        if let (QuestionKind::Number, [typed]) = (&self.kind, said.as_mut_slice())
            && let Ok(value) = typed.parse::<f64>()
        {
            *typed = self.answer.spelled(value);
        }
        let right = self.right(frame);
        let is_as_said = match &self.kind {
            // Equal values have no order.
            QuestionKind::Order(options) => {
                let has_all = said.len() == options.len() && options.iter().all(|name| said.contains(name));
                has_all && said.is_sorted_by_key(|name| self.rank(name, frame))
            }
            _ => said.iter().any(|said| right.contains(said)),
        };
        let is = self.spelled(&right, frame);
        let says = match is_as_said {
            _ if said.is_empty() => format!("It is {is}."),
            true => format!("As you said: {}.", self.spelled(&said, frame)),
            false => format!("You said {}; it is {is}.", self.lower(&said.join(", "))),
        };
        Outcome { is_as_said, says }
    }

    /// The right answer in words, an order with its values.
    pub fn spelled(&self, right: &[String], frame: &Frame) -> String {
        let value = |name: &String| match self.answer.about(name).value(frame) {
            Some(value) => format!("{name} ({})", self.answer.spelled(value)),
            None if self.is_earliest_first() => format!("{name} (not started)"),
            None => name.clone(),
        };
        match &self.kind {
            _ if right.is_empty() => "none of them".to_string(),
            QuestionKind::Order(_) => right.iter().map(value).collect::<Vec<_>>().join(", "),
            _ => self.lower(&right.join(" and ")),
        }
    }

    /// Whether the earliest of an order is first, not the largest.
    pub fn is_earliest_first(&self) -> bool {
        self.answer.kind == FactKind::FirstStart
    }

    /// The place of a name in an order, as a number that grows; what is unlimited has the first place, what does not
    /// start the last one.
    fn rank(&self, name: &str, frame: &Frame) -> f64 {
        let value = self.answer.about(name).value(frame).unwrap_or(f64::INFINITY);
        let value = (value / TOLERANCE).round();
        if self.is_earliest_first() { value } else { -value }
    }

    fn lower(&self, text: &str) -> String {
        if self.kind == QuestionKind::TrueOrFalse { text.to_lowercase() } else { text.to_string() }
    }
}
