//! Taking units back in a pool.
//!
//! # Rule
//! First every leaf above its share limit loses its newest units. Then, again and again, the most under-used leaf that waits and
//! is below its share usage quota takes one unit's space: from leaves above their quota, where at the siblings at
//! which the two paths split the victim's side is above its quota too and has no higher share priority. Victims are the
//! most over-used first, inside a leaf the newest first; at equal priority none whose loss would
//! leave its side with less usage for its ratio than the reclaimer's side. The host is chosen with the
//! best victims, then the least usage lost, the fewest units, the newest start.
//!
//! # Source
//! ego.md 8.1 to 8.3; IBM, *Resource reclaim for multidimensional scheduling*
//!
//! # Differs
//! OC-11, OC-16 to OC-20, OC-27, OC-28

use std::cmp::Ordering;

use super::assign::best_two;
use super::books::{Books, State};
use super::grace::grace_in_pool;
use super::number::{Fraction, Nat};
use super::plan::{Dims, ShareLimit, add, fits};
use super::pool::{PoolBook, PoolHost};
use super::quota::{Demands, compare_per_ratio, helps, newest_first, quotas};
use crate::kit::sort;
use crate::time::Time;
use crate::units::RESOURCES_MAX;

/// One reclaim.
#[derive(Clone, Debug, PartialEq)]
pub struct Reclaim {
    /// For whom: a leaf, and one unit of this sub-allocation of it; nobody if a leaf was above its share limit.
    pub by: Option<(usize, Option<usize>)>,
    /// Where.
    pub host: usize,
    /// The units in the order in which they were taken.
    pub victims: Vec<usize>,
    /// When the last of them must be gone.
    pub deadline: Time,
    /// The numbers that allowed it.
    pub why: Option<Why>,
}

/// What allowed a reclaim, as of the start of its round. All in parts of the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// Projected usage and quota of the reclaiming leaf.
    pub reclaimer: (Nat, Fraction),
    /// The first victim's leaf, its projected usage and quota.
    pub victim: (usize, Nat, Fraction),
    /// The siblings where their paths split: reclaimer's side, victim's side.
    pub sides: (usize, usize),
    /// Projected usage of both sides after the reclaim.
    pub after: (Nat, Nat),
}

/// Why a leaf that waits got nothing by reclaim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It uses its quota.
    NotUnderQuota,
    /// What it needs is free or on its way.
    OnItsWay,
    /// Nobody it may take from is above its quota.
    NoVictimOverQuota,
    /// Whatever would help is needed more where it is.
    WouldInvert,
    /// It lost units itself in this pass.
    WasVictim,
}

/// What one pass did and refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pass {
    /// In order.
    pub reclaims: Vec<Reclaim>,
    /// Leaves that had their turn and got nothing.
    pub refused: Vec<(usize, Refused)>,
}

/// Dimensions in which a leaf draws more from the pool than its share limit.
fn over_limit(books: &Books<'_>, book: &PoolBook<'_>, leaf: usize, taken: &Dims) -> Vec<usize> {
    let limits: &[Option<ShareLimit>; RESOURCES_MAX] = &books.plan.consumers[leaf].share_limit;
    let is_over = |&dim: &usize| limits[dim].is_some_and(|limit| book.exceeds(limit, leaf, dim, -taken[dim]));
    (0..RESOURCES_MAX).filter(is_over).collect()
}

/// The units the limit pass takes from a leaf: the newest that use a dimension in which it is above its limit.
pub(super) fn limit_victims(books: &Books<'_>, book: &PoolBook<'_>, leaf: usize) -> Vec<usize> {
    let mut taken = Dims::default();
    let mut over = over_limit(books, book, leaf, &taken);
    let mut victims = Vec::new();
    if over.is_empty() {
        return victims;
    }
    for id in newest_first(books, book, leaf) {
        let unit = &books.subs[books.units[id].sub].unit;
        if helps(unit, &over) {
            add(&mut taken, unit, 1);
            victims.push(id);
            over = over_limit(books, book, leaf, &taken);
            if over.is_empty() {
                break;
            }
        }
    }
    victims
}

/// The state of a pass.
struct Taking<'b, 'p, 'a> {
    books: &'b mut Books<'a>,
    book: &'b mut PoolBook<'p>,
    /// Leaves that had their turn and got nothing, from the pool's root on.
    out: Vec<bool>,
    /// Roles do not change inside a pass (OC-18).
    was_reclaimer: Vec<bool>,
    was_victim: Vec<bool>,
    pass: Pass,
}

/// Takes back in a pool what others deserve, after its free resources were handed out.
pub fn reclaim(books: &mut Books<'_>, book: &mut PoolBook<'_>) -> Pass {
    let n = book.end - book.pool.root;
    let no = vec![false; n];
    let mut taking = Taking {
        books,
        book,
        out: no.clone(),
        was_reclaimer: no.clone(),
        was_victim: no,
        pass: Pass::default(),
    };
    taking.limits();
    while taking.round() {}
    taking.pass
}

/// A round's numbers.
struct Round {
    quota: Vec<Fraction>,
    /// For each leaf that qualifies as a victim its rank, the most over-used first; from the pool's root on.
    ranks: Vec<Option<u32>>,
}

/// A way to make room on one host.
struct Room {
    host: usize,
    victims: Vec<usize>,
    worst_rank: u32,
    lost: Nat,
    after: (Nat, Nat),
}

impl Taking<'_, '_, '_> {
    fn root(&self) -> usize {
        self.book.pool.root
    }

    /// Units above share limits go first, for nobody in particular (OC-11).
    fn limits(&mut self) {
        for leaf in self.root()..self.book.end {
            if !self.books.plan.is_leaf(leaf) {
                continue;
            }
            for id in limit_victims(self.books, self.book, leaf) {
                let host = self.books.units[id].host;
                let deadline = self.take(id);
                self.pass.reclaims.push(Reclaim { by: None, host, victims: vec![id], deadline, why: None });
            }
        }
    }

    /// Puts a unit into its grace.
    fn take(&mut self, id: usize) -> Time {
        let sub = self.books.units[id].sub;
        let deadline = self.books.now + grace_in_pool(self.books, self.book.pool, id);
        self.books.reclaim(id, deadline);
        self.book.project(self.books, sub, false);
        if self.books.units[id].state == State::Gone {
            self.book.drawn[sub].units -= 1;
        }
        deadline
    }

    /// One leaf has its turn. Answers whether there was one.
    fn round(&mut self) -> bool {
        let demands = Demands::new(self.books, self.book);
        let quota = quotas(self.books, self.book, &demands);
        let Some(leaf) = self.reclaimer(&demands, &quota) else {
            self.refuse_satisfied(&demands);
            return false;
        };
        let at = leaf - self.root();
        let first = |&&sub: &&usize| self.book.outstanding(self.books, sub) > 0;
        let Some(&sub) = self.books.subs_of[leaf].iter().find(first) else {
            self.out[at] = true;
            return true;
        };
        if self.is_on_its_way(sub) {
            self.refuse(leaf, Refused::OnItsWay);
            return true;
        }
        let ranks = self.victim_ranks(leaf, &quota);
        let round = Round { quota, ranks };
        match self.best_room(leaf, sub, &round) {
            Some(room) => self.execute(leaf, sub, &round, room),
            None => {
                let any = round.ranks.iter().any(Option::is_some);
                self.refuse(leaf, if any { Refused::WouldInvert } else { Refused::NoVictimOverQuota });
            }
        }
        true
    }

    fn refuse(&mut self, leaf: usize, why: Refused) {
        let at = leaf - self.root();
        self.out[at] = true;
        self.pass.refused.push((leaf, why));
    }

    /// The others that wait use their quota, or lost units in this pass.
    fn refuse_satisfied(&mut self, demands: &Demands) {
        for leaf in (self.root()..self.book.end).filter(|&c| self.books.plan.is_leaf(c)) {
            let at = leaf - self.root();
            if demands.waits[at] && !self.out[at] {
                let why = if self.was_victim[at] { Refused::WasVictim } else { Refused::NotUnderQuota };
                self.pass.refused.push((leaf, why));
            }
        }
    }

    fn is_under(&self, consumer: usize, quota: &[Fraction]) -> bool {
        self.compare_to_quota(consumer, quota) == Ordering::Less
    }
    fn is_over(&self, consumer: usize, quota: &[Fraction]) -> bool {
        self.compare_to_quota(consumer, quota) == Ordering::Greater
    }
    fn compare_to_quota(&self, consumer: usize, quota: &[Fraction]) -> Ordering {
        let quota = &quota[consumer - self.root()];
        self.book.projected(consumer).times(&quota.d).cmp(&quota.n)
    }

    /// The walk of the free pass, over leaves that wait and are below their quota.
    fn reclaimer(&self, demands: &Demands, quota: &[Fraction]) -> Option<usize> {
        let (root, plan) = (self.root(), self.books.plan);
        let mut open = vec![false; self.out.len()];
        for leaf in (root..self.book.end).filter(|&c| plan.is_leaf(c)) {
            let at = leaf - root;
            if demands.waits[at] && !self.out[at] && !self.was_victim[at] && self.is_under(leaf, quota) {
                plan.path(leaf).take_while(|&c| c >= root).for_each(|c| open[c - root] = true);
            }
        }
        let mut node = Some(root).filter(|_| open[0])?;
        while !plan.is_leaf(node) {
            let children = plan.consumers[node].children.iter().copied();
            let children: Vec<usize> = children.filter(|&c| open[c - root]).collect();
            node = best_two(self.books, self.book, &children)?.0;
        }
        Some(node)
    }

    fn hosts_for(&self, leaf: usize) -> impl Iterator<Item = &PoolHost> {
        self.book.pool.hosts.iter().filter(move |&&h| self.book.admits(self.books, leaf, h))
    }

    /// Whether a unit fits somewhere once every grace is over (OC-27).
    fn is_on_its_way(&self, sub: usize) -> bool {
        let books = &self.books;
        let unit = &books.subs[sub].unit;
        self.hosts_for(books.subs[sub].leaf).any(|h| fits(&books.unclaimed[h.host], unit))
    }

    /// Ranks of the leaves that qualify as victims of this one.
    fn victim_ranks(&self, leaf: usize, quota: &[Fraction]) -> Vec<Option<u32>> {
        let (root, plan) = (self.root(), self.books.plan);
        let mut ranks = vec![None; self.out.len()];
        let mut next = 0;
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if plan.is_leaf(node) {
                let is_victim = !self.was_reclaimer[node - root]
                    && self.is_over(node, quota)
                    && plan.split(leaf, node).is_some_and(|(a, b)| {
                        self.is_over(b, quota) && plan.consumers[a].priority >= plan.consumers[b].priority
                    });
                if is_victim {
                    ranks[node - root] = Some(next);
                    next += 1;
                }
                continue;
            }
            // The stack turns the order round: the most over-used must be pushed last.
            let mut children = plan.consumers[node].children.clone();
            let key = |c: usize| (self.book.projected(c), plan.consumers[c].ratio);
            sort::sort_by(&mut children, |&a, &b| {
                let ((of_a, ratio_a), (of_b, ratio_b)) = (key(a), key(b));
                let by_priority = plan.consumers[b].priority.cmp(&plan.consumers[a].priority);
                by_priority.then_with(|| compare_per_ratio(of_a, ratio_a, of_b, ratio_b))
            });
            stack.extend(children);
        }
        ranks
    }

    /// The best way to make room for one unit.
    fn best_room(&mut self, leaf: usize, sub: usize, round: &Round) -> Option<Room> {
        let hosts: Vec<PoolHost> = self.hosts_for(leaf).copied().collect();
        let mut best: Option<Room> = None;
        self.book.project(self.books, sub, true);
        for PoolHost { host, .. } in hosts {
            if fits(&self.books.free[host], &self.books.subs[sub].unit) {
                continue;
            }
            if let Some(room) = self.room_on(leaf, sub, host, round) {
                let is_better = best.as_ref().is_none_or(|best| compare_rooms(&room, best).is_lt());
                if is_better {
                    best = Some(room);
                }
            }
        }
        self.book.project(self.books, sub, false);
        best
    }

    /// Victims on one host that make room, if there are; the unit is in the projection already.
    fn room_on(&mut self, leaf: usize, sub: usize, host: usize, round: &Round) -> Option<Room> {
        let root = self.root();
        let source = self.book.source();
        let (books, ranks) = (&self.books, &round.ranks);
        let rank_of = |id: usize| ranks[books.subs[books.units[id].sub].leaf - root];
        let may_go = |&id: &usize| {
            let unit = &books.units[id];
            unit.state == State::Run && unit.source == source && rank_of(id).is_some()
        };
        let mut candidates: Vec<usize> = books.on_host[host].iter().rev().copied().filter(may_go).collect();
        sort::sort_by_key(&mut candidates, |&id| rank_of(id));
        let unit = self.books.subs[sub].unit;
        let mut free = self.books.free[host];
        let mut room =
            Room { host, victims: Vec::new(), worst_rank: 0, lost: Nat::ZERO, after: Default::default() };
        let mut done = false;
        for id in candidates {
            let victim = self.books.units[id].sub;
            let size = self.books.subs[victim].unit;
            let short: Vec<usize> =
                (0..RESOURCES_MAX).filter(|&d| unit[d] > free[d] && unit[d] > 0).collect();
            if !helps(&size, &short) || !self.give(leaf, victim, round) {
                continue;
            }
            add(&mut free, &size, 1);
            room.victims.push(id);
            room.worst_rank =
                ranks_of(&round.ranks, self.books.subs[victim].leaf - root).max(room.worst_rank);
            room.lost = room.lost.plus(&self.book.share(self.books, victim, 1));
            if fits(&free, &unit) {
                done = true;
                break;
            }
        }
        if let Some((a, b)) = room.victims.first().and_then(|&id| {
            let victim = self.books.subs[self.books.units[id].sub].leaf;
            self.books.plan.split(leaf, victim)
        }) {
            room.after = (self.book.projected(a).clone(), self.book.projected(b).clone());
        }
        for &id in &room.victims {
            let victim = self.books.units[id].sub;
            self.book.project(self.books, victim, true);
        }
        done.then_some(room)
    }

    /// Takes a unit out of the projection if its leaf may lose it.
    fn give(&mut self, leaf: usize, victim: usize, round: &Round) -> bool {
        let v = self.books.subs[victim].leaf;
        if !self.is_over(v, &round.quota) {
            return false;
        }
        let Some((a, b)) = self.books.plan.split(leaf, v) else { return false };
        self.book.project(self.books, victim, false);
        let (side_a, side_b) = (&self.books.plan.consumers[a], &self.books.plan.consumers[b]);
        let inverts = side_a.priority == side_b.priority
            && compare_per_ratio(self.book.projected(b), side_b.ratio, self.book.projected(a), side_a.ratio)
                .is_lt();
        if inverts {
            self.book.project(self.books, victim, true);
        }
        !inverts
    }

    /// The victims are told to go, the reclaimer gets its earmark, or its unit at once.
    fn execute(&mut self, leaf: usize, sub: usize, round: &Round, room: Room) {
        let root = self.root();
        let first = self.books.subs[self.books.units[room.victims[0]].sub].leaf;
        let sides = self.books.plan.split(leaf, first).unwrap_or((leaf, first));
        let number = |c: usize| (self.book.projected(c).clone(), round.quota[c - root].clone());
        let (usage, quota) = number(first);
        let why = Why { reclaimer: number(leaf), victim: (first, usage, quota), sides, after: room.after };
        let mut deadline = self.books.now;
        for &id in &room.victims {
            let victim = self.books.subs[self.books.units[id].sub].leaf;
            self.was_victim[victim - root] = true;
            deadline = deadline.max(self.take(id));
        }
        self.was_reclaimer[leaf - root] = true;
        self.books.earmark(sub, room.host, self.book.source(), &room.victims);
        self.book.project(self.books, sub, true);
        if deadline <= self.books.now {
            self.books.redeem_at(self.books.earmarks.len() - 1);
            self.book.drawn[sub].units += 1;
        }
        let (host, victims) = (room.host, room.victims);
        let why = Some(why);
        self.pass.reclaims.push(Reclaim { by: Some((leaf, Some(sub))), host, victims, deadline, why });
    }
}

fn ranks_of(ranks: &[Option<u32>], at: usize) -> u32 {
    ranks[at].unwrap_or(u32::MAX)
}

/// Worst victim rank, usage lost, number of units, newest start first (OC-17).
fn compare_rooms(a: &Room, b: &Room) -> Ordering {
    let newest = |room: &Room| room.victims.iter().copied().max();
    let by_rank = a.worst_rank.cmp(&b.worst_rank);
    let by_loss = by_rank.then_with(|| a.lost.cmp(&b.lost));
    by_loss.then_with(|| a.victims.len().cmp(&b.victims.len())).then_with(|| newest(b).cmp(&newest(a)))
}
