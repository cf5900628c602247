//! The obstacles of waiting jobs, host by host, and rooms that are reserved or on their way.

use fairground::cluster::Phase;
use fairground::id::{JobId, NodeId, PodId};
use fairground::policy::ego::config::Placement;
use fairground::time::Time;
use fairground::trace::{FreeGpus, Gate, NodeReason};
use fairground::units::Resource;

use super::super::free;
use super::Moment;
use super::books::{Set, Source, add, fits};
use super::tree::{Dims, SLOTS, consumer, has_labels, has_memory, unit_of};

impl Moment<'_> {
    /// What is wrong with the reason of a waiting job.
    pub fn wrong(&self, job: JobId, gate: &Gate) -> Option<String> {
        let view = &self.view;
        let waits = |set: &&Set| set.job == job && view.waiting(set) > 0;
        let mut sets = view.world.sets.iter().filter(waits);
        let is_true = match gate {
            Gate::NoNode { placed, reasons, free, .. } => sets.any(|set| {
                free.is_some_and(|said| free::same(said, self.free_gpus(set))) && self.are_real(set, *placed, reasons)
            }),
            Gate::TooLarge { resource } => sets.any(|set| self.is_nowhere(set, *resource)),
            Gate::WaitingForVictims { until: None } => {
                sets.any(|set| self.is_promised(set, None) || self.is_on_its_way(set))
            }
            Gate::WaitingForVictims { until } => sets.any(|set| self.is_promised(set, *until)),
            Gate::Behind { job: first } => {
                *first == job && sets.any(|set| view.first_units(job).is_empty() && self.has_own_room(set))
            }
            Gate::NotEntitled { queue } | Gate::OverLimit { queue, .. } => {
                sets.any(|set| view.world.tree.is_below(set.leaf, consumer(*queue)))
            }
            _ => true,
        };
        (!is_true).then(|| format!("this is not so: {gate:?}"))
    }

    /// Whether a host of the leaf that is not lent has room for a set.
    fn has_own_room(&self, set: &Set) -> bool {
        let view = &self.view;
        let mut hosts = view.world.tree.hosts.iter().map(|(host, _)| *host);
        hosts.any(|host| {
            self.is_of(Source::Owned, set, host) && view.world.may_run(set, host) && fits(&view.free(host), &set.unit)
        })
    }

    fn is_nowhere(&self, set: &Set, resource: Resource) -> bool {
        let world = self.view.world;
        let mut nodes = world.cluster.nodes.values().filter(|node| node.partition == world.pool);
        nodes.all(|node| node.capacity.get(resource).in_base_units() < set.unit[resource.index()])
    }

    /// Whether room is reserved for a set, until the given time.
    fn is_promised(&self, set: &Set, until: Option<Time>) -> bool {
        let of_set = self.view.books.earmarks.iter().rfind(|earmark| earmark.set == set.id);
        let ends = |pod: &PodId| match self.view.world.cluster.pods[*pod].phase {
            Phase::Terminating { until, .. } => Some(until),
            _ => None,
        };
        of_set.is_some_and(|earmark| earmark.victims.iter().filter_map(ends).max() == until)
    }

    /// Whether some host of the pool has room once every grace period is over (OC-27).
    fn is_on_its_way(&self, set: &Set) -> bool {
        let view = &self.view;
        let mut hosts = view.world.tree.hosts.iter().map(|(host, _)| *host);
        hosts.any(|host| {
            view.is_in(host, self.pool)
                && view.world.tree.may_borrow(set.leaf, host, self.pool)
                && view.world.may_run(set, host)
                && fits(&view.unclaimed(host), &set.unit)
        })
    }

    /// Whether the reasons name every host once, and each is true of as many hosts as it names.
    fn are_real(&self, set: &Set, placed: u32, reasons: &[(NodeReason, u32)]) -> bool {
        let view = &self.view;
        let together = view.first_units(set.job);
        let hosts = view.world.tree.hosts.iter().map(|(host, _)| *host);
        let free: Vec<(NodeId, Dims)> = hosts.map(|host| (host, view.free(host))).collect();
        let n_named: u32 = reasons.iter().map(|(_, n)| n).sum();
        let are_true = |paper: &Paper<'_>| {
            let has = |reason: NodeReason| {
                paper.free.iter().filter(|(host, free)| self.has_obstacle(paper, *host, free, reason)).count()
            };
            reasons.iter().all(|(reason, n)| has(*reason) >= *n as usize)
        };
        let tree = &view.world.tree;
        let pools = tree.pools().into_iter().filter(|pool| tree.is_below(set.leaf, *pool)).map(Source::Pool);
        let start = |source| Paper { source, set, placed: Vec::new(), free: free.clone() };
        let sources = std::iter::once(Source::Owned).chain(pools);
        let mut papers = sources.map(|source| self.on_paper(start(source), &together));
        n_named as usize == free.len()
            && (placed == 0 || (placed as usize) < together.len())
            && papers.any(|paper| paper.placed.len() == placed as usize && are_true(&paper))
    }

    /// Places units that start together until one does not fit into the source.
    fn on_paper<'s>(&self, mut paper: Paper<'s>, together: &[&'s Set]) -> Paper<'s> {
        for unit in together {
            paper.set = unit;
            let is_open = |host: NodeId| {
                self.view.world.may_run(unit, host)
                    && !self.is_limited(&paper)
                    && self.may_use(unit, host)
                    && self.is_of(paper.source, unit, host)
            };
            let room = paper.free.iter().position(|room| fits(&room.1, &unit.unit) && is_open(room.0));
            let Some(room) = room else { break };
            add(&mut paper.free[room].1, &unit.unit, -1);
            paper.placed.push(unit);
        }
        paper
    }

    fn is_of(&self, source: Source, set: &Set, host: NodeId) -> bool {
        let is_lent = self.view.books.lent.contains_key(&host);
        match source {
            Source::Owned => self.view.world.tree.holder[&host] == set.leaf && !is_lent,
            Source::Pool(pool) => self.view.is_in(host, pool),
        }
    }

    /// Whether a share limit closes the source to one more unit.
    fn is_limited(&self, paper: &Paper<'_>) -> bool {
        match paper.source {
            Source::Owned => false,
            Source::Pool(pool) => self.view.at_limit_with(&paper.placed, paper.set, pool).is_some(),
        }
    }

    fn has_obstacle(&self, paper: &Paper<'_>, host: NodeId, free: &Dims, reason: NodeReason) -> bool {
        let (cluster, set) = (self.view.world.cluster, paper.set);
        let node = &cluster.nodes[host];
        // The pods of a set request the same.
        let Some(pod) = set.pods.first().map(|pod| &cluster.pods[*pod]) else { return false };
        let unit = unit_of(pod);
        match reason {
            NodeReason::NotReady => !node.takes_pods(),
            NodeReason::Selector => !has_labels(pod, node),
            NodeReason::Insufficient(Resource::GPU) if !has_memory(pod, node) => true,
            NodeReason::Insufficient(resource) => free[resource.index()] < unit[resource.index()],
            NodeReason::PodSlots => free[SLOTS] < unit[SLOTS],
            NodeReason::Held => self.is_exclusive(set, host) || !self.may_use(set, host),
            NodeReason::OtherPool => !paper.placed.is_empty() && !self.is_of(paper.source, set, host),
            // A quota of slots is compared with the reason itself.
            NodeReason::Gate => self.view.world.tree.shares_slots || self.is_limited_on(paper, host),
            NodeReason::Taint | NodeReason::Reserved(_) => false,
        }
    }

    /// Whether units of another consumer keep a host from this one.
    fn is_exclusive(&self, set: &Set, host: NodeId) -> bool {
        self.config.placement == Placement::Exclusive && self.view.has(host, |leaf, _| leaf != set.leaf)
    }

    /// Free GPUs on the hosts that a set may use.
    fn free_gpus(&self, set: &Set) -> FreeGpus {
        let world = self.view.world;
        let is_open = |host: &NodeId| {
            let node = &world.cluster.nodes[*host];
            let pod = set.pods.first().map(|pod| &world.cluster.pods[*pod]);
            node.takes_pods()
                && pod.is_some_and(|pod| has_labels(pod, node))
                && world.may_run(set, *host)
                && self.may_use(set, *host)
                && !self.is_exclusive(set, *host)
        };
        let hosts = world.tree.hosts.iter().map(|(host, _)| *host).filter(is_open);
        hosts.map(|host| self.view.free(host)[Resource::GPU.index()].max(0) as f64 / 1000.0).collect()
    }

    /// Whether a host is of the leaf, or in a pool that it may use.
    fn may_use(&self, set: &Set, host: NodeId) -> bool {
        let (world, leaf) = (self.view.world, set.leaf);
        let tree = &world.tree;
        let is_open = |pool: usize| {
            tree.is_below(leaf, pool) && tree.is_admitted(leaf, pool) && tree.may_borrow(leaf, host, pool)
        };
        tree.shares_slots || tree.holder[&host] == leaf || world.pool_of(self.view.books, host).is_some_and(is_open)
    }

    /// Whether the share limit of the leaf closes the pool of a host.
    fn is_limited_on(&self, paper: &Paper<'_>, host: NodeId) -> bool {
        let pool = self.view.world.pool_of(self.view.books, host);
        let is_at_limit = |pool: usize| match paper.source {
            Source::Pool(own) if own == pool => self.is_limited(paper),
            _ => self.view.at_limit_with(&[], paper.set, pool).is_some(),
        };
        pool.is_some_and(is_at_limit)
    }
}

/// Units placed on paper.
struct Paper<'s> {
    source: Source,
    /// The one that is placed next.
    set: &'s Set,
    placed: Vec<&'s Set>,
    free: Vec<(NodeId, Dims)>,
}
