//! A shortcut: skips attempts in which evicted jobs return until the claimant no longer fits.
//!
//! # Rule
//! An attempt serves the claimant and the jobs that lost tasks in queue order. If each of these jobs has a single
//! preemptible pod, all pods were on one node, and no other feasible node has room for them, each job returns to that node
//! when it is served, which restores its queue and its part of the node. The order up to the claimant therefore depends
//! only on the allocations of the queues and the room of the node. The attempt fails as soon as the claimant no longer
//! fits. If a pod fits another node, or the claimant is served before that, the attempt has to be run.
//!
//! # Source
//! kai.md 3.6, 5.4, 6.7
//!
//! # Differs
//! nothing. Used only where sums are exact ([`Session::is_whole`]), all queues are siblings in a total order, and no order
//! is permuted: then the queue tree returns the first job of the first queue, whatever the shape of its heap

use smallvec::SmallVec;

use crate::cluster::Preemptible;
use crate::policy::kai::fast::feasibility::Feasibility;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::order::job_rank::{Filled, JobRank};
use crate::policy::kai::order::leaves::Leaves;
use crate::policy::kai::order::queue_order::{Side, decide};
use crate::policy::kai::request::requested_on_node;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef, QueueRef, Status, TaskRef};
use crate::trace::Level;

/// A job to serve in an attempt.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    leaf: QueueRef,
    rank: JobRank,
    need: Quantities,
    /// The pod it lost; `None` for the claimant.
    lost: Option<PodRef>,
}

/// A queue with jobs to serve.
#[derive(Debug)]
struct Lane<'a> {
    leaf: QueueRef,
    /// In job order.
    wanted: &'a [Wanted],
    /// Jobs that only take part in the order.
    waiting: &'a [JobRef],
}

/// The next job of a queue.
enum Next {
    Wanted(Wanted),
    Waiting(JobRef),
}

impl Lane<'_> {
    fn next(&self, s: &Session<'_>) -> Option<Next> {
        let wanted = *self.wanted.first()?;
        let waiting = self.waiting.first().filter(|&&job| s.job(job).rank <= wanted.rank);
        Some(waiting.map_or(Next::Wanted(wanted), |&job| Next::Waiting(job)))
    }
}

/// Whether the shortcut applies to a session.
fn is_used(s: &Session<'_>) -> bool {
    let is_permuted = s.config.seed.is_some() || s.probe.is_some();
    let are_siblings = s.siblings_are_ordered && s.queues.iter().all(|queue| queue.parent.is_none());
    s.is_whole && are_siblings && !is_permuted && s.notes.level < Level::Every
}

impl Feasibility {
    /// Whether an attempt that evicts these tasks is known to fail, because enough of their jobs return before the claimant
    /// is served.
    pub fn closes(
        &mut self,
        s: &mut Session<'_>,
        partial: JobRef,
        nodes: &[bool],
        evicted: &[TaskRef],
    ) -> bool {
        let Some(at) = evicted.first().and_then(|&t| s.task(t).node) else { return false };
        if !is_used(s) {
            return false;
        }
        let mut wanted: SmallVec<[Wanted; 8]> = SmallVec::new();
        for &task in evicted {
            match s.without_task(task, at) {
                Some(job) if self.has_no_room_elsewhere(s, s.task(task).pod, at, nodes) => wanted.push(job),
                _ => return false,
            }
        }
        wanted.extend(s.wanted_claimant(partial));
        wanted.sort_unstable_by_key(|wanted| (wanted.leaf, wanted.rank));
        let before: SmallVec<[Quantities; 8]> =
            wanted.iter().map(|wanted| s.queues[wanted.leaf.ix()].allocated).collect();
        let released = s.nodes[at.ix()].releasing.clone();
        for &Wanted { leaf, need, lost, .. } in &wanted {
            let Some(pod) = lost else { continue };
            s.queues[leaf.ix()].allocated -= need;
            s.nodes[at.ix()].release(&s.pods[pod.ix()].request);
        }
        let closes = self.closes_before_claimant(s, s.job(partial).uid, &wanted, at);
        s.nodes[at.ix()].releasing = released;
        for (wanted, allocated) in wanted.iter().zip(before) {
            s.queues[wanted.leaf.ix()].allocated = allocated;
        }
        closes
    }

    /// Whether no feasible node but `at` has room for a pod without evictions.
    fn has_no_room_elsewhere(
        &mut self,
        s: &mut Session<'_>,
        pod: PodRef,
        at: NodeRef,
        nodes: &[bool],
    ) -> bool {
        let (n, first) = *self.with_room.entry(s.pods[pod.ix()].kind).or_insert_with(|| {
            let rooms = s.rooms(pod);
            let mut with_room = (0..nodes.len()).filter(|&n| nodes[n] && rooms[n] > 0).map(NodeRef::of);
            let first = with_room.next();
            (usize::from(first.is_some()) + with_room.count(), first)
        });
        n == 0 || n == 1 && first == Some(at)
    }

    /// Serves the wanted jobs in order; whether the claimant stops fitting before it is served.
    fn closes_before_claimant(
        &self,
        s: &mut Session<'_>,
        claimant: JobRef,
        wanted: &[Wanted],
        at: NodeRef,
    ) -> bool {
        let waiting = s.waiting();
        let mut lanes = lanes(wanted, &waiting);
        while let Some(lane) = s.first_lane(&mut lanes, claimant) {
            match lane.next(s) {
                Some(Next::Waiting(_)) => lane.waiting = &lane.waiting[1..],
                Some(Next::Wanted(Wanted { leaf, need, lost: Some(pod), .. })) if s.fits_again(pod, at) => {
                    lane.wanted = &lane.wanted[1..];
                    s.queues[leaf.ix()].allocated += need;
                    s.nodes[at.ix()].take_back(&s.pods[pod.ix()].request);
                    if !self.stays_open(s, &[at]) {
                        return true;
                    }
                }
                _ => return false,
            }
        }
        false
    }
}

fn lanes<'a>(wanted: &'a [Wanted], waiting: &'a Leaves) -> SmallVec<[Lane<'a>; 4]> {
    let lane = |wanted: &'a [Wanted]| {
        let leaf = wanted[0].leaf;
        Lane { leaf, wanted, waiting: waiting.of_leaf(leaf) }
    };
    wanted.chunk_by(|l, r| l.leaf == r.leaf).map(lane).collect()
}

impl Session<'_> {
    /// The job of a task after the eviction of the task, if it is the only one and runs on `at`.
    fn without_task(&self, task: TaskRef, at: NodeRef) -> Option<Wanted> {
        let (task, pod) = (self.task(task), self.pod_of(task));
        let (facts, job) = (&self.facts[pod.job.ix()], &self.jobs[pod.job.ix()]);
        let runs = matches!(task.status, Status::Running | Status::Bound | Status::Binding);
        let is_only = job.slots.len() == 1 && job.sets.len() == 1;
        let is_preemptible = facts.preemptible == Preemptible::Yes;
        if !(runs && is_only && is_preemptible && facts.is_ordered && task.node == Some(at)) {
            return None;
        }
        let rank = if self.plugins.elastic { facts.rank.with(Filled::Below) } else { facts.rank };
        Some(Wanted { leaf: facts.queue?, rank, need: task.accepted.quantities, lost: Some(task.pod) })
    }

    fn wanted_claimant(&mut self, partial: JobRef) -> Option<Wanted> {
        let need = self.need(partial);
        let leaf = self.facts_of(partial).queue.filter(|_| self.facts_of(partial).is_ordered)?;
        Some(Wanted { leaf, rank: self.job(partial).rank, need, lost: None })
    }

    /// The queue that is served next.
    fn first_lane<'l, 'a>(
        &mut self,
        lanes: &'l mut [Lane<'a>],
        claimant: JobRef,
    ) -> Option<&'l mut Lane<'a>> {
        let mut first: Option<(usize, Side<'_>)> = None;
        let mut needs: SmallVec<[Option<Quantities>; 4]> = SmallVec::new();
        for lane in lanes.iter_mut() {
            // Its partial job takes its place.
            if lane.waiting.first() == Some(&claimant) {
                lane.waiting = &lane.waiting[1..];
            }
            needs.push(lane.next(self).map(|next| match next {
                Next::Wanted(wanted) => wanted.need,
                Next::Waiting(job) => self.need(job),
            }));
        }
        for (i, need) in needs.into_iter().enumerate() {
            let Some(need) = need else { continue };
            let queue = &self.queues[lanes[i].leaf.ix()];
            let side = Side { queue, held: queue.allocated + need, victims: Quantities::default() };
            let is_first = first.as_ref().is_none_or(|(_, other)| {
                let (_, left, right) = decide(&side, other, self.total, self.config.into());
                left < right
            });
            if is_first {
                first = Some((i, side));
            }
        }
        first.map(|(i, _)| &mut lanes[i])
    }

    /// Whether an evicted pod of a job fits the node from which it was evicted.
    fn fits_again(&self, pod: PodRef, at: NodeRef) -> bool {
        let (facts, node) = (&self.pods[pod.ix()], &self.nodes[at.ix()]);
        let (job, r) = (facts.job, &facts.request);
        let of_node =
            || self.over_capacity(job, requested_on_node(self.config.revision, r, node.device_mib), None);
        self.is_too_large(r).is_none()
            && self.over_capacity(job, r.plain(), None).is_none()
            && (!self.plugins.predicates || of_node().is_none())
            && node.lacks(r, true).is_none()
            && self.excludes(facts, at).is_none()
    }
}
