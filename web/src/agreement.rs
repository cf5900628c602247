//! Agreement of the engine with the real schedulers, from a file written by the tests.

use fairground::policy::versions;

/// Number of recorded cases that agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    pub agree: u64,
    /// All cases.
    pub of: u64,
    /// Cases that are not counted: calls of functions without a decision.
    pub not_counted: u64,
    /// Cases that agree when converted to scenario files.
    pub agree_as_scenarios: u64,
    /// Cases that can be expressed as scenario files.
    pub can_be_scenarios: u64,
    /// Revision of the real scheduler; empty: there is none.
    pub revision: String,
}

impl Agreement {
    pub fn counted(&self) -> u64 {
        self.of - self.not_counted
    }
}

/// One line per policy: name, cases that agree, all cases, cases not counted, cases that agree as scenario files, cases that can
/// be expressed as such, revision.
const TEXT: &str = include_str!("../../assets/agreement.txt");

/// The agreement of a policy; all zero if it has no recordings.
pub fn of(policy: &str) -> Agreement {
    let is_its = |line: &&str| line.split(' ').next() == Some(policy);
    let mut words = TEXT.lines().find(is_its).unwrap_or_default().split(' ').skip(1);
    let mut count = || words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
    let (agree, of, not_counted) = (count(), count(), count());
    let (agree_as_scenarios, can_be_scenarios) = (count(), count());
    let revision = words.next().unwrap_or_default().to_string();
    Agreement { agree, of, not_counted, agree_as_scenarios, can_be_scenarios, revision }
}

/// Text of the badge of a policy: how many cases match which version; `None`: there are none.
pub fn badge(policy: &str) -> Option<String> {
    let found = of(policy);
    let (agree, of) = (found.agree, found.counted());
    let label = versions::modelled(policy).map_or("", |modelled| modelled.label);
    let counts = || format!("{} of {} test cases match", thousands(agree), thousands(of));
    // A policy without a revision is compared with an independent model of its documentation.
    let what = if found.revision.is_empty() { "the documented rules" } else { label };
    (of > 0).then(|| format!("{} {what}", counts()))
}

/// Formats a count with thousands separators.
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
    use fairground::policy::Policy;

    #[test]
    fn every_policy_with_recordings_has_its_line() {
        for policy in Policy::products().map(|product| product.key) {
            let found = super::of(policy);
            assert!(found.of > 0 && found.agree + found.not_counted <= found.of, "{policy}: {found:?}");
            let (agree, can_be) = (found.agree_as_scenarios, found.can_be_scenarios);
            assert!(agree <= can_be && can_be <= found.of, "{policy}: {found:?}");
        }
        assert_eq!(super::of(Policy::NAMES[0]).revision.len(), 40);
        for policy in Policy::baselines() {
            assert_eq!(super::of(policy.key), super::Agreement::default(), "{}", policy.key);
        }
    }

    #[test]
    fn a_badge_says_what_cases_match() {
        let badge = |policy: &str| super::badge(policy).unwrap_or_default();
        for product in Policy::products() {
            let modelled = product.modelled.expect("a product is modelled");
            let what = if modelled.revision.is_empty() { "the documented rules" } else { modelled.label };
            let badge = badge(product.key);
            assert!(badge.ends_with(&format!(" test cases match {what}")), "{badge}");
        }
        assert!(Policy::baselines().all(|policy| badge(policy.key).is_empty()));
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(super::thousands(12), "12");
        assert_eq!(super::thousands(4182), "4,182");
        assert_eq!(super::thousands(1_000_000), "1,000,000");
    }
}
