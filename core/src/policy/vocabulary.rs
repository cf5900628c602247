//! Vocabulary of a policy: its terms for queue, fair share, quota, limit, weight.
//!
//! The neutral terms are mostly KAI's. A text marks the terms that policies may replace, as in `Add [a job] below`, and
//! [`Terms::fill`] replaces the marks by the active policy's terms. Each policy has its table in its own folder.

use super::Policy;

/// Vocabulary of a policy.
#[derive(Debug, PartialEq, Eq)]
pub struct Terms {
    /// Neutral term and the policy's term, if it differs.
    pub pairs: &'static [(&'static str, &'static str)],
    /// Column headers of the table of queues, each with its definition: name, quota, weight, limit, priority. An empty
    /// header omits the column, because the policy does not read the value.
    pub columns: [(&'static str, &'static str); 5],
    /// Neutral term and the product's term shown beside it in legends.
    pub marks: &'static [(&'static str, &'static str)],
}

/// Header of an omitted column.
pub const NONE: (&str, &str) = ("", "");

/// Values of the columns, by their names in scenario files.
const FIELDS: [&str; 5] = ["name", "quota", "weight", "limit", "priority"];

/// Terms that a policy may replace: the keys of marks. A term with an article or of several words is a separate key if
/// a policy does not compose it from the terms of its parts.
const NEUTRAL: &[&str] = &[
    "queue",
    "queues",
    "top-level queues",
    "queue state",
    "priority of the queue",
    "quota",
    "quotas",
    "a quota",
    "within quota",
    "over quota",
    "fair share",
    "fair shares",
    "beyond fair share",
    FAIR_SHARE_APART,
    "how the fair share is computed",
    "how its fair share is computed",
    "limit",
    "limits",
    "weight",
    "weights",
    "job",
    "jobs",
    "a job",
    "pod",
    "pods",
    "node",
    "nodes",
    "on owned nodes",
    "claimed",
    "eviction",
    "evictions",
    "evicted",
];

/// Key of *fair share* in texts that also mention *quota*, for policies with one term for both.
pub const FAIR_SHARE_APART: &str = "fair share beside quota";

impl Terms {
    /// Neutral terms, without columns other than the name of a queue.
    pub const PLAIN: Terms = Terms { pairs: &[], columns: [("queue", ""), NONE, NONE, NONE, NONE], marks: &[] };

    /// Vocabulary of the policy with this name in a scenario; of the default policy if there is no such policy.
    pub fn of(policy: &str) -> &'static Terms {
        Policy::described_or_default(policy).terms
    }

    /// Whether the policy reads a value of queues: quota, weight, limit or priority. True for any other name.
    pub fn reads(&self, field: &str) -> bool {
        FIELDS.iter().zip(self.columns).all(|(of, (head, _))| *of != field || !head.is_empty())
    }

    /// The policy's term in a text that also mentions *quota*; differs from its term for *quota*.
    pub fn word_apart(&self, neutral: &'static str) -> &'static str {
        let apart = self.pairs.iter().find(|(ours, _)| neutral == "fair share" && *ours == FAIR_SHARE_APART);
        apart.map_or_else(|| self.word(neutral), |(_, own)| own)
    }

    /// Replaces each mark of a text, such as `[queue]` or `[A job]`, by the policy's term, capitalized like the mark.
    /// Everything else is unchanged, including marks within straight quotes, which enclose names of a scenario.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['[', '"']) {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            let end = if let Some(quoted) = from.strip_prefix('"') {
                quoted.find('"').map_or(from.len(), |end| end + 2)
            } else {
                from.find(']').map_or(1, |end| end + 1)
            };
            let (taken, after) = from.split_at(end);
            filled.push_str(&self.marked(taken).unwrap_or_else(|| taken.into()));
            rest = after;
        }
        filled + rest
    }

    /// The policy's term for a mark; `None` if the key is unknown.
    fn marked(&self, mark: &str) -> Option<String> {
        let key = mark.strip_prefix('[')?.strip_suffix(']')?;
        let (first, others) = key.split_at_checked(1)?;
        let is_it = |word: &&&str| word.split_at(1) == (first.to_ascii_lowercase().as_str(), others);
        let own = self.word(NEUTRAL.iter().find(is_it)?);
        let (initial, others) = own.split_at(1);
        let is_capital = first.starts_with(|c: char| c.is_ascii_uppercase());
        Some(if is_capital { initial.to_ascii_uppercase() + others } else { own.into() })
    }

    /// The policy's term for a neutral one.
    pub fn word<'a>(&self, neutral: &'a str) -> &'a str {
        self.pairs.iter().find(|(ours, _)| *ours == neutral).map_or(neutral, |(_, own)| own)
    }

    /// The product's term shown beside a neutral one in a legend.
    pub fn mark(&self, neutral: &str) -> Option<&'static str> {
        self.marks.iter().find(|(ours, _)| *ours == neutral).map(|(_, own)| *own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vocabulary with words of its own.
    const OWN: Terms = Terms {
        pairs: &[
            ("queues", "consumers"),
            ("queue", "consumer"),
            ("fair share", "share quota"),
            ("quota", "ownership"),
            ("a job", "an allocation"),
            ("weights", "share ratios"),
        ],
        ..Terms::PLAIN
    };

    #[test]
    fn marks_are_filled_with_the_words_of_a_policy() {
        let text = "[Queues] below their [fair share]: its [quota] of 4, [a job]; [pods], [weights]";
        assert_eq!(Terms::PLAIN.fill(text), "Queues below their fair share: its quota of 4, a job; pods, weights");
        assert_eq!(
            OWN.fill(text),
            "Consumers below their share quota: its ownership of 4, an allocation; pods, share ratios"
        );
        assert_eq!((OWN.word("fair share"), OWN.word("limit")), ("share quota", "limit"));
    }

    #[test]
    fn what_is_not_marked_is_kept() {
        for text in ["a queue", "[é]", "[]", "[ ]", "[other]", "[queue", "queue]", "\"[queue]\"", "\"[queue]"] {
            assert_eq!(OWN.fill(text), text);
        }
        assert_eq!(OWN.fill("[queue] \"[queue]\" [[queue]]"), "consumer \"[queue]\" [[queue]]");
        assert_eq!(OWN.fill("[queue] \"my queue\" is a [queue]"), "consumer \"my queue\" is a consumer");
    }

    #[test]
    fn a_policy_has_columns_of_what_it_reads() {
        for policy in Policy::ALL {
            let queue = &policy.queue;
            let read = [
                ("quota", queue.quota.is_some()),
                ("weight", queue.weight.is_some()),
                ("limit", queue.limit.is_some()),
                ("priority", queue.priority.is_some()),
            ];
            for (field, is_read) in read {
                assert_eq!(policy.terms.reads(field), is_read, "{}: {field}", policy.key);
            }
        }
        assert!(Terms::PLAIN.reads("created"), "what is no column");
    }

    #[test]
    fn fair_share_and_quota_have_two_names() {
        for policy in Policy::ALL {
            assert_ne!(policy.terms.word_apart("fair share"), policy.terms.word_apart("quota"), "{}", policy.key);
        }
    }

    #[test]
    fn policies_name_words_of_texts() {
        let has = |phrase: &str, word: &str| format!(" {phrase} ").contains(&format!(" {word} "));
        for terms in Policy::ALL.iter().map(|policy| policy.terms) {
            let is_named = |word: &str| terms.pairs.iter().any(|(neutral, _)| *neutral == word);
            for (neutral, _) in terms.pairs {
                assert!(NEUTRAL.contains(neutral), "{neutral}");
                let phrases = NEUTRAL.iter().filter(|phrase| has(phrase, neutral));
                // Without an entry the phrase would keep the neutral word.
                for phrase in phrases.filter(|phrase| **phrase != FAIR_SHARE_APART) {
                    assert!(is_named(phrase), "{phrase} contains {neutral}");
                }
            }
        }
    }
}
