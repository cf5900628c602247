//! Uses of a rule in a cycle, counted by replaying the cycle with every comparison recorded.
//!
//! A run records the checks that decided its events. Rules that order queues or divide shares apply in every cycle
//! without being recorded; they are counted on demand.

use std::collections::BTreeSet;

use crate::id::Id;
use crate::policy::Policy;
use crate::sim::{Simulation, explain};
use crate::trace::{Check, DivisionStep, Level};
use crate::units::Resource;
use serde::{Deserialize, Serialize};

use super::ladders::ladder;
use super::{LadderLevel, LadderLine};

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
pub fn count(before: Simulation, after: &Simulation, rule: &str) -> RuleUse {
    let mut uses = RuleUse {
        rule: rule.to_string(),
        cycle: after.cycle(),
        is_counted: after.cluster().queues.iter().count() <= QUEUES_MAX,
        ..RuleUse::default()
    };
    let Some(explained) = explain(&before, Level::Every) else { return uses };
    let of_events = explained.record.events.iter().flat_map(|event| event.checks.iter());
    let of_refusals = explained.trace.refusals.iter().flat_map(|refusal| &refusal.checks);
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
