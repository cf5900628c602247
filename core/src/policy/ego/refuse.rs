//! Reasons why jobs are still pending at the end of a cycle.
//!
//! # Rule
//! One reason per job, that of its first pending pod set in the public pool, which comes last: earmarked and waiting
//! for a grace period; no host is large enough; ratio 0 or too long a reclaim grace; at a share limit; not below its
//! quota; no permitted victim; or nothing fits.
//!
//! # Source
//! ego.md 9
//!
//! # Differs
//! nothing

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::cycle::Cycle;
use super::grace::{effective_lendout_grace, pool_grace};
use super::ids::{ConsumerId, HostId, SizeId, SubId, UnitId};
use super::memory::job_of;
use super::model::{CycleState, Model, SLOTS};
use super::plan::{Dims, Placement, add, fits};
use super::pool::{Barred, PoolBook};
use super::pool_state::UnitState;
use super::quota::Table;
use super::reclaim::{Refused, Why};
use super::rules;
use super::slot_view::SlotView;
use crate::id::{Arena, JobId, QueueId};
use crate::policy::PartitionView;
use crate::policy::checks::{amount, term};
use crate::trace::{Check, Ending, FreeGpus, Gate, NodeReason, Op, Outlook, Quantity, Refusal, Subject, Trace, Value};
use crate::units::{RESOURCES_MAX, Resource};

/// Records one refusal per pending job.
pub fn refuse(world: PartitionView<'_>, model: &Model, current: &CycleState<'_>, cycle: &Cycle, trace: &mut Trace) {
    let pool = model.layout.pool(&current.state, ConsumerId::ROOT);
    let book = PoolBook::open(&current.state, &pool);
    let table = Table::new(&current.state, &book);
    let earmarks = current.state.earmarks.iter().enumerate().map(|(i, earmark)| (earmark.sub, i)).collect();
    let public = || cycle.passes.iter().filter(|(root, _)| *root == ConsumerId::ROOT).map(|(_, pass)| pass);
    let of_public = public().flat_map(|pass| &pass.refused);
    let reclaims = public().flat_map(|pass| &pass.reclaims);
    let lost = reclaims.filter_map(|reclaim| reclaim.why.as_ref()).rev();
    let lost = lost.map(|why| (why.victim.0, not_below(model.queues[why.victim.0], why)));
    let placed = cycle.turns.iter().flat_map(|(_, turns)| turns).flat_map(|turn| &turn.units);
    let allocation = |id: &UnitId| current.state.subs[current.state.units[*id].sub].allocation;
    let because = RefusalContext {
        world,
        model,
        current,
        book: &book,
        table: &table,
        earmarks,
        placed: placed.map(allocation).collect(),
        refused: of_public.rev().copied().collect(),
        lost: lost.collect(),
        lacks: RefCell::default(),
        slots: SlotView::new(model, current),
    };
    let mut refusals: Vec<Refusal> = Vec::new();
    for sub in current.pod_sets.ids() {
        if current.waiting[sub].is_empty() {
            continue;
        }
        let job = job_of(world, current.pod_sets[sub]);
        if refusals.last().is_some_and(|last| last.job == job) {
            continue;
        }
        refusals.push(because.refusal(job, sub));
    }
    trace.refusals_by_job(refusals);
}

/// Number of hosts by reason.
type Obstacles = Vec<(NodeReason, u32)>;

struct RefusalContext<'b, 'a> {
    world: PartitionView<'b>,
    model: &'b Model,
    current: &'b CycleState<'a>,
    book: &'b PoolBook<'b>,
    table: &'b Table,
    /// Latest earmark by sub-allocation.
    earmarks: BTreeMap<SubId, usize>,
    /// Allocations with units that a pool took in this cycle.
    placed: BTreeSet<SubId>,
    /// Reason by leaf for which it reclaimed nothing in the public pool.
    refused: BTreeMap<ConsumerId, Refused>,
    /// Check by leaf that it was not below its quota when it first lost units in the public pool.
    lost: BTreeMap<ConsumerId, Check>,
    /// Number of hosts by reason, by unit size and leaf.
    lacks: RefCell<BTreeMap<(SizeId, ConsumerId), Obstacles>>,
    /// Numbers of a slot plan.
    slots: Option<SlotView>,
}

impl RefusalContext<'_, '_> {
    fn refusal(&self, job: JobId, sub: SubId) -> Refusal {
        let (gate, outlook, checks) = self.gate(sub);
        let is_of_room = matches!(gate, Gate::NotEntitled { .. } | Gate::NoVictims { .. });
        let room = is_of_room.then(|| self.no_room(sub).0);
        // On paper, there may be room for all of them.
        let lacks_room = |gate: &Gate| matches!(gate, Gate::NoNode { placed, of, .. } if placed < of);
        Refusal { job, gate, also: room.into_iter().filter(lacks_room).collect(), checks, outlook }
    }

    fn gate(&self, sub: SubId) -> (Gate, Outlook, Vec<Check>) {
        let state = &self.current.state;
        let leaf = state.subs[sub].leaf;
        if let Some(&i) = self.earmarks.get(&sub) {
            let earmark = &state.earmarks[i];
            let until = earmark.victims.iter().filter_map(|&id| match state.units[id].state {
                UnitState::Reclaiming(until) => Some(until),
                _ => None,
            });
            let until = until.max();
            let outlook = until
                .map_or(Outlook::NotForeseeable, |time| Outlook::of_end(self.world.now, time, Ending::Termination));
            return (Gate::WaitingForVictims { until }, outlook, Vec::new());
        }
        let Some(queue) = self.model.queues[leaf] else {
            return (Gate::NotALeaf, Outlook::OnlyByEdit, Vec::new());
        };
        if !self.model.plan.is_leaf(leaf) {
            return (Gate::NotALeaf, Outlook::OnlyByEdit, Vec::new());
        }
        if let Some(slots) = &self.slots {
            return self.slot_gate(slots, sub, queue);
        }
        if self.is_next_on_own_host(sub) {
            let job = job_of(self.world, self.current.pod_sets[sub]);
            return (Gate::Behind { job }, Outlook::NextCycle, Vec::new());
        }
        let barred = self.book.excluded(state, leaf).or_else(|| self.book.barred(state, sub));
        match barred {
            Some(Barred::RatioZero(zero)) => {
                let queue = self.model.queues[zero].unwrap_or(queue);
                (Gate::NotEntitled { queue }, self.without_public(leaf), vec![self.no_ratio(zero)])
            }
            Some(Barred::GraceTooLong) => {
                (Gate::NotEntitled { queue }, self.without_public(leaf), vec![self.graces(leaf)])
            }
            Some(Barred::NoCapacity) => self.no_capacity(sub),
            Some(Barred::AtShareLimit(consumer, dim)) => {
                let queue = self.model.queues[consumer].unwrap_or(queue);
                let resource = resource(dim);
                let gate = Gate::OverLimit { queue, resource };
                (gate, Outlook::NotForeseeable, vec![self.at_limit(sub, consumer, dim)])
            }
            None => self.not_reclaimed(sub),
        }
    }

    /// Whether a host of the leaf has room for the next unit. Own hosts are assigned before the pools, so a unit that
    /// may start singly only since a pool took the first ones of its allocation is tried there in the next cycle.
    fn is_next_on_own_host(&self, sub: SubId) -> bool {
        let (state, sub_allocation) = (&self.current.state, &self.current.state.subs[sub]);
        let is_own =
            |host: HostId| self.model.layout.holders[host] == sub_allocation.leaf && state.lent[host].is_none();
        let mut own_hosts = state.free.iter().filter(|(host, _)| is_own(*host));
        self.placed.contains(&sub_allocation.allocation)
            && state.first_units(sub).is_empty()
            && own_hosts.any(|(host, free)| fits(free, &sub_allocation.unit) && self.barred(sub, host).is_none())
    }

    /// Gate in a slot plan: no host is large enough; at a limit; at its quota; no consumer above its quota.
    fn slot_gate(&self, slots: &SlotView, sub: SubId, queue: QueueId) -> (Gate, Outlook, Vec<Check>) {
        let state = &self.current.state;
        let leaf = state.subs[sub].leaf;
        let takes = |host, capacity| state.may_run(sub, host) && fits(capacity, &state.subs[sub].unit);
        let fits_somewhere = state.plan.hosts.iter().any(|(host, capacity)| takes(host, capacity));
        if !fits_somewhere {
            return self.no_capacity(sub);
        }
        if let Some(consumer) = slots.at_limit(self.model, leaf) {
            let gpu = Resource::GPU;
            let gate = Gate::OverLimit { queue: self.model.queues[consumer].unwrap_or(queue), resource: gpu };
            return (gate, Outlook::NotForeseeable, vec![self.at_limit(sub, consumer, gpu.index())]);
        }
        if let Some(check) = slots.holds_quota(self.model, leaf) {
            return (Gate::NotEntitled { queue }, Outlook::NotForeseeable, vec![check]);
        }
        let checks = slots.protection(self.model, self.current, sub).into_iter().collect();
        (Gate::NoVictims { tried: 0, ancestor: None }, Outlook::NotForeseeable, checks)
    }

    fn not_reclaimed(&self, sub: SubId) -> (Gate, Outlook, Vec<Check>) {
        let leaf = self.current.state.subs[sub].leaf;
        let queue = self.model.queues[leaf];
        match (self.refused.get(&leaf).copied(), queue) {
            (Some(Refused::NotUnderQuota), Some(queue)) => {
                let checks = self.not_under_quota(leaf);
                (Gate::NotEntitled { queue }, Outlook::NotForeseeable, checks)
            }
            (Some(Refused::OnItsWay), _) => {
                (Gate::WaitingForVictims { until: None }, Outlook::NotForeseeable, Vec::new())
            }
            (Some(Refused::NoVictimOverQuota), _) => {
                (Gate::NoVictims { tried: 0, ancestor: None }, Outlook::NotForeseeable, self.not_over_quota(leaf))
            }
            (Some(Refused::WasVictim), Some(queue)) if self.lost.contains_key(&leaf) => {
                (Gate::NotEntitled { queue }, Outlook::NotForeseeable, vec![self.lost[&leaf].clone()])
            }
            (Some(Refused::WouldInvert | Refused::WasVictim), _) => {
                (Gate::NoVictims { tried: 0, ancestor: None }, Outlook::NotForeseeable, Vec::new())
            }
            _ => self.no_room(sub),
        }
    }

    /// No host has room. The first units of an allocation start together, from one source: those that would fit are
    /// placed on paper, in the source with room for the most.
    fn no_room(&self, sub: SubId) -> (Gate, Outlook, Vec<Check>) {
        let state = &self.current.state;
        let together = state.first_units(sub);
        // Later units start one by one.
        let n = together.len().max(1) as u32;
        let (placed, reasons) = match together.first() {
            None => (0, self.reasons_of_size(sub)),
            Some(&first) => {
                let leaf = state.subs[sub].leaf;
                let pools = self.model.layout.pools.iter().filter(|&&root| self.model.plan.is_below(leaf, root));
                let sources = std::iter::once(None).chain(pools.map(|&root| Some(root)));
                let placements = sources.map(|source| (self.on_paper(leaf, &together, source), source));
                let ((placed, free), source) = placements.max_by_key(|((placed, _), _)| *placed).unwrap_or_default();
                let next = together.get(placed).copied().unwrap_or(first);
                (placed, self.reasons(next, &free, (placed > 0).then_some(source)))
            }
        };
        let gate = Gate::NoNode { placed: placed as u32, of: n, reasons, free: Some(self.free_gpus(sub)) };
        (gate, Outlook::NotForeseeable, Vec::new())
    }

    /// Number of units that fit on the own hosts of a leaf or into a pool, in order, and the free resources after them.
    fn on_paper(&self, leaf: ConsumerId, units: &[SubId], pool: Option<ConsumerId>) -> (usize, Arena<HostId, Dims>) {
        let state = &self.current.state;
        let mut free = state.free.clone();
        let pool = pool.map(|root| self.model.layout.pool(state, root));
        let mut book = pool.as_ref().map(|pool| PoolBook::open(state, pool));
        let is_own = |host: HostId| self.model.layout.holders[host] == leaf && state.lent[host].is_none();
        for (n, &unit) in units.iter().enumerate() {
            let is_usable = |host: HostId| match &book {
                Some(book) => book.is_in[host] && book.barred(state, unit).is_none() && self.may_use(unit, host),
                None => pool.is_none() && is_own(host),
            };
            let fits = |&host: &HostId| fits(&free[host], &state.subs[unit].unit) && state.may_run(unit, host);
            let Some(host) = free.ids().filter(fits).find(|&host| is_usable(host)) else { return (n, free) };
            add(&mut free[host], &state.subs[unit].unit, -1);
            if let Some(book) = &mut book {
                book.project(state, unit, true);
            }
        }
        (units.len(), free)
    }

    /// The reasons with the present free resources, which are the same for all units of one size and leaf.
    fn reasons_of_size(&self, sub: SubId) -> Obstacles {
        let sub_allocation = &self.current.state.subs[sub];
        let reasons = || self.reasons(sub, &self.current.state.free, None);
        // A mask may have several causes.
        match sub_allocation.mask {
            Some(_) => reasons(),
            None => self
                .lacks
                .borrow_mut()
                .entry((sub_allocation.shape, sub_allocation.leaf))
                .or_insert_with(reasons)
                .clone(),
        }
    }

    /// Why each host does not take the next unit of a sub-allocation; `source` is that of its first units, if some have
    /// room.
    fn reasons(&self, sub: SubId, free: &Arena<HostId, Dims>, source: Option<Option<ConsumerId>>) -> Obstacles {
        let (unit, leaf) = (&self.current.state.subs[sub].unit, self.current.state.subs[sub].leaf);
        // GPUs first, as in other sentences; then CPU, memory, the named resources and pod slots.
        let in_order = || [2, 0, 1].into_iter().chain(3..RESOURCES_MAX);
        let reason = |(host, free): (HostId, &Dims)| {
            if let Some(barred) = self.barred(sub, host) {
                return barred;
            }
            match in_order().find(|&dim| free[dim] < unit[dim]) {
                _ if source.is_some_and(|source| source != self.source(leaf, host)) => NodeReason::OtherPool,
                Some(SLOTS) => NodeReason::PodSlots,
                Some(dim) => NodeReason::Insufficient(resource(dim)),
                None => NodeReason::Gate,
            }
        };
        NodeReason::counted(free.iter().map(reason).collect())
    }

    /// Why a unit of a sub-allocation may not use a host, however much of it is free.
    fn barred(&self, sub: SubId, host: HostId) -> Option<NodeReason> {
        let (state, cluster) = (&self.current.state, self.world.cluster);
        let node = &cluster.nodes[self.model.nodes[host]];
        let pod = self.current.waiting[sub].last().map(|&pod| &cluster.pods[pod]);
        let is_exclusive = self.model.plan.placement == Placement::Exclusive;
        match () {
            () if !node.takes_pods() => Some(NodeReason::NotReady),
            () if pod.is_some_and(|pod| !pod.selects_labels(node)) => Some(NodeReason::Selector),
            () if !state.may_run(sub, host) => Some(NodeReason::Insufficient(Resource::GPU)),
            () if !self.may_use(sub, host) => Some(NodeReason::Held),
            () if is_exclusive && state.has_units_of_others(host, state.subs[sub].leaf) => Some(NodeReason::Held),
            () => None,
        }
    }

    /// Free GPUs on the hosts that the units of a sub-allocation may use.
    fn free_gpus(&self, sub: SubId) -> FreeGpus {
        let gpus = Resource::GPU.index();
        let free = self.current.state.free.iter().filter(|(host, _)| self.barred(sub, *host).is_none());
        free.map(|(_, free)| free[gpus].max(0) as f64 / 1000.0).collect()
    }

    /// The pool from which a leaf uses a host; `None` if it owns the host.
    fn source(&self, leaf: ConsumerId, host: HostId) -> Option<ConsumerId> {
        let holder = self.model.layout.holders[host];
        let is_lent = self.model.plan.is_leaf(holder);
        let pool = if is_lent { self.current.state.lent[host] } else { Some(holder) };
        pool.filter(|_| holder != leaf || self.current.state.lent[host].is_some())
    }

    /// Whether a host is of the leaf, or in a pool that it may use.
    fn may_use(&self, sub: SubId, host: HostId) -> bool {
        let (plan, leaf) = (&self.model.plan, self.current.state.subs[sub].leaf);
        let holder = self.model.layout.holders[host];
        if holder == leaf || plan.slots.is_some() {
            return true;
        }
        let is_lent = plan.is_leaf(holder);
        let pool = if is_lent { self.current.state.lent[host] } else { Some(holder) };
        pool.filter(|&pool| plan.is_below(leaf, pool)).is_some_and(|pool| {
            let of_owner = is_lent.then(|| effective_lendout_grace(plan, holder, pool));
            let mut grace_periods = of_owner.into_iter().chain([pool_grace(plan, pool)]);
            let has_ratio = plan.path(leaf).take_while(|&c| c > pool).all(|c| plan.consumers[c].ratio > 0);
            has_ratio && grace_periods.all(|grace| plan.consumers[leaf].reclaim_grace <= Some(grace))
        })
    }

    fn no_capacity(&self, sub: SubId) -> (Gate, Outlook, Vec<Check>) {
        let unit = &self.current.state.subs[sub].unit;
        let nodes = || self.world.nodes().map(|(_, node)| node);
        let largest = |dim: usize| nodes().map(|node| node.capacity.get(resource(dim)).in_base_units()).max();
        match (0..SLOTS).find(|&dim| unit[dim] > largest(dim).unwrap_or(0)) {
            Some(dim) => {
                let (resource, job) = (resource(dim), job_of(self.world, self.current.pod_sets[sub]));
                let subject = Subject { job: Some(job), resource: Some(resource), ..Subject::default() };
                let left = amount(Quantity::Request, unit[dim], resource);
                let right = amount(Quantity::LargestNode, largest(dim).unwrap_or(0), resource);
                let check = Check::new(rules::HOST_SIZE, subject, left, Op::Exceeds, right);
                (Gate::TooLarge { resource }, Outlook::OnlyByEdit, vec![check])
            }
            // Each resource is sufficient on some host, but not together, or not in a pool that the queue may use.
            None => self.no_room(sub),
        }
    }

    /// Outlook of a leaf excluded from the public pool: only an edit helps without own hosts or private pools.
    fn without_public(&self, leaf: ConsumerId) -> Outlook {
        let plan = &self.model.plan;
        let owns = plan.path(leaf).any(|consumer| !plan.consumers[consumer].own.is_empty());
        if owns { Outlook::NotForeseeable } else { Outlook::OnlyByEdit }
    }

    /// Check that the share ratio of a consumer is 0.
    fn no_ratio(&self, consumer: ConsumerId) -> Check {
        let ratio = i64::try_from(self.model.plan.consumers[consumer].ratio).unwrap_or(i64::MAX);
        let subject = rules::between(self.model.queues[consumer], None);
        let left = term(Quantity::Weight, Value::Count(ratio));
        let right = term(Quantity::Constant, Value::Count(0));
        Check::new(rules::RATIO_ZERO, subject, left, Op::Exceeds, right)
    }

    fn graces(&self, leaf: ConsumerId) -> Check {
        let seconds = |quantity, span: crate::time::Span| term(quantity, Value::Real(span.as_seconds()));
        let reclaim_grace = self.model.plan.consumers[leaf].reclaim_grace.unwrap_or_default();
        let subject = rules::between(self.model.queues[leaf], None);
        let (left, right) = (seconds(Quantity::Runtime, reclaim_grace), seconds(Quantity::Limit, self.book.pool.grace));
        Check::new(rules::GRACE, subject, left, Op::Exceeds, right)
    }

    fn at_limit(&self, sub: SubId, consumer: ConsumerId, dim: usize) -> Check {
        let unit = self.current.state.subs[sub].unit[dim];
        let resource = resource(dim);
        let limit = self.model.plan.consumers[consumer].share_limit[dim];
        let limit = limit.map_or(0, |limit| self.book.limit_in(limit, dim));
        let subject = Subject { queue: self.model.queues[consumer], resource: Some(resource), ..Subject::default() };
        let with = amount(Quantity::AllocatedWithJob, self.book.amount(consumer, dim) + unit, resource);
        let limit = amount(Quantity::Limit, limit, resource);
        Check::new(rules::SHARE_LIMIT, subject, with, Op::Exceeds, limit)
    }

    /// Checks that the other leaf with the largest usage is not above its quota.
    fn not_over_quota(&self, leaf: ConsumerId) -> Vec<Check> {
        let others = self.book.consumers().filter(|&other| {
            other != leaf && self.current.state.plan.is_leaf(other) && !self.table.projected[other].is_zero()
        });
        let fullest = others.max_by(|&l, &r| self.table.projected[l].cmp(&self.table.projected[r]));
        let Some(other) = fullest else { return Vec::new() };
        let usage = rules::part(Quantity::Usage, &self.table.projected[other], &self.table.whole);
        let quota = rules::quota(&self.table.quota[other], &self.table.whole);
        let subject = rules::between(self.model.queues[other], None);
        let check = Check::new(rules::OVER_QUOTA, subject, usage, Op::Exceeds, quota);
        if check.holds { Vec::new() } else { vec![check] }
    }

    /// Checks that the leaf is not below its quota, if the numbers at the end of the cycle still show it.
    fn not_under_quota(&self, leaf: ConsumerId) -> Vec<Check> {
        let usage = rules::part(Quantity::Usage, &self.table.projected[leaf], &self.table.whole);
        let quota = rules::quota(&self.table.quota[leaf], &self.table.whole);
        let subject = rules::between(self.model.queues[leaf], None);
        let check = Check::new(rules::UNDER_QUOTA, subject, usage, Op::AtLeast, quota);
        if check.holds { std::iter::once(check).chain(self.after_priority(leaf)).collect() } else { Vec::new() }
    }

    /// Check of the sibling of higher share priority that leaves nothing to the leaf, or to an ancestor.
    fn after_priority(&self, leaf: ConsumerId) -> Option<Check> {
        let plan = &self.model.plan;
        let has_quota = |c: ConsumerId| !self.table.quota[c].n.is_zero();
        let path = plan.path(leaf).take_while(|&c| c != ConsumerId::ROOT && !has_quota(c));
        let top = path.last().filter(|&top| plan.consumers[top].ratio > 0)?;
        let parent = plan.consumers[top].parent?;
        let priority = plan.consumers[top].priority;
        let is_before = |&&c: &&ConsumerId| plan.consumers[c].priority > priority && has_quota(c);
        let first = *plan.consumers[parent].children.iter().find(is_before)?;
        let [left, right] = [first, top].map(|c| rules::priority(plan.consumers[c].priority));
        let subject = rules::between(self.model.queues[first], self.model.queues[top]);
        Some(Check::new(rules::SHARE_PRIORITY, subject, left, Op::Exceeds, right))
    }
}

/// Check that a consumer was not below its quota when it lost units.
fn not_below(queue: Option<QueueId>, why: &Why) -> Check {
    let (_, usage, quota) = &why.victim;
    let usage = rules::part(Quantity::Usage, usage, &why.whole);
    let quota = rules::quota(quota, &why.whole);
    Check::new(rules::UNDER_QUOTA, rules::between(queue, None), usage, Op::AtLeast, quota)
}

fn resource(dim: usize) -> Resource {
    Resource(dim as u8)
}
