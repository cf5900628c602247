//! The nodes that a scheduler compares for a pod: which of them are recorded, and the comparisons.
//!
//! # Rule
//! Of the nodes that fit, the next best ones are recorded with their comparison with the chosen one; of those that come
//! before it and do not fit, the nearest ones with the amount that they lack. They are gathered while the scheduler
//! visits the nodes.
//!
//! # Source
//! see the rule records of each policy
//!
//! # Differs
//! a node on which no single amount decides is left out: free parts of GPUs may be enough together and on no device

use super::checks::{amount, term};
use crate::cluster::{Node, NodeUse, Pod, Request};
use crate::id::{Id, NodeId};
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject, Value};
use crate::units::{Amount, Resource};

/// Largest number of nodes of each kind that are recorded.
pub(super) const MOST: usize = 3;

/// Nodes near the chosen one in the order of a scheduler, by their sort keys; the key includes the node.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearest<K> {
    /// Those that fit, without the best one, the best first.
    pub next: Vec<K>,
    /// Those that do not fit, in order.
    pub unfit: Vec<K>,
}

impl<K: Copy + Ord> Nearest<K> {
    /// The last of the next best, once there are as many as are recorded: no later one matters.
    pub fn last(&self) -> Option<K> {
        self.next.get(MOST - 1).copied()
    }

    /// Adds a node that fits and is not the best one.
    pub fn fits(&mut self, key: K) {
        let at = self.next.partition_point(|other| *other < key);
        if at < MOST {
            self.next.truncate(MOST - 1);
            self.next.insert(at, key);
        }
    }

    /// Adds a node that does not fit.
    pub fn fails(&mut self, key: K) {
        let at = self.unfit.partition_point(|other| *other < key);
        if self.unfit.len() < MOST {
            self.unfit.insert(at, key);
        } else if at > 0 {
            self.unfit.remove(0);
            self.unfit.insert(at - 1, key);
        }
    }

    /// Removes the nodes that do not fit and come after the best one.
    pub fn end(&mut self, best: K) {
        self.unfit.retain(|key| *key < best);
    }
}

/// Check that a node comes before another one in the order of the nodes.
pub(super) fn earlier(rule: Rule, subject: Subject, other: NodeId, places: [usize; 2]) -> Check {
    let subject = Subject { other_node: Some(other), resource: None, ..subject };
    let [left, right] = places.map(|place| term(Quantity::Position, Value::Count(place as i64 + 1)));
    Check::new(rule, subject, left, Op::Less, right)
}

/// Checks that the node of the subject has at most as many free GPUs as another one and, if they have equally many,
/// comes before it in the order of the nodes.
pub(super) fn fuller(rule: Rule, subject: Subject, [own, other]: [(u32, NodeId); 2]) -> Vec<Check> {
    let free = |(n_free, _): (u32, NodeId)| amount(Quantity::Idle, i64::from(n_free) * 1000, Resource::GPU);
    let of_gpus = Subject { other_node: Some(other.1), resource: Some(Resource::GPU), ..subject };
    let mut checks = vec![Check::new(rule, of_gpus, free(own), Op::AtMost, free(other))];
    if own.0 == other.0 {
        checks.push(earlier(rule, subject, other.1, [own.1.index(), other.1.index()]));
    }
    checks
}

/// Check that a node is not as the pod needs it.
pub(super) fn excluded(rule: Rule, subject: Subject, quantity: Quantity) -> Check {
    let (no, yes) = (term(quantity, Value::Count(0)), term(Quantity::Constant, Value::Count(1)));
    Check::new(rule, Subject { resource: None, ..subject }, no, Op::Less, yes)
}

/// Check that one more pod exceeds the pod slots of a node.
pub(super) fn no_slot(rule: Rule, subject: Subject, with_pods: i64, slots: i64) -> Check {
    let (left, right) = (term(Quantity::Pods, Value::Count(with_pods)), term(Quantity::PodSlots, Value::Count(slots)));
    Check::new(rule, Subject { resource: None, ..subject }, left, Op::Exceeds, right)
}

/// Check that a request exceeds what is free on a node, in base units; `None` if it does not.
pub(super) fn lacks(rule: Rule, subject: Subject, resource: Resource, [asked, free]: [i64; 2]) -> Option<Check> {
    let subject = Subject { resource: Some(resource), ..subject };
    let (left, right) = (amount(Quantity::Request, asked, resource), amount(Quantity::Idle, free, resource));
    Some(Check::new(rule, subject, left, Op::Exceeds, right)).filter(|check| check.holds)
}

/// Check of what keeps pods of one job, together, from a node, the subject's one; `None` if no single amount does.
pub(super) fn misfit(rule: Rule, subject: Subject, (node, used): (&Node, &NodeUse), pods: &[&Pod]) -> Option<Check> {
    let barred = match () {
        () if !node.takes_pods() => Some(Quantity::Ready),
        () if pods.iter().any(|pod| !pod.tolerates(node)) => Some(Quantity::Tolerated),
        () if pods.iter().any(|pod| !pod.selects(node)) => Some(Quantity::Selected),
        () => None,
    };
    if let Some(quantity) = barred {
        return Some(excluded(rule, subject, quantity));
    }
    let with_pods = i64::from(used.n_pods()) + pods.len() as i64;
    if with_pods > i64::from(node.pods_max) {
        return Some(no_slot(rule, subject, with_pods, i64::from(node.pods_max)));
    }
    let mut all = Request::default();
    pods.iter().for_each(|pod| all.resources.add(&pod.request.resources));
    if let Some(resource) = used.lacking(node, &all) {
        let free = node.capacity.get(resource) - used.used().get(resource);
        let of = |amount: Amount| amount.in_base_units();
        return lacks(rule, subject, resource, [of(all.resources.get(resource)), of(free)]);
    }
    let asked = pods.iter().map(|pod| used.asked_milli(&pod.request)).sum();
    let free = pods.first().map_or(0, |pod| used.free_milli(node, pod.request.gpu));
    lacks(rule, subject, Resource::GPU, [asked, free])
}

/// Record of the order of nodes of a policy that packs GPUs, under its key.
pub(super) const fn fewest_free(key: &'static str, source: &'static str) -> RuleRecord {
    RuleRecord {
        key,
        says: "nodes are compared by their free GPUs, the fewest first, then by their order in the file; the first that fits is \
               chosen",
        formula: "free GPUs(node) ≤ free GPUs(other), then place(node) < place(other)",
        source,
        differs: "",
    }
}
