//! Operations in thought, each with its inverse, committed together or not at all.
//!
//! # Rule
//! *Evict*, *pipeline* and *allocate* change task, node and queues at once and are recorded. Undoing one runs its inverse
//! and records an *undo* whose own inverse does the operation again; an operation is valid unless the earliest undo of
//! it is. Rollback undoes from the end down to a checkpoint and forgets what it undid. Pipelining a task onto the node
//! it was evicted from takes the eviction back instead, unless it changes its shared devices there. Commit carries the
//! valid operations out in order.
//!
//! # Source
//! kai.md 4.4
//!
//! # Differs
//! nothing; Q-6 (moving a task between devices of its node leaks when undone) and Q-11 (only the first of two evictions
//! of a task is taken back) reproduced

use super::session::Session;
use super::snapshot::Status;
use super::task::{GroupRef, JobRef, NodeRef, Task, TaskRef};

/// Operations in thought.
#[derive(Debug, Default)]
pub(super) struct Statement {
    ops: Vec<Op>,
}

/// A committed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Bound(TaskRef, NodeRef),
    Claimed(TaskRef, NodeRef),
    Evicted(TaskRef),
}

/// One operation, with what it takes to undo it.
#[derive(Clone, Debug)]
enum Op {
    Evict { task: TaskRef, before: Before },
    Pipeline { task: TaskRef, before: Before, host: NodeRef },
    Allocate { task: TaskRef, was_virtual: bool, host: NodeRef },
    Undo(usize),
}

/// A task's state before an operation.
#[derive(Clone, Debug)]
struct Before {
    status: Status,
    node: Option<NodeRef>,
    groups: Vec<GroupRef>,
    is_virtual: bool,
}

impl Before {
    fn of(task: &Task) -> Self {
        Before {
            status: task.status,
            node: task.node,
            groups: task.groups.clone(),
            is_virtual: task.is_virtual,
        }
    }
}

/// The node does not hold the task that an operation is about.
#[derive(Debug)]
pub(super) struct NotHeld;

impl Session<'_> {
    fn node_add(&mut self, host: NodeRef, task: TaskRef) -> bool {
        let t = &mut self.tasks[task.ix()];
        self.nodes[host.ix()].add(&self.pods[t.pod.ix()].request, t)
    }
    fn node_update(&mut self, host: NodeRef, task: TaskRef) -> bool {
        let t = &mut self.tasks[task.ix()];
        self.nodes[host.ix()].update(&self.pods[t.pod.ix()].request, t)
    }
    fn node_remove(&mut self, host: NodeRef, task: TaskRef) {
        let pod = self.tasks[task.ix()].pod;
        self.nodes[host.ix()].remove(&self.pods[pod.ix()].request, pod);
    }

    /// Told to go at once, outside any statement.
    pub fn evict_now(&mut self, task: TaskRef) {
        self.update_status(task, Status::Releasing);
        if let Some(node) = self.tasks[task.ix()].node {
            self.node_update(node, task);
        }
        self.account(task, false);
        self.has_evicted = true;
        self.waiting = None;
    }
}

impl Statement {
    /// A place to roll back to.
    pub fn checkpoint(&self) -> usize {
        self.ops.len()
    }

    /// Evicts a task.
    pub fn evict(&mut self, s: &mut Session<'_>, task: TaskRef) -> Result<(), NotHeld> {
        let before = Before::of(s.task(task));
        s.update_status(task, Status::Releasing);
        let held = before.node.is_some_and(|node| s.node_update(node, task));
        if !held {
            s.waiting = None;
            return Err(NotHeld);
        }
        s.account(task, false);
        s.tasks[task.ix()].is_virtual = true;
        self.ops.push(Op::Evict { task, before });
        Ok(())
    }

    fn unevict(s: &mut Session<'_>, task: TaskRef, before: &Before) {
        s.update_status(task, before.status);
        let t = &mut s.tasks[task.ix()];
        t.groups.clone_from(&before.groups);
        t.is_virtual = before.is_virtual;
        let node = before.node.expect("evicted tasks were on a node");
        if !s.node_update(node, task) {
            s.node_add(node, task);
        }
        s.account(task, true);
    }

    /// Places a task on room that may not be free yet.
    pub fn pipeline(&mut self, s: &mut Session<'_>, task: TaskRef, host: NodeRef, update_if_exists: bool) {
        let pod = s.task(task).pod;
        let stored = s.nodes[host.ix()].stored(pod).map(|t| t.groups.clone());
        let mut before = Before::of(s.task(task));
        let is_held = stored.is_some();
        let mut moves = false;
        if let Some(stored) = stored {
            moves = s.task(task).accepted.shared && !before.groups.is_empty() && before.groups != stored;
            if !update_if_exists && !moves {
                s.tasks[task.ix()].groups = stored;
                self.take_back_eviction(s, task);
                return;
            }
            if moves {
                before.groups = stored;
            }
        }
        s.update_status(task, Status::Pipelined);
        s.tasks[task.ix()].node = Some(host);
        if moves {
            s.nodes[host.ix()].forget(pod);
            s.node_add(host, task);
        } else if is_held {
            s.node_update(host, task);
        } else {
            s.node_add(host, task);
        }
        s.account(task, true);
        s.tasks[task.ix()].is_virtual = true;
        self.ops.push(Op::Pipeline { task, before, host });
    }

    fn take_back_eviction(&mut self, s: &mut Session<'_>, task: TaskRef) {
        let pod = s.task(task).pod;
        let is_eviction = |op: &Op| matches!(op, Op::Evict { task, .. } if s.task(*task).pod == pod);
        let found = (0..self.ops.len()).find(|&i| is_eviction(&self.ops[i]) && self.is_valid(i));
        if let Some(i) = found {
            self.undo(s, i);
        }
    }

    fn unpipeline(s: &mut Session<'_>, task: TaskRef, before: &Before, host: NodeRef) {
        s.update_status(task, before.status);
        let t = &mut s.tasks[task.ix()];
        t.node = before.node;
        t.groups.clone_from(&before.groups);
        t.is_virtual = before.is_virtual;
        s.node_remove(host, task);
        s.account(task, false);
    }

    /// Places a task on free room.
    pub fn allocate(&mut self, s: &mut Session<'_>, task: TaskRef, host: NodeRef) {
        let was_virtual = s.task(task).is_virtual;
        s.update_status(task, Status::Allocated);
        s.tasks[task.ix()].node = Some(host);
        s.node_add(host, task);
        s.account(task, true);
        let recorded = s.clone_task(task);
        s.tasks[task.ix()].is_virtual = true;
        self.ops.push(Op::Allocate { task: recorded, was_virtual, host });
    }

    fn unallocate(s: &mut Session<'_>, task: TaskRef, was_virtual: bool, host: NodeRef) {
        s.update_status(task, Status::Pending);
        s.node_remove(host, task);
        s.tasks[task.ix()].node = None;
        s.tasks[task.ix()].is_virtual = was_virtual;
        s.account(task, false);
    }

    fn is_valid(&self, i: usize) -> bool {
        let undo = (i + 1..self.ops.len()).find(|&u| matches!(self.ops[u], Op::Undo(of) if of == i));
        undo.is_none_or(|u| !self.is_valid(u))
    }

    fn undo(&mut self, s: &mut Session<'_>, i: usize) {
        match self.ops[i].clone() {
            Op::Evict { task, before } => Self::unevict(s, task, &before),
            Op::Pipeline { task, before, host } => Self::unpipeline(s, task, &before, host),
            Op::Allocate { task, was_virtual, host } => Self::unallocate(s, task, was_virtual, host),
            Op::Undo(of) => self.again(s, of),
        }
        self.ops.push(Op::Undo(i));
    }

    fn again(&mut self, s: &mut Session<'_>, i: usize) {
        match self.ops[i].clone() {
            Op::Evict { task, .. } => drop(self.evict(s, task)),
            Op::Pipeline { task, host, .. } => self.pipeline(s, task, host, true),
            Op::Allocate { task, host, .. } => self.allocate(s, task, host),
            Op::Undo(of) => self.undo(s, of),
        }
    }

    /// Undoes everything since a checkpoint.
    pub fn rollback(&mut self, s: &mut Session<'_>, checkpoint: usize) {
        for i in (checkpoint..self.ops.len()).rev() {
            if self.is_valid(i) {
                self.undo(s, i);
            }
        }
        self.ops.truncate(checkpoint);
    }

    /// Undoes everything.
    pub fn discard(mut self, s: &mut Session<'_>) {
        self.rollback(s, 0);
    }

    /// Turns all allocations of a job into claims.
    pub fn convert_to_pipelined(&mut self, s: &mut Session<'_>, job: JobRef) {
        let n = self.ops.len();
        let is_allocation =
            |s: &Session<'_>, op: &Op| matches!(op, Op::Allocate { task, .. } if s.job_of(*task) == job);
        for i in 0..n {
            if let Op::Allocate { task, host, .. } = self.ops[i]
                && s.job_of(task) == job
            {
                Self::unallocate(s, task, true, host);
                self.pipeline(s, task, host, true);
            }
        }
        self.ops.retain(|op| !is_allocation(s, op));
    }

    /// Carries the valid operations out.
    pub fn commit(self, s: &mut Session<'_>) -> Vec<Done> {
        s.waiting = None;
        s.ties.decided();
        let mut done = Vec::new();
        for i in 0..self.ops.len() {
            if !self.is_valid(i) {
                continue;
            }
            match self.ops[i] {
                Op::Evict { task, .. } => {
                    s.tasks[task.ix()].is_virtual = false;
                    s.has_evicted = true;
                    done.push(Done::Evicted(task));
                }
                Op::Pipeline { task, host, .. } => done.push(Done::Claimed(task, host)),
                Op::Allocate { task, host, .. } => {
                    s.update_status(task, Status::Binding);
                    done.push(Done::Bound(task, host));
                }
                Op::Undo(_) => (),
            }
        }
        done
    }
}
