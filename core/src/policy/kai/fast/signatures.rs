//! Skips jobs equivalent to one that just failed.
//!
//! # Rule
//! A job's key: for each pod set nothing if all its pods are active, else the sorted keys of its other pods; sorted. It
//! is computed at first use and kept for the session. One failed job per key is cached, per queue or for all; another
//! with the same key is tried only if it is *easier*: it has fewer pending tasks, or the first of its sorted requests
//! that is at most the other's is not equal to it.
//!
//! # Source
//! kai.md 6.9; kai-v0.17.md 15.5
//!
//! # Differs
//! nothing; incomparable requests are ordered by name first (N-5)

use std::collections::BTreeMap;

use crate::policy::kai::request::Request;
use crate::policy::kai::revision::Revision;
use crate::policy::kai::session::Session;
use crate::policy::kai::task::{JobRef, QueueRef, Status, TaskRef};

/// Failed jobs by queue and key.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Failed {
    by_key: BTreeMap<(Option<QueueRef>, u32), JobRef>,
}

impl Failed {
    /// The failed job because of which this one is skipped.
    pub fn like(&self, s: &mut Session<'_>, queue: Option<QueueRef>, job: JobRef) -> Option<JobRef> {
        if !s.inputs.config.use_scheduling_signatures {
            return None;
        }
        let key = s.signature(job);
        let failed_job = *self.by_key.get(&(queue, key))?;
        let at_most = comparison(s.inputs.config.revision);
        let (new, failed_requests) = (s.pending_requests(job), s.pending_requests(failed_job));
        (!is_easier(at_most, &new, &failed_requests)).then_some(failed_job)
    }

    /// Caches a failed job.
    pub fn remember(&mut self, s: &mut Session<'_>, queue: Option<QueueRef>, job: JobRef) {
        if !s.inputs.config.use_scheduling_signatures {
            return;
        }
        let key = s.signature(job);
        let replaces = match self.by_key.get(&(queue, key)) {
            None => true,
            Some(&failed_job) => {
                let at_most = comparison(s.inputs.config.revision);
                is_at_most(at_most, &s.pending_requests(job), &s.pending_requests(failed_job))
            }
        };
        if replaces {
            self.by_key.insert((queue, key), job);
        }
    }
}

fn is_easier(at_most: AtMost, new: &[&Request], failed: &[&Request]) -> bool {
    if new.is_empty() || failed.is_empty() {
        return false;
    }
    if failed.len() > new.len() {
        return true;
    }
    for (i, request) in new.iter().enumerate() {
        let Some(failed) = failed.get(i) else { return false };
        if at_most(request, failed) && !at_most(failed, request) {
            return true;
        }
    }
    false
}

fn is_at_most(at_most: AtMost, new: &[&Request], failed: &[&Request]) -> bool {
    !new.is_empty()
        && !failed.is_empty()
        && new.len() <= failed.len()
        && new.iter().zip(failed).all(|(l, r)| at_most(l, r))
}

/// Whether one request is at most another; device memory is ignored.
type AtMost = fn(&Request, &Request) -> bool;

/// How two requests are compared.
///
/// # v0.13
/// GPUs by number of devices and part of each, which may differ by less than 0.01.
///
/// # v0.17
/// GPUs in total.
fn comparison(revision: Revision) -> AtMost {
    fn at_most_but_gpus(l: &Request, r: &Request) -> bool {
        l.cpu <= r.cpu && l.memory <= r.memory && l.scalars.iter().zip(&r.scalars).all(|(l, r)| l <= r)
    }
    match revision {
        Revision::V0_13 => |l, r| {
            let is_smaller_part = l.portion < r.portion || (l.portion - r.portion).abs() < 0.01;
            at_most_but_gpus(l, r) && l.count <= r.count && is_smaller_part
        },
        Revision::V0_17 => |l, r| at_most_but_gpus(l, r) && l.gpus <= r.gpus,
    }
}

impl Session<'_> {
    /// A job's key, computed once.
    pub fn signature(&mut self, job: JobRef) -> u32 {
        if let Some(key) = self.job(job).signature {
            return key;
        }
        let state = self.job(job);
        let mut sets = vec![Vec::new(); state.sets.len()];
        for task in state.tasks() {
            if !self.task(task).status.is_active_allocated() {
                let pod = self.pod_of(task);
                sets[pod.set].push(pod.likeness);
            }
        }
        sets.iter_mut().for_each(|set: &mut Vec<u32>| set.sort());
        sets.sort();
        let key = self.caches.keys.number(sets);
        self.state.jobs[job.ix()].signature = Some(key);
        key
    }

    /// Requests of a job's pending tasks, smallest first.
    fn pending_requests(&self, job: JobRef) -> Vec<&Request> {
        let pending = |t: &TaskRef| self.task(*t).status == Status::Pending;
        let mut requests: Vec<&Request> =
            self.job(job).tasks().filter(pending).map(|t| &*self.pod_of(t).request).collect();
        let at_most = comparison(self.inputs.config.revision);
        // Insertion sort, because "at most" is not total and the result depends on the steps.
        for i in 1..requests.len() {
            let mut j = i;
            while j > 0 && at_most(requests[j], requests[j - 1]) && !at_most(requests[j - 1], requests[j]) {
                requests.swap(j, j - 1);
                j -= 1;
            }
        }
        requests
    }
}
