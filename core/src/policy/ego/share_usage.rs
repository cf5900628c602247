//! Data of the view Share usage: the numbers of every pool, and the assignment of free resources.
//!
//! # Rule
//! Usage, demand and quota come from the functions that decide. Static and dynamic share quota are vectors with one
//! entry for each resource that a unit of the pool requests. Pod slots are excluded from vectors, since every unit
//! takes one.
//!
//! # Source
//! ego.md 4 to 7; IBM, *Share policies for multidimensional scheduling*
//!
//! # Differs
//! nothing

use super::cycle::Cycle;
use super::ids::{ConsumerId, InPool, SizeId, SubId};
use super::model::{CycleState, Model, SLOTS, in_policy_units};
use super::number::{Fraction, Nat};
use super::plan::ShareLimit;
use super::pool::PoolBook;
use super::quota::{Offer, Table, demand_of, dynamic_quota, offers, static_quota};
use super::ranking;
use super::slot_view::SlotView;
use crate::policy::PartitionView;
use crate::trace::{
    Assignment, ConsumerUsage, Exact, QuotaStep, ShareCandidate, ShareChoice, SharePool, UnitSize, UsageOf, UsageRow,
    Vector,
};
use crate::units::{RESOURCES_MAX, Resource};

/// Maximum number of listed allocations per leaf.
const ALLOCATIONS_MAX: usize = 50;

/// Pools with hosts, the public one first.
pub(super) fn pools(world: PartitionView<'_>, model: &Model, current: &CycleState<'_>) -> Vec<SharePool> {
    let pools = model.layout.pools.iter().rev().map(|&root| model.layout.pool(&current.state, root));
    let with_hosts = pools.filter(|pool| !pool.hosts.is_empty());
    with_hosts
        .map(|pool| {
            let book = PoolBook::open(&current.state, &pool);
            Reader::new(world, model, current, &book).read()
        })
        .collect()
}

/// Builds the rows of one pool.
struct Reader<'r> {
    world: PartitionView<'r>,
    model: &'r Model,
    current: &'r CycleState<'r>,
    book: &'r PoolBook<'r>,
    table: Table,
    /// Sub-allocations with drawn or outstanding units, in order.
    subs: Vec<SubId>,
    /// Numbers of a slot plan, whose quotas are whole slots.
    slots: Option<SlotView>,
    /// Unit sizes in order of first occurrence.
    shapes: Vec<SizeId>,
}

impl<'r> Reader<'r> {
    fn new(
        world: PartitionView<'r>,
        model: &'r Model,
        current: &'r CycleState<'r>,
        book: &'r PoolBook<'r>,
    ) -> Reader<'r> {
        let state = &current.state;
        let is_here = |&sub: &SubId| {
            let drawn = book.drawn[sub];
            let waits = state.subs[sub].outstanding() > 0;
            model.plan.is_below(state.subs[sub].leaf, book.pool.root)
                && (drawn.units > 0 || drawn.projected > 0 || waits)
        };
        let subs: Vec<SubId> = state.subs.ids().filter(is_here).collect();
        let mut shapes = Vec::new();
        for &sub in &subs {
            if !shapes.contains(&state.subs[sub].shape) {
                shapes.push(state.subs[sub].shape);
            }
        }
        let slots = SlotView::new(model, current);
        Reader { world, model, current, book, table: Table::new(state, book), subs, slots, shapes }
    }

    fn read(&self) -> SharePool {
        let root = self.book.pool.root;
        let sizes: Vec<UnitSize> = self.shapes.iter().map(|&shape| self.size(shape)).collect();
        let requests = || sizes.iter().flat_map(|size| &size.unit);
        let is_requested = |dim: &usize| requests().any(|(unit_dim, _)| usize::from(*unit_dim) == *dim);
        let state = &self.current.state;
        let quotas: Vec<Quotas> = (0..RESOURCES_MAX)
            .filter(is_requested)
            .map(|dim| match &self.slots {
                Some(slots) if dim == Resource::GPU.index() => {
                    let [fixed, by_work] = [&slots.quotas[0], &slots.quotas[1]]
                        .map(|quota| InPool::new(quota.ids(), |c| Fraction::whole(Nat::from(quota[c] * 1000))));
                    (dim, fixed, by_work)
                }
                _ => {
                    let fixed = static_quota(&self.model.plan, self.book, dim);
                    (dim, fixed, dynamic_quota(state, self.book, dim))
                }
            })
            .collect();
        let mut rows = Vec::new();
        for consumer in self.book.consumers() {
            rows.push(self.consumer(consumer, &quotas));
            let depth = rows.last().map_or(0, |row| row.depth) + 1;
            self.allocations(consumer, depth, &mut rows);
        }
        let by_usage = || offers(state, self.book).map(|offers| offers.iter().map(|offer| self.step(offer)).collect());
        let division = match &self.slots {
            Some(slots) => Some(slots.steps(self.model)),
            None => by_usage(),
        };
        SharePool {
            of: self.model.queues[root],
            over_commit: self.model.over_commitment(),
            sizes,
            free_slots: self.slots.as_ref().map(|slots| (slots.free, slots.slots)),
            rows,
            division,
        }
    }

    fn exact(&self, n: &Nat) -> Exact {
        self.table.part(n).exact()
    }

    fn size(&self, shape: SizeId) -> UnitSize {
        let state = &self.current.state;
        let unit = state.shapes[shape].0;
        UnitSize {
            unit: vector(|dim| Some(unit[dim] as f64).filter(|&amount| amount > 0.0)),
            hosts: self.book.packing(state, shape),
            capacity: self.book.capacity[shape],
        }
    }

    fn consumer(&self, consumer: ConsumerId, quotas: &[Quotas]) -> UsageRow {
        let (root, plan) = (self.book.pool.root, &self.model.plan);
        let node = &plan.consumers[consumer];
        let queue = self.model.queues[consumer];
        let in_subtree = self.subs.iter().filter(|&&sub| plan.is_below(self.current.state.subs[sub].leaf, consumer));
        let vector_of = |pick: fn(&Quotas) -> &InPool<Fraction>| {
            let entry = |quotas: &Quotas| {
                (quotas.0 as u8, in_policy_units(Resource(quotas.0 as u8), pick(quotas)[consumer].as_real()))
            };
            quotas.iter().map(entry).collect()
        };
        UsageRow {
            of: if consumer == root { UsageOf::Pool } else { UsageOf::Consumer },
            name: queue.map_or(String::new(), |queue| self.world.queues()[queue].name.to_string()),
            depth: (node.depth - plan.consumers[root].depth) as u32,
            queue,
            size: None,
            units: in_subtree.map(|&sub| self.book.drawn[sub].units).sum(),
            usage: self.exact(&self.table.usage[consumer]),
            projected: self.exact(&self.table.projected[consumer]),
            demand: self.exact(&self.table.demand[consumer]),
            consumer: Some(ConsumerUsage {
                quota: match &self.slots {
                    Some(slots) => slots.part(slots.quota()[consumer]).exact(),
                    None => self.table.quota_part(consumer).exact(),
                },
                limit: vector(|dim| match node.share_limit[dim]? {
                    ShareLimit::At(amount) => Some(amount as f64),
                    ShareLimit::Part(millionths) => Some(self.book.offered[dim] as f64 * millionths as f64 / 1e6),
                }),
                static_quota: vector_of(|quotas| &quotas.1),
                dynamic_quota: vector_of(|quotas| &quotas.2),
            }),
        }
    }

    /// Appends rows for the allocations of a leaf, with sub-allocations if there are several.
    fn allocations(&self, leaf: ConsumerId, depth: u32, rows: &mut Vec<UsageRow>) {
        let subs = &self.current.state.subs;
        let own_subs: Vec<SubId> = self.subs.iter().copied().filter(|&sub| subs[sub].leaf == leaf).collect();
        let same = |a: &SubId, b: &SubId| subs[*a].allocation == subs[*b].allocation;
        for allocation in own_subs.chunk_by(same).take(ALLOCATIONS_MAX) {
            let set = |sub: SubId| &self.world.cluster.pod_sets[self.current.pod_sets[sub]];
            let job = self.world.cluster.jobs[set(allocation[0]).job].name.to_string();
            let row = |of, name, depth, members: &[SubId]| {
                let sum = |share: &dyn Fn(SubId) -> Nat| {
                    self.exact(&members.iter().fold(Nat::ZERO, |sum, &sub| sum.plus(&share(sub))))
                };
                let state = &self.current.state;
                let drawn = |sub: SubId| self.book.drawn[sub];
                let shape = |sub: &SubId| subs[*sub].shape;
                let is_one = members.iter().all(|sub| shape(sub) == shape(&members[0]));
                let size = self.shapes.iter().position(|&other| is_one && other == shape(&members[0]));
                UsageRow {
                    of,
                    name,
                    depth,
                    queue: self.model.queues[leaf],
                    size: size.map(|i| i as u32),
                    units: members.iter().map(|&sub| drawn(sub).units).sum(),
                    usage: sum(&|sub| self.book.share(state, sub, drawn(sub).units)),
                    projected: sum(&|sub| self.book.share(state, sub, drawn(sub).projected)),
                    demand: sum(&|sub| demand_of(state, self.book, sub)),
                    consumer: None,
                }
            };
            rows.push(row(UsageOf::Allocation, job, depth, allocation));
            for &sub in allocation.iter().filter(|_| allocation.len() > 1) {
                rows.push(row(UsageOf::SubAllocation, set(sub).name.to_string(), depth + 1, &[sub]));
            }
        }
    }

    fn step(&self, (consumer, rest, ratios): &Offer) -> QuotaStep {
        let entry = &self.model.plan.consumers[*consumer];
        let of_pool = |n: &Fraction| Fraction { n: n.n.clone(), d: n.d.times(&self.table.whole) }.exact();
        QuotaStep {
            of: entry.parent.filter(|&parent| parent != self.book.pool.root).and_then(|c| self.model.queues[c]),
            queue: self.model.queues[*consumer],
            priority: entry.priority,
            rest: of_pool(rest),
            ratio: (entry.ratio, *ratios),
            offer: of_pool(&rest.portion(entry.ratio, *ratios)),
            demand: self.exact(&self.table.demand[*consumer]),
            quota: self.table.quota_part(*consumer).exact(),
        }
    }
}

/// Static and dynamic share quota in one dimension, by consumer.
type Quotas = (usize, InPool<Fraction>, InPool<Fraction>);

/// Vector of amounts given in base units.
fn vector(amount_of: impl Fn(usize) -> Option<f64>) -> Vector {
    let entry = |dim: usize| Some((dim as u8, in_policy_units(Resource(dim as u8), amount_of(dim)?)));
    (0..RESOURCES_MAX).filter(|&dim| dim != SLOTS).filter_map(entry).collect()
}

/// Assignments of free resources in a cycle, by turn.
pub(super) fn assignments(
    world: PartitionView<'_>,
    model: &Model,
    current: &CycleState<'_>,
    cycle: &Cycle,
) -> Vec<Assignment> {
    let plan = &model.plan;
    let turns = cycle.turns.iter().flat_map(|(root, turns)| turns.iter().map(move |turn| (*root, turn)));
    let assignment = |(root, turn): (ConsumerId, &super::assign::Turn)| {
        let part = |n: &Nat| Fraction { n: n.clone(), d: turn.whole.clone() };
        let choice = |group: &super::assign::SiblingGroup| {
            let open: Vec<ConsumerId> = group.open.iter().map(|(c, _)| *c).collect();
            let parts: Vec<(u64, u64)> = ranking::parts(plan, &open).collect();
            let children = &plan.consumers[group.node].children;
            let candidate = |&c: &ConsumerId| {
                let index = open.iter().position(|&other| other == c);
                let usage = index.map_or(Fraction::ZERO, |index| part(&group.open[index].1));
                let per_ratio = Fraction { n: usage.n.clone(), d: usage.d.scaled(plan.consumers[c].ratio.max(1)) };
                Some(ShareCandidate {
                    queue: model.queues[c]?,
                    part: index.map(|index| parts[index]),
                    usage: [usage.exact(), per_ratio.exact()],
                })
            };
            ShareChoice {
                children: children.iter().filter_map(candidate).collect(),
                chosen: children.iter().position(|&c| c == group.chosen).unwrap_or(0) as u32,
                is_tie: group.is_tie,
                after: part(&group.after).exact(),
            }
        };
        Assignment {
            partition: world.partition,
            pool: model.queues[root],
            choices: turn.path.iter().map(choice).collect(),
            nodes: turn.units.iter().map(|&id| model.nodes[current.state.units[id].host]).collect(),
        }
    };
    turns.map(assignment).collect()
}
