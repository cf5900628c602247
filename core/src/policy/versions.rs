//! Modelled versions of products, and later changes of the products.
//!
//! Each policy has its table in its own folder.

use super::Policy;
use crate::format::Scenario;

/// A modelled product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modelled {
    /// Name of the policy in scenario files.
    pub policy: &'static str,
    /// Name of the product.
    pub product: &'static str,
    /// Setting of a scenario that chooses the revision; empty if there is one only.
    pub setting: &'static str,
    /// Modelled revisions, the oldest first. The first applies to a scenario that names none, the last to new
    /// scenarios.
    pub revisions: &'static [Revision],
    /// Range of later versions that were compared, and how; empty if none was.
    pub compared: &'static str,
    /// Changes of behaviour since the first revision.
    pub changes: &'static [Since],
    /// The product whose rules decide what the source leaves open.
    pub engine: Option<&'static Modelled>,
}

/// A set of rules that a product had in some of its versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Value of the setting; empty if the product has one revision only.
    pub name: &'static str,
    /// Short label of product and revision.
    pub label: &'static str,
    /// Versions that decide as modelled.
    pub versions: &'static str,
    /// Commit of the source code on which the model is based; empty if it is based on documents.
    pub commit: &'static str,
    /// Date of that commit; empty if it is based on documents.
    pub date: &'static str,
    /// Source of the model.
    pub source: &'static str,
}

/// A change of the product after the first modelled revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// First releases that contain it.
    pub version: &'static str,
    /// Name of the first revision that is simulated with it; empty: it is not simulated.
    pub modelled: &'static str,
    /// Affected rules: keys, or prefixes of keys up to a slash; empty if no modelled rule is affected.
    pub rules: &'static [&'static str],
    /// Behaviour before the change.
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

/// The product that a scenario's policy models, in the revision that the scenario names.
pub fn revision_of(scenario: &Scenario) -> Option<(&'static Modelled, &'static Revision)> {
    let modelled = modelled(&scenario.policy)?;
    Some((modelled, modelled.revision_of(scenario)))
}

impl Revision {
    /// Source of the model with its date.
    pub fn origin(&self) -> String {
        let date = if self.date.is_empty() { String::new() } else { format!(" of {}", self.date) };
        format!("{}{date}", self.source)
    }
}

/// Sentence on the revision of a new scenario, which the files that it was made of do not tell.
pub fn newest_says(modelled: &Modelled, revision: &Revision) -> String {
    format!("{} {}, the newest that is simulated", modelled.setting, revision.name)
}

/// A scenario in the newest revision of its product, if it names none.
#[must_use]
pub fn in_newest(mut scenario: Scenario) -> Scenario {
    if let Some((name, value)) = modelled(&scenario.policy).and_then(Modelled::setting_of_new) {
        scenario.settings.entry(name.to_owned()).or_insert_with(|| value.into());
    }
    scenario
}

impl Modelled {
    /// The revision of a scenario that names none.
    pub fn oldest(&self) -> &'static Revision {
        &self.revisions[0]
    }

    /// The revision of new scenarios.
    pub fn newest(&self) -> &'static Revision {
        &self.revisions[self.revisions.len() - 1]
    }

    /// The revision that a value of the setting names.
    pub fn named(&self, name: &str) -> Option<&'static Revision> {
        self.revisions.iter().find(|revision| revision.name == name.trim().trim_start_matches('v'))
    }

    /// The revision of a scenario of the policy; the oldest if it names none of them.
    pub fn revision_of(&self, scenario: &Scenario) -> &'static Revision {
        let named = scenario.settings.get(self.setting).and_then(|value| self.named(&value.0));
        named.unwrap_or(self.oldest())
    }

    /// Name and value of the setting that new scenarios have; `None` if there is one revision only.
    pub fn setting_of_new(&self) -> Option<(&'static str, &'static str)> {
        (!self.setting.is_empty()).then(|| (self.setting, self.newest().name))
    }

    /// A scenario of the policy in a revision.
    #[must_use]
    pub fn at(&self, scenario: &Scenario, revision: &Revision) -> Scenario {
        let mut scenario = scenario.clone();
        if !self.setting.is_empty() {
            scenario.settings.insert(self.setting.to_owned(), revision.name.into());
        }
        scenario
    }

    /// The revisions other than one.
    pub fn others(&self, than: &Revision) -> impl Iterator<Item = &'static Revision> {
        self.revisions.iter().filter(move |other| other.name != than.name)
    }

    /// Whether a revision is simulated with a change.
    pub fn has(&self, revision: &Revision, change: &Since) -> bool {
        let place = |name| self.revisions.iter().position(|revision| revision.name == name);
        !change.modelled.is_empty() && place(change.modelled) <= place(revision.name)
    }

    /// Changes after a revision.
    pub fn after(&self, revision: &Revision) -> impl Iterator<Item = &'static Since> {
        self.changes.iter().filter(move |change| !self.has(revision, change))
    }

    /// Changes after a revision that affect a rule.
    pub fn since(&self, revision: &Revision, rule: &str) -> impl Iterator<Item = &'static Since> {
        self.after(revision).filter(move |change| change.concerns(rule))
    }

    /// The newest revision without a change.
    pub fn before(&self, change: &Since) -> &'static Revision {
        self.revisions.iter().rev().find(|revision| !self.has(revision, change)).unwrap_or(self.oldest())
    }

    /// The product that has a known fault, the change that mends it, and the fault.
    pub fn mends(&'static self, fault: &str) -> Option<(&'static Modelled, &'static Since, Fault)> {
        let mends = |change: &'static Since| Some((self, change, change.fault.filter(|known| known.key == fault)?));
        self.changes.iter().find_map(mends).or_else(|| self.engine?.mends(fault))
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
                    assert_eq!(modelled.mends(fault.key).map(|found| found.1), Some(change), "{}", fault.key);
                    assert!(!fault.instead.is_empty(), "{}", fault.key);
                }
                let says = [change.version, change.before, change.now, change.notice];
                assert!(says.iter().all(|text| !text.is_empty()), "{change:?}");
                let is_known = change.modelled.is_empty() || modelled.named(change.modelled).is_some();
                assert!(is_known && !modelled.has(modelled.oldest(), change), "{change:?}");
            }
        }
    }

    #[test]
    fn a_product_with_several_revisions_has_a_setting_for_them() {
        for modelled in all() {
            assert_eq!(modelled.revisions.len() > 1, !modelled.setting.is_empty(), "{}", modelled.policy);
            for revision in modelled.revisions {
                assert_eq!(modelled.named(revision.name), Some(revision));
                let policy = modelled.policy.to_owned();
                let scenario = modelled.at(&Scenario { policy, ..Scenario::default() }, revision);
                assert_eq!(revision_of(&scenario), Some((modelled, revision)));
                assert_eq!(modelled.others(revision).count(), modelled.revisions.len() - 1);
            }
            let of_policy = Scenario { policy: modelled.policy.to_owned(), ..Scenario::default() };
            assert_eq!(modelled.revision_of(&of_policy), modelled.oldest());
            assert_eq!(modelled.revision_of(&in_newest(of_policy)), modelled.newest());
        }
    }

    #[test]
    fn the_crash_names_the_releases_that_fix_it() {
        let kai = modelled("").expect("the default policy models a product");
        let mended = kai.since(kai.oldest(), "kai/solver/crash").collect::<Vec<_>>();
        assert!(matches!(mended[..], [change] if change.version == "v0.16.0, v0.14.6 and v0.15.3"));
        assert_eq!(kai.before(mended[0]), kai.oldest());
        assert!(kai.since(kai.newest(), "kai/solver/crash").next().is_none());
        assert!(kai.since(kai.oldest(), "kai/solver/crashes").next().is_none());
        assert!(kai.since(kai.newest(), "kai/division/round").next().is_some());
        assert!(Policy::baselines().all(|policy| modelled(policy.key).is_none()));
    }
}
