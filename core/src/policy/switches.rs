//! What people look up of a policy: its rules, and which of them each of its switches enters.
//!
//! The table of a policy stands in its own folder, beside its settings; this is what all of them are made of.

use crate::trace::Rule;

/// A switch of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Its name among the settings of a scenario; of what is said of single queues, without the queue's name.
    pub name: &'static str,
    /// What it changes.
    pub enters: Enters,
}

/// What a switch changes.
#[derive(Clone, Copy, Debug)]
pub enum Enters {
    /// How these rules decide.
    Rules(&'static [&'static Rule]),
    /// No rule, for this reason.
    Nothing(&'static str),
}

impl Switch {
    /// A switch that enters rules.
    pub const fn of(name: &'static str, rules: &'static [&'static Rule]) -> Switch {
        Switch { name, enters: Enters::Rules(rules) }
    }
    /// A switch that enters none.
    pub const fn without_rules(name: &'static str, why: &'static str) -> Switch {
        Switch { name, enters: Enters::Nothing(why) }
    }
    /// The rules that it enters.
    pub fn rules(&self) -> &'static [&'static Rule] {
        match self.enters {
            Enters::Rules(rules) => rules,
            Enters::Nothing(_) => &[],
        }
    }
}

/// The rules of a policy and its switches.
#[derive(Clone, Debug, Default)]
pub struct Rulebook {
    /// Every rule that can decide under it.
    pub rules: Vec<Rule>,
    /// Its switches, each with the rules that it enters.
    pub switches: Vec<(Switch, Vec<Rule>)>,
}

impl Rulebook {
    /// With the rules that each switch says itself.
    pub fn new(rules: Vec<Rule>, switches: &[Switch]) -> Rulebook {
        let own = |switch: &Switch| (*switch, switch.rules().iter().map(|rule| **rule).collect());
        Rulebook { rules, switches: switches.iter().map(own).collect() }
    }
}
