//! Hosts that offer more than they have.
//!
//! # Rule
//! Of each dimension a host offers what it has times the over-commit ratio of the plan: that is its capacity wherever the policy
//! counts, in ownership, share usage, quotas and limits given as a part. GPUs are offered whole. A unit that starts on a host whose units
//! together ask for more than the host has is explained by that ratio.
//!
//! # Source
//! ego.md 2; IBM, *MDPlan.xml reference*, `OverCommitRatio`
//!
//! # Differs
//! OC-34: ratios from 1 to 100, of CPU, memory and GPUs

use super::ids::UnitId;
use super::model::{Desk, Model};
use super::rules::{OVER_COMMIT, term};
use crate::trace::{Check, Op, Quantity, Subject, Value};
use crate::units::{Amount, Resource, Weight};

/// What a host has of a resource of which it offers so much.
fn had(offered: f64, resource: Resource, ratio: Weight) -> f64 {
    let has = offered / ratio.as_real();
    // What is offered was rounded down to whole GPUs, millicores or bytes.
    if resource == Resource::GPU { has.ceil() } else { has.round() }
}

/// The comparisons that hold for a unit because its host is over-committed.
pub(super) fn checks(model: &Model, desk: &Desk<'_>, id: UnitId) -> Vec<Check> {
    let state = &desk.state;
    let unit = &state.units[id];
    let size = |id: UnitId| &state.subs[state.units[id].sub].unit;
    let check = |resource: Resource| {
        let (dim, ratio) = (resource.index(), model.over_commit.get(resource));
        if ratio == Weight::ONE || size(id)[dim] == 0 {
            return None;
        }
        let before = state.on_host[unit.host].iter().filter(|&&other| other < id);
        let used = before.map(|&other| size(other)[dim]).sum::<i64>() + size(id)[dim];
        let real = |base: i64| Amount::base_units(base).in_policy_units(resource);
        let has = had(real(model.plan.hosts[unit.host][dim]), resource, ratio);
        let subject = Subject {
            queue: model.queues[state.subs[unit.sub].leaf],
            node: Some(model.nodes[unit.host]),
            resource: Some(resource),
            ..Subject::default()
        };
        let left = term(Quantity::Capacity, Value::Product([has, ratio.as_real()]));
        let right = term(Quantity::Allocated, Value::Real(real(used)));
        (real(used) > has).then(|| Check::new(OVER_COMMIT, subject, left, Op::AtLeast, right))
    };
    Resource::ACCOUNTED.into_iter().filter_map(check).collect()
}
