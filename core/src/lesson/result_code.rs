//! Result codes: what a reader answered in a lesson, as a line of text that can be handed on, and tables of many of
//! them.
//!
//! `FG1-quota-1a2b3c4d-rwn` is of the lesson `quota` with that checksum: its first question was answered right, the
//! second one wrong, the third one not at all. A code does not identify its reader, and equal codes of two readers count
//! twice.

use std::fmt;

use super::Lesson;

const PREFIX: &str = "FG1";
/// A lesson has fewer frames than that.
const QUESTIONS_MAX: usize = 20;
const NAME_CHARS_MAX: usize = 60;
/// Largest length of a code, in bytes: prefix, name, checksum, answers.
const BYTES_MAX: usize = PREFIX.len() + 1 + NAME_CHARS_MAX + 1 + 8 + 1 + QUESTIONS_MAX;
/// Largest number of lines that are added up.
pub const LINES_MAX: usize = 2_000;

/// How a question was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Right,
    Wrong,
    /// Not at all, or only after the answer was shown.
    NotAnswered,
}

/// The answers of one reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultCode {
    /// Name of the lesson: small letters, digits and hyphens.
    pub lesson: String,
    /// Checksum of the lesson's file.
    pub checksum: u32,
    /// One for each question.
    pub answers: Vec<Answer>,
}

/// Why a text is not a result code that can be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    NotACode,
    TooLong,
    /// It ends before the answers.
    Truncated,
    Name,
    Checksum,
    Answer(char),
    Questions {
        are: usize,
        expected: usize,
    },
    TooManyLines,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::NotACode => write!(f, "not a result code; it would begin with {PREFIX}-"),
            Mistake::TooLong => write!(f, "too long; a result code has at most {BYTES_MAX} characters"),
            Mistake::Truncated => f.write_str("incomplete; the end is missing"),
            Mistake::Name => f.write_str("the name of the lesson is missing or has unexpected characters"),
            Mistake::Checksum => {
                f.write_str("the 8 characters that stand for the version of the lesson cannot be read")
            }
            Mistake::Answer(is) => write!(f, "unexpected \"{}\"; answers are r, w or n", is.escape_default()),
            Mistake::Questions { are, expected } => {
                write!(f, "{are} answers, but the lesson has {expected} questions")
            }
            Mistake::TooManyLines => write!(f, "only the first {LINES_MAX} lines are counted"),
        }
    }
}

impl fmt::Display for ResultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}-{}-{:08x}-", self.lesson, self.checksum)?;
        self.answers.iter().try_for_each(|answer| {
            f.write_str(match answer {
                Answer::Right => "r",
                Answer::Wrong => "w",
                Answer::NotAnswered => "n",
            })
        })
    }
}

impl std::str::FromStr for ResultCode {
    type Err = Mistake;

    fn from_str(text: &str) -> Result<ResultCode, Mistake> {
        let text = text.trim();
        let rest = text.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('-')).ok_or(Mistake::NotACode)?;
        if text.len() > BYTES_MAX {
            return Err(Mistake::TooLong);
        }
        // The name has hyphens of its own.
        let mut parts = rest.rsplitn(3, '-');
        let (answers, checksum, lesson) = (parts.next(), parts.next(), parts.next());
        let (Some(answers), Some(checksum), Some(lesson)) = (answers, checksum, lesson) else {
            return Err(Mistake::Truncated);
        };
        if answers.is_empty() || is_checksum(answers) {
            return Err(Mistake::Truncated);
        }
        if !is_checksum(checksum) {
            return Err(Mistake::Checksum);
        }
        let is_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if lesson.is_empty() || lesson.len() > NAME_CHARS_MAX || !lesson.chars().all(is_of_name) {
            return Err(Mistake::Name);
        }
        let answers = answers.chars().map(read_answer).collect::<Result<Vec<_>, _>>()?;
        if answers.len() > QUESTIONS_MAX {
            return Err(Mistake::TooLong);
        }
        let checksum = u32::from_str_radix(checksum, 16).map_err(|_| Mistake::Checksum)?;
        Ok(ResultCode { lesson: lesson.to_string(), checksum, answers })
    }
}

fn is_checksum(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn read_answer(c: char) -> Result<Answer, Mistake> {
    match c {
        'r' => Ok(Answer::Right),
        'w' => Ok(Answer::Wrong),
        'n' => Ok(Answer::NotAnswered),
        _ => Err(Mistake::Answer(c)),
    }
}

/// How often a question was answered right, wrong and not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub right: usize,
    pub wrong: usize,
    pub not_answered: usize,
}

/// The codes of one version of a lesson, added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub lesson: String,
    pub checksum: u32,
    /// Number of codes.
    pub n_codes: usize,
    /// One for each question.
    pub questions: Vec<Tally>,
}

impl Table {
    fn add(&mut self, answers: &[Answer]) {
        self.n_codes += 1;
        for (tally, answer) in self.questions.iter_mut().zip(answers) {
            match answer {
                Answer::Right => tally.right += 1,
                Answer::Wrong => tally.wrong += 1,
                Answer::NotAnswered => tally.not_answered += 1,
            }
        }
    }
}

/// The sums of many codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// In the order of their first codes. Versions of a lesson are apart, as their questions can differ.
    pub tables: Vec<Table>,
    /// Lines that are not counted, numbered from 1, and why.
    pub mistakes: Vec<(usize, Mistake)>,
}

/// Adds up codes, one per line. `known` is the lesson of a name. Where a version is not known, its first code says how
/// many questions there are.
pub fn add_up<'l>(text: &str, known: impl Fn(&str) -> Option<&'l Lesson>) -> Sums {
    let mut sums = Sums::default();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let added = if i < LINES_MAX { line.parse() } else { Err(Mistake::TooManyLines) };
        let added = added.and_then(|code| sums.add(code, &known));
        let Err(mistake) = added else { continue };
        let is_end = mistake == Mistake::TooManyLines;
        sums.mistakes.push((i + 1, mistake));
        if is_end {
            break;
        }
    }
    sums
}

impl Sums {
    fn add<'l>(&mut self, code: ResultCode, known: impl Fn(&str) -> Option<&'l Lesson>) -> Result<(), Mistake> {
        let ResultCode { lesson, checksum, answers } = code;
        let is_of = |table: &Table| table.lesson == lesson && table.checksum == checksum;
        let known = known(&lesson).filter(|known| known.checksum == checksum);
        let at = self.tables.iter().position(is_of);
        let expected = known.map(Lesson::n_questions).or(at.map(|at| self.tables[at].questions.len()));
        if let Some(expected) = expected.filter(|expected| *expected != answers.len()) {
            return Err(Mistake::Questions { are: answers.len(), expected });
        }
        let at = at.unwrap_or_else(|| {
            let questions = vec![Tally::default(); answers.len()];
            self.tables.push(Table { lesson, checksum, n_codes: 0, questions });
            self.tables.len() - 1
        });
        self.tables[at].add(&answers);
        Ok(())
    }
}
