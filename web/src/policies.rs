//! The policies that can be chosen.

use fairground::policy::Policy;
use fairground::policy::form::Group;
use fairground::words::terms::product;

/// A policy that can be chosen.
#[derive(Clone, Copy)]
pub struct Choice {
    /// Its name in a scenario.
    pub key: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// Its switches.
    pub switches: &'static [Group],
}

/// The policies; the first is the default.
pub const POLICIES: [Choice; Policy::ALL.len()] = {
    let mut all = [Choice { key: "", name: "", switches: &[] }; Policy::ALL.len()];
    let mut i = 0;
    while i < all.len() {
        let policy = Policy::ALL[i];
        all[i] = Choice { key: policy.key, name: policy.title, switches: policy.form.settings };
        i += 1;
    }
    all
};

impl Choice {
    /// Its name where there is little room.
    pub fn short(&self) -> &'static str {
        product(self.key)
    }
    /// The policy of that name in a scenario.
    pub fn of(policy: &str) -> &'static Choice {
        POLICIES.iter().find(|choice| choice.key == policy).unwrap_or(&POLICIES[0])
    }
}
