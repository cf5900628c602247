//! The badge: what the scenario's scheduler was checked against.

use fairground::policy::versions::{Revision, revision_of};
use fairground::scenario::Scenario;

/// Text of the badge of a scenario; `None`: its policy models no product.
pub fn badge(scenario: &Scenario) -> Option<String> {
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
    fn a_badge_says_what_was_compared() {
        let mut badges = Vec::new();
        for modelled in versions::all() {
            let policy = modelled.policy.to_owned();
            let plain = Scenario { policy, ..Scenario::default() };
            for revision in modelled.revisions {
                let badge = badge(&modelled.at(&plain, revision)).unwrap_or_default();
                assert!(badge.starts_with("Checked against ") && badge.ends_with(revision.label), "{badge}");
                badges.push(badge);
            }
            let named_none = badge(&plain).unwrap_or_default();
            assert_eq!(named_none, of(modelled.oldest()));
        }
        badges.sort();
        badges.dedup();
        assert_eq!(badges.len(), versions::all().map(|modelled| modelled.revisions.len()).sum::<usize>());
        for policy in Policy::baselines() {
            let policy = policy.key.to_owned();
            assert_eq!(badge(&Scenario { policy, ..Scenario::default() }), None);
        }
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(super::thousands(12), "12");
        assert_eq!(super::thousands(4182), "4,182");
        assert_eq!(super::thousands(1_000_000), "1,000,000");
    }
}
