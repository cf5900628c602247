//! Rules and settings of a policy, for lookup.

use crate::policy::{Policy, switches};
use serde::{Deserialize, Serialize};

use super::rule_use::RuleUse;

/// The rules of a policy, and its settings with the rules that read them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rulebook {
    /// Name of the policy in scenario files.
    pub policy: String,
    /// Every rule that can decide.
    pub rules: Vec<RuleRow>,
    /// Its settings, each with the positions of the rules that read it.
    pub switches: Vec<(String, Vec<u32>)>,
    /// Uses of the selected rule in the present cycle, once counted.
    pub used: Option<RuleUse>,
}

/// A rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleRow {
    pub key: String,
    /// In one line.
    pub says: String,
    pub formula: String,
    pub source: String,
    /// How it differs from its source.
    pub differs: String,
}

/// The rulebook of a policy; empty for an unknown one.
pub fn of(policy: String) -> Rulebook {
    let switches::Rulebook { rules, settings } = Policy::rulebook(&policy).unwrap_or_default();
    let position = |key: &str| rules.iter().position(|rule| rule.key() == key).map(|position| position as u32);
    let switches = settings.iter().map(|(setting, affected)| {
        (setting.name.to_string(), affected.iter().filter_map(|rule| position(rule.key())).collect())
    });
    let switches = switches.collect();
    let row = |rule: &crate::trace::Rule| RuleRow {
        key: rule.0.key.to_string(),
        says: rule.0.says.to_string(),
        formula: rule.0.formula.to_string(),
        source: rule.0.source.to_string(),
        differs: rule.0.differs.to_string(),
    };
    Rulebook { policy, rules: rules.iter().map(row).collect(), switches, used: None }
}

impl Rulebook {
    /// Finds a rule by its key, or by its key under another policy of the same engine, which older links contain.
    pub fn rule(&self, key: &str) -> Option<&RuleRow> {
        let in_policy = |key: &'_ str| key.split_once('/').map(|(_, suffix)| suffix.to_string());
        let is_same = |rule: &&RuleRow| in_policy(&rule.key) == in_policy(key);
        self.rules.iter().find(|rule| rule.key == key).or_else(|| self.rules.iter().find(is_same))
    }

    /// The longest setting name that matches a setting: global, for a queue (`priority.policy.team-a`), or for queues
    /// created below one (`childtemplate.`).
    fn switch_of(&self, setting: &str) -> Option<&(String, Vec<u32>)> {
        let setting = setting.strip_prefix("childtemplate.").unwrap_or(setting);
        let matches = |(name, _): &&(String, Vec<u32>)| {
            setting.strip_prefix(&**name).is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('.'))
        };
        self.switches.iter().filter(matches).max_by_key(|(name, _)| name.len())
    }

    /// The rules that read a setting.
    pub fn rules_of(&self, setting: &str) -> impl Iterator<Item = &RuleRow> {
        let enters = self.switch_of(setting).map_or(&[][..], |(_, enters)| enters);
        enters.iter().filter_map(|i| self.rules.get(*i as usize))
    }

    /// The settings that a rule reads.
    pub fn switches_of(&self, key: &str) -> impl Iterator<Item = &str> {
        let enters = move |rule: &u32| self.rules.get(*rule as usize).is_some_and(|rule| rule.key == key);
        self.switches.iter().filter(move |(_, rules)| rules.iter().any(enters)).map(|(name, _)| name.as_str())
    }

    /// Whether a setting, possibly of a queue, is the named one.
    pub fn is_of(&self, setting: &str, switch: &str) -> bool {
        self.switch_of(setting).is_some_and(|(name, _)| name == switch)
    }
}
