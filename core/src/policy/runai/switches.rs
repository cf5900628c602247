//! Rules affected by each setting.
//!
//! # Rule
//! One entry per setting of its own; settings of the engine affect the engine's rules, translated to Run:ai's terms.
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

/// Run:ai's own settings.
pub static SWITCHES: [Switch; 3] = [
    Switch::of("department-over-quota", &[&OVER_QUOTA]),
    Switch::of("over-quota-weights", &[&OVER_QUOTA]),
    Switch::of("over-quota", &[&OVER_QUOTA, &REMAINDER, &LIMIT]),
];

/// Rule book: its own rules, then the engine's, and all settings.
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
