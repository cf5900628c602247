//! Tree of queues with waiting jobs; returns jobs in serving order.
//!
//! # Rule
//! One heap of children per queue, jobs in leaves. A new leaf is linked into its parent's heap, and that one into its
//! own parent's only if it is new as well. Only tops are reordered before use, if something below them changed
//! (*dirty*); other positions may be stale. Two queues are compared with the best job below each; in victim mode with
//! all victims popped so far from the leaf that is best below each, plus the next one, and the order is reversed.
//!
//! # Source
//! kai.md 0.5, 3.6
//!
//! # Differs
//! nothing; Q-1 (a full heap drops its last slot) and Q-4 (clones of one job count several times) reproduced.
//! Insertion order is the job order, or permuted by a seed (N-2).

use crate::kit::heap::Heap;
use crate::policy::Monitor;
use crate::policy::kai::config::Action;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::order::leaves::Leaves;
use crate::policy::kai::order::nondeterminism::RandomOrder;
use crate::policy::kai::order::queue_order::With;
use crate::policy::kai::session::{Session, SessionState};
use crate::policy::kai::task::{JobRef, QueueRef};

#[derive(Debug)]
pub(in crate::policy::kai) struct QueueTree {
    is_victim: bool,
    depth: Option<usize>,
    branches: Vec<Option<Branch>>,
    top: Heap<QueueRef>,
    popped: Vec<Popped>,
    progress: Option<Progress>,
    pub(in crate::policy::kai) search: Option<Search>,
}

/// Progress of an action, which serves the jobs of its tree one by one.
#[derive(Debug, Default)]
struct Progress {
    n_jobs: usize,
    n_served: usize,
}

/// Victims popped from a leaf.
#[derive(Clone, Debug, Default)]
struct Popped {
    jobs: Vec<JobRef>,
    /// What they hold.
    sum: Quantities,
}

/// The wanted jobs of a tree; others are skipped.
#[derive(Debug)]
pub(in crate::policy::kai) struct Search {
    /// Sorted by number.
    pub jobs: Vec<JobRef>,
    /// How many of them remain at or below each queue.
    pub n_remaining: Vec<u32>,
    /// The queue whose children are searched; `None`: the top queues.
    pub below: Option<QueueRef>,
}

#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Branch {
    pub jobs: Heap<JobRef>,
    children: Heap<QueueRef>,
    is_dirty: bool,
}

impl QueueTree {
    /// A tree of the jobs that an action serves.
    pub fn of_action(session: &Session<'_>, action: Action) -> Self {
        let depth = session.inputs.config.depth(action).map(|depth| depth as usize);
        QueueTree { progress: Some(Progress::default()), ..Self::new(&session.state, false, depth) }
    }
    /// A tree of jobs to serve.
    pub fn serving(state: &SessionState) -> Self {
        Self::new(state, false, None)
    }
    /// A tree of jobs to evict.
    pub fn victims(state: &SessionState) -> Self {
        Self::new(state, true, None)
    }
    fn new(state: &SessionState, is_victim: bool, depth: Option<usize>) -> Self {
        let n = state.queues.len();
        QueueTree {
            is_victim,
            depth,
            branches: (0..n).map(|_| None).collect(),
            top: Heap::default(),
            popped: if is_victim { vec![Popped::default(); n] } else { Vec::new() },
            progress: None,
            search: None,
        }
    }

    /// Fills an empty tree with jobs of leaf queues.
    pub fn load(&mut self, session: &mut Session<'_>, mut jobs: Vec<JobRef>) {
        jobs.retain(|&job| session.facts_of(job).is_ordered);
        jobs.sort_by_key(|&job| session.job(job).rank);
        if self.is_victim {
            jobs.reverse();
        }
        self.load_sorted(session, jobs);
    }

    /// [`Self::load`] for jobs already in job order.
    pub fn load_sorted(&mut self, session: &mut Session<'_>, mut jobs: Vec<JobRef>) {
        if session.draw_jobs(RandomOrder::Insertion, &mut jobs) {
            jobs.into_iter().for_each(|job| self.push(session, job));
            return;
        }
        for job in jobs {
            let leaf = session.leaf_of(job);
            match &mut self.branches[leaf.ix()] {
                // The job order is strict and nothing changes while loading: a job never moves up past
                // those before it, so pushing it appends it, and a full heap drops it again.
                Some(branch) if self.depth.is_none_or(|most| branch.jobs.len() < most) => {
                    branch.jobs.append(job);
                    self.progress.iter_mut().for_each(|progress| progress.n_jobs += 1);
                }
                Some(_) => (),
                None => self.push(session, job),
            }
        }
    }

    /// Fills an empty tree without a bound on the jobs of a leaf.
    pub fn load_leaves(&mut self, session: &mut Session<'_>, leaves: Leaves) {
        if session.inputs.draws(RandomOrder::Insertion) {
            let jobs = leaves.into_iter().flat_map(|(_, jobs)| jobs).collect();
            self.load(session, jobs);
            return;
        }
        for (leaf, jobs) in leaves {
            self.branches[leaf.ix()].get_or_insert_default().jobs = Heap::of_ordered(jobs);
            self.link(session, leaf);
            self.mark(&session.state, leaf);
        }
    }

    pub fn push(&mut self, session: &mut Session<'_>, job: JobRef) {
        self.progress.iter_mut().for_each(|progress| progress.n_jobs += 1);
        let leaf = session.leaf_of(job);
        let is_new = self.branches[leaf.ix()].is_none();
        let victim = self.is_victim;
        let branch = self.branches[leaf.ix()].get_or_insert_default();
        let less = |l, r| session.state.job_order(l, r).is_lt() != victim;
        match self.depth {
            Some(most) => branch.jobs.push_bounded(job, most, less),
            None => branch.jobs.push(job, less),
        }
        if is_new {
            self.link(session, leaf);
        }
        self.mark(&session.state, leaf);
    }

    fn link(&mut self, session: &mut Session<'_>, child: QueueRef) {
        let parent = session.state.queues[child.ix()].parent;
        let is_new = parent.is_some_and(|p| self.branches[p.ix()].is_none());
        if let Some(parent) = parent {
            self.branches[parent.ix()].get_or_insert_default();
        }
        let mut heap = self.take(parent);
        heap.push(child, |l, r| self.less(session, l, r));
        self.give(parent, heap);
        if is_new && let Some(parent) = parent {
            self.link(session, parent);
        }
    }

    pub(in crate::policy::kai) fn take(&mut self, parent: Option<QueueRef>) -> Heap<QueueRef> {
        std::mem::take(self.children(parent))
    }
    pub(in crate::policy::kai) fn give(&mut self, parent: Option<QueueRef>, heap: Heap<QueueRef>) {
        *self.children(parent) = heap;
    }
    pub(in crate::policy::kai) fn children(&mut self, parent: Option<QueueRef>) -> &mut Heap<QueueRef> {
        match parent {
            None => &mut self.top,
            Some(queue) => &mut self.branch(queue).children,
        }
    }
    pub(in crate::policy::kai) fn branch(&mut self, queue: QueueRef) -> &mut Branch {
        self.branches[queue.ix()].as_mut().expect("linked queues have a branch")
    }

    fn mark(&mut self, state: &SessionState, queue: QueueRef) {
        state.path_up(Some(queue)).for_each(|queue| self.branch(queue).is_dirty = true);
    }

    /// Removes and returns the next job; there is none in a cycle that is interrupted.
    pub fn pop(&mut self, session: &mut Session<'_>) -> Option<JobRef> {
        if self.is_interrupted(&session.inputs.monitor) {
            return None;
        }
        let leaf = self.next_leaf(session)?;
        let victim = self.is_victim;
        let less = |l, r| session.state.job_order(l, r).is_lt() != victim;
        let job = self.branch(leaf).jobs.pop(less)?;
        self.progress.iter_mut().for_each(|progress| progress.n_served += 1);
        if self.is_victim {
            self.popped[leaf.ix()].jobs.push(job);
            self.popped[leaf.ix()].sum += session.job(job).allocated;
        }
        let mut next = Some(leaf);
        while let Some(queue) = next {
            let branch = self.branch(queue);
            if !branch.jobs.is_empty() || !branch.children.is_empty() {
                self.mark(&session.state, queue);
                break;
            }
            let parent = session.state.queues[queue.ix()].parent;
            let mut heap = self.take(parent);
            heap.pop(|l, r| self.less(session, l, r));
            self.give(parent, heap);
            self.branches[queue.ix()] = None;
            next = parent;
        }
        Some(job)
    }

    fn is_interrupted(&self, monitor: &Monitor) -> bool {
        match self.progress {
            Some(Progress { n_jobs, n_served }) => monitor.is_interrupted_after(n_served, n_jobs),
            None => monitor.is_interrupted(),
        }
    }

    fn next_leaf(&mut self, session: &mut Session<'_>) -> Option<QueueRef> {
        let mut parent = None;
        loop {
            let child = self.children(parent).top()?;
            if self.branch(child).is_dirty {
                let mut heap = self.take(parent);
                heap.fix(0, |l, r| self.less(session, l, r));
                self.give(parent, heap);
                self.branch(child).is_dirty = false;
            } else if self.branch(child).children.is_empty() {
                return Some(child);
            } else {
                parent = Some(child);
            }
        }
    }

    /// Children of a queue in serving order, assuming no placements; empties their heap.
    pub fn in_order(&mut self, session: &mut Session<'_>, parent: Option<QueueRef>) -> Vec<QueueRef> {
        let mut order = Vec::new();
        if parent.is_some_and(|queue| self.branches[queue.ix()].is_none()) {
            return order;
        }
        let mut heap = self.take(parent);
        while let Some(top) = heap.top() {
            if std::mem::take(&mut self.branch(top).is_dirty) {
                heap.fix(0, |l, r| self.less(session, l, r));
            } else {
                heap.pop(|l, r| self.less(session, l, r));
                order.push(top);
            }
        }
        order
    }

    /// The job with which a queue is compared: the top job of its best leaf.
    pub fn first_job(&self, queue: QueueRef) -> Option<JobRef> {
        self.best(queue).map(|(_, job)| job)
    }

    /// The leaf reached by following the tops, and its top job.
    fn best(&self, queue: QueueRef) -> Option<(QueueRef, JobRef)> {
        let mut leaf = queue;
        loop {
            let branch = self.branches[leaf.ix()].as_ref()?;
            match branch.children.top() {
                Some(child) => leaf = child,
                None => return branch.jobs.top().map(|job| (leaf, job)),
            }
        }
    }

    /// What the popped victims of a leaf hold. Attempts leave residues in inexact sums, so these are added up again.
    fn popped_from(&self, state: &SessionState, leaf: QueueRef) -> Quantities {
        let popped = &self.popped[leaf.ix()];
        if state.sums_are_exact {
            return popped.sum;
        }
        popped.jobs.iter().fold(Quantities::default(), |sum, &job| sum + state.jobs[job.ix()].allocated)
    }

    pub(in crate::policy::kai) fn less(&self, session: &mut Session<'_>, l: QueueRef, r: QueueRef) -> bool {
        match (self.best(l), self.best(r)) {
            (None, _) => !self.is_victim,
            (_, None) => self.is_victim,
            (Some((_, lj)), Some((_, rj))) if !self.is_victim => {
                let with = |job| With { job: Some(job), ..With::default() };
                session.queue_goes_first(l, r, with(lj), with(rj))
            }
            (Some((ll, lj)), Some((rl, rj))) => {
                let with = |leaf: QueueRef, job: JobRef| {
                    let victims = self.popped_from(&session.state, leaf) + session.job(job).allocated;
                    With { job: None, victims }
                };
                let (lw, rw) = (with(ll, lj), with(rl, rj));
                !session.queue_goes_first(l, r, lw, rw)
            }
        }
    }
}
