//! Result of a cycle, and the changes that each of its actions made.
//!
//! # Source
//! kai.md 4.4 (commit)
//!
//! # Differs
//! nothing

use std::sync::Arc;

use super::snapshot::Snapshot;
use crate::id::Id;
use crate::policy::kai::config::Action;
use crate::policy::kai::execute;
use crate::policy::kai::number::Quantities;
use crate::policy::kai::record::recorder::{CRASH, Commit, Recorder};
use crate::policy::kai::session::Session;
use crate::policy::kai::statement::Done;
use crate::policy::kai::task::{GroupRef, NodeRef, Status, TaskRef};

/// Result of a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CycleOutcome {
    /// Per queue at the opening, in the order of the snapshot.
    pub shares: Vec<QueueShares>,
    /// Allocation of every job at the opening, by name.
    pub jobs: Vec<(Arc<str>, Quantities)>,
    /// One entry per action, in order, even if the action changed nothing.
    pub steps: Vec<ActionOutcome>,
}

/// Amounts of a queue at the opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueueShares {
    /// Name of the queue.
    pub queue: Arc<str>,
    /// Fair share.
    pub fair_share: Quantities,
    /// Request.
    pub request: Quantities,
    /// Allocated.
    pub allocated: Quantities,
    /// Allocated and not preemptible.
    pub allocated_non_preemptible: Quantities,
}

/// Result of one action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionOutcome {
    /// `allocate`, `consolidation`, `reclaim`, `preempt`, `stalegangeviction`.
    pub action: &'static str,
    /// Committed statements in order; events inside one in the order of its operations.
    pub commits: Vec<Vec<Committed>>,
    /// Pods whose status, node or groups differ from before the action.
    pub pods: Vec<PodState>,
    /// Queues whose amounts changed by the action: name, allocated, allocated non-preemptible.
    pub queues: Vec<(Arc<str>, Quantities, Quantities)>,
    /// Jobs whose last start was set.
    pub started: Vec<Arc<str>>,
    /// Jobs whose staleness was set (`true`) or cleared.
    pub stale: Vec<(Arc<str>, bool)>,
    /// Jobs on which the real scheduler would crash in this action.
    pub crashes: Vec<Arc<str>>,
}

/// One committed operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Committed {
    /// A bind request.
    Bind {
        /// Name of the pod.
        pod: Arc<str>,
        /// Name of its node.
        node: Arc<str>,
        /// Shared devices.
        gpu_groups: Vec<Arc<str>>,
    },
    /// A deletion request.
    Evict {
        /// Name of the pod.
        pod: Arc<str>,
        /// Name of the job for which it is evicted; empty for stale gangs.
        preemptor: Arc<str>,
    },
    /// A claim on room that is not free yet.
    Pipelined {
        /// Name of the pod.
        pod: Arc<str>,
        /// Name of the node.
        node: Arc<str>,
        /// Shared devices.
        gpu_groups: Vec<Arc<str>>,
    },
}

/// A pod's state after an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodState {
    /// Name of the pod.
    pub pod: Arc<str>,
    /// Status.
    pub status: Status,
    /// Name of its node; empty for none.
    pub node: Arc<str>,
    /// Shared devices, only in an active-used status.
    pub gpu_groups: Vec<Arc<str>>,
}

impl CycleOutcome {
    /// The opening, without any action.
    pub(super) fn opened(session: &Session<'_>, snapshot: &Snapshot) -> CycleOutcome {
        let job = |job| (session.facts_of(job).name.clone(), session.job(job).allocated);
        let queues = snapshot.queues.iter().filter(|_| session.inputs.plugins.proportion);
        CycleOutcome {
            shares: queues.filter_map(|queue| shares(session, &queue.name)).collect(),
            jobs: session.own_jobs().map(job).collect(),
            steps: Vec::new(),
        }
    }
}

fn shares(session: &Session<'_>, name: &Arc<str>) -> Option<QueueShares> {
    let queue = session.state.queues.iter().find(|queue| queue.name == *name)?;
    Some(QueueShares {
        queue: name.clone(),
        fair_share: queue.fair_share,
        request: queue.request,
        allocated: queue.allocated,
        allocated_non_preemptible: queue.allocated_np,
    })
}

impl ActionOutcome {
    /// Executes an action.
    pub(super) fn of(
        action: Action,
        snapshot: &Snapshot,
        session: &mut Session<'_>,
        out: &mut Recorder<'_>,
    ) -> ActionOutcome {
        let (pods, queues) = (pod_states(session), queue_amounts(session));
        let (n_commits, n_marks) = (out.commits.len(), out.trace.marks.len());
        let (n_started, n_stale) = (out.started.len(), out.stale.len());
        execute(session, action, out);
        let name = |job| session.facts_of(job).name.clone();
        let crashed = out.trace.marks[n_marks..].iter().filter(|mark| mark.rule == CRASH);
        ActionOutcome {
            action: action.name(),
            commits: out.commits[n_commits..].iter().map(|commit| by_name(session, commit)).collect(),
            pods: changed(&pods, pod_states(session)),
            queues: changed(&queues, queue_amounts(session)),
            started: out.started[n_started..].iter().map(|&job| name(job)).collect(),
            stale: out.stale[n_stale..].iter().map(|&(job, is_stale)| (name(job), is_stale)).collect(),
            crashes: crashed.filter_map(|mark| Some(snapshot.jobs[mark.subject.job?.index()].name.clone())).collect(),
        }
    }
}

/// The items that differ from those before.
fn changed<T: PartialEq>(before: &[T], after: Vec<T>) -> Vec<T> {
    after.into_iter().zip(before).filter(|(after, before)| after != *before).map(|(after, _)| after).collect()
}

fn queue_amounts(session: &Session<'_>) -> Vec<(Arc<str>, Quantities, Quantities)> {
    session.state.queues.iter().map(|queue| (queue.name.clone(), queue.allocated, queue.allocated_np)).collect()
}

fn pod_states(session: &Session<'_>) -> Vec<PodState> {
    let tasks = session.own_jobs().flat_map(|job| session.job(job).tasks());
    tasks.map(|task| pod_state(session, task)).collect()
}

fn pod_state(session: &Session<'_>, task: TaskRef) -> PodState {
    let (pod, task) = (session.pod_of(task), session.task(task));
    let mut gpu_groups = Vec::new();
    if task.status.is_active_used() {
        gpu_groups = group_names(session, &task.groups);
        gpu_groups.sort();
    }
    PodState {
        pod: pod.name.clone(),
        status: task.status,
        node: task.node.map_or_else(|| Arc::from(""), |node| session.state.nodes[node.ix()].name.clone()),
        gpu_groups,
    }
}

fn group_names(session: &Session<'_>, groups: &[GroupRef]) -> Vec<Arc<str>> {
    groups.iter().map(|&group| session.state.groups.name(group)).collect()
}

fn by_name(session: &Session<'_>, commit: &Commit) -> Vec<Committed> {
    let preemptor = if commit.is_stale { Arc::from("") } else { session.facts_of(commit.job).name.clone() };
    let node = |node: NodeRef| session.state.nodes[node.ix()].name.clone();
    let operation = |(done, groups): &(Done, Vec<GroupRef>)| {
        let pod = session.pod_of(done.task()).name.clone();
        let gpu_groups = group_names(session, groups);
        match *done {
            Done::Bound(_, host) => Committed::Bind { pod, node: node(host), gpu_groups },
            Done::Claimed(_, host) => Committed::Pipelined { pod, node: node(host), gpu_groups },
            Done::Evicted(_) => Committed::Evict { pod, preemptor: preemptor.clone() },
        }
    };
    commit.done.iter().map(operation).collect()
}
