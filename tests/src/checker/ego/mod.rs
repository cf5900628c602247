//! Comparisons and obstacles of EGO, from the plan, pods, consumers and nodes with the formulas of ego.md.

mod books;
mod decisions;
mod hosts;
mod lending;
mod obstacles;
mod replay;
mod slots;
mod tree;

use fairground::cluster::{Cluster, Phase};
use fairground::id::{Id, PartitionId, QueueId};
use fairground::policy::ego::config::Config;
use fairground::trace::{Event, Quantity, Recorded, Value};
use fairground::units::Amount;

pub use books::Books;
use books::{ServedPool, Set, Source, View};
use replay::{Replay, at_start, replay};
use tree::{ROOT, Tree, consumer};

use super::moments::{self, MomentState, Moments};
use super::operand::{Expect, Operand};

/// A cycle in all pools of nodes.
#[derive(Debug)]
pub struct Ego<'a> {
    config: &'a Config,
    replays: Vec<Replay<'a>>,
}

/// What is known before the first cycle. Pods that are gone when it opens were terminating before.
pub fn at_first(before: &Cluster, opened: &Cluster, config: &Config) -> Vec<Books> {
    let mut cluster = opened.clone();
    let mut state = MomentState::of(opened);
    for (id, pod) in before.pods.iter() {
        if let (Phase::Terminating { .. }, Some(node)) = (pod.phase, pod.node) {
            state.places[id.index()] = moments::PodPlace::Leaving(node);
            if !cluster.live_jobs.contains(&pod.job) {
                cluster.live_jobs.push(pod.job);
            }
        }
    }
    cluster.live_jobs.sort();
    let of = |pool: PartitionId| {
        at_start(&ServedPool::new(&cluster, Tree::new(&cluster, config, pool), pool, &state), &state)
    };
    cluster.partitions.ids().map(of).collect()
}

/// The moment of an explanation, with the pool whose numbers it compares.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    config: &'a Config,
    view: View<'a>,
    pool: usize,
    /// Whether it is about a host of the leaf itself.
    is_owned: bool,
    /// Whether it is about a leaf that lost nothing: the pool, and the moment after it had lost something, are not
    /// recorded.
    is_spared: bool,
    /// After the reclaim.
    after: Option<View<'a>>,
    /// At which quotas in slots were computed.
    of_quotas: View<'a>,
}

impl<'a> Ego<'a> {
    pub fn new(config: &'a Config, moments: &Moments<'a>, before: &[Books]) -> Ego<'a> {
        let cluster = moments.cluster;
        let one = |pool: PartitionId| {
            let tree = Tree::new(cluster, config, pool);
            let none = Books::default();
            let before = before.get(pool.0 as usize).unwrap_or(&none);
            replay(ServedPool::new(cluster, tree, pool, &moments.states[0]), moments, before)
        };
        Ego { config, replays: cluster.partitions.ids().map(one).collect() }
    }

    /// What is known after the cycle.
    pub fn books(&self) -> Vec<Books> {
        self.replays.iter().filter_map(|replay| replay.books.last().cloned()).collect()
    }

    fn replay(&self, pool: PartitionId) -> &Replay<'a> {
        &self.replays[pool.0 as usize]
    }

    /// The moments at which the comparisons of a decision were made.
    pub fn moments_of(&self, pool: PartitionId, decision: &Recorded, at: usize, first: usize) -> Vec<usize> {
        let replay = self.replay(pool);
        match decision.event {
            Event::Evicted { .. } => vec![replay.reclaims.get(&at).map_or(at, |reclaim| reclaim.0)],
            Event::Bound { pod, .. } => {
                // The first units of a job are chosen together.
                let job = self.replays[0].world.cluster.pods[pod].job;
                let of_job = || replay.world.sets.iter().filter(|set| set.job == job);
                let is_gang = of_job().count() > 1 || of_job().any(|set| set.min > 1);
                if is_gang { (first..=at).rev().collect() } else { vec![at] }
            }
            _ => vec![at],
        }
    }

    pub fn moment<'m>(
        &'m self,
        moments: &'m Moments<'_>,
        pool: PartitionId,
        moment: usize,
        (at, is_spared): (Option<usize>, bool),
    ) -> Moment<'m> {
        let replay = self.replay(pool);
        let view = |moment: usize| replay.view(moments, moment);
        let source = at.and_then(|at| match moments.decisions[at].event {
            Event::Bound { pod, .. } => replay.books[at + 1].sources.get(&pod).copied(),
            Event::Evicted { pod, .. } => replay.books[at].sources.get(&pod).copied(),
            _ => None,
        });
        let first_reclaim = replay.reclaims.keys().next().copied();
        Moment {
            config: self.config,
            view: view(moment),
            pool: match source {
                Some(Source::Pool(pool)) => pool,
                _ => ROOT,
            },
            is_owned: source == Some(Source::Owned),
            is_spared,
            after: at.and_then(|at| replay.reclaims.get(&at)).map(|reclaim| view(reclaim.1)),
            of_quotas: view(at.and(first_reclaim).unwrap_or(moment)),
        }
    }
}

impl Moment<'_> {
    /// What a side of a comparison has to be.
    pub fn expect(&self, place: Operand<'_>) -> Expect {
        let owner = place.owner();
        let rule = place.check.rule.key();
        if let (Quantity::Applies, _) | (Quantity::Constant, "ego/own-hosts" | "ego/earmark" | "ego/call-back") =
            (place.term.quantity, rule)
        {
            return Expect::Nothing;
        }
        match rule {
            "ego/over-commit" => return self.over_commit(place),
            "ego/host-order" => return self.of_hosts(place),
            "ego/host-size" => return self.of_largest_host(place),
            _ => {}
        }
        let Some(queue) = owner.queue else { return Expect::Unknown };
        let values = self.values(place, queue, rule);
        if values.is_empty() { Expect::Unknown } else { Expect::Values(values) }
    }

    fn values(&self, place: Operand<'_>, queue: QueueId, rule: &str) -> Vec<Value> {
        let pools = if self.is_spared { self.view.world.tree.pools() } else { vec![self.pool] };
        pools.into_iter().flat_map(|pool| self.values_in(pool, place, queue, rule)).collect()
    }

    fn values_in(&self, pool: usize, place: Operand<'_>, queue: QueueId, rule: &str) -> Vec<Value> {
        let (node, view) = (consumer(queue), &self.view);
        let tree = &view.world.tree;
        let per_ratio = |usage: f64| {
            let ratio = tree.ratio[node];
            Value::Real(if ratio == 0 { f64::INFINITY } else { usage / ratio as f64 })
        };
        let one = match (place.term.quantity, rule) {
            (Quantity::Constant, "ego/share-ratio-zero") => Value::Count(0),
            (Quantity::Weight, "ego/share-ratio-zero") => Value::Count(tree.ratio[node] as i64),
            (Quantity::Priority, "ego/share-priority") => Value::Count(tree.priority[node]),
            (Quantity::Saturation, "ego/share-ratio") => per_ratio(view.usage(node, pool)),
            (Quantity::Saturation, "ego/no-inversion") => match &self.after {
                Some(after) => per_ratio(after.usage(node, pool)),
                None => {
                    let is_claimant = place.check.subject.queue == Some(queue);
                    return view.usages_after(node, pool, is_claimant).into_iter().map(per_ratio).collect();
                }
            },
            (Quantity::Saturation, "ego/slot-ratio") => per_ratio(slots::held(view, node) as f64),
            (Quantity::Usage, "ego/under-quota" | "ego/over-quota") => Value::Real(view.usage(node, pool)),
            (Quantity::FairShare, "ego/under-quota" | "ego/over-quota") => Value::Real(view.quotas(pool)[node]),
            (Quantity::Usage, "ego/below-slot-quota" | "ego/above-slot-quota") => {
                Value::Real(slots::held(view, node) as f64)
            }
            (Quantity::FairShare, "ego/below-slot-quota" | "ego/above-slot-quota") => {
                Value::Real(slots::quotas(&self.of_quotas, self.config)[node] as f64)
            }
            (Quantity::Runtime, "ego/grace") => {
                Value::Real(tree.settings[node].reclaim_grace.unwrap_or_default().as_seconds())
            }
            (Quantity::Limit, "ego/grace") => Value::Real(tree.pool_grace(pool).as_seconds()),
            (_, "ego/share-limit") => return self.of_limit(place, node),
            _ => return Vec::new(),
        };
        vec![one]
    }

    fn of_limit(&self, place: Operand<'_>, node: usize) -> Vec<Value> {
        let Some(resource) = place.check.subject.resource else { return Vec::new() };
        let (view, dim) = (&self.view, resource.index());
        let real = |amount: i64| Value::Real(Amount::base_units(amount).in_policy_units(resource));
        let amount = || view.amount(node, self.pool, dim);
        match place.term.quantity {
            Quantity::Limit => view.world.tree.limit[node][dim].into_iter().map(real).collect(),
            Quantity::Allocated => vec![real(amount())],
            Quantity::AllocatedWithJob => {
                let waits = |set: &&Set| view.waiting(set) > 0 && view.world.tree.is_below(set.leaf, node);
                let sets = view.world.sets.iter().filter(waits);
                sets.map(|set| real(amount() + set.unit[dim])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A unit against the largest host.
    fn of_largest_host(&self, place: Operand<'_>) -> Expect {
        let (world, subject) = (self.view.world, &place.check.subject);
        let Some(resource) = subject.resource else { return Expect::Unknown };
        let real = |amount: i64| Value::Real(Amount::base_units(amount).in_policy_units(resource));
        if place.term.quantity == Quantity::LargestNode {
            let nodes = world.cluster.nodes.values().filter(|node| node.partition == world.pool);
            let most = nodes.map(|node| node.capacity.get(resource).in_base_units()).max();
            return Expect::Values(vec![real(most.unwrap_or(0))]);
        }
        let of_job = world.sets.iter().filter(|set| Some(set.job) == subject.job);
        Expect::Values(of_job.map(|set| real(set.unit[resource.index()])).collect())
    }

    /// A start on a host that offers more than it has.
    fn over_commit(&self, place: Operand<'_>) -> Expect {
        let subject = &place.check.subject;
        let (Some(resource), Some(node)) = (subject.resource, subject.node) else { return Expect::Unknown };
        let dim = resource.index();
        let real = |amount: i64| Amount::base_units(amount).in_policy_units(resource);
        let view = &self.view;
        match (&place.term.value, place.term.quantity) {
            (Value::Product([has, ratio]), Quantity::Capacity) => {
                let offers = real(view.world.tree.capacity(node)[dim]);
                let is_rounded = (has * ratio - offers).abs() < if dim == 2 { 1.0 } else { *ratio };
                let is_set = *ratio == self.config.over_commit().get(resource).as_real();
                let expected = if is_rounded && is_set { has * ratio } else { offers };
                Expect::Values(vec![Value::Real(expected)])
            }
            (_, Quantity::Allocated) => {
                let used: i64 = view.units().filter(|u| u.2 == node).map(|u| u.0.unit[dim]).sum();
                let sets = view
                    .world
                    .sets
                    .iter()
                    .filter(|set| Some(set.leaf) == subject.queue.map(consumer) && view.waiting(set) > 0);
                Expect::Values(sets.map(|set| Value::Real(real(used + set.unit[dim]))).collect())
            }
            _ => Expect::Unknown,
        }
    }
}
