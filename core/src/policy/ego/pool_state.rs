//! Mutable state of a plan: units, their hosts and sources, outstanding units and earmarks.
//!
//! # Rule
//! A unit is running or in its grace period; in its grace period it no longer covers demand, since its task requests a
//! replacement at once (OC-4). An earmark guarantees one unit on one host (OC-19); until its victims are gone, the
//! resources that the unit needs in addition to theirs are held on the host.
//!
//! # Source
//! ego.md 2, 8.2 to 8.4
//!
//! # Differs
//! OC-4, OC-19, OC-20

use std::collections::BTreeMap;

use super::ids::{ConsumerId, HostId, SizeId, SubId, UnitId};
use super::near_hosts::{Chosen, NearHosts};
use super::plan::{Dims, Plan, add, fits};
use crate::id::{Arena, Id};
use crate::policy::Monitor;
use crate::time::Time;

/// Source of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The own hosts of its leaf.
    Owned,
    /// The pool of this consumer; the root owns the public one.
    Pool(ConsumerId),
}

/// A sub-allocation: identical units of one leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sub {
    pub leaf: ConsumerId,
    /// First sub-allocation of its allocation; the sub-allocations of an allocation are adjacent.
    pub allocation: SubId,
    /// Request of one unit.
    pub unit: Dims,
    /// Total number of wanted units, running ones included.
    pub want: u32,
    /// Minimum number of units placed together at first (OC-14).
    pub min_units: u32,
    /// Number of running units.
    pub running: u32,
    /// Number of earmarked units.
    pub earmarked: u32,
    /// Number of units that run outside this plan.
    pub outside: u32,
    /// Hosts that may take its units, as an index into [`PoolState::masks`]; `None` for all.
    pub mask: Option<usize>,
    /// Whether its units are never reclaimed.
    pub is_pinned: bool,
    /// Whether an evicted unit is pending again once it is gone.
    pub is_replaced: bool,
    /// Number of such units that are not gone yet: they are wanted but cannot start.
    pub leaving: u32,
    /// Unit size; set by [`PoolState::add_sub`].
    pub shape: SizeId,
}

impl Sub {
    /// Running and earmarked units, wherever they are.
    pub fn covered(&self) -> u32 {
        self.running + self.earmarked + self.outside
    }
    /// Units without a running or earmarked replacement.
    pub fn outstanding(&self) -> u32 {
        self.want.saturating_sub(self.covered())
    }
    /// Outstanding units that could start now.
    pub fn startable(&self) -> u32 {
        self.outstanding().saturating_sub(self.leaving)
    }
    /// Pending units, earmarked ones included.
    fn waiting(&self) -> u32 {
        self.want.saturating_sub(self.running + self.outside + self.leaving)
    }
}

/// A unit, running or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its sub-allocation.
    pub sub: SubId,
    pub host: HostId,
    pub source: Source,
    pub state: UnitState,
}

/// State of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitState {
    /// Running.
    Run,
    /// In its grace period until the given time.
    Reclaiming(Time),
    Gone,
}

/// A guarantee of one unit on one host.
#[derive(Clone, Debug, PartialEq)]
pub struct Earmark {
    /// Sub-allocation of the unit.
    pub sub: SubId,
    pub host: HostId,
    /// Source of the unit.
    pub source: Source,
    /// Units that must stop first.
    pub victims: Vec<UnitId>,
    /// Resources held on the host.
    held: Dims,
}

/// A change of a unit.
#[derive(Clone, Debug, PartialEq)]
pub enum UnitChange {
    /// The unit started.
    Started(UnitId),
    /// The unit was reclaimed.
    Reclaimed(UnitId),
    /// The unit is gone.
    Stopped(UnitId),
    /// Room for a unit was earmarked on a host.
    Earmarked(SubId, HostId),
}

/// State of a plan.
#[derive(Clone, Debug)]
pub struct PoolState<'a> {
    pub plan: &'a Plan,
    /// Sub-allocations; those of a leaf are in serving order.
    pub subs: Arena<SubId, Sub>,
    /// Sub-allocations per leaf, in serving order.
    pub subs_of: Arena<ConsumerId, Vec<SubId>>,
    /// Units in the order of their starts, including those that are gone.
    pub units: Arena<UnitId, Unit>,
    /// Units per host, in the order of their starts.
    pub on_host: Arena<HostId, Vec<UnitId>>,
    /// Earmarks in the order of their creation.
    pub earmarks: Vec<Earmark>,
    /// Resources per host that are neither used nor held.
    pub free: Arena<HostId, Dims>,
    /// Resources per host not claimed by running units or earmarks: free once every grace period is over.
    pub unclaimed: Arena<HostId, Dims>,
    /// Distinct unit sizes with their host masks.
    pub shapes: Arena<SizeId, (Dims, Option<usize>)>,
    /// Host masks.
    pub masks: Vec<Arena<HostId, bool>>,
    /// Whether a unit without a grace period stops at the next cycle only, because the simulator stops it.
    pub ends_later: bool,
    /// Pool to which each host is lent, if any.
    pub lent: Arena<HostId, Option<ConsumerId>>,
    /// Present time.
    pub now: Time,
    /// Changes since the state was built.
    pub changes: Vec<UnitChange>,
    /// Whether the hosts near the chosen ones are recorded.
    pub records: bool,
    /// Hosts near the one of each unit that was started in this cycle.
    pub near: BTreeMap<UnitId, NearHosts>,
    pub monitor: Monitor,
}

impl<'a> PoolState<'a> {
    /// Creates an empty state.
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
            records: false,
            near: BTreeMap::new(),
            monitor: Monitor::default(),
        }
    }

    /// Adds a sub-allocation.
    pub fn add_sub(&mut self, mut sub: Sub) -> SubId {
        let size = (sub.unit, sub.mask);
        let existing = self.shapes.iter().find(|(_, shape)| **shape == size);
        sub.shape = existing.map(|(shape, _)| shape).unwrap_or_else(|| self.shapes.push(size));
        let leaf = sub.leaf;
        let id = self.subs.push(sub);
        self.subs_of[leaf].push(id);
        id
    }

    /// Adds an existing unit, running or in its grace period.
    pub fn enter(&mut self, sub: SubId, host: HostId, source: Source, state: UnitState) -> UnitId {
        let size = self.subs[sub].unit;
        add(&mut self.free[host], &size, -1);
        if state == UnitState::Run {
            add(&mut self.unclaimed[host], &size, -1);
            self.subs[sub].running += 1;
        }
        let id = self.units.push(Unit { sub, host, source, state });
        self.on_host[host].push(id);
        id
    }

    /// Starts a unit.
    pub fn start(&mut self, sub: SubId, host: HostId, source: Source) -> UnitId {
        let id = self.enter(sub, host, source, UnitState::Run);
        self.changes.push(UnitChange::Started(id));
        id
    }

    /// Reclaims a running unit; without a grace period it stops at once.
    pub fn reclaim(&mut self, id: UnitId, deadline: Time) {
        let Unit { sub, host, .. } = self.units[id];
        let size = self.subs[sub].unit;
        add(&mut self.unclaimed[host], &size, 1);
        self.subs[sub].running -= 1;
        self.units[id].state = UnitState::Reclaiming(deadline);
        self.changes.push(UnitChange::Reclaimed(id));
        if self.ends_later && self.subs[sub].is_replaced {
            // Its pod is pending again only once it is gone, in a later cycle.
            self.subs[sub].leaving += 1;
        } else if self.ends_later {
            self.subs[sub].want = self.subs[sub].want.saturating_sub(1);
        } else if deadline <= self.now {
            self.stop(id);
        }
    }

    /// Removes a unit that completed or reached its deadline; earmarks on its host hold more if they still need it.
    pub fn stop(&mut self, id: UnitId) {
        let Unit { sub, host, state, .. } = self.units[id];
        let size = self.subs[sub].unit;
        if state == UnitState::Gone {
            return;
        }
        add(&mut self.free[host], &size, 1);
        if state == UnitState::Run {
            add(&mut self.unclaimed[host], &size, 1);
            self.subs[sub].running -= 1;
        }
        self.units[id].state = UnitState::Gone;
        self.on_host[host].retain(|&other| other != id);
        self.changes.push(UnitChange::Stopped(id));
        for i in 0..self.earmarks.len() {
            if self.earmarks[i].victims.contains(&id) {
                self.earmarks[i].victims.retain(|&victim| victim != id);
                self.hold(i);
            }
        }
    }

    /// Earmarks a unit on a host behind victims, which are reclaimed already.
    pub fn earmark(&mut self, sub: SubId, host: HostId, source: Source, victims: &[UnitId]) {
        let victims = victims.iter().copied().filter(|&id| self.units[id].state != UnitState::Gone).collect();
        let unit = self.subs[sub].unit;
        add(&mut self.unclaimed[host], &unit, -1);
        self.subs[sub].earmarked += 1;
        self.earmarks.push(Earmark { sub, host, source, victims, held: Dims::default() });
        self.hold(self.earmarks.len() - 1);
        self.changes.push(UnitChange::Earmarked(sub, host));
    }

    /// Holds the resources that the unit needs in addition to those of its victims.
    fn hold(&mut self, index: usize) {
        let earmark = &mut self.earmarks[index];
        let mut remaining = self.subs[earmark.sub].unit;
        for &victim in &earmark.victims {
            add(&mut remaining, &self.subs[self.units[victim].sub].unit, -1);
        }
        let reserved = remaining.map(|n| n.max(0));
        add(&mut self.free[earmark.host], &earmark.held, 1);
        add(&mut self.free[earmark.host], &reserved, -1);
        earmark.held = reserved;
    }

    /// Removes an earmark, redeemed or not.
    pub fn drop_earmark(&mut self, index: usize) -> Earmark {
        let earmark = self.earmarks.remove(index);
        add(&mut self.free[earmark.host], &earmark.held, 1);
        let unit = self.subs[earmark.sub].unit;
        add(&mut self.unclaimed[earmark.host], &unit, 1);
        self.subs[earmark.sub].earmarked -= 1;
        earmark
    }

    /// Stops and returns the units whose deadline has passed, by deadline, then by start.
    pub fn expire(&mut self) -> Vec<UnitId> {
        let due = |unit: &Unit| matches!(unit.state, UnitState::Reclaiming(deadline) if deadline <= self.now);
        let mut due: Vec<UnitId> = self.units.ids().filter(|&id| due(&self.units[id])).collect();
        due.sort_by_key(|&id| match self.units[id].state {
            UnitState::Reclaiming(deadline) => deadline,
            _ => self.now,
        });
        for &id in &due {
            self.stop(id);
        }
        due
    }

    /// Redeems the earmarks whose victims are gone, in the order of their creation. Earmarks of first units wait for
    /// each other, and lapse if the others cannot start.
    pub fn redeem(&mut self) {
        let mut i = 0;
        while i < self.earmarks.len() {
            let sub = self.earmarks[i].sub;
            let is_leaving = self.subs[sub].leaving > 0 && self.subs[sub].waiting() == 0;
            if !self.earmarks[i].victims.is_empty() || is_leaving {
                i += 1;
            } else if self.is_complete(sub) {
                self.redeem_at(i);
            } else if self.earmarks.iter().any(|e| self.is_same(e.sub, sub) && !e.victims.is_empty()) {
                i += 1;
            } else {
                self.drop_earmark(i);
            }
        }
    }

    fn is_same(&self, a: SubId, b: SubId) -> bool {
        self.subs[a].allocation == self.subs[b].allocation
    }

    /// Sub-allocations of the same allocation.
    fn siblings(&self, sub: SubId) -> impl Iterator<Item = SubId> + '_ {
        let first = self.subs[sub].allocation;
        let from_first = (first.index()..self.subs.len()).map(SubId::from_index);
        from_first.take_while(move |&other| self.subs[other].allocation == first)
    }

    /// Whether all first units of an allocation run or may start now.
    fn is_complete(&self, sub: SubId) -> bool {
        self.siblings(sub).all(|sub| {
            let ready = self.earmarks.iter().filter(|e| e.sub == sub && e.victims.is_empty()).count();
            let s = &self.subs[sub];
            s.running + s.outside + ready as u32 >= s.min_units.min(s.want)
        })
    }

    /// Units that must be placed together now, by sub-allocation: the missing first units of an allocation (OC-14).
    /// Empty if units may start singly.
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

    /// Starts a unit on the host that was chosen for it.
    pub(super) fn start_on(&mut self, sub: SubId, chosen: Chosen, source: Source) -> UnitId {
        let id = self.start(sub, chosen.host, source);
        self.near.extend(chosen.near.map(|near| (id, near)));
        id
    }

    /// Reverts the latest start.
    pub fn undo_start(&mut self) {
        let Some(Unit { sub, host, .. }) = self.units.pop() else { return };
        self.near.remove(&UnitId::from_index(self.units.len()));
        let size = self.subs[sub].unit;
        add(&mut self.free[host], &size, 1);
        add(&mut self.unclaimed[host], &size, 1);
        self.subs[sub].running -= 1;
        self.on_host[host].pop();
        self.changes.pop();
    }

    /// Redeems one earmark: the unit starts if it is still wanted.
    pub fn redeem_at(&mut self, index: usize) {
        let earmark = self.drop_earmark(index);
        let sub = &self.subs[earmark.sub];
        let is_wanted = sub.want > sub.running + sub.outside;
        if is_wanted && self.fits_now(earmark.sub, earmark.host) {
            self.start(earmark.sub, earmark.host, earmark.source);
        }
    }

    /// Whether the mask of a unit allows the host.
    pub fn may_run(&self, sub: SubId, host: HostId) -> bool {
        self.subs[sub].mask.is_none_or(|mask| self.masks[mask][host])
    }
    /// Whether a unit may start on a host now.
    pub fn fits_now(&self, sub: SubId, host: HostId) -> bool {
        fits(&self.free[host], &self.subs[sub].unit) && self.may_run(sub, host)
    }
    /// Whether a unit may be reclaimed.
    pub fn is_reclaimable(&self, id: UnitId) -> bool {
        self.units[id].state == UnitState::Run && !self.subs[self.units[id].sub].is_pinned
    }

    /// Whether a host has running or earmarked units of other leaves.
    pub fn has_units_of_others(&self, host: HostId, leaf: ConsumerId) -> bool {
        let units = self.on_host[host].iter().map(|&id| self.units[id].sub);
        let earmarks = self.earmarks.iter().filter(|e| e.host == host).map(|e| e.sub);
        units.chain(earmarks).any(|sub| self.subs[sub].leaf != leaf)
    }
}
