//! Replays the decisions of a cycle: sources of units, lending and earmarks before and after each one (ego.md 3.3, 8.4,
//! 9).

use std::collections::BTreeMap;

use fairground::cluster::Cluster;
use fairground::id::{JobId, NodeId, PodId, PodSetId};
use fairground::trace::{Event, EvictReason, Recorded};

use super::super::moments::{MomentState, Moments, PodPlace};
use super::books::{Books, Earmark, ServedPool, Set, Source, View, add, fits};
use super::lending::lend;
use super::tree::{Dims, ROOT, Tree, consumer};

/// A cycle of a pool of nodes.
#[derive(Debug)]
pub struct Replay<'a> {
    pub world: ServedPool<'a>,
    /// Before the first decision and after each one.
    pub books: Vec<Books>,
    /// First decision of each reclaim, and the moment after its last one.
    pub reclaims: BTreeMap<usize, (usize, usize)>,
    /// What no rule allows.
    pub faults: BTreeMap<usize, String>,
}

impl<'a> Replay<'a> {
    pub fn view<'m>(&'m self, moments: &'m Moments<'_>, moment: usize) -> View<'m> {
        View { world: &self.world, state: &moments.states[moment], books: &self.books[moment] }
    }
}

/// Pools to which hosts are lent before the first cycle: the closest above the owner and all users.
fn lent_at_first(cluster: &Cluster, tree: &Tree) -> BTreeMap<NodeId, usize> {
    let mut lent: BTreeMap<NodeId, usize> = BTreeMap::new();
    for pod in cluster.pods.values().filter(|pod| pod.phase.holds()) {
        let leaf = consumer(cluster.jobs[pod.job].queue);
        let Some((node, holder)) = pod.node.and_then(|node| Some((node, *tree.holder.get(&node)?))) else {
            continue;
        };
        if holder == leaf || holder == ROOT || !tree.is_leaf(holder) {
            continue;
        }
        let pool = lent.entry(node).or_insert(tree.parent[holder].unwrap_or(ROOT));
        *pool = tree.path(*pool).find(|pool| tree.is_below(leaf, *pool)).unwrap_or(ROOT);
    }
    lent
}

/// Stages of a cycle.
enum Stage {
    /// Earmarks are redeemed.
    Redeem,
    /// Free room is given out; position of the pool.
    Free(usize),
    Reclaim,
}

struct Replayer<'r, 'a> {
    world: &'r ServedPool<'a>,
    moments: &'r Moments<'a>,
    books: Books,
    stage: Stage,
    reclaims: BTreeMap<usize, (usize, usize)>,
    faults: BTreeMap<usize, String>,
}

/// Replays a cycle from what was known after the one before.
pub fn replay<'a>(world: ServedPool<'a>, moments: &Moments<'a>, before: &Books) -> Replay<'a> {
    let n = moments.decisions.len();
    let mut replayer = Replayer {
        world: &world,
        moments,
        books: restored(&world, &moments.states[0], before),
        stage: Stage::Redeem,
        reclaims: BTreeMap::new(),
        faults: BTreeMap::new(),
    };
    replayer.list();
    let mut books = Vec::with_capacity(n + 1);
    for at in 0..n {
        let is_here = replayer.is_here(at);
        if is_here {
            replayer.prepare(at);
        }
        books.push(replayer.books.clone());
        if is_here {
            replayer.apply(at);
        }
    }
    replayer.finish_free(n);
    books.push(replayer.books.clone());
    let Replayer { reclaims, faults, .. } = replayer;
    Replay { world, books, reclaims, faults }
}

/// What is remembered, as far as it is still valid.
fn restored(world: &ServedPool<'_>, state: &MomentState, before: &Books) -> Books {
    let mut books = Books { started: before.started.clone(), ..Books::default() };
    books.lent = before.lent.clone();
    books.lent.retain(|node, _| world.tree.holder.contains_key(node));
    books.earmarks = before.earmarks.clone();
    books.earmarks.retain(|earmark| world.sets.iter().any(|set| set.id == earmark.set));
    books.earmarks.retain(|earmark| world.tree.holder.contains_key(&earmark.node));
    for earmark in &mut books.earmarks {
        let node = earmark.node;
        earmark.victims.retain(|pod| state.places[pod.0 as usize] == PodPlace::Leaving(node));
    }
    let view = View { world, state, books: &books };
    let sources = view
        .units()
        .map(|(set, pod, host, _)| (pod, source(world, &books, (set.leaf, host), before.started.get(&pod).copied())));
    let sources = sources.collect();
    books.sources = sources;
    books
}

/// What follows from the pods that are there before the first cycle.
pub fn at_start(world: &ServedPool<'_>, state: &MomentState) -> Books {
    let lent = lent_at_first(world.cluster, &world.tree);
    let mut books = restored(world, state, &Books { lent, ..Books::default() });
    books.earmarks = promised(world, &View { world, state, books: &books });
    books
}

/// Resources of a host for one job behind the pods that are evicted for it at the start.
struct ReclaimedHost {
    by: JobId,
    host: NodeId,
    free: Dims,
    /// Those behind no earmark yet.
    victims: Vec<PodId>,
    /// The latest earmark of the room.
    last: Option<usize>,
}

/// Earmarks behind the pods that are being evicted at the start, for the pods of other jobs (ego.md 9).
fn promised(world: &ServedPool<'_>, view: &View<'_>) -> Vec<Earmark> {
    let mut rooms: Vec<ReclaimedHost> = Vec::new();
    let mut earmarks: Vec<Earmark> = Vec::new();
    for (set, pod, host, _) in view.units().filter(|unit| !unit.3) {
        let Some(by) = world.cluster.jobs[set.job].evicted_for else { continue };
        let at = rooms.iter().position(|room| (room.by, room.host) == (by, host)).unwrap_or_else(|| {
            rooms.push(ReclaimedHost { by, host, free: view.free(host), victims: Vec::new(), last: None });
            rooms.len() - 1
        });
        let room = &mut rooms[at];
        add(&mut room.free, &set.unit, 1);
        room.victims.push(pod);
        let n_promised = |of: &Set| earmarks.iter().filter(|earmark| earmark.set == of.id).count() as u32;
        let waits = |of: &&Set| of.job == by && view.waiting(of) > n_promised(of);
        match world.sets.iter().find(waits) {
            Some(next) if fits(&room.free, &next.unit) => {
                add(&mut room.free, &next.unit, -1);
                room.last = Some(earmarks.len());
                let source = source(world, view.books, (next.leaf, host), None);
                let victims = std::mem::take(&mut room.victims);
                earmarks.push(Earmark { set: next.id, node: host, source, victims });
            }
            Some(_) => {}
            // Resources that no further pod needs belong to the latest earmark.
            None => room.last.into_iter().for_each(|last| earmarks[last].victims.append(&mut room.victims)),
        }
    }
    earmarks
}

/// The remembered source of a unit if the tree still allows it, else the one that a new unit would have.
fn source(world: &ServedPool<'_>, books: &Books, (leaf, host): (usize, NodeId), known: Option<Source>) -> Source {
    let tree = &world.tree;
    let holder = tree.holder[&host];
    let is_lent = tree.is_leaf(holder) && holder != leaf;
    match known {
        Some(Source::Owned) if holder == leaf => return Source::Owned,
        Some(Source::Pool(pool))
            if tree.is_below(leaf, pool) && (holder == pool || is_lent && tree.is_below(holder, pool)) =>
        {
            return Source::Pool(pool);
        }
        _ if holder == leaf && leaf != ROOT => return Source::Owned,
        _ if !is_lent && tree.is_below(leaf, holder) => return Source::Pool(holder),
        _ => {}
    }
    let lent = books.lent.get(&host).copied().filter(|pool| tree.is_below(leaf, *pool));
    let closest = tree.path(leaf).find(|c| *c != leaf && tree.is_below(holder, *c));
    Source::Pool(lent.or(closest).unwrap_or(ROOT))
}

fn has_rule(recorded: &Recorded, key: &str) -> bool {
    recorded.checks.iter().any(|check| check.rule.key() == key)
}

impl Replayer<'_, '_> {
    fn job_of(&self, pod: PodId) -> JobId {
        self.world.cluster.pods[pod].job
    }

    fn is_here(&self, at: usize) -> bool {
        match self.moments.decisions[at].event {
            Event::Bound { node, .. } | Event::Evicted { node, .. } | Event::Claimed { node, .. } => {
                self.world.tree.holder.contains_key(&node)
            }
            _ => false,
        }
    }

    /// Lists the reclaims: evictions on one host for one job by the same comparisons.
    fn list(&mut self) {
        let decisions = self.moments.decisions;
        let evicted = |at: usize| match decisions[at].event {
            Event::Evicted { node, by, reason, .. } => Some((node, by, reason)),
            _ => None,
        };
        let is_same = |a: usize, b: usize| {
            evicted(a).is_some_and(|(_, by, reason)| by.is_some() || reason != EvictReason::AboveLimit)
                && evicted(a) == evicted(b)
                && decisions[a].checks == decisions[b].checks
                && !self.world.tree.shares_slots
        };
        let mut first = 0;
        for at in 0..decisions.len() {
            if at == 0 || !is_same(at - 1, at) {
                first = at;
            }
            if evicted(at).is_some() {
                let is_reserved = matches!(decisions.get(at + 1).map(|next| next.event), Some(Event::Claimed { .. }));
                let end = at + 1 + usize::from(is_reserved);
                self.reclaims.extend((first..=at).map(|of| (of, (first, end))));
            }
        }
    }

    fn view(&self, moment: usize) -> View<'_> {
        View { world: self.world, state: &self.moments.states[moment], books: &self.books }
    }

    /// Brings lending to the stage of the decision.
    fn prepare(&mut self, at: usize) {
        let decision = &self.moments.decisions[at];
        match decision.event {
            Event::Bound { .. } if has_rule(decision, "ego/earmark") => {}
            Event::Bound { pod, node, .. } => {
                self.finish_redeem(at);
                self.find_source(at, pod, node);
            }
            _ => self.finish_free(at),
        }
    }

    fn apply(&mut self, at: usize) {
        let decision = &self.moments.decisions[at];
        match decision.event {
            Event::Bound { pod, node, .. } if has_rule(decision, "ego/earmark") => self.redeem(at, pod, node),
            Event::Claimed { pod, node } => self.earmark(at, self.world.cluster.pods[pod].pod_set, node),
            _ => {}
        }
    }

    /// An earmark is redeemed by a start; others before it without victims have lapsed.
    fn redeem(&mut self, at: usize, pod: PodId, node: NodeId) {
        let set = self.world.cluster.pods[pod].pod_set;
        let is_it = |earmark: &Earmark| earmark.set == set && earmark.node == node && earmark.victims.is_empty();
        match self.books.earmarks.iter().position(is_it) {
            Some(found) => {
                let source = self.books.earmarks.remove(found).source;
                self.start(pod, source);
            }
            None => drop(self.faults.insert(at, "nothing was reserved for it there".into())),
        }
    }

    fn start(&mut self, pod: PodId, source: Source) {
        self.books.sources.insert(pod, source);
        self.books.started.insert(pod, source);
    }

    /// Earmarks that lapse, then lending.
    fn finish_redeem(&mut self, moment: usize) {
        if !matches!(self.stage, Stage::Redeem) {
            return;
        }
        self.lapse(moment);
        if !self.world.tree.shares_slots {
            let (lent, called_back) = lend(&self.view(moment));
            self.books.lent = lent;
            self.books.earmarks.retain(|e| e.source == Source::Owned || !called_back.contains(&e.node));
        }
        self.stage = Stage::Free(0);
    }

    /// Earmarks without victims that did not start: kept while their unit is not gone yet or first units wait for
    /// others.
    fn lapse(&mut self, moment: usize) {
        let mut at = 0;
        while at < self.books.earmarks.len() {
            let view = self.view(moment);
            let earmark = &self.books.earmarks[at];
            let Some(set) = self.world.sets.iter().find(|set| set.id == earmark.set) else { return };
            let is_leaving = view.leaving(set) > 0 && view.waiting(set) == 0;
            let is_same = |other: &&Earmark| self.world.sets.iter().any(|of| of.id == other.set && of.job == set.job);
            let mut of_job = self.books.earmarks.iter().filter(is_same);
            let waits_for_others = !is_complete(&view, set.job) && of_job.any(|other| !other.victims.is_empty());
            if !earmark.victims.is_empty() || is_leaving || waits_for_others {
                at += 1
            } else {
                drop(self.books.earmarks.remove(at))
            }
        }
    }

    /// Passes idle hosts on until the pool from which a unit was drawn.
    fn find_source(&mut self, at: usize, pod: PodId, node: NodeId) {
        let Some(set) = self.world.set_of(pod).cloned() else { return };
        let holder = self.world.tree.holder[&node];
        if self.world.tree.shares_slots {
            return self.start(pod, Source::Pool(ROOT));
        }
        if holder == set.leaf && !self.books.lent.contains_key(&node) {
            return self.start(pod, Source::Owned);
        }
        let pools = self.world.tree.pools();
        while let Stage::Free(stage) = self.stage
            && let Some(&pool) = pools.get(stage)
        {
            if self.is_drawn_from(at, (&set, node), pool) {
                return self.start(pod, Source::Pool(pool));
            }
            self.pass_on(pool, at);
            self.stage = Stage::Free(stage + 1);
        }
        self.faults.insert(at, "no pool that it may use has this host".into());
    }

    /// Whether a pool would have given the unit this host: it comes before those above it.
    fn is_drawn_from(&self, at: usize, (set, node): (&Set, NodeId), pool: usize) -> bool {
        let (tree, view) = (&self.world.tree, self.view(at));
        let job = set.job;
        let n_together = view.first_units(job).len().max(1);
        let hosts = self.moments.decisions[at..].iter().map_while(|decision| match decision.event {
            Event::Bound { pod, node, .. } if self.job_of(pod) == job => Some(node),
            _ => None,
        });
        tree.is_below(set.leaf, pool)
            && hosts.take(n_together).all(|host| view.is_in(host, pool) && tree.may_borrow(set.leaf, host, pool))
            && view.is_in(node, pool)
            && view.outstanding_in(set, pool) > 0
    }

    /// Idle lent hosts of a pool move one level up if its consumer lends.
    fn pass_on(&mut self, pool: usize, moment: usize) {
        let tree = &self.world.tree;
        let Some(above) = tree.parent[pool].filter(|_| tree.lends(pool)) else { return };
        let hosts = self.books.lent.iter().filter(|(_, at)| **at == pool).map(|(host, _)| *host);
        let view = self.view(moment);
        let idle: Vec<NodeId> = hosts.filter(|host| !view.has(*host, |_, _| true)).collect();
        self.books.lent.extend(idle.into_iter().map(|host| (host, above)));
    }

    fn finish_free(&mut self, moment: usize) {
        self.finish_redeem(moment);
        if self.world.tree.shares_slots {
            return;
        }
        if let Stage::Free(stage) = self.stage {
            for &pool in &self.world.tree.pools()[stage..] {
                self.pass_on(pool, moment);
            }
            self.stage = Stage::Reclaim;
        }
    }

    /// Reserved room: behind the victims of the reclaim that ended just before, else free or being freed.
    fn earmark(&mut self, at: usize, set: PodSetId, node: NodeId) {
        let reclaim = at.checked_sub(1).and_then(|before| self.reclaims.get(&before)).copied();
        let mut victims: Vec<PodId> = Vec::new();
        let mut is_owned = false;
        for decision in
            reclaim.map(|(first, end)| first..end).and_then(|all| self.moments.decisions.get(all)).unwrap_or_default()
        {
            if let Event::Evicted { pod, node: on, reason, .. } = decision.event
                && on == node
            {
                victims.push(pod);
                is_owned = reason == EvictReason::ReclaimedForQuota;
            }
        }
        if victims.is_empty() {
            let on_node = |unit: &(&Set, PodId, NodeId, bool)| unit.2 == node && !unit.3;
            victims = self.view(at).units().filter(on_node).map(|unit| unit.1).collect();
        }
        let pool = if self.world.tree.shares_slots { None } else { self.world.pool_of(&self.books, node) };
        let source = if is_owned { Source::Owned } else { Source::Pool(pool.unwrap_or(ROOT)) };
        self.books.earmarks.push(Earmark { set, node, source, victims });
    }
}

/// Whether all first units of a job run or may start now.
fn is_complete(view: &View<'_>, job: JobId) -> bool {
    let mut sets = view.world.sets.iter().filter(|set| set.job == job);
    sets.all(|set| {
        let of_set = |e: &&Earmark| e.set == set.id && e.victims.is_empty();
        let ready = view.books.earmarks.iter().filter(of_set).count() as u32;
        view.running(set) + ready >= set.min.min(view.want(set))
    })
}
