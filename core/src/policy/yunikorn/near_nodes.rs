//! The nodes with which the chosen one is compared in an explanation.
//!
//! # Rule
//! Nodes are tried in order, so those before the chosen one do not take the ask; the last of them are told with what
//! they lack. Of the next ones in order, those that would take the ask are told with their scores.
//!
//! # Source
//! yunikorn.md 3.7, 6

use super::amounts::Amounts;
use super::memory::Memory;
use super::model::{AskIx, Core, NodeIx};
use super::rules::{self, NODE_ORDER};
use crate::policy::PartitionView;
use crate::policy::node_order::{MOST, excluded, no_slot};
use crate::trace::{Check, Op, Quantity, Subject, Value};
use crate::units::Resource;

/// Number of nodes after the chosen one that are tried for an explanation.
const AHEAD: usize = 2 * MOST;

/// The last few nodes.
#[derive(Debug, Default)]
pub(super) struct LastFew(Vec<NodeIx>);

impl LastFew {
    pub(super) fn push(&mut self, node: NodeIx) {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(node);
    }
}

/// Nodes near the chosen one, as they were when it was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct NearNodes {
    /// Score of the chosen node.
    score: f64,
    /// The next ones that take the ask, with their scores.
    next: Vec<(NodeIx, f64)>,
    /// The last ones before it, with what was available.
    unfit: Vec<(NodeIx, Amounts)>,
}

impl Core {
    /// Gathers the nodes near the chosen one; `later` yields those after it.
    pub(super) fn near(
        &self,
        ask: AskIx,
        node: NodeIx,
        later: impl Iterator<Item = NodeIx>,
        unfit: LastFew,
    ) -> NearNodes {
        let score = |node: NodeIx| self.nodes[node].score;
        let next = later.take(AHEAD).filter(|&node| self.can_place(ask, node)).take(MOST);
        NearNodes {
            score: score(node),
            next: next.map(|node| (node, score(node))).collect(),
            unfit: unfit.0.into_iter().map(|node| (node, self.nodes[node].available)).collect(),
        }
    }
}

/// Comparisons of the chosen node with those near it; `subject` is about the pod on that node.
pub(super) fn checks(
    world: PartitionView<'_>,
    memory: &Memory,
    (ask, node, near): (AskIx, NodeIx, &NearNodes),
    subject: Subject,
) -> Vec<Check> {
    let core = &memory.core;
    let mut checks = Vec::new();
    for &(other, score) in &near.next {
        let subject = Subject { other_node: Some(memory.nodes[other]), ..subject };
        let values = [near.score, score].map(Value::Real);
        checks.push(rules::compare(NODE_ORDER, subject, Quantity::Score, values, Op::AtMost));
        if near.score == score {
            let names = [node, other].map(|node| Value::Name(core.nodes[node].id.as_str().into()));
            checks.push(rules::compare(NODE_ORDER, subject, Quantity::Name, names, Op::Less));
        }
    }
    let unfit = near.unfit.iter();
    checks.extend(unfit.filter_map(|(node, available)| {
        let subject = Subject { node: Some(memory.nodes[*node]), ..subject };
        misfit(world, memory, ask, (*node, available), subject)
    }));
    checks
}

/// Check of what keeps the ask from a node; `None` if no single amount does.
fn misfit(
    world: PartitionView<'_>,
    memory: &Memory,
    ask: AskIx,
    (node, available): (NodeIx, &Amounts),
    subject: Subject,
) -> Option<Check> {
    let (core, types) = (&memory.core, &memory.resource_types);
    let of_cluster = &world.cluster.nodes[memory.nodes[node]];
    if core.refuses(ask, node) {
        let pod = &world.cluster.pods[subject.pod?];
        return match () {
            () if !pod.tolerates(of_cluster) => Some(excluded(NODE_ORDER, subject, Quantity::Tolerated)),
            () if !pod.selects(of_cluster) => Some(excluded(NODE_ORDER, subject, Quantity::Selected)),
            () => None,
        };
    }
    let request = &core.asks[ask].resource;
    let lacks = |type_ix: &usize| request.get(*type_ix) > available.get(*type_ix);
    let lacked = |resource: Resource| Some((resource, types.of(resource).filter(lacks)?));
    if let Some((resource, type_ix)) = types.resources().find_map(lacked) {
        let subject = Subject { resource: Some(resource), ..subject };
        let (left, right) = ((Quantity::Request, request.get(type_ix)), (Quantity::Idle, available.get(type_ix)));
        return Some(rules::amounts(NODE_ORDER, subject, left, Op::Exceeds, right));
    }
    let slots = types.pods().filter(lacks)?;
    let capacity = core.nodes[node].capacity.get(slots);
    let used = capacity - available.get(slots);
    Some(no_slot(NODE_ORDER, subject, used + request.get(slots), capacity))
}
