//! What the policy believes about every queue, in amounts of each resource.
//!
//! # Rule
//! The share usage quota is a part of a pool and has no amount in one resource; shown as entitlement is the
//! dynamic share quota, what a queue owns included: per pool and resource the amount that a queue with work would get by
//! priority and ratio, never above what it wants. Quota is what it owns, limit its share limit.
//!
//! # Source
//! ego.md 5
//!
//! # Differs
//! OC-9

use super::model::{Desk, Model, sum_of};
use super::plan::{Dims, ShareLimit, add};
use super::pool::PoolBook;
use super::quota::dynamic_quota;
use super::rules::{DYNAMIC_QUOTA, OWN_HOSTS};
use crate::cluster::{Preemptible, request_of};
use crate::id::QueueId;
use crate::policy::PartitionView;
use crate::trace::{DivisionStep, Ledger, LedgerRow};
use crate::units::{Amount, PerResource, Resource};

fn units(resource: Resource, base: f64) -> f64 {
    if resource == Resource::GPU { base / 1000.0 } else { base }
}

/// The rows of all queues.
pub fn ledger(world: PartitionView<'_>, model: &Model, desk: &Desk<'_>) -> Ledger {
    let cluster = world.cluster;
    let mut rows: Vec<LedgerRow> = cluster.queues.ids().map(LedgerRow::empty).collect();
    let mut total = PerResource::default();
    let all = sum_of(&model.plan, &(0..model.nodes.len()).collect::<Vec<_>>());
    let mut owned: Vec<Dims> = vec![Dims::default(); model.plan.consumers.len()];
    for (consumer, hosts) in model.layout.holdings.iter().enumerate().skip(1) {
        let sum = sum_of(&model.plan, hosts);
        model.plan.path(consumer).for_each(|c| add(&mut owned[c], &sum, 1));
    }
    let entitled = entitlements(model, desk);
    for r in Resource::ACCOUNTED {
        total.set(r, units(r, all[r.index()] as f64));
        for (consumer, queue) in model.queues.iter().enumerate() {
            let Some(queue) = queue else { continue };
            let row = &mut rows[crate::id::Id::index(*queue)];
            row.quota.set(r, units(r, owned[consumer][r.index()] as f64));
            let mut share = row.fair_share.unwrap_or_default();
            share.set(r, units(r, entitled[consumer][r.index()]));
            row.fair_share = Some(share);
            if let Some(ShareLimit::At(most)) = model.plan.consumers[consumer].share_limit[r.index()] {
                row.limit.set(r, Amount::base_units(most).in_policy_units(r));
            }
        }
    }
    for job in world.live_jobs() {
        for (_, pod) in cluster.pods_of(job) {
            let runs = pod.phase.holds() && !matches!(pod.phase, crate::cluster::Phase::Terminating { .. });
            if !runs && pod.phase != crate::cluster::Phase::Pending {
                continue;
            }
            let ask = request_of(&pod.request);
            for queue in cluster.path_to_root(cluster.jobs[job].queue) {
                let row = &mut rows[crate::id::Id::index(queue)];
                let fixed = runs && cluster.jobs[job].preemptible == Preemptible::No;
                for (column, counts) in
                    [(&mut row.allocated, runs), (&mut row.non_preemptible, fixed), (&mut row.request, true)]
                {
                    for r in Resource::ACCOUNTED.into_iter().filter(|_| counts) {
                        let amount = Amount::base_units(ask[r.index()]).in_policy_units(r);
                        column.set(r, column.get(r) + amount);
                    }
                }
            }
        }
    }
    Ledger { rows, total }
}

/// Per consumer: its dynamic share quota in every pool, and of its own hosts what it wants beyond that.
fn entitlements(model: &Model, desk: &Desk<'_>) -> Vec<[f64; 3]> {
    let plan = &model.plan;
    let mut entitled = vec![[0.0; 3]; plan.consumers.len()];
    for &root in &model.layout.pools {
        let pool = model.layout.pool(&desk.books, root);
        let book = PoolBook::open(&desk.books, &pool);
        for r in Resource::ACCOUNTED.map(Resource::index) {
            let quota = dynamic_quota(&desk.books, &book, r);
            for (at, quota) in quota.iter().enumerate() {
                if at > 0 || root > 0 {
                    entitled[root + at][r] += quota.as_real();
                }
            }
            // What a pool's consumer is entitled to, those above it are too.
            for above in plan.path(root).skip(1) {
                entitled[above][r] += quota[0].as_real();
            }
        }
    }
    let mut wanted = vec![[0.0; 3]; plan.consumers.len()];
    for sub in &desk.books.subs {
        for (r, sum) in wanted[sub.leaf].iter_mut().enumerate() {
            *sum += sub.unit[r] as f64 * f64::from(sub.want);
        }
    }
    for leaf in (1..plan.consumers.len()).filter(|&c| plan.is_leaf(c)) {
        let has = sum_of(plan, &model.layout.holdings[leaf]);
        for r in Resource::ACCOUNTED.map(Resource::index) {
            let own = (wanted[leaf][r] - entitled[leaf][r]).clamp(0.0, has[r] as f64);
            plan.path(leaf).for_each(|c| entitled[c][r] += own);
        }
    }
    entitled
}

/// How an entitlement came about, level by level: what a consumer has on own hosts and in private pools, then the public pool, divided.
pub fn ladder(model: &Model, desk: &Desk<'_>, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
    let plan = &model.plan;
    let at = model.consumer(queue);
    let pool = model.layout.pool(&desk.books, 0);
    let book = PoolBook::open(&desk.books, &pool);
    let quota = dynamic_quota(&desk.books, &book, resource.index());
    let entitled = entitlements(model, desk);
    let level = Ladder {
        model,
        public: quota.iter().map(|q| units(resource, q.as_real())).collect(),
        entitled: entitled.iter().map(|all| units(resource, all[resource.index()])).collect(),
    };
    let mut path: Vec<usize> = plan.path(at).collect();
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

/// Per consumer, of one resource: its part of the public pool, and all that it is entitled to.
struct Ladder<'m> {
    model: &'m Model,
    public: Vec<f64>,
    entitled: Vec<f64>,
}

impl Ladder<'_> {
    /// The children of one consumer.
    fn of(&self, parent: usize, steps: &mut Vec<DivisionStep>) {
        let plan = &self.model.plan;
        let own = |c: usize| self.entitled[c] - self.public[c];
        let mut order = plan.consumers[parent].children.clone();
        crate::kit::sort::sort_by_key(&mut order, |&c| std::cmp::Reverse(plan.consumers[c].priority));
        let mut rest = self.public[parent] + order.iter().map(|&c| own(c)).sum::<f64>();
        steps.push(DivisionStep::Capacity { of: self.model.queues[parent], amount: rest });
        for &c in order.iter().filter(|&&c| own(c) > 0.0) {
            let Some(queue) = self.model.queues[c] else { continue };
            rest -= own(c);
            let has = own(c);
            steps.push(DivisionStep::Quota {
                rule: OWN_HOSTS,
                queue,
                quota: has,
                requestable: has,
                granted: has,
                remaining: rest,
            });
        }
        self.rounds(parent, &order, steps);
    }

    /// The public pool, by priority and ratio; siblings of one priority share what the better ones leave.
    fn rounds(&self, parent: usize, order: &[usize], steps: &mut Vec<DivisionStep>) {
        let plan = &self.model.plan;
        let priority = |c: usize| plan.consumers[c].priority;
        let mut rest = self.public[parent];
        for (i, &c) in order.iter().enumerate() {
            let group = || order.iter().filter(|&&o| priority(o) == priority(c));
            let sum: u64 = group().map(|&o| plan.consumers[o].ratio).sum();
            let ratio = plan.consumers[c].ratio as f64;
            let Some(queue) = self.model.queues[c] else { continue };
            let given = self.public[c];
            steps.push(DivisionStep::Round {
                rule: DYNAMIC_QUOTA,
                priority: i32::try_from(priority(c)).unwrap_or(i32::MAX),
                round: 1,
                queue,
                pot: rest,
                weight: ratio,
                part: (ratio, sum as f64),
                offer: if sum > 0 { rest * ratio / sum as f64 } else { 0.0 },
                wanted: given,
                given,
            });
            if order.get(i + 1).map(|&o| priority(o)) != Some(priority(c)) {
                rest -= group().map(|&o| self.public[o]).sum::<f64>();
            }
        }
    }
}
