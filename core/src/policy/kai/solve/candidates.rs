//! Jobs that a search may evict or move.
//!
//! # Rule
//! Preemptible jobs with active tasks: for reclaim those of other queues, for preemption those of lower priority in the
//! same queue, both unless their minimum runtime protects them, for consolidation all others up to a number. Which
//! queues may lose jobs to a reclaim depends on the revision: see `queue_may_lose`.
//!
//! # Source
//! kai.md 6.4, 7.1, 7.2; kai-v0.17.md 17.3; kai-v0.18.md 2.5
//!
//! # Differs
//! nothing; candidates beyond the number are cut in victim order (N-9)

use crate::policy::kai::number::{Quantities, UNLIMITED};
use crate::policy::kai::order::job_index::JobIndex;
use crate::policy::kai::order::leaves::Leaves;
use crate::policy::kai::order::nondeterminism::{self, RandomOrder};
use crate::policy::kai::record::notes::real;
use crate::policy::kai::revision::Revision;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::min_runtime::Against;
use crate::policy::kai::solve::reclaimable::Claim;
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::solve::victims::Allocations;
use crate::policy::kai::task::{JobRef, QueueRef};
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject};
use crate::units::Resource;

/// kai-v0.17.md 17.3.
pub static BELOW_QUOTA: Rule = Rule(&RuleRecord {
    key: "kai/reclaim/below-quota",
    says: "a queue that is below its quota of what the job requests loses nothing to a queue that stays within its own, \
           whatever it holds of other resources",
    formula: "allocated(r) + need <= quota(r) and of the requested resources allocated(e) > quota(e) in none, < quota(e) in some",
    source: "kai-v0.17.md 17.3",
    differs: "",
});

impl Session<'_> {
    /// Candidate victims, in the order in which they are evicted.
    pub fn victims_for(&mut self, search: &VictimSearch, job: JobRef) -> Leaves {
        let (queue, priority) = (self.facts_of(job).queue, self.facts_of(job).priority);
        let victims = match search {
            VictimSearch::Reclaim(allocations) => {
                return queue.map_or_else(Leaves::default, |queue| self.victims_of_reclaim(allocations, queue, job));
            }
            VictimSearch::Preemption => {
                let is_lower = |v: &JobRef| self.facts_of(*v).queue == queue && self.facts_of(*v).priority < priority;
                let lower =
                    self.own_jobs().filter(is_lower).filter(|&v| self.may_lose(v) && self.counts_active(v, true));
                lower.filter(|&v| self.may_be_victim(v, Against::Preemption)).collect()
            }
            VictimSearch::Consolidation { most } => {
                let is_movable = |&v: &JobRef| v != job && self.may_lose(v) && self.counts_active(v, most.is_none());
                let mut victims: Vec<JobRef> = self.own_jobs().filter(is_movable).collect();
                if let Some(most) = most {
                    victims.sort_by(|&l, &r| self.state.job_order(r, l));
                    self.draw_jobs(RandomOrder::Consolidation, &mut victims);
                    if victims.len() > *most as usize + 1 {
                        self.notes.ties.met(nondeterminism::CANDIDATES, self.about_job(job));
                    }
                    victims.truncate(*most as usize + 1);
                }
                victims
            }
        };
        let mut victims: Vec<JobRef> = victims.into_iter().filter(|&v| self.facts_of(v).is_ordered).collect();
        victims.sort_by(|&l, &r| self.state.job_order(r, l));
        victims.into_iter().map(|job| (self.leaf_of(job), job)).collect()
    }

    fn victims_of_reclaim(&mut self, allocations: &Allocations, claimant_queue: QueueRef, job: JobRef) -> Leaves {
        let need = self.need(job);
        let mut active = std::mem::take(&mut self.caches.active);
        if !self.caches.keeps_lists {
            active = JobIndex::new(self.state.queues.len(), self.inputs.facts.len());
        }
        active.update(|v| self.place_of(v).filter(|_| self.may_lose(v) && self.state.active_of(v).next().is_some()));
        let may_lose =
            |q| self.state.split(claimant_queue, q).is_none_or(|split| self.queue_may_lose((allocations, need), split));
        let victim_queues = active.queues().filter(|&(q, _)| q != claimant_queue && may_lose(q));
        let leaves = victim_queues.map(|(queue, jobs)| {
            let mut jobs: Vec<JobRef> = jobs.iter().rev().map(|job| job.1).collect();
            if self.may_protect(queue, Against::Reclaim(claimant_queue)) {
                jobs.retain(|&v| self.may_be_victim(v, Against::Reclaim(claimant_queue)));
            }
            (queue, jobs)
        });
        let leaves = leaves.filter(|(_, jobs)| !jobs.is_empty());
        let victims = Leaves::by_first(leaves, |l, r| self.state.job_order(r, l));
        self.caches.active = active;
        victims
    }

    /// Whether a job has active tasks by its count, which differs from their statuses after double evictions.
    ///
    /// # v0.17
    /// By their statuses as well, unless the number of candidates is limited.
    fn counts_active(&self, job: JobRef, is_unlimited: bool) -> bool {
        let also_by_status = match self.inputs.config.revision {
            Revision::V0_13 => false,
            Revision::V0_17 => is_unlimited,
        };
        self.job(job).n_active_allocated != 0 && (!also_by_status || self.state.active_of(job).next().is_some())
    }

    /// Whether jobs of a queue are candidates for a reclaim.
    ///
    /// # v0.13
    /// Those of every other queue.
    ///
    /// # v0.17
    /// Where the paths of the two queues split, (r, e): if r would exceed its quota, e must exceed its allocatable
    /// share. Else only requested resources with a quota count: e must exceed its quota in one, or be below it in none.
    /// With a switch of v0.18 also if e has a lower priority.
    fn queue_may_lose(&self, (allocations, need): (&Allocations, Quantities), (r, e): (QueueRef, QueueRef)) -> bool {
        let is_filtered = match self.inputs.config.revision {
            Revision::V0_13 => false,
            Revision::V0_17 => self.inputs.plugins.proportion,
        };
        if !is_filtered {
            return true;
        }
        let (claimant, other) = (&self.state.queues[r.ix()], &self.state.queues[e.ix()]);
        let allocated = allocations[e.ix()].0;
        if !(allocations[r.ix()].0 + need).less_equal(&claimant.deserved) {
            return !allocated.less_equal(&other.allocatable);
        }
        if self.goes_by_priority(r, e) {
            return true;
        }
        let amounts = need.to_array().into_iter().zip(allocated.to_array()).zip(other.deserved.to_array());
        let requested = amounts.filter(|&((need, _), quota)| need > 0.0 && quota != UNLIMITED);
        let compared: Vec<(f64, f64)> = requested.map(|((_, has), quota)| (has, quota)).collect();
        compared.iter().any(|(has, quota)| has > quota) || !compared.iter().any(|(has, quota)| has < quota)
    }

    /// The comparison that keeps the jobs of a queue from being candidates although a unit of them would be allowed.
    pub fn is_below_quota(&self, claim: Claim<'_>, (r, e): (QueueRef, QueueRef)) -> Option<Check> {
        if self.queue_may_lose((claim.allocations, claim.need), (r, e)) {
            return None;
        }
        let amounts = [claim.need, claim.allocations[e.ix()].0, self.state.queues[e.ix()].deserved];
        let [need, allocated, quota] = amounts.map(Quantities::to_array);
        let is_below = |&i: &usize| need[i] > 0.0 && quota[i] != UNLIMITED && allocated[i] < quota[i];
        let i = [Resource::GPU, Resource::CPU, Resource::MEMORY].map(Resource::index).into_iter().find(is_below)?;
        let resource = Some(Resource::ACCOUNTED[i]);
        let subject = Subject { resource, ..self.about_queues(claim.claimant, r, e) };
        let [allocated, quota] = [(Quantity::AllocatedWithoutVictims, allocated[i]), (Quantity::Quota, quota[i])]
            .map(|(quantity, n)| real(quantity, n));
        Some(Check::new(BELOW_QUOTA, subject, allocated, Op::AtLeast, quota))
    }

    /// Notes the minimum runtimes that alone protect candidates.
    pub fn note_protected(&mut self, search: &VictimSearch, job: JobRef) {
        let (queue, priority) = (self.facts_of(job).queue, self.facts_of(job).priority);
        let Some(claimant_queue) = queue else { return };
        let mut queues = (0..self.state.queues.len()).map(QueueRef::of);
        let is_any_protected = match search {
            VictimSearch::Reclaim(_) => queues.any(|q| self.may_protect(q, Against::Reclaim(claimant_queue))),
            VictimSearch::Preemption => self.may_protect(claimant_queue, Against::Preemption),
            VictimSearch::Consolidation { .. } => false,
        };
        if !is_any_protected {
            return;
        }
        let mut checks = Vec::new();
        for victim in self.own_jobs().filter(|&v| v != job && self.may_lose(v)) {
            let facts = self.facts_of(victim);
            let against = match search {
                VictimSearch::Reclaim(_) if facts.queue != queue => Against::Reclaim(claimant_queue),
                VictimSearch::Preemption if facts.queue == queue && facts.priority < priority => Against::Preemption,
                _ => continue,
            };
            if self.job(victim).n_active_allocated != 0 && self.is_protected(victim, against) {
                let until = self.job(victim).last_start_s.unwrap_or_default() + self.min_runtime(victim, against);
                checks.extend(self.protection(job, victim, against).map(|check| (check, until)));
            }
        }
        // Each step visits the same jobs, each action others.
        self.notes.about(job, |note| {
            checks.retain(|check| !note.protected.contains(check));
            note.protected.append(&mut checks);
        });
    }
}
