//! The glossary: terms of legends, table captions and explanations.
//!
//! Terms and texts are neutral and translated to the policy's words. A label on the screen is found by its text,
//! whether neutral or the policy's own.

use fairground::policy::Policy;
use fairground::policy::description::Description;
use fairground::words::Terms;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlossaryEntry {
    /// The neutral word.
    pub term: &'static str,
    /// Other labels with the same definition.
    labels: &'static [&'static str],
    /// The meaning, in neutral words.
    pub says: &'static str,
}

const fn entry(term: &'static str, labels: &'static [&'static str], says: &'static str) -> GlossaryEntry {
    GlossaryEntry { term, labels, says }
}

/// Terms of every policy.
const GENERAL: &[GlossaryEntry] = &[
    entry("queue", &[], "A group of [jobs] with a share of the cluster. [Queues] can have child [queues]."),
    entry("quota", &[], "What a [queue] is entitled to before anything else is divided."),
    entry("weight", &[], "The share of unused capacity: [weight] 2 gets twice as much as [weight] 1."),
    entry("limit", &[], "The most that a [queue] can use."),
    entry("requested", &[], "What the [jobs] of a [queue] use and wait for, together."),
    entry("allocated", &[], "What the running [jobs] of a [queue] use."),
    entry(
        "fair share",
        &["fair share now"],
        "What a [queue] may use now: its [quota], or less if it asks for less, plus its part of what others leave.",
    ),
    entry("unused", &[], "The part of a [quota] that is neither used nor requested. Others may use it."),
    entry("within quota", &[], "Allocated, up to the [quota]."),
    entry("over quota", &[], "Allocated beyond the [quota]. It can be reclaimed for other [queues]."),
    entry("beyond fair share", &[], "Allocated beyond the [quota] and beyond the [fair share]."),
    entry("claimed", &[], "Reserved for [a job] until [evicted] [pods] have shut down."),
    entry("leaving", &["shutting down"], "[Evicted] and shutting down. The GPU is not free yet."),
    entry("reclaim", &[], "[Eviction] of [jobs] of another [queue], so that a [queue] gets its share."),
    entry("preempt", &[], "[Eviction] of [a job] of lower priority in the same [queue]."),
    entry(
        "preemptible",
        &["non-preemptible"],
        "[A job] that can be [evicted]. [Jobs] that cannot are non-preemptible.",
    ),
    entry("gang", &[], "[Pods] that start together or not at all."),
    entry("cycle", &[], "One round of decisions of the scheduler."),
    entry("changed now", &[], "What the cycle that is shown has changed."),
    entry("before", &[], "How it was before the last change, at the same cycle."),
    entry("ghost", &[], "How it would be with the value that is being changed, at the same cycle."),
    entry("below share", &[], "How long a [queue] used less than its share while it requested more, since the start."),
    entry(
        "owed",
        &[],
        "What a [queue] missed of its share while it requested more: amount times time, such as GPU-hours.",
    ),
    entry("borrowed", &[], "What a [queue] used beyond its [quota]: amount times time, such as GPU-hours."),
    entry("used", &[], "What a [queue] used: amount times time, such as GPU-hours."),
    entry(
        "wait",
        &["median wait", "P90 wait", "longest wait now"],
        "The time from submission to the first start. Half of the [jobs] that started waited no longer than the median, nine of \
         ten no longer than the P90; the longest wait now is that of [a job] that has not started yet.",
    ),
    entry(
        "idle while work waited",
        &[],
        "What was free while [jobs] waited for it: amount times time, such as GPU-hours.",
    ),
    entry("free but too scattered", &[], "What is free, but in pieces that are too small for any waiting [job]."),
    entry(
        "evenness",
        &["Evenness (Jain index)", "Jain index"],
        "How equally [queues] were served: 1 if all got the same fraction of their share, less the more unequal the fractions are.",
    ),
    entry("evictions", &[], "How often a [pod] had to stop before it was finished."),
    entry(
        "lost",
        &["lost cycles", "work lost", "its work was lost"],
        "Work of [evicted] [pods] that has to be done again.",
    ),
];

/// Terms of pools that use share usage.
const OF_SHARE_USAGE: &[GlossaryEntry] = &[
    entry(
        "share usage",
        &["share usage after"],
        "Allocated units divided by the capacity of the pool for units of their size.",
    ),
    entry(
        "projected usage",
        &["projected usage / share ratio"],
        "The share usage that a [queue] would have with one more unit. The smallest, divided by the share ratio, goes first.",
    ),
    entry("sub-allocation", &[], "A part of [a job] whose units are all of one size."),
    entry("usage demand", &[], "Demanded units divided by that capacity, at most 1 for each sub-allocation."),
    entry("share usage quota", &[], "The share usage that a [queue] deserves now. Reclaim takes from those above it."),
    entry("private and public pool", &[], "Owned [nodes], and all others. Owners lend idle [nodes] and reclaim them."),
    entry("grace period", &[], "How long a unit keeps running after it was reclaimed."),
    entry(
        "static and dynamic share quota",
        &["static share quota", "dynamic share quota"],
        "Amounts of each resource by share ratio, for reference only.",
    ),
    entry(
        "capacity of the pool",
        &["capacity"],
        "The most units of a size that the hosts of the pool hold when they are empty.",
    ),
    entry("unit size", &["units per host"], "What one unit needs of each resource."),
    entry("share priority", &[], "Siblings of higher share priority are served first, whatever their share ratios."),
];

/// Terms of policies whose reclaim compares saturation.
const OF_SATURATION: &[GlossaryEntry] =
    &[entry("saturation ratio", &[], "Allocated divided by [fair share]. Reclaim compares it between [queues].")];

/// Terms of policies that name the states of queues.
const OF_STATES: &[GlossaryEntry] = &[entry(
    "queue state",
    &["state"],
    "[Within quota], [over quota] or [beyond fair share], by what is allocated; the worst of all resources counts.",
)];

/// Terms of queues whose priority depends on their pending work.
const OF_PRIORITIES: &[GlossaryEntry] = &[
    entry(
        "application priority",
        &["application"],
        "The highest priority of its outstanding requests. It falls as they are placed.",
    ),
    entry(
        "queue priority",
        &["queue priority before → after", "among siblings", "highest below", "from below"],
        "The highest priority of its applications or child [queues], plus its offset.",
    ),
    entry("ask", &["asks", "outstanding request"], "A request for [pods] of one size that an application has made."),
    entry("placeholder", &["placeholders"], "A [pod] that holds room for a gang until its real [pods] arrive."),
    entry("priority offset", &["offset"], "What a [queue] adds to the highest priority below it."),
    entry(
        "fence",
        &["priority policy"],
        "A [queue] that shows its offset alone: priorities below it count only below it.",
    ),
];

/// The terms of a policy, in order.
pub fn entries(policy: &str) -> impl Iterator<Item = GlossaryEntry> {
    let policy: &Description = Policy::described_or_default(policy);
    let own = [
        (true, GENERAL),
        (policy.saturation.is_some(), OF_SATURATION),
        (policy.queue_state.is_some(), OF_STATES),
        (policy.supports.share_usage, OF_SHARE_USAGE),
        (policy.supports.queue_priorities, OF_PRIORITIES),
    ];
    let is_read = |of: &GlossaryEntry| !matches!(of.term, "quota" | "weight" | "limit") || policy.terms.reads(of.term);
    own.into_iter().filter(|(is_known, _)| *is_known).flat_map(|(_, of)| of).copied().filter(is_read)
}

/// Term of a label on the screen, ignoring its unit and which of two runs it describes.
pub fn entry_of(label: &str, policy: &str) -> Option<GlossaryEntry> {
    let terms = Terms::of(policy);
    let label = label.split_once(", ").map_or(label, |(label, _)| label);
    let label = label.split_once(" (").map_or(label, |(label, _)| label);
    let is_named =
        |word: &'static str| word.eq_ignore_ascii_case(label) || label.eq_ignore_ascii_case(terms.word_apart(word));
    entries(policy).find(|of| is_named(of.term) || of.labels.iter().copied().any(is_named))
}

/// Words of other products for a term, where they differ: the word, and the product's name.
pub fn elsewhere(of: GlossaryEntry, policy: &str) -> Vec<(&'static str, &'static str)> {
    let own = Terms::of(policy).word_apart(of.term);
    let others = Policy::products().filter(|other| other.key != policy && entries(other.key).any(|it| it == of));
    others.map(|other| (other.terms.word_apart(of.term), other.short)).filter(|(word, _)| *word != own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(label: &str, policy: &str) -> Option<&'static str> {
        entry_of(label, policy).map(|of| of.term)
    }

    #[test]
    fn labels_are_found_in_both_words_and_without_their_unit() {
        for policy in Policy::ALL {
            let term = |label: &str| term(label, policy.key);
            let own = policy.terms.word_apart("fair share");
            for label in ["fair share", own] {
                for label in [label.to_string(), format!("{label}, GPUs"), format!("{label} (before), GPUs")] {
                    assert_eq!(term(&label), Some("fair share"), "{}: {label}", policy.key);
                }
            }
            assert_eq!(term(policy.terms.word_apart("within quota")), Some("within quota"), "{}", policy.key);
            assert_eq!(term("P90 wait"), Some("wait"));
            assert_eq!(term("node-1"), None);
            assert_eq!(term(""), None);
        }
    }

    #[test]
    fn a_policy_has_the_terms_that_it_knows() {
        for policy in Policy::ALL {
            let has = |label: &str| term(label, policy.key).is_some();
            assert_eq!(has("state"), policy.queue_state.is_some(), "{}", policy.key);
            assert_eq!(has("share usage"), policy.supports.share_usage, "{}", policy.key);
            assert_eq!(has("weight"), policy.queue.weight.is_some(), "{}", policy.key);
        }
    }

    #[test]
    fn no_term_is_there_twice() {
        for policy in Policy::NAMES {
            let mut all: Vec<&str> =
                entries(policy).flat_map(|of| of.labels.iter().copied().chain([of.term])).collect();
            let n = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), n, "{policy}");
        }
    }

    #[test]
    fn other_products_have_their_own_words() {
        let of = entry_of("fair share", Policy::DEFAULT.key).expect("a term");
        let gang = entry_of("gang", Policy::DEFAULT.key).expect("a term");
        for policy in Policy::ALL {
            let own = policy.terms.word_apart("fair share");
            let found = elsewhere(of, policy.key);
            assert!(!found.is_empty() && found.iter().all(|(word, _)| *word != own), "{found:?}");
            for other in Policy::products() {
                let word = other.terms.word_apart("fair share");
                assert_eq!(found.contains(&(word, other.short)), word != own, "{found:?}");
            }
            assert!(elsewhere(gang, policy.key).is_empty());
        }
    }
}
