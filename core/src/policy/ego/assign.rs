//! Assignment of free resources of a pool, one unit at a time.
//!
//! # Rule
//! From the pool's root down: among the children with pending units, those of the best share priority; among them the
//! one with the smallest `projected usage / share ratio`, the earlier in tree order on a tie. The leaf found gets one
//! unit of its first sub-allocation that is pending and fits. A leaf without a placeable unit is excluded from the rest
//! of the pass, so lower priorities are reached when all better ones are satisfied or cannot be placed.
//!
//! # Source
//! ego.md 7.2, 7.3, 7.4; IBM, *How does EGO determine resource allocation when multiple consumers with equal share
//! ratios require the same resource*
//!
//! # Differs
//! OC-12 to OC-15, OC-26

use super::host_choice::Hosts;
use super::ids::{ConsumerId, HostId, InPool, SizeId, SubId, UnitId};
use super::near_hosts::Chosen;
use super::number::Nat;
use super::plan::Placement;
use super::pool::{PoolBook, PoolHost};
use super::pool_state::{PoolState, Source};
use super::ranking::{best_two, compare};
use crate::id::Arena;
use crate::trace::Level;

/// One step of the pass: the turn of a leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub leaf: ConsumerId,
    /// Units started; empty if none fits.
    pub units: Vec<UnitId>,
    /// Choices between at least two siblings on the path to the leaf, from the pool's root down.
    pub choices: Vec<Choice>,
    /// Usage of the whole pool, in the unit of the choices.
    pub whole: Nat,
    /// Sibling groups on the path to the leaf; empty unless the level of recording includes them.
    pub(super) path: Vec<SiblingGroup>,
}

/// A choice between siblings.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The chosen consumer and the next best.
    pub between: [ConsumerId; 2],
    /// Projected usage of both before the turn.
    pub usage: [Nat; 2],
}

/// Children of a consumer with pending units.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SiblingGroup {
    /// The parent.
    pub node: ConsumerId,
    /// The children with their projected usage before the turn.
    pub open: Vec<(ConsumerId, Nat)>,
    /// The chosen child.
    pub chosen: ConsumerId,
    /// Whether another child ranks equally.
    pub is_tie: bool,
    /// Projected usage of the chosen child after the turn.
    pub after: Nat,
}

/// State of a pass over one pool.
struct Pass<'b, 'p, 'a> {
    state: &'b mut PoolState<'a>,
    book: &'b mut PoolBook<'p>,
    /// Per consumer, the children with pending units, in tree order.
    open: InPool<Vec<ConsumerId>>,
    /// Per leaf, the sub-allocations not tried yet, the next one last.
    queues: InPool<Vec<SubId>>,
    /// Per leaf, the sub-allocations without a placeable unit.
    unfit: InPool<Vec<SubId>>,
    /// Per unit size, the number of leading hosts without room for it; free resources only shrink during a pass.
    full: Arena<SizeId, usize>,
}

/// Assigns the free resources of a pool. `level`: how much of the choices is recorded.
pub fn assign(state: &mut PoolState<'_>, book: &mut PoolBook<'_>, level: Level) -> Vec<Turn> {
    let mut pass = Pass {
        open: InPool::new(book.consumers(), |_| Vec::new()),
        queues: InPool::new(book.consumers(), |_| Vec::new()),
        unfit: InPool::new(book.consumers(), |_| Vec::new()),
        full: state.shapes.ids().map(|_| 0).collect(),
        state,
        book,
    };
    pass.fill_queues();
    let mut turns = Vec::new();
    while !pass.state.monitor.is_interrupted()
        && let Some((leaf, choices)) = pass.walk(level >= Level::Refusals)
    {
        let path = if level >= Level::Every { pass.path(leaf) } else { Vec::new() };
        match pass.place(leaf) {
            Outcome::Placed(units) => {
                turns.push(pass.turn(leaf, units, choices, path));
                pass.close_satisfied(leaf);
            }
            Outcome::Unplaceable => {
                turns.push(pass.turn(leaf, Vec::new(), choices, path));
                pass.close(leaf);
            }
            Outcome::Satisfied => pass.close(leaf),
        }
    }
    turns
}

enum Outcome {
    Placed(Vec<UnitId>),
    Unplaceable,
    Satisfied,
}

impl Pass<'_, '_, '_> {
    fn turn(&self, leaf: ConsumerId, units: Vec<UnitId>, choices: Vec<Choice>, mut path: Vec<SiblingGroup>) -> Turn {
        let whole = if choices.is_empty() && path.is_empty() { Nat::ONE } else { self.book.whole.clone() };
        for group in &mut path {
            group.after = self.book.projected(group.chosen).clone();
        }
        Turn { leaf, units, choices, whole, path }
    }

    /// Sibling groups on the path to a leaf.
    fn path(&self, leaf: ConsumerId) -> Vec<SiblingGroup> {
        let (root, plan) = (self.book.pool.root, self.state.plan);
        let path = plan.path(leaf).take_while(|&c| c > root);
        let mut path: Vec<SiblingGroup> = path
            .map(|chosen| {
                let node = plan.consumers[chosen].parent.unwrap_or(root);
                let open = &self.open[node];
                let is_as_good = |&c: &ConsumerId| c != chosen && compare(self.state, self.book, c, chosen).is_eq();
                SiblingGroup {
                    node,
                    open: open.iter().map(|&c| (c, self.book.projected(c).clone())).collect(),
                    chosen,
                    is_tie: open.iter().any(is_as_good),
                    after: Nat::ZERO,
                }
            })
            .collect();
        path.reverse();
        path
    }

    fn fill_queues(&mut self) {
        let (root, plan) = (self.book.pool.root, self.state.plan);
        let mut waits = InPool::new(self.book.consumers(), |_| false);
        for leaf in self.book.consumers().filter(|&c| plan.is_leaf(c)) {
            if self.book.excluded(self.state, leaf).is_some() {
                continue;
            }
            let subs = self.state.subs_of[leaf].iter().rev().copied();
            let queue: Vec<SubId> = subs.filter(|&s| self.book.outstanding(self.state, s) > 0).collect();
            if !queue.is_empty() {
                plan.path(leaf).take_while(|&c| c >= root).for_each(|c| waits[c] = true);
                self.queues[leaf] = queue;
            }
        }
        for node in self.book.consumers() {
            let children = plan.consumers[node].children.iter().copied();
            self.open[node] = children.filter(|&c| waits[c]).collect();
        }
        if plan.is_leaf(root) && waits[root] {
            self.open[root].push(root);
        }
    }

    /// Next leaf to serve.
    fn walk(&self, record: bool) -> Option<(ConsumerId, Vec<Choice>)> {
        let root = self.book.pool.root;
        let mut choices = Vec::new();
        let mut node = root;
        loop {
            let open = &self.open[node];
            let (best, next) = best_two(self.state, self.book, open)?;
            if let Some(next) = next.filter(|_| record) {
                let usage = [best, next].map(|c| self.book.projected(c).clone());
                choices.push(Choice { between: [best, next], usage });
            }
            node = best;
            if self.state.plan.is_leaf(node) {
                return Some((node, choices));
            }
        }
    }

    /// Removes the leaf and every ancestor left without pending units.
    fn close(&mut self, leaf: ConsumerId) {
        let root = self.book.pool.root;
        let mut node = leaf;
        while node != root || self.state.plan.is_leaf(root) {
            let parent = if node == root { root } else { self.state.plan.consumers[node].parent.unwrap_or(root) };
            let open = &mut self.open[parent];
            open.retain(|&c| c != node);
            if !open.is_empty() || parent == root {
                return;
            }
            node = parent;
        }
    }

    /// Removes a leaf without outstanding demand, so that no other leaf is compared with it. At the limit of an inner
    /// consumer, other leaves below it may have none left, too.
    fn close_satisfied(&mut self, leaf: ConsumerId) {
        let limited = self.book.has_middle_limits;
        let others = self.book.consumers().filter(|&c| c != leaf && limited && !self.queues[c].is_empty());
        for leaf in std::iter::once(leaf).chain(others.collect::<Vec<_>>()) {
            let waits = |sub: &SubId| self.book.outstanding(self.state, *sub) > 0;
            while self.queues[leaf].last().is_some_and(|sub| !waits(sub)) {
                self.queues[leaf].pop();
            }
            if self.queues[leaf].is_empty() && !self.unfit[leaf].iter().any(waits) {
                self.close(leaf);
            }
        }
    }

    /// Tries to place one unit, or the first units of an all-or-nothing allocation.
    fn place(&mut self, leaf: ConsumerId) -> Outcome {
        while let Some(&sub) = self.queues[leaf].last() {
            if self.book.outstanding(self.state, sub) > 0 {
                if let Some(units) = self.start(sub) {
                    return Outcome::Placed(units);
                }
                self.unfit[leaf].push(sub);
            }
            self.queues[leaf].pop();
        }
        let still_waits = |&&sub: &&SubId| self.book.outstanding(self.state, sub) > 0;
        match self.unfit[leaf].iter().find(still_waits) {
            Some(_) => Outcome::Unplaceable,
            None => Outcome::Satisfied,
        }
    }

    fn start(&mut self, sub: SubId) -> Option<Vec<UnitId>> {
        let together = self.state.first_units(sub);
        if together.is_empty() {
            if self.state.subs[sub].startable() == 0 {
                return None;
            }
            let host = find_host(self.state, self.book, sub, &mut self.full)?;
            return Some(vec![self.start_on(sub, host)]);
        }
        let mut full: Arena<SizeId, usize> = self.full.ids().map(|_| 0).collect();
        let mut units = Vec::new();
        for &sub in &together {
            let is_open = self.book.outstanding(self.state, sub) > 0 && self.state.subs[sub].startable() > 0;
            let host = if is_open { find_host(self.state, self.book, sub, &mut full) } else { None };
            let Some(host) = host else {
                for &sub in together[..units.len()].iter().rev() {
                    self.state.undo_start();
                    self.book.project(self.state, sub, false);
                    self.book.drawn[sub].units -= 1;
                }
                return None;
            };
            units.push(self.start_on(sub, host));
        }
        Some(units)
    }

    fn start_on(&mut self, sub: SubId, host: Chosen) -> UnitId {
        self.book.project(self.state, sub, true);
        self.book.drawn[sub].units += 1;
        self.state.start_on(sub, host, self.book.source())
    }
}

/// Finds a host for one unit. `full`: per unit size, the number of leading hosts without room for it.
fn find_host(
    state: &PoolState<'_>,
    book: &PoolBook<'_>,
    sub: SubId,
    full: &mut Arena<SizeId, usize>,
) -> Option<Chosen> {
    let PoolState { subs, .. } = state;
    let (leaf, unit, shape) = (subs[sub].leaf, &subs[sub].unit, subs[sub].shape);
    let hosts = &book.pool.hosts;
    while hosts.get(full[shape]).is_some_and(|h| !state.fits_now(sub, h.host)) {
        full[shape] += 1;
    }
    let is_open = |h: PoolHost| is_open(state, sub, h.host) && book.admits(state, leaf, h);
    let hosts = Hosts {
        n_full: full[shape],
        len: hosts.len(),
        at: |i: usize| hosts[i].host,
        is_open: |i: usize| is_open(hosts[i]),
    };
    choose_host(state, unit, &hosts)
}

/// Whether a unit fits on a host that is not exclusive to another leaf.
pub(super) fn is_open(state: &PoolState<'_>, sub: SubId, host: HostId) -> bool {
    let is_exclusive = state.plan.placement == Placement::Exclusive;
    state.fits_now(sub, host) && !(is_exclusive && state.has_units_of_others(host, state.subs[sub].leaf))
}

/// Chooses among hosts (ego.md 7.4).
pub(super) fn choose_host<A: Fn(usize) -> HostId, O: Fn(usize) -> bool>(
    state: &PoolState<'_>,
    unit: &super::plan::Dims,
    hosts: &Hosts<A, O>,
) -> Option<Chosen> {
    match state.plan.placement {
        Placement::Balanced => hosts.roomiest(state, unit),
        Placement::Stacked | Placement::Exclusive => hosts.first(state),
    }
}

/// Starts pending units of a leaf on its own hosts, in this order of hosts; returns the units.
pub fn assign_owned(state: &mut PoolState<'_>, leaf: ConsumerId, hosts: &[HostId]) -> Vec<UnitId> {
    let mut started = Vec::new();
    for i in 0..state.subs_of[leaf].len() {
        let sub = state.subs_of[leaf][i];
        while state.subs[sub].outstanding() > 0 {
            let mut together = state.first_units(sub);
            if together.is_empty() {
                together.push(sub);
            }
            let n_before = started.len();
            let all = together.iter().all(|&sub| {
                let may_start = state.subs[sub].startable() > 0;
                let in_order = Hosts {
                    n_full: 0,
                    len: hosts.len(),
                    at: |i: usize| hosts[i],
                    is_open: |i: usize| is_open(state, sub, hosts[i]),
                };
                let host = in_order.first(state).filter(|_| may_start);
                let is_found = host.is_some();
                started.extend(host.map(|host| state.start_on(sub, host, Source::Owned)));
                is_found
            });
            if !all {
                (n_before..started.len()).for_each(|_| state.undo_start());
                started.truncate(n_before);
                break;
            }
        }
    }
    started
}
