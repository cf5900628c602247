//! Fair shares of KAI's queues at the start of a cycle, from requests and past usage that are added up here. One level
//! is divided by the function that is held against recordings of the real scheduler.
//!
//! # Rule
//! The total of the nodes is divided among the top queues, the share of every queue among its children. Without full
//! hierarchy, one queue without bounds has all queues that had a parent; its numbers stand in the row of the first top
//! queue.
//!
//! # Source
//! kai.md 1.1, 2.1, 2.2; runai.md 4.2

use fairground::cluster::Queue;
use fairground::id::{Id, QueueId};
use fairground::policy::Policy;
use fairground::policy::kai::config::Config;
use fairground::policy::kai::share::division::{Sibling, divide};
use fairground::policy::runai::terms::OverQuota;
use fairground::units::{Bound, Resource};

use super::accounts::{Accounts, Triple, plus};
use super::moments::PodPlace;

/// Amount that stands for no bound.
const UNLIMITED: f64 = -1.0;

/// Fair shares of a pool by queue, and what they follow from.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    pub shares: Vec<Triple>,
    /// Past usage; empty under a policy without.
    pub usage: Vec<Triple>,
    /// Fair shares if it did not count.
    pub without_usage: Vec<Triple>,
}

/// What the fair shares of a pool follow from.
#[derive(Debug)]
pub struct Division<'a> {
    /// Accounts before the first decision.
    pub accounts: Accounts<'a>,
    pub config: &'a Config,
    /// Past usage by queue.
    pub usage: &'a [Triple],
}

impl Division<'_> {
    /// The fair share of every queue.
    pub fn shares(&self) -> Vec<Triple> {
        let all = &self.accounts.cluster.queues;
        let mut shares = vec![[0.0; 3]; all.len()];
        let top: Vec<QueueId> = all.ids().filter(|queue| all[*queue].parent.is_none()).collect();
        let total = self.accounts.total(self.config);
        match top.first() {
            Some(first) if !self.config.full_hierarchy_fairness => {
                let below: Vec<QueueId> =
                    all.ids().filter(|queue| self.accounts.is_kept(*queue) && !top.contains(queue)).collect();
                self.divide_among(self.share_of_all(total, *first), &below, &mut shares);
                shares[first.index()] = self.share_of_all(total, *first);
            }
            _ => self.divide(total, &top, &mut shares),
        }
        shares
    }

    fn divide(&self, total: Triple, siblings: &[QueueId], shares: &mut [Triple]) {
        self.divide_among(total, siblings, shares);
        for queue in siblings {
            let children = &self.accounts.cluster.queues[*queue].children;
            self.divide(shares[queue.index()], children, shares);
        }
    }

    fn divide_among(&self, total: Triple, siblings: &[QueueId], shares: &mut [Triple]) {
        let queues = self.accounts.cluster.queues_in(self.accounts.pool);
        let requests: Vec<Triple> = siblings.iter().map(|queue| self.request(*queue)).collect();
        for (r, total) in total.into_iter().enumerate() {
            let bound = |amount: f64| if amount == f64::INFINITY { UNLIMITED } else { amount };
            let sibling = |(queue, request): (&QueueId, &Triple)| Sibling {
                name: &self.accounts.cluster.queues[*queue].name,
                priority: queues[*queue].priority.map_or(100, i64::from),
                created_s: queues[*queue].created.as_seconds(),
                deserved: bound(self.accounts.quota(*queue)[r]),
                limit: bound(self.accounts.limit(*queue)[r]),
                weight: self.weight(&queues[*queue], r),
                request: request[r],
                usage: self.usage[queue.index()][r],
                fair_share: 0.0,
            };
            let mut level: Vec<Sibling<'_>> = siblings.iter().zip(&requests).map(sibling).collect();
            divide(total, self.config.division_params(), &mut level);
            for (queue, of) in siblings.iter().zip(level) {
                shares[queue.index()][r] = of.fair_share;
            }
        }
    }

    /// The share of the one queue above all others: what is requested, as far as there is so much.
    fn share_of_all(&self, total: Triple, top: QueueId) -> Triple {
        let request = self.request(top);
        std::array::from_fn(|r| {
            let (deserved, limit, weight) = (UNLIMITED, UNLIMITED, 1.0);
            let mut only =
                [Sibling { name: "default", deserved, limit, weight, request: request[r], ..Sibling::default() }];
            divide(total[r], self.config.division_params(), &mut only);
            only[0].fair_share
        })
    }

    /// What the jobs below a queue hold and ask for.
    fn request(&self, queue: QueueId) -> Triple {
        let pods = self.accounts.jobs_below(queue).flat_map(|job| self.accounts.cluster.jobs[job].pod_ids());
        pods.fold([0.0; 3], |sum, pod| match self.accounts.place(pod) {
            PodPlace::Waiting => plus(sum, self.accounts.pending(pod, false)),
            PodPlace::On(node) => plus(sum, self.accounts.on_node(pod, node)),
            _ => sum,
        })
    }

    /// Weight in the division of what quotas leave.
    fn weight(&self, queue: &Queue, r: usize) -> f64 {
        let of = queue.resources.get(Resource::ACCOUNTED[r]);
        let typed = of.weight.map(|weight| weight.as_real());
        let Policy::Runai(config) = self.accounts.policy else { return typed.unwrap_or(0.0) };
        let is_department = queue.parent.is_none() && !queue.children.is_empty();
        let by_quota =
            if is_department { !config.sharing.departments_by_weight } else { config.sharing.projects_by_quota };
        match (config.sharing.over_quota.get(&queue.name), of.quota) {
            (Some(OverQuota::Off), _) => 0.0,
            (_, Bound::At(quota)) if by_quota => quota.in_policy_units(Resource::ACCOUNTED[r]),
            _ if by_quota => 0.0,
            (Some(OverQuota::Weight(weight)), _) => weight.as_real(),
            (None, _) => typed.unwrap_or(2.0),
        }
    }
}
