//! Results of a cycle: decisions and events in the order of the committed operations.
//!
//! # Source
//! kai.md 4.4 (commit)
//!
//! # Differs
//! evicting a pod that is not on a node, or twice, is no decision; a claim lost this way is an event

use std::sync::Arc;

use crate::cluster::Devices;
use crate::policy::kai::record::notes::{Notes, Proof, Tried, count, real};
use crate::policy::kai::session::{Session, SessionState};
use crate::policy::kai::statement::{Done, Statement};
use crate::policy::kai::task::{GroupRef, JobRef, NodeRef, PodRef, Status, TaskRef};
use crate::trace::{
    Check, Emptied, Event, EvictReason, Mark, Op, Quantity, Recorded, Rule, RuleRecord, Search, Subject, Trace,
    Unfinished,
};

/// 7.1.
pub static LOWER_PRIORITY: Rule = Rule(&RuleRecord {
    key: "kai/preempt/lower-priority",
    says: "a job can preempt preemptible jobs of strictly lower priority in its own queue",
    formula: "priority(job) > priority(victim)",
    source: "kai.md 7.1",
    differs: "fair share plays no part",
});
/// 7.3.
pub static STALE_GRACE: Rule = Rule(&RuleRecord {
    key: "kai/stale-gang/grace",
    says: "a gang that stays below its minimum for longer than the grace period is evicted",
    formula: "now - stale since >= grace",
    source: "kai.md 7.3",
    differs: "",
});

/// kai-v0.17.md 15.6.
pub static STUCK_IN_RELEASING: Rule = Rule(&RuleRecord {
    key: "kai/fit/stuck-in-releasing",
    says: "a pod that takes longer than the threshold to shut down keeps its room, and no job can claim that room until it is gone",
    formula: "now - deletion > threshold",
    source: "kai-v0.17.md 15.6",
    differs: "the time of the deletion is that of the eviction, without the grace period of the pod",
});

///
pub static CRASH: Rule = Rule(&RuleRecord {
    key: "kai/solver/crash",
    says: "a job that lost pods in this cycle and is tried again has no pod left to place; the real scheduler crashes \
           here and restarts (fixed in v0.16.0, v0.14.6 and v0.15.3), the simulation skips the job",
    formula: "tasks left to place >= 1",
    source: "kai.md 6.5, 12 Q-5",
    differs: "the real scheduler crashes in the modelled versions, v0.13.x and v0.14.0",
});

///
pub static UNFINISHED: Rule = Rule(&RuleRecord {
    key: "kai/solver/unfinished-claim",
    says: "a job that needs only some of its subgroups does not claim room by evictions, because the claim is checked against \
           the minimum of every subgroup. Until the end of the cycle KAI counts the claim as made, but evicts no pod",
    formula: "active pods of every subgroup >= its minimum",
    source: "kai-v0.17.md 21 Q-18",
    differs: "",
});

/// Consequence of device memory with less than 100 MiB left (kai.md 1.2).
pub static NO_DEVICE: Rule = Rule(&RuleRecord {
    key: "kai/bind/no-device",
    says: "the scheduler counts GPU memory in units of 100 MiB and reads labels from 1048576 on as bytes; where that gives 0, \
           fractions of the GPU count as nothing, so it places more pods than the node has GPUs. Such a pod cannot \
           be bound and stays pending",
    formula: "devices left on the node >= devices requested",
    source: "kai.md 1.2, 1.4",
    differs: "",
});

/// Reason for a commit.
#[derive(Debug)]
pub(in crate::policy::kai) enum Why {
    /// There was room.
    Free,
    /// Reclaimed from other queues.
    Reclaimed(Proof),
    /// Preempted from lower priority.
    Priority,
    /// Room was made by moving jobs.
    Consolidated,
    /// A gang was below its minimum for too long.
    Stale {
        /// Start of the staleness, in seconds.
        since_s: f64,
        /// Grace period of the job, in seconds.
        grace_s: f64,
    },
}

/// A decision in terms of the session.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::policy::kai) enum Decided {
    Bind { pod: PodRef, node: NodeRef, groups: Vec<GroupRef> },
    Evict { pod: PodRef },
}

/// Operations committed together.
pub(in crate::policy::kai) struct Commit {
    pub job: JobRef,
    /// Whether it evicts a stale gang, for no other job.
    pub is_stale: bool,
    /// With the shared devices of each task.
    pub done: Vec<(Done, Vec<GroupRef>)>,
}

/// Collects the results of a cycle.
pub(in crate::policy::kai) struct Recorder<'t> {
    /// Events with the comparisons that decided them.
    pub trace: &'t mut Trace,
    /// In commit order.
    pub decisions: Vec<Decided>,
    /// Jobs and the nodes on which they claim room.
    pub claims: Vec<(JobRef, NodeRef)>,
    /// Jobs whose last start was set.
    pub started: Vec<JobRef>,
    /// Jobs whose staleness was set or cleared.
    pub stale: Vec<(JobRef, bool)>,
    /// In commit order.
    pub commits: Vec<Commit>,
}

impl<'t> Recorder<'t> {
    /// Collects decisions and events.
    pub fn new(trace: &'t mut Trace) -> Self {
        Recorder {
            trace,
            decisions: Vec::new(),
            claims: Vec::new(),
            started: Vec::new(),
            stale: Vec::new(),
            commits: Vec::new(),
        }
    }

    /// Records a statement committed for a job.
    pub fn committed(&mut self, session: &Session<'_>, job: JobRef, done: Vec<Done>, why: Why) {
        let n_events = self.trace.events.len();
        for &done in &done {
            match done {
                Done::Bound(task, host) => self.bound(session, job, task, host),
                Done::Claimed(task, host) => self.claimed(session, job, (task, host), &why),
                Done::Evicted(task) => self.evicted(session, job, task, &why),
            }
        }
        if session.notes.is_on() && !matches!(why, Why::Free | Why::Stale { .. }) {
            let evicted = self.trace.events[n_events..].iter().filter_map(|recorded| match recorded.event {
                Event::Evicted { pod, .. } => Some(pod),
                _ => None,
            });
            let evicted = evicted.collect();
            let taken = match &why {
                Why::Reclaimed(proof) => proof.taken.clone(),
                _ => Vec::new(),
            };
            let search = session.search_of(job, &session.notes.search);
            self.trace.searches.push(Search { evicted, taken, ..search });
        }
        if !done.is_empty() {
            let is_stale = matches!(why, Why::Stale { .. });
            let with_groups = |done: Done| (done, session.task(done.task()).groups.clone());
            self.commits.push(Commit { job, is_stale, done: done.into_iter().map(with_groups).collect() });
        }
    }

    fn bound(&mut self, session: &Session<'_>, job: JobRef, task: TaskRef, host: NodeRef) {
        let t = session.task(task);
        let (pod, node) = (session.pod_of(task).id, session.state.nodes[host.ix()].id);
        self.decisions.push(Decided::Bind { pod: t.pod, node: host, groups: t.groups.clone() });
        let event = Event::Bound { pod, node, devices: Devices(0) };
        self.trace.event(event, || session.why_placed(job, t.pod));
    }

    fn claimed(&mut self, session: &Session<'_>, job: JobRef, (task, host): (TaskRef, NodeRef), why: &Why) {
        let t = session.task(task);
        let owner = session.job_of(task);
        self.claims.push((owner, host));
        let event = Event::Claimed { pod: session.pod_of(task).id, node: session.state.nodes[host.ix()].id };
        self.trace.event(event, || match why {
            Why::Free => session.why_placed(job, t.pod),
            Why::Reclaimed(proof) => proof.common.as_slice().into(),
            Why::Priority | Why::Consolidated | Why::Stale { .. } => Arc::default(),
        });
    }

    fn evicted(&mut self, session: &Session<'_>, job: JobRef, task: TaskRef, why: &Why) {
        let t = session.task(task);
        let bound_on = |decided: &Decided| match decided {
            Decided::Bind { pod, node, .. } if *pod == t.pod => Some(*node),
            _ => None,
        };
        let pod = session.pod_of(task);
        let Some(node) = pod.held_on().or_else(|| self.decisions.iter().find_map(bound_on)) else {
            self.unclaimed(session, job, task);
            return;
        };
        if self.decisions.contains(&Decided::Evict { pod: t.pod }) {
            return;
        }
        self.decisions.push(Decided::Evict { pod: t.pod });
        let moves = t.status == Status::Pipelined;
        let leaf = session.facts_of(session.job_of(task)).queue;
        let of_queue = |proof: &Proof| proof.by_queue.iter().position(|q| Some(q.0) == leaf);
        let reason = match why {
            Why::Stale { .. } => EvictReason::StaleGang,
            Why::Free | Why::Consolidated => EvictReason::Moved,
            _ if moves => EvictReason::Moved,
            Why::Priority => EvictReason::Preempted,
            Why::Reclaimed(proof) => of_queue(proof).map_or(EvictReason::Moved, |i| proof.by_queue[i].1),
        };
        let claimant = if matches!(why, Why::Stale { .. }) { None } else { Some(session.facts_of(job).id) };
        let event = Event::Evicted { pod: pod.id, node: session.state.nodes[node.ix()].id, by: claimant, reason };
        self.trace.event(event, || match why {
            Why::Reclaimed(proof) => {
                let of_queue = of_queue(proof).map(|i| proof.by_queue[i].2.clone());
                of_queue.into_iter().flatten().chain(proof.common.iter().cloned()).collect()
            }
            Why::Priority => vec![session.lower_priority(job, session.job_of(task))],
            Why::Stale { since_s, grace_s } => session.why_stale(job, *since_s, *grace_s),
            Why::Free | Why::Consolidated => Vec::new(),
        });
    }

    /// records that an eviction takes a claim made in this cycle.
    fn unclaimed(&mut self, session: &Session<'_>, job: JobRef, task: TaskRef) {
        let pod = session.pod_of(task).id;
        let of_pod = |recorded: &Recorded| match recorded.event {
            Event::Claimed { pod: claimed, node } if claimed == pod => Some(Some(node)),
            Event::Unclaimed { pod: unclaimed, .. } if unclaimed == pod => Some(None),
            _ => None,
        };
        if let Some(Some(node)) = self.trace.events.iter().rev().find_map(of_pod) {
            let claimant = Some(session.facts_of(job).id);
            let owner = session.job_of(task);
            let is_lost = |c: &(JobRef, NodeRef)| c.0 == owner && session.state.nodes[c.1.ix()].id == node;
            if let Some(lost) = self.claims.iter().rposition(is_lost) {
                self.claims.remove(lost);
            }
            self.trace.event(Event::Unclaimed { pod, node, by: claimant }, Vec::new);
        }
    }

    /// Records that a job's last start was set.
    pub fn started(&mut self, job: JobRef) {
        self.started.push(job);
    }
    /// Records that a job's staleness was set or cleared.
    pub fn stale(&mut self, job: JobRef, is_stale: bool) {
        self.stale.push((job, is_stale));
    }
    /// Marks that the claim of a job is neither carried out nor undone.
    pub fn unfinished(&mut self, session: &Session<'_>, job: JobRef, statement: &Statement) {
        let job = session.facts_of(job).id;
        let subject = Subject { job: Some(job), ..Subject::default() };
        self.trace.marks.push(Mark { rule: UNFINISHED, subject });
        let after = self.trace.events.len() as u32;
        let mut unfinished = Unfinished { job, after, evicted: Vec::new(), claimed: Vec::new() };
        for done in statement.valid() {
            let pod = session.pod_of(done.task());
            match done {
                Done::Evicted(_) => {
                    let node = pod.held_on().map(|node| (pod.id, session.state.nodes[node.ix()].id));
                    unfinished.evicted.extend(node);
                }
                Done::Claimed(_, host) | Done::Bound(_, host) => {
                    unfinished.claimed.push((pod.id, session.state.nodes[host.ix()].id));
                }
            }
        }
        self.trace.unfinished.push(unfinished);
    }
    /// Marks that the real scheduler would crash here, at any level; the job stays unsolved.
    pub fn crashed(&mut self, session: &Session<'_>, job: JobRef) {
        let subject = Subject { job: Some(session.facts_of(job).id), ..Subject::default() };
        self.trace.marks.push(Mark { rule: CRASH, subject });
    }
}

impl Session<'_> {
    fn why_placed(&self, job: JobRef, pod: PodRef) -> Arc<[Check]> {
        let is_own = |check: &&Check| check.subject.job == Some(self.facts_of(job).id);
        let placed = self.notes.placed.get(&pod).filter(|placed| placed.iter().all(|check| is_own(&check)));
        let mut gate = self.notes.gate.iter().filter(is_own).peekable();
        match placed {
            Some(placed) if gate.peek().is_none() => placed.clone(),
            placed => gate.chain(placed.into_iter().flat_map(|placed| placed.iter())).cloned().collect(),
        }
    }

    pub(in crate::policy::kai) fn lower_priority(&self, job: JobRef, victim: JobRef) -> Check {
        let victim_facts = self.facts_of(victim);
        let subject = Subject { other_job: Some(victim_facts.id), ..self.about_job(job) };
        let [higher, lower] = [self.facts_of(job), victim_facts].map(|facts| count(Quantity::Priority, facts.priority));
        Check::new(LOWER_PRIORITY, subject, higher, Op::Exceeds, lower)
    }

    fn why_stale(&self, job: JobRef, since_s: f64, grace_s: f64) -> Vec<Check> {
        let subject = self.about_job(job);
        let age = real(Quantity::Runtime, self.inputs.now_s - since_s);
        let grace = real(Quantity::Constant, grace_s);
        vec![Check::new(STALE_GRACE, subject, age, Op::AtLeast, grace)]
    }
}

impl Notes {
    /// Notes that a search begins.
    pub fn begin_search(&mut self, pods: usize) {
        self.search = Tried::of(pods);
    }

    /// Notes the nodes of a set of victims that is tried, or that certainly does not suffice.
    pub fn tried_nodes(&mut self, state: &SessionState, victims: &[TaskRef]) {
        if self.is_on() {
            let nodes = victims.iter().filter_map(|victim| state.tasks[victim.ix()].node);
            nodes.for_each(|node| self.search.add(node));
        }
    }

    /// Notes that a set sufficed for a number of pods.
    pub fn sufficed(&mut self, pods: usize, emptied: Option<Emptied>) {
        self.search.placed = self.search.placed.max(pods as u32);
        if emptied.is_some() {
            self.search.emptied = emptied;
        }
    }
}

impl Session<'_> {
    /// The record of a search; nothing is evicted yet.
    pub fn search_of(&self, job: JobRef, tried: &Tried) -> Search {
        let id = |node: &NodeRef| self.state.nodes[node.ix()].id;
        Search {
            job: self.facts_of(job).id,
            pods: tried.pods,
            placed: tried.placed,
            tried: tried.sets,
            nodes: tried.nodes.iter().map(id).collect(),
            emptied: tried.emptied.clone(),
            evicted: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Searches without result of jobs that still wait.
    pub fn failed_searches(&self) -> Vec<Search> {
        let failed_search = |job: JobRef| {
            let note = self.notes.of(job);
            let search = self.search_of(job, note.searched.as_ref()?);
            (search.tried > 0).then(|| Search { taken: note.taken.clone(), ..search })
        };
        self.own_jobs().filter_map(failed_search).collect()
    }
}
