//! How well the engine is checked against the real schedulers: a file that the test run writes.

use fairground::policy::versions;

/// How many recorded cases agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Cases that agree.
    pub agree: u64,
    /// All cases.
    pub of: u64,
    /// Cases that are not counted: calls of functions that decide nothing.
    pub not_counted: u64,
    /// Cases that agree when they are written as scenario files.
    pub agree_as_scenarios: u64,
    /// Cases that a scenario file can say.
    pub can_be_scenarios: u64,
    /// The revision of the real scheduler; empty: it has none.
    pub revision: String,
}

impl Agreement {
    /// Cases that are counted.
    pub fn counted(&self) -> u64 {
        self.of - self.not_counted
    }
}

/// A line for each policy: its name, how many agree, of how many, how many are not counted, how many agree as scenario files, of how
/// many that a file can say, the revision.
const TEXT: &str = include_str!("../../assets/agreement.txt");

/// How well a policy is checked; nothing is known of one that has no recordings.
pub fn of(policy: &str) -> Agreement {
    let is_its = |line: &&str| line.split(' ').next() == Some(policy);
    let mut words = TEXT.lines().find(is_its).unwrap_or_default().split(' ').skip(1);
    let mut count = || words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
    let (agree, of, not_counted) = (count(), count(), count());
    let (agree_as_scenarios, can_be_scenarios) = (count(), count());
    let revision = words.next().unwrap_or_default().to_string();
    Agreement { agree, of, not_counted, agree_as_scenarios, can_be_scenarios, revision }
}

/// What the badge says of a policy: how many cases match which version of what; `None`: nothing is known.
pub fn badge(policy: &str) -> Option<String> {
    let found = of(policy);
    let (agree, of) = (found.agree, found.counted());
    let label = versions::modelled(policy).map_or("", |modelled| modelled.label);
    let counts = || format!("{} of {} test cases match", thousands(agree), thousands(of));
    // A policy without a revision is checked with an independent model of its documents.
    let what = if found.revision.is_empty() { "the documented rules" } else { label };
    (of > 0).then(|| format!("{} {what}", counts()))
}

/// A count with separated thousands.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_policy_with_recordings_has_its_line() {
        for policy in ["kai", "yunikorn", "runai", "ego"] {
            let found = super::of(policy);
            assert!(found.of > 0 && found.agree + found.not_counted <= found.of, "{policy}: {found:?}");
            let (agree, can_be) = (found.agree_as_scenarios, found.can_be_scenarios);
            assert!(agree <= can_be && can_be <= found.of, "{policy}: {found:?}");
        }
        assert_eq!(super::of("kai").revision.len(), 40);
        assert_eq!(super::of("fifo"), super::Agreement::default());
    }

    #[test]
    fn a_badge_says_what_cases_match() {
        let badge = |policy: &str| super::badge(policy).unwrap_or_default();
        assert!(badge("kai").ends_with(" test cases match KAI v0.14.0"), "{}", badge("kai"));
        assert!(badge("ego").ends_with(" test cases match the documented rules"), "{}", badge("ego"));
        assert_eq!(badge("fifo"), "");
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(super::thousands(12), "12");
        assert_eq!(super::thousands(4182), "4,182");
        assert_eq!(super::thousands(1_000_000), "1,000,000");
    }
}
