//! Who is served next, and why: the order in which the next pass takes siblings and the jobs of a queue.
//!
//! # Rule
//! Among open siblings the smallest share is first, the first in the file among equals. Jobs of a queue stand in the order of
//! submission. The order is that of the shares now; each pod that is placed may change it.
//!
//! # Source
//! see [`super`]
//!
//! # Differs
//! nothing

use super::cycle_state::CycleState;
use super::rules::Measure;
use crate::id::{JobId, QueueId};
use crate::kit::sort::sort_by;
use crate::policy::PartitionView;
use crate::trace::{Check, Op, OrderLevel, OrderPlace, Quantity, Subject, Term, Value};

/// How many are told from the front of a level.
const FRONT: usize = 8;

/// The levels from the root to a queue, and what is below it.
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
    let mut of = None;
    for on_path in path {
        levels.push(siblings(&state, of, state.siblings(on_path), Some(on_path)));
        of = Some(on_path);
    }
    let children = &world.queues()[queue].children;
    levels.push(match children.is_empty() {
        true => jobs(&state, queue, job),
        false => siblings(&state, of, children, None),
    });
    levels.retain(|level| level.n > 0 || level.subject_is_absent);
    levels
}

fn siblings(
    state: &CycleState<'_>,
    of: Option<QueueId>,
    all: &[QueueId],
    subject: Option<QueueId>,
) -> OrderLevel {
    let mut open: Vec<QueueId> = all.iter().copied().filter(|&queue| state.is_open(queue)).collect();
    sort_by(&mut open, |&l, &r| state.share(l).total_cmp(&state.share(r)));
    let share = |queue| Term { quantity: state.measure.quantity, value: Value::Real(state.share(queue)) };
    let place = |i: usize| {
        let queue = open[i];
        let behind = i.checked_sub(1).map(|before| {
            let other = open[before];
            let subject = Subject { queue: Some(queue), other_queue: Some(other), ..Subject::default() };
            Check::new(state.measure.rules.smallest_share, subject, share(queue), Op::AtLeast, share(other))
        });
        OrderPlace {
            position: count(i + 1),
            queue: Some(queue),
            job: None,
            name: state.world.cluster.queues[queue].name.to_string(),
            is_subject: subject == Some(queue),
            keys: vec![share(queue)],
            behind: behind.into_iter().collect(),
        }
    };
    let at = subject.and_then(|subject| open.iter().position(|&queue| queue == subject));
    OrderLevel {
        of,
        n: count(open.len()),
        places: shown(open.len(), at).map(place).collect(),
        subject_is_absent: subject.is_some() && at.is_none(),
    }
}

fn jobs(state: &CycleState<'_>, leaf: QueueId, subject: Option<JobId>) -> OrderLevel {
    let line = &state.lines[leaf];
    let all = &line.jobs[line.at.min(line.jobs.len())..];
    let jobs = &state.world.cluster.jobs;
    let submit = |job: JobId| Term { quantity: Quantity::Created, value: Value::Time(jobs[job].submit) };
    let place = |i: usize| {
        let job = all[i];
        let behind = i.checked_sub(1).map(|before| {
            let other = all[before];
            let subject =
                Subject { queue: Some(leaf), job: Some(job), other_job: Some(other), ..Subject::default() };
            Check::new(state.measure.rules.submit_order, subject, submit(job), Op::AtLeast, submit(other))
        });
        OrderPlace {
            position: count(i + 1),
            queue: None,
            job: Some(job),
            name: jobs[job].name.to_string(),
            is_subject: subject == Some(job),
            keys: vec![submit(job)],
            behind: behind.into_iter().collect(),
        }
    };
    let at = subject.and_then(|subject| all.iter().position(|&job| job == subject));
    OrderLevel {
        of: Some(leaf),
        n: count(all.len()),
        places: shown(all.len(), at).map(place).collect(),
        subject_is_absent: subject.is_some() && at.is_none(),
    }
}

/// Positions from the front, and around the one that was asked about.
fn shown(n: usize, at: Option<usize>) -> impl Iterator<Item = usize> {
    let near = at.map_or(0..0, |at| at.saturating_sub(1)..(at + 2).min(n));
    (0..n).filter(move |i| *i < FRONT || near.contains(i))
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
