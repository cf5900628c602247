//! Which of two queues is served first.
//!
//! # Rule
//! The first rule that tells them apart decides: (1) not over-utilised, (2) within quota with the job, (3) priority,
//! (4) no zero share, (5) dominant share with the job and without the victims, (6) dominant share, (7) smaller
//! allocatable share, (8) strictly older, otherwise the *right* one.
//!
//! # Source
//! kai.md 1.1, 3.1
//!
//! # Differs
//! nothing; rule 8 never says "equal" (N-3)

use super::number::UNLIMITED;
use super::session::Session;
use super::shares::Queue;
use super::snapshot::Quantities;
use super::task::{JobRef, QueueRef};

/// With what a queue is compared: a job it would place, or victims it would lose.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct With {
    pub job: Option<JobRef>,
    pub victims: Quantities,
}

impl Queue {
    /// The larger of quota and fair share, within the limit, of one resource.
    fn allocatable_of(deserved: f64, fair_share: f64, limit: f64) -> f64 {
        if deserved == UNLIMITED {
            return limit;
        }
        let a = deserved.max(fair_share);
        if limit == UNLIMITED { a } else { limit.min(a) }
    }
    /// The larger of quota and fair share, within the limit; may be unlimited.
    pub fn allocatable(&self) -> Quantities {
        let (d, f, l) = (self.deserved, self.fair_share, self.limit);
        Quantities {
            cpu: Self::allocatable_of(d.cpu, f.cpu, l.cpu),
            memory: Self::allocatable_of(d.memory, f.memory, l.memory),
            gpu: Self::allocatable_of(d.gpu, f.gpu, l.gpu),
        }
    }
}

/// The largest, over the resources, of what is held over what may be held.
pub(super) fn dominant(allocated: Quantities, allocatable: Quantities, total: Quantities) -> f64 {
    let mut dominant: f64 = 0.0;
    let resources = allocated.to_array().into_iter().zip(allocatable.to_array()).zip(total.to_array());
    for ((held, may), total) in resources {
        let s = if may == UNLIMITED { total } else { may };
        let v = if s == 0.0 { held * 1000.0 } else { held / s };
        if v > dominant {
            dominant = v;
        }
    }
    dominant
}

/// Whether something is held of a resource of which nothing may be held.
fn has_zero_share(held: Quantities, allocatable: Quantities) -> bool {
    allocatable.to_array().into_iter().zip(held.to_array()).any(|(may, held)| may == 0.0 && held > 0.0)
}

impl Session<'_> {
    /// 3.1: whether the left queue is served first.
    pub fn queue_goes_first(&mut self, l: QueueRef, r: QueueRef, lw: With, rw: With) -> bool {
        if !self.plugins.proportion {
            let (l, r) = (&self.queues[l.ix()], &self.queues[r.ix()]);
            return (l.created_s, &l.name) < (r.created_s, &r.name);
        }
        let over = |q: &Queue| q.fair_share.less(&q.allocated);
        let (lq, rq) = (&self.queues[l.ix()], &self.queues[r.ix()]);
        if over(lq) != over(rq) {
            return over(rq);
        }
        let mut with = |q: QueueRef, w: With| {
            let need = w.job.map_or(Quantities::default(), |job| self.need(job));
            self.queues[q.ix()].allocated + need
        };
        let (l_held, r_held) = (with(l, lw), with(r, rw));
        let (lq, rq) = (&self.queues[l.ix()], &self.queues[r.ix()]);
        let within = (l_held.less_equal(&lq.deserved), r_held.less_equal(&rq.deserved));
        if within.0 != within.1 {
            return within.0;
        }
        if lq.priority != rq.priority {
            return lq.priority > rq.priority;
        }
        let (l_may, r_may) = (lq.allocatable(), rq.allocatable());
        let zero = (has_zero_share(l_held, l_may), has_zero_share(r_held, r_may));
        if zero.0 != zero.1 {
            return zero.1;
        }
        let share = |held: Quantities, w: With, may| {
            let mut held = held;
            held -= w.victims;
            dominant(held, may, self.total)
        };
        let (a, b) = (share(l_held, lw, l_may), share(r_held, rw, r_may));
        if a != b {
            return a < b;
        }
        let (a, b) = (dominant(lq.allocated, l_may, self.total), dominant(rq.allocated, r_may, self.total));
        if a != b {
            return a < b;
        }
        if l_may.less_in_at_least_one(&r_may) && l_may.less_equal(&r_may) {
            return true;
        }
        if r_may.less_in_at_least_one(&l_may) && r_may.less_equal(&l_may) {
            return false;
        }
        lq.created_s < rq.created_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominant_share_with_and_without_the_job() {
        let q = |gpu| Quantities { cpu: 0.0, memory: 0.0, gpu };
        let total = Quantities { cpu: 80_000.0, memory: 1.0, gpu: 8.0 };
        let may = |gpu| Quantities { cpu: -1.0, memory: -1.0, gpu };
        assert_eq!((dominant(q(4.0), may(4.0), total), dominant(q(3.0), may(3.0), total)), (1.0, 1.0));
        assert!(dominant(q(3.0), may(4.0), total) > dominant(q(2.0), may(3.0), total));
        assert_eq!(dominant(q(2.0), may(0.0), total), 2000.0);
    }
}
