//! One attempt: places the claimant and the evicted tasks again, then validates the result.
//!
//! # Rule
//! All jobs with pending tasks and all jobs that lost tasks are popped in order from a fresh queue tree, with the
//! claimant replaced by its partial job. The claimant must be placed on the feasible nodes; a job that lost tasks gets
//! one chunk if it fits, and caches that chunk otherwise; other jobs are skipped. Tasks still releasing
//! afterwards are evicted; tasks pipelined to another node move.
//!
//! # Source
//! kai.md 6.7, 6.8, 7.2
//!
//! # Differs
//! nothing

use crate::policy::kai::fast::feasibility::Feasibility;
use crate::policy::kai::order::leaves::Leaves;
use crate::policy::kai::order::queue_tree::QueueTree;
use crate::policy::kai::record::notes::Proof;
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::min_runtime::Against;
use crate::policy::kai::solve::victim_search::VictimSearch;
use crate::policy::kai::solve::victims::VictimsOfJob;
use crate::policy::kai::statement::Statement;
use crate::policy::kai::task::{JobRef, NodeRef, PodRef, Status, TaskRef};

#[derive(Debug)]
pub(in crate::policy::kai) enum Attempt {
    /// The claimant was not placed.
    Failed,
    /// The claimant was placed, but the validator refused the victims.
    Refused,
    /// The claimant was placed: evicted or moved tasks, and the comparisons that allow it.
    Solved(Vec<TaskRef>, Proof),
}

/// What an attempt evicts, and which victims its validator sees.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy::kai) struct Tried<'a> {
    /// Partial job of the claimant.
    pub partial: JobRef,
    pub evicted: &'a [TaskRef],
    /// In the order in which their jobs were added.
    pub victims: &'a [VictimsOfJob],
}

impl Session<'_> {
    /// 6.7: runs one attempt.
    pub fn simulate(
        &mut self,
        search: &VictimSearch,
        st: &mut Statement,
        tried: Tried<'_>,
        nodes: &[bool],
        feasibility: Option<&Feasibility>,
    ) -> Attempt {
        let claimant = self.job(tried.partial).uid;
        self.note_tried(search, tried.partial, 1);
        self.notes.tried_nodes(&self.state, tried.evicted);
        if !self.place_again(st, tried, nodes, feasibility) {
            return Attempt::Failed;
        }
        let mut proof = Proof::default();
        if !self.is_valid(search, tried, &mut proof) {
            self.notes.about(claimant, |note| {
                note.taken = std::mem::take(&mut proof.taken);
                note.refused = proof.into_checks();
            });
            return Attempt::Refused;
        }
        let is_displaced = |&t: &TaskRef| matches!(self.task(t).status, Status::Releasing | Status::Pipelined);
        Attempt::Solved(tried.evicted.iter().copied().filter(is_displaced).collect(), proof)
    }

    /// Places the claimant and the jobs that lost tasks again; `false` if the claimant does not fit.
    fn place_again(
        &mut self,
        st: &mut Statement,
        tried: Tried<'_>,
        nodes: &[bool],
        mut feasibility: Option<&Feasibility>,
    ) -> bool {
        let Tried { partial, evicted: victims, .. } = tried;
        let mut owners: Vec<JobRef> = victims.iter().map(|&t| self.job_of(t)).collect();
        owners.sort();
        owners.dedup();
        let relevant = self.relevant_jobs(partial, &owners);
        let leaves = self.waiting_and_relevant(partial, &owners, &relevant);
        let mut tree = QueueTree::serving(&self.state);
        tree.load_leaves(self, leaves);
        if self.inputs.siblings_are_ordered {
            tree.restrict_to(self, relevant);
        }
        let nodes: Vec<NodeRef> = (0..nodes.len()).filter(|&n| nodes[n]).map(NodeRef::of).collect();
        let mut emptied: Vec<NodeRef> = victims.iter().filter_map(|&t| self.task(t).node).collect();
        emptied.sort();
        emptied.dedup();
        let mut n_remaining = owners.len() + 1;
        while n_remaining > 0
            && let Some(job) = tree.pop(self)
        {
            let is_owner = owners.binary_search(&job).is_ok();
            if job != partial && !is_owner {
                continue;
            }
            n_remaining -= 1;
            tree.count_popped(self, job);
            self.need(job);
            let placed = self.allocate_job(st, job, &nodes, true).is_ok();
            if job == partial {
                if !placed {
                    return false;
                }
                feasibility = None;
            } else if !placed {
                self.chunk(job, false);
            } else if feasibility.is_some_and(|p| !p.stays_open(self, &emptied)) {
                return false;
            }
        }
        true
    }

    /// The partial job and the ordered jobs that lost tasks, in job order.
    fn relevant_jobs(&self, partial: JobRef, owners: &[JobRef]) -> Vec<JobRef> {
        let claimant = self.job(partial).uid;
        let mut jobs: Vec<JobRef> = owners.iter().copied().filter(|&j| j != claimant).collect();
        jobs.push(partial);
        jobs.retain(|&job| self.facts_of(job).is_ordered);
        jobs.sort_by_key(|&job| self.job(job).rank);
        jobs
    }

    /// All waiting jobs and the relevant ones, by leaf.
    fn waiting_and_relevant(&mut self, partial: JobRef, owners: &[JobRef], relevant: &[JobRef]) -> Leaves {
        let (claimant, waiting) = (self.job(partial).uid, self.waiting());
        let is_replaced = |job: JobRef| job == claimant || owners.binary_search(&job).is_ok();
        let relevant = relevant.iter().map(|&job| (self.leaf_of(job), job));
        Leaves::clone(&waiting).with(relevant, is_replaced, |job| self.job(job).rank)
    }

    fn is_valid(&mut self, search: &VictimSearch, tried: Tried<'_>, proof: &mut Proof) -> bool {
        match search {
            VictimSearch::Reclaim(allocations) => {
                let proportion = !self.inputs.plugins.proportion || self.is_fair(allocations, tried, proof);
                let queue = self.facts_of(tried.partial).queue;
                proportion && queue.is_none_or(|queue| self.ran_long_enough(Against::Reclaim(queue), tried))
            }
            VictimSearch::Preemption => self.ran_long_enough(Against::Preemption, tried),
            VictimSearch::Consolidation { .. } => self.all_placed(tried),
        }
    }

    /// 7.2: whether every evicted task is placed again.
    fn all_placed(&self, tried: Tried<'_>) -> bool {
        let mut pods = tried.victims.iter().flat_map(|victims| &victims.pods);
        pods.all(|&pod| self.task(self.current_of(pod)).status != Status::Releasing)
    }

    /// 6.8: whether protected elastic jobs keep their minimum.
    fn ran_long_enough(&self, against: Against, tried: Tried<'_>) -> bool {
        let keeps_minimum = |job: JobRef, pods: &[PodRef]| {
            self.job(job).sets.iter().enumerate().all(|(i, set)| {
                let victims = pods.iter().filter(|p| self.inputs.pods[p.ix()].set == i).count() as i64;
                set.min_available <= set.active_used - victims
            })
        };
        let of_job = |v: &VictimsOfJob| {
            !self.is_protected(v.job, against) || !self.job(v.job).is_elastic() || keeps_minimum(v.job, &v.pods)
        };
        tried.victims.iter().all(of_job)
    }
}
