//! Max-min fairness: no queue can gain unless a queue with a smaller share loses.
//!
//! # Rule
//! The share of a queue is its allocation divided by its weight: `s = u / w`, in GPUs, or in cores if no node has a
//! GPU. The queue with the smallest share is served first ([`super::filling`]). Quotas, priorities and other resources
//! do not enter; the default weight is 1, and queues of weight 0 come after all others. The displayed fair share is the
//! result of filling with divisible pods: equal amounts per weight, except for queues that request less.
//! # Source
//! D. Bertsekas, R. Gallager, *Data Networks*, 2nd ed., 6.5.2 *Max-min flow control*
//!
//! # Differs
//! Pods are indivisible, so that allocations may differ from the fair share by one pod.

mod describe;
mod division;
mod rules;

use division::{divide, steps};
use rules::RULES;

use super::description::Description;
use super::filling::{Filling, Measure, Share, Variant};
use crate::trace::Quantity;
use crate::units::{Amount, Resource};

/// The scheduler.
pub type MaxMin = Filling<MaxMinVariant>;

/// What distinguishes max-min fairness from other policies with progressive filling.
#[derive(Clone, Debug, PartialEq)]
pub struct MaxMinVariant;

impl Variant for MaxMinVariant {
    const DESCRIPTION: &'static Description = &describe::DESCRIPTION;
    const MEASURE: &'static Measure = &Measure { rules: RULES, share, quantity: Quantity::Saturation, divide, steps };
}

fn share(of: Share<'_>) -> f64 {
    let has_gpus = of.total[Resource::GPU.index()] > 0;
    let r = if has_gpus { Resource::GPU } else { Resource::CPU };
    let (u, w) = (Amount::base_units(of.held[r.index()]).in_policy_units(r), of.weight[r.index()]);
    if w > 0.0 { u / w } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use crate::cluster::ClusterState;
    use crate::id::{PartitionId, PodId};
    use crate::policy::{Decision, PartitionScheduler, PartitionView};
    use crate::scenario::{check, read};
    use crate::time::{Span, Time};
    use crate::trace::{Level, Trace};

    /// Both queues hold one GPU and the first in the file is next: terminating pods count for no queue.
    #[test]
    fn terminating_pods_count_for_no_queue() {
        let text = "format: fairground-scenario\nversion: 1\npolicy: max-min\nnodes: [{name: n, gpu: 4}]\n\
                    queues: [{name: a}, {name: b}]\njobs: [{name: x, queue: a, count: 3, gpu: 1, on: [n, n]}, \
                    {name: y, queue: b, count: 2, gpu: 1, on: [n]}]\n";
        let plan = check(&read(text).scenario.expect("written for this")).plan.expect("it runs");
        let (policy, mut memory) = PartitionScheduler::new(&plan.policy, plan.rhythm);
        let mut world = ClusterState::new(plan.cluster.clone());
        world.evict(PodId(1), Span::from_seconds(9), Time::ZERO);
        let view = PartitionView::new(&world, PartitionId(0), Time::ZERO);
        let turn = policy.cycle(view, &mut memory, &mut Trace::new(Level::Outcomes));
        let bound = turn.decisions.iter().map(|decision| match decision {
            Decision::Bind { pod, .. } => Some(pod.0),
            Decision::Evict { .. } => None,
        });
        assert_eq!(bound.collect::<Vec<_>>(), [Some(2)]);
    }
}
