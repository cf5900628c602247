//! A shortcut: skips attempts that cannot succeed.
//!
//! # Rule
//! An attempt evicts tasks, places some of them again, and needs room for the claimant's tasks on the feasible nodes
//! and under the limits. Placing other tasks only takes room and raises allocations. So if the claimant does not fit
//! right after the evictions, by count of equal tasks on every node and by its capacity test, the attempt fails. It
//! also fails as soon as the claimant no longer fits because other tasks were placed before it.
//!
//! # Source
//! kai.md 5.3, 5.4, 6.5, 6.7
//!
//! # Differs
//! nothing: a skipped attempt drops the same cached chunks. Discarding a failed attempt restores every number
//! exactly if all quantities are whole numbers and no device is shared (`SessionState::sums_are_exact`); otherwise no
//! attempt is skipped.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::cluster::Preemptible;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::request::Request;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef, QueueRef, TaskRef};

/// The claimant's needs, and the room without evictions.
#[derive(Debug)]
pub(in crate::policy::kai) struct Feasibility {
    /// Whether no task of the claimant fits even an empty node.
    is_too_large: bool,
    shapes: Vec<Shape>,
    /// Bounded queues from the claimant's queue to the root.
    bounded: Vec<QueueRef>,
    requested: Quantities,
    /// The part of the request that must fit in quota.
    fixed: Option<Quantities>,
}

/// Equal tasks of the claimant.
#[derive(Debug)]
struct Shape {
    pod: PodRef,
    n: i64,
    /// How many fit each node now.
    now: Rc<[i64]>,
    /// Sum over the feasible nodes, with at most `n` per node.
    sum: i64,
}

impl Feasibility {
    /// For a partial job; `None` if discarding attempts may not restore all numbers.
    pub fn new(s: &mut Session<'_>, partial: JobRef, nodes: &[bool]) -> Option<Feasibility> {
        if !s.state.sums_are_exact {
            return None;
        }
        let chunk = s.chunk(partial, false);
        let mut shapes: Vec<Shape> = Vec::new();
        let mut is_too_large = false;
        for &task in &chunk {
            let pod = s.task(task).pod;
            let (facts, request) = (&s.inputs.pods[pod.ix()], &s.inputs.pods[pod.ix()].request);
            is_too_large |= s.inputs.is_too_large(request).is_some();
            let is_alike = |shape: &&mut Shape| {
                let other = &s.inputs.pods[shape.pod.ix()];
                other.request == *request && other.selects == facts.selects
            };
            match shapes.iter_mut().find(is_alike) {
                Some(shape) => shape.n += 1,
                None => shapes.push(Shape { pod, n: 1, now: Rc::from([]), sum: 0 }),
            }
        }
        for shape in &mut shapes {
            shape.now = s.rooms(shape.pod);
            shape.sum = shape.room_on(nodes);
        }
        let requested = s.requested_by(&chunk);
        let fixed = s.fixed_part(partial, &chunk);
        let bounded = s.bounded_queues(partial, fixed.is_some());
        Some(Feasibility { is_too_large, shapes, bounded, requested, fixed })
    }

    /// Whether the claimant may fit once these tasks are evicted.
    pub fn is_open(&self, s: &Session<'_>, nodes: &[bool], evicted: &[TaskRef]) -> bool {
        !self.is_too_large && self.is_within_bounds(s, evicted) && self.has_room(s, nodes, evicted)
    }

    fn is_within_bounds(&self, s: &Session<'_>, evicted: &[TaskRef]) -> bool {
        self.bounded.iter().all(|&q| {
            let queue = &s.state.queues[q.ix()];
            // Victims are preemptible, so non-preemptible allocations stay.
            let fits_quota = |fixed| fits(queue.allocated_np, fixed, queue.deserved);
            self.is_within_limit(s, q, evicted) && self.fixed.is_none_or(fits_quota)
        })
    }

    fn is_within_limit(&self, s: &Session<'_>, q: QueueRef, removed: &[TaskRef]) -> bool {
        let mut allocated = s.state.queues[q.ix()].allocated;
        let mut sum = Quantities::default();
        for &task in removed {
            let leaf = s.facts_of(s.job_of(task)).queue;
            if s.state.path_up(leaf).any(|queue| queue == q) {
                sum += s.task(task).accepted.quantities;
            }
        }
        allocated -= sum;
        fits(allocated, self.requested, s.state.queues[q.ix()].limit)
    }

    /// Whether the claimant may fit once these tasks end, which may be non-preemptible.
    pub fn is_open_without(&self, s: &Session<'_>, nodes: &[bool], ended: &[TaskRef]) -> bool {
        let Some(fixed) = self.fixed else { return self.is_open(s, nodes, ended) };
        let is_fixed = |task: &&TaskRef| s.facts_of(s.job_of(**task)).preemptible == Preemptible::No;
        let fits_quota = self.bounded.iter().all(|&q| {
            let queue = &s.state.queues[q.ix()];
            let mut allocated = queue.allocated_np;
            for &task in ended.iter().filter(is_fixed) {
                let leaf = s.facts_of(s.job_of(task)).queue;
                if s.state.path_up(leaf).any(|queue| queue == q) {
                    allocated -= s.task(task).accepted.quantities;
                }
            }
            fits(allocated, fixed, queue.deserved)
        });
        let within_limits = self.bounded.iter().all(|&q| self.is_within_limit(s, q, ended));
        !self.is_too_large && fits_quota && within_limits && self.has_room(s, nodes, ended)
    }

    fn has_room(&self, s: &Session<'_>, nodes: &[bool], evicted: &[TaskRef]) -> bool {
        if self.shapes.iter().all(|shape| shape.sum >= shape.n) {
            return true;
        }
        let mut freed: BTreeMap<NodeRef, Freed> = BTreeMap::new();
        for &task in evicted {
            if let Some(node) = s.task(task).node {
                freed.entry(node).or_default().add(&s.pod_of(task).request);
            }
        }
        self.shapes.iter().all(|shape| {
            let mut sum = shape.sum;
            for (&node, &freed) in &freed {
                sum += s.room_for(shape.pod, node, freed).min(shape.n);
                if nodes[node.ix()] {
                    sum -= shape.now[node.ix()].min(shape.n);
                }
            }
            sum >= shape.n
        })
    }

    /// Recounts room after nodes became feasible.
    pub fn nodes_added(&mut self, nodes: &[bool]) {
        for shape in &mut self.shapes {
            shape.sum = shape.room_on(nodes);
        }
    }

    /// Whether the claimant may still fit during an attempt, after some of the evicted tasks were placed again. Room
    /// on nodes without evictions only shrinks, so its initial count is kept; the other nodes are counted again.
    pub fn stays_open(&self, s: &Session<'_>, with_evictions: &[NodeRef]) -> bool {
        self.shapes.iter().all(|shape| {
            let freed = || {
                let rooms = with_evictions.iter().map(|&node| s.room_for(shape.pod, node, Freed::default()));
                rooms.map(|room| room.min(shape.n)).sum::<i64>()
            };
            shape.sum >= shape.n || shape.sum + freed() >= shape.n
        })
    }
}

impl Shape {
    /// Number of these tasks that fit the given nodes, each task considered alone.
    fn room_on(&self, nodes: &[bool]) -> i64 {
        let rooms = self.now.iter().zip(nodes).filter(|(_, is_in)| **is_in);
        rooms.map(|(&room, _)| room.min(self.n)).sum()
    }
}

/// Whether the request stays within a bound, for requested resources with a bound.
fn fits(allocated: Quantities, requested: Quantities, bound: Quantities) -> bool {
    let resources = allocated.to_array().into_iter().zip(requested.to_array()).zip(bound.to_array());
    resources.into_iter().all(|((allocated, requested), bound)| {
        bound == crate::policy::kai::number::UNLIMITED || requested == 0.0 || bound >= allocated + requested
    })
}

/// Amounts freed by evictions on a node; named resources are ignored.
#[derive(Clone, Copy, Debug, Default)]
struct Freed {
    cpu: f64,
    memory: f64,
    gpus: f64,
    pods: i64,
    has_scalars: bool,
}

impl Freed {
    fn add(&mut self, r: &Request) {
        self.cpu += r.cpu;
        self.memory += r.memory;
        self.gpus += r.gpus;
        self.pods += 1;
        self.has_scalars |= r.scalars.iter().any(|&s| s > 0);
    }
}

impl Session<'_> {
    /// Applies the lasting effect of a failed attempt to evict these tasks: it drops the cached chunks of their jobs,
    /// which may be outdated after an eviction that was committed.
    pub fn skip_attempt(&mut self, evicted: &[TaskRef]) {
        self.notes.tried_nodes(&self.state, evicted);
        if self.state.evicted.is_empty() {
            return;
        }
        for &task in evicted {
            let job = self.job_of(task);
            let job = &mut self.state.jobs[job.ix()];
            (job.chunk, job.need) = (None, None);
        }
    }

    /// How many equal tasks fit each node now, cached per class of pods until any node changes.
    fn rooms(&mut self, pod: PodRef) -> Rc<[i64]> {
        let kind = self.inputs.pods[pod.ix()].kind;
        if let Some(rooms) = self.caches.classes.rooms.get(&kind) {
            return rooms.clone();
        }
        let nodes = (0..self.state.nodes.len()).map(NodeRef::of);
        let rooms: Rc<[i64]> = nodes.map(|node| self.room_for(pod, node, Freed::default())).collect();
        self.caches.classes.rooms.insert(kind, rooms.clone());
        rooms
    }

    /// Upper bound on the number of equal tasks that fit a node once `freed` is released.
    fn room_for(&self, pod: PodRef, host: NodeRef, freed: Freed) -> i64 {
        let (facts, node) = (&self.inputs.pods[pod.ix()], &self.state.nodes[host.ix()]);
        let r = &facts.request;
        if self.inputs.plugins.predicates && !node.ready {
            return 0;
        }
        if self.inputs.plugins.predicates && facts.selects.as_ref().is_some_and(|nodes| !nodes[host.ix()]) {
            return 0;
        }
        let times = |available: f64, requested: f64| {
            if available < requested {
                0
            } else if requested > 0.0 {
                (available / requested) as i64
            } else {
                i64::MAX
            }
        };
        let n = times(node.idle.cpu + node.releasing.cpu + freed.cpu, r.cpu)
            .min(times(node.idle.memory + node.releasing.memory + freed.memory, r.memory))
            .min(times(node.idle.gpus + node.releasing.gpus + freed.gpus, r.gpus))
            .min((node.idle.pods + node.releasing.pods + freed.pods).max(0));
        let lacks_scalar = || {
            let available = |i: usize| node.idle.scalars[i] + node.releasing.scalars[i];
            (0..r.scalars.len()).any(|i| r.scalars[i] > available(i))
        };
        if !freed.has_scalars && lacks_scalar() { 0 } else { n }
    }

    /// Queues from the job to the root that have a limit, or a quota if the job needs one.
    fn bounded_queues(&self, job: JobRef, is_fixed: bool) -> Vec<QueueRef> {
        let facts = self.facts_of(job);
        if !self.inputs.plugins.proportion {
            return Vec::new();
        }
        let is_bounded = |q: &QueueRef| {
            let queue = &self.state.queues[q.ix()];
            let bounds = |b: Quantities| b.to_array().iter().any(|&b| b != crate::policy::kai::number::UNLIMITED);
            bounds(queue.limit) || (is_fixed && bounds(queue.deserved))
        };
        let up = self.state.path_up(facts.queue);
        up.filter(is_bounded).collect()
    }
}
