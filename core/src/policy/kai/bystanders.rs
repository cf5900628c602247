//! A shortcut: jobs that are only passed over are not popped.
//!
//! # Rule
//! An attempt pops all that waits, but only the claimant and those that lost tasks do anything; the others, bystanders,
//! are there for the order. If any two siblings are told apart whatever they hold, a heap of siblings in which only the
//! top may be out of place has, once that is put right, the true first at its top, whatever its shape: nothing changes
//! below an item that is not at the top. So a queue below which nobody is left that matters can be taken out of the top
//! heap; and when one queue is left in it, its turn no longer depends on what is below, and the same holds for its
//! children. In the last leaf left, only those that matter are kept.
//!
//! # Source
//! kai.md 0.5, 3.6, 6.7
//!
//! # Differs
//! nothing. Not used where siblings may tie (N-2, N-3), nor from a heap downwards that filling left out of order

use super::queue_tree::QueueTree;
use super::session::Session;
use super::task::{JobRef, QueueRef};
use crate::kit::heap::Heap;
use crate::kit::sort;

/// Who is looked for in a tree.
#[derive(Debug)]
pub(super) struct Search {
    /// In order of their numbers.
    jobs: Vec<JobRef>,
    /// How many of them are left at or below each queue.
    n_left: Vec<u32>,
    /// The queue whose children are looked at; `None`: the top queues.
    below: Option<QueueRef>,
}

impl QueueTree {
    /// From now on only these jobs matter; all of them are in the tree.
    pub fn look_for(&mut self, s: &mut Session<'_>, mut jobs: Vec<JobRef>) {
        sort::sort(&mut jobs);
        let mut n_left = vec![0; s.queues.len()];
        for &job in &jobs {
            up(s, s.facts_of(job).queue).for_each(|q| n_left[q.ix()] += 1);
        }
        self.search = Some(Search { jobs, n_left, below: None });
        self.narrow(s);
    }

    /// A job was popped.
    pub fn found(&mut self, s: &mut Session<'_>, job: JobRef) {
        let Some(search) = &mut self.search else { return };
        if search.jobs.binary_search(&job).is_err() {
            return;
        }
        let below = search.below;
        let mut is_done = false;
        for queue in up(s, s.facts_of(job).queue) {
            search.n_left[queue.ix()] -= 1;
            is_done |= s.queues[queue.ix()].parent == below && search.n_left[queue.ix()] == 0;
        }
        if is_done {
            self.narrow(s);
        }
    }

    /// Takes out what does not matter, as far down as there is only one way to go.
    fn narrow(&mut self, s: &mut Session<'_>) {
        while let Some(search) = self.search.take() {
            let heap = self.take(search.below);
            if !heap.is_ordered_below_top(|l, r| self.less(s, l, r)) {
                self.give(search.below, heap);
                return;
            }
            let mut kept = Heap::default();
            for &queue in heap.items().iter().filter(|q| search.n_left[q.ix()] > 0) {
                kept.push(queue, |l, r| self.less(s, l, r));
            }
            let only = kept.top().filter(|_| kept.len() == 1);
            self.give(search.below, kept);
            let Some(only) = only else {
                self.search = Some(search);
                return;
            };
            if self.children(Some(only)).is_empty() {
                self.keep_jobs(s, only, &search.jobs);
                return;
            }
            self.search = Some(Search { below: Some(only), ..search });
        }
    }

    fn keep_jobs(&mut self, s: &Session<'_>, leaf: QueueRef, wanted: &[JobRef]) {
        let branch = self.branch(leaf);
        let mut kept = Heap::default();
        for &job in branch.jobs.items().iter().filter(|j| wanted.binary_search(j).is_ok()) {
            kept.push(job, |l, r| s.job_order(l, r).is_lt());
        }
        branch.jobs = kept;
    }
}

/// A queue and all above it.
fn up(s: &Session<'_>, from: Option<QueueRef>) -> impl Iterator<Item = QueueRef> {
    std::iter::successors(from, |q| s.queues[q.ix()].parent)
}
