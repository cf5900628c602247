//! Preemption on the node that an ask requires.
//!
//! # Rule
//! Candidates are the node's tasks of at most the ask's priority, without offsets: ordinary ones first, then those that opted
//! out, then originators; then the lower priority, the younger, the smaller. As many as the ask needs are marked, or none. No
//! delay, no guarantee, no fence counts.
//!
//! # Source
//! yunikorn.md 5.7

use std::cmp::Ordering;

use super::amounts::{self, Amounts};
use super::model::{AskIx, Core, NodeIx};
use super::preempt::Willing;
use super::stable;

/// What orders victims on a required node.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Opted out, originator, age.
    pub willing: Willing,
    /// As asked.
    pub priority: i32,
    /// How much it holds.
    pub resource: Amounts,
}

impl Standing {
    fn kind(&self) -> u8 {
        match (self.willing.originator, self.willing.allow_self) {
            (true, _) => 3,
            (false, false) => 2,
            (false, true) => 1,
        }
    }

    /// Whether this one goes before the other. Full ties are less both ways, so they come out reversed.
    pub fn goes_before(&self, other: &Standing) -> bool {
        let first = self.kind().cmp(&other.kind());
        let first = first.then(self.priority.cmp(&other.priority));
        match first.then(other.willing.created.cmp(&self.willing.created)) {
            Ordering::Equal => {
                let more = amounts::difference(&self.resource, &other.resource);
                amounts::equal(&self.resource, &other.resource) || !more.positive()
            }
            different => different == Ordering::Less,
        }
    }
}

/// The order in which tasks are marked, as positions; the initial order is by key.
pub fn order(all: &[Standing]) -> Vec<usize> {
    stable::order(all.len(), &mut |l, r| all[l.item].goes_before(&all[r.item]))
}

impl Core {
    /// Marks what must leave the node so that the ask fits, if that is possible.
    pub(super) fn preempt_on_required_node(&mut self, ask: AskIx, node: NodeIx) {
        let wanted = self.asks[ask].resource;
        let priority = self.asks[ask].priority;
        let is_candidate = |&victim: &AskIx| {
            let v = &self.asks[victim];
            let free = v.required_node.is_empty() && !v.preempted && !v.released;
            free && v.priority <= priority && amounts::overlap(&wanted, &v.resource)
        };
        let candidates: Vec<AskIx> =
            self.nodes[node].allocations.iter().copied().filter(is_candidate).collect();
        let standings: Vec<Standing> = candidates.iter().map(|&victim| self.standing(victim)).collect();
        let mut total = Amounts::EMPTY;
        let mut victims = Vec::new();
        for at in order(&standings) {
            if amounts::ge_all(&total, &wanted) {
                break;
            }
            total.add(&standings[at].resource);
            victims.push(candidates[at]);
        }
        let enough = amounts::ge_all(&amounts::sum(&total, &self.nodes[node].available), &wanted);
        if victims.is_empty() || !enough {
            return;
        }
        for victim in victims {
            self.mark(victim, Some(ask));
        }
        self.asks[ask].triggered = true;
    }

    fn standing(&self, ask: AskIx) -> Standing {
        let a = &self.asks[ask];
        let willing = Willing { allow_self: a.allow_self, originator: a.originator, created: a.created };
        Standing { willing, priority: a.priority, resource: a.resource }
    }
}
