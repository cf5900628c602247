//! Rules in Run:ai's terms. Checks that cite a rule of the engine are displayed with the equivalent rule of Run:ai.
//!
//! # Rule
//! One record per rule; our own choices are noted in `differs`.
//!
//! # Source
//! runai.md
//!
//! # Differs
//! nothing

use super::alternative_share::{EXACT, PUBLISHED};
use super::shared_rules::SHARED;
use crate::policy::kai;
use crate::trace::{DivisionStep, OrderLevel, Protection, Rule, RuleRecord, Trace};

macro_rules! rules {
    ($($name:ident $key:literal of $engine:literal: $says:literal, $formula:literal, $source:literal, $differs:literal;)*) => {
        $(#[doc = $says]
        pub static $name: Rule = Rule(&RuleRecord {
            key: $key, says: $says, formula: $formula, source: $source, differs: $differs,
        });)*

        /// Rules that differ from the engine's in more than terms, each with the key of the engine's rule.
        static WORDS: &[(&str, &Rule)] = &[$(($engine, &$name)),*];

        /// All rules of the policy that differ from the engine's in more than terms.
        pub static RULES: &[&Rule] = &[$(&$name,)* &EXACT, &PUBLISHED, &kai::NAME];
    };
}

rules! {
    QUOTA "runai/fairshare/quota" of "kai/division/quota":
        "every project and department first gets what it requests, up to its quota",
        "min(quota, limit, request)",
        "runai.md 4.3, 4.4; docs.run.ai, The Run:ai Scheduler",
        "the published formula counts the quota of an idle project in its fairshare too; assumptions (RC-4): the engine's value decides, (RC-5): quotas above the capacity of the pool are not scaled down";
    OVER_QUOTA "runai/fairshare/over-quota" of "kai/division/round":
        "unused resources are shared by quota among departments, by over-quota weight among projects, in whole GPUs",
        "over-quota = weight / Σ weights · unused, at most what is requested",
        "runai.md 4.2, 4.3; docs.run.ai, The Run:ai Scheduler",
        "the published formula is one sum over all projects, without the cap by requests; assumption (RC-2): a weight of 0 gets no over-quota";
    REMAINDER "runai/fairshare/remainder" of "kai/division/remainder":
        "remaining GPUs go to the largest fraction lost to rounding, then to the oldest project",
        "min(1, rest, still requested)",
        "runai.md 4.3",
        "assumptions (RC-3): never more than is requested, (RC-15): rounding of floating-point numbers decides between equal fractions";
    OVER_FAIRSHARE "runai/queue-order/1" of "kai/queue-order/1":
        "a project that is not over its fairshare comes first",
        "allocated ≤ fairshare, for every resource",
        "runai.md 5",
        "assumption (RC-13): over fairshare in any resource; the open-source engine requires all three";
    RANK "runai/queue-order/3" of "kai/queue-order/3":
        "the project of higher rank comes first",
        "rank(l) > rank(r)",
        "runai.md 5; NVIDIA Run:ai, project and department resources",
        "older versions have no rank";
    LIMIT "runai/limit" of "kai/capacity/limit":
        "no project or department can exceed its limit; with over-quota off the limit is the quota",
        "allocated + requested ≤ limit",
        "runai.md 4.2, 4.6",
        "";
    NON_PREEMPTIBLE "runai/non-preemptible" of "kai/capacity/quota":
        "workloads of priority 100 and above are non-preemptible and must fit into the quota of project and department; so must the minimum pods of semi-preemptible workloads",
        "allocated non-preemptible + requested ≤ quota",
        "runai.md 6; docs.run.ai, The Run:ai Scheduler",
        "preemptible work above the quota does not count; assumption (RC-16): the minimum is a number of pods, so when one of them ends or is lost, the next running pod takes its place";
    KEEPS_FAIRSHARE "runai/reclaim/fairshare" of "kai/reclaim/maintain-fair-share":
        "a project can lose resources while it uses more than the larger of its quota and its fairshare",
        "remaining > max(quota, fairshare), in some resource",
        "runai.md 7.2 (F)",
        "";
    GUARANTEES_QUOTA "runai/reclaim/quota" of "kai/reclaim/guarantee-quota":
        "a project that stays within its quota can reclaim from a project over its quota",
        "allocated + request ≤ quota, and remaining > quota of the other",
        "runai.md 7.2 (Q)",
        "compared where the two paths split: a project within its quota can lose resources if its department is over its quota";
    LOWER_PRIORITY "runai/preempt" of "kai/preempt/lower-priority":
        "a workload can preempt preemptible workloads of lower priority in its own project",
        "priority(workload) > priority(victim)",
        "runai.md 7.3",
        "priority is not compared between projects";
}

/// Returns the rule of Run:ai for a rule of the engine.
pub(super) fn of_engine(rule: Rule) -> Rule {
    let mut all = WORDS.iter().chain(SHARED);
    all.find(|(engine, _)| *engine == rule.key()).map_or(rule, |(_, own)| **own)
}

fn translate_rule(rule: &mut Rule) {
    *rule = of_engine(*rule);
}

/// Translates the rules of a trace.
pub(super) fn translate(trace: &mut Trace) {
    let of_events = trace.events.iter_mut().flat_map(|e| &mut e.checks);
    let of_refusals = trace.refusals.iter_mut().flat_map(|r| &mut r.checks);
    of_events.chain(of_refusals).chain(&mut trace.checks).for_each(|check| translate_rule(&mut check.rule));
    trace.marks.iter_mut().for_each(|mark| translate_rule(&mut mark.rule));
    for not_selected in &mut trace.not_selected {
        if let Protection::Failed(check) | Protection::Later(check) = &mut not_selected.why {
            translate_rule(&mut check.rule);
        }
    }
}

/// Translates the rules of a derivation.
pub(super) fn translate_steps(steps: &mut [DivisionStep]) {
    for step in steps {
        match step {
            DivisionStep::Quota { rule, .. }
            | DivisionStep::Round { rule, .. }
            | DivisionStep::Remainder { rule, .. } => translate_rule(rule),
            _ => (),
        }
    }
}

/// Translates the rules of a serving order.
pub(super) fn translate_order(levels: &mut [OrderLevel]) {
    let places = levels.iter_mut().flat_map(|level| &mut level.places);
    places.flat_map(|place| &mut place.behind).for_each(|check| translate_rule(&mut check.rule));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_translation_refers_to_a_rule_of_the_engine() {
        for (engine, own) in WORDS.iter().chain(SHARED) {
            assert!(kai::all_rules().iter().any(|rule| rule.key() == *engine), "{engine}, {}", own.key());
        }
    }

    #[test]
    fn every_rule_of_the_engine_has_a_translation() {
        for rule in kai::all_rules() {
            assert!(of_engine(rule).key().starts_with("runai/"), "{}", rule.key());
        }
    }
}
