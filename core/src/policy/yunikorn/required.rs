//! Preemption on the required node of an ask.
//!
//! # Rule
//! Candidates are the node's tasks with at most the ask's priority, without offsets: ordinary ones first, then
//! opted-out ones, then originators; then by lower priority, younger age, smaller size. As many as the ask needs are
//! marked, or none. Delay, guarantee and fences do not apply.
//!
//! # Source
//! yunikorn.md 5.7

use std::cmp::Ordering;

use super::amounts::{self, Amounts};
use super::model::{AskIx, Core, NodeIx};
use super::preempt::VictimKey;
use super::stable;

/// Sort key of victims on a required node.
#[derive(Clone, Copy, Debug)]
pub struct RequiredNodeVictimKey {
    /// Opt-out, originator and age.
    pub key: VictimKey,
    /// Priority of the task, without offsets.
    pub priority: i32,
    /// Allocated resources.
    pub resource: Amounts,
}

impl RequiredNodeVictimKey {
    fn kind(&self) -> u8 {
        match (self.key.originator, self.key.allow_self) {
            (true, _) => 3,
            (false, false) => 2,
            (false, true) => 1,
        }
    }

    /// Whether this victim precedes the other. On a full tie each precedes the other, so ties come out reversed.
    pub fn goes_before(&self, other: &RequiredNodeVictimKey) -> bool {
        let first = self.kind().cmp(&other.kind());
        let first = first.then(self.priority.cmp(&other.priority));
        match first.then(other.key.created.cmp(&self.key.created)) {
            Ordering::Equal => {
                let larger_by = amounts::difference(&self.resource, &other.resource);
                amounts::equal(&self.resource, &other.resource) || !larger_by.positive()
            }
            different => different == Ordering::Less,
        }
    }
}

/// Order in which tasks are marked, as indices; the initial order is by key.
pub fn order(all: &[RequiredNodeVictimKey]) -> Vec<usize> {
    stable::order(all.len(), &mut |l, r| all[l.item].goes_before(&all[r.item]))
}

impl Core {
    /// Marks the tasks that must leave the node for the ask, if enough can be freed.
    pub(super) fn preempt_on_required_node(&mut self, ask: AskIx, node: NodeIx) {
        let request = self.asks[ask].resource;
        let priority = self.asks[ask].priority;
        let is_candidate = |&victim: &AskIx| {
            let v = &self.asks[victim];
            let free = v.required_node.is_empty() && !v.preempted && !v.released;
            free && v.priority <= priority && amounts::overlap(&request, &v.resource)
        };
        let candidates: Vec<AskIx> = self.nodes[node].allocations.iter().copied().filter(is_candidate).collect();
        let standings: Vec<RequiredNodeVictimKey> = candidates.iter().map(|&victim| self.victim_key(victim)).collect();
        let mut total = Amounts::EMPTY;
        let mut victims = Vec::new();
        for i in order(&standings) {
            if amounts::ge_all(&total, &request) {
                break;
            }
            total.add(&standings[i].resource);
            victims.push(candidates[i]);
        }
        let enough = amounts::ge_all(&amounts::sum(&total, &self.nodes[node].available), &request);
        if victims.is_empty() || !enough {
            return;
        }
        for victim in victims {
            self.mark(victim, Some(ask));
        }
        self.asks[ask].triggered = true;
    }

    fn victim_key(&self, ask: AskIx) -> RequiredNodeVictimKey {
        let a = &self.asks[ask];
        let key = VictimKey { allow_self: a.allow_self, originator: a.originator, created: a.created };
        RequiredNodeVictimKey { key, priority: a.priority, resource: a.resource }
    }
}
