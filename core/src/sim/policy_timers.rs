//! Moments at which the passage of time alone may change a decision.
//!
//! # Rule
//! Under the rhythm *on change* the end of a minimum runtime or of a grace period triggers no cycle by itself. The
//! agenda therefore gets an entry for it: every configured minimum runtime after the start of a job, and the grace
//! period of incomplete gangs after the loss of a pod. Preemption delays of jobs count like minimum runtimes. A policy
//! that runs periodically needs no such entries. A pod that terminates for too long has an entry under every rhythm.
//! Where usage is measured and a job is pending, the policy also runs at every measurement, until a whole window has
//! passed without a change.

use crate::cluster::{Cluster, Phase};
use crate::id::{JobId, PartitionId};
use crate::policy::{PartitionView, Rhythm, UsageTimers};
use crate::scenario::Plan;
use crate::time::{Span, Time};

/// Delays after which a policy has to run again although nothing changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyTimers {
    /// After the start of a job; ascending, each once.
    pub after_start: Vec<Span>,
    /// After a gang became incomplete.
    pub after_incomplete_gang: Option<Span>,
    /// After an eviction, while the pod terminates.
    pub after_eviction: Option<Span>,
    /// The longest of the delays after a start and of incomplete gangs.
    pub longest: Span,
    /// Whether the agenda needs entries: not under a periodic rhythm.
    pub on_agenda: bool,
    /// Set where usage is measured.
    pub usage: Option<UsageTimer>,
}

/// When measured usage may change a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageTimer {
    /// Measurements are taken at every multiple of this; `None`: in every cycle.
    pub every: Option<Span>,
    /// For how long after the last change measurements matter.
    pub longest: Span,
}

/// Longest time between two cycles; zero if unbounded.
fn period(rhythm: Rhythm) -> Span {
    match rhythm {
        Rhythm::Every { period, .. } | Rhythm::OnChange { at_least: period } => period,
        Rhythm::OnEvents => Span::ZERO,
    }
}

impl UsageTimer {
    fn new(timers: UsageTimers, rhythm: Rhythm) -> UsageTimer {
        match timers {
            UsageTimers::Every { interval, window } => UsageTimer { every: Some(interval), longest: window },
            UsageTimers::Cycles(n) => {
                UsageTimer { every: None, longest: Span::from_millis(period(rhythm).as_millis() * n) }
            }
        }
    }

    /// Returns the time of the next measurement.
    pub fn next(&self, now: Time) -> Time {
        let Some(every) = self.every else { return now + Span::from_millis(1) };
        let n = (now - Time::ZERO).as_millis().div_euclid(every.as_millis()) + 1;
        Time::from_millis(n * every.as_millis())
    }
}

impl PolicyTimers {
    /// Collects the timers of a partition's policy and queues.
    pub fn new(plan: &Plan, partition: PartitionId) -> PolicyTimers {
        let (policy, rhythm) = plan.scheduling(partition);
        if !policy.description().queue.history {
            return PolicyTimers::default();
        }
        let timers = policy.timers();
        let queues = plan.cluster.queues_in(partition).values();
        let mut after_start: Vec<Span> = queues
            .flat_map(|queue| [queue.preempt_min_runtime, queue.reclaim_min_runtime])
            .flatten()
            .chain(timers.default_min_runtimes)
            .chain(plan.cluster.jobs.values().filter_map(|job| job.preemption_delay))
            .collect();
        after_start.retain(|&span| span > Span::ZERO);
        after_start.sort();
        after_start.dedup();
        let after_incomplete_gang = timers.staleness_grace;
        // The grace period begins in the first cycle after the loss, which detects the incomplete gang.
        let of_jobs = plan.cluster.jobs.values().filter_map(|job| job.staleness_grace.flatten());
        let longest_grace = of_jobs.chain(after_incomplete_gang).max().map(|grace| grace + period(rhythm));
        let longest = after_start.iter().copied().chain(longest_grace).max().unwrap_or_default();
        let on_agenda = matches!(rhythm, Rhythm::OnChange { .. });
        let usage = timers.usage.map(|usage| UsageTimer::new(usage, rhythm));
        let after_eviction = timers.stuck_in_releasing.map(|span| span + Span::from_millis(1));
        PolicyTimers { after_start, after_incomplete_gang, after_eviction, longest, on_agenda, usage }
    }
}

/// Whether some pods of the job hold resources while a pod set is below its minimum.
pub fn has_incomplete_gang(cluster: &Cluster, job: JobId) -> bool {
    let n_holding = cluster.pods_of(job).filter(|(_, pod)| pod.phase.holds()).count();
    n_holding > 0
        && cluster.jobs[job].pod_set_ids().any(|set| {
            let pods = cluster.pods_of(job).filter(|(_, pod)| pod.pod_set == set && pod.phase.holds());
            pods.count() < cluster.pod_sets[set].min_available as usize
        })
}

/// Whether a pod of the job is pending.
fn waits(cluster: &Cluster, job: JobId) -> bool {
    cluster.pods_of(job).any(|(_, pod)| pod.phase == Phase::Pending)
}

/// Whether measured usage may change a decision, given the time since the last change.
pub fn usage_matters(world: PartitionView<'_>, timers: &PolicyTimers, unchanged: Span) -> bool {
    let Some(usage) = &timers.usage else { return false };
    let sees = || usage.every.is_none() || world.live_jobs().any(|job| waits(world.cluster, job));
    unchanged <= usage.longest && sees()
}

/// Whether a minimum runtime may delay a pending job, or a gang is incomplete.
pub fn time_matters(world: PartitionView<'_>, timers: &PolicyTimers) -> bool {
    let waits = |job: JobId| waits(world.cluster, job);
    let may_wait = !timers.after_start.is_empty();
    world.live_jobs().any(|job| may_wait && waits(job) || has_incomplete_gang(world.cluster, job))
}
