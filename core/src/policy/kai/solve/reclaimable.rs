//! Whether a queue may reclaim, and whether a set of victims is fair.
//!
//! # Rule
//! *Can reclaim*: `Allocated + need <= FairShare`, and for non-preemptible jobs `AllocatedNotPreemptible + need <=
//! Deserved`. *Step A*, for each unit taken from a queue, at the pair (r, e) where the paths of the two queues split:
//! allowed if e is above `Allocatable`, or if r stays within `Deserved` and e is above `Deserved`; tested before the
//! unit is subtracted. With a switch of v0.18 also if r stays within `Deserved` and its priority is higher than that of
//! e, whatever e holds. *Step B*, at each level of the claimant's path: against siblings that lose something, the
//! claimant's ratio to its fair share must not exceed 1 and reach the sibling's when multiplied; non-preemptible
//! claimants stay within quota.
//!
//! # Source
//! kai.md 6.2, 6.3; kai-v0.18.md 2.2, 2.3
//!
//! # Differs
//! nothing

use smallvec::SmallVec;

use crate::id::PodId;
use crate::policy::kai::job::Chunk;
use crate::policy::kai::number::{Quantities, UNLIMITED};
use crate::policy::kai::order::nondeterminism::{self, RandomOrder};
use crate::policy::kai::record::notes::{Proof, count, real, shown, triple, with_need};
use crate::policy::kai::session::Session;
use crate::policy::kai::solve::simulate::Tried;
use crate::policy::kai::solve::victims::{Allocations, VictimsOfJob};
use crate::policy::kai::task::{JobRef, PodRef, QueueRef, TaskRef};
use crate::trace::{Check, EvictReason, Mark, Op, Quantity, Rule, RuleRecord, Subject, Term, Value};
use crate::units::Resource;

/// Amounts taken from one leaf queue.
#[derive(Debug)]
pub(in crate::policy::kai) struct ReclaimedUnits {
    pub queue: QueueRef,
    pub units: Vec<Quantities>,
    /// Last unit of each job.
    pub last_units: Vec<Quantities>,
}

/// Saturation ratio: allocated over fair share.
pub fn ratio(allocated: f64, fair_share: f64) -> f64 {
    if fair_share == UNLIMITED {
        0.0
    } else if fair_share == 0.0 {
        if allocated > 0.0 { f64::INFINITY } else { 0.0 }
    } else {
        allocated / fair_share
    }
}

/// 6.2.
pub static CAN_RECLAIM: Rule = Rule(&RuleRecord {
    key: "kai/reclaim/can-reclaim",
    says: "a queue can reclaim up to its fair share, and for non-preemptible jobs up to its quota",
    formula: "allocated + need <= fair share",
    source: "kai.md 6.2",
    differs: "all three resources count, including those that the job does not request",
});
/// 6.3 A.
pub static MAINTAIN_FAIR_SHARE: Rule = Rule(&RuleRecord {
    key: "kai/reclaim/maintain-fair-share",
    says: "a queue can lose resources only while it uses more than the larger of its quota and its fair share",
    formula: "left(e) > min(limit, max(quota, fair share)) in some resource",
    source: "kai.md 6.3 A",
    differs: "tested before each eviction, so the queue can end up below its fair share",
});
/// 6.3 A.
pub static GUARANTEE_QUOTA: Rule = Rule(&RuleRecord {
    key: "kai/reclaim/guarantee-quota",
    says: "a queue that stays within its quota can reclaim from a queue over its quota",
    formula: "allocated(r) + need <= quota(r) and left(e) > quota(e) in some resource",
    source: "kai.md 6.3 A",
    differs: "",
});
/// kai-v0.18.md 2.2.
pub static PRIORITY_WITHIN_QUOTA: Rule = Rule(&RuleRecord {
    key: "kai/reclaim/priority-within-quota",
    says: "a queue that stays within its quota can reclaim from a queue of lower priority, even within that one's quota",
    formula: "allocated(r) + need <= quota(r) and priority(r) > priority(e)",
    source: "kai-v0.18.md 2.2",
    differs: "only with queue-priority-in-quota-reclaim, which KAI v0.18 has as an alpha feature",
});
/// 6.3 B.
pub static KEEPS_ORDER: Rule = Rule(&RuleRecord {
    key: "kai/reclaim/keeps-order",
    says: "the reclaiming queue must stay within its fair share, or stay less saturated than the queues it reclaims from",
    formula: "x/FS(q) <= 1 or x/FS(q) * multiplier < left(s)/FS(s)",
    source: "kai.md 6.3 B",
    differs: "compared only with siblings that lose resources, and only in the resources involved",
});
/// 6.3 B.
pub static STAYS_WITHIN_QUOTA: Rule = Rule(&RuleRecord {
    key: "kai/reclaim/stays-within-quota",
    says: "reclaim for non-preemptible jobs must stay within quota at every level",
    formula: "allocated not preemptible + need <= quota",
    source: "kai.md 6.2, 6.3 B",
    differs: "",
});

impl Session<'_> {
    /// 6.2: whether the job's leaf queue may reclaim, and the comparison that decides it.
    pub fn can_reclaim(&mut self, job: JobRef) -> (bool, Option<Check>) {
        let (need, fixed) = (self.need(job), self.fixed_need(job));
        let Some(q) = self.facts_of(job).queue else { return (false, None) };
        let queue = &self.state.queues[q.ix()];
        let is_entitled = (queue.allocated + need).less_equal(&queue.fair_share);
        let np_with_job = queue.allocated_np + fixed.unwrap_or_default();
        let within_quota = fixed.is_none() || np_with_job.less_equal(&queue.deserved);
        let check = || {
            if is_entitled && !within_quota {
                let fixed = fixed.unwrap_or_default();
                let left = with_need(Quantity::AllocatedNonPreemptible, queue.allocated_np, fixed);
                let right = triple(Quantity::Quota, queue.deserved);
                let check = Check::new(STAYS_WITHIN_QUOTA, self.about_job(job), left, Op::AtMost, right);
                return self.counting_memory_of_all(job, check);
            }
            self.entitlement(job, q, queue.allocated, need)
        };
        (is_entitled && within_quota, self.notes.is_on().then(check))
    }

    /// Comparison of what a queue would hold with a job's request and its fair share.
    fn entitlement(&self, job: JobRef, q: QueueRef, allocated: Quantities, need: Quantities) -> Check {
        let left = with_need(Quantity::AllocatedWithJob, allocated, need);
        let right = triple(Quantity::FairShare, self.state.queues[q.ix()].fair_share);
        let check = Check::new(CAN_RECLAIM, self.about_queue(job, q), left, Op::AtMost, right);
        self.counting_memory(job, check)
    }

    /// 6.3: whether a job may take these victims; records the comparisons in the proof.
    pub fn is_fair(&mut self, allocations: &Allocations, tried: Tried<'_>, proof: &mut Proof) -> bool {
        let claimant = tried.partial;
        let claim = Claim { claimant, need: self.need(claimant), fixed: self.fixed_need(claimant), allocations };
        let reclaimed = self.reclaimed_units(tried);
        if self.notes.is_on() {
            proof.taken = self.taken(tried);
        }
        if let Some((r, e)) = self.depends_on_order(claim, &reclaimed) {
            let subject = self.about_queues(claimant, r, e);
            self.notes.ties.mark(Mark { rule: nondeterminism::VALIDATOR, subject });
        }
        let Some(remaining) = self.take_units(claim, &reclaimed, proof) else { return false };
        self.claimant_is_in_order(claim, &reclaimed, remaining, proof)
    }

    /// Units taken from each leaf queue, sorted by queue name.
    fn reclaimed_units(&self, tried: Tried<'_>) -> Vec<ReclaimedUnits> {
        let mut reclaimed: Vec<ReclaimedUnits> = Vec::new();
        for victims in self.in_visit_order(self.counted_victims(tried)) {
            let Some(queue) = self.facts_of(victims.job).queue else { continue };
            let units = self.units_of(victims.job, &victims.pods);
            let last = units.last().copied();
            let of_queue = match reclaimed.iter().position(|t| t.queue == queue) {
                Some(position) => &mut reclaimed[position],
                None => reclaimed.push_mut(ReclaimedUnits { queue, units: Vec::new(), last_units: Vec::new() }),
            };
            of_queue.units.extend(units);
            of_queue.last_units.extend(last);
        }
        if self.inputs.draws(RandomOrder::Validator) {
            return self.in_visit_order(reclaimed);
        }
        reclaimed.sort_by(|l, r| self.state.queues[l.queue.ix()].name.cmp(&self.state.queues[r.queue.ix()].name));
        reclaimed
    }

    /// The victims that may count; those that are not evicted in this attempt still run, like those placed again.
    fn counted_victims<'t>(&self, tried: Tried<'t>) -> Vec<&'t VictimsOfJob> {
        let mut victims: Vec<&VictimsOfJob> = tried.victims.iter().collect();
        let is_sum_of_evicted = self.state.sums_are_exact && self.inputs.config.allow_consolidating_reclaim;
        if is_sum_of_evicted && !self.inputs.draws(RandomOrder::Validator) {
            let mut evicted: Vec<JobRef> = tried.evicted.iter().map(|&task| self.job_of(task)).collect();
            evicted.sort_unstable();
            victims.retain(|of_job| evicted.binary_search(&of_job.job).is_ok());
        }
        victims
    }

    /// The pods of the units taken, in the order in which they are compared.
    fn taken(&self, tried: Tried<'_>) -> Vec<PodId> {
        let pods_by_queue = |victims: &VictimsOfJob| {
            let (elastic, core) = self.in_units(victims.job, &victims.pods);
            let pods = elastic.into_iter().chain(core).map(|task| self.pod_of(task).id);
            Some((self.facts_of(victims.job).queue?, pods.collect::<Vec<_>>()))
        };
        let mut taken: Vec<(QueueRef, Vec<PodId>)> =
            self.counted_victims(tried).into_iter().filter_map(pods_by_queue).collect();
        taken.sort_by(|l, r| self.state.queues[l.0.ix()].name.cmp(&self.state.queues[r.0.ix()].name));
        taken.into_iter().flat_map(|(_, pods)| pods).collect()
    }

    /// Items in the order in which the validator visits them, permuted with a seed (N-7).
    fn in_visit_order<T>(&self, items: Vec<T>) -> Vec<T> {
        if !self.inputs.draws(RandomOrder::Validator) {
            return items;
        }
        let n = items.len();
        let mut items: Vec<(usize, T)> = items.into_iter().enumerate().collect();
        self.draw(RandomOrder::Validator, &mut items, n, |item| item.0);
        items.into_iter().map(|item| item.1).collect()
    }

    /// One unit per elastic task, one unit for all core tasks together.
    fn units_of(&self, job: JobRef, pods: &[PodRef]) -> SmallVec<[Quantities; 1]> {
        let amount = |&task: &TaskRef| self.task(task).accepted.quantities;
        let (elastic, core) = self.in_units(job, pods);
        let mut units: SmallVec<[Quantities; 1]> = elastic.iter().map(amount).collect();
        if !core.is_empty() {
            let mut sum = Quantities::default();
            core.iter().for_each(|task| sum += amount(task));
            units.push(sum);
        }
        units
    }

    /// The tasks of these pods that count, elastic and core ones.
    fn in_units(&self, job: JobRef, pods: &[PodRef]) -> (Chunk, Chunk) {
        let loses_no_core = self.is_semi(job);
        let job = self.job(job);
        let (mut elastic, mut core) = (Chunk::new(), Chunk::new());
        let current = |pod: &PodRef| job.slots[self.inputs.slot_of(*pod)].task;
        for (set, counts) in job.sets.iter().enumerate() {
            let of_set = pods.iter().filter(|p| self.inputs.pods[p.ix()].set == set).filter_map(current);
            let tasks: Chunk = of_set.collect();
            let n_core = match usize::try_from(counts.min_available) {
                Ok(n) if !loses_no_core => n.min(tasks.len()),
                _ => 0,
            };
            for (i, &task) in tasks.iter().enumerate().filter(|(_, task)| !self.is_placed_again(**task)) {
                if i < n_core { core.push(task) } else { elastic.push(task) }
            }
        }
        (elastic, core)
    }

    /// Whether a victim is placed again and therefore not counted.
    fn is_placed_again(&self, task: TaskRef) -> bool {
        self.inputs.config.allow_consolidating_reclaim && self.task(task).status.is_active_allocated()
    }

    /// Step A: what the queues have left; `None` if any unit is refused.
    fn take_units(&self, claim: Claim<'_>, reclaimed: &[ReclaimedUnits], proof: &mut Proof) -> Option<Remaining> {
        let claimant = self.facts_of(claim.claimant).queue?;
        let mut remaining: Remaining = vec![None; self.state.queues.len()];
        for ReclaimedUnits { queue, units, .. } in reclaimed {
            let (r, e) = self.state.split(claimant, *queue)?;
            for &unit in units {
                let before = *remaining[e.ix()].get_or_insert(claim.allocations[e.ix()].0);
                let reason = self.unit_is_allowed(claim, (r, e), before);
                let mut checks = if self.notes.is_on() { self.unit_checks(claim, (r, e), before) } else { Vec::new() };
                let of_giver = |check: &&mut Check| check.left.quantity == Quantity::AllocatedWithoutVictims;
                for check in checks.iter_mut().filter(of_giver) {
                    let mut after = before;
                    after -= unit;
                    check.left.parts.push(triple(Quantity::AllocatedAfter, after));
                }
                proof.add_eviction(*queue, reason.unwrap_or(EvictReason::ReclaimedForQuota), checks);
                reason?;
                for q in self.state.path_from_root(*queue) {
                    *remaining[q.ix()].get_or_insert(claim.allocations[q.ix()].0) -= unit;
                }
            }
        }
        Some(remaining)
    }

    /// First divergence whose verdict depends on the order of units (N-7). What is left only decreases, so only the
    /// last unit can be refused, and the last unit of any job can be the last of all.
    fn depends_on_order(&self, claim: Claim<'_>, reclaimed: &[ReclaimedUnits]) -> Option<(QueueRef, QueueRef)> {
        if reclaimed.iter().map(|t| t.last_units.len()).sum::<usize>() < 2 {
            return None;
        }
        let claimant = self.facts_of(claim.claimant).queue?;
        let splits: Vec<_> = reclaimed.iter().map(|t| self.state.split(claimant, t.queue)).collect();
        let first_of = |i: usize| splits[i].filter(|_| !splits[..i].contains(&splits[i]));
        (0..reclaimed.len()).filter_map(first_of).find(|&(r, e)| {
            let at_split =
                || reclaimed.iter().zip(&splits).filter(|(_, split)| **split == Some((r, e))).map(|(t, _)| t);
            let mut remaining = claim.allocations[e.ix()].0;
            at_split().flat_map(|t| &t.units).for_each(|&unit| remaining -= unit);
            let is_allowed = |&last: &Quantities| self.unit_is_allowed(claim, (r, e), remaining + last).is_some();
            let mut verdicts = at_split().flat_map(|t| &t.last_units).map(is_allowed);
            let first = verdicts.next();
            verdicts.any(|verdict| Some(verdict) != first)
        })
    }

    /// Reason that allows a unit while the other queue has `remaining`; `None` if the unit is refused.
    pub fn unit_is_allowed(
        &self,
        claim: Claim<'_>,
        (r, e): (QueueRef, QueueRef),
        remaining: Quantities,
    ) -> Option<EvictReason> {
        let other = &self.state.queues[e.ix()];
        if !remaining.less_equal(&other.allocatable) {
            return Some(EvictReason::ReclaimedForFairShare);
        }
        let with_need = claim.allocations[r.ix()].0 + claim.need;
        let within_quota = with_need.less_equal(&self.state.queues[r.ix()].deserved);
        let is_above_quota = !remaining.less_equal(&other.deserved);
        if within_quota && is_above_quota {
            Some(EvictReason::ReclaimedForQuota)
        } else if within_quota && self.goes_by_priority(r, e) {
            Some(EvictReason::ReclaimedForPriority)
        } else {
            None
        }
    }

    /// Whether a queue within its quota may reclaim from another because of its priority.
    pub fn goes_by_priority(&self, r: QueueRef, e: QueueRef) -> bool {
        self.inputs.config.priority_in_quota_reclaim
            && self.state.queues[r.ix()].priority > self.state.queues[e.ix()].priority
    }

    /// Comparisons made by [`Self::unit_is_allowed`].
    pub fn unit_checks(&self, claim: Claim<'_>, (r, e): (QueueRef, QueueRef), remaining: Quantities) -> Vec<Check> {
        let other = &self.state.queues[e.ix()];
        let subject = self.about_queues(claim.claimant, r, e);
        let check = |rule, left, op, right| Check::new(rule, subject, left, op, right);
        let before = || vec![triple(Quantity::Before, claim.allocations[e.ix()].0)];
        let left = || triple(Quantity::AllocatedWithoutVictims, remaining).computed_from(before());
        let allocatable = triple(Quantity::Allocatable, other.allocatable).computed_from(vec![
            triple(Quantity::Quota, other.deserved),
            triple(Quantity::FairShare, other.fair_share),
            triple(Quantity::Limit, other.limit),
        ]);
        let mut checks = vec![check(MAINTAIN_FAIR_SHARE, left(), Op::Exceeds, allocatable)];
        if !checks[0].holds {
            let with_need = with_need(Quantity::AllocatedWithJob, claim.allocations[r.ix()].0, claim.need);
            let quota = triple(Quantity::Quota, self.state.queues[r.ix()].deserved);
            let within = check(GUARANTEE_QUOTA, with_need, Op::AtMost, quota);
            checks.push(self.counting_memory(claim.claimant, within));
            let quota = triple(Quantity::Quota, other.deserved);
            checks.push(check(GUARANTEE_QUOTA, left(), Op::Exceeds, quota));
            let [stays_within, is_over] = [1, 2].map(|i: usize| checks[i].holds);
            if self.inputs.config.priority_in_quota_reclaim && stays_within && !is_over {
                let [priority, other_priority] =
                    [r, e].map(|q| count(Quantity::Priority, self.state.queues[q.ix()].priority));
                checks.push(check(PRIORITY_WITHIN_QUOTA, priority, Op::Exceeds, other_priority));
            }
        }
        checks
    }

    /// Step B: whether the claimant's queues keep their order.
    fn claimant_is_in_order(
        &self,
        claim: Claim<'_>,
        reclaimed: &[ReclaimedUnits],
        mut remaining: Remaining,
        proof: &mut Proof,
    ) -> bool {
        for q in self.state.path_up(self.facts_of(claim.claimant).queue) {
            let allocated = match &mut remaining[q.ix()] {
                Some(remaining) => {
                    *remaining += claim.need;
                    *remaining
                }
                None => claim.allocations[q.ix()].0 + claim.need,
            };
            let parent = self.state.queues[q.ix()].parent;
            for s in (0..self.state.queues.len()).map(QueueRef::of) {
                let is_sibling = s != q && self.state.queues[s.ix()].parent == parent;
                if is_sibling && let Some(remaining) = remaining[s.ix()] {
                    let involved = self.involved(s, claim.need, reclaimed);
                    if !self.keeps_order(claim, (q, allocated), (s, remaining), involved, proof) {
                        return false;
                    }
                }
            }
            let deserved = self.state.queues[q.ix()].deserved;
            if let Some(fixed) = claim.fixed {
                let np = claim.allocations[q.ix()].1 + fixed;
                if self.notes.is_on() {
                    let l = with_need(Quantity::AllocatedNonPreemptible, claim.allocations[q.ix()].1, fixed);
                    let r = triple(Quantity::Quota, deserved);
                    let subject = self.about_queue(claim.claimant, q);
                    let check = Check::new(STAYS_WITHIN_QUOTA, subject, l, Op::AtMost, r);
                    proof.common.push(self.counting_memory_of_all(claim.claimant, check));
                }
                if !np.less_equal(&deserved) {
                    return false;
                }
            }
        }
        true
    }

    /// Resources requested or taken below a sibling.
    fn involved(&self, sibling: QueueRef, need: Quantities, reclaimed: &[ReclaimedUnits]) -> [bool; 3] {
        let mut involved = need.to_array().map(|amount| amount > 0.0);
        for ReclaimedUnits { queue, units, .. } in reclaimed {
            if self.state.path_from_root(*queue).contains(&sibling) {
                for unit in units {
                    for (i, amount) in unit.to_array().into_iter().enumerate() {
                        involved[i] |= amount > 0.0;
                    }
                }
            }
        }
        involved
    }

    /// Whether the claimant's queue stays below a sibling or within its share.
    fn keeps_order(
        &self,
        claim: Claim<'_>,
        (q, allocated): (QueueRef, Quantities),
        (s, remaining): (QueueRef, Quantities),
        involved: [bool; 3],
        proof: &mut Proof,
    ) -> bool {
        let shares = [q, s].map(|queue| self.state.queues[queue.ix()].fair_share.to_array());
        for i in (0..3).filter(|&i| involved[i]) {
            let [fs_q, fs_s] = shares.map(|share| share[i]);
            if fs_q == UNLIMITED && fs_s == UNLIMITED {
                continue;
            }
            let ratio_q = ratio(allocated.to_array()[i], fs_q);
            let ratio_s = ratio(remaining.to_array()[i], fs_s);
            let multiplier = self.inputs.config.saturation_multiplier;
            let is_above = ratio_q > 1.0 && fs_s > 0.0;
            if self.notes.is_on() {
                let resource = Some(Resource::ACCOUNTED[i]);
                let subject = Subject { resource, ..self.about_queues(claim.claimant, q, s) };
                let check = |left, op, right| Check::new(KEEPS_ORDER, subject, left, op, right);
                let share = |share| real(Quantity::FairShare, shown(share));
                let before = real(Quantity::Before, claim.allocations[q.ix()].0.to_array()[i]);
                let with_job = real(Quantity::AllocatedWithJob, allocated.to_array()[i]).computed_from(vec![before]);
                let saturation = Term::new(Quantity::Saturation, Value::Real(ratio_q));
                let saturation = saturation.computed_from(vec![with_job, share(fs_q)]);
                let after = real(Quantity::AllocatedAfter, remaining.to_array()[i]);
                let other_saturation = real(Quantity::Saturation, ratio_s).computed_from(vec![after, share(fs_s)]);
                proof.common.push(if is_above {
                    let value = match multiplier {
                        1.0 => Value::Real(ratio_q),
                        _ => Value::Product([ratio_q, multiplier]),
                    };
                    check(Term { value, ..saturation }, Op::Less, other_saturation)
                } else if ratio_q <= 1.0 {
                    check(saturation, Op::AtMost, real(Quantity::Constant, 1.0))
                } else {
                    let subject = Subject { resource, ..self.about_queues(claim.claimant, s, q) };
                    let none = real(Quantity::Constant, 0.0);
                    Check::new(KEEPS_ORDER, subject, share(fs_s), Op::AtMost, none)
                });
            }
            if is_above && ratio_q * multiplier >= ratio_s {
                return false;
            }
        }
        true
    }
}

/// A claimant's request and the allocation of every queue before the attempt.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy::kai) struct Claim<'h> {
    pub claimant: JobRef,
    pub need: Quantities,
    /// The part that must fit in quota.
    pub fixed: Option<Quantities>,
    pub allocations: &'h Allocations,
}

/// Remaining allocation per queue; `None` until something is taken.
type Remaining = Vec<Option<Quantities>>;
