//! Modelled versions of products, and later changes of the products.
//!
//! Each policy has its table in its own folder.

use super::Policy;

/// Modelled versions of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modelled {
    /// Name of the policy in scenario files.
    pub policy: &'static str,
    /// Name of the product.
    pub product: &'static str,
    /// Short label of product and versions.
    pub label: &'static str,
    /// Versions that decide as modelled.
    pub versions: &'static str,
    /// Revision of the source code on which the model is based; empty if it is based on documents.
    pub revision: &'static str,
    /// Source of the model.
    pub source: &'static str,
    /// Range of later versions that were compared, and how; empty if none was.
    pub compared: &'static str,
    /// Changes of behaviour since.
    pub changes: &'static [Since],
}

/// A change of the product after the modelled versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// First releases that contain it.
    pub version: &'static str,
    /// Affected rules: keys, or prefixes of keys up to a slash; empty if no modelled rule is affected.
    pub rules: &'static [&'static str],
    /// Behaviour of the modelled versions, and of the simulation.
    pub before: &'static str,
    /// Behaviour since the change.
    pub now: &'static str,
    /// Visible effect for a user.
    pub notice: &'static str,
    /// Set if comparisons record that the behaviour before the change decided them.
    pub fault: Option<Fault>,
}

/// A known fault of the modelled versions that may decide comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Unique key, recorded with a comparison that it decided.
    pub key: &'static str,
    /// What to write in a scenario or manifest to avoid it, as a sentence.
    pub instead: &'static str,
}

/// All modelled products.
pub fn all() -> impl Iterator<Item = &'static Modelled> {
    Policy::ALL.iter().filter_map(|policy| policy.modelled)
}

/// The product that a policy models, the default policy if empty; `None` if it models no product.
pub fn modelled(policy: &str) -> Option<&'static Modelled> {
    Policy::described(policy)?.modelled
}

impl Modelled {
    /// Changes that affect a rule.
    pub fn since(&self, rule: &str) -> impl Iterator<Item = &'static Since> {
        self.changes.iter().filter(move |change| change.concerns(rule))
    }

    /// The change that mends a known fault, and the fault.
    pub fn mends(&self, fault: &str) -> Option<(&'static Since, Fault)> {
        self.changes
            .iter()
            .find_map(|change| Some((change, change.fault.filter(|known| known.key == fault)?)))
    }
}

impl Since {
    /// Whether the change affects a rule.
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
                if let Some(fault) = change.fault {
                    assert_eq!(modelled.mends(fault.key).map(|found| found.0), Some(change), "{}", fault.key);
                    assert!(!fault.instead.is_empty(), "{}", fault.key);
                }
                let says = [change.version, change.before, change.now, change.notice];
                assert!(says.iter().all(|text| !text.is_empty()), "{change:?}");
            }
        }
    }

    #[test]
    fn the_crash_names_the_releases_that_fix_it() {
        let kai = modelled("").expect("the default policy models a product");
        let mended: Vec<&str> = kai.since("kai/solver/crash").map(|change| change.version).collect();
        assert_eq!(mended, ["v0.16.0, v0.14.6 and v0.15.3"]);
        assert!(kai.since("kai/solver/crashes").next().is_none());
        assert!(kai.since("kai/division/round").next().is_some());
        assert!(Policy::baselines().all(|policy| modelled(policy.key).is_none()));
    }
}
