//! Tentative operations, each with its inverse, committed together or not at all.
//!
//! # Rule
//! *Evict*, *pipeline* and *allocate* change task, node and queues at once and are recorded. Undoing one runs its
//! inverse and records an *undo* whose own inverse repeats the operation; an operation is valid unless the earliest
//! undo of it is. Rollback undoes from the end down to a checkpoint and drops the undone records. Pipelining a task
//! onto the node from which it was evicted undoes the eviction instead, unless it changes its shared devices there.
//! Commit executes the valid operations in order.
//!
//! # Source
//! kai.md 4.4
//!
//! # Differs
//! nothing; Q-6 (moving a task between devices of its node leaks when undone) and Q-11 (only the first of two evictions
//! of a task is undone) reproduced

use super::session::Session;
use super::task::{GroupRef, JobRef, NodeRef, Status, Task, TaskRef};

/// Tentative operations.
#[derive(Debug, Default)]
pub(super) struct Statement {
    ops: Vec<Op>,
    /// By operation: its earliest undo.
    undone: Vec<Option<usize>>,
}

/// A committed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Bound(TaskRef, NodeRef),
    Claimed(TaskRef, NodeRef),
    Evicted(TaskRef),
}

impl Done {
    pub fn task(self) -> TaskRef {
        let (Done::Bound(task, _) | Done::Claimed(task, _) | Done::Evicted(task)) = self;
        task
    }
}

/// One operation, with the state required to undo it.
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
        Before { status: task.status, node: task.node, groups: task.groups.clone(), is_virtual: task.is_virtual }
    }
}

/// The node does not hold the task of an operation.
#[derive(Debug)]
pub(super) struct NotHeld;

impl Session<'_> {
    fn node_add(&mut self, host: NodeRef, task: TaskRef) -> bool {
        self.caches.classes.changed(host);
        let t = &mut self.state.tasks[task.ix()];
        self.state.nodes[host.ix()].add(&self.inputs.pods[t.pod.ix()].request, t)
    }
    fn node_update(&mut self, host: NodeRef, task: TaskRef) -> bool {
        self.caches.classes.changed(host);
        let t = &mut self.state.tasks[task.ix()];
        self.state.nodes[host.ix()].update(&self.inputs.pods[t.pod.ix()].request, t)
    }
    fn node_remove(&mut self, host: NodeRef, task: TaskRef) {
        self.caches.classes.changed(host);
        let pod = self.state.tasks[task.ix()].pod;
        self.state.nodes[host.ix()].remove(&self.inputs.pods[pod.ix()].request, pod);
    }

    /// Evicts a task at once, outside any statement.
    pub fn evict_now(&mut self, task: TaskRef) {
        self.update_status(task, Status::Releasing);
        if let Some(node) = self.state.tasks[task.ix()].node {
            self.node_update(node, task);
        }
        self.account(task, false);
        self.state.evicted.insert(self.state.tasks[task.ix()].pod);
        self.caches.waiting = None;
    }
}

impl Statement {
    /// Position for [`Self::rollback`].
    pub fn checkpoint(&self) -> usize {
        self.ops.len()
    }

    /// Evicts a task.
    pub fn evict(&mut self, s: &mut Session<'_>, task: TaskRef) -> Result<(), NotHeld> {
        let before = Before::of(s.task(task));
        s.update_status(task, Status::Releasing);
        let is_held = before.node.is_some_and(|node| s.node_update(node, task));
        if !is_held {
            s.caches.waiting = None;
            return Err(NotHeld);
        }
        s.account(task, false);
        s.state.tasks[task.ix()].is_virtual = true;
        self.push(Op::Evict { task, before });
        Ok(())
    }

    fn unevict(s: &mut Session<'_>, task: TaskRef, before: &Before) {
        s.update_status(task, before.status);
        let t = &mut s.state.tasks[task.ix()];
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
        let stored = s.state.nodes[host.ix()].stored(pod).map(|t| t.groups.clone());
        let mut before = Before::of(s.task(task));
        let is_held = stored.is_some();
        let mut moves = false;
        if let Some(stored) = stored {
            moves = s.task(task).accepted.shared && !before.groups.is_empty() && before.groups != stored;
            if !update_if_exists && !moves {
                s.state.tasks[task.ix()].groups = stored;
                self.take_back_eviction(s, task);
                return;
            }
            if moves {
                before.groups = stored;
            }
        }
        s.update_status(task, Status::Pipelined);
        s.state.tasks[task.ix()].node = Some(host);
        if moves {
            s.state.nodes[host.ix()].forget(pod);
            // Adding it again records the change.
            s.node_add(host, task);
        } else if is_held {
            s.node_update(host, task);
        } else {
            s.node_add(host, task);
        }
        s.account(task, true);
        s.state.tasks[task.ix()].is_virtual = true;
        self.push(Op::Pipeline { task, before, host });
    }

    fn take_back_eviction(&mut self, s: &mut Session<'_>, task: TaskRef) {
        let pod = s.task(task).pod;
        let is_eviction = |op: &Op| matches!(op, Op::Evict { task, .. } if s.task(*task).pod == pod);
        let eviction = (0..self.ops.len()).find(|&i| is_eviction(&self.ops[i]) && self.is_valid(i));
        if let Some(i) = eviction {
            self.undo(s, i);
        }
    }

    fn unpipeline(s: &mut Session<'_>, task: TaskRef, before: &Before, host: NodeRef) {
        s.update_status(task, before.status);
        let t = &mut s.state.tasks[task.ix()];
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
        s.state.tasks[task.ix()].node = Some(host);
        s.node_add(host, task);
        s.account(task, true);
        let recorded = s.state.clone_task(task);
        s.state.tasks[task.ix()].is_virtual = true;
        self.push(Op::Allocate { task: recorded, was_virtual, host });
    }

    fn unallocate(s: &mut Session<'_>, task: TaskRef, was_virtual: bool, host: NodeRef) {
        s.update_status(task, Status::Pending);
        s.node_remove(host, task);
        s.state.tasks[task.ix()].node = None;
        s.state.tasks[task.ix()].is_virtual = was_virtual;
        s.account(task, false);
    }

    fn is_valid(&self, i: usize) -> bool {
        self.undone[i].is_none_or(|u| !self.is_valid(u))
    }

    fn undo(&mut self, s: &mut Session<'_>, i: usize) {
        match self.ops[i].clone() {
            Op::Evict { task, before } => Self::unevict(s, task, &before),
            Op::Pipeline { task, before, host } => Self::unpipeline(s, task, &before, host),
            Op::Allocate { task, was_virtual, host } => Self::unallocate(s, task, was_virtual, host),
            Op::Undo(of) => self.redo(s, of),
        }
        self.push(Op::Undo(i));
    }

    fn redo(&mut self, s: &mut Session<'_>, i: usize) {
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
        self.find_undone();
    }

    fn push(&mut self, op: Op) {
        self.ops.push(op);
        self.undone.push(None);
        self.note_undo(self.ops.len() - 1);
    }

    /// Rebuilds `undone` after indices changed.
    fn find_undone(&mut self) {
        self.undone.clear();
        self.undone.resize(self.ops.len(), None);
        (0..self.ops.len()).for_each(|i| self.note_undo(i));
    }

    fn note_undo(&mut self, i: usize) {
        if let Op::Undo(undone) = self.ops[i]
            && undone < i
        {
            self.undone[undone].get_or_insert(i);
        }
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
        self.find_undone();
    }

    /// The valid operations.
    pub fn valid(&self) -> Vec<Done> {
        let done = |op: &Op| match *op {
            Op::Evict { task, .. } => Some(Done::Evicted(task)),
            Op::Pipeline { task, host, .. } => Some(Done::Claimed(task, host)),
            Op::Allocate { task, host, .. } => Some(Done::Bound(task, host)),
            Op::Undo(_) => None,
        };
        (0..self.ops.len()).filter(|&i| self.is_valid(i)).filter_map(|i| done(&self.ops[i])).collect()
    }

    /// Executes the valid operations.
    pub fn commit(self, s: &mut Session<'_>) -> Vec<Done> {
        s.caches.waiting = None;
        s.notes.ties.decided();
        let done = self.valid();
        for &operation in &done {
            match operation {
                Done::Evicted(task) => {
                    s.state.tasks[task.ix()].is_virtual = false;
                    s.state.evicted.insert(s.state.tasks[task.ix()].pod);
                }
                Done::Bound(task, _) => s.update_status(task, Status::Binding),
                Done::Claimed(..) => (),
            }
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::policy::kai::place::node::NodeAmounts;
    use crate::policy::kai::pool_state::CycleInput;
    use crate::policy::kai::recorded::{
        GpuAsk, Quantities, QueueSpec, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet,
    };
    use crate::trace::Level;

    fn name(text: &str) -> Arc<str> {
        Arc::from(text)
    }

    /// Two nodes, a queue and its parent, and a job of one pod for every (node or none, CPU, GPU, device).
    fn world(pods: &[(&str, f64, GpuAsk, &str)]) -> Snapshot {
        let node = |n| SnapshotNode {
            name: name(n),
            cpu_milli: 1e5,
            memory_bytes: 1e9,
            gpus: 4.0,
            pods: 110,
            gpu_memory_mib: 1000,
            gpu_memory_synced: true,
            ready: true,
            ..SnapshotNode::default()
        };
        let queue = |n, parent| QueueSpec { name: name(n), parent: name(parent), ..Default::default() };
        let job = |(i, &(host, cpu_milli, gpu, device)): (usize, &(&str, f64, GpuAsk, &str))| {
            let pod = SnapshotPod {
                name: name(&format!("p{i}")),
                pod_set: name("default"),
                status: if host.is_empty() { Status::Pending } else { Status::Running },
                node: name(host),
                gpu_groups: Some(device).filter(|d| !d.is_empty()).into_iter().map(name).collect(),
                cpu_milli,
                gpu,
                ..SnapshotPod::default()
            };
            let set = SnapshotPodSet { name: name("default"), min_available: 1, ..Default::default() };
            SnapshotJob {
                name: name(&format!("j{i}")),
                queue: name("q"),
                pod_sets: vec![set],
                pods: vec![pod],
                ..SnapshotJob::default()
            }
        };
        Snapshot {
            nodes: vec![node("a"), node("b")],
            queues: vec![queue("d", ""), queue("q", "d")],
            jobs: pods.iter().enumerate().map(job).collect(),
            ..Snapshot::default()
        }
    }

    /// Amounts of a node: used, idle, releasing, and memory of shared devices.
    type OfNode = (NodeAmounts, NodeAmounts, NodeAmounts, Vec<(GroupRef, i64, i64, i64)>);

    fn amounts(s: &Session<'_>) -> (Vec<OfNode>, Vec<Quantities>, Vec<Status>) {
        let shared = |n: &crate::policy::kai::place::node::Node| {
            n.shared.iter().map(|(g, d)| (*g, d.used, d.alloc(), d.rel())).collect()
        };
        let node_amounts = |n: &crate::policy::kai::place::node::Node| {
            (n.used.clone(), n.idle.clone(), n.releasing.clone(), shared(n))
        };
        let tasks = s.own_jobs().flat_map(|job| s.job(job).tasks().collect::<Vec<_>>());
        let statuses = tasks.map(|t| s.task(t).status).collect();
        (
            s.state.nodes.iter().map(node_amounts).collect(),
            s.state.queues.iter().map(|q| q.allocated).collect(),
            statuses,
        )
    }

    fn task(s: &Session<'_>, job: usize) -> TaskRef {
        s.job(JobRef::of(job)).tasks().next().expect("a pod")
    }

    fn whole(devices: i64) -> GpuAsk {
        GpuAsk::Whole { devices }
    }

    /// 4.4: discarding any sequence of operations restores every whole number.
    #[test]
    fn discarding_restores_whole_numbers() {
        let pods = [
            ("a", 1000.0, whole(1), ""),
            ("a", 500.0, whole(2), ""),
            ("b", 2000.0, GpuAsk::None, ""),
            ("", 700.0, whole(1), ""),
            ("", 300.0, whole(2), ""),
        ];
        let snapshot = world(&pods);
        let mut state = 1_u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for _ in 0..300 {
            let mut s = Session::open(CycleInput::recorded(&snapshot), Level::Outcomes);
            let before = amounts(&s);
            let mut st = Statement::default();
            let mut checkpoint = 0;
            for _ in 0..below(12) {
                let t = task(&s, below(5) as usize);
                let host = NodeRef::of(below(2) as usize);
                match (s.task(t).status, below(5)) {
                    (_, 4) => st.rollback(&mut s, checkpoint),
                    (_, 3) => checkpoint = st.checkpoint(),
                    (Status::Running, _) => st.evict(&mut s, t).expect("it is on its node"),
                    (Status::Pending, 0) => st.allocate(&mut s, t, host),
                    (Status::Pending | Status::Releasing, _) => st.pipeline(&mut s, t, host, false),
                    _ => (),
                }
                checkpoint = checkpoint.min(st.checkpoint());
            }
            st.discard(&mut s);
            assert_eq!(amounts(&s), before);
        }
    }

    /// Sums are undone by subtraction, so rounding residues remain, as upstream.
    #[test]
    fn discarding_leaves_the_residue_of_sums() {
        let part = |portion| ("a", 0.0, GpuAsk::Fraction { portion, devices: 1 });
        let pods = [(part(0.01), "x"), (part(0.07), "y"), (part(0.71), "z")];
        let snapshot = world(&pods.map(|((host, cpu, gpu), device)| (host, cpu, gpu, device)));
        let mut s = Session::open(CycleInput::recorded(&snapshot), Level::Outcomes);
        let mut st = Statement::default();
        for job in 0..2 {
            let evicted = task(&s, job);
            st.evict(&mut s, evicted).expect("it is on its node");
        }
        st.discard(&mut s);
        let sum = 0.01 + 0.07 + 0.71;
        let residue = sum - 0.01 - 0.07 + 0.07 + 0.01;
        assert_ne!(sum, residue, "these numbers leave a residue");
        assert_eq!(s.state.queues.iter().map(|q| q.allocated.gpu).collect::<Vec<_>>(), [residue; 2]);
    }

    /// a shared task that was evicted, moved to another device of its node, and moved back, is counted twice
    /// there.
    #[test]
    fn a_move_between_devices_leaks_when_undone() {
        let half = GpuAsk::Fraction { portion: 0.5, devices: 1 };
        let snapshot = world(&[("a", 1000.0, half, "x"), ("a", 3000.0, half, "y")]);
        let mut s = Session::open(CycleInput::recorded(&snapshot), Level::Outcomes);
        let (moved, other, host) = (task(&s, 0), task(&s, 1), NodeRef::of(0));
        let (x, y) = (s.task(moved).groups[0], s.task(other).groups[0]);
        let (used, idle, releasing, shared) = amounts(&s).0.swap_remove(0);
        assert_eq!(shared, [(x, 500, 500, 0), (y, 500, 500, 0)]);
        let mut st = Statement::default();
        st.evict(&mut s, moved).expect("it is on its node");
        s.state.tasks[moved.ix()].groups = vec![y];
        st.pipeline(&mut s, moved, host, false);
        st.discard(&mut s);
        assert_eq!((s.task(moved).status, &s.task(moved).groups), (Status::Running, &vec![x]));
        let after = amounts(&s).0.swap_remove(0);
        assert_eq!((after.0.cpu, after.1.cpu, after.2.cpu), (used.cpu + 1000.0, idle.cpu - 1000.0, 1000.0));
        assert_eq!((after.0.pods, after.1.pods, after.2.pods), (used.pods + 1, idle.pods - 1, 1));
        assert_eq!(releasing.cpu, 0.0);
        // The memory on the old device was not released, and was added again.
        assert_eq!(after.3, [(x, 1000, 1000, 500), (y, 500, 500, 0)]);
    }
}
