//! Over-commitment: hosts that offer more than their physical capacity.
//!
//! # Rule
//! In each dimension a host offers its physical capacity times the over-commit ratio of the plan. The policy uses the
//! offered capacity everywhere: in ownership, share usage, quotas and relative limits. GPUs are offered whole. A start
//! on a host whose units together request more than its physical capacity is explained by the ratio.
//!
//! # Source
//! ego.md 2; IBM, *MDPlan.xml reference*, `OverCommitRatio`
//!
//! # Differs
//! OC-34: ratios from 1 to 100, of CPU, memory and GPUs

use super::ids::UnitId;
use super::model::{CycleState, Model};
use super::rules::OVER_COMMIT;
use crate::policy::checks::term;
use crate::trace::{Check, Op, Quantity, Subject, Value};
use crate::units::{Amount, Resource, Weight};

/// Physical capacity of a host for an offered one.
fn had(offered: f64, resource: Resource, ratio: Weight) -> f64 {
    let capacity = offered / ratio.as_real();
    // The offered capacity was rounded down to whole GPUs, millicores or bytes.
    if resource == Resource::GPU { capacity.ceil() } else { capacity.round() }
}

/// Checks for a unit on an over-committed host; empty if its physical capacity suffices.
pub(super) fn checks(model: &Model, current: &CycleState<'_>, id: UnitId) -> Vec<Check> {
    let state = &current.state;
    let unit = &state.units[id];
    let size = |id: UnitId| &state.subs[state.units[id].sub].unit;
    let check = |resource: Resource| {
        let (dim, ratio) = (resource.index(), model.over_commit.get(resource));
        if ratio == Weight::ONE || size(id)[dim] == 0 {
            return None;
        }
        let earlier = state.on_host[unit.host].iter().filter(|&&other| other < id);
        let used = earlier.map(|&other| size(other)[dim]).sum::<i64>() + size(id)[dim];
        let real = |base: i64| Amount::base_units(base).in_policy_units(resource);
        let capacity = had(real(model.plan.hosts[unit.host][dim]), resource, ratio);
        let subject = Subject {
            queue: model.queues[state.subs[unit.sub].leaf],
            node: Some(model.nodes[unit.host]),
            resource: Some(resource),
            ..Subject::default()
        };
        let left = term(Quantity::Capacity, Value::Product([capacity, ratio.as_real()]));
        let right = term(Quantity::Allocated, Value::Real(real(used)));
        (real(used) > capacity).then(|| Check::new(OVER_COMMIT, subject, left, Op::AtLeast, right))
    };
    Resource::ACCOUNTED.into_iter().filter_map(check).collect()
}
