//! State kept between cycles.
//!
//! # Rule
//! A job's last start is set by the allocate action only; its staleness by the stale gang action; its exhausted back-off
//! and its claims when the cycle closes, the latter for explanations alone. Usage is kept if it is measured.
//!
//! # Source
//! kai.md 1.3, 4.5
//!
//! # Differs
//! upstream keeps the first three with the pod group and the third by node pool; here each node pool has its own memory

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::catalogue::Catalogue;
use super::config::Config;
use super::explain::recorder::{Decided, Recorder};
use super::session::Session;
use super::share::usage_tracker::UsageTracker;
use super::task::JobRef;
use crate::id::JobId;
use crate::policy::PartitionView;
use crate::time::Time;
use crate::trace::{Event, Outlook, Recorded};

/// State kept between cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub(super) jobs: BTreeMap<JobId, JobMemory>,
    /// Measured usage, if enabled.
    pub(super) usage: Option<Box<UsageTracker>>,
    /// Immutable data, read by the first cycle that needs it.
    pub(super) catalogue: Option<Arc<Catalogue>>,
}

/// State of a job between cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct JobMemory {
    /// Last start by the allocate action.
    pub last_start: Option<Time>,
    /// Start of its staleness.
    pub stale_since: Option<Time>,
    /// Last offer to the pool at which a job with a single try stayed pending.
    pub tried_at: Option<u32>,
    /// Whether it claimed room in the last cycle.
    pub has_claim: bool,
    /// Whether it lost a claim and none of its pods has been placed since.
    pub lost_a_claim: bool,
}

impl Memory {
    /// Reads the catalogue, unless one for these settings exists.
    pub(super) fn remember_catalogue(&mut self, world: PartitionView<'_>, config: &Config) {
        if !self.catalogue.as_ref().is_some_and(|known| known.is_for(config)) {
            self.catalogue = Some(Catalogue::of(world, config));
        }
    }

    /// Whether a job's claimed room went to another job and none of its pods has been placed since.
    pub(super) fn lost_a_claim(&self, job: JobId) -> bool {
        self.jobs.get(&job).is_some_and(|known| known.lost_a_claim)
    }

    /// Updates claims: a claim is lost if it was not renewed, or renewed only by further evictions.
    fn close_claims(&mut self, session: &Session<'_>, out: &Recorder<'_>) {
        let id = |job: JobRef| session.facts_of(job).id;
        let claimed: BTreeSet<JobId> = out.claims.iter().map(|claim| id(claim.0)).collect();
        let bound = out.decisions.iter().filter_map(|decided| match decided {
            Decided::Bind { pod, .. } => Some(id(session.pods[pod.ix()].job)),
            Decided::Evict { .. } => None,
        });
        let bound: BTreeSet<JobId> = bound.collect();
        let evicts = |job: JobId| {
            let is_for = |recorded: &Recorded| matches!(recorded.event, Event::Evicted { by: Some(by), .. } if by == job);
            out.trace.events.iter().any(is_for)
        };
        for (job, known) in &mut self.jobs {
            let is_lost = known.has_claim && (!claimed.contains(job) || evicts(*job));
            known.lost_a_claim = !bound.contains(job) && (known.lost_a_claim || is_lost);
            known.has_claim = false;
        }
        for job in claimed {
            self.of(job).has_claim = true;
        }
    }

    /// Stores the results of a cycle.
    pub(super) fn close(&mut self, world: PartitionView<'_>, session: &Session<'_>, out: &mut Recorder<'_>) {
        for &job in &out.started {
            self.of(session.facts_of(job).id).last_start = Some(world.now);
        }
        self.close_claims(session, out);
        for &(job, is_stale) in &out.stale {
            self.of(session.facts_of(job).id).stale_since = is_stale.then_some(world.now);
        }
        for job in session.set_aside() {
            let id = session.facts_of(job).id;
            self.of(id).tried_at = Some(world.cluster.jobs[id].offers);
            if world.cluster.jobs[id].next_pool().is_some() {
                // It is offered to the next pool now.
                continue;
            }
            out.trace.event(Event::SetAside { job: id }, || vec![session.why_set_aside(job)]);
            for refusal in out.trace.refusals.iter_mut().filter(|refusal| refusal.job == id) {
                refusal.outlook = Outlook::OnlyByEdit;
            }
        }
        let live = &world.cluster.live_jobs;
        if self.jobs.len() > 2 * live.len() + 64 {
            self.jobs.retain(|job, _| live.binary_search(job).is_ok());
        }
    }

    fn of(&mut self, job: JobId) -> &mut JobMemory {
        self.jobs.entry(job).or_default()
    }
}
