//! Which rules the switches enter.
//!
//! # Rule
//! One line for each switch of its own; those of the engine enter the engine's rules, in the words of Run:ai where there are some.
//!
//! # Source
//! runai.md 4.2, 7, 9
//!
//! # Differs
//! nothing

use super::rules::{self, LIMIT, OVER_QUOTA, REMAINDER};
use crate::policy::kai;
use crate::policy::kai::settings::ENGINE_SETTINGS;
use crate::policy::switches::{Rulebook, Switch};

/// The switches of its own.
pub static SWITCHES: [Switch; 3] = [
    Switch::of("department-over-quota", &[&OVER_QUOTA]),
    Switch::of("over-quota-weights", &[&OVER_QUOTA]),
    Switch::of("over-quota", &[&OVER_QUOTA, &REMAINDER, &LIMIT]),
];

/// Its rules, then those that are the engine's, and all switches.
pub(super) fn rulebook() -> Rulebook {
    let own = Rulebook::new(Vec::new(), &SWITCHES);
    let engine = kai::settings::SETTINGS.iter().map(|setting| setting.switch);
    let engine = engine.filter(|switch| ENGINE_SETTINGS.contains(&switch.name));
    let engine = engine.map(|switch| {
        let rules = switch.rules().iter().map(|rule| rules::of_engine(**rule));
        (switch, rules.collect())
    });
    let mut all: Vec<_> = rules::RULES.iter().map(|rule| **rule).collect();
    let of_engine = kai::all_rules().into_iter().map(rules::of_engine);
    all.extend(of_engine.filter(|rule| !rules::RULES.contains(&rule)));
    Rulebook { rules: all, switches: own.switches.into_iter().chain(engine).collect() }
}
