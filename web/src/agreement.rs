//! What the scenario's scheduler was checked against.

use fairground::policy::versions::{Revision, revision_of};
use fairground::scenario::Scenario;

/// What the policy of a scenario was checked against; `None`: it models no product.
pub fn checked_against(scenario: &Scenario) -> Option<String> {
    revision_of(scenario).map(|(_, revision)| of(revision))
}

fn of(revision: &Revision) -> String {
    // A policy without a commit is compared with an independent model of its documentation.
    let documented = format!("the documentation of {}", revision.label);
    format!("Checked against {}", if revision.commit.is_empty() { &documented } else { revision.label })
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
    use super::*;
    use fairground::policy::{Policy, versions};

    #[test]
    fn each_revision_says_what_was_compared() {
        let mut texts = Vec::new();
        for modelled in versions::all() {
            let policy = modelled.policy.to_owned();
            let plain = Scenario { policy, ..Scenario::default() };
            for revision in modelled.revisions {
                let text = checked_against(&modelled.at(&plain, revision)).unwrap_or_default();
                assert!(text.starts_with("Checked against ") && text.ends_with(revision.label), "{text}");
                texts.push(text);
            }
            let named_none = checked_against(&plain).unwrap_or_default();
            assert_eq!(named_none, of(modelled.oldest()));
        }
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), versions::all().map(|modelled| modelled.revisions.len()).sum::<usize>());
        for policy in Policy::baselines() {
            let policy = policy.key.to_owned();
            assert_eq!(checked_against(&Scenario { policy, ..Scenario::default() }), None);
        }
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(super::thousands(12), "12");
        assert_eq!(super::thousands(4182), "4,182");
        assert_eq!(super::thousands(1_000_000), "1,000,000");
    }
}
