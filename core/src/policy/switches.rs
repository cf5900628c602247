//! Rules of a policy and the rules affected by each of its settings, for the rule book.
//!
//! Each policy has its table in its own folder, beside its settings; these are the shared types.

use crate::trace::Rule;

/// A setting of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Name among the settings of a scenario; for settings of single queues, without the queue's name.
    pub name: &'static str,
    /// Effect of the setting.
    pub enters: Enters,
}

/// Effect of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Enters {
    /// Changes how these rules decide.
    Rules(&'static [&'static Rule]),
    /// Affects no rule, for this reason.
    Nothing(&'static str),
}

impl Switch {
    /// A setting that affects rules.
    pub const fn of(name: &'static str, rules: &'static [&'static Rule]) -> Switch {
        Switch { name, enters: Enters::Rules(rules) }
    }
    /// A setting that affects no rule.
    pub const fn without_rules(name: &'static str, why: &'static str) -> Switch {
        Switch { name, enters: Enters::Nothing(why) }
    }
    /// The affected rules.
    pub fn rules(&self) -> &'static [&'static Rule] {
        match self.enters {
            Enters::Rules(rules) => rules,
            Enters::Nothing(_) => &[],
        }
    }
}

/// The rules of a policy and its settings.
#[derive(Clone, Debug, Default)]
pub struct Rulebook {
    /// Every rule that can decide under the policy.
    pub rules: Vec<Rule>,
    /// Its settings, each with the affected rules.
    pub switches: Vec<(Switch, Vec<Rule>)>,
}

impl Rulebook {
    /// With the rules that each setting declares.
    pub fn new(rules: Vec<Rule>, switches: &[Switch]) -> Rulebook {
        let own = |switch: &Switch| (*switch, switch.rules().iter().map(|rule| **rule).collect());
        Rulebook { rules, switches: switches.iter().map(own).collect() }
    }
}
