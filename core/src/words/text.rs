//! Sentences with names. Names are separate pieces, so that they are shown as code, can be selected, and are never
//! markup.

use std::fmt;

use super::facts::Fact;
use super::{Selection, Terms};

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Plain words.
    Plain(String),
    /// The name of a queue.
    Queue(String),
    /// The name of a job.
    Job(String),
    /// The name of a node.
    Node(String),
    /// The key of a rule.
    Rule(String),
    /// A name that selects nothing, such as that of a node pool; it is shown as words are.
    Name(String),
    /// A recorded amount, as it is shown.
    Amount(String, Box<Fact>),
}

impl Piece {
    /// The selection of a name; `None` for words.
    pub fn selection(&self) -> Option<Selection> {
        match self {
            Piece::Plain(_) | Piece::Name(_) | Piece::Amount(..) => None,
            Piece::Queue(name) => Some(Selection::Queue(name.clone())),
            Piece::Job(name) => Some(Selection::Job(name.clone())),
            Piece::Node(name) => Some(Selection::Node(name.clone())),
            Piece::Rule(key) => Some(Selection::Rule(key.clone())),
        }
    }
}

/// A sentence, or part of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text(pub Vec<Piece>);

/// A sentence with holes, each for words, a name, an amount or another text: `text!("{job} waits in {queue}.", [job,
/// queue = of])`. Names stay separate pieces. A hole without a value, or a value without a hole, does not compile.
#[macro_export]
macro_rules! text {
    ($template:literal $(, [$($hole:ident $(= $value:expr)?),*])?) => {{
        // Only compares holes and values. In a template that is not a literal, no hole stands for a variable of that
        // name.
        let _ = format_args!(concat!($template) $($(, $hole = "")*)?);
        $crate::words::Text::of_template(
            $template,
            &[$($((stringify!($hole), $crate::text!(@ $hole $(= $value)?))),*)?],
        )
    }};
    (@ $hole:ident) => { $crate::words::Text::from($hole) };
    (@ $hole:ident = $value:expr) => { $crate::words::Text::from($value) };
}
pub(crate) use text;

/// What may stand in a hole.
macro_rules! from {
    ($($kind:ty: $value:ident => $text:expr;)*) => {
        $(impl From<$kind> for Text {
            fn from($value: $kind) -> Text {
                $text
            }
        })*
    };
}
from! {
    &str: words => Text::of(words);
    &String: words => Text::of(words);
    String: words => Text::of(words);
    // Without separators of thousands.
    u32: n => Text::of(n.to_string());
    // A text that may be left out.
    Option<Text>: text => text.unwrap_or_default();
    // A recorded amount with its unit.
    Fact: fact => Text(vec![Piece::Amount(fact.with_unit(), Box::new(fact))]);
}

/// A recorded amount without its unit.
pub(super) fn bare(fact: Fact) -> Text {
    Text(vec![Piece::Amount(fact.bare(), Box::new(fact))])
}

/// The name of a queue.
pub(super) fn queue(name: &str) -> Text {
    Text(vec![Piece::Queue(name.into())])
}

/// The name of a job.
pub(super) fn job(name: &str) -> Text {
    Text(vec![Piece::Job(name.into())])
}

/// The name of a node.
pub(super) fn node(name: &str) -> Text {
    Text(vec![Piece::Node(name.into())])
}

/// A name that selects nothing.
pub(super) fn name(name: &str) -> Text {
    Text(vec![Piece::Name(name.into())])
}

/// Texts with words between them.
pub fn joined(texts: impl IntoIterator<Item = Text>, between: &str) -> Text {
    let join = |all: Text, text| text!("{all}{between}{text}", [all, between, text]);
    texts.into_iter().reduce(join).unwrap_or_default()
}

impl Text {
    /// Creates a text from words.
    pub fn of(words: impl Into<String>) -> Text {
        Text::default().say(words)
    }
    /// Creates a text from a template with the values of its holes.
    pub fn of_template(template: &str, holes: &[(&str, Text)]) -> Text {
        debug_assert!(!template.contains("[{"), "the mark around a hole is never filled: {template}");
        let mut pieces = Vec::new();
        // A part begins with a hole: `job} waits in `; only the first one has none.
        for part in template.split('{') {
            let (hole, words) = part.split_once('}').unwrap_or(("", part));
            let value = holes.iter().find(|(name, _)| *name == hole);
            pieces.extend(value.into_iter().flat_map(|(_, value)| value.0.iter().cloned()));
            pieces.extend((!words.is_empty()).then(|| Piece::Plain(words.into())));
        }
        Text(pieces)
    }
    /// Adds words.
    pub fn say(mut self, words: impl Into<String>) -> Text {
        self.0.push(Piece::Plain(words.into()));
        self
    }
    /// Adds the name of a queue.
    pub fn queue(mut self, name: &str) -> Text {
        self.0.push(Piece::Queue(name.into()));
        self
    }
    /// Adds the name of a job.
    pub fn job(mut self, name: &str) -> Text {
        self.0.push(Piece::Job(name.into()));
        self
    }
    /// Adds the name of a node.
    pub fn node(mut self, name: &str) -> Text {
        self.0.push(Piece::Node(name.into()));
        self
    }
    /// Adds the key of a rule.
    pub fn rule(mut self, key: &str) -> Text {
        self.0.push(Piece::Rule(key.into()));
        self
    }
    /// Adds a name that selects nothing.
    pub fn name(mut self, name: &str) -> Text {
        self.0.push(Piece::Name(name.into()));
        self
    }
    /// Adds another text.
    pub fn then(mut self, other: impl Into<Text>) -> Text {
        self.0.extend(other.into().0);
        self
    }
    /// Adds a list of texts, separated by commas, with a conjunction before the last.
    pub fn list(mut self, items: Vec<Text>, last: &str) -> Text {
        let n = items.len();
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self = self.say(if i + 1 == n { format!(" {last} ") } else { ", ".into() });
            }
            self = self.then(item);
        }
        self
    }
    /// Fills the marks of the words, not of the names, with a policy's words.
    pub(super) fn in_terms(&mut self, terms: &Terms) {
        for piece in &mut self.0 {
            if let Piece::Plain(text) = piece {
                *text = terms.fill(text);
            }
        }
    }
    /// The text in a policy's words.
    pub fn filled(mut self, terms: &Terms) -> Text {
        self.in_terms(terms);
        self
    }
    /// Whether there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The text without marks around names, for screen readers.
    pub fn spoken(&self) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Plain(t)
                | Piece::Queue(t)
                | Piece::Job(t)
                | Piece::Node(t)
                | Piece::Rule(t)
                | Piece::Name(t)
                | Piece::Amount(t, _) => t.as_str(),
            })
            .collect()
    }
}

/// Formats as Markdown: names in backquotes.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.0 {
            match piece {
                Piece::Plain(text) | Piece::Name(text) | Piece::Amount(text, _) => f.write_str(text)?,
                Piece::Queue(name) | Piece::Job(name) | Piece::Node(name) | Piece::Rule(name) => write!(f, "`{name}`")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_words_in_holes_stay_apart() {
        let (queue_name, n) = (queue("{job}"), "2".to_string());
        let text = text!("{job} has {n} [pods] in {queue}", [job = job("a"), n, queue = queue_name]);
        assert_eq!(text.to_string(), "`a` has 2 [pods] in `{job}`");
        assert_eq!(text.0.len(), 5);
    }

    #[test]
    fn names_are_not_filled() {
        let text = Text::of("[Queue] ").queue("[queue]").say(" of pool ").name("[job]").say(" is a [queue]");
        let terms = Terms { pairs: &[("queue", "consumer")], ..Terms::PLAIN };
        assert_eq!(text.filled(&terms).spoken(), "Consumer [queue] of pool [job] is a consumer");
    }
}
