//! Rules: one static record each, defined in the file that implements the rule.
//!
//! Of a rule its key is sent. Who reads one learns the record from the catalogue of the run ([`whole`]), which comes first; a
//! program that has the rule itself reads the same record.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The record behind a [`Rule`].
#[derive(Debug, PartialEq, Eq, Serialize)]
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

/// A handle to a rule's record; equal by key.
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

/// Records that were read, by key. They stay for as long as the program runs, like those that it was built with: there are a
/// few hundred rules.
static READ: RwLock<BTreeMap<&'static str, Rule>> = RwLock::new(BTreeMap::new());

/// A record as it is read.
#[derive(Deserialize)]
struct Read {
    key: String,
    says: String,
    formula: String,
    source: String,
    differs: String,
}

impl Rule {
    /// The rule of that key among those that were read, else one of which nothing but the key is known.
    fn named(key: &str) -> Rule {
        let known = READ.read().unwrap_or_else(PoisonError::into_inner).get(key).copied();
        known.unwrap_or_else(|| {
            let none = String::new;
            let unknown =
                Read { key: key.into(), says: none(), formula: none(), source: none(), differs: none() };
            unknown.keep()
        })
    }
}

impl Read {
    /// The rule with this record, which is kept once.
    fn keep(self) -> Rule {
        let mut read = READ.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(self.key.as_str()).filter(|known| known.0.says == self.says) {
            return *known;
        }
        let rule = self.record();
        read.insert(rule.key(), rule);
        rule
    }

    fn record(self) -> Rule {
        let text = |text: String| -> &'static str { text.leak() };
        Rule(Box::leak(Box::new(RuleRecord {
            key: text(self.key),
            says: text(self.says),
            formula: text(self.formula),
            source: text(self.source),
            differs: text(self.differs),
        })))
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.key())
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Rule, D::Error> {
        Ok(Rule::named(&String::deserialize(from)?))
    }
}

/// Rules with all that is known of them, for catalogues.
pub mod whole {
    use super::{Deserialize, Deserializer, Read, Rule, Serialize, Serializer};

    /// Writes the records.
    pub fn serialize<S: Serializer>(rules: &[Rule], to: S) -> Result<S::Ok, S::Error> {
        rules.iter().map(|rule| rule.0).collect::<Vec<_>>().serialize(to)
    }

    /// Reads records and keeps them, so that the rules are known by key from now on.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Rule>, D::Error> {
        Ok(Vec::<Read>::deserialize(from)?.into_iter().map(Read::keep).collect())
    }
}
