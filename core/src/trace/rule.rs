//! Rules: one static record each, defined in the file that implements the rule.

/// The record behind a [`Rule`].
#[derive(Debug, PartialEq, Eq)]
pub struct RuleRecord {
    /// Unique key, such as `kai/queue-order/5`.
    pub key: &'static str,
    /// The rule in one line, in the product's words.
    pub says: &'static str,
    /// The comparison or formula, in letters; may be empty.
    pub formula: &'static str,
    /// Where it is specified.
    pub source: &'static str,
    /// How documentation and behaviour differ; empty if they agree.
    pub differs: &'static str,
}

/// A handle to a rule's record; equal by key. It is not sent with what it decided: see [`Rule::default`].
#[derive(Clone, Copy, Debug)]
pub struct Rule(pub &'static RuleRecord);

impl Rule {
    /// The unique key.
    pub fn key(self) -> &'static str {
        self.0.key
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Rule {}

/// No rule: what is read of a comparison until the one is put in that was sent beside it.
impl Default for Rule {
    fn default() -> Rule {
        Rule(&RuleRecord { key: "", says: "", formula: "", source: "", differs: "" })
    }
}
