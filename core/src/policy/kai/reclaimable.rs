//! Whether a queue may take, and whether what it takes is fair.
//!
//! # Rule
//! *Can reclaim*: `Allocated + need <= FairShare`, and for non-preemptible jobs `AllocatedNotPreemptible + need <= Deserved`.
//! *Step A*, for each unit taken from a queue, at the pair (r, e) where the paths of the two queues split: allowed if e is
//! above `Allocatable`, or if r stays within `Deserved` and e is above `Deserved`; tested before the unit is subtracted.
//! *Step B*, at each level of the claimant's path: against siblings that lose something, the claimant's ratio to its fair
//! share must not exceed 1 and reach the sibling's when multiplied; non-preemptible claimants stay within quota.
//!
//! # Source
//! kai.md 6.2, 6.3
//!
//! # Differs
//! nothing

use super::hypothesis::Hypothesis;
use super::number::UNLIMITED;
use super::session::Session;
use super::snapshot::Quantities;
use super::task::{JobRef, PodRef, QueueRef, TaskRef};

/// What every queue held before anything was tried: allocated, and not preemptible.
pub(super) type Held = Vec<(Quantities, Quantities)>;

/// Units taken from one leaf queue.
#[derive(Debug)]
pub(super) struct Taken {
    pub queue: QueueRef,
    pub units: Vec<Quantities>,
}

/// Allocated over fair share.
fn ratio(allocated: f64, fair_share: f64) -> f64 {
    if fair_share == UNLIMITED {
        0.0
    } else if fair_share == 0.0 {
        if allocated > 0.0 { f64::INFINITY } else { 0.0 }
    } else {
        allocated / fair_share
    }
}

impl Session<'_> {
    /// 6.2: whether the job's leaf queue may take from others.
    pub fn can_reclaim(&mut self, job: JobRef) -> bool {
        let need = self.need(job);
        let facts = self.facts_of(job);
        let Some(queue) = facts.queue.map(|q| &self.queues[q.ix()]) else { return false };
        (queue.allocated + need).less_equal(&queue.fair_share)
            && (facts.preemptible || (queue.allocated_np + need).less_equal(&queue.deserved))
    }

    /// What every queue holds now.
    pub fn held(&self) -> Held {
        self.queues.iter().map(|q| (q.allocated, q.allocated_np)).collect()
    }

    /// 6.3: whether a job may take these victims.
    pub fn is_fair(&mut self, held: &Held, hypothesis: &Hypothesis) -> bool {
        let need = self.need(hypothesis.partial);
        let taken = self.taken(hypothesis);
        let Some(left) = self.units_are_allowed(held, hypothesis.partial, need, &taken) else { return false };
        self.claimant_is_in_order(held, hypothesis.partial, need, &taken, left)
    }

    /// The units taken from each leaf queue, queues by name.
    pub fn taken(&self, hypothesis: &Hypothesis) -> Vec<Taken> {
        let mut taken: Vec<Taken> = Vec::new();
        for victims in hypothesis.by_job(self) {
            let Some(queue) = self.facts_of(victims.job).queue else { continue };
            let mut units = self.units_of(victims.job, &victims.pods);
            match taken.iter_mut().find(|t| t.queue == queue) {
                Some(known) => known.units.append(&mut units),
                None => taken.push(Taken { queue, units }),
            }
        }
        taken.sort_by(|l, r| self.queues[l.queue.ix()].name.cmp(&self.queues[r.queue.ix()].name));
        taken
    }

    /// One unit for each elastic task, one for all core tasks together.
    fn units_of(&self, job: JobRef, pods: &[PodRef]) -> Vec<Quantities> {
        let job = self.job(job);
        let mut units = Vec::new();
        let mut core: Option<Quantities> = None;
        let current = |pod: &PodRef| job.slots[self.slot_of(*pod)].task;
        for (set, books) in job.sets.iter().enumerate() {
            let of_set = pods.iter().filter(|p| self.pods[p.ix()].set == set).filter_map(current);
            let tasks: Vec<TaskRef> = of_set.collect();
            let n_core = usize::try_from(books.min_available).unwrap_or(0).min(tasks.len());
            for (i, &task) in tasks.iter().enumerate() {
                if self.is_free_of_charge(task) {
                    continue;
                }
                let amount = self.task(task).accepted.quantities;
                if i < n_core {
                    *core.get_or_insert_default() += amount;
                } else {
                    units.push(amount);
                }
            }
        }
        units.extend(core);
        units
    }

    /// Whether a victim is (again) placed, and that is not counted.
    fn is_free_of_charge(&self, task: TaskRef) -> bool {
        self.config.allow_consolidating_reclaim && self.task(task).status.is_active_allocated()
    }

    /// Where the paths of two leaf queues split: the claimant's queue, the other's.
    pub fn split(&self, claimant: QueueRef, other: QueueRef) -> Option<(QueueRef, QueueRef)> {
        let (l, r) = (self.path_from_root(claimant), self.path_from_root(other));
        l.into_iter().zip(r).find(|(l, r)| l != r)
    }

    /// Step A: what the queues have left, if every unit is allowed.
    fn units_are_allowed(
        &self,
        held: &Held,
        claimant: JobRef,
        need: Quantities,
        taken: &[Taken],
    ) -> Option<Vec<Option<Quantities>>> {
        let claimant = self.facts_of(claimant).queue?;
        let mut left: Vec<Option<Quantities>> = vec![None; self.queues.len()];
        for Taken { queue, units } in taken {
            let (r, e) = self.split(claimant, *queue)?;
            let within_quota = (held[r.ix()].0 + need).less_equal(&self.queues[r.ix()].deserved);
            let other = &self.queues[e.ix()];
            for &unit in units {
                let now = *left[e.ix()].get_or_insert(held[e.ix()].0);
                let is_above_share = !now.less_equal(&other.allocatable());
                if !is_above_share && !(within_quota && !now.less_equal(&other.deserved)) {
                    return None;
                }
                for q in self.path_from_root(*queue) {
                    *left[q.ix()].get_or_insert(held[q.ix()].0) -= unit;
                }
            }
        }
        Some(left)
    }

    /// Step B: whether the claimant's queues stay in order.
    fn claimant_is_in_order(
        &self,
        held: &Held,
        claimant: JobRef,
        need: Quantities,
        taken: &[Taken],
        mut left: Vec<Option<Quantities>>,
    ) -> bool {
        let facts = self.facts_of(claimant);
        let mut at = facts.queue;
        while let Some(q) = at {
            let x = match &mut left[q.ix()] {
                Some(left) => {
                    *left += need;
                    *left
                }
                None => held[q.ix()].0 + need,
            };
            let parent = self.queues[q.ix()].parent;
            for s in 0..self.queues.len() {
                let is_sibling = s != q.ix() && self.queues[s].parent == parent;
                if let (true, Some(left)) = (is_sibling, left[s]) {
                    let involved = self.involved(QueueRef::of(s), need, taken);
                    if !self.keeps_order(q, x, QueueRef::of(s), left, involved) {
                        return false;
                    }
                }
            }
            let deserved = &self.queues[q.ix()].deserved;
            if !facts.preemptible && !(held[q.ix()].1 + need).less_equal(deserved) {
                return false;
            }
            at = parent;
        }
        true
    }

    /// The resources that are taken below a queue or asked for.
    fn involved(&self, sibling: QueueRef, need: Quantities, taken: &[Taken]) -> [bool; 3] {
        let mut involved = need.to_array().map(|amount| amount > 0.0);
        for Taken { queue, units } in taken {
            if self.path_from_root(*queue).contains(&sibling) {
                for unit in units {
                    for (i, amount) in unit.to_array().into_iter().enumerate() {
                        involved[i] |= amount > 0.0;
                    }
                }
            }
        }
        involved
    }

    /// Whether the claimant's queue stays below a sibling, or within its share.
    fn keeps_order(
        &self,
        q: QueueRef,
        x: Quantities,
        s: QueueRef,
        left: Quantities,
        involved: [bool; 3],
    ) -> bool {
        let (mine, theirs) =
            (self.queues[q.ix()].fair_share.to_array(), self.queues[s.ix()].fair_share.to_array());
        (0..3).filter(|&i| involved[i]).all(|i| {
            let (fs_q, fs_s) = (mine[i], theirs[i]);
            if fs_q == UNLIMITED && fs_s == UNLIMITED {
                return true;
            }
            let ratio_q = ratio(x.to_array()[i], fs_q);
            let ratio_s = ratio(left.to_array()[i], fs_s);
            !(ratio_q > 1.0 && fs_s > 0.0 && ratio_q * self.config.saturation_multiplier >= ratio_s)
        })
    }
}
