//! Rules: one static record per rule, defined in the file that implements it.

/// The record behind a [`Rule`].
#[derive(Debug, PartialEq, Eq)]
pub struct RuleRecord {
    /// Unique key, such as `kai/queue-order/5`.
    pub key: &'static str,
    /// The rule in one line, in the product's terms.
    pub says: &'static str,
    /// The comparison or formula as text; may be empty.
    pub formula: &'static str,
    /// The paragraph that specifies it.
    pub source: &'static str,
    /// Differences between documentation and behaviour; empty if there are none.
    pub differs: &'static str,
}

/// A handle to a rule's record, compared by key. It is not serialised; see [`Rule::default`].
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

/// The empty rule, a placeholder in deserialised data until the rule that was sent separately is filled in.
impl Default for Rule {
    fn default() -> Rule {
        Rule(&RuleRecord { key: "", says: "", formula: "", source: "", differs: "" })
    }
}
