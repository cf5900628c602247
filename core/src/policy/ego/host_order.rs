//! The comparisons of the chosen host with others.
//!
//! # Rule
//! A host that comes later in the order, or has room for fewer units, is told with both numbers; one that does not fit
//! with what it lacks.
//!
//! # Source
//! ego.md 7.4
//!
//! # Differs
//! a host on which no single amount decides is left out, as one that carries units of others under *exclusive*

use std::cmp::Reverse;

use super::ids::{HostId, SubId, UnitId};
use super::model::{Model, SLOTS};
use super::plan::Dims;
use super::pool_state::PoolState;
use super::rules::HOST_ORDER;
use crate::cluster::{Node, Pod};
use crate::policy::PartitionView;
use crate::policy::checks::term;
use crate::policy::node_order::{earlier, excluded, lacks, no_slot};
use crate::trace::{Check, Op, Quantity, Subject, Value};
use crate::units::{RESOURCES_MAX, Resource};

/// Comparisons of the host of a unit with others; `subject` is about its pod.
pub(super) fn checks(
    world: PartitionView<'_>,
    model: &Model,
    state: &PoolState<'_>,
    id: UnitId,
    subject: Subject,
) -> Vec<Check> {
    let Some(near) = state.near.get(&id) else { return Vec::new() };
    let unit = state.units[id];
    let on = |host: HostId| Subject { node: Some(model.nodes[host]), ..subject };
    let mut checks = Vec::new();
    for &(host, key) in &near.next {
        let other = model.nodes[host];
        if let ((Some(Reverse(chosen_units)), _), (Some(Reverse(n)), _)) = (near.own, key) {
            let of_both = Subject { other_node: Some(other), ..on(unit.host) };
            let [left, right] = [chosen_units, n].map(|n| term(Quantity::Units, Value::Count(count(n))));
            checks.push(Check::new(HOST_ORDER, of_both, left, Op::AtLeast, right));
        }
        if near.own.0 == key.0 {
            checks.push(earlier(HOST_ORDER, on(unit.host), other, [near.own.1, key.1]));
        }
    }
    let Some(pod) = subject.pod.map(|pod| &world.cluster.pods[pod]) else { return checks };
    checks.extend(near.unfit.iter().filter_map(|(host, free)| {
        let node = &world.cluster.nodes[model.nodes[*host]];
        let placement = (unit.sub, *host, free);
        misfit(state, placement, (pod, node), on(*host))
    }));
    checks
}

fn count(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Check of what keeps a unit from a host; `None` if no single amount does.
fn misfit(
    state: &PoolState<'_>,
    (sub, host, free): (SubId, HostId, &Dims),
    (pod, node): (&Pod, &Node),
    subject: Subject,
) -> Option<Check> {
    if !node.takes_pods() {
        return Some(excluded(HOST_ORDER, subject, Quantity::Ready));
    }
    if !pod.selects_labels(node) {
        return Some(excluded(HOST_ORDER, subject, Quantity::Selected));
    }
    let unit = &state.subs[sub].unit;
    let order = [Resource::GPU, Resource::CPU, Resource::MEMORY].map(Resource::index).into_iter();
    let mut order = order.chain(Resource::GPU.index() + 1..RESOURCES_MAX);
    let dim = order.find(|&dim| unit[dim] > 0 && unit[dim] > free[dim])?;
    if dim == SLOTS {
        let slots = state.plan.hosts[host][SLOTS];
        return Some(no_slot(HOST_ORDER, subject, slots - free[SLOTS] + unit[SLOTS], slots));
    }
    lacks(HOST_ORDER, subject, Resource(dim as u8), [unit[dim], free[dim]])
}
