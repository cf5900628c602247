//! Queues and jobs that lost nothing to a preemption, and the comparisons that spared them.
//!
//! # Rule
//! A leaf is spared if it is the ask's own, lies outside of the fence, has preemption disabled, or uses no more than
//! its guarantee. In a leaf that lost tasks, a job is spared by its priority, by a required node, or because newer
//! tasks sufficed.
//!
//! # Source
//! yunikorn.md 5.3, 5.5

use super::amounts;
use super::cycle::CycleResult;
use super::explain::{between, queue_id};
use super::memory::Memory;
use super::model::{AskIx, QueueIx};
use super::properties::PreemptionPolicy;
use super::{rules, victim_priority};
use crate::id::JobId;
use crate::policy::PartitionView;
use crate::policy::checks::term;
use crate::time::Time;
use crate::trace::{Candidate, Check, NotSelected, Op, Protection, Quantity, Rule, Subject, Value};

/// Largest number of queues, and of jobs, that are recorded for a preemption.
const RECORDED: usize = 6;

/// Records what a preemption spared.
pub fn spared(world: PartitionView<'_>, memory: &Memory, result: &CycleResult) -> Vec<NotSelected> {
    let is_general = memory.core.asks[result.ask].required_node.is_empty() && !result.victims.is_empty();
    let preemptor = memory.pod_of(result.ask).map(|pod| world.cluster.pods[pod].job).filter(|_| is_general);
    let Some(preemptor) = preemptor else { return Vec::new() };
    let spared = Spared { world, memory, found: result, by: preemptor };
    let mut all = spared.queues();
    all.extend(spared.jobs());
    all
}

struct Spared<'a> {
    world: PartitionView<'a>,
    memory: &'a Memory,
    found: &'a CycleResult,
    by: JobId,
}

impl Spared<'_> {
    fn leaf(&self, ask: AskIx) -> QueueIx {
        self.memory.core.apps[self.memory.core.asks[ask].app].queue
    }

    /// Leaves with allocations that lost nothing.
    fn queues(&self) -> Vec<NotSelected> {
        let core = &self.memory.core;
        let has_lost = |leaf: QueueIx| self.found.victims.iter().any(|&victim| self.leaf(victim) == leaf);
        let leaves = (0..core.queues.len()).filter(|&ix| {
            let queue = &core.queues[ix];
            queue.is_leaf && queue.managed && queue.allocated.positive() && !has_lost(ix)
        });
        let not_selected = leaves.filter_map(|leaf| {
            let candidate = Candidate::Queue(queue_id(self.memory, leaf)?);
            Some(NotSelected { by: self.by, candidate, why: Protection::Failed(self.protection(leaf)?) })
        });
        not_selected.take(RECORDED).collect()
    }

    /// The comparison that spares a leaf.
    fn protection(&self, leaf: QueueIx) -> Option<Check> {
        let core = &self.memory.core;
        let preemptor_leaf = self.leaf(self.found.ask);
        let subject = Subject {
            queue: queue_id(self.memory, preemptor_leaf),
            other_queue: queue_id(self.memory, leaf),
            ..Subject::default()
        };
        let root = core.fence(self.found.ask).last().map(|(root, _)| *root);
        if leaf == preemptor_leaf {
            return Some(does_not_apply(rules::OTHER_LEAF, subject));
        }
        if !core.upwards(leaf).any(|ix| Some(ix) == root) {
            return Some(does_not_apply(rules::PREEMPTION_FENCE, subject));
        }
        if core.queues[leaf].properties.preemption_policy == PreemptionPolicy::Disabled {
            return Some(does_not_apply(rules::PREEMPTION_DISABLED, subject));
        }
        self.within_guarantee(leaf, subject)
    }

    /// The comparison of the first resource of the ask that the leaf has guaranteed, if the leaf does not exceed it.
    fn within_guarantee(&self, leaf: QueueIx, subject: Subject) -> Option<Check> {
        let queue = &self.memory.core.queues[leaf];
        let request = &self.memory.core.asks[self.found.ask].resource;
        let mut common = self.memory.resource_types.accounted();
        let (resource, type_ix) = common.find(|&(_, type_ix)| request.has(type_ix) && queue.guaranteed.has(type_ix))?;
        let usage = queue.allocated.get(type_ix) - queue.preempting.get(type_ix);
        let (left, right) =
            ((Quantity::AllocatedWithoutVictims, usage), (Quantity::Quota, queue.guaranteed.get(type_ix)));
        let subject = Subject { resource: Some(resource), ..subject };
        let check = rules::amounts(rules::ABOVE_GUARANTEE, subject, left, Op::Exceeds, right);
        (!check.holds).then_some(check)
    }

    /// Jobs of the leaves that lost tasks.
    fn jobs(&self) -> Vec<NotSelected> {
        let core = &self.memory.core;
        let job = |ask: AskIx| self.memory.pods.get(&ask).map(|&pod| self.world.cluster.pods[pod].job);
        let mut leaves: Vec<QueueIx> = self.found.victims.iter().map(|&victim| self.leaf(victim)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let losers: Vec<JobId> = self.found.victims.iter().filter_map(|&victim| job(victim)).collect();
        let mut not_selected: Vec<NotSelected> = Vec::new();
        for leaf in leaves {
            let n_before = not_selected.len();
            let apps = core.queues[leaf].apps.iter();
            let asks = apps.flat_map(|&app| core.apps[app].allocations.iter().rev().copied());
            for (ask, id) in asks.filter_map(|ask| Some((ask, job(ask)?))) {
                let is_known = |other: &NotSelected| other.candidate == Candidate::Job(id);
                if !losers.contains(&id)
                    && !not_selected.iter().any(is_known)
                    && not_selected.len() < n_before + RECORDED
                {
                    let why = self.spares(leaf, ask);
                    not_selected.push(NotSelected { by: self.by, candidate: Candidate::Job(id), why });
                }
            }
        }
        not_selected
    }

    /// Why a task of a leaf that lost others was spared.
    fn spares(&self, leaf: QueueIx, ask: AskIx) -> Protection {
        let core = &self.memory.core;
        let subject = between(self.world, self.memory, ask, self.found.ask);
        if !core.asks[ask].required_node.is_empty() {
            return Protection::Failed(does_not_apply(rules::NOT_REQUIRED, subject));
        }
        let priorities = victim_priority::checks(self.world, self.memory, self.found.ask, ask);
        if let Some(failed) = priorities.into_iter().find(|check| !check.holds) {
            return Protection::Failed(failed);
        }
        let preemptor_ask = &core.asks[self.found.ask];
        let fits =
            preemptor_ask.preemption.as_ref().is_none_or(|p| amounts::fits(&p.available, &preemptor_ask.resource));
        if !fits && core.asks[ask].node != Some(self.found.node) {
            return Protection::Failed(does_not_apply(rules::ONE_NODE, subject));
        }
        let last = self.found.victims.iter().rev().find(|&&victim| self.leaf(victim) == leaf);
        last.map_or(Protection::NotNeeded, |&last| self.later(ask, last))
    }

    /// The comparison with the last victim that put the task behind it: opted-out ones come last, before them
    /// originators, and the older ones of a kind.
    fn later(&self, ask: AskIx, last: AskIx) -> Protection {
        let subject = between(self.world, self.memory, ask, last);
        let asks = &self.memory.core.asks;
        let kind = |ask: AskIx| 2 * i64::from(!asks[ask].allow_self) + i64::from(asks[ask].originator);
        let check = if kind(ask) == kind(last) {
            let created = |ask: AskIx| Value::Time(Time::from_millis(asks[ask].created));
            let values = [created(ask), created(last)];
            rules::compare(rules::VICTIM_ORDER, subject, Quantity::Created, values, Op::AtMost)
        } else {
            let values = [ask, last].map(|ask| Value::Count(kind(ask)));
            rules::compare(rules::VICTIM_ORDER, subject, Quantity::Applies, values, Op::Exceeds)
        };
        if check.holds { Protection::Later(check) } else { Protection::NotNeeded }
    }
}

/// A rule that a victim has to satisfy and the subject does not.
fn does_not_apply(rule: Rule, subject: Subject) -> Check {
    let count = |quantity, n| term(quantity, Value::Count(n));
    Check::new(rule, subject, count(Quantity::Applies, 0), Op::Equal, count(Quantity::Constant, 1))
}
