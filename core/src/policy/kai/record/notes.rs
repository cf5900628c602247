//! Notes kept during a cycle for its explanations, such as why a chunk was not placed: only from level *decisive* on,
//! except for choices between equals.
//!
//! # Source
//! kai.md 5.2, 5.3

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::id::{PodId, QueueId};
use crate::policy::kai::number::{Quantities, UNLIMITED};
use crate::policy::kai::task::{JobRef, NodeRef, PodRef, QueueRef, TaskRef};
use crate::trace::{
    Check, EXPLAINED_MAX, Emptied, EvictReason, FreeGpus, LedgerRow, Level, Mark, NodeReason, Quantity, Rule, Subject,
    Term, Value,
};
use crate::units::{PerResource, Resource};

#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Notes {
    pub level: Level,
    /// The pod whose events are explained, if not the first ones are; see [`crate::trace::Trace::explained`].
    pub explained: Option<PodId>,
    /// Every comparison, at level *every*.
    pub checks: Vec<Check>,
    /// By the session's own jobs, those about which something was noted; empty below level *refusals*.
    jobs: Vec<Option<Box<Note>>>,
    /// The note of all others.
    nothing: Note,
    /// Capacity test of the chunk being placed.
    pub gate: Vec<Check>,
    /// Why the last pod without a node fits none.
    pub misfits: Option<Rc<Misfits>>,
    /// Comparisons that selected a pod's node.
    pub placed: BTreeMap<PodRef, Arc<[Check]>>,
    /// The present search for victims.
    pub search: Tried,
    /// Choices between equals, at any level.
    pub ties: Ties,
    /// The session's own jobs by queue, once asked for.
    pub jobs_by_queue: OnceCell<Vec<Vec<JobRef>>>,
}

/// Why a job has not been served yet.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Note {
    /// It was not placed on free room.
    pub not_placed: Option<Failure>,
    /// Its queue may not reclaim.
    pub not_entitled: Option<Check>,
    /// An equivalent job failed before.
    pub like: Option<JobRef>,
    /// Its chunk would put non-preemptible work over quota (preempt).
    pub over_quota: Option<Failure>,
    /// Number of attempts of the solver; `None` if the solver did not run.
    pub tried: Option<u32>,
    /// What the solver tried without result.
    pub searched: Option<Tried>,
    /// Comparisons of the validator's latest refusal.
    pub refused: Vec<Check>,
    /// The pods whose allocation they subtract.
    pub taken: Vec<PodId>,
    /// Why there were no candidates.
    pub immovable: Vec<Check>,
    /// Minimum runtimes that alone protect candidates, with their ends in seconds.
    pub protected: Vec<(Check, f64)>,
}

/// Comparisons that allow evictions.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct Proof {
    /// For all victims.
    pub common: Vec<Check>,
    /// By the victims' leaf queue.
    pub by_queue: Vec<(QueueRef, EvictReason, Vec<Check>)>,
    /// Pods whose allocation the comparisons subtract.
    pub taken: Vec<PodId>,
}

impl Proof {
    /// Adds an eviction from a queue, keeping the strongest reason that any unit needs; `checks` is empty where
    /// comparisons are not recorded.
    pub fn add_eviction(&mut self, queue: QueueRef, reason: EvictReason, checks: Vec<Check>) {
        match self.by_queue.iter_mut().find(|entry| entry.0 == queue) {
            Some(entry) => {
                entry.1 = entry.1.max(reason);
                entry.2.extend(checks);
            }
            None => self.by_queue.push((queue, reason, checks)),
        }
    }

    /// All comparisons.
    pub fn into_checks(self) -> Vec<Check> {
        self.by_queue.into_iter().flat_map(|q| q.2).chain(self.common).collect()
    }
}

impl Notes {
    /// Empty notes for a number of jobs.
    pub fn new(level: Level, n_jobs: usize) -> Self {
        let n = if level >= Level::Refusals { n_jobs } else { 0 };
        Notes { level, jobs: (0..n).map(|_| None).collect(), ..Notes::default() }
    }
    /// Whether explanations are recorded.
    pub fn is_on(&self) -> bool {
        self.level >= Level::Refusals
    }
    /// Whether the comparisons that select a pod's node are kept.
    pub fn explains(&self, pod: PodId) -> bool {
        let is_explained = self.explained.map_or(self.placed.len() < EXPLAINED_MAX, |explained| explained == pod);
        is_explained && self.level >= Level::Decisive
    }
    /// The note of a job.
    pub fn of(&self, job: JobRef) -> &Note {
        self.jobs.get(job.ix()).and_then(Option::as_deref).unwrap_or(&self.nothing)
    }
    /// Changes the note of a job.
    pub fn about(&mut self, job: JobRef, note: impl FnOnce(&mut Note)) {
        if let Some(about) = self.jobs.get_mut(job.ix()) {
            note(about.get_or_insert_default());
        }
    }
    /// Records a comparison at level *every*.
    pub fn check(&mut self, check: impl FnOnce() -> Check) {
        if self.level >= Level::Every {
            self.checks.push(check());
        }
    }
}

/// Displayed form of an amount, with -1 as unlimited.
pub(in crate::policy::kai) fn shown(amount: f64) -> f64 {
    if amount == UNLIMITED { f64::INFINITY } else { amount }
}

/// A bound or amount of all three resources.
pub(in crate::policy::kai) fn triple(quantity: Quantity, amounts: Quantities) -> Term {
    Term::new(quantity, Value::Triple(amounts.to_array().map(shown)))
}

/// An allocation with a job's request, computed from both.
pub(in crate::policy::kai) fn with_need(quantity: Quantity, allocated: Quantities, need: Quantities) -> Term {
    let parts = vec![triple(Quantity::Before, allocated), triple(Quantity::Request, need)];
    triple(quantity, allocated + need).computed_from(parts)
}

pub(in crate::policy::kai) fn real(quantity: Quantity, value: f64) -> Term {
    Term::new(quantity, Value::Real(value))
}

/// A count, priority or truth value.
pub(in crate::policy::kai) fn count(quantity: Quantity, value: i64) -> Term {
    Term::new(quantity, Value::Count(value))
}

/// Amounts in the form of a ledger.
pub(in crate::policy::kai) fn per_resource(quantities: Quantities) -> PerResource<f64> {
    let Quantities { cpu, memory, gpu } = quantities;
    PerResource { cpu: shown(cpu), memory: shown(memory), gpu: shown(gpu) }
}

/// The row of a queue invisible to the scheduler.
pub(in crate::policy::kai) fn empty_row(queue: QueueId) -> LedgerRow {
    let none = PerResource::default();
    LedgerRow { fair_share: Some(none), limit: none, ..LedgerRow::empty(queue) }
}

/// Maximum number of choices kept for one decision.
const TIES_MAX: usize = 16;

/// Maximum number of marks of a cycle.
const MARKS_MAX: usize = 64;

/// Choices between equals before a decision, and those that led to one.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Ties {
    open: Vec<Mark>,
    pub marks: Vec<Mark>,
}

impl Ties {
    /// Records a choice that only a registered order decided.
    pub fn met(&mut self, rule: Rule, subject: Subject) {
        let mark = Mark { rule, subject };
        if self.open.len() < TIES_MAX && !self.open.contains(&mark) {
            self.open.push(mark);
        }
    }
    /// Number of open choices, for [`Self::forget`].
    pub fn len(&self) -> usize {
        self.open.len()
    }
    /// Drops the choices made since, after a discarded attempt.
    pub fn forget(&mut self, len: usize) {
        self.open.truncate(len);
    }
    /// Turns the open choices into marks after a decision.
    pub fn decided(&mut self) {
        for mark in std::mem::take(&mut self.open) {
            self.mark(mark);
        }
    }
    /// Adds a mark without an open choice.
    pub fn mark(&mut self, mark: Mark) {
        if self.marks.len() < MARKS_MAX && !self.marks.contains(&mark) {
            self.marks.push(mark);
        }
    }
}

/// What the searches for a job have tried.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct Tried {
    /// Number of pods to place together.
    pub pods: u32,
    /// The largest number of them for which a set of victims sufficed.
    pub placed: u32,
    /// Number of sets.
    pub sets: u32,
    /// Nodes of the victims, in the order in which they were first tried.
    pub nodes: Vec<NodeRef>,
    node_set: BTreeSet<NodeRef>,
    /// How the nodes of the last sufficient set were selected.
    pub emptied: Option<Emptied>,
}

impl Tried {
    /// The beginning of a search for a number of pods.
    pub fn of(pods: usize) -> Tried {
        Tried { pods: pods as u32, ..Tried::default() }
    }

    /// Adds a node.
    pub fn add(&mut self, node: NodeRef) {
        if self.node_set.insert(node) {
            self.nodes.push(node);
        }
    }

    /// Adds a later search for the same job; if that one is for another number of pods, it says how many were placed.
    pub fn join(&mut self, other: Tried) {
        let before = if self.pods == other.pods { self.placed } else { 0 };
        (self.pods, self.placed) = (other.pods, other.placed.max(before));
        self.sets += other.sets;
        other.nodes.into_iter().for_each(|node| self.add(node));
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::policy::kai) enum Failure {
    /// The chunk has no task: the subgroups that lack pods have none that could be placed.
    NoTask,
    /// The chunk as a whole exceeds a bound of a queue.
    Excess(Excess),
    /// No node could hold the task even when empty.
    TooLarge { task: TaskRef, resource: Resource },
    /// No node fits the task.
    NoNode { task: TaskRef, placed: u32, of: u32, reasons: Vec<(NodeReason, u32)>, free: Option<FreeGpus> },
}

/// First queue and resource (0 CPU, 1 memory, 2 GPU) at which a chunk exceeds a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::policy::kai) struct Excess {
    pub queue: QueueRef,
    pub resource: usize,
    /// Whether the bound is the quota of non-preemptible work, not the limit.
    pub of_quota: bool,
    pub allocated: f64,
    pub requested: f64,
    pub bound: f64,
}

/// Why a pod fits no node.
#[derive(Debug)]
pub(in crate::policy::kai) struct Misfits {
    pub reasons: Vec<(NodeReason, u32)>,
    /// Nodes that no selector, taint or state excludes.
    pub open: Vec<NodeRef>,
    /// GPUs on them.
    pub free: FreeGpus,
}
