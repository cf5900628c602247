//! The progress of a run's jobs, and which jobs are worse off in another run.
//!
//! # Rule
//! The progress of a job is the number of its pods that are starting, running or have finished by themselves. It
//! changes at cycles only; pods that finish still count. A job is worse off in another run if more of its pods are
//! evicted there, if its progress is smaller at any moment, or if it ends later or not at all. Ends by the scenario's
//! own timeline are not evictions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Harm;
use crate::cluster::{Cluster, Phase};
use crate::id::{JobId, PodId};
use crate::sim::{CycleRecord, Simulation};
use crate::time::Time;
use crate::trace::{Event, EvictReason};

/// The progress of all jobs of a run.
#[derive(Clone, Debug, Default)]
pub struct RunProgress {
    jobs: BTreeMap<Arc<str>, JobProgress>,
    n_evictions: Vec<Time>,
}

/// The progress of one job.
#[derive(Clone, Debug, Default)]
pub struct JobProgress {
    /// One step for each change of the progress.
    steps: Vec<ProgressStep>,
    evictions: Vec<Time>,
    /// When its last pod ended.
    ended: Option<Time>,
}

/// The progress of a job from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressStep {
    pub cycle: u32,
    pub time: Time,
    pub progress: u32,
}

impl RunProgress {
    /// The progress of a run in its opening state.
    pub fn new(sim: &Simulation) -> RunProgress {
        let mut run = RunProgress::default();
        let record = sim.opening();
        for job in sim.cluster().jobs.ids() {
            run.note(sim.cluster(), record, job);
        }
        run.push(sim, record);
        run
    }

    /// Adds the next cycle.
    pub fn push(&mut self, sim: &Simulation, record: &CycleRecord) {
        let cluster = sim.cluster();
        let mut touched = Vec::new();
        for recorded in &record.events {
            match recorded.event {
                Event::Evicted { pod, reason, .. } if reason != EvictReason::Withdrawn => {
                    let job = cluster.pods[pod].job;
                    self.n_evictions.push(record.time);
                    self.of(cluster, job).evictions.push(record.time);
                    touched.push(job);
                }
                Event::JobDone { job } | Event::JobEvicted { job } => {
                    self.of(cluster, job).ended = cluster.jobs[job].ended;
                    touched.push(job);
                }
                event => touched.extend(changed(event).map(|pod| cluster.pods[pod].job)),
            }
        }
        for job in touched {
            self.note(cluster, record, job);
        }
    }

    /// The progress of a job; empty if there is no such job.
    pub fn job(&self, name: &str) -> JobProgress {
        self.jobs.get(name).cloned().unwrap_or_default()
    }

    /// Number of pods evicted before a moment; `None`: in the whole run.
    pub fn evictions(&self, until: Option<Time>) -> usize {
        n_before(&self.n_evictions, until)
    }

    /// The jobs that are worse off in another run before a moment.
    pub fn worse_off<'a>(
        &'a self,
        other: &'a RunProgress,
        until: Option<Time>,
    ) -> impl Iterator<Item = (&'a str, Harm)> {
        // The opening state contains every job.
        self.jobs.iter().filter_map(move |(name, progress)| {
            let other_progress = other.jobs.get(name)?;
            Some((&**name, progress.harm(other_progress, until)?))
        })
    }

    fn of(&mut self, cluster: &Cluster, job: JobId) -> &mut JobProgress {
        self.jobs.entry(cluster.jobs[job].name.clone()).or_default()
    }

    fn note(&mut self, cluster: &Cluster, record: &CycleRecord, job: JobId) {
        let progress = progress(cluster, job);
        let job_progress = self.of(cluster, job);
        if job_progress.steps.last().map_or(0, |step| step.progress) != progress {
            job_progress.steps.push(ProgressStep { cycle: record.cycle, time: record.time, progress });
        }
    }
}

impl JobProgress {
    /// Progress at the end of a cycle.
    pub fn progress_in(&self, cycle: u32) -> u32 {
        self.steps.iter().rfind(|step| step.cycle <= cycle).map_or(0, |step| step.progress)
    }

    /// Progress at a moment.
    pub fn progress_at(&self, time: Time) -> u32 {
        self.steps.iter().rfind(|step| step.time <= time).map_or(0, |step| step.progress)
    }

    /// The first step that satisfies `after` and whose progress exceeds a number.
    pub fn exceeds(&self, progress: u32, after: impl Fn(&ProgressStep) -> bool) -> Option<ProgressStep> {
        self.steps.iter().find(|step| after(step) && step.progress > progress).copied()
    }

    /// Whether the job has ended by a moment.
    pub fn has_ended(&self, time: Time) -> bool {
        self.ended.is_some_and(|ended| ended <= time)
    }

    /// How the job is worse off in another run before a moment, if it is.
    pub fn harm(&self, other: &JobProgress, until: Option<Time>) -> Option<Harm> {
        if n_before(&other.evictions, until) > n_before(&self.evictions, until) {
            return Some(Harm::Evicted);
        }
        let within = |time: &Time| until.is_none_or(|until| *time < until);
        let first = |job: &JobProgress| job.steps.iter().find(|step| step.progress > 0).map(|step| step.time);
        let is_later = |was: Option<Time>, now: Option<Time>| match (was.filter(within), now.filter(within)) {
            (Some(was), Some(now)) => now > was,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_later(first(self), first(other)) {
            return Some(Harm::StartsLater);
        }
        let mut moments = self.steps.iter().chain(&other.steps).map(|step| step.time).filter(within);
        if moments.any(|time| other.progress_at(time) < self.progress_at(time)) {
            return Some(Harm::WaitsLonger);
        }
        is_later(self.ended, other.ended).then_some(Harm::EndsLater)
    }
}

/// The pod of an event that may change the progress of its job.
fn changed(event: Event) -> Option<PodId> {
    match event {
        Event::Bound { pod, .. }
        | Event::Found { pod, .. }
        | Event::Evicted { pod, .. }
        | Event::Gone { pod, .. }
        | Event::Requeued { pod }
        | Event::NotReplaced { pod }
        | Event::Finished { pod, .. } => Some(pod),
        Event::Submitted { .. }
        | Event::Joined { .. }
        | Event::DevicesChanged { .. }
        | Event::Claimed { .. }
        | Event::Unclaimed { .. }
        | Event::JobDone { .. }
        | Event::JobEvicted { .. }
        | Event::Offered { .. }
        | Event::SetAside { .. }
        | Event::Changed { .. } => None,
    }
}

fn progress(cluster: &Cluster, job: JobId) -> u32 {
    let counts = |&pod: &PodId| {
        let phase = cluster.pods[pod].phase;
        matches!(phase, Phase::Starting { .. } | Phase::Running { .. } | Phase::Finished { .. })
    };
    cluster.jobs[job].pod_ids().filter(counts).count().try_into().unwrap_or(u32::MAX)
}

fn n_before(times: &[Time], until: Option<Time>) -> usize {
    times.iter().filter(|time| until.is_none_or(|until| **time < until)).count()
}
