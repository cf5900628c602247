//! Outlooks: what ends the refusals of a completed cycle.
//!
//! # Rule
//! Victims of a claim are gone when the last pod leaves the node. Whether only minimum runtimes keep a job pending, and
//! until when, is found by running the cycle again, on a copy, at the first cycles after the ends of those minimum
//! runtimes: the first that claims room for the job gives the time. For other jobs the running jobs are ended in order
//! until the job's next chunk fits nodes, limits and quotas without them. A non-preemptible job over quota waits for
//! the job that uses the quota. A job that lost a claim before has no outlook.
//!
//! Not found where devices are shared (`SessionState::sums_are_exact`).

use std::collections::BTreeMap;

use super::super::record::notes::Failure;
use crate::cluster::Preemptible;
use crate::id::JobId;
use crate::policy::ends::ends;
use crate::policy::kai::fast::feasibility::Feasibility;
use crate::policy::kai::memory::Memory;
use crate::policy::kai::pool_state::CycleInput;
use crate::policy::kai::record::notes::Notes;
use crate::policy::kai::record::recorder::Recorder;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, QueueRef, TaskRef};
use crate::policy::{PartitionView, Rhythm};
use crate::time::Time;
use crate::trace::{Check, Ending, Gate, Level, Outlook, Refusal, Trace};

/// Maximum number of times at which the cycle is run again.
const MOMENTS_MAX: usize = 4;

/// What the outlooks of a cycle look up, found in one pass over the session's jobs.
struct Lookup {
    jobs: BTreeMap<JobId, JobRef>,
    /// Known ends, ascending, and the tasks that release resources then.
    ends: Vec<(Time, JobId, Vec<TaskRef>)>,
    /// By queue: the job with non-preemptible work that holds resources; `None` if there are several.
    non_preemptible: BTreeMap<QueueRef, Option<JobRef>>,
    /// Every node counts.
    nodes: Vec<bool>,
}

impl Lookup {
    fn of(session: &Session<'_>, world: PartitionView<'_>) -> Lookup {
        let jobs: BTreeMap<JobId, JobRef> = session.own_jobs().map(|job| (session.facts_of(job).id, job)).collect();
        let tasks_of = |job| jobs.get(&job).map_or_else(Vec::new, |&job| session.state.active_of(job).collect());
        let ends = ends(world).into_iter().map(|(time, job)| (time, job, tasks_of(job))).collect();
        let mut non_preemptible = BTreeMap::new();
        for job in session.own_jobs() {
            let facts = session.facts_of(job);
            let holds = facts.preemptible != Preemptible::Yes && session.job(job).n_active_allocated != 0;
            if let Some(queue) = facts.queue.filter(|_| holds) {
                non_preemptible.entry(queue).and_modify(|only| *only = None).or_insert(Some(job));
            }
        }
        Lookup { jobs, ends, non_preemptible, nodes: vec![true; session.state.nodes.len()] }
    }
}

/// A completed cycle.
#[derive(Clone, Copy)]
pub(in crate::policy::kai) struct CompletedCycle<'a> {
    pub input: &'a CycleInput<'a>,
    pub world: PartitionView<'a>,
    pub rhythm: Rhythm,
    pub memory: &'a Memory,
}

impl CompletedCycle<'_> {
    /// Completes the outlooks of a cycle's refusals; `free_at` returns when a job's claimed room becomes free.
    pub fn complete(
        self,
        session: &mut Session<'_>,
        refusals: &mut [Refusal],
        free_at: impl Fn(JobId) -> Option<Time>,
    ) {
        if refusals.is_empty() {
            return;
        }
        let lookup = Lookup::of(session, self.world);
        self.protections(session, &lookup.jobs, refusals);
        for refusal in refusals {
            let (now, rhythm) = (self.world.now, self.rhythm);
            refusal.outlook = match &mut refusal.gate {
                Gate::WaitingForVictims { until } => {
                    *until = free_at(refusal.job);
                    match *until {
                        Some(time) if !self.memory.lost_a_claim(refusal.job) => {
                            rhythm.outlook(now, time, Ending::Termination)
                        }
                        _ => Outlook::NotForeseeable,
                    }
                }
                Gate::VictimsProtected { until } => rhythm.outlook(now, *until, Ending::Protection),
                Gate::Delayed { until, .. } => rhythm.outlook(now, *until, Ending::NoEvictions),
                Gate::NotReady if self.world.cluster.joining_of(refusal.job).next().is_some() => {
                    Outlook::NotForeseeable
                }
                Gate::NotReady if refusal.outlook == Outlook::NotForeseeable => Outlook::NotForeseeable,
                _ if refusal.outlook == Outlook::NotForeseeable => {
                    let job = lookup.jobs.get(&refusal.job);
                    job.map_or(Outlook::NotForeseeable, |&job| self.when_ends(session, job, &lookup))
                }
                _ => refusal.outlook,
            };
        }
    }

    /// Finds the jobs that only minimum runtimes keep pending, and until when.
    fn protections(self, session: &Session<'_>, jobs: &BTreeMap<JobId, JobRef>, refusals: &mut [Refusal]) {
        let note = |job: JobRef| session.notes.of(job);
        // A job skipped because an equivalent one failed uses the protections noted for that one.
        let noted = |job: JobId| {
            let job = *jobs.get(&job)?;
            let note_of_job = note(job);
            let like = note_of_job.like.map(note).filter(|_| note_of_job.protected.is_empty());
            Some((job, like.unwrap_or(note_of_job).protected.as_slice()))
        };
        let is_open = |refusal: &&mut Refusal| {
            !matches!(refusal.gate, Gate::WaitingForVictims { .. }) && refusal.outlook != Outlook::OnlyByEdit
        };
        let mut open = Vec::new();
        for refusal in refusals.iter_mut().filter(is_open) {
            if let Some((job, protected)) = noted(refusal.job).filter(|(_, protected)| !protected.is_empty()) {
                open.push((refusal, job, protected));
            }
        }
        let moment = |seconds: f64| Time::from_millis((seconds * 1000.0).ceil() as i64);
        let now = self.world.now;
        let cycle_after = |protection: &(Check, f64)| self.rhythm.first_from(now, moment(protection.1));
        let protections = open.iter().flat_map(|(_, _, protected)| protected.iter());
        let mut cycles: Vec<Time> = protections.map(cycle_after).collect();
        cycles.sort();
        cycles.dedup();
        for cycle in cycles.into_iter().take(MOMENTS_MAX) {
            let served = self.served_at(cycle);
            open.retain_mut(|(refusal, job, protected)| {
                let ends = protected.iter().map(|protection| moment(protection.1));
                let ended = ends.filter(|&end| end > now && end <= cycle);
                let Some(until) = ended.max().filter(|_| served.contains(job)) else { return true };
                refusal.also.insert(0, refusal.gate.clone());
                refusal.also.retain(|gate| !matches!(gate, Gate::NoVictims { .. } | Gate::LikeFailed { .. }));
                refusal.gate = Gate::VictimsProtected { until };
                // What kept the solver from evicting is told by the minimum runtimes.
                let note = note(*job);
                let is_of_search = |check: &Check| {
                    let mut of_note = note.refused.iter().chain(&note.immovable);
                    of_note.any(|noted| noted == check) || protected.iter().any(|protection| protection.0 == *check)
                };
                let of_runtimes = protected.iter().map(|protection| protection.0.clone());
                let further = std::mem::take(&mut refusal.checks).into_iter().filter(|c| !is_of_search(c));
                refusal.checks = of_runtimes.chain(further).collect();
                false
            });
        }
    }

    /// Jobs placed or with a claim if the same cycle runs at another time.
    fn served_at(self, time: Time) -> Vec<JobRef> {
        let input = CycleInput { now_s: time.as_seconds(), ..self.input.clone() };
        let mut session = Session::open(input, Level::Outcomes);
        let mut trace = Trace::new(Level::Outcomes);
        let mut out = Recorder::new(&mut trace);
        crate::policy::kai::execute_actions(&mut session, &mut out);
        out.claims.iter().map(|claim| claim.0).collect()
    }

    /// The job whose end lets another start.
    fn when_ends(self, session: &mut Session<'_>, job: JobRef, lookup: &Lookup) -> Outlook {
        let note = session.notes.of(job);
        if note.not_placed.is_none() || session.job(job).n_active_allocated != 0 {
            return Outlook::NotForeseeable;
        }
        let over = session.notes.over_quota_of(job).filter(|&queue| session.facts_of(job).queue == Some(queue));
        let only = over.and_then(|queue| *lookup.non_preemptible.get(&queue)?);
        if lookup.ends.is_empty() && only.is_none() {
            return Outlook::NotForeseeable;
        }
        let nodes = &lookup.nodes;
        let Some(feasibility) = Feasibility::new(session, job, nodes) else { return Outlook::NotForeseeable };
        let mut ended: Vec<TaskRef> = Vec::new();
        for (time, other, tasks) in &lookup.ends {
            ended.extend(tasks);
            if feasibility.is_open_without(session, nodes, &ended) {
                return Outlook::WhenEnds { job: *other, at: Some(*time) };
            }
        }
        let endless = only.filter(|&other| {
            let is_endless = self.world.cluster.jobs[session.facts_of(other).id].lasts.is_none();
            let tasks: Vec<TaskRef> = session.state.active_of(other).collect();
            is_endless && feasibility.is_open_without(session, nodes, &tasks)
        });
        endless.map_or(Outlook::NotForeseeable, |other| Outlook::WhenEnds { job: session.facts_of(other).id, at: None })
    }
}

impl Notes {
    /// The queue whose quota refused a job.
    fn over_quota_of(&self, job: JobRef) -> Option<QueueRef> {
        let note = self.of(job);
        let of_quota = |failure: &Failure| match failure {
            Failure::Excess(excess) if excess.of_quota => Some(excess.queue),
            _ => None,
        };
        [&note.not_placed, &note.over_quota].into_iter().flatten().find_map(of_quota)
    }
}
