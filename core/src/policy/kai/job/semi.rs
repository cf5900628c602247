//! Semi-preemptible jobs: pods up to the minimum are not preemptible.
//!
//! # Rule
//! The *core* of a job's pod set is the first `minAvailable` of its held tasks, in task order; a preemptible job has no
//! core, a non-preemptible one is all core. The core counts in *allocated not preemptible* of every queue on the path,
//! and new core must fit in quota there. Pods above the minimum may exceed the quota. Victims of a semi-preemptible job
//! are single tasks above the minimum, last first; a job without such tasks is never a victim. Job order, minimum
//! runtime and stale-gang eviction treat the job like any other.
//!
//! # Source
//! runai.md 6; docs.nvidia.com/run-ai, "Workload Priority and Preemption"; for KAI a design only ("Semi-Preemptible
//! Mode")
//!
//! # Differs
//! Our choices where the documents are silent. RC-16: the core is a number of pods, not specific ones: where one of
//! them ends or is lost, the next running pod takes its place. RC-17: a pod that only claims room in this cycle does
//! not raise another above the minimum, because the claim may be lost. RC-18: other jobs are moved for pods above the
//! minimum, not for the core, as for non-preemptible work. RC-19: victims above the minimum are always judged one by
//! one.

use crate::cluster::Preemptible;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, PodRef, Status, TaskRef};

impl Session<'_> {
    pub fn is_semi(&self, job: JobRef) -> bool {
        self.facts_of(job).preemptible == Preemptible::Semi
    }

    /// Whether any task of a job may be evicted.
    pub fn may_lose(&self, job: JobRef) -> bool {
        match self.facts_of(job).preemptible {
            Preemptible::Yes => true,
            Preemptible::No => false,
            Preemptible::Semi => self.n_above(job) > 0,
        }
    }

    /// Whether consolidation may move other jobs for the job's next chunk.
    pub fn may_move_others(&mut self, job: JobRef) -> bool {
        match self.facts_of(job).preemptible {
            Preemptible::Yes => true,
            Preemptible::No => false,
            Preemptible::Semi => {
                let chunk = self.chunk(job, false);
                self.core_of_chunk(job, &chunk).is_empty()
            }
        }
    }

    /// Whether a task runs or is bound, so that it still exists after the cycle.
    fn is_held(&self, task: TaskRef) -> bool {
        let t = self.task(task);
        t.status.is_allocated() && !self.state.evicted.contains(&t.pod)
    }

    /// Held tasks of a pod set, in task order.
    fn held_of(&self, job: JobRef, set: usize) -> Vec<TaskRef> {
        let tasks = self.job(job).tasks().filter(|&t| self.pod_of(t).set == set && self.is_held(t));
        let mut tasks: Vec<TaskRef> = tasks.collect();
        tasks.sort_by_key(|&t| self.pod_of(t).order);
        tasks
    }

    fn min_of(&self, job: JobRef, set: usize) -> usize {
        usize::try_from(self.job(job).sets[set].min_available).unwrap_or(0)
    }

    /// Number of tasks of a semi-preemptible job above the minimum.
    fn n_above(&self, job: JobRef) -> usize {
        let above = |set| self.held_of(job, set).len().saturating_sub(self.min_of(job, set));
        (0..self.job(job).sets.len()).map(above).sum()
    }

    /// Next task of a semi-preemptible job to evict, and whether more remain.
    pub fn next_above_minimum(&self, job: JobRef) -> (Option<TaskRef>, bool) {
        let last_above = |set: usize| {
            let tasks = self.held_of(job, set);
            tasks.last().copied().filter(|_| tasks.len() > self.min_of(job, set))
        };
        let next = self.inputs.sets_in_order(self.job(job)).into_iter().rev().find_map(last_above);
        (next, self.n_above(job) > 1)
    }

    /// Tasks of a chunk that would become core of a semi-preemptible job: as many as its sets lack without the chunk.
    fn core_of_chunk(&self, job: JobRef, chunk: &[TaskRef]) -> Vec<TaskRef> {
        let uid = self.job(job).uid;
        let pods: Vec<PodRef> = chunk.iter().map(|&t| self.task(t).pod).collect();
        let mut core = Vec::new();
        for set in 0..self.job(uid).sets.len() {
            let of_set = |&t: &TaskRef| self.pod_of(t).set == set;
            let is_other = |&t: &TaskRef| of_set(&t) && !pods.contains(&self.task(t).pod);
            let n_kept = self.job(uid).tasks().filter(is_other).filter(|&t| self.is_kept(t)).count();
            let lacks = self.min_of(uid, set).saturating_sub(n_kept);
            core.extend(chunk.iter().copied().filter(of_set).take(lacks));
        }
        core
    }

    /// Whether a task holds or claims room.
    fn is_kept(&self, task: TaskRef) -> bool {
        self.is_held(task) || self.task(task).status == Status::Pipelined
    }

    /// The part of a chunk that must fit in quota, where memory requests count no GPU; `None` if no part must.
    pub fn fixed_part(&self, job: JobRef, chunk: &[TaskRef]) -> Option<Quantities> {
        match self.facts_of(job).preemptible {
            Preemptible::Yes => None,
            Preemptible::No => Some(self.requested_by(chunk)),
            Preemptible::Semi => {
                let core = self.core_of_chunk(job, chunk);
                (!core.is_empty()).then(|| self.requested_by(&core))
            }
        }
    }

    /// Whether a pod, once placed, must be within quota.
    pub fn is_fixed(&self, job: JobRef, pod: PodRef) -> bool {
        match self.facts_of(job).preemptible {
            Preemptible::Yes => false,
            Preemptible::No => true,
            Preemptible::Semi => {
                let (uid, set) = (self.job(job).uid, self.inputs.pods[pod.ix()].set);
                let of_set = self.job(uid).tasks().filter(|&t| self.pod_of(t).set == set);
                of_set.filter(|&t| self.is_kept(t)).count() < self.min_of(uid, set)
            }
        }
    }

    /// The part of [`Session::need`] that must fit in quota; `None` if no part must.
    pub fn fixed_need(&mut self, job: JobRef) -> Option<Quantities> {
        match self.facts_of(job).preemptible {
            Preemptible::Yes => None,
            Preemptible::No => Some(self.need(job)),
            Preemptible::Semi => {
                let chunk = self.chunk(job, false);
                let core = self.core_of_chunk(job, &chunk);
                if core.is_empty() {
                    return None;
                }
                let placeable = core.iter().filter(|&&t| self.task(t).should_allocate(false));
                let requests = placeable.map(|&t| self.pod_of(t).request.pending(self.inputs.memory_basis.pending));
                Some(requests.fold(Quantities::default(), |sum, request| sum + request))
            }
        }
    }

    /// Amount held or claimed by the core of a semi-preemptible job; held tasks count before claims.
    pub fn core_amount(&self, job: JobRef) -> Quantities {
        let mut amount = Quantities::default();
        for set in 0..self.job(job).sets.len() {
            let tasks = self.job(job).tasks().filter(|&t| self.pod_of(t).set == set && self.is_kept(t));
            let mut tasks: Vec<TaskRef> = tasks.collect();
            tasks.sort_by_key(|&t| (!self.is_held(t), self.pod_of(t).order));
            for &task in tasks.iter().take(self.min_of(job, set)) {
                amount += self.task(task).accepted.quantities;
            }
        }
        amount
    }

    /// Updates the non-preemptible allocation of a semi-preemptible job's queues.
    pub fn account_core(&mut self, job: JobRef) {
        let after = self.core_amount(job);
        let before = std::mem::replace(&mut self.state.jobs[job.ix()].core, after);
        if before == after {
            return;
        }
        let mut next = self.inputs.facts[job.ix()].queue;
        while let Some(q) = next {
            let queue = &mut self.state.queues[q.ix()];
            queue.allocated_np -= before;
            queue.allocated_np += after;
            next = queue.parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::policy::kai::pool_state::CycleInput;
    use crate::policy::kai::recorded::{
        GpuAsk, QueueSpec, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet,
    };
    use crate::policy::kai::statement::Statement;
    use crate::policy::kai::task::NodeRef;
    use crate::trace::Level;

    const FREE: Quantities = Quantities { cpu: -1.0, memory: -1.0, gpu: -1.0 };

    /// A semi-preemptible job of one-GPU pods, some of them running on the only node, which has room for one more.
    fn world(runs: &[bool], min_available: i64) -> Snapshot {
        let name = |text: &str| Arc::<str>::from(text);
        let pod = |(i, &runs): (usize, &bool)| SnapshotPod {
            name: Arc::from(format!("p{i}")),
            pod_set: name("default"),
            status: if runs { Status::Running } else { Status::Pending },
            node: name(if runs { "n" } else { "" }),
            gpu: GpuAsk::Whole { devices: 1 },
            ..SnapshotPod::default()
        };
        let gpus = runs.len() as f64;
        let set = SnapshotPodSet { name: name("default"), min_available, ..Default::default() };
        Snapshot {
            nodes: vec![SnapshotNode { name: name("n"), gpus, pods: 9, ready: true, ..Default::default() }],
            queues: vec![QueueSpec { name: name("q"), quota: FREE, limit: FREE, ..Default::default() }],
            jobs: vec![SnapshotJob {
                name: name("j"),
                queue: name("q"),
                preemptible: Preemptible::Semi,
                pod_sets: vec![set],
                pods: runs.iter().enumerate().map(pod).collect(),
                ..SnapshotJob::default()
            }],
            total: Quantities { cpu: 0.0, memory: 0.0, gpu: gpus },
            ..Snapshot::default()
        }
    }

    fn with(snapshot: &Snapshot, act: impl FnOnce(&mut Session<'_>, JobRef)) {
        act(&mut Session::open(CycleInput::recorded(snapshot), Level::Outcomes), JobRef::of(0));
    }

    fn name_of(s: &Session<'_>, task: Option<TaskRef>) -> Option<String> {
        task.map(|t| s.pod_of(t).name.to_string())
    }

    #[test]
    fn the_last_above_the_minimum_is_evicted_first() {
        with(&world(&[true; 4], 2), |s, job| {
            assert_eq!((s.core_amount(job).gpu, s.state.queues[0].allocated_np.gpu), (2.0, 2.0));
            let mut evicted = Vec::new();
            while let (Some(task), _) = s.next_above_minimum(job) {
                evicted.push(s.pod_of(task).name.to_string());
                s.evict_now(task);
            }
            assert_eq!(evicted, ["p3", "p2"]);
            assert!(!s.may_lose(job));
            assert_eq!((s.state.queues[0].allocated.gpu, s.state.queues[0].allocated_np.gpu), (2.0, 2.0));
        });
    }

    /// RC-17: the claiming pod counts towards the core of the queue but makes no running pod evictable.
    #[test]
    fn a_claim_makes_no_running_pod_evictable() {
        with(&world(&[false, true], 1), |s, job| {
            let claims = s.job(job).tasks().next().expect("a pod");
            let mut st = Statement::default();
            st.pipeline(s, claims, NodeRef::of(0), false);
            assert_eq!(s.job(job).n_active_allocated, 2);
            assert_eq!((s.may_lose(job), s.next_above_minimum(job)), (false, (None, false)));
            assert_eq!((s.state.queues[0].allocated.gpu, s.state.queues[0].allocated_np.gpu), (2.0, 1.0));
            st.discard(s);
            assert_eq!((s.state.queues[0].allocated.gpu, s.state.queues[0].allocated_np.gpu), (1.0, 1.0));
        });
    }

    /// a pod shown as running although its eviction was committed is not held.
    #[test]
    fn a_committed_eviction_is_not_counted_as_held() {
        with(&world(&[true, true, true], 1), |s, job| {
            let (last, more) = s.next_above_minimum(job);
            assert_eq!((name_of(s, last), more), (Some("p2".into()), true));
            let pod = s.task(last.expect("one is above")).pod;
            s.state.evicted.insert(pod);
            let (last, more) = s.next_above_minimum(job);
            assert_eq!((name_of(s, last), more), (Some("p1".into()), false));
        });
    }

    #[test]
    fn missing_pods_become_core() {
        with(&world(&[false, false, true], 2), |s, job| {
            let chunk = s.chunk(job, false);
            // One task is missing: the chunk is one pod, which is core.
            assert_eq!((chunk.len(), s.fixed_part(job, &chunk).map(|q| q.gpu)), (1, Some(1.0)));
            assert!(s.is_fixed(job, s.task(chunk[0]).pod) && !s.may_move_others(job));
        });
        with(&world(&[false, true, true], 2), |s, job| {
            let chunk = s.chunk(job, false);
            assert_eq!((chunk.len(), s.fixed_part(job, &chunk)), (1, None));
            assert!(!s.is_fixed(job, s.task(chunk[0]).pod) && s.may_move_others(job));
        });
    }
}
