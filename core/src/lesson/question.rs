//! Questions of a lesson.

use super::{Fact, Scene};
use crate::moment::Frame;

/// A question about what happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question, or the statement that is true or false.
    pub asks: String,
    pub kind: Kind,
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
pub enum Kind {
    TrueOrFalse,
    PickOne(Vec<String>),
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
            Kind::TrueOrFalse => TRUTHS.to_vec(),
            Kind::PickOne(options) => options.iter().map(String::as_str).collect(),
            Kind::Number => Vec::new(),
        }
    }

    /// The choices that are right at the moment of the answer; for a number, its value with the unit.
    pub fn right(&self, frame: &Frame) -> Vec<String> {
        match &self.kind {
            Kind::TrueOrFalse => vec![TRUTHS[usize::from(!self.answer.holds(frame))].to_string()],
            Kind::PickOne(options) => {
                options.iter().filter(|option| self.answer.about(option).holds(frame)).cloned().collect()
            }
            Kind::Number => self.answer.value(frame).map(|is| self.answer.spelled(is)).into_iter().collect(),
        }
    }

    /// Compares an answer with the moment that shows what happens; an empty one only asks for it.
    pub fn outcome(&self, said: &str, frame: &Frame) -> Outcome {
        let said = match (&self.kind, said.parse::<f64>()) {
            (Kind::Number, Ok(value)) => self.answer.spelled(value),
            _ => said.to_string(),
        };
        let right = self.right(frame);
        let is_as_said = right.contains(&said);
        let lower = |text: &str| if self.kind == Kind::TrueOrFalse { text.to_lowercase() } else { text.into() };
        let is = if right.is_empty() { "none of them".to_string() } else { lower(&right.join(" and ")) };
        let says = match is_as_said {
            _ if said.is_empty() => format!("It is {is}."),
            true => format!("As you said: {}.", lower(&said)),
            false => format!("You said {}; it is {is}.", lower(&said)),
        };
        Outcome { is_as_said, says }
    }
}
