//! Reclaim in a pool.
//!
//! # Rule
//! First every leaf above its share limit loses its newest units. Then, repeatedly, the most under-used leaf that has
//! outstanding units and is below its share usage quota reclaims resources for one unit: from leaves above their quota
//! whose ancestor at the level where the two paths split is above its quota too and has no higher share priority.
//! Victims are the most over-used first, inside a leaf the newest first; at equal priority none whose loss would leave
//! its side with less usage over ratio than the reclaimer's side. The host is chosen by the best victims, then the
//! least usage lost, the fewest units, the newest start.
//!
//! # Source
//! ego.md 8.1 to 8.3; IBM, *Resource reclaim for multidimensional scheduling*
//!
//! # Differs
//! OC-11, OC-16 to OC-20, OC-27, OC-28

use std::cmp::Ordering;

use super::grace::grace_in_pool;
use super::ids::{ConsumerId, HostId, InPool, SubId, UnitId};
use super::limits::{OverLimit, first_over_limit, limit_victims};
use super::number::{Fraction, Nat};
use super::plan::{add, fits};
use super::pool::{PoolBook, PoolHost};
use super::pool_state::{PoolState, UnitState};
use super::quota::Demands;
use super::quota_status::{QuotaStatus, compare_to_quota};
use super::ranking::compare_per_ratio;
use crate::id::Arena;
use crate::time::Time;
use crate::trace::Level;

/// One reclaim.
#[derive(Clone, Debug, PartialEq)]
pub struct Reclaim {
    /// Reclaiming leaf and sub-allocation; `None` for a leaf above its share limit.
    pub by: Option<(ConsumerId, Option<SubId>)>,
    pub host: HostId,
    /// Reclaimed units, in order.
    pub victims: Vec<UnitId>,
    /// Deadline of the last victim.
    pub deadline: Time,
    /// Numbers that justify it; `None` for a share limit.
    pub why: Option<Why>,
    /// The share limit that its leaf exceeded; `None` for reclaims on behalf of others.
    pub over: Option<OverLimit>,
    /// Leaves that lost nothing, with what spared them; empty unless decisive comparisons are recorded.
    pub spared: Vec<Spared>,
}

impl Reclaim {
    /// A reclaim without recorded numbers.
    pub fn new(by: Option<(ConsumerId, Option<SubId>)>, host: HostId, victims: Vec<UnitId>, deadline: Time) -> Reclaim {
        Reclaim { by, host, victims, deadline, why: None, over: None, spared: Vec::new() }
    }
}

/// Justification of a reclaim at the start of its round, as parts of the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// Projected usage and quota of the reclaiming leaf.
    pub reclaimer: (Nat, Fraction),
    /// The first victim's leaf, its projected usage and quota.
    pub victim: (ConsumerId, Nat, Fraction),
    /// Siblings at which the paths split: reclaimer's side, victim's side.
    pub sides: (ConsumerId, ConsumerId),
    /// Projected usage of both sides after the reclaim.
    pub after: (Nat, Nat),
    /// The whole pool, in the unit of these numbers.
    pub whole: Nat,
}

/// A leaf that was spared.
#[derive(Clone, Debug, PartialEq)]
pub struct Spared {
    pub leaf: ConsumerId,
    pub by: SparedBy,
}

/// What spared a leaf, with numbers as parts of the pool.
#[derive(Clone, Debug, PartialEq)]
pub enum SparedBy {
    /// It, or its side, is not above its quota.
    Quota(ConsumerId, Nat, Fraction),
    /// Its side, the second one, has the higher share priority.
    Priority([ConsumerId; 2]),
    /// The reclaim would invert the ranking of the two sides, by their usage after it.
    Inversion([ConsumerId; 2], [Nat; 2]),
    /// It is above its quota, but comes later.
    Later(Nat, Fraction),
}

/// Reason for which a leaf with outstanding units reclaimed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Its usage is not below its quota.
    NotUnderQuota,
    /// The resources that it needs are free or being freed.
    OnItsWay,
    /// No permitted victim is above its quota.
    NoVictimOverQuota,
    /// Every reclaim would invert the ranking.
    WouldInvert,
    /// It lost units in this pass.
    WasVictim,
}

/// Result of a pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pass {
    /// Reclaims, in order.
    pub reclaims: Vec<Reclaim>,
    /// Leaves that reclaimed nothing, with the reason.
    pub refused: Vec<(ConsumerId, Refused)>,
}

/// State of a pass.
pub(super) struct ReclaimPass<'b, 'p, 'a> {
    pub(super) state: &'b mut PoolState<'a>,
    pub(super) book: &'b mut PoolBook<'p>,
    level: Level,
    /// Leaves excluded from further rounds.
    is_done: InPool<bool>,
    /// Roles do not change during a pass (OC-18).
    pub(super) was_reclaimer: InPool<bool>,
    was_victim: InPool<bool>,
    /// Reclaimable units per leaf, the newest last.
    pub(super) units_of: InPool<Vec<UnitId>>,
    /// Position of each host in the pool.
    places: Arena<HostId, usize>,
    /// Last round in which each host was evaluated.
    seen: Arena<HostId, u32>,
    n_rounds: u32,
    /// Numbers since the last change, if none happened in this round.
    status: Option<QuotaStatus>,
    /// Demand before the changes of the leaves in `changed`.
    demands: Option<Demands>,
    changed: Vec<ConsumerId>,
    pass: Pass,
}

/// Runs a reclaim pass over a pool, after its free resources were assigned.
pub fn reclaim(state: &mut PoolState<'_>, book: &mut PoolBook<'_>, level: Level) -> Pass {
    let no = InPool::new(book.consumers(), |_| false);
    let units_of = InPool::new(book.consumers(), |_| Vec::new());
    let mut reclaim_pass = ReclaimPass {
        state,
        book,
        level,
        is_done: no.clone(),
        was_reclaimer: no.clone(),
        was_victim: no,
        units_of,
        places: Arena::new(),
        seen: Arena::new(),
        n_rounds: 0,
        status: None,
        demands: None,
        changed: Vec::new(),
        pass: Pass::default(),
    };
    reclaim_pass.limits();
    reclaim_pass.list_units();
    while !reclaim_pass.state.monitor.is_interrupted() && reclaim_pass.round() {}
    reclaim_pass.pass
}

/// Numbers of a round.
pub(super) struct Round<'q> {
    pub(super) quota: &'q InPool<Fraction>,
    /// Leaves that qualify as victims, the most over-used first.
    victims: Vec<ConsumerId>,
    /// Rank of each victim leaf; `u32::MAX` for others.
    pub(super) ranks: InPool<u32>,
}

/// Source of the resources of a unit: free or being freed on a host, or reclaimed.
enum UnitSource<'q> {
    Promise(HostId),
    Take(Round<'q>, ReclaimOption),
}

/// A set of victims on one host.
pub(super) struct ReclaimOption {
    host: HostId,
    pub(super) victims: Vec<UnitId>,
    pub(super) worst_rank: u32,
    lost: Nat,
    after: (Nat, Nat),
}

impl ReclaimPass<'_, '_, '_> {
    /// Reclaims units above share limits, without a reclaimer (OC-11).
    fn limits(&mut self) {
        for leaf in self.book.consumers() {
            if !self.state.plan.is_leaf(leaf) {
                continue;
            }
            for id in limit_victims(self.state, self.book, leaf) {
                let host = self.state.units[id].host;
                let over = first_over_limit(self.state, self.book, leaf, id);
                let deadline = self.take(id);
                self.pass.reclaims.push(Reclaim { over, ..Reclaim::new(None, host, vec![id], deadline) });
            }
        }
    }

    /// Lists reclaimable units by leaf.
    fn list_units(&mut self) {
        let state = &self.state;
        self.places = state.on_host.ids().map(|_| usize::MAX).collect();
        self.seen = state.on_host.ids().map(|_| 0).collect();
        for (place, host) in self.book.pool.hosts.iter().enumerate() {
            self.places[host.host] = place;
        }
        let source = self.book.source();
        for (id, unit) in state.units.iter() {
            if state.is_reclaimable(id) && unit.source == source && self.book.is_in[unit.host] {
                self.units_of[state.subs[unit.sub].leaf].push(id);
            }
        }
    }

    /// Starts the grace period of a unit; returns its deadline.
    fn take(&mut self, id: UnitId) -> Time {
        let sub = self.state.units[id].sub;
        let deadline = self.state.now + grace_in_pool(self.state, self.book.pool, id);
        self.state.reclaim(id, deadline);
        self.book.project(self.state, sub, false);
        if self.state.units[id].state == UnitState::Gone {
            self.book.drawn[sub].units -= 1;
        }
        deadline
    }

    /// Runs the turn of the next leaf; returns false if there is none.
    fn round(&mut self) -> bool {
        let mut status = match self.status.take() {
            Some(status) => status,
            None => {
                let demands = self.demands();
                QuotaStatus::new(self.state, self.book, demands, |leaf| !self.is_done[leaf] && !self.was_victim[leaf])
            }
        };
        let Some(leaf) = status.reclaimer(self.state, self.book) else {
            self.refuse_satisfied(&status.demands);
            return false;
        };
        let first = |&&sub: &&SubId| self.book.outstanding(self.state, sub) > 0;
        let result = match self.state.subs_of[leaf].iter().find(first) {
            Some(&sub) => {
                let together = self.state.first_units(sub);
                if together.is_empty() {
                    self.take_room(leaf, sub, &mut status).map_err(Some)
                } else {
                    self.take_together(leaf, &together, &mut status).map_err(Some)
                }
            }
            None => Err(None),
        };
        let Err(why) = result else {
            self.demands = Some(status.demands);
            return true;
        };
        self.is_done[leaf] = true;
        self.pass.refused.extend(why.map(|why| (leaf, why)));
        status.close(self.state, self.book.pool.root, leaf);
        self.status = Some(status);
        true
    }

    /// Present demand.
    fn demands(&mut self) -> Demands {
        let changed = std::mem::take(&mut self.changed);
        match self.demands.take() {
            Some(mut demands) => {
                demands.renew(self.state, self.book, &changed);
                demands
            }
            None => Demands::new(self.state, self.book),
        }
    }

    /// Makes room for the first units of an allocation, all or none: free resources and those being freed are
    /// earmarked, the rest is reclaimed unit by unit while the leaf is below its quota (OC-14).
    fn take_together(&mut self, leaf: ConsumerId, together: &[SubId], status: &mut QuotaStatus) -> Result<(), Refused> {
        let (&first, others) = together.split_first().expect("several units");
        // The first unit is tried before the state is saved for a rollback, because most gangs fail here.
        let first = match self.promised_host(leaf, first) {
            Some(host) => UnitSource::Promise(host),
            None if self.book.outstanding(self.state, first) == 0 => return Err(Refused::NotUnderQuota),
            None => self.find_room(leaf, first, status).map(|(round, room)| UnitSource::Take(round, room))?,
        };
        let saved = (self.state.clone(), self.book.clone());
        let roles = (self.was_reclaimer.clone(), self.was_victim.clone(), self.units_of.clone());
        let n_reclaims = self.pass.reclaims.len();
        match first {
            UnitSource::Promise(host) => self.promise(together[0], host),
            UnitSource::Take(round, room) => self.execute(leaf, together[0], &round, room),
        }
        for &sub in others {
            let taken = if let Some(host) = self.promised_host(leaf, sub) {
                self.promise(sub, host);
                Ok(())
            } else {
                let demands = Demands::new(self.state, self.book);
                let mut status = QuotaStatus::new(self.state, self.book, demands, |_| false);
                let is_under = compare_to_quota(self.book, leaf, &status.quota).is_lt();
                if is_under && self.book.outstanding(self.state, sub) > 0 {
                    self.take_room(leaf, sub, &mut status)
                } else {
                    Err(Refused::NotUnderQuota)
                }
            };
            if taken.is_err() {
                (*self.state, *self.book) = saved;
                (self.was_reclaimer, self.was_victim, self.units_of) = roles;
                self.pass.reclaims.truncate(n_reclaims);
                return taken;
            }
        }
        Ok(())
    }

    /// Finds a host with enough resources free or being freed.
    fn promised_host(&self, leaf: ConsumerId, sub: SubId) -> Option<HostId> {
        let unit = self.state.subs[sub].unit;
        let has_room = |h: &&PoolHost| fits(&self.state.unclaimed[h.host], &unit) && self.state.may_run(sub, h.host);
        let host = self.hosts_for(leaf).find(has_room).map(|h| h.host)?;
        (self.book.outstanding(self.state, sub) > 0).then_some(host)
    }

    /// Earmarks resources that are free or being freed.
    fn promise(&mut self, sub: SubId, host: HostId) {
        let is_leaving = |&id: &UnitId| matches!(self.state.units[id].state, UnitState::Reclaiming(_));
        let leaving: Vec<UnitId> = self.state.on_host[host].iter().copied().filter(is_leaving).collect();
        self.state.earmark(sub, host, self.book.source(), &leaving);
        self.book.project(self.state, sub, true);
        self.changed.push(self.state.subs[sub].leaf);
    }

    /// Makes room for one unit.
    fn take_room(&mut self, leaf: ConsumerId, sub: SubId, status: &mut QuotaStatus) -> Result<(), Refused> {
        let (round, room) = self.find_room(leaf, sub, status)?;
        self.execute(leaf, sub, &round, room);
        Ok(())
    }

    fn find_room<'q>(
        &mut self,
        leaf: ConsumerId,
        sub: SubId,
        status: &'q mut QuotaStatus,
    ) -> Result<(Round<'q>, ReclaimOption), Refused> {
        if self.is_being_freed(sub) {
            return Err(Refused::OnItsWay);
        }
        let victims = status.victims(self.state, self.book, leaf, |leaf| !self.was_reclaimer[leaf]);
        if victims.is_empty() {
            return Err(Refused::NoVictimOverQuota);
        }
        let mut ranks = InPool::new(self.book.consumers(), |_| u32::MAX);
        for (rank, &victim) in victims.iter().enumerate() {
            ranks[victim] = rank as u32;
        }
        let round = Round { quota: &status.quota, victims, ranks };
        match self.best_room(leaf, sub, &round) {
            Some(room) => Ok((round, room)),
            None => Err(Refused::WouldInvert),
        }
    }

    /// Records the reason of the remaining leaves with demand.
    fn refuse_satisfied(&mut self, demands: &Demands) {
        for leaf in self.book.consumers().filter(|&c| self.state.plan.is_leaf(c)) {
            if demands.waits[leaf] && !self.is_done[leaf] {
                let why = if self.was_victim[leaf] { Refused::WasVictim } else { Refused::NotUnderQuota };
                self.pass.refused.push((leaf, why));
            }
        }
    }

    pub(super) fn is_over(&self, consumer: ConsumerId, quota: &InPool<Fraction>) -> bool {
        compare_to_quota(self.book, consumer, quota).is_gt()
    }

    fn hosts_for(&self, leaf: ConsumerId) -> impl Iterator<Item = &PoolHost> {
        self.book.pool.hosts.iter().filter(move |&&h| self.book.admits(self.state, leaf, h))
    }

    /// Whether a unit fits on some host once every grace period is over (OC-27).
    fn is_being_freed(&self, sub: SubId) -> bool {
        let state = &self.state;
        let unit = &state.subs[sub].unit;
        self.hosts_for(state.subs[sub].leaf).any(|h| fits(&state.unclaimed[h.host], unit) && state.may_run(sub, h.host))
    }

    /// Finds the best set of victims for one unit. Hosts with units of the best victims are evaluated first; the search
    /// ends when no better set can follow.
    fn best_room(&mut self, leaf: ConsumerId, sub: SubId, round: &Round<'_>) -> Option<ReclaimOption> {
        let mut best: Option<ReclaimOption> = None;
        self.n_rounds += 1;
        self.book.project(self.state, sub, true);
        for (rank, &victim) in round.victims.iter().enumerate() {
            if best.as_ref().is_some_and(|best| best.worst_rank < rank as u32) {
                break;
            }
            for i in (0..self.units_of[victim].len()).rev() {
                let host = self.state.units[self.units_of[victim][i]].host;
                if std::mem::replace(&mut self.seen[host], self.n_rounds) == self.n_rounds {
                    continue;
                }
                let place = self.book.pool.hosts[self.places[host]];
                let is_open = self.book.admits(self.state, leaf, place)
                    && self.state.may_run(sub, host)
                    && !fits(&self.state.free[host], &self.state.subs[sub].unit);
                if is_open
                    && let Some(room) = self.room_on(leaf, sub, host, round, &best)
                    && best.as_ref().is_none_or(|best| self.compare_rooms(&room, best).is_lt())
                {
                    best = Some(room);
                }
            }
        }
        self.book.project(self.state, sub, false);
        best
    }

    /// Reclaimable units on a host, by rank of their leaf, the newest first.
    fn candidates(&self, host: HostId, round: &Round<'_>) -> Vec<(u32, UnitId)> {
        let (state, source) = (&self.state, self.book.source());
        let mut candidates: Vec<(u32, UnitId)> = Vec::with_capacity(state.on_host[host].len());
        for &id in state.on_host[host].iter().rev() {
            let unit = &state.units[id];
            if unit.source != source || !state.is_reclaimable(id) {
                continue;
            }
            let rank = round.ranks[state.subs[unit.sub].leaf];
            if rank != u32::MAX {
                let position = candidates.iter().rposition(|&(other, _)| other <= rank).map_or(0, |i| i + 1);
                candidates.insert(position, (rank, id));
            }
        }
        candidates
    }

    /// Whether no subset of these units can beat the best set found so far.
    fn cannot_win(&self, candidates: &[(u32, UnitId)], best: &Option<ReclaimOption>) -> bool {
        let (Some(best), Some(&(rank, _))) = (best, candidates.first()) else { return candidates.is_empty() };
        if rank != best.worst_rank {
            return rank > best.worst_rank;
        }
        let shares = candidates.iter().map(|&(_, id)| self.step(self.state.units[id].sub));
        let newest = candidates.iter().map(|&(_, id)| id).max();
        match shares.min().map_or(Ordering::Less, |least| least.cmp(&best.lost)) {
            Ordering::Less => false,
            // One unit already loses as much: several lose more, and another single unit must be newer.
            Ordering::Equal => best.victims.len() == 1 && newest <= best.victims.first().copied(),
            Ordering::Greater => true,
        }
    }

    /// Share of one unit.
    fn step(&self, sub: SubId) -> &Nat {
        &self.book.step[self.state.subs[sub].shape]
    }

    /// Selects victims on one host for a unit that is already included in the projection; `None` if they are not
    /// enough.
    fn room_on(
        &mut self,
        leaf: ConsumerId,
        sub: SubId,
        host: HostId,
        round: &Round<'_>,
        best: &Option<ReclaimOption>,
    ) -> Option<ReclaimOption> {
        let candidates = self.candidates(host, round);
        if self.cannot_win(&candidates, best) {
            return None;
        }
        let unit = self.state.subs[sub].unit;
        let mut free = self.state.free[host];
        let mut room =
            ReclaimOption { host, victims: Vec::new(), worst_rank: 0, lost: Nat::ZERO, after: Default::default() };
        for (rank, id) in candidates {
            let victim = self.state.units[id].sub;
            let size = self.state.subs[victim].unit;
            let mut dims = unit.iter().zip(&free).zip(&size);
            let helps = dims.any(|((&missing, &free), &size)| missing > 0 && missing > free && size > 0);
            if !helps || !self.try_release(leaf, victim, round) {
                continue;
            }
            add(&mut free, &size, 1);
            room.victims.push(id);
            room.worst_rank = rank.max(room.worst_rank);
            room.lost = room.lost.plus(self.step(victim));
            if fits(&free, &unit) {
                break;
            }
        }
        let first = room.victims.first().map(|&id| self.state.subs[self.state.units[id].sub].leaf);
        if let Some((a, b)) = first.and_then(|first| self.state.plan.split(leaf, first)) {
            room.after = (self.book.projected(a).clone(), self.book.projected(b).clone());
        }
        for &id in &room.victims {
            let victim = self.state.units[id].sub;
            self.book.project(self.state, victim, true);
        }
        fits(&free, &unit).then_some(room)
    }

    /// Compares by worst victim rank, usage lost, number of units, newest start, first host (OC-17).
    fn compare_rooms(&self, a: &ReclaimOption, b: &ReclaimOption) -> Ordering {
        let newest = |room: &ReclaimOption| room.victims.iter().copied().max();
        let by_loss = a.worst_rank.cmp(&b.worst_rank).then_with(|| a.lost.cmp(&b.lost));
        let by_units = by_loss.then_with(|| a.victims.len().cmp(&b.victims.len()));
        let by_start = by_units.then_with(|| newest(b).cmp(&newest(a)));
        by_start.then_with(|| self.places[a.host].cmp(&self.places[b.host]))
    }

    /// Removes a unit from the projection if its leaf may lose it; returns whether it did.
    fn try_release(&mut self, leaf: ConsumerId, victim: SubId, round: &Round<'_>) -> bool {
        let v = self.state.subs[victim].leaf;
        if !self.is_over(v, round.quota) {
            return false;
        }
        let Some((a, b)) = self.state.plan.split(leaf, v) else { return false };
        self.book.project(self.state, victim, false);
        let (side_a, side_b) = (&self.state.plan.consumers[a], &self.state.plan.consumers[b]);
        let inverts = side_a.priority == side_b.priority
            && compare_per_ratio(self.book.projected(b), side_b.ratio, self.book.projected(a), side_a.ratio).is_lt();
        if inverts {
            self.book.project(self.state, victim, true);
        }
        !inverts
    }

    /// Reclaims the victims and earmarks the unit, or starts it at once if nothing is left to wait for.
    fn execute(&mut self, leaf: ConsumerId, sub: SubId, round: &Round<'_>, room: ReclaimOption) {
        let first = self.state.subs[self.state.units[room.victims[0]].sub].leaf;
        let sides = self.state.plan.split(leaf, first).unwrap_or((leaf, first));
        let number = |c: ConsumerId| (self.book.projected(c).clone(), round.quota[c].clone());
        let (usage, quota) = number(first);
        let whole = self.book.whole.clone();
        let (reclaimer, after) = (number(leaf), room.after.clone());
        let why = Why { reclaimer, victim: (first, usage, quota), sides, after, whole };
        let is_recorded = self.level >= Level::Decisive;
        let spared = if is_recorded { self.spared(leaf, sub, round, &room) } else { Vec::new() };
        let mut deadline = self.state.now;
        for &id in &room.victims {
            let victim = self.state.subs[self.state.units[id].sub].leaf;
            self.was_victim[victim] = true;
            self.changed.push(victim);
            self.units_of[victim].retain(|&other| other != id);
            deadline = deadline.max(self.take(id));
        }
        self.was_reclaimer[leaf] = true;
        self.changed.push(leaf);
        self.state.earmark(sub, room.host, self.book.source(), &room.victims);
        self.book.project(self.state, sub, true);
        let last = self.state.earmarks.len() - 1;
        if self.state.earmarks[last].victims.is_empty() {
            self.state.redeem_at(last);
            self.book.drawn[sub].units += 1;
        }
        let reclaim = Reclaim::new(Some((leaf, Some(sub))), room.host, room.victims, deadline);
        self.pass.reclaims.push(Reclaim { why: Some(why), spared, ..reclaim });
    }
}
