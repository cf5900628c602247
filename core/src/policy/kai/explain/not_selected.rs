//! Jobs and queues not selected as victims, recorded with the decision from its own inputs.
//!
//! # Rule
//! A reclaim examines queues where their paths diverge from the claimant's; a queue from which a first unit is not
//! allowed (6.3 A) or whose jobs are no candidates is protected, one that would allow it comes later in the order. Jobs
//! of the victims' queues are listed as not preemptible, in their minimum runtime, of no lower priority where that
//! counts, behind the last victim in the order of victims, or not needed. No decision depends on it.
//!
//! # Source
//! kai.md 6.3, 6.8, 7.1
//!
//! # Differs
//! nothing

use super::super::job::Filled;
use crate::cluster::Preemptible;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::order::job_order::PRIORITY;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::min_runtime::Against;
use crate::policy::kai::solve::reclaimable::Claim;
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::statement::Done;
use crate::policy::kai::task::{JobRef, QueueRef};
use crate::trace::{Candidate, Check, NotSelected, Protection};

/// Maximum number recorded per decision.
const NOT_SELECTED_MAX: usize = 16;

/// What the allocated jobs of a queue may lose now.
#[derive(Clone, Copy, Debug)]
enum Leaf {
    /// Tasks of some of them may be evicted.
    Open,
    /// None; the job is protected only by its minimum runtime.
    Closed { protected: Option<JobRef> },
}

impl Leaf {
    /// Combines two summaries.
    fn with(self, other: Leaf) -> Leaf {
        match (self, other) {
            (Leaf::Closed { protected }, Leaf::Closed { protected: of_other }) => {
                Leaf::Closed { protected: protected.or(of_other) }
            }
            _ => Leaf::Open,
        }
    }
}

impl Session<'_> {
    /// Queues and jobs not selected when `done` evicts victims for a job that needed `need` before. Read-only: it must
    /// not fill caches such as the next chunk, which would have other values now.
    pub fn not_selected(
        &self,
        search: &VictimSearch,
        (job, need): (JobRef, Quantities),
        done: &[Done],
    ) -> Vec<NotSelected> {
        let allocations = match search {
            VictimSearch::Reclaim(allocations) => Some(allocations),
            VictimSearch::Preemption | VictimSearch::Consolidation { .. } => None,
        };
        let Some(queue) = self.facts_of(job).queue.filter(|_| self.notes.is_on()) else { return Vec::new() };
        let mut victims: Vec<JobRef> = Vec::new();
        for operation in done {
            if let Done::Evicted(task) = *operation {
                let owner = self.job_of(task);
                if !victims.contains(&owner) {
                    victims.push(owner);
                }
            }
        }
        if victims.is_empty() {
            return Vec::new();
        }
        let mut not_selected = Vec::new();
        if let Some(allocations) = allocations {
            let claim = Claim { claimant: job, need, fixed: None, allocations };
            self.unselected_queues(queue, claim, &victims, &mut not_selected);
            let jobs = self.holders_in(queue).filter(|&other| other != job).count() as u32;
            if jobs != 0 {
                let candidate = Candidate::Queue(self.state.queues[queue.ix()].id);
                not_selected.push((candidate, Protection::OwnQueue { jobs }));
            }
        }
        self.unselected_jobs((job, queue), allocations.is_some(), (&victims, done), &mut not_selected);
        not_selected.truncate(NOT_SELECTED_MAX);
        let claimant = self.facts_of(job).id;
        not_selected.into_iter().map(|(candidate, why)| NotSelected { by: claimant, candidate, why }).collect()
    }

    /// For a job without a solution and without a refusal, notes that no queue may lose a first unit to it (6.3 A), if
    /// true: the comparisons where the paths diverge, those above the job's own queue first.
    pub fn note_not_allowed(&mut self, search: &VictimSearch, job: JobRef, need: Quantities) {
        let is_open = self.notes.is_on() && self.notes.of(job).refused.is_empty();
        let VictimSearch::Reclaim(allocations) = search else { return };
        let Some(queue) = self.facts_of(job).queue.filter(|_| is_open) else { return };
        let claim = Claim { claimant: job, need, fixed: None, allocations };
        let mut splits: Vec<(QueueRef, QueueRef)> = Vec::new();
        for other in (0..self.state.queues.len()).map(QueueRef::of).filter(|&other| other != queue) {
            let Some(Leaf::Open) = self.leaf(other, job, queue) else { continue };
            let Some((r, e)) = self.state.split(queue, other) else { continue };
            let is_allowed = self.unit_is_allowed(claim, (r, e), allocations[e.ix()].0).is_some();
            if is_allowed && self.is_below_quota(claim, (r, e)).is_none() {
                return;
            }
            if !splits.contains(&(r, e)) {
                splits.push((r, e));
            }
        }
        splits.sort_by_key(|(r, _)| *r == queue);
        let checks = splits.iter().flat_map(|&split| match self.is_below_quota(claim, split) {
            Some(check) => vec![check],
            None => self.unit_checks(claim, split, allocations[split.1.ix()].0),
        });
        let checks: Vec<_> = checks.collect();
        self.notes.about(job, |note| {
            note.taken.clear();
            note.refused = checks;
        });
    }

    /// Summary of a queue's own jobs, without the claimant; `None` if it has none.
    fn leaf(&self, queue: QueueRef, claimant: JobRef, claimant_queue: QueueRef) -> Option<Leaf> {
        let mut leaf = None;
        for job in self.holders_in(queue).filter(|&job| job != claimant) {
            let may_lose = self.may_lose(job);
            if may_lose && self.may_be_victim(job, Against::Reclaim(claimant_queue)) {
                return Some(Leaf::Open);
            }
            let of_job = Leaf::Closed { protected: Some(job).filter(|_| may_lose) };
            leaf = Some(leaf.map_or(of_job, |leaf: Leaf| leaf.with(of_job)));
        }
        leaf
    }

    /// Jobs with allocated tasks.
    fn holders(&self) -> impl Iterator<Item = JobRef> + '_ {
        self.own_jobs().filter(|&job| self.job(job).n_active_allocated != 0)
    }

    /// Jobs of a queue with allocated tasks.
    fn holders_in(&self, queue: QueueRef) -> impl Iterator<Item = JobRef> + '_ {
        let jobs = self.notes.jobs_by_queue.get_or_init(|| {
            let mut jobs: Vec<Vec<JobRef>> = self.state.queues.iter().map(|_| Vec::new()).collect();
            for job in self.own_jobs() {
                self.facts_of(job).queue.into_iter().for_each(|queue| jobs[queue.ix()].push(job));
            }
            jobs
        });
        jobs[queue.ix()].iter().copied().filter(|&job| self.job(job).n_active_allocated != 0)
    }

    fn unselected_queues(
        &self,
        queue: QueueRef,
        claim: Claim<'_>,
        victims: &[JobRef],
        not_selected: &mut Vec<(Candidate, Protection)>,
    ) {
        // Divergences from the claimant's path; those of the victims are excluded.
        let mut of_victims: Vec<QueueRef> = Vec::new();
        for victim in victims {
            let split = self.facts_of(*victim).queue.and_then(|leaf| self.state.split(queue, leaf));
            of_victims.extend(split.map(|(_, e)| e));
        }
        // Divergences with allocated jobs below.
        let mut splits: Vec<(QueueRef, QueueRef, Leaf)> = Vec::new();
        for other in (0..self.state.queues.len()).map(QueueRef::of) {
            let split = self.state.split(queue, other).filter(|(_, e)| !of_victims.contains(e));
            let leaf = split.and_then(|_| self.leaf(other, claim.claimant, queue));
            let Some(((r, e), leaf)) = split.zip(leaf) else { continue };
            match splits.iter_mut().find(|split| split.1 == e) {
                Some(split) => split.2 = split.2.with(leaf),
                None => splits.push((r, e, leaf)),
            }
        }
        for (r, e, below) in splits.into_iter().take(NOT_SELECTED_MAX) {
            let mut checks = self.unit_checks(claim, (r, e), claim.allocations[e.ix()].0);
            let is_allowed = self.unit_is_allowed(claim, (r, e), claim.allocations[e.ix()].0).is_some();
            let runs_briefly = |job| self.protection(claim.claimant, job, Against::Reclaim(queue));
            let why = match checks.pop() {
                _ if let Leaf::Closed { protected } = below => {
                    protected.and_then(runs_briefly).map_or(Protection::NonPreemptible, Protection::Failed)
                }
                Some(check) if is_allowed => {
                    self.is_below_quota(claim, (r, e)).map_or(Protection::Later(check), Protection::Failed)
                }
                // The first comparison quantifies the protection.
                Some(last) => Protection::Failed(checks.into_iter().next().unwrap_or(last)),
                None => continue,
            };
            not_selected.push((Candidate::Queue(self.state.queues[e.ix()].id), why));
        }
    }

    /// Adds jobs that remain beside the victims.
    fn unselected_jobs(
        &self,
        (claimant, claimant_queue): (JobRef, QueueRef),
        is_reclaim: bool,
        (victims, done): (&[JobRef], &[Done]),
        not_selected: &mut Vec<(Candidate, Protection)>,
    ) {
        let queues: Vec<Option<QueueRef>> = victims.iter().map(|&victim| self.facts_of(victim).queue).collect();
        let against = if is_reclaim { Against::Reclaim(claimant_queue) } else { Against::Preemption };
        for job in self.holders().filter(|&job| job != claimant) {
            let facts = self.facts_of(job);
            let is_victim = victims.contains(&job);
            if !queues.contains(&facts.queue) || is_victim && !self.is_semi(job) {
                continue;
            }
            let why = if facts.preemptible == Preemptible::No {
                Protection::NonPreemptible
            } else if self.is_semi(job) {
                let core: i64 = self.job(job).sets.iter().map(|set| set.min_available).sum();
                Protection::Core { pods: core.max(0) as u32 }
            } else if !is_reclaim && facts.priority >= self.facts_of(claimant).priority {
                Protection::Failed(self.lower_priority(claimant, job))
            } else if let Some(check) =
                self.protection(claimant, job, against).filter(|_| !self.may_be_victim(job, against))
            {
                Protection::Failed(check)
            } else {
                self.comes_later(job, victims, done).map_or(Protection::NotNeeded, Protection::Later)
            };
            not_selected.push((Candidate::Job(facts.id), why));
            if not_selected.len() > NOT_SELECTED_MAX {
                return;
            }
        }
    }

    /// The comparison that puts a job behind the last victim of its queue, in the reverse of the job order; `None`: the
    /// order did not decide.
    fn comes_later(&self, job: JobRef, victims: &[JobRef], done: &[Done]) -> Option<Check> {
        let queue = self.facts_of(job).queue;
        let last = *victims.iter().rev().find(|&&victim| self.facts_of(victim).queue == queue)?;
        let filled = self.filled_before(last, done);
        let check = self.filled_job_comes_after((last, filled), (job, self.job(job).filled()));
        // A job above its minimum loses one pod at a time, and its place in the order changes with each.
        let is_decided = check.holds && (check.rule == PRIORITY || filled != Filled::Above);
        is_decided.then_some(check)
    }

    /// The fill of a job before evictions that are already counted.
    fn filled_before(&self, job: JobRef, done: &[Done]) -> Filled {
        let uid = self.job(job).uid;
        let mut before = self.job(uid).clone();
        for operation in done {
            if let Done::Evicted(task) = *operation
                && self.job(self.job_of(task)).uid == uid
                && !self.task(task).status.is_active_allocated()
            {
                before.sets[self.pod_of(task).set].active_allocated += 1;
            }
        }
        before.filled()
    }
}
