//! Serving order of the next cycle: siblings by share, then the jobs of a queue.
//!
//! # Rule
//! Open siblings are ordered by share, ascending, then by file order; jobs of a queue by submission. The order reflects
//! the present shares; each placed pod may change it.
//!
//! # Source
//! see [`super`]
//!
//! # Differs
//! nothing

use super::cycle_state::CycleState;
use super::measure::Measure;
use crate::id::{JobId, QueueId};
use crate::policy::PartitionView;
use crate::policy::checks::{submitted, term};
use crate::policy::order_level::{Ranked, level};
use crate::trace::{Check, Op, OrderLevel, Subject, Value};

/// Returns the levels from the root to the queue, then its children or its jobs.
pub fn order(
    measure: &'static Measure,
    world: PartitionView<'_>,
    queue: QueueId,
    job: Option<JobId>,
) -> Vec<OrderLevel> {
    let state = CycleState::open(measure, world);
    let mut path: Vec<QueueId> = world.cluster.path_to_root(queue).collect();
    path.reverse();
    let mut levels: Vec<OrderLevel> = Vec::new();
    let mut parent = None;
    for on_path in path {
        levels.push(siblings(&state, parent, state.siblings(on_path), Some(on_path)));
        parent = Some(on_path);
    }
    let children = &world.queues()[queue].children;
    levels.push(if children.is_empty() { jobs(&state, queue, job) } else { siblings(&state, parent, children, None) });
    levels.retain(|level| level.n > 0 || level.subject_is_absent);
    levels
}

fn siblings(state: &CycleState<'_>, parent: Option<QueueId>, all: &[QueueId], subject: Option<QueueId>) -> OrderLevel {
    let mut open: Vec<QueueId> = all.iter().copied().filter(|&queue| state.is_open(queue)).collect();
    open.sort_by(|&l, &r| state.share(l).total_cmp(&state.share(r)));
    let share = |queue| term(state.measure.quantity, Value::Real(state.share(queue)));
    level(parent, &open, subject, |i, before| {
        let queue = open[i];
        let behind = before.map(|before| {
            let other = open[before];
            let subject = Subject { queue: Some(queue), other_queue: Some(other), ..Subject::default() };
            Check::new(state.measure.rules.smallest_share, subject, share(queue), Op::AtLeast, share(other))
        });
        Ranked {
            name: state.world.cluster.queues[queue].name.to_string(),
            queue: Some(queue),
            keys: vec![share(queue)],
            behind: behind.into_iter().collect(),
            ..Ranked::default()
        }
    })
}

fn jobs(state: &CycleState<'_>, leaf: QueueId, subject: Option<JobId>) -> OrderLevel {
    let pending = &state.pending[leaf];
    let all = &pending.jobs[pending.at.min(pending.jobs.len())..];
    let jobs = &state.world.cluster.jobs;
    let submit = |job: JobId| submitted(state.world, job);
    level(Some(leaf), all, subject, |i, before| {
        let job = all[i];
        let behind = before.map(|before| {
            let other = all[before];
            let subject = Subject { queue: Some(leaf), job: Some(job), other_job: Some(other), ..Subject::default() };
            Check::new(state.measure.rules.submit_order, subject, submit(job), Op::AtLeast, submit(other))
        });
        Ranked {
            name: jobs[job].name.to_string(),
            job: Some(job),
            keys: vec![submit(job)],
            behind: behind.into_iter().collect(),
            ..Ranked::default()
        }
    })
}
