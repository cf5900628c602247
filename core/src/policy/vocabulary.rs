//! The words of a policy: what it calls what the program calls queue, fair share, quota, limit, weight.
//!
//! The neutral words are mostly KAI's. A text marks the words that a policy can name itself, as in `Add [a job] below`, and
//! [`Terms::fill`] replaces the marks by the words of the policy that runs. The tables stand in the folders of the policies.

use super::Policy;

/// What one policy calls things.
#[derive(Debug, PartialEq, Eq)]
pub struct Terms {
    /// Neutral word and the policy's, where it has its own.
    pub pairs: &'static [(&'static str, &'static str)],
    /// Heads of the table of queues, each with what it means: name, quota, weight, limit, priority. No head: the policy
    /// does not read such a value, so there is no column of it.
    pub columns: [(&'static str, &'static str); 5],
    /// The product's word beside one of ours, in legends.
    pub marks: &'static [(&'static str, &'static str)],
    /// What holds where a queue says nothing.
    pub unset: Unset,
}

/// What holds where a queue says nothing, as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub struct Unset {
    /// Quota of CPU, memory, GPU.
    pub quota: [&'static str; 3],
    /// Limit.
    pub limit: &'static str,
    /// Weight.
    pub weight: &'static str,
    /// Priority.
    pub priority: &'static str,
}

/// The head of a column that is not there.
pub const NONE: (&str, &str) = ("", "");

/// The values of the columns, as scenario files spell them.
const FIELDS: [&str; 5] = ["name", "quota", "weight", "limit", "priority"];

/// The words that a policy can name itself: the keys of marks. One with an article or of several words is a key of its own where
/// a policy names it in another way than its parts.
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
    "no limit",
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

/// Stands for *fair share* beside *quota*, where a policy has one word for both.
pub const FAIR_SHARE_APART: &str = "fair share beside quota";

impl Terms {
    /// The neutral words, where nothing is read of queues but their names.
    pub const PLAIN: Terms = Terms {
        pairs: &[],
        columns: [("queue", ""), NONE, NONE, NONE, NONE],
        marks: &[],
        unset: Unset { quota: [""; 3], limit: "", weight: "", priority: "" },
    };

    /// Those of a policy by its name in a scenario.
    pub fn of(policy: &str) -> &'static Terms {
        Policy::described_or_default(policy).terms
    }

    /// Whether the policy reads such a value of queues: quota, weight, limit or priority.
    pub fn reads(&self, field: &str) -> bool {
        FIELDS.iter().zip(self.columns).all(|(of, (head, _))| *of != field || !head.is_empty())
    }

    /// The policy's word for one of our own where the one for *quota* stands beside it: never the same.
    pub fn word_apart(&self, neutral: &'static str) -> &'static str {
        let apart = self.pairs.iter().find(|(ours, _)| neutral == "fair share" && *ours == FAIR_SHARE_APART);
        apart.map_or_else(|| self.word(neutral), |(_, own)| own)
    }

    /// Replaces each mark of a text, such as `[queue]` or `[A job]`, by the policy's word, with a capital where the mark has one.
    /// Everything else is kept: a name of a scenario that looks like a mark stands in straight quotes.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['[', '"']) {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            let end = match from.starts_with('"') {
                true => from[1..].find('"').map_or(from.len(), |end| end + 2),
                false => from.find(']').map_or(1, |end| end + 1),
            };
            let (taken, after) = from.split_at(end);
            filled.push_str(&self.marked(taken).unwrap_or_else(|| taken.into()));
            rest = after;
        }
        filled + rest
    }

    /// The policy's word for a mark.
    fn marked(&self, mark: &str) -> Option<String> {
        let key = mark.strip_prefix('[')?.strip_suffix(']')?;
        let (first, others) = key.split_at_checked(1)?;
        let is_it = |word: &&&str| word.split_at(1) == (first.to_ascii_lowercase().as_str(), others);
        let own = self.word(NEUTRAL.iter().find(is_it)?);
        let (initial, others) = own.split_at(1);
        let is_capital = first.starts_with(|c: char| c.is_ascii_uppercase());
        Some(if is_capital { initial.to_ascii_uppercase() + others } else { own.into() })
    }

    /// The policy's word for one of our own, both short and without more around them.
    pub fn word<'a>(&self, neutral: &'a str) -> &'a str {
        self.pairs.iter().find(|(ours, _)| *ours == neutral).map_or(neutral, |(_, own)| own)
    }

    /// The product's word that stands beside one of ours in a legend.
    pub fn mark(&self, neutral: &str) -> Option<&'static str> {
        self.marks.iter().find(|(ours, _)| *ours == neutral).map(|(_, own)| *own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_filled_with_the_words_of_a_policy() {
        let (runai, ego) = (Terms::of("runai"), Terms::of("ego"));
        let text = "[Queues] below their [fair share]: its [quota] of 4, [a job]; [pods], [weights]";
        let said = |terms: &Terms| terms.fill(text);
        assert_eq!(
            said(&Terms::PLAIN),
            "Queues below their fair share: its quota of 4, a job; pods, weights"
        );
        assert_eq!(
            said(runai),
            "Projects below their fairshare: its quota of 4, a workload; pods, over-quota weights"
        );
        assert_eq!(
            said(ego),
            "Consumers below their share quota: its ownership of 4, an allocation; units, share ratios"
        );
        assert_eq!((runai.word("fair share"), runai.word("limit")), ("fairshare", "limit"));
    }

    #[test]
    fn what_is_not_marked_is_kept() {
        let ego = Terms::of("ego");
        for text in ["a queue", "[é]", "[]", "[ ]", "[other]", "[queue", "queue]", "\"[queue]\"", "\"[queue]"]
        {
            assert_eq!(ego.fill(text), text);
        }
        assert_eq!(ego.fill("[queue] \"[queue]\" [[queue]]"), "consumer \"[queue]\" [[queue]]");
        assert_eq!(ego.fill("[queue] \"my queue\" is a [queue]"), "consumer \"my queue\" is a consumer");
    }

    #[test]
    fn a_policy_has_columns_of_what_it_reads() {
        let read = |policy: &str| {
            let fields = ["quota", "weight", "limit", "priority"].into_iter();
            fields.filter(|field| Terms::of(policy).reads(field)).collect::<Vec<_>>().join(" ")
        };
        for policy in ["kai", "runai", "ego", ""] {
            assert_eq!(read(policy), "quota weight limit priority", "{policy}");
        }
        assert_eq!(read("yunikorn"), "quota limit priority");
        assert_eq!(read("fifo"), "quota");
        assert_eq!((read("max-min"), read("drf")), ("weight limit".into(), "weight limit".into()));
        assert!(Terms::of("yunikorn").reads("created"), "what is no column");
    }

    #[test]
    fn fair_share_and_quota_have_two_names() {
        for policy in ["kai", "runai", "ego", "yunikorn", "fifo", "drf"] {
            let terms = Terms::of(policy);
            assert_ne!(terms.word_apart("fair share"), terms.word_apart("quota"), "{policy}");
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
                // Without a name of its own it is the other word.
                for phrase in phrases.filter(|phrase| **phrase != FAIR_SHARE_APART) {
                    assert!(is_named(phrase), "{phrase} contains {neutral}");
                }
            }
        }
    }
}
