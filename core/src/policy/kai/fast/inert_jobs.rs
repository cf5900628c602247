//! A shortcut: jobs that an attempt only skips are not popped.
//!
//! # Rule
//! An attempt pops all waiting jobs, but only the claimant and jobs that lost tasks have an effect; the others are
//! inert and only take part in the order. If any two siblings differ in rank for any allocation, a heap of siblings in
//! which only the top may be out of place has, once that is fixed, the true first at its top, whatever its shape:
//! nothing changes below an item that is not at the top. So a queue without remaining relevant jobs can be removed from
//! the top heap; and when one queue is left in it, its turn no longer depends on the jobs below, and the same holds for
//! its children. In the last leaf, only relevant jobs are kept.
//!
//! # Source
//! kai.md 0.5, 3.6, 6.7
//!
//! # Differs
//! nothing. Not used where siblings may tie (N-2, N-3), nor from a heap downwards whose order is broken after loading

use crate::kit::heap::Heap;
use crate::policy::kai::order::queue_tree::{QueueTree, Search};
use crate::policy::kai::session::{Session, SessionState};
use crate::policy::kai::task::{JobRef, QueueRef};

impl QueueTree {
    /// Restricts the tree to these jobs, all of which it contains.
    pub fn restrict_to(&mut self, s: &mut Session<'_>, mut jobs: Vec<JobRef>) {
        jobs.sort();
        let mut n_remaining = vec![0; s.state.queues.len()];
        for &job in &jobs {
            s.state.path_up(s.facts_of(job).queue).for_each(|q| n_remaining[q.ix()] += 1);
        }
        self.search = Some(Search { jobs, n_remaining, below: None });
        self.narrow(s);
    }

    /// Counts a popped job.
    pub fn count_popped(&mut self, s: &mut Session<'_>, job: JobRef) {
        let Some(search) = &mut self.search else { return };
        if search.jobs.binary_search(&job).is_err() {
            return;
        }
        let below = search.below;
        let mut is_done = false;
        for queue in s.state.path_up(s.facts_of(job).queue) {
            search.n_remaining[queue.ix()] -= 1;
            is_done |= s.state.queues[queue.ix()].parent == below && search.n_remaining[queue.ix()] == 0;
        }
        if is_done {
            self.narrow(s);
        }
    }

    /// Removes queues without wanted jobs, descending while only one queue remains.
    fn narrow(&mut self, s: &mut Session<'_>) {
        while let Some(search) = self.search.take() {
            let heap = self.take(search.below);
            if !heap.is_ordered_below_top(|l, r| self.less(s, l, r)) {
                self.give(search.below, heap);
                return;
            }
            let mut relevant = Heap::default();
            for &queue in heap.items().iter().filter(|q| search.n_remaining[q.ix()] > 0) {
                relevant.push(queue, |l, r| self.less(s, l, r));
            }
            let only = relevant.top().filter(|_| relevant.len() == 1);
            self.give(search.below, relevant);
            let Some(only) = only else {
                self.search = Some(search);
                return;
            };
            if self.children(Some(only)).is_empty() {
                self.keep_jobs(&s.state, only, &search.jobs);
                return;
            }
            self.search = Some(Search { below: Some(only), ..search });
        }
    }

    fn keep_jobs(&mut self, state: &SessionState, leaf: QueueRef, relevant_jobs: &[JobRef]) {
        let branch = self.branch(leaf);
        let mut relevant = Heap::default();
        for &job in branch.jobs.items().iter().filter(|j| relevant_jobs.binary_search(j).is_ok()) {
            relevant.push(job, |l, r| state.job_order(l, r).is_lt());
        }
        branch.jobs = relevant;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cluster::Preemptible;
    use crate::policy::kai::order::leaves::Leaves;
    use crate::policy::kai::pool_state::CycleInput;
    use crate::policy::kai::recorded::{
        GpuAsk, Quantities, QueueSpec, Snapshot, SnapshotJob, SnapshotPod, SnapshotPodSet, Status,
    };
    use crate::trace::Level;

    /// Pseudo-random numbers.
    struct Rng(u64);

    impl Rng {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }
    }

    fn gpus(gpu: f64) -> Quantities {
        Quantities { cpu: -1.0, memory: -1.0, gpu }
    }

    fn queue(rng: &mut Rng, snapshot: &mut Snapshot, parent: &Arc<str>) -> Arc<str> {
        let n = snapshot.queues.len();
        let name: Arc<str> = Arc::from(format!("q{n}"));
        // Some may hold more GPUs and less CPU than their siblings.
        let has_cpu = rng.below(3) == 0;
        snapshot.queues.push(QueueSpec {
            name: name.clone(),
            parent: parent.clone(),
            priority: 100 + rng.below(5) as i64 / 4,
            created_s: ((n as u64 * 37) % 101) as f64,
            quota: Quantities { cpu: if has_cpu { rng.below(9) as f64 } else { -1.0 }, ..gpus(rng.below(9) as f64) },
            limit: gpus(-1.0),
            weight: Quantities { cpu: 1.0, memory: 1.0, gpu: rng.below(4) as f64 },
            ..QueueSpec::default()
        });
        name
    }

    /// Up to seven top queues, with up to three levels, and forty jobs that wait in leaves.
    fn world(rng: &mut Rng) -> Snapshot {
        let mut snapshot = Snapshot { total: Quantities { cpu: 1e6, memory: 1e12, gpu: 40.0 }, ..Snapshot::default() };
        let root: Arc<str> = Arc::from("");
        let mut leaves = Vec::new();
        for _ in 0..1 + rng.below(7) {
            let top = queue(rng, &mut snapshot, &root);
            let n_below = rng.below(5);
            for _ in 0..n_below {
                let middle = queue(rng, &mut snapshot, &top);
                let n_leaves = rng.below(6).saturating_sub(2);
                leaves.extend((0..n_leaves).map(|_| queue(rng, &mut snapshot, &middle)));
                if n_leaves == 0 {
                    leaves.push(middle);
                }
            }
            if n_below == 0 {
                leaves.push(top);
            }
        }
        for i in 0..40 {
            let name: Arc<str> = Arc::from(format!("job-{i:02}"));
            let pod = SnapshotPod {
                name: name.clone(),
                pod_set: Arc::from("default"),
                status: Status::Pending,
                gpu: GpuAsk::Whole { devices: 1 + rng.below(4) as i64 },
                ..SnapshotPod::default()
            };
            let set = SnapshotPodSet { name: Arc::from("default"), min_available: 1, ..SnapshotPodSet::default() };
            snapshot.jobs.push(SnapshotJob {
                name,
                queue: leaves[rng.below(leaves.len() as u64) as usize].clone(),
                priority: 50,
                preemptible: Preemptible::Yes,
                created_s: f64::from(i),
                pod_sets: vec![set],
                pods: vec![pod],
                ..SnapshotJob::default()
            });
        }
        snapshot
    }

    /// The order of the wanted jobs, each placed at once according to the bits of `places`, and the number of jobs
    /// popped.
    fn order(snapshot: &Snapshot, wanted: &[JobRef], places: u64, skips: bool) -> (Vec<JobRef>, usize) {
        let mut s = Session::open(CycleInput::recorded(snapshot), Level::Outcomes);
        let mut tree = QueueTree::serving(&s.state);
        let waiting = s.waiting();
        tree.load_leaves(&mut s, Leaves::clone(&waiting));
        if skips {
            tree.restrict_to(&mut s, wanted.to_vec());
        }
        let (mut order, mut n_popped) = (Vec::new(), 0);
        while order.len() < wanted.len()
            && let Some(job) = tree.pop(&mut s)
        {
            n_popped += 1;
            if wanted.contains(&job) {
                tree.count_popped(&mut s, job);
                if places >> order.len() & 1 == 1 {
                    let need = s.need(job);
                    let path: Vec<QueueRef> = s.state.path_up(s.facts_of(job).queue).collect();
                    path.into_iter().for_each(|q| s.state.queues[q.ix()].allocated += need);
                }
                order.push(job);
            }
        }
        (order, n_popped)
    }

    #[test]
    fn wanted_jobs_keep_their_order() {
        let mut rng = Rng(7);
        let (mut n_worlds, mut n_all, mut n_skipping) = (0, 0, 0);
        for _ in 0..500 {
            let snapshot = world(&mut rng);
            if !Session::open(CycleInput::recorded(&snapshot), Level::Outcomes).inputs.siblings_are_ordered {
                continue;
            }
            n_worlds += 1;
            let mut wanted: Vec<JobRef> = (0..1 + rng.below(6)).map(|_| JobRef::of(rng.below(40) as usize)).collect();
            wanted.sort();
            wanted.dedup();
            let places = rng.below(64);
            let (all, skipping) = (order(&snapshot, &wanted, places, false), order(&snapshot, &wanted, places, true));
            assert_eq!(all.0.len(), wanted.len());
            assert_eq!(skipping.0, all.0);
            n_all += all.1;
            n_skipping += skipping.1;
        }
        assert!(n_worlds > 250, "only {n_worlds} worlds have ordered siblings");
        assert!(2 * n_skipping < n_all, "{n_skipping} of {n_all} were popped");
    }
}
