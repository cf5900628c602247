//! The words of a policy: what it calls what the program calls queue, fair share, quota, limit, weight.
//!
//! The neutral words are mostly KAI's. [`Terms::says`] puts a text of our own into the words of the policy that runs; names of queues and
//! jobs are never given to it. The tables stand in the folders of the policies.

use super::Policy;

/// What one policy calls things.
#[derive(Debug, PartialEq, Eq)]
pub struct Terms {
    /// Neutral word and the policy's; whole words only, longer ones before those that they contain.
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

    /// A text in the policy's words; what stands in straight quotes stays as it is.
    pub fn says(&self, text: &str) -> String {
        let mut said = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = None;
        // What stands in quotes is somebody's name.
        let mut is_name = false;
        while let Some(first) = rest.chars().next() {
            is_name ^= first == '"';
            match self.at_start(rest).filter(|_| !is_name && !before.is_some_and(joins)) {
                Some((neutral, own)) => {
                    if first.is_uppercase() {
                        let mut chars = own.chars();
                        said.extend(chars.next().into_iter().flat_map(char::to_uppercase));
                        said.push_str(chars.as_str());
                    } else {
                        said.push_str(own);
                    }
                    rest = &rest[neutral.len()..];
                    before = neutral.chars().next_back();
                }
                None => {
                    said.push(first);
                    rest = &rest[first.len_utf8()..];
                    before = Some(first);
                }
            }
        }
        said
    }

    /// The policy's word for one of our own, both short and without more around them.
    pub fn word(&self, neutral: &'static str) -> &'static str {
        self.pairs.iter().find(|(ours, _)| *ours == neutral).map_or(neutral, |(_, own)| own)
    }

    /// The product's word that stands beside one of ours in a legend.
    pub fn mark(&self, neutral: &str) -> Option<&'static str> {
        self.marks.iter().find(|(ours, _)| *ours == neutral).map(|(_, own)| *own)
    }

    /// The pair whose neutral word a text begins with, whole and in small letters but for the first.
    fn at_start(&self, text: &str) -> Option<(&'static str, &'static str)> {
        let is_it = |(neutral, _): &&(&'static str, &'static str)| {
            let (Some(head), Some(tail)) = (text.get(..neutral.len()), text.get(neutral.len()..)) else {
                return false;
            };
            let is_same = head == *neutral || head.eq_ignore_ascii_case(neutral) && head[1..] == neutral[1..];
            is_same && !tail.chars().next().is_some_and(joins)
        };
        self.pairs.iter().find(is_it).copied()
    }
}

/// Part of a word or of a name.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_put_into_the_words_of_a_policy() {
        let (runai, ego) = (Terms::of("runai"), Terms::of("ego"));
        let text = "Queues below their fair share: its quota of 4, a job; pods, weights";
        assert_eq!(Terms::of("kai").says(text), text);
        assert_eq!(
            runai.says(text),
            "Projects below their fairshare: its quota of 4, a workload; pods, over-quota weights"
        );
        assert_eq!(
            ego.says(text),
            "Consumers below their share quota: its ownership of 4, an allocation; units, share ratios"
        );
        assert_eq!(ego.says("queue-1 my-quota unlimited jobless"), "queue-1 my-quota unlimited jobless");
        assert_eq!(ego.says("quota é queue"), "ownership é consumer");
        assert_eq!(ego.says("the queue \"my queue\" is a queue"), "the consumer \"my queue\" is a consumer");
        assert_eq!((runai.word("fair share"), runai.word("limit")), ("fairshare", "limit"));
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
    fn no_pair_hides_a_longer_one() {
        for terms in Policy::ALL.iter().map(|policy| policy.terms) {
            for (i, (word, _)) in terms.pairs.iter().enumerate() {
                let hidden =
                    terms.pairs[i + 1..].iter().any(|(later, _)| later.starts_with(&format!("{word} ")));
                assert!(!hidden, "{word}");
            }
        }
    }
}
