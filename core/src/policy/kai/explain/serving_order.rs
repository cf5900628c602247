//! Order in which the next cycle serves queues and jobs: queues among their siblings, and the jobs of a leaf.
//!
//! # Rule
//! The order is that of the queue tree with all waiting jobs before any placement: a queue is compared with the first
//! job below it. Every placement can change it.
//!
//! # Source
//! kai.md 3.1, 3.2, 3.6
//!
//! # Differs
//! nothing; an action with a limit on jobs per queue leaves out the last ones

use crate::id::{JobId, QueueId};
use crate::policy::kai::order::leaves::Leaves;
use crate::policy::kai::order::queue_order::{With, dominant};
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::record::notes::{count, real};
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, QueueRef};
use crate::policy::order_level::{Ranked, level};
use crate::trace::{OrderLevel, Quantity, Term};

/// The levels from the root to a queue, and the level below it; the given job is always among those of its queue.
pub(in crate::policy::kai) fn levels(session: &mut Session<'_>, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
    let waiting = session.waiting();
    let mut tree = QueueTree::serving(&session.state);
    tree.load_leaves(session, Leaves::clone(&waiting));
    let position = session.state.queues.iter().position(|q| q.id == queue);
    let path = position.map(|i| session.state.path_from_root(QueueRef::of(i))).unwrap_or_default();
    let mut levels = Vec::new();
    let mut parent = None;
    for queue in path {
        levels.push(siblings(session, &mut tree, parent, Some(queue)));
        parent = Some(queue);
    }
    match parent {
        Some(leaf) if session.state.queues[leaf.ix()].children.is_empty() => {
            levels.push(jobs_of(session, leaf, waiting.of_leaf(leaf), job));
        }
        Some(_) => levels.push(siblings(session, &mut tree, parent, None)),
        None => (),
    }
    levels.retain(|level| level.n > 0 || level.subject_is_absent);
    levels
}

fn siblings(
    session: &mut Session<'_>,
    tree: &mut QueueTree,
    parent: Option<QueueRef>,
    subject: Option<QueueRef>,
) -> OrderLevel {
    let order = tree.in_order(session, parent);
    let with = |queue_ref| With { job: tree.first_job(queue_ref), ..With::default() };
    level(parent.map(|queue_ref| session.state.queues[queue_ref.ix()].id), &order, subject, |i, before| {
        let queue_ref = order[i];
        let behind = before.map(|before| {
            let before = order[before];
            session.queue_comes_after(queue_ref, before, with(queue_ref), with(before))
        });
        let need = tree.first_job(queue_ref).map(|job| session.need(job)).unwrap_or_default();
        let queue = &session.state.queues[queue_ref.ix()];
        let share = dominant(queue.allocated + need, queue.allocatable, session.inputs.total);
        Ranked {
            name: queue.name.to_string(),
            queue: Some(queue.id),
            keys: vec![count(Quantity::Priority, queue.priority), real(Quantity::DominantShare, share)],
            behind: behind.into_iter().collect(),
            ..Ranked::default()
        }
    })
}

fn jobs_of(session: &Session<'_>, leaf: QueueRef, jobs: &[JobRef], subject: Option<JobId>) -> OrderLevel {
    let ids: Vec<JobId> = jobs.iter().map(|&job| session.facts_of(job).id).collect();
    level(Some(session.state.queues[leaf.ix()].id), &ids, subject, |i, before| {
        let facts = session.facts_of(jobs[i]);
        let behind = before.map(|before| session.job_comes_after(jobs[i], jobs[before]));
        let created: Term = real(Quantity::Created, facts.created_s);
        Ranked {
            name: facts.name.to_string(),
            job: Some(facts.id),
            keys: vec![count(Quantity::Priority, facts.priority), created],
            behind: behind.into_iter().collect(),
            ..Ranked::default()
        }
    })
}
