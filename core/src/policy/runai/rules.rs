//! Rules in Run:ai's terms. Checks that cite a rule of the engine are displayed with the equivalent rule of Run:ai.
//!
//! # Rule
//! One record per rule of the engine, under a key of its own; our own choices are noted in `differs`.
//!
//! # Source
//! runai.md; kai.md
//!
//! # Differs
//! nothing

use std::sync::Arc;

use super::alternative_share::{EXACT, PUBLISHED};
use crate::policy::kai;
use crate::trace::{DivisionStep, OrderLevel, Protection, Rule, RuleRecord, Trace};

macro_rules! rules {
    ($table:ident: $($name:ident $key:literal of $engine:literal: $says:literal, $formula:literal, $source:literal, $differs:literal;)*) => {
        $(#[doc = $says]
        pub(super) static $name: Rule = Rule(&RuleRecord {
            key: $key, says: $says, formula: $formula, source: $source, differs: $differs,
        });)*

        /// Rules, each with the key of the engine's rule.
        static $table: &[(&str, &Rule)] = &[$(($engine, &$name)),*];
    };
}

// Rules that differ from the engine's in more than terms.
rules! {
    OWN:
    QUOTA "runai/fairshare/quota" of "kai/division/quota":
        "every project and department first gets what it requests, up to its quota",
        "min(quota, limit, request)",
        "runai.md 4.3, 4.4; docs.run.ai, The Run:ai Scheduler",
        "the published formula counts the quota of an idle project in its fairshare too; assumptions (RC-4): the engine's value decides, (RC-5): quotas above the capacity of the pool are not scaled down";
    RANK_FIRST "runai/fairshare/rank" of "kai/division/priority":
        "among siblings, unused resources go to those of the highest rank first",
        "rank(first) > rank(other)",
        "runai.md 5; NVIDIA Run:ai, project and department resources",
        "older versions have no rank";
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

// Rules that differ in terms only.
rules! {
    SHARED:
    WITHIN_QUOTA "runai/queue-order/2" of "kai/queue-order/2":
        "a project that stays within its quota with the workload comes first",
        "allocated + need ≤ quota",
        "runai.md 5; kai.md 3.1",
        "";
    ENTITLED "runai/queue-order/4" of "kai/queue-order/4":
        "a project that is entitled to a resource it requests comes first",
        "not (allocatable = 0 and allocated + need > 0), in some resource",
        "runai.md 5; kai.md 3.1",
        "";
    SHARE_WITH_WORKLOAD "runai/queue-order/5" of "kai/queue-order/5":
        "the smaller dominant share, with the workload and without the victims, comes first",
        "max over resources of (allocated + need - victims) / allocatable",
        "runai.md 5; kai.md 3.1",
        "";
    SHARE "runai/queue-order/6" of "kai/queue-order/6":
        "the smaller dominant share comes first",
        "max over resources of allocated / allocatable",
        "runai.md 5; kai.md 3.1",
        "";
    SMALLER "runai/queue-order/7" of "kai/queue-order/7":
        "the project that is entitled to less comes first",
        "allocatable(l) ≤ allocatable(r), less in some",
        "runai.md 5; kai.md 3.1",
        "";
    OLDER "runai/queue-order/8" of "kai/queue-order/8":
        "the older project comes first",
        "created(l) < created(r)",
        "runai.md 5; kai.md 3.1",
        "for equally old projects it depends on their positions";
    WORKLOAD_PRIORITY "runai/workload-order/1" of "kai/job-order/1":
        "the workload of higher priority comes first",
        "priority(l) > priority(r)",
        "runai.md 5; kai.md 3.2",
        "";
    WORKLOAD_FILLED "runai/workload-order/2" of "kai/job-order/2":
        "a workload below its minimum of pods comes before one at its minimum, and that one before a workload above it",
        "below < exactly < above",
        "kai.md 3.2",
        "";
    WORKLOAD_OLDER "runai/workload-order/3" of "kai/job-order/3":
        "the older workload comes first",
        "created(l) < created(r)",
        "runai.md 5; kai.md 3.2",
        "";
    WORKLOAD_NAME "runai/workload-order/4" of "kai/job-order/4":
        "workloads of the same age are ordered by name",
        "name(l) < name(r)",
        "kai.md 3.2",
        "";
    ROOM "runai/fit/room" of "kai/fit/room":
        "a pod is placed where its requests are free or being freed",
        "request ≤ idle + releasing",
        "kai.md 5.4",
        "";
    BEST_NODE "runai/score/best-node" of "kai/score/best-node":
        "among the nodes that fit, the one with the highest score is chosen, then by name",
        "score = packing or spreading + 10 CPU node + 100 free now + 1000 shares a GPU + 1000000 nominated",
        "runai.md 8; kai.md 3.5, 5.5",
        "";
    NOMINATED "runai/score/nominated" of "kai/score/nominated":
        "a nominated node comes before all other nodes on which the pod fits",
        "nominated(node) > nominated(next best)",
        "kai.md 5.5",
        "the scheduler never nominates a node itself";
    CAN_RECLAIM "runai/reclaim/can-reclaim" of "kai/reclaim/can-reclaim":
        "a project can reclaim up to its fairshare, and for non-preemptible workloads up to its quota",
        "allocated + need ≤ fairshare",
        "runai.md 7.2; kai.md 6.2",
        "all three resources count, also those the workload does not request";
    KEEPS_ORDER "runai/reclaim/keeps-order" of "kai/reclaim/keeps-order":
        "the reclaiming project must stay within its fairshare, or stay less saturated than the projects it reclaims from",
        "x/FS(q) ≤ 1 or x/FS(q) · multiplier < left(s)/FS(s)",
        "runai.md 7.2; kai.md 6.3 B",
        "only against siblings that lose something, and only for resources involved";
    STAYS_WITHIN_QUOTA "runai/reclaim/stays-within-quota" of "kai/reclaim/stays-within-quota":
        "reclaim for non-preemptible workloads must stay within the quota of project and department",
        "allocated non-preemptible + need ≤ quota",
        "runai.md 7.2; kai.md 6.2, 6.3 B",
        "";
    PREEMPTIBLE "runai/victims/preemptible" of "kai/victims/preemptible":
        "only preemptible workloads can be evicted or moved",
        "preemptible workloads that hold resources ≥ 1",
        "runai.md 7; kai.md 6.4, 7.1, 7.2",
        "";
    RAN_LONG_ENOUGH "runai/min-runtime" of "kai/min-runtime/ran-long-enough":
        "a workload cannot be evicted until it has run for the minimum runtime",
        "now - last start ≥ minimum runtime",
        "runai.md 7; kai.md 6.8",
        "of an elastic workload what exceeds its minimum can be evicted at once";
    STALE_GRACE "runai/stale-gang/grace" of "kai/stale-gang/grace":
        "a distributed workload that stays below its minimum of pods for longer than the grace period is evicted",
        "now - stale since ≥ grace",
        "kai.md 7.3",
        "";
    BACKOFF "runai/backoff" of "kai/backoff":
        "a workload with a scheduling back-off is not tried again in a node pool where all of its pods stayed pending",
        "active pods ≤ 0 at the end of a cycle",
        "runai.md 3; kai.md 1.3",
        "";
    CRASH "runai/solver/crash" of "kai/solver/crash":
        "a workload that lost pods in this cycle and is tried again is judged by the pods it lost; there the open engine stops with an error and starts anew, the simulation passes the workload over",
        "tasks left to place ≥ 1",
        "kai.md 6.5, 12 Q-5",
        "the open engine stops in the modelled versions, v0.13.x and v0.14.0";
    NO_DEVICE "runai/bind/no-device" of "kai/bind/no-device":
        "the scheduler counts GPU memory in units of 100 MiB and reads labels from 1048576 on as bytes; where that gives 0, fractions of the GPU are not counted, so it places more pods than the node has GPUs. Such a pod cannot be bound and stays pending",
        "GPUs left on the node ≥ GPUs requested",
        "kai.md 1.2, 1.4",
        "";
    USAGE "runai/usage" of "kai/usage":
        "past usage is the share of the node pool used over the window; older usage counts half per half-life",
        "usage = sum(allocated·w)/sum(capacity·w), w = 0.5^(age/half-life)",
        "runai.md 9; kai.md 2.6",
        "";
    CHANCE_INSERTION "runai/chance/insertion" of "kai/chance/insertion":
        "the result depends on the order in which workloads and projects are added to the priority heaps",
        "another order gives another result",
        "kai.md 11 N-2",
        "the real scheduler leaves it to chance; here it is the canonical order, or the seed's";
    CHANCE_QUEUES "runai/chance/queues" of "kai/chance/queues":
        "two projects of the same age are equal in everything: either can come first",
        "created(l) = created(r)",
        "kai.md 11 N-3",
        "the real scheduler leaves it to chance; here it is the canonical order, or the seed's";
    CHANCE_DEVICES "runai/chance/devices" of "kai/chance/devices":
        "several GPUs are equally full: any of them can be shared",
        "score(l) = score(r)",
        "kai.md 11 N-6",
        "the real scheduler leaves it to chance; here it is the canonical order, or the seed's";
    CHANCE_VALIDATOR "runai/chance/validator" of "kai/chance/validator":
        "the result depends on which pods are checked last",
        "allowed with one unit last, refused with another",
        "kai.md 11 N-7",
        "the real scheduler leaves it to chance; here it is the canonical order, or the seed's";
    CHANCE_NODES "runai/chance/nodes" of "kai/chance/nodes":
        "the latest victim runs on several nodes: any of them can be tried first",
        "nodes(victim) > 1",
        "kai.md 11 N-8",
        "the real scheduler leaves it to chance; here it is the canonical order, or the seed's";
    CHANCE_CANDIDATES "runai/chance/candidates" of "kai/chance/candidates":
        "there are more candidates for a move than are considered: any of them can be left out",
        "candidates > most + 1",
        "kai.md 11 N-9",
        "the real scheduler leaves it to chance; here it is the canonical order, or the seed's";
}

/// All rules of the policy that differ from the engine's in more than terms.
pub fn own_rules() -> impl Iterator<Item = Rule> {
    OWN.iter().map(|(_, rule)| **rule).chain([EXACT, PUBLISHED, kai::NAME])
}

/// Returns the rule of Run:ai for a rule of the engine.
pub(super) fn of_engine(rule: Rule) -> Rule {
    let mut all = OWN.iter().chain(SHARED);
    all.find(|(engine, _)| *engine == rule.key()).map_or(rule, |(_, own_rule)| **own_rule)
}

fn translate_rule(rule: &mut Rule) {
    *rule = of_engine(*rule);
}

/// Translates the rules of a trace.
pub(super) fn translate(trace: &mut Trace) {
    let of_events = trace.events.iter_mut().flat_map(|e| Arc::make_mut(&mut e.checks));
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
        if let Some(rule) = step.rule_mut() {
            translate_rule(rule);
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
        for (engine, own_rule) in OWN.iter().chain(SHARED) {
            assert!(kai::all_rules().iter().any(|rule| rule.key() == *engine), "{engine}, {}", own_rule.key());
        }
    }

    #[test]
    fn every_rule_of_the_engine_has_a_translation() {
        for rule in kai::all_rules() {
            assert!(of_engine(rule).key().starts_with("runai/"), "{}", rule.key());
        }
    }
}
