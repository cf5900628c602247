//! Serving order of the next pass, level by level, with the comparisons that decide it.
//!
//! # Rule
//! Siblings are sorted by the same function as in a pass. Each neighbour pair shows the comparison that the sort made
//! between the two, including one made with the numbers of another position. Equal keys come first and the
//! deciding key last; if all are equal, the sort kept the initial order.
//!
//! # Source
//! yunikorn.md 2.1, 3.2, 3.4
//!
//! # Differs
//! reserved asks and placeholders are served before all others and in the same order; this is not shown

use super::amounts::Amounts;
use super::memory::{Memory, application};
use super::model::{AppIx, Core, QueueIx};
use super::priority::{MIN, PriorityPolicy};
use super::properties::SortPolicy;
use super::rules;
use super::shares::{ComparedQueue, UsageShares, goes_before, has_more_pending, share_at, usage_shares};
use super::stable::{self, At};
use crate::cluster::Cluster;
use crate::id::{Id, JobId, QueueId};
use crate::policy::PartitionView;
use crate::policy::order_level::{Ranked, level};
use crate::time::Time;
use crate::trace::{Check, Op, OrderLevel, Quantity, QueuePriority, Rule, Subject, Term, Value};

/// Returns the levels from the root to a queue with its children or applications, or to a job.
pub fn levels(world: PartitionView<'_>, memory: &Memory, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
    let core = &memory.core;
    let teller = OrderBuilder { cluster: world.cluster, memory, core };
    let app = job.and_then(|job| core.find_app(application(world.cluster, job)));
    if job.is_some() && app.is_none() {
        return Vec::new();
    }
    let queue_of_app = app.map(|app| core.apps[app].queue).or(memory.queues[queue.index()]);
    let Some(target) = queue_of_app else { return Vec::new() };
    let mut path: Vec<QueueIx> = core.upwards(target).collect();
    path.reverse();
    let mut levels: Vec<OrderLevel> = path.windows(2).map(|pair| teller.children(pair[0], Some(pair[1]))).collect();
    levels.push(if core.queues[target].is_leaf { teller.apps(target, app) } else { teller.children(target, None) });
    levels.retain(|level| level.n > 0 || level.subject_is_absent);
    levels
}

/// Effective priority of every queue.
pub fn priorities(world: PartitionView<'_>, memory: &Memory) -> Vec<QueuePriority> {
    let core = &memory.core;
    let priorities_of = |queue: QueueId| {
        let Some(state) = memory.queues[queue.index()].map(|ix| &core.queues[ix]) else {
            return QueuePriority { queue, raw: None, offset: 0, is_fence: false, effective: None };
        };
        let defined = |priority: i32| Some(priority).filter(|&priority| priority != MIN);
        QueuePriority {
            queue,
            raw: defined(state.raw),
            offset: state.properties.offset,
            is_fence: state.properties.priority_policy == PriorityPolicy::Fence,
            effective: defined(state.effective()),
        }
    };
    world.cluster.queues.ids().map(priorities_of).collect()
}

struct OrderBuilder<'a> {
    cluster: &'a Cluster,
    memory: &'a Memory,
    core: &'a Core,
}

/// One sort key of a comparison: its rule, quantity, and both values.
type Key = (Rule, Quantity, Value, Value);

impl OrderBuilder<'_> {
    fn children(&self, parent: QueueIx, subject: Option<QueueIx>) -> OrderLevel {
        let core = self.core;
        let (children, contenders) = core.contenders(parent);
        let by_priority = core.queues[parent].properties.sort_priority;
        let (order, met) = sorted(children.len(), &mut |l, r| goes_before(&contenders, by_priority, l, r));
        let ordered: Vec<QueueIx> = order.iter().map(|&item| children[item]).collect();
        let names = |position: usize| core.queues[ordered[position]].name.clone();
        level(self.queue(parent), &ordered, subject, |position, before| {
            let queue = self.queue(ordered[position]);
            let behind = before.map_or_else(Vec::new, |before| {
                let [first, other] = places(&met, [position, before].map(|at| (order[at], at)));
                let subject = Subject { queue, other_queue: self.queue(ordered[before]), ..Subject::default() };
                let keys = self.compared(&contenders, by_priority, first, other);
                behind(keys, subject, [names(position), names(before)])
            });
            let keys = self.queue_keys(ordered[position], by_priority);
            Ranked { name: names(position), queue, keys, behind, ..Ranked::default() }
        })
    }

    fn apps(&self, leaf: QueueIx, subject: Option<AppIx>) -> OrderLevel {
        let core = self.core;
        let order = core.sorted_apps(leaf);
        let names = |position: usize| core.apps[order[position]].id.clone();
        level(self.queue(leaf), &order, subject, |position, before| {
            let name = names(position);
            let job = self.job(&name);
            let behind = before.map_or_else(Vec::new, |before| {
                let (queue, other_job) = (self.queue(leaf), self.job(&names(before)));
                let subject = Subject { queue, job, other_job, ..Subject::default() };
                let keys = self.apps_compared(leaf, order[position], order[before]);
                behind(keys, subject, [names(position), names(before)])
            });
            Ranked { name, job, keys: self.app_keys(leaf, order[position]), behind, ..Ranked::default() }
        })
    }

    /// Queue of the cluster; `None` for a queue created by placement.
    fn queue(&self, queue: QueueIx) -> Option<QueueId> {
        self.memory.queues.iter().position(|&other| other == Some(queue)).map(QueueId::from_index)
    }

    fn job(&self, app: &str) -> Option<JobId> {
        let jobs = self.cluster.live_jobs.iter().copied();
        jobs.into_iter().find(|&job| application(self.cluster, job) == app)
    }

    fn queue_keys(&self, queue: QueueIx, by_priority: bool) -> Vec<Term> {
        let queue_state = &self.core.queues[queue];
        let priority = Term::new(Quantity::Priority, number(queue_state.effective()));
        let share = Term::new(Quantity::DominantShare, Value::Real(self.core.share(queue).share));
        let pending = Term::new(Quantity::Remaining, self.memory.resource_types.triple(&queue_state.pending));
        if by_priority { vec![priority, share, pending] } else { vec![share, priority, pending] }
    }

    /// Keys of two siblings, the later one on the left, at the positions at which the sort compared them.
    fn compared(&self, all: &[ComparedQueue], by_priority: bool, first: At, other: At) -> Vec<Key> {
        let (a, b) = (&all[first.item], &all[other.item]);
        let priority = (rules::PRIORITY, Quantity::Priority, number(a.effective), number(b.effective));
        let moved = |at: At| share_at(all, at) != share_at(all, At { position: at.item, ..at });
        let rule = if moved(first) || moved(other) { rules::SHARE_OF_PLACE } else { rules::SHARE };
        let share_of = |at: At| Value::Real(share_at(all, at).share);
        let share = (rule, Quantity::DominantShare, share_of(first), share_of(other));
        let mut keys = if by_priority { vec![priority, share] } else { vec![share, priority] };
        if has_more_pending(b, a) {
            let pending_of = |queue: &ComparedQueue| self.memory.resource_types.triple(&queue.pending);
            keys.push((rules::PENDING, Quantity::Remaining, pending_of(a), pending_of(b)));
        }
        keys
    }

    fn app_keys(&self, leaf: QueueIx, app: AppIx) -> Vec<Term> {
        // The application is compared with itself; only the left sides are used.
        let keys = self.apps_compared(leaf, app, app);
        keys.into_iter().map(|(_, quantity, value, _)| Term::new(quantity, value)).collect()
    }

    fn apps_compared(&self, leaf: QueueIx, first: AppIx, other: AppIx) -> Vec<Key> {
        let leaf = &self.core.queues[leaf];
        let (a, b) = (&self.core.apps[first], &self.core.apps[other]);
        let rule = rules::APPLICATION;
        let priority = (rule, Quantity::Priority, number(a.priority), number(b.priority));
        let second = if leaf.properties.sort_policy == SortPolicy::Fair {
            let shares_of = |allocated: &Amounts| usage_shares(allocated, &leaf.guaranteed);
            let (first, other) = largest_difference(&shares_of(&a.allocated), &shares_of(&b.allocated));
            (rule, Quantity::DominantShare, Value::Real(first), Value::Real(other))
        } else {
            let time_of = |ms: i64| Value::Time(Time::from_millis(ms));
            (rule, Quantity::Created, time_of(a.submitted), time_of(b.submitted))
        };
        if leaf.properties.sort_priority { vec![priority, second] } else { vec![second, priority] }
    }
}

/// Order of a stable sort, with the positions of both items in each comparison.
fn sorted(n: usize, before: &mut dyn FnMut(At, At) -> bool) -> (Vec<usize>, Vec<[At; 2]>) {
    let mut met = Vec::new();
    let order = stable::order(n, &mut |l, r| {
        met.push([l, r]);
        before(l, r)
    });
    (order, met)
}

/// Positions of two items at their last comparison; the present ones if they were never compared.
fn places(met: &[[At; 2]], now: [(usize, usize); 2]) -> [At; 2] {
    let [own, other] = now.map(|(item, position)| At { item, position });
    let both = met.iter().rev().find_map(|&[l, r]| match (l.item, r.item) {
        (a, b) if (a, b) == (own.item, other.item) => Some([l, r]),
        (a, b) if (a, b) == (other.item, own.item) => Some([r, l]),
        _ => None,
    });
    both.unwrap_or([own, other])
}

/// Checks for the keys up to the first that differs; a tie if none does.
fn behind(keys: Vec<Key>, subject: Subject, names: [String; 2]) -> Vec<Check> {
    let mut checks = Vec::new();
    for (rule, quantity, value, other) in keys {
        // Pending amounts may differ in a type that the scenario does not name.
        if value == other && rule != rules::PENDING {
            checks.push(rules::compare(rule, subject, quantity, [value, other], Op::Equal));
            continue;
        }
        let op = match quantity {
            Quantity::Priority => Op::Less,
            Quantity::Remaining => Op::AtMost,
            _ => Op::Exceeds,
        };
        checks.push(rules::compare(rule, subject, quantity, [value, other], op));
        return checks;
    }
    let [own, other] = names.map(|name| Value::Name(name.into()));
    checks.push(rules::compare(rules::TIE, subject, Quantity::Name, [own, other], Op::Exceeds));
    checks
}

/// First pair of shares that differs, from the largest down; the largest pair if none does.
pub(super) fn largest_difference(l: &UsageShares, r: &UsageShares) -> (f64, f64) {
    let (l, r) = (l.as_slice(), r.as_slice());
    let value_at = |shares: &[f64], i: usize| shares.len().checked_sub(i + 1).map_or(0.0, |at| shares[at]);
    let pairs = (0..l.len().max(r.len())).map(|i| (value_at(l, i), value_at(r, i)));
    pairs.clone().find(|(l, r)| l != r).or_else(|| pairs.clone().next()).unwrap_or_default()
}

fn number(priority: i32) -> Value {
    Value::Count(i64::from(priority))
}
