//! Which versions of a product a policy models, and what changed in the product since.
//!
//! The tables stand in the folders of the policies.

use super::Policy;

/// What of a product a policy models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modelled {
    /// The policy, as a scenario names it.
    pub policy: &'static str,
    /// The product.
    pub product: &'static str,
    /// Both in the fewest words.
    pub label: &'static str,
    /// Its versions that decide as modelled.
    pub versions: &'static str,
    /// The revision of its source that was read; empty where it is modelled from documents.
    pub revision: &'static str,
    /// What it was modelled from.
    pub source: &'static str,
    /// Up to which version, and how, later ones were compared; empty: they were not.
    pub compared: &'static str,
    /// What decides something else since.
    pub changes: &'static [Since],
}

/// A change of the product after the modelled versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// The first releases that have it.
    pub version: &'static str,
    /// The rules it concerns: keys, or the beginnings of keys up to a slash; empty: none that is modelled.
    pub rules: &'static [&'static str],
    /// How it is in the modelled versions, and so here.
    pub before: &'static str,
    /// How it is since.
    pub now: &'static str,
    /// How a user notices.
    pub notice: &'static str,
}

/// Every product that is modelled.
pub fn all() -> impl Iterator<Item = &'static Modelled> {
    Policy::ALL.iter().filter_map(|policy| policy.modelled)
}

/// What a policy models, empty for the default; `None`: no product.
pub fn modelled(policy: &str) -> Option<&'static Modelled> {
    Policy::described(policy)?.modelled
}

impl Modelled {
    /// The changes that concern a rule.
    pub fn since(&self, rule: &str) -> impl Iterator<Item = &'static Since> {
        self.changes.iter().filter(move |change| change.concerns(rule))
    }
}

impl Since {
    /// Whether it changes what a rule decides.
    pub fn concerns(&self, rule: &str) -> bool {
        self.rules.iter().any(|key| match key.strip_suffix('/') {
            Some(folder) => rule.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
            None => *key == rule,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_names_rules_of_its_policy() {
        for modelled in all() {
            assert!(Policy::NAMES.contains(&modelled.policy), "{}", modelled.policy);
            let book = Policy::rulebook(modelled.policy).expect("a policy of this build");
            for change in modelled.changes {
                for key in change.rules {
                    let one = Since { rules: std::slice::from_ref(key), ..*change };
                    let found = book.rules.iter().any(|rule| one.concerns(rule.key()));
                    assert!(found, "{} has no rule {key}", modelled.policy);
                }
                let says = [change.version, change.before, change.now, change.notice];
                assert!(says.iter().all(|text| !text.is_empty()), "{change:?}");
            }
        }
    }

    #[test]
    fn the_crash_names_the_releases_that_mend_it() {
        let kai = modelled("").expect("the default policy models a product");
        let mended: Vec<&str> = kai.since("kai/solver/crash").map(|change| change.version).collect();
        assert_eq!(mended, ["v0.16.0, v0.14.6 and v0.15.3"]);
        assert!(kai.since("kai/solver/crashes").next().is_none());
        assert!(kai.since("kai/division/round").next().is_some());
        assert_eq!(modelled("fifo"), None);
    }
}
