//! What a cycle came to: per action, what was committed and what changed.
//!
//! # Source
//! recordings of format `kai-cycle/1`

use std::sync::Arc;

use super::config::Action;
use super::place::Failure;
use super::session::Session;
use super::snapshot::{ActionOutcome, Committed, CycleOutcome, PodState, Quantities, QueueShares};
use super::task::{JobRef, NodeRef, TaskRef};
use crate::trace::Trace;

/// Collects the outcome of a cycle.
pub(super) struct Recorder<'t> {
    /// The record of decisions.
    pub trace: &'t mut Trace,
    /// So far.
    pub outcome: CycleOutcome,
    step: ActionOutcome,
    before: State,
}

/// What is compared before and after an action.
#[derive(Default)]
struct State {
    pods: Vec<PodState>,
    queues: Vec<(Quantities, Quantities)>,
}

impl State {
    fn of(session: &Session<'_>) -> State {
        let pods = session.own_jobs().flat_map(|job| session.job(job).tasks()).map(|t| session.pod_state(t));
        let queues = session.queues.iter().map(|q| (q.allocated, q.allocated_np));
        State { pods: pods.collect(), queues: queues.collect() }
    }
}

impl<'t> Recorder<'t> {
    /// Starts with the shares at the opening.
    pub fn new(session: &Session<'_>, names: impl Iterator<Item = Arc<str>>, trace: &'t mut Trace) -> Self {
        let shares = if session.plugins.proportion { shares(session, names) } else { Vec::new() };
        let outcome = CycleOutcome { shares, steps: Vec::new() };
        Recorder { trace, outcome, step: ActionOutcome::default(), before: State::default() }
    }

    /// An action begins.
    pub fn begin(&mut self, session: &Session<'_>, action: Action) {
        self.step = ActionOutcome { action: action.name(), ..ActionOutcome::default() };
        self.before = State::of(session);
    }

    /// The action is over.
    pub fn end(&mut self, session: &Session<'_>) {
        let mut step = std::mem::take(&mut self.step);
        let after = State::of(session);
        let changed = self.before.pods.iter().zip(after.pods).filter(|(before, after)| *before != after);
        step.pods = changed.map(|(_, after)| after).collect();
        for (i, (before, after)) in self.before.queues.iter().zip(after.queues).enumerate() {
            if *before != after {
                step.queues.push((session.queues[i].name.clone(), after.0, after.1));
            }
        }
        self.outcome.steps.push(step);
    }

    /// A statement was committed for a job.
    pub fn committed(&mut self, _session: &Session<'_>, _job: JobRef, committed: Vec<Committed>) {
        if !committed.is_empty() {
            self.step.commits.push(committed);
        }
    }
    /// A job's last start was set.
    pub fn started(&mut self, session: &Session<'_>, job: JobRef) {
        self.step.started.push(session.facts_of(job).name.clone());
    }
    /// A job's staleness was set or cleared.
    pub fn stale(&mut self, session: &Session<'_>, job: JobRef, is_stale: bool) {
        self.step.stale.push((session.facts_of(job).name.clone(), is_stale));
    }
    /// The real scheduler would have died here.
    pub fn crashed(&mut self, session: &Session<'_>, job: JobRef) {
        self.step.crashes.push(session.facts_of(job).name.clone());
    }
    /// A chunk could not be placed on free room.
    pub fn not_placed(&mut self, _session: &Session<'_>, _job: JobRef, _failure: Failure) {}
}

fn shares(session: &Session<'_>, names: impl Iterator<Item = Arc<str>>) -> Vec<QueueShares> {
    let share = |name: Arc<str>| {
        let q = session.queues.iter().find(|q| q.name == name)?;
        Some(QueueShares {
            queue: name,
            fair_share: q.fair_share,
            request: q.request,
            allocated: q.allocated,
            allocated_non_preemptible: q.allocated_np,
        })
    };
    names.filter_map(share).collect()
}

impl Session<'_> {
    /// A task's state by names.
    fn pod_state(&self, task: TaskRef) -> PodState {
        let t = self.task(task);
        let groups = if t.status.is_active_used() { t.groups.as_slice() } else { &[] };
        let mut gpu_groups: Vec<_> = groups.iter().map(|&g| self.groups.name(g).clone()).collect();
        gpu_groups.sort();
        PodState {
            pod: self.pod_of(task).name.clone(),
            status: t.status,
            node: t.node.map_or_else(|| Arc::from(""), |n| self.nodes[n.ix()].name.clone()),
            gpu_groups,
        }
    }
    /// A placement by names: pod, node, shared devices.
    pub fn names_of(&self, task: TaskRef, host: NodeRef) -> (Arc<str>, Arc<str>, Vec<Arc<str>>) {
        let groups = self.task(task).groups.iter().map(|&g| self.groups.name(g).clone());
        (self.pod_of(task).name.clone(), self.nodes[host.ix()].name.clone(), groups.collect())
    }
}
