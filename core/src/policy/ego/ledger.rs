//! The ledger: amounts per queue and resource.
//!
//! # Rule
//! The share usage quota is a fraction of a pool and has no amount in one resource. The displayed fair share is the
//! dynamic share quota, ownership included: per pool and resource the amount that a queue with enough demand would get
//! by priority and ratio, at most its demand. Quota is the ownership, limit the share limit. In a slot plan the fair
//! share in GPUs is the share quota that reclaim uses.
//!
//! # Source
//! ego.md 5
//!
//! # Differs
//! OC-9

use super::ids::ConsumerId;
use super::model::{CycleState, Model, in_policy_units as units, sum_of};
use super::number::{Fraction, Nat};
use super::plan::{Dims, ShareLimit, add};
use super::pool::PoolBook;
use super::quota::{MILLION, dynamic_demand, dynamic_quota};
use super::rules::{DYNAMIC_QUOTA, OWN_HOSTS};
use super::slot_view::SlotView;
use crate::id::{Arena, Id, QueueId};
use crate::policy::PartitionView;
use crate::policy::ledger::rows;
use crate::trace::{DivisionRound, DivisionStep, Ledger};
use crate::units::{Amount, PerResource, Resource};

/// The ledger.
pub fn ledger(world: PartitionView<'_>, model: &Model, current: &CycleState<'_>) -> Ledger {
    let mut rows = rows(world);
    let mut total = PerResource::default();
    let all = sum_of(&model.plan, &model.nodes.ids().collect::<Vec<_>>());
    let mut owned: Arena<ConsumerId, Dims> = model.plan.consumers.ids().map(|_| Dims::default()).collect();
    for (consumer, hosts) in model.layout.holdings.iter().skip(1) {
        let sum = sum_of(&model.plan, hosts);
        model.plan.path(consumer).for_each(|c| add(&mut owned[c], &sum, 1));
    }
    let entitled = entitlements(model, current);
    for r in Resource::ACCOUNTED {
        total.set(r, units(r, all[r.index()] as f64));
        for (consumer, queue) in model.queues.iter() {
            let Some(queue) = queue else { continue };
            let row = &mut rows[queue.index()];
            row.quota.set(r, units(r, owned[consumer][r.index()] as f64));
            let mut share = row.fair_share.unwrap_or_default();
            share.set(r, units(r, entitled[consumer][r.index()]));
            row.fair_share = Some(share);
            if let Some(ShareLimit::At(limit)) = model.plan.consumers[consumer].share_limit[r.index()] {
                row.limit.set(r, Amount::base_units(limit).in_policy_units(r));
            }
        }
    }
    Ledger { rows, total }
}

/// Fair share per consumer: its dynamic share quota in every pool, plus the demand beyond it that its own hosts cover.
fn entitlements(model: &Model, current: &CycleState<'_>) -> Arena<ConsumerId, [f64; 3]> {
    let plan = &model.plan;
    let zeros = || plan.consumers.ids().map(|_| [0.0; 3]).collect();
    let mut entitled: Arena<ConsumerId, [f64; 3]> = zeros();
    for &root in &model.layout.pools {
        let pool = model.layout.pool(&current.state, root);
        let book = PoolBook::open(&current.state, &pool);
        for r in Resource::ACCOUNTED.map(Resource::index) {
            let quota = dynamic_quota(&current.state, &book, r);
            for consumer in quota.ids().filter(|&c| c != ConsumerId::ROOT) {
                entitled[consumer][r] += quota[consumer].as_real();
            }
            // Ancestors include the quota of a private pool below them.
            for ancestor in plan.path(root).skip(1) {
                entitled[ancestor][r] += quota[root].as_real();
            }
        }
    }
    if let Some(slots) = SlotView::new(model, current) {
        for (consumer, amounts) in entitled.iter_mut() {
            amounts[Resource::GPU.index()] = slots.quota()[consumer] as f64 * 1000.0;
        }
        return entitled;
    }
    let mut demand: Arena<ConsumerId, [f64; 3]> = zeros();
    for sub in current.state.subs.values() {
        for (r, sum) in demand[sub.leaf].iter_mut().enumerate() {
            *sum += sub.unit[r] as f64 * f64::from(sub.want);
        }
    }
    for leaf in plan.consumers.ids().skip(1).filter(|&c| plan.is_leaf(c)) {
        let held = sum_of(plan, &model.layout.holdings[leaf]);
        for r in Resource::ACCOUNTED.map(Resource::index) {
            let from_own_hosts = (demand[leaf][r] - entitled[leaf][r]).clamp(0.0, held[r] as f64);
            plan.path(leaf).for_each(|c| entitled[c][r] += from_own_hosts);
        }
    }
    entitled
}

/// Derivation of a fair share, level by level: own hosts and private pools, then the division of the public pool.
pub fn derive(model: &Model, current: &CycleState<'_>, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
    let plan = &model.plan;
    let consumer = model.consumer(queue);
    let pool = model.layout.pool(&current.state, ConsumerId::ROOT);
    let book = PoolBook::open(&current.state, &pool);
    let quota = dynamic_quota(&current.state, &book, resource.index());
    let demand = dynamic_demand(&current.state, &book, resource.index());
    let real = |n: &Nat| Fraction { n: n.clone(), d: MILLION.into() }.as_real();
    let entitled = entitlements(model, current);
    let level = Derivation {
        model,
        demand: demand.ids().map(|c| units(resource, real(&demand[c]))).collect(),
        public: quota.ids().map(|c| units(resource, quota[c].as_real())).collect(),
        entitled: entitled.values().map(|all| units(resource, all[resource.index()])).collect(),
    };
    let mut path: Vec<ConsumerId> = plan.path(consumer).collect();
    path.reverse();
    let mut steps = Vec::new();
    for pair in path.windows(2) {
        level.of(pair[0], &mut steps);
        if let Some(queue) = model.queues[pair[1]] {
            steps.push(DivisionStep::Result { queue, fair_share: level.entitled[pair[1]] });
        }
    }
    steps
}

/// Amounts of one resource per consumer: demand and quota in the public pool, and the total fair share.
struct Derivation<'m> {
    model: &'m Model,
    demand: Arena<ConsumerId, f64>,
    public: Arena<ConsumerId, f64>,
    entitled: Arena<ConsumerId, f64>,
}

impl Derivation<'_> {
    /// Appends the steps of one level.
    fn of(&self, parent: ConsumerId, steps: &mut Vec<DivisionStep>) {
        let plan = &self.model.plan;
        let of_own_hosts = |c: ConsumerId| self.entitled[c] - self.public[c];
        let mut order = plan.consumers[parent].children.clone();
        order.sort_by_key(|&c| std::cmp::Reverse(plan.consumers[c].priority));
        let mut rest = self.public[parent] + order.iter().map(|&c| of_own_hosts(c)).sum::<f64>();
        steps.push(DivisionStep::Capacity { of: self.model.queues[parent], amount: rest });
        for &c in order.iter().filter(|&&c| of_own_hosts(c) > 0.0) {
            let Some(queue) = self.model.queues[c] else { continue };
            let granted = of_own_hosts(c);
            rest -= granted;
            steps.push(DivisionStep::Quota {
                rule: OWN_HOSTS,
                queue,
                quota: granted,
                requestable: granted,
                granted,
                remaining: rest,
            });
        }
        self.rounds(parent, &order, steps);
    }

    /// Appends the division of the public pool by priority and ratio: siblings of one priority share what higher
    /// priorities leave and, in further rounds, what satisfied siblings leave.
    fn rounds(&self, parent: ConsumerId, order: &[ConsumerId], steps: &mut Vec<DivisionStep>) {
        let consumers = &self.model.plan.consumers;
        let mut rest = self.public[parent];
        for group in order.chunk_by(|&a, &b| consumers[a].priority == consumers[b].priority) {
            let mut granted: Vec<f64> = vec![0.0; group.len()];
            for round in 1..=group.len() as u32 {
                let missing = |i: usize| self.demand[group[i]] - granted[i];
                let is_open = |&i: &usize| consumers[group[i]].ratio > 0 && missing(i) > LEAST;
                let open: Vec<usize> = (0..group.len()).filter(is_open).collect();
                // If nothing is left for a priority, its consumers still have one line.
                if open.is_empty() || rest <= LEAST && round > 1 {
                    break;
                }
                let sum: u64 = open.iter().map(|&i| consumers[group[i]].ratio).sum();
                let pot = rest;
                for i in open {
                    let consumer = &consumers[group[i]];
                    let ratio = consumer.ratio as f64;
                    let (offer, wanted) = (pot * ratio / sum as f64, self.demand[group[i]] - granted[i]);
                    let part = offer.min(wanted);
                    granted[i] += part;
                    rest -= part;
                    let Some(queue) = self.model.queues[group[i]] else { continue };
                    steps.push(DivisionStep::Round(DivisionRound {
                        rule: DYNAMIC_QUOTA,
                        priority: i32::try_from(consumer.priority).unwrap_or(i32::MAX),
                        round,
                        queue,
                        pot,
                        weight: ratio,
                        past: None,
                        part: (ratio, sum as f64),
                        offer,
                        wanted,
                        given: part,
                    }));
                }
            }
        }
    }
}

/// Threshold below which an amount is a rounding error.
const LEAST: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{check, read};
    use crate::sim::Simulation;

    /// Eighteen slots for three siblings of equal ratio with demands 10, 10 and 2: a unit in its grace period counts as
    /// demand (OC-4).
    #[test]
    fn the_next_round_divides_what_satisfied_siblings_leave() {
        let text = include_str!("../../../../assets/scenarios/ego-eighteen-slots.yaml");
        let plan = check(&read(text).scenario.expect("an example")).plan.expect("it runs");
        let mut simulation = Simulation::new(&plan);
        simulation.advance();
        let a = simulation.cluster().queues.ids().next().expect("a queue");
        let steps = simulation.derive(a, Resource::GPU);
        let rounds = steps.iter().filter_map(|step| match step {
            DivisionStep::Round(DivisionRound { round, queue, pot, part, offer, wanted, given, .. }) => {
                Some((*round, queue.0, *pot, *part, *offer, *wanted, *given))
            }
            _ => None,
        });
        let expected = [
            (1, 0, 18.0, (1.0, 3.0), 6.0, 10.0, 6.0),
            (1, 1, 18.0, (1.0, 3.0), 6.0, 10.0, 6.0),
            (1, 2, 18.0, (1.0, 3.0), 6.0, 2.0, 2.0),
            (2, 0, 4.0, (1.0, 2.0), 2.0, 4.0, 2.0),
            (2, 1, 4.0, (1.0, 2.0), 2.0, 4.0, 2.0),
        ];
        assert_eq!(rounds.collect::<Vec<_>>(), expected);
        let last = steps.last();
        assert!(matches!(last, Some(DivisionStep::Result { fair_share: 8.0, .. })), "{last:?}");
    }
}
