//! The state of one plan: which units run where, from which source, who waits, and what is held for whom.
//!
//! # Rule
//! A unit runs or is in its grace; one in its grace covers nothing, since its task asks for a replacement at once
//! (OC-4). An earmark promises one unit on one host (OC-19); until its victims are gone, the part of the
//! host that the unit needs beside their space is held for it.
//!
//! # Source
//! ego.md 2, 8.2 to 8.4
//!
//! # Differs
//! OC-4, OC-19, OC-20

use super::ids::{ConsumerId, HostId, SizeId, SubId, UnitId};
use super::plan::{Dims, Plan, add, fits};
use crate::id::{Arena, Id};
use crate::time::Time;

/// Where a unit was drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Its leaf's own hosts.
    Owned,
    /// The pool of this consumer; the root's is the public one.
    Pool(ConsumerId),
}

/// A group of identical units of one leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sub {
    /// The leaf.
    pub leaf: ConsumerId,
    /// The first sub-allocation of its allocation; those of one allocation are adjacent.
    pub allocation: SubId,
    /// What one unit needs.
    pub unit: Dims,
    /// Units wanted in total, running ones included.
    pub want: u32,
    /// Units of the first all-or-nothing placement (OC-14).
    pub min_units: u32,
    /// Units in state run.
    pub running: u32,
    /// Units promised.
    pub earmarked: u32,
    /// Units that run elsewhere, outside of this state.
    pub outside: u32,
    /// Which hosts may take its units, by position in [`PoolState::masks`]; `None`: all.
    pub mask: Option<usize>,
    /// Whether its units are never taken back.
    pub is_pinned: bool,
    /// Whether the pod of a unit that is evicted waits again once it is gone.
    pub is_replaced: bool,
    /// Such pods that are not gone yet: their units are wanted, and cannot start before.
    pub leaving: u32,
    /// Which size, among the sizes of this state; set by [`PoolState::add_sub`].
    pub shape: SizeId,
}

impl Sub {
    /// Units in state run and promised ones, wherever they are.
    pub fn covered(&self) -> u32 {
        self.running + self.earmarked + self.outside
    }
    /// Units still to be found.
    pub fn outstanding(&self) -> u32 {
        self.want.saturating_sub(self.covered())
    }
    /// Those of them that could start now.
    pub fn startable(&self) -> u32 {
        self.outstanding().saturating_sub(self.leaving)
    }
    /// Pods that wait, room being promised to them or not.
    fn waiting(&self) -> u32 {
        self.want.saturating_sub(self.running + self.outside + self.leaving)
    }
}

/// A unit that exists, or existed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What it is a unit of.
    pub sub: SubId,
    /// Where it runs.
    pub host: HostId,
    /// Where it was drawn from.
    pub source: Source,
    /// Its state.
    pub state: State,
}

/// The life of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Runs.
    Run,
    /// In its grace period until then.
    Reclaiming(Time),
    /// Gone.
    Gone,
}

/// A promise of one unit on one host.
#[derive(Clone, Debug, PartialEq)]
pub struct Earmark {
    /// Of which sub-allocation.
    pub sub: SubId,
    /// Where.
    pub host: HostId,
    /// From which source.
    pub source: Source,
    /// Units that must go first.
    pub victims: Vec<UnitId>,
    /// What is held of the host now.
    held: Dims,
}

/// What changed, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The unit started.
    Started(UnitId),
    /// The unit was evicted.
    Reclaimed(UnitId),
    /// The unit is gone.
    Stopped(UnitId),
}

/// The state of one plan at one moment.
#[derive(Clone, Debug)]
pub struct PoolState<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Sub-allocations, those of a leaf in order.
    pub subs: Arena<SubId, Sub>,
    /// For each leaf its sub-allocations in order.
    pub subs_of: Arena<ConsumerId, Vec<SubId>>,
    /// Units in the order of their starts; those that are gone stay.
    pub units: Arena<UnitId, Unit>,
    /// For each host the units on it in the order of their starts.
    pub on_host: Arena<HostId, Vec<UnitId>>,
    /// In the order of their creation.
    pub earmarks: Vec<Earmark>,
    /// For each host what is neither used nor held.
    pub free: Arena<HostId, Dims>,
    /// For each host what neither running units nor earmarks claim: what will be free once every grace is over.
    pub unclaimed: Arena<HostId, Dims>,
    /// The different unit sizes, each with the hosts that may take them.
    pub shapes: Arena<SizeId, (Dims, Option<usize>)>,
    /// Sets of hosts that some units are confined to.
    pub masks: Vec<Arena<HostId, bool>>,
    /// Whether a unit without any grace is gone at the next cycle only, because somebody else ends it.
    pub ends_later: bool,
    /// For each host the consumer whose pool has it, if its owner lends it.
    pub lent: Arena<HostId, Option<ConsumerId>>,
    /// Now.
    pub now: Time,
    /// What changed since the state was opened.
    pub changes: Vec<Change>,
}

impl<'a> PoolState<'a> {
    /// Empty state.
    pub fn new(plan: &'a Plan, now: Time) -> PoolState<'a> {
        PoolState {
            plan,
            subs: Arena::new(),
            subs_of: plan.consumers.ids().map(|_| Vec::new()).collect(),
            units: Arena::new(),
            on_host: plan.hosts.ids().map(|_| Vec::new()).collect(),
            earmarks: Vec::new(),
            free: plan.hosts.clone(),
            unclaimed: plan.hosts.clone(),
            shapes: Arena::new(),
            masks: Vec::new(),
            ends_later: false,
            lent: plan.hosts.ids().map(|_| None).collect(),
            now,
            changes: Vec::new(),
        }
    }

    /// Adds a sub-allocation.
    pub fn add_sub(&mut self, mut sub: Sub) -> SubId {
        let wanted = (sub.unit, sub.mask);
        let known = self.shapes.iter().find(|(_, shape)| **shape == wanted);
        sub.shape = known.map(|(shape, _)| shape).unwrap_or_else(|| self.shapes.push(wanted));
        let leaf = sub.leaf;
        let id = self.subs.push(sub);
        self.subs_of[leaf].push(id);
        id
    }

    /// A unit appears on a host, running or in its grace.
    pub fn enter(&mut self, sub: SubId, host: HostId, source: Source, state: State) -> UnitId {
        let size = self.subs[sub].unit;
        add(&mut self.free[host], &size, -1);
        if state == State::Run {
            add(&mut self.unclaimed[host], &size, -1);
            self.subs[sub].running += 1;
        }
        let id = self.units.push(Unit { sub, host, source, state });
        self.on_host[host].push(id);
        id
    }

    /// A unit starts.
    pub fn start(&mut self, sub: SubId, host: HostId, source: Source) -> UnitId {
        let id = self.enter(sub, host, source, State::Run);
        self.changes.push(Change::Started(id));
        id
    }

    /// A running unit is evicted; without any grace it goes at once.
    pub fn reclaim(&mut self, id: UnitId, deadline: Time) {
        let Unit { sub, host, .. } = self.units[id];
        let size = self.subs[sub].unit;
        add(&mut self.unclaimed[host], &size, 1);
        self.subs[sub].running -= 1;
        self.units[id].state = State::Reclaiming(deadline);
        self.changes.push(Change::Reclaimed(id));
        if self.ends_later && self.subs[sub].is_replaced {
            // Its pod waits again only once it is gone, at a later cycle.
            self.subs[sub].leaving += 1;
        } else if self.ends_later {
            self.subs[sub].want = self.subs[sub].want.saturating_sub(1);
        } else if deadline <= self.now {
            self.stop(id);
        }
    }

    /// A unit is gone, by itself or at its deadline; what is held of its host grows by what an earmark still needs.
    pub fn stop(&mut self, id: UnitId) {
        let Unit { sub, host, state, .. } = self.units[id];
        let size = self.subs[sub].unit;
        if state == State::Gone {
            return;
        }
        add(&mut self.free[host], &size, 1);
        if state == State::Run {
            add(&mut self.unclaimed[host], &size, 1);
            self.subs[sub].running -= 1;
        }
        self.units[id].state = State::Gone;
        self.on_host[host].retain(|&other| other != id);
        self.changes.push(Change::Stopped(id));
        for at in 0..self.earmarks.len() {
            if self.earmarks[at].victims.contains(&id) {
                self.earmarks[at].victims.retain(|&victim| victim != id);
                self.hold(at);
            }
        }
    }

    /// Promises a unit on a host once the victims, already evicted, are gone.
    pub fn earmark(&mut self, sub: SubId, host: HostId, source: Source, victims: &[UnitId]) {
        let victims = victims.iter().copied().filter(|&id| self.units[id].state != State::Gone).collect();
        let unit = self.subs[sub].unit;
        add(&mut self.unclaimed[host], &unit, -1);
        self.subs[sub].earmarked += 1;
        self.earmarks.push(Earmark { sub, host, source, victims, held: Dims::default() });
        self.hold(self.earmarks.len() - 1);
    }

    /// Holds what the unit needs beside the space of its victims.
    fn hold(&mut self, at: usize) {
        let earmark = &mut self.earmarks[at];
        let mut needed = self.subs[earmark.sub].unit;
        for &victim in &earmark.victims {
            add(&mut needed, &self.subs[self.units[victim].sub].unit, -1);
        }
        let held = needed.map(|n| n.max(0));
        add(&mut self.free[earmark.host], &earmark.held, 1);
        add(&mut self.free[earmark.host], &held, -1);
        earmark.held = held;
    }

    /// Takes a promise back, or redeems it.
    pub fn drop_earmark(&mut self, at: usize) -> Earmark {
        let earmark = self.earmarks.remove(at);
        add(&mut self.free[earmark.host], &earmark.held, 1);
        let unit = self.subs[earmark.sub].unit;
        add(&mut self.unclaimed[earmark.host], &unit, 1);
        self.subs[earmark.sub].earmarked -= 1;
        earmark
    }

    /// Stops the units whose deadline has come, by deadline, then by start; answers with them.
    pub fn expire(&mut self) -> Vec<UnitId> {
        let due = |unit: &Unit| matches!(unit.state, State::Reclaiming(deadline) if deadline <= self.now);
        let mut due: Vec<UnitId> = self.units.ids().filter(|&id| due(&self.units[id])).collect();
        due.sort_by_key(|&id| match self.units[id].state {
            State::Reclaiming(deadline) => deadline,
            _ => self.now,
        });
        for &id in &due {
            self.stop(id);
        }
        due
    }

    /// Redeems the earmarks whose victims are gone, in the order of their creation. Those of first units wait for
    /// each other, and lapse if the others are not coming.
    pub fn redeem(&mut self) {
        let mut at = 0;
        while at < self.earmarks.len() {
            let sub = self.earmarks[at].sub;
            let is_leaving = self.subs[sub].leaving > 0 && self.subs[sub].waiting() == 0;
            if !self.earmarks[at].victims.is_empty() || is_leaving {
                at += 1;
            } else if self.is_complete(sub) {
                self.redeem_at(at);
            } else if self.earmarks.iter().any(|e| self.is_same(e.sub, sub) && !e.victims.is_empty()) {
                at += 1;
            } else {
                self.drop_earmark(at);
            }
        }
    }

    fn is_same(&self, a: SubId, b: SubId) -> bool {
        self.subs[a].allocation == self.subs[b].allocation
    }

    /// The sub-allocations of an allocation.
    fn siblings(&self, sub: SubId) -> impl Iterator<Item = SubId> + '_ {
        let first = self.subs[sub].allocation;
        let from_first = (first.index()..self.subs.len()).map(SubId::from_index);
        from_first.take_while(move |&other| self.subs[other].allocation == first)
    }

    /// Whether the first units of an allocation run or may start now.
    fn is_complete(&self, sub: SubId) -> bool {
        self.siblings(sub).all(|sub| {
            let ready = self.earmarks.iter().filter(|e| e.sub == sub && e.victims.is_empty()).count();
            let s = &self.subs[sub];
            s.running + s.outside + ready as u32 >= s.min_units.min(s.want)
        })
    }

    /// The units that must be placed together now, by sub-allocation: what an allocation still lacks of its first units (OC-14).
    /// Empty if any single unit may start.
    pub fn first_units(&self, sub: SubId) -> Vec<SubId> {
        if self.subs[sub].min_units <= 1 && self.subs[sub].allocation == sub {
            let next = self.subs.get(SubId(sub.0 + 1)).map(|s| s.allocation);
            if next != Some(sub) {
                return Vec::new();
            }
        }
        let mut units = Vec::new();
        for sub in self.siblings(sub) {
            let s = &self.subs[sub];
            let lacking = s.min_units.saturating_sub(s.covered()).min(s.outstanding());
            units.extend(std::iter::repeat_n(sub, lacking as usize));
        }
        if units.len() > 1 { units } else { Vec::new() }
    }

    /// Undoes the latest start.
    pub fn undo_start(&mut self) {
        let Some(Unit { sub, host, .. }) = self.units.pop() else { return };
        let size = self.subs[sub].unit;
        add(&mut self.free[host], &size, 1);
        add(&mut self.unclaimed[host], &size, 1);
        self.subs[sub].running -= 1;
        self.on_host[host].pop();
        self.changes.pop();
    }

    /// Redeems one earmark: the unit starts if it is still wanted, wherever the others run.
    pub fn redeem_at(&mut self, at: usize) {
        let earmark = self.drop_earmark(at);
        let sub = &self.subs[earmark.sub];
        let is_wanted = sub.want > sub.running + sub.outside;
        if is_wanted && self.fits_now(earmark.sub, earmark.host) {
            self.start(earmark.sub, earmark.host, earmark.source);
        }
    }

    /// Whether a host may take a unit at all.
    pub fn may_run(&self, sub: SubId, host: HostId) -> bool {
        self.subs[sub].mask.is_none_or(|mask| self.masks[mask][host])
    }
    /// Whether a unit may start on a host now.
    pub fn fits_now(&self, sub: SubId, host: HostId) -> bool {
        fits(&self.free[host], &self.subs[sub].unit) && self.may_run(sub, host)
    }
    /// Whether a unit may be taken back.
    pub fn may_go(&self, id: UnitId) -> bool {
        self.units[id].state == State::Run && !self.subs[self.units[id].sub].is_pinned
    }

    /// Whether a host carries work of another leaf than this one, or is promised to one.
    pub fn has_others(&self, host: HostId, leaf: ConsumerId) -> bool {
        let units = self.on_host[host].iter().map(|&id| self.units[id].sub);
        let earmarks = self.earmarks.iter().filter(|e| e.host == host).map(|e| e.sub);
        units.chain(earmarks).any(|sub| self.subs[sub].leaf != leaf)
    }
}
