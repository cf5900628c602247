//! Translation of node pools: values of queues, settings, and lists of pools in which jobs may run.

use std::sync::Arc;

use super::queues::{min_runtimes, values};
use super::{NoteKind, Translator, queue};
use crate::scenario::{Path, QueuePoolEntry};

/// Translates values of single pools.
pub fn pools(work: &mut Translator<'_>) {
    for i in 0..work.old.queues.len() {
        let entry = &work.old.queues[i];
        let path = queue(&entry.name);
        for (k, pool) in entry.pools.iter().enumerate() {
            of_queue(work, (i, k), &path.field("pools").named(&pool.name), pool);
        }
        list(work, path.field("default-pools"), entry.default_pools.len());
    }
    for job in work.old.jobs.iter() {
        let path = Path::default().field("jobs").named(&job.name).field("pools");
        list(work, path, job.pools.len());
    }
}

/// Translates the values of a queue in one pool; omitted ones are those of the queue.
fn of_queue(work: &mut Translator<'_>, (i, k): (usize, usize), path: &Path, pool: &QueuePoolEntry) {
    if let Some(new) = values(work, path, [&pool.gpu, &pool.cpu, &pool.memory], &pool.priority) {
        work.new_queues()[i].pools[k].priority = Some(new);
    }
    min_runtimes(work, path, [&pool.preempt_min_runtime, &pool.reclaim_min_runtime]);
}

/// Translates a list of several pools; only Run:ai offers a job to them one after the other.
fn list(work: &mut Translator<'_>, path: Path, n: usize) {
    let (from, to) = (work.from, work.to);
    if n < 2 || from.supports.pool_lists == to.supports.pool_lists {
        return;
    }
    if from.supports.pool_lists {
        work.note(NoteKind::Dropped, path, format!("{} offers a job to one pool only, the first of its list", to.name));
    } else {
        let message = format!("{} offered jobs to the first pool of a list only; now all of them count", from.name);
        work.note(NoteKind::Assumed, path, message);
    }
}

/// Translates settings of pools: those with a common name are kept, others are removed.
pub fn switches(work: &mut Translator<'_>, shared: impl Fn(&str) -> Option<&'static str>) {
    for (i, pool) in work.old.pools.iter().enumerate() {
        for (name, typed) in &pool.settings {
            let settings = &mut Arc::make_mut(&mut work.new.pools)[i].settings;
            settings.remove(name);
            if let Some(name) = shared(name) {
                settings.insert(name.to_owned(), typed.clone());
            }
            let path = Path::default().field("pools").named(&pool.name).field("settings").field(name);
            match shared(name) {
                Some(_) => work.note(NoteKind::Kept, path, "both have this setting"),
                None => work.note(NoteKind::Dropped, path, format!("{} has no {name} of a pool", work.to.name)),
            }
        }
    }
}
