//! Rules and settings of a policy, for lookup, and the uses of a rule in a cycle, counted by replaying the cycle with every
//! comparison recorded.
//!
//! A run records the checks that decided its events. Rules that order queues or divide shares apply in every cycle
//! without being recorded; they are counted on demand.

use std::collections::BTreeSet;

use super::ladders::ladder;
use super::{LadderLevel, LadderLine};
use crate::id::Id;
use crate::policy::{Policy, setting};
use crate::sim::{Simulation, explain};
use crate::trace::{Check, DivisionStep, Level};
use crate::units::Resource;
use serde::{Deserialize, Serialize};

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
    let setting::Rulebook { rules, settings } = Policy::rulebook(&policy).unwrap_or_default();
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

/// Largest number of comparisons in [`RuleUse::checks`].
const CHECKS_MAX: usize = 12;
/// Above this number of queues, divisions are not derived for all of them.
const QUEUES_MAX: usize = 200;

/// Uses of a rule in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleUse {
    /// Key of the rule.
    pub rule: String,
    pub cycle: u32,
    /// Positions of the events that it decided, in order, for a frame without checks.
    pub events: Vec<u32>,
    /// Whether all uses are counted; `false`: the cycle is too large to be replayed.
    pub is_counted: bool,
    /// Number of comparisons by the rule.
    pub compared: u32,
    /// Number of steps in the division of shares that apply the rule.
    pub divided: u32,
    /// The first comparisons, without repetitions.
    pub checks: Vec<Check>,
}

/// Counts the uses of a rule in the cycle between two states.
pub fn count_uses(before: Simulation, after: &Simulation, rule: &str) -> RuleUse {
    let mut uses = RuleUse {
        rule: rule.to_string(),
        cycle: after.cycle(),
        is_counted: after.cluster().queues.iter().count() <= QUEUES_MAX,
        ..RuleUse::default()
    };
    let Some(explained) = explain(&before, Level::Every) else { return uses };
    let of_events = explained.record.events.iter().flat_map(|event| event.checks.iter());
    let of_refusals = explained.record.refusals.iter().flat_map(|refusal| &refusal.checks);
    // At level *every* the decisive comparisons are among all recorded ones.
    let every: Vec<&Check> = explained.trace.checks.iter().filter(|check| check.rule.key() == rule).collect();
    let decisive: Vec<&Check> = of_events.chain(of_refusals).filter(|check| check.rule.key() == rule).collect();
    let marks = explained.record.marks.iter().filter(|mark| mark.rule.key() == rule).count();
    let compared = if every.len() > decisive.len() { every } else { decisive };
    uses.compared = (compared.len() + marks) as u32;
    for check in compared {
        if uses.checks.len() < CHECKS_MAX && !uses.checks.contains(check) {
            uses.checks.push(check.clone());
        }
    }
    if uses.is_counted {
        uses.divided = divisions(after).iter().map(|level| steps_of(level, rule)).sum();
    }
    uses
}

/// All divisions of the cycle, without repetitions.
fn divisions(sim: &Simulation) -> Vec<LadderLevel> {
    let cluster = sim.cluster();
    let mut seen = BTreeSet::new();
    let mut levels = Vec::new();
    for pool in cluster.partitions.ids() {
        for (queue, _) in cluster.queues.iter().filter(|(_, queue)| queue.children.is_empty()) {
            for resource in Resource::ACCOUNTED {
                let derived = ladder(cluster, &sim.derive_in(pool, queue, resource));
                let is_new = |level: &LadderLevel| seen.insert((pool.index(), resource.0, level.of.clone()));
                levels.extend(derived.into_iter().filter(is_new));
            }
        }
    }
    levels
}

/// Number of steps of a division that apply a rule.
fn steps_of(level: &LadderLevel, rule: &str) -> u32 {
    // Past usage has no step of its own: it changes the weights of a round.
    let is_usage = Policy::ALL.iter().filter_map(|policy| policy.usage_rule).any(|usage| usage.key() == rule);
    let has_part = |line: &&LadderLine| match &line.step {
        DivisionStep::Round(round) if is_usage => level.weight_after_use(round).is_some(),
        step => !is_usage && step.rule_key() == Some(rule),
    };
    level.lines.iter().filter(has_part).count() as u32
}
