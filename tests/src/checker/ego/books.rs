//! Units with their sources, lent hosts and earmarks at one moment, and the numbers of a pool that follow (ego.md 3 to
//! 8).

use std::collections::BTreeMap;

use fairground::cluster::{Cluster, Preemptible, Restart};
use fairground::id::{JobId, NodeId, PartitionId, PodId, PodSetId};

use super::super::moments::{MomentState, PodPlace};
use super::tree::{Dims, ROOT, Tree, consumer, may_run, unit_of};

/// Where a unit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The own hosts of its leaf.
    Owned,
    /// The pool of this consumer.
    Pool(usize),
}

/// Room for one unit on a host, behind victims.
#[derive(Clone, Debug)]
pub struct Earmark {
    pub set: PodSetId,
    pub node: NodeId,
    pub source: Source,
    pub victims: Vec<PodId>,
}

/// What the places of the pods do not tell.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// Sources of the units that were started by the scheduler.
    pub started: BTreeMap<PodId, Source>,
    /// Sources of all units.
    pub sources: BTreeMap<PodId, Source>,
    /// Lent hosts with the pool that has them.
    pub lent: BTreeMap<NodeId, usize>,
    pub earmarks: Vec<Earmark>,
}

/// A pod set: units of one size of one leaf.
#[derive(Clone, Debug)]
pub struct Set {
    pub id: PodSetId,
    pub job: JobId,
    pub leaf: usize,
    pub unit: Dims,
    pub pods: Vec<PodId>,
    pub min: u32,
    pub is_replaced: bool,
}

/// The pool of nodes with its jobs in serving order.
#[derive(Debug)]
pub struct ServedPool<'a> {
    pub cluster: &'a Cluster,
    pub pool: PartitionId,
    pub tree: Tree,
    pub sets: Vec<Set>,
}

impl<'a> ServedPool<'a> {
    pub fn new(cluster: &'a Cluster, tree: Tree, pool: PartitionId, state: &MomentState) -> ServedPool<'a> {
        let is_here = |job: &JobId| state.pools[job.0 as usize] == pool;
        let mut jobs: Vec<JobId> = cluster.live_jobs.iter().copied().filter(is_here).collect();
        jobs.sort_by(|a, b| {
            let (a, b) = (&cluster.jobs[*a], &cluster.jobs[*b]);
            b.priority.cmp(&a.priority).then(a.submit.cmp(&b.submit))
        });
        let set = |job: JobId, id: PodSetId| {
            let of = &cluster.jobs[job];
            let pods: Vec<PodId> = of.pod_ids().filter(|pod| cluster.pods[*pod].pod_set == id).collect();
            Set {
                id,
                job,
                leaf: consumer(of.queue),
                unit: pods.first().map_or(Dims::default(), |pod| unit_of(&cluster.pods[*pod])),
                pods,
                min: cluster.pod_sets[id].min_available,
                is_replaced: of.restart != Restart::Never,
            }
        };
        let of = |job: JobId| cluster.jobs[job].pod_set_ids().map(move |id| (job, id));
        let sets = jobs.into_iter().flat_map(of).map(|(job, id)| set(job, id)).collect();
        ServedPool { cluster, pool, tree, sets }
    }

    pub fn set_of(&self, pod: PodId) -> Option<&Set> {
        self.sets.iter().find(|set| set.id == self.cluster.pods[pod].pod_set)
    }

    pub fn may_run(&self, set: &Set, host: NodeId) -> bool {
        set.pods.first().is_none_or(|pod| may_run(&self.cluster.pods[*pod], &self.cluster.nodes[host]))
    }

    /// The consumer in whose pool a host is now, if it is in one.
    pub fn pool_of(&self, books: &Books, host: NodeId) -> Option<usize> {
        let holder = self.tree.holder[&host];
        let is_owned = self.tree.is_leaf(holder) && holder != ROOT;
        if is_owned { books.lent.get(&host).copied() } else { Some(holder) }
    }
}

pub fn fits(room: &Dims, unit: &Dims) -> bool {
    unit.iter().zip(room).all(|(unit, room)| *unit <= 0 || unit <= room)
}

pub fn add(to: &mut Dims, amount: &Dims, times: i64) {
    to.iter_mut().zip(amount).for_each(|(to, amount)| *to += amount * times);
}

/// A moment of a pool of nodes.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub world: &'a ServedPool<'a>,
    pub state: &'a MomentState,
    pub books: &'a Books,
}

impl View<'_> {
    pub fn place(&self, pod: PodId) -> PodPlace {
        self.state.places[pod.0 as usize]
    }

    /// Units on hosts, with those in their grace period.
    pub fn units(&self) -> impl Iterator<Item = (&Set, PodId, NodeId, bool)> {
        let of = move |set| {
            let Set { pods, .. }: &Set = set;
            pods.iter().filter_map(move |&pod| match self.place(pod) {
                PodPlace::On(node) => Some((set, pod, node, true)),
                PodPlace::Leaving(node) => Some((set, pod, node, false)),
                _ => None,
            })
        };
        self.world.sets.iter().flat_map(of)
    }

    fn count(&self, set: &Set, is: impl Fn(PodPlace) -> bool) -> u32 {
        set.pods.iter().filter(|pod| is(self.place(**pod))).count() as u32
    }
    pub fn waiting(&self, set: &Set) -> u32 {
        self.count(set, |place| place == PodPlace::Waiting)
    }
    pub fn running(&self, set: &Set) -> u32 {
        self.count(set, |place| matches!(place, PodPlace::On(_)))
    }
    pub fn leaving(&self, set: &Set) -> u32 {
        if set.is_replaced { self.count(set, |place| matches!(place, PodPlace::Leaving(_))) } else { 0 }
    }
    pub fn earmarked(&self, set: &Set) -> u32 {
        self.books.earmarks.iter().filter(|earmark| earmark.set == set.id).count() as u32
    }
    pub fn covered(&self, set: &Set) -> u32 {
        self.running(set) + self.earmarked(set)
    }
    pub fn want(&self, set: &Set) -> u32 {
        self.waiting(set) + self.running(set) + self.leaving(set)
    }
    /// Wanted units without a running or earmarked one (OC-4).
    pub fn outstanding(&self, set: &Set) -> u32 {
        self.want(set).saturating_sub(self.covered(set))
    }

    /// Units of a job that have to start together now (OC-14).
    pub fn first_units(&self, job: JobId) -> Vec<&Set> {
        let lacking = |set: &Set| set.min.saturating_sub(self.covered(set)).min(self.outstanding(set));
        let sets = self.world.sets.iter().filter(|set| set.job == job);
        let units: Vec<&Set> = sets.flat_map(|set| std::iter::repeat_n(set, lacking(set) as usize)).collect();
        if units.len() > 1 { units } else { Vec::new() }
    }

    fn of_set(&self, id: PodSetId) -> Dims {
        self.world.sets.iter().find(|set| set.id == id).map_or(Dims::default(), |set| set.unit)
    }

    /// What an earmark holds of the host in addition to its victims.
    fn held(&self, earmark: &Earmark) -> Dims {
        let mut needed = self.of_set(earmark.set);
        for victim in earmark.victims.iter().filter(|pod| matches!(self.place(**pod), PodPlace::Leaving(_))) {
            add(&mut needed, &self.of_set(self.world.cluster.pods[*victim].pod_set), -1);
        }
        needed.map(|n| n.max(0))
    }

    fn earmarks_on(&self, host: NodeId) -> impl Iterator<Item = &Earmark> {
        self.books.earmarks.iter().filter(move |earmark| earmark.node == host)
    }

    /// What is neither used nor held on a host.
    pub fn free(&self, host: NodeId) -> Dims {
        let mut free = self.world.tree.capacity(host);
        self.units().filter(|unit| unit.2 == host).for_each(|unit| add(&mut free, &unit.0.unit, -1));
        self.earmarks_on(host).for_each(|earmark| add(&mut free, &self.held(earmark), -1));
        free
    }

    /// What is free on a host once every grace period is over.
    pub fn unclaimed(&self, host: NodeId) -> Dims {
        let mut free = self.world.tree.capacity(host);
        self.units().filter(|u| u.2 == host && u.3).for_each(|u| add(&mut free, &u.0.unit, -1));
        self.earmarks_on(host).for_each(|earmark| add(&mut free, &self.of_set(earmark.set), -1));
        free
    }

    /// Whether a host has units or earmarks that `is` tells.
    pub fn has(&self, host: NodeId, is: impl Fn(usize, Source) -> bool) -> bool {
        let source = |pod| self.books.sources.get(&pod).copied().unwrap_or(Source::Pool(ROOT));
        let leaf = |id| self.world.sets.iter().find(|set| set.id == id).map_or(ROOT, |set| set.leaf);
        self.units().any(|unit| unit.2 == host && is(unit.0.leaf, source(unit.1)))
            || self.earmarks_on(host).any(|earmark| is(leaf(earmark.set), earmark.source))
    }

    pub fn is_in(&self, host: NodeId, pool: usize) -> bool {
        self.world.pool_of(self.books, host) == Some(pool)
    }

    /// Units of a size that the empty pool holds.
    pub fn capacity(&self, set: &Set, pool: usize) -> i64 {
        let hosts = self.world.tree.hosts.iter().filter(|(host, _)| self.is_in(*host, pool));
        hosts.filter(|(host, _)| self.world.may_run(set, *host)).map(|(_, has)| units_in(has, &set.unit)).sum()
    }

    /// Units drawn from a pool without those in their grace period and with earmarked ones.
    pub fn projected(&self, set: &Set, pool: usize) -> u32 {
        let is_of = |source: Option<Source>, host| source == Some(Source::Pool(pool)) && self.is_in(host, pool);
        let on = |pod: &&PodId| match self.place(**pod) {
            PodPlace::On(host) => is_of(self.books.sources.get(pod).copied(), host),
            _ => false,
        };
        let promised = self.books.earmarks.iter();
        let promised = promised.filter(|e| e.set == set.id && is_of(Some(e.source), e.node)).count();
        (set.pods.iter().filter(on).count() + promised) as u32
    }

    fn share(&self, set: &Set, pool: usize, n: u32) -> f64 {
        match self.capacity(set, pool) {
            0 if n == 0 => 0.0,
            0 => 1.0,
            capacity => f64::from(n) / capacity as f64,
        }
    }

    fn sets_below(&self, node: usize) -> impl Iterator<Item = &Set> {
        self.world.sets.iter().filter(move |set| self.world.tree.is_below(set.leaf, node))
    }

    /// Projected usage of a consumer, as a part of the pool.
    pub fn usage(&self, node: usize, pool: usize) -> f64 {
        self.sets_below(node).map(|set| self.share(set, pool, self.projected(set, pool))).sum()
    }

    /// The same if a reclaim had given the claimant's side one more unit, or had taken one from the other side.
    pub fn usages_after(&self, node: usize, pool: usize, is_claimant: bool) -> Vec<f64> {
        let usage = self.usage(node, pool);
        // The claimant may wait for earmarked room already.
        let units = self.sets_below(node).filter(|set| is_claimant || self.projected(set, pool) > 0);
        let sign = if is_claimant { 1.0 } else { -1.0 };
        units.map(|set| usage + sign * self.share(set, pool, 1)).collect()
    }

    /// Projected amount of a consumer in one dimension.
    pub fn amount(&self, node: usize, pool: usize, dim: usize) -> i64 {
        self.sets_below(node).map(|set| i64::from(self.projected(set, pool)) * set.unit[dim]).sum()
    }

    /// The consumer and the resource whose share limit one more unit would exceed.
    pub fn at_limit(&self, set: &Set, pool: usize) -> Option<(usize, usize)> {
        self.at_limit_with(&[], set, pool)
    }

    /// The same if some more units were placed.
    pub fn at_limit_with(&self, placed: &[&Set], set: &Set, pool: usize) -> Option<(usize, usize)> {
        let tree = &self.world.tree;
        let path = tree.path(set.leaf).filter(|c| tree.is_below(*c, pool));
        let mut all = path.flat_map(|c| (0..3).map(move |r| (c, r)));
        all.find(|&(c, r)| {
            let limit = tree.limit[c][r].filter(|_| set.unit[r] > 0);
            let more: i64 = placed.iter().chain([&set]).map(|set| set.unit[r]).sum();
            limit.is_some_and(|limit| self.amount(c, pool, r) + more > limit)
        })
    }

    /// Outstanding units that a pool may serve.
    pub fn outstanding_in(&self, set: &Set, pool: usize) -> u32 {
        let is_open = self.world.tree.is_admitted(set.leaf, pool)
            && self.capacity(set, pool) > 0
            && self.at_limit(set, pool).is_none();
        if is_open { self.outstanding(set) } else { 0 }
    }

    fn demand_of(&self, set: &Set, pool: usize) -> f64 {
        if !self.world.tree.is_admitted(set.leaf, pool) || self.capacity(set, pool) == 0 {
            return 0.0;
        }
        let n = self.projected(set, pool) + self.outstanding_in(set, pool);
        self.share(set, pool, n).min(1.0)
    }

    fn demand(&self, node: usize, pool: usize) -> f64 {
        self.sets_below(node).map(|set| self.demand_of(set, pool)).sum()
    }

    /// Share usage quotas by consumer: the usage of the pool, divided by priority, ratio and demand (ego.md 6).
    pub fn quotas(&self, pool: usize) -> Vec<f64> {
        let tree = &self.world.tree;
        if !self.sets_below(pool).any(|set| self.outstanding_in(set, pool) > 0) {
            return (0..tree.parent.len()).map(|node| self.kept(node, pool)).collect();
        }
        let demand: Vec<f64> = (0..tree.parent.len()).map(|node| self.demand(node, pool)).collect();
        let mut quota = vec![0.0; tree.parent.len()];
        quota[pool] = self.usage(pool, pool);
        for &node in &tree.order {
            let rest = quota[node];
            fill(tree, &tree.children[node], rest, &demand, &mut quota);
        }
        quota
    }

    /// Usage of a consumer without what the share limits of its leaves take back (case 0).
    fn kept(&self, node: usize, pool: usize) -> f64 {
        let tree = &self.world.tree;
        let is_leaf_below = |leaf: &usize| tree.is_leaf(*leaf) && tree.is_below(*leaf, node);
        let leaves = tree.order.iter().copied().filter(is_leaf_below);
        leaves.map(|leaf| self.usage(leaf, pool) - self.surplus(leaf, pool)).sum()
    }

    /// Usage of the newest units of a leaf above its limit. Units are newer the later they were started.
    fn surplus(&self, leaf: usize, pool: usize) -> f64 {
        let limit = self.world.tree.limit[leaf];
        let mut amount = [0, 1, 2].map(|r| self.amount(leaf, pool, r));
        let mut units: Vec<(&Set, PodId, NodeId, bool)> = self
            .units()
            .filter(|(set, pod, host, runs)| {
                let is_of_pool = self.books.sources.get(pod) == Some(&Source::Pool(pool));
                let is_fixed = self.world.cluster.jobs[set.job].preemptible == Preemptible::No;
                set.leaf == leaf && *runs && !is_fixed && is_of_pool && self.is_in(*host, pool)
            })
            .collect();
        units.sort_by_key(|unit| unit.1);
        let mut lost = 0.0;
        for (set, ..) in units.into_iter().rev() {
            let helps = |r: usize| limit[r].is_some_and(|limit| amount[r] > limit) && set.unit[r] > 0;
            if (0..3).any(helps) {
                (0..3).for_each(|r| amount[r] -= set.unit[r]);
                lost += self.share(set, pool, 1);
            }
        }
        lost
    }
}

/// Units that a host holds when empty.
fn units_in(has: &Dims, unit: &Dims) -> i64 {
    let wanted = has.iter().zip(unit).filter(|(_, unit)| **unit > 0);
    wanted.map(|(has, unit)| has.max(&0) / unit).min().unwrap_or(0)
}

/// Divides an amount among siblings: the highest priority first, by ratio, each at most its demand.
fn fill(tree: &Tree, children: &[usize], mut rest: f64, demand: &[f64], quota: &mut [f64]) {
    let mut priorities: Vec<i64> = children.iter().map(|c| tree.priority[*c]).collect();
    priorities.sort();
    priorities.dedup();
    for priority in priorities.into_iter().rev() {
        let takes = |c: &usize| tree.priority[*c] == priority && tree.ratio[*c] > 0 && demand[*c] > 0.0;
        let mut open: Vec<usize> = children.iter().copied().filter(takes).collect();
        while !open.is_empty() && rest > 1e-12 {
            let sum: f64 = open.iter().map(|c| tree.ratio[*c] as f64).sum();
            let offer = |c: usize| rest * tree.ratio[c] as f64 / sum;
            let (capped, others): (Vec<usize>, Vec<usize>) =
                open.iter().copied().partition(|c| offer(*c) >= demand[*c] - 1e-12);
            if capped.is_empty() {
                others.iter().for_each(|c| quota[*c] = offer(*c));
                rest = 0.0;
            }
            for c in capped {
                quota[c] = demand[c];
                rest -= demand[c];
            }
            open = others;
        }
    }
}
