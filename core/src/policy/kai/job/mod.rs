//! State of a job: current object of each pod, counters by pod set and status, cached chunk.
//!
//! # Rule
//! `UpdateStatus(job, t, s)`: subtract the request of the job's current object for t's pod from `allocated` if that
//! object is in an allocated status; if any task is indexed under *t's* status, unindex t's pod there and decrement the
//! active count if that status is active; set the status; t itself becomes the job's object for the pod. The caches are
//! cleared.
//!
//! # Source
//! kai.md 1.3, 4.3
//!
//! # Differs
//! nothing; Q-5 (a committed eviction keeps the cached chunk) reproduced

pub(super) mod chunk;
pub(super) mod semi;
pub(super) mod subgroups;

use std::sync::Arc;

use smallvec::SmallVec;

use super::number::Quantities;
use super::revision::Revision;
use super::task::{JobRef, PodRef, QueueRef, STATUSES, Status, TaskRef};
use crate::cluster::Preemptible;
use crate::id::JobId;
use crate::time::Time;
use subgroups::{Fill, Group, SetSpec, least_minimum};

/// A job at the opening of a cycle. Dereferences to its immutable facts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JobFacts {
    pub traits: Arc<JobTraits>,
    /// Its queue; `None` if no queue has that name.
    pub queue: Option<QueueRef>,
    /// Whether that queue is a leaf of a complete tree, so that the job is ordered.
    pub is_ordered: bool,
    /// Whether it was tried, so that only its allocation remains visible.
    pub is_set_aside: bool,
    pub first_pod: PodRef,
    /// Number of pods that exist.
    pub n_pods: usize,
    /// Last start, if ever.
    pub last_start_s: Option<f64>,
    /// Start of its staleness.
    pub stale_since_s: Option<f64>,
    /// Last eviction of one of its pods for another job, if ever.
    pub last_eviction_s: Option<f64>,
    /// Allocation, where a recording differs from the sum over pods.
    pub allocated: Option<Quantities>,
}

impl JobFacts {
    /// Positions of its pods.
    pub fn pods(&self) -> std::ops::Range<usize> {
        self.first_pod.ix()..self.first_pod.ix() + self.n_pods
    }
}

impl std::ops::Deref for JobFacts {
    type Target = JobTraits;

    fn deref(&self) -> &JobTraits {
        &self.traits
    }
}

/// Immutable facts about a job.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JobTraits {
    pub id: JobId,
    pub name: Arc<str>,
    /// Number of jobs that precede it by name.
    pub n_before: u32,
    pub priority: i64,
    pub preemptible: Preemptible,
    pub created_s: f64,
    /// Whether it may be tried only once in this node pool.
    pub is_tried_once: bool,
    /// How long after its creation or an eviction it may not evict others.
    pub preemption_delay_s: Option<f64>,
    /// Its own staleness grace period, if any; `Some(None)`: never evicted.
    pub staleness_grace_s: Option<Option<f64>>,
    /// Whether sums of all requests are exact.
    pub is_whole: bool,
    /// Number of pods, including those that do not exist yet or any more.
    pub n_pods: u32,
    /// Rank in job order; fill is set later.
    pub rank: JobRank,
    pub shape: JobShape,
}

/// State of a job between cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JobMemory {
    /// Last start by the allocate action.
    pub last_start: Option<Time>,
    /// Start of its staleness.
    pub stale_since: Option<Time>,
    /// Last eviction of one of its pods for another job.
    pub last_eviction: Option<Time>,
    /// Last offer to the pool at which a job with a single try stayed pending.
    pub tried_at: Option<u32>,
    /// Whether one of its pods was stuck in the last cycle.
    pub has_stuck_pod: bool,
    /// Whether it claimed room in the last cycle.
    pub has_claim: bool,
    /// Whether it lost a claim and none of its pods has been placed since.
    pub lost_a_claim: bool,
}

/// Pod sets of a job, sorted by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JobShape {
    /// Minimum number of pods of each set placed together.
    pub minimums: SmallVec<[i64; 1]>,
    /// Tree of the subgroups; `None` if it is flat.
    pub tree: Option<Arc<Group>>,
}

impl JobShape {
    /// Builds the shape from pod sets sorted by name.
    pub fn of(revision: Revision, sets: &[SetSpec<'_>], min_sub_group: impl Fn(&str) -> Option<usize>) -> JobShape {
        let least = least_minimum(revision);
        let tree = Group::of(sets, min_sub_group);
        JobShape {
            minimums: sets.iter().map(|set| set.min_available.max(least)).collect(),
            tree: (!tree.is_flat()).then(|| Arc::new(tree)),
        }
    }
}

/// Pod sets of a job; most jobs have one.
pub(super) type Sets = SmallVec<[PodSet; 1]>;
/// Indices of a job's pod sets.
pub(super) type SetOrder = SmallVec<[usize; 1]>;
/// Tasks placed together.
pub(super) type Chunk = SmallVec<[TaskRef; 2]>;

#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The original job in the session; itself unless this is a clone.
    pub uid: JobRef,
    /// Sorted by name.
    pub sets: Sets,
    /// Tree of its subgroups; `None` if it is flat.
    pub tree: Option<Arc<Group>>,
    /// By pod, from the job's first one.
    pub slots: SmallVec<[Slot; 1]>,
    /// Rank in job order.
    pub rank: JobRank,
    pub allocated: Quantities,
    pub n_active_allocated: i64,
    indexed: [u32; STATUSES],
    pub chunk: Option<Chunk>,
    pub need: Option<Quantities>,
    pub signature: Option<u32>,
    pub last_start_s: Option<f64>,
    pub stale_since_s: Option<f64>,
    /// Amount of a semi-preemptible job counted as non-preemptible in its queues.
    pub core: Quantities,
}

#[derive(Clone, Debug, Default)]
pub(super) struct PodSet {
    pub min_available: i64,
    pub n_pods: i64,
    pub active_allocated: i64,
    pub active_used: i64,
    pub alive: i64,
    pub gated: i64,
}

/// Current object of a pod.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub task: Option<TaskRef>,
    /// Status under which the pod set counts it.
    counted: Status,
    /// Bit set of statuses under which the job's index lists the pod.
    indexed: u16,
}

impl PodSet {
    fn count(&mut self, status: Status, change: i64) {
        self.n_pods += change;
        self.active_allocated += if status.is_active_allocated() { change } else { 0 };
        self.active_used += if status.is_active_used() { change } else { 0 };
        self.alive += if status.is_alive() { change } else { 0 };
        self.gated += if status == Status::Gated { change } else { 0 };
    }
    /// Active pods and the minimum.
    pub fn fill(&self) -> Fill {
        Fill { has: self.active_allocated, needs: self.min_available }
    }
    /// Whether more tasks than the minimum are active.
    pub fn is_above(&self) -> bool {
        self.active_allocated > self.min_available
    }
    /// Whether fewer tasks than the minimum are active.
    pub fn is_below(&self) -> bool {
        self.active_allocated < self.min_available
    }
}

impl Job {
    /// A job without tasks at the opening.
    pub fn new(uid: JobRef, facts: &JobFacts) -> Self {
        let set = |&min_available: &i64| PodSet { min_available, ..PodSet::default() };
        Job {
            last_start_s: facts.last_start_s,
            stale_since_s: facts.stale_since_s,
            tree: facts.shape.tree.clone(),
            ..Job::with(uid, facts.shape.minimums.iter().map(set).collect(), facts.n_pods)
        }
    }

    /// A job with these pod sets and without tasks.
    pub fn with(uid: JobRef, sets: Sets, n_pods: usize) -> Self {
        Job {
            uid,
            sets,
            tree: None,
            slots: SmallVec::from_elem(Slot::default(), n_pods),
            rank: JobRank::default(),
            allocated: Quantities::default(),
            n_active_allocated: 0,
            indexed: [0; STATUSES],
            chunk: None,
            need: None,
            signature: None,
            last_start_s: None,
            stale_since_s: None,
            core: Quantities::default(),
        }
    }

    /// Its task objects, by pod name.
    pub fn tasks(&self) -> impl DoubleEndedIterator<Item = TaskRef> {
        self.slots.iter().filter_map(|s| s.task)
    }
    /// Whether any pod is indexed as pending.
    pub fn has_pending(&self) -> bool {
        self.indexed[Status::Pending.ix()] > 0
    }
    /// Whether any pod is indexed as pending or gated.
    pub fn is_waiting(&self) -> bool {
        self.has_pending() || self.indexed[Status::Gated.ix()] > 0
    }
    /// Whether enough pods are alive and not gated.
    pub fn is_ready(&self) -> bool {
        let is_ready = |set: &PodSet| set.alive - set.gated >= set.min_available;
        match &self.tree {
            None => self.sets.iter().all(is_ready),
            Some(tree) => tree.holds(&|set| is_ready(&self.sets[set])),
        }
    }
    /// Active pods and minimum of each pod set.
    pub fn fills(&self) -> SmallVec<[Fill; 1]> {
        self.sets.iter().map(PodSet::fill).collect()
    }
    /// Whether every pod set uses at least its minimum.
    pub fn is_gang_satisfied(&self) -> bool {
        self.sets.iter().all(|s| s.active_used >= s.min_available)
    }
    /// Whether some pod set has more pods than its minimum.
    pub fn is_elastic(&self) -> bool {
        self.sets.iter().any(|s| s.min_available < s.n_pods)
    }
    /// Active tasks compared with the minimum.
    pub fn filled(&self) -> Filled {
        if self.sets.iter().any(PodSet::is_below) {
            Filled::Below
        } else if self.sets.iter().all(|s| s.active_allocated == s.min_available) {
            Filled::Exactly
        } else {
            Filled::Above
        }
    }
    /// Number of active tasks, including releasing ones.
    pub fn active_used(&self) -> i64 {
        self.sets.iter().map(|s| s.active_used).sum()
    }

    /// Removes a pod from the index of a status.
    pub fn unindex(&mut self, slot: usize, status: Status) {
        if self.indexed[status.ix()] > 0 {
            if self.slots[slot].indexed & (1 << status.ix()) != 0 {
                self.slots[slot].indexed &= !(1 << status.ix());
                self.indexed[status.ix()] -= 1;
            }
            if status.is_active_allocated() {
                self.n_active_allocated -= 1;
            }
        }
    }

    /// Puts a task object into a slot.
    pub fn assign(&mut self, slot: usize, set: usize, task: TaskRef, status: Status, plain: Quantities) {
        if self.slots[slot].task.is_some() {
            let counted = self.slots[slot].counted;
            self.sets[set].count(counted, -1);
        }
        self.slots[slot].task = Some(task);
        self.slots[slot].counted = status;
        self.sets[set].count(status, 1);
        if self.slots[slot].indexed & (1 << status.ix()) == 0 {
            self.slots[slot].indexed |= 1 << status.ix();
            self.indexed[status.ix()] += 1;
        }
        if status.is_active_allocated() {
            self.n_active_allocated += 1;
        }
        if status.is_allocated() {
            self.allocated += plain;
        }
        self.chunk = None;
        self.need = None;
    }
}

/// Active pods compared with the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy::kai) enum Filled {
    Below,
    Exactly,
    Above,
}

/// A job's rank as one integer: priority, fill, age and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy::kai) struct JobRank(u64);

impl JobRank {
    const FILLED: u32 = 30;
    /// `priority` and `age` count the distinct priorities and the jobs that come before.
    fn new(priority: usize, age: usize) -> Self {
        JobRank((priority as u64) << (Self::FILLED + 2) | age as u64)
    }
    /// The same rank with another fill.
    pub fn with(self, filled: Filled) -> Self {
        JobRank(self.0 & !(3 << Self::FILLED) | (filled as u64) << Self::FILLED)
    }
}

/// Ranks of jobs from (priority, creation), given in order of their names; fill is set later.
pub(in crate::policy::kai) fn job_ranks(jobs: &[(i64, f64)], has_priorities: bool) -> Vec<JobRank> {
    let mut priorities: Vec<i64> = Vec::new();
    if has_priorities {
        priorities.extend(jobs.iter().map(|job| job.0));
        priorities.sort_by_key(|&p| std::cmp::Reverse(p));
        priorities.dedup();
    }
    let mut by_age: Vec<usize> = (0..jobs.len()).collect();
    by_age.sort_by(|&l, &r| jobs[l].1.partial_cmp(&jobs[r].1).expect("moments are never NaN"));
    let mut ranks = vec![JobRank::default(); jobs.len()];
    for (age, i) in by_age.into_iter().enumerate() {
        let rank = priorities.binary_search_by(|p| jobs[i].0.cmp(p)).unwrap_or(0);
        ranks[i] = JobRank::new(rank, age);
    }
    ranks
}
