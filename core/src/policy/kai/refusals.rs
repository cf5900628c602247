//! Why jobs are still pending at the end of a cycle.
//!
//! # Rule
//! One dominant reason: not a leaf, not ready; too large for every node; over limit, over quota; not entitled; nothing
//! to take that would help; no node fits; like a failed job; behind others. A job that claims room waits for victims.
//!
//! # Source
//! product 9.2
//!
//! # Differs
//! nothing

use super::capacity::Excess;
use super::notes::{Note, real};
use super::place::{Failure, ROOM};
use super::recorder::Recorder;
use super::session::Session;
use super::snapshot::Status;
use super::task::{JobRef, TaskRef};
use crate::kit::sort;
use crate::trace::{Check, Gate, Op, Outlook, Quantity, Refusal, Subject};
use crate::units::Resource;

impl Session<'_> {
    /// One refusal for each job with pending pods, by job.
    pub fn refusals(&self, out: &Recorder<'_>) -> Vec<Refusal> {
        if !self.notes.is_on() {
            return Vec::new();
        }
        let waits = |t: TaskRef| {
            matches!(self.task(t).status, Status::Pending | Status::Gated | Status::Pipelined)
                && self.pod_of(t).held_on.is_none()
        };
        let waiting = self.own_jobs().filter(|&job| self.job(job).tasks().any(waits));
        let mut refusals: Vec<Refusal> = waiting.map(|job| self.refusal(job, out)).collect();
        sort::sort_by_key(&mut refusals, |r| r.job);
        refusals
    }

    fn refusal(&self, job: JobRef, out: &Recorder<'_>) -> Refusal {
        let note = &self.notes.jobs[job.ix()];
        let mut gates = self.gates(job, note);
        if out.claims.iter().any(|c| c.0 == job) {
            let waiting = (Gate::WaitingForVictims { until: None }, Vec::new(), Outlook::NextCycle);
            gates.insert(0, waiting);
        }
        let also = gates.split_off(1).into_iter().map(|g| g.0).collect();
        let (gate, checks, outlook) = gates.pop().expect("there is always a reason");
        Refusal { job: self.facts_of(job).id, gate, also, checks, outlook }
    }

    /// All reasons that hold, the dominant one first; at least one.
    fn gates(&self, job: JobRef, note: &Note) -> Vec<(Gate, Vec<Check>, Outlook)> {
        let facts = self.facts_of(job);
        let mut gates = Vec::new();
        if facts.is_set_aside {
            return vec![(Gate::TriedOnce, vec![self.why_set_aside(job)], Outlook::OnlyByEdit)];
        }
        if !facts.is_ordered {
            return vec![(Gate::NotALeaf, Vec::new(), Outlook::OnlyByEdit)];
        }
        if !self.job(job).is_ready() {
            return vec![(Gate::NotReady, Vec::new(), Outlook::NextCycle)];
        }
        for failure in [&note.not_placed, &note.over_quota].into_iter().flatten() {
            match failure {
                Failure::Excess(excess) => gates.push(self.excess_gate(job, *excess)),
                Failure::TooLarge { resource, .. } => {
                    gates.push((Gate::TooLarge { resource: *resource }, Vec::new(), Outlook::OnlyByEdit));
                }
                Failure::NoNode { .. } => (),
            }
        }
        gates.dedup();
        if let (Some(check), Some(queue)) = (&note.not_entitled, facts.queue) {
            let queue = self.queues[queue.ix()].id;
            gates.push((Gate::NotEntitled { queue }, vec![check.clone()], Outlook::WhenFreed));
        }
        let nothing_helps = |tried| (Gate::NoVictims { tried }, note.refused.clone(), Outlook::WhenFreed);
        if let Some(tried) = note.tried.filter(|&tried| tried > 0) {
            gates.push(nothing_helps(tried));
        }
        if let Some(Failure::NoNode { task, placed, of, reasons }) = &note.not_placed {
            let gate = Gate::NoNode { placed: *placed, of: *of, reasons: reasons.clone() };
            gates.push((gate, self.no_room(job, *task), Outlook::WhenFreed));
        }
        if note.tried == Some(0) {
            gates.push(nothing_helps(0));
        }
        if let Some(like) = note.like {
            let job = self.facts_of(like).id;
            gates.push((Gate::LikeFailed { job }, Vec::new(), Outlook::WhenFreed));
        }
        if gates.is_empty() {
            let others = self
                .own_jobs()
                .filter(|&j| j != job && self.facts_of(j).queue == facts.queue && self.job(j).has_pending())
                .filter(|&j| self.facts_of(j).is_ordered);
            let first = others.min_by(|&l, &r| self.job_order(l, r)).unwrap_or(job);
            let gate = Gate::Behind { job: self.facts_of(first).id };
            gates.push((gate, Vec::new(), Outlook::NextCycle));
        }
        gates
    }

    fn excess_gate(&self, job: JobRef, excess: Excess) -> (Gate, Vec<Check>, Outlook) {
        let queue = self.queues[excess.queue.ix()].id;
        let resource = Resource::ACCOUNTED[excess.resource];
        let gate = if excess.of_quota {
            Gate::NonPreemptibleOverQuota { queue, resource }
        } else {
            Gate::OverLimit { queue, resource }
        };
        let never = excess.asked > excess.bound;
        let outlook = if never { Outlook::OnlyByEdit } else { Outlook::WhenFreed };
        (gate, vec![self.excess_check(job, excess)], outlook)
    }

    /// What a task asks for against the most that one node has left.
    fn no_room(&self, job: JobRef, task: TaskRef) -> Vec<Check> {
        let request = &self.pod_of(task).request;
        if request.gpus == 0.0 {
            return Vec::new();
        }
        let most = self.nodes.iter().filter(|n| n.ready).map(|n| n.sum_idle() + n.sum_releasing());
        let most = most.fold(0.0, f64::max);
        let resource = Some(Resource::GPU);
        let subject = Subject { resource, pod: Some(self.pod_of(task).id), ..self.about_job(job) };
        let (l, r) = (real(Quantity::Request, request.gpus), real(Quantity::IdleOrReleasing, most));
        vec![Check::new(ROOM, subject, l, Op::AtMost, r)]
    }
}
