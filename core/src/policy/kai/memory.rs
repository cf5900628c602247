//! State kept between cycles.
//!
//! # Rule
//! A job's last start is set by the allocate action only; its staleness by the stale gang action; its exhausted
//! back-off and its claims when the cycle closes, the latter for explanations alone. Usage is kept if it is measured.
//!
//! # Source
//! kai.md 1.3, 4.5
//!
//! # Differs
//! upstream keeps the first three with the pod group and the third by node pool; here each node pool has its own memory

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::config::Config;
use super::job::JobMemory;
use super::pod::Pod;
use super::pool_facts::PoolFacts;
use super::pool_state::PoolState;
use super::record::recorder::{Decided, Recorder, STUCK_IN_RELEASING};
use super::session::Session;
use super::share::usage_tracker::UsageTracker;
use super::task::{JobRef, Status};
use crate::id::JobId;
use crate::policy::PartitionView;
use crate::trace::{Event, Mark, Outlook, Recorded, Subject};

/// State kept between cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// By the number of jobs that precede a job by name, the order in which a pool has its jobs.
    pub(super) jobs: BTreeMap<u32, JobMemory>,
    /// Measured usage, if enabled.
    pub(super) usage: Option<Box<UsageTracker>>,
    /// Immutable data, read by the first cycle that needs it.
    pub(super) facts: Option<Arc<PoolFacts>>,
    latest_pool: LatestPool,
}

/// The pool as of the latest cycle, until the configuration changes. It follows from the cluster, so it is no state of
/// its own: a copy has none, and all are equal.
#[derive(Debug, Default)]
struct LatestPool(Option<Box<PoolState>>);

impl Clone for LatestPool {
    fn clone(&self) -> LatestPool {
        LatestPool(None)
    }
}

impl PartialEq for LatestPool {
    fn eq(&self, _: &LatestPool) -> bool {
        true
    }
}

impl Memory {
    /// Reads the facts, unless one for these settings exists.
    pub(super) fn remember_facts(&mut self, world: PartitionView<'_>, config: &Config) {
        if !self.facts.as_ref().is_some_and(|facts| facts.is_for(config)) {
            self.facts = Some(PoolFacts::of(world, config));
        }
    }

    /// The pool as of the latest cycle.
    pub(super) fn pool(&self) -> Option<&PoolState> {
        self.latest_pool.0.as_deref()
    }

    /// Removes and returns the pool as of the latest cycle.
    pub(super) fn take_pool(&mut self) -> Option<PoolState> {
        self.latest_pool.0.take().map(|pool| *pool)
    }

    /// Keeps the pool for the next cycle.
    pub(super) fn keep_pool(&mut self, pool: PoolState) {
        self.latest_pool = LatestPool(Some(Box::new(pool)));
    }

    /// Whether a job's claimed room went to another job and none of its pods has been placed since.
    pub(super) fn lost_a_claim(&self, job: JobId) -> bool {
        let entry = self.facts.as_ref().and_then(|facts| facts.job(job));
        let job_memory = entry.and_then(|entry| self.jobs.get(&entry.traits.n_before));
        job_memory.is_some_and(|job_memory| job_memory.lost_a_claim)
    }

    /// Updates claims: a claim is lost if it was not renewed, or renewed only by further evictions.
    fn close_claims(&mut self, session: &Session<'_>, out: &Recorder<'_>) {
        let number = |job: JobRef| session.facts_of(job).n_before;
        let claimed: BTreeMap<u32, JobId> =
            out.claims.iter().map(|claim| (number(claim.0), session.facts_of(claim.0).id)).collect();
        let bound = out.decisions.iter().filter_map(|decided| match decided {
            Decided::Bind { pod, .. } => Some(number(session.inputs.pods[pod.ix()].job)),
            Decided::Evict { .. } => None,
        });
        let bound: BTreeSet<u32> = bound.collect();
        let evicts = |job: JobId| {
            let is_for =
                |recorded: &Recorded| matches!(recorded.event, Event::Evicted { by: Some(by), .. } if by == job);
            out.trace.events.iter().any(is_for)
        };
        for (job, job_memory) in &mut self.jobs {
            let is_lost = job_memory.has_claim && claimed.get(job).is_none_or(|&claimant| evicts(claimant));
            job_memory.lost_a_claim = !bound.contains(job) && (job_memory.lost_a_claim || is_lost);
            job_memory.has_claim = false;
        }
        for job in claimed.into_keys() {
            self.jobs.entry(job).or_default().has_claim = true;
        }
    }

    /// Notes evictions for other jobs, on which preemption delays depend.
    fn close_evictions(&mut self, world: PartitionView<'_>, out: &Recorder<'_>) {
        for recorded in &out.trace.events {
            if let Event::Evicted { pod, by: Some(_), .. } = recorded.event {
                let job = world.cluster.pods[pod].job;
                let entry = self.facts.as_ref().and_then(|facts| facts.job(job));
                let number = entry.filter(|entry| entry.traits.preemption_delay_s.is_some()).map(|e| e.traits.n_before);
                if let Some(number) = number {
                    self.jobs.entry(number).or_default().last_eviction = Some(world.now);
                }
            }
        }
    }

    /// Marks the jobs of which a pod is stuck for the first time.
    fn close_stuck(&mut self, session: &Session<'_>, out: &mut Recorder<'_>) {
        let stuck: BTreeMap<u32, &Pod> = session
            .inputs
            .pods
            .iter()
            .filter(|pod| pod.status == Status::StuckInReleasing)
            .map(|pod| (session.facts_of(pod.job).n_before, pod))
            .collect();
        for (job, job_memory) in &mut self.jobs {
            job_memory.has_stuck_pod &= stuck.contains_key(job);
        }
        for (job, pod) in stuck {
            if !std::mem::replace(&mut self.jobs.entry(job).or_default().has_stuck_pod, true) {
                let node = pod.node.map(|node| session.state.nodes[node.ix()].id);
                let subject = Subject { pod: Some(pod.id), node, ..session.about_job(pod.job) };
                out.trace.marks.push(Mark { rule: STUCK_IN_RELEASING, subject });
            }
        }
    }

    /// Stores the results of a cycle.
    pub(super) fn close(&mut self, world: PartitionView<'_>, session: &Session<'_>, out: &mut Recorder<'_>) {
        for &job in &out.started {
            self.of(session, job).last_start = Some(world.now);
        }
        self.close_claims(session, out);
        self.close_evictions(world, out);
        self.close_stuck(session, out);
        for &(job, is_stale) in &out.stale {
            self.of(session, job).stale_since = is_stale.then_some(world.now);
        }
        for job in session.set_aside() {
            let id = session.facts_of(job).id;
            self.of(session, job).tried_at = Some(world.cluster.jobs[id].offers);
            let has_next = world.cluster.jobs[id].next_pool().is_some();
            if has_next && !session.is_being_replaced(job) {
                // It is offered to the next pool now.
                continue;
            }
            out.trace.event(Event::SetAside { job: id }, || vec![session.why_set_aside(job)]);
            for refusal in out.trace.refusals.iter_mut().filter(|refusal| refusal.job == id && !has_next) {
                refusal.outlook = Outlook::OnlyByEdit;
            }
        }
        let live = &world.cluster.live_jobs;
        if self.jobs.len() > 2 * live.len() + 64 {
            let facts = self.facts.as_ref();
            let number = |&job: &JobId| Some(facts?.job(job)?.traits.n_before);
            let live: BTreeSet<u32> = live.iter().filter_map(number).collect();
            self.jobs.retain(|job, _| live.contains(job));
        }
    }

    fn of(&mut self, session: &Session<'_>, job: JobRef) -> &mut JobMemory {
        self.jobs.entry(session.facts_of(job).n_before).or_default()
    }
}
