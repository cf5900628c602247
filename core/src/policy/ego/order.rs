//! Serving order of the next free pass over the public pool: consumers, then the jobs of a leaf.
//!
//! # Rule
//! Only consumers with pending units that the pool admits are listed. Siblings are ordered by share priority, then by
//! projected usage over share ratio, then in tree order; in a slot plan by slots held over share ratio. The order
//! reflects the present numbers; each placed unit may change it.
//!
//! # Source
//! ego.md 7.2, 10
//!
//! # Differs
//! nothing

use std::cmp::Ordering;

use super::ids::{ConsumerId, InPool};
use super::memory::job_of;
use super::model::{CycleState, Model};
use super::number::Nat;
use super::pool::PoolBook;
use super::ranking::compare_per_ratio;
use super::{rules, slot_cycle};
use crate::id::{JobId, QueueId};
use crate::policy::PartitionView;
use crate::policy::checks::submitted;
use crate::policy::order_level::{Ranked, level};
use crate::trace::{Check, Op, OrderLevel, Subject, Term};

/// Returns the levels from the root to the queue, then its children or its jobs.
pub(super) fn order(
    world: PartitionView<'_>,
    model: &Model,
    current: &CycleState<'_>,
    queue: QueueId,
    job: Option<JobId>,
) -> Vec<OrderLevel> {
    let pool = model.layout.pool(&current.state, ConsumerId::ROOT);
    let book = PoolBook::open(&current.state, &pool);
    let ranks = Ranks::new(world, model, current, &book);
    let mut path: Vec<ConsumerId> = model.plan.path(model.consumer(queue)).collect();
    path.reverse();
    let mut levels: Vec<OrderLevel> = path.windows(2).map(|pair| ranks.siblings(pair[0], Some(pair[1]))).collect();
    let consumer = model.consumer(queue);
    levels.push(if model.plan.is_leaf(consumer) { ranks.jobs(queue, job) } else { ranks.siblings(consumer, None) });
    levels.retain(|level| level.n > 0 || level.subject_is_absent);
    levels
}

/// Sort keys of all consumers.
struct Ranks<'r> {
    world: PartitionView<'r>,
    model: &'r Model,
    current: &'r CycleState<'r>,
    /// Whether the subtree has pending units that could be placed.
    waits: InPool<bool>,
    /// Projected usage, or slots held.
    usage: InPool<Nat>,
    /// Usage of the whole pool.
    whole: Nat,
}

impl<'r> Ranks<'r> {
    fn new(world: PartitionView<'r>, model: &'r Model, current: &'r CycleState<'r>, book: &PoolBook<'_>) -> Ranks<'r> {
        let state = &current.state;
        let all = || model.plan.subtree(ConsumerId::ROOT);
        let mut waits = InPool::new(all(), |_| false);
        let mut mark = |leaf: ConsumerId| model.plan.path(leaf).for_each(|c| waits[c] = true);
        let Some(rules) = model.plan.slots else {
            let served = |leaf: &ConsumerId| {
                let has_work = || state.subs_of[*leaf].iter().any(|&sub| book.outstanding(state, sub) > 0);
                model.plan.is_leaf(*leaf) && book.excluded(state, *leaf).is_none() && has_work()
            };
            all().filter(served).for_each(&mut mark);
            let usage = InPool::new(all(), |c| book.projected(c).clone());
            return Ranks { world, model, current, waits, usage, whole: book.whole.clone() };
        };
        let limits = slot_cycle::limits(state);
        let slots = slot_cycle::slots(state, rules, &limits);
        all().filter(|&leaf| model.plan.is_leaf(leaf) && slots.waits(leaf)).for_each(&mut mark);
        let usage = InPool::new(all(), |c| Nat::from(slots.held_below(c)));
        Ranks { world, model, current, waits, usage, whole: Nat::ONE }
    }

    fn compare(&self, a: ConsumerId, b: ConsumerId) -> Ordering {
        let (of_a, of_b) = (&self.model.plan.consumers[a], &self.model.plan.consumers[b]);
        let by_ratio = || compare_per_ratio(&self.usage[a], of_a.ratio, &self.usage[b], of_b.ratio);
        of_b.priority.cmp(&of_a.priority).then_with(by_ratio)
    }

    fn priority(&self, consumer: ConsumerId) -> Term {
        rules::priority(self.model.plan.consumers[consumer].priority)
    }

    fn per_ratio(&self, consumer: ConsumerId) -> Term {
        rules::per_ratio(&self.usage[consumer], &self.whole, self.model.plan.consumers[consumer].ratio)
    }

    fn siblings(&self, parent: ConsumerId, subject: Option<ConsumerId>) -> OrderLevel {
        let plan = &self.model.plan;
        let mut open: Vec<ConsumerId> =
            plan.consumers[parent].children.iter().copied().filter(|&c| self.waits[c]).collect();
        open.sort_by(|&a, &b| self.compare(a, b));
        let has_priorities = open.iter().any(|&c| plan.consumers[c].priority != 0);
        level(self.model.queues[parent], &open, subject, |i, before| {
            let consumer = open[i];
            let queue = self.model.queues[consumer];
            let keys = has_priorities.then(|| self.priority(consumer)).into_iter();
            Ranked {
                name: queue.map_or(String::new(), |queue| self.world.queues()[queue].name.to_string()),
                queue,
                keys: keys.chain([self.per_ratio(consumer)]).collect(),
                behind: before.map_or_else(Vec::new, |before| self.behind(consumer, open[before])),
                ..Ranked::default()
            }
        })
    }

    /// Checks that place a consumer behind a sibling.
    fn behind(&self, consumer: ConsumerId, previous: ConsumerId) -> Vec<Check> {
        let subject = rules::between(self.model.queues[consumer], self.model.queues[previous]);
        let (own_priority, other) = (self.priority(consumer), self.priority(previous));
        if own_priority.value != other.value {
            return vec![Check::new(rules::SHARE_PRIORITY, subject, own_priority, Op::AtMost, other)];
        }
        let rule = if self.model.plan.slots.is_some() { rules::SLOT_RATIO } else { rules::SHARE_RATIO };
        vec![Check::new(rule, subject, self.per_ratio(consumer), Op::AtLeast, self.per_ratio(previous))]
    }

    /// Pending jobs of a leaf, in the order of its sub-allocations.
    fn jobs(&self, leaf: QueueId, subject: Option<JobId>) -> OrderLevel {
        let state = &self.current.state;
        let subs = state.subs_of[self.model.consumer(leaf)].iter().copied();
        let waiting = subs.filter(|&sub| state.subs[sub].outstanding() > 0);
        let mut all: Vec<JobId> = waiting.map(|sub| job_of(self.world, self.current.pod_sets[sub])).collect();
        all.dedup();
        let jobs = &self.world.cluster.jobs;
        let priority = |job: JobId| rules::priority(jobs[job].priority);
        let submit = |job: JobId| submitted(self.world, job);
        level(Some(leaf), &all, subject, |i, before| {
            let job = all[i];
            let behind = before.map(|i| {
                let previous = all[i];
                let subject =
                    Subject { queue: Some(leaf), job: Some(job), other_job: Some(previous), ..Subject::default() };
                let (own_priority, other) = (priority(job), priority(previous));
                if own_priority.value != other.value {
                    return Check::new(rules::JOB_ORDER, subject, own_priority, Op::AtMost, other);
                }
                Check::new(rules::JOB_ORDER, subject, submit(job), Op::AtLeast, submit(previous))
            });
            Ranked {
                name: jobs[job].name.to_string(),
                job: Some(job),
                keys: vec![priority(job), submit(job)],
                behind: behind.into_iter().collect(),
                ..Ranked::default()
            }
        })
    }
}
