//! Rules of a policy and the rules affected by each of its settings, for the rule book.

use crate::trace::Rule;

/// The rules that a setting affects.
#[derive(Clone, Copy, Debug)]
pub struct SettingRules {
    /// Name among the settings of a scenario; for settings of single queues, without the queue's name.
    pub name: &'static str,
    /// The product's own spellings.
    pub aliases: &'static [&'static str],
    /// Effect of the setting.
    pub affects: Affects,
}

/// Effect of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Affects {
    /// Changes how these rules decide.
    Rules(&'static [&'static Rule]),
    /// Affects no rule, for this reason.
    Nothing(&'static str),
}

impl Affects {
    /// The affected rules.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        let rules: &[&Rule] = match self {
            Affects::Rules(rules) => rules,
            Affects::Nothing(_) => &[],
        };
        rules.iter().map(|rule| **rule)
    }
}

/// The rules of a policy and its settings.
#[derive(Clone, Debug, Default)]
pub struct Rulebook {
    /// Every rule that can decide under the policy.
    pub rules: Vec<Rule>,
    /// Its settings, each with the affected rules.
    pub settings: Vec<(SettingRules, Vec<Rule>)>,
}

impl Rulebook {
    /// With the rules that each setting declares.
    pub fn new(rules: Vec<Rule>, settings: impl IntoIterator<Item = SettingRules>) -> Rulebook {
        let own = |setting: SettingRules| (setting, setting.affects.rules().collect());
        Rulebook { rules, settings: settings.into_iter().map(own).collect() }
    }
}
