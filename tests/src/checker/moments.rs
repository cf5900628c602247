//! The states of a cycle: before its first decision and after each one, from the cluster at its end and the events
//! alone.
//!
//! Decisions only bind and evict, so the state before them follows from the cluster after the cycle by undoing them;
//! what changed from outside is already part of both.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::cluster::{Cluster, Devices, Phase};
use fairground::id::{Id, JobId, NodeId, PartitionId, PodId};
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::{Span, Time};
use fairground::trace::{Event, EvictReason, Recorded, Unfinished};

/// Where a pod is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodPlace {
    /// Not submitted, or over.
    Out,
    /// Pending.
    Waiting,
    /// Kept from scheduling by a gate.
    Gated,
    /// On a node.
    On(NodeId),
    /// Terminating on a node.
    Leaving(NodeId),
}

/// Places of all pods at one moment.
#[derive(Clone, Debug)]
pub struct MomentState {
    pub now: Time,
    /// By pod.
    pub places: Vec<PodPlace>,
    /// Node pool to which each job is offered.
    pub pools: Vec<PartitionId>,
    /// Jobs that are not tried again in their pool: what they hold does not count.
    pub aside: Arc<BTreeSet<JobId>>,
    /// Room claimed or reserved for pods, in order.
    pub claims: Vec<(PodId, NodeId)>,
}

impl MomentState {
    /// The places of a cluster at time 0, without claims.
    pub fn of(cluster: &Cluster) -> MomentState {
        let place = |phase: Phase, node: Option<NodeId>| match (phase, node) {
            (Phase::Pending, _) => PodPlace::Waiting,
            (Phase::Gated, _) => PodPlace::Gated,
            (Phase::Starting { .. } | Phase::Running { .. }, Some(node)) => PodPlace::On(node),
            (Phase::Terminating { .. }, Some(node)) => PodPlace::Leaving(node),
            _ => PodPlace::Out,
        };
        MomentState {
            now: Time::ZERO,
            places: cluster.pods.values().map(|pod| place(pod.phase, pod.node)).collect(),
            pools: cluster.jobs.values().map(|job| job.partition).collect(),
            aside: Arc::default(),
            claims: Vec::new(),
        }
    }

    fn after(simulation: &Simulation, record: &CycleRecord) -> MomentState {
        let mut claims: Vec<(PodId, NodeId)> = simulation.held().iter().map(|claim| (claim.pod, claim.node)).collect();
        for claim in record.claims() {
            if !claims.contains(&(claim.pod, claim.node)) {
                claims.push((claim.pod, claim.node));
            }
        }
        MomentState { now: record.time, claims, ..MomentState::of(simulation.cluster()) }
    }

    /// Undoes an event; a start takes the place of a reservation that the pod had before.
    fn undo(&mut self, event: Event, held: &[(PodId, NodeId)]) {
        match event {
            Event::Bound { pod, .. } => {
                self.places[pod.index()] = PodPlace::Waiting;
                self.claims.extend(held.iter().filter(|claim| claim.0 == pod));
            }
            Event::Evicted { pod, node, .. } => self.places[pod.index()] = PodPlace::On(node),
            Event::Claimed { pod, node } => self.claims.retain(|claim| *claim != (pod, node)),
            Event::Unclaimed { pod, node, .. } => self.claims.push((pod, node)),
            _ => {}
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Bound { pod, node, .. } => {
                self.places[pod.index()] = PodPlace::On(node);
                self.claims.retain(|claim| claim.0 != pod);
            }
            Event::Evicted { pod, node, .. } => self.places[pod.index()] = PodPlace::Leaving(node),
            Event::Claimed { pod, node } => self.claims.push((pod, node)),
            Event::Unclaimed { pod, node, .. } => self.claims.retain(|claim| *claim != (pod, node)),
            Event::Offered { job, partition } => self.pools[job.index()] = partition,
            _ => {}
        }
    }
}

/// A moment of a cycle.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Number of the state.
    pub state: usize,
    /// The state in which claims count as made that are not, instead.
    pub counted: Option<usize>,
    /// The decisions before, in the order in which they were found, and whether a claim was for free room then.
    pub before: Vec<(usize, bool)>,
}

impl Moment {
    /// After a number of decisions.
    pub fn after(state: usize) -> Moment {
        Moment { state, counted: None, before: (0..state).map(|of| (of, false)).collect() }
    }
}

/// A claim that only counts as made, as the decisions that it would consist of.
pub fn of_unfinished(unfinished: &Unfinished) -> impl Iterator<Item = Event> + '_ {
    let (by, reason) = (Some(unfinished.job), EvictReason::Moved);
    let evicted = unfinished.evicted.iter().map(move |&(pod, node)| Event::Evicted { pod, node, by, reason });
    evicted.chain(unfinished.claimed.iter().map(|&(pod, node)| Event::Claimed { pod, node }))
}

/// Whether a decision is a claim of room that was there or is being freed.
fn is_claimed(recorded: &Recorded) -> bool {
    recorded.action == "allocate" && matches!(recorded.event, Event::Claimed { .. })
}

/// The moments of one cycle.
#[derive(Debug)]
pub struct Moments<'a> {
    /// The cluster after the cycle; its pods are only used for what does not change.
    pub cluster: &'a Cluster,
    /// The decisions in order.
    pub decisions: &'a [Recorded],
    /// The state before the first decision, and after each one.
    pub states: Vec<MomentState>,
    /// Claims that only count as made until the end of the cycle.
    pub unfinished: &'a [Unfinished],
    /// The states in which some of them are, each with the number of decisions before and of those claims.
    pub counted: Vec<(usize, usize, MomentState)>,
}

impl<'a> Moments<'a> {
    /// Rewinds a cycle; `pools` has the pool of each job before it, `held` the room reserved then, and `aside` the jobs
    /// that are not tried.
    pub fn of(
        simulation: &'a Simulation,
        record: &'a CycleRecord,
        pools: &[PartitionId],
        held: &[(PodId, NodeId)],
        aside: &BTreeSet<JobId>,
    ) -> Moments<'a> {
        let decisions = &record.events[record.n_outside as usize..];
        let cluster = simulation.cluster();
        let mut state = MomentState::after(simulation, record);
        for recorded in decisions.iter().rev() {
            state.undo(recorded.event, held);
        }
        // Offers that repeat earlier ones are not recorded.
        state.pools = pools.to_vec();
        state.aside = Arc::new(aside.clone());
        let mut states = vec![state.clone()];
        for recorded in decisions {
            state.apply(recorded.event);
            states.push(state.clone());
        }
        let unfinished = &record.unfinished;
        let mut counted = Vec::new();
        for (at, state) in states.iter().enumerate() {
            let is_before = |of: &&Unfinished| of.after as usize <= at;
            let mut state = state.clone();
            for (n, of) in unfinished.iter().take_while(is_before).enumerate() {
                of_unfinished(of).for_each(|event| state.apply(event));
                counted.push((at, n + 1, state.clone()));
            }
        }
        Moments { cluster, decisions, states, unfinished, counted }
    }

    /// A moment, and the same one with claims that only count as made.
    pub fn with_counted(&self, moment: Moment) -> Vec<Moment> {
        let is_then = |of: &usize| self.counted[*of].0 == moment.state;
        let counted = (0..self.counted.len()).filter(is_then).map(|of| Moment { counted: Some(of), ..moment.clone() });
        std::iter::once(moment.clone()).chain(counted).collect()
    }

    /// The state after all decisions, with all claims that only count as made.
    pub fn end(&self) -> &MomentState {
        let last = self.states.last().expect("a state");
        self.counted.last().map_or(last, |(_, _, counted)| counted)
    }

    /// The state at a moment.
    pub fn state(&self, moment: &Moment) -> &MomentState {
        moment.counted.map_or(&self.states[moment.state], |of| &self.counted[of].2)
    }

    /// The job for which a decision was made: that of its explanation, else the one that takes or claims.
    pub fn claimant(&self, at: usize) -> Option<JobId> {
        let job_of = |pod: PodId| self.cluster.pods[pod].job;
        match self.decisions[at].event {
            Event::Evicted { by, .. } | Event::Unclaimed { by, .. } => by,
            Event::Bound { pod, .. } | Event::Claimed { pod, .. } => {
                let job = job_of(pod);
                let moved_for = |recorded: &Recorded| match recorded.event {
                    Event::Evicted { pod, by, .. } | Event::Unclaimed { pod, by, .. } if job_of(pod) == job => by,
                    _ => None,
                };
                let moved = self.decisions[..at].iter().rev().find_map(moved_for);
                // A pod can be placed by the decision for another job: one that is moved, or one of a job whose other
                // pods are.
                let said = self.decisions[at].checks.first().and_then(|check| check.subject.job);
                Some(said.or(moved).unwrap_or(job))
            }
            _ => None,
        }
    }

    /// Pods of elastic jobs that some decisions evict for several pods: where they are found for the first of those
    /// pods, they are recorded one by one and may be evicted again for the next one.
    pub fn evicted_twice(&self, decisions: std::ops::Range<usize>) -> Vec<PodId> {
        let is_elastic = |job: JobId| {
            let sets = self.cluster.jobs[job].pod_set_ids();
            let n_least: u32 = sets.map(|set| self.cluster.pod_sets[set].min_available).sum();
            self.cluster.jobs[job].pod_ids().count() > n_least as usize
        };
        let claims = |at: usize| {
            let set = self.statement(at);
            set.filter(|of| matches!(self.decisions[*of].event, Event::Claimed { .. })).count()
        };
        let evicted = |at: usize| match self.decisions[at].event {
            Event::Evicted { pod, by: Some(_), .. } if is_elastic(self.cluster.pods[pod].job) => Some(pod),
            _ => None,
        };
        decisions.filter_map(|at| evicted(at).filter(|_| claims(at) > 1)).collect()
    }

    /// Pods that have a claim elsewhere at a moment: a second eviction takes the claim and is not recorded.
    pub fn moved(&self, moment: usize) -> impl Iterator<Item = PodId> + '_ {
        let state = &self.states[moment];
        let claimed = state.claims.iter().map(|claim| claim.0);
        claimed.filter(|pod| matches!(state.places[pod.index()], PodPlace::Leaving(_)))
    }

    /// The decisions made together with one, for the same job, as a range.
    pub fn statement(&self, at: usize) -> std::ops::RangeInclusive<usize> {
        let own = self.claimant(at);
        let same = |other: &usize| own.is_some() && self.claimant(*other) == own;
        let first = (0..at).rev().take_while(same).last().unwrap_or(at);
        let last = (at + 1..self.decisions.len()).take_while(same).last().unwrap_or(at);
        first..=last
    }

    /// The moments at which the comparisons of a decision may have been made, the latest first; the engine of KAI
    /// compares before it evicts the first pod of a set.
    pub fn of_decision(&self, at: usize, is_of_engine: bool) -> Vec<Moment> {
        let start = *self.statement(at).start();
        let is_between = |moment: &usize| {
            let before = moment.checked_sub(1).filter(|before| *before >= start);
            let evicts = |at: usize| matches!(self.decisions[at].event, Event::Evicted { .. });
            is_of_engine && before.is_some_and(evicts)
        };
        let mut all: Vec<Moment> = (start..=at).rev().filter(|moment| !is_between(moment)).map(Moment::after).collect();
        if is_of_engine && is_claimed(&self.decisions[at]) {
            all.extend(self.orders_of_claims(at));
        }
        all
    }

    /// The decisions before a claim in the orders in which its set may have been placed: first the claims that are
    /// recorded before it, in part, or those after it, in part. If a set of pods has to claim, those that found free
    /// room claim last.
    fn orders_of_claims(&self, at: usize) -> Vec<Moment> {
        let set = self.statement(at);
        let is_of_set = |of: &usize| is_claimed(&self.decisions[*of]);
        let end = (at..=*set.end()).take_while(is_of_set).last().unwrap_or(at) + 1;
        let mut orders = Vec::new();
        for start in (*set.start()..=at).rev().take_while(is_of_set) {
            for split in start..end {
                let (claims, frees) = (start..split, split..end);
                let rest = if at < split { frees.clone() } else { claims.clone() };
                for n in 0..=rest.len() {
                    let (n_claims, n_frees) = if at < split { (at - start, n) } else { (n, at - split) };
                    let claims = claims.clone().take(n_claims).map(|of| (of, false));
                    let frees = frees.clone().take(n_frees).map(|of| (of, true));
                    let before = (0..start).map(|of| (of, false));
                    orders.push(Moment {
                        state: at,
                        counted: None,
                        before: before.chain(claims).chain(frees).collect(),
                    });
                }
            }
        }
        orders
    }

    /// The plan of which the state before the first decision is the opening; jobs that are set aside request nothing.
    pub fn plan(&self, plan: &Plan) -> Plan {
        let mut cluster = self.cluster.clone();
        let start = &self.states[0];
        for (pod, place) in cluster.pods.values_mut().zip(&start.places) {
            match place {
                PodPlace::Waiting if pod.phase != Phase::Pending => {
                    (pod.phase, pod.node, pod.devices) = (Phase::Pending, None, Devices::default());
                }
                PodPlace::On(node) if matches!(pod.phase, Phase::Terminating { .. }) => {
                    let since = Time::ZERO - Span::from_millis(1);
                    (pod.phase, pod.node) = (Phase::Running { since, until: None }, Some(*node));
                }
                _ => {}
            }
        }
        for (id, pool) in cluster.jobs.ids().zip(&start.pools).collect::<Vec<_>>() {
            let is_known = cluster.live_jobs.binary_search(&id).is_ok();
            let job = &mut cluster.jobs[id];
            job.partition = *pool;
            if is_known && job.submit > Time::ZERO {
                Arc::make_mut(&mut job.spec).submit = Time::ZERO;
            }
            let pods = job.pod_ids().filter(|_| start.aside.contains(&id));
            pods.for_each(|pod| cluster.pods[pod].phase = Phase::Removed { at: Time::ZERO });
        }
        let has_joined = |pod: PodId| start.places[pod.index()] != PodPlace::Out;
        cluster.joining.retain(|joining| !has_joined(joining.pod));
        Plan { cluster, timeline: Vec::new(), ..plan.clone() }
    }
}
