//! Gangs of the scenario: placeholders hold resources, pods follow once all of them are placed.
//!
//! # Rule
//! A pod set of a gang job is a task group; its `min-available` pods are the members. The application is submitted with
//! one placeholder per member. The pods become asks only when the application is Running, that is when all placeholders
//! are placed, and replace them one per pass. If the first placeholder waits longer than the timeout, all are released:
//! the pods of a soft gang become ordinary asks one second later; the application of a hard gang fails and its pods
//! stay pending. A placeholder is not a pod of the cluster; until its replacement, its resources are shown as held for
//! one of the pods.
//!
//! # Source
//! yunikorn.md 1.8, 7
//!
//! # Differs
//! the delay of one second is our choice. Placeholders are released and replaced at the instant of the request; a gang
//! with a running pod is submitted without placeholders

use std::collections::BTreeMap;

use super::amounts::Amounts;
use super::apps::{NewApp, ReleaseReason};
use super::asks::{ask_for, ask_of, refused_nodes};
use super::model::{AppIx, AppState, Ask, AskIx, Core, NodeIx};
use super::partition::ResourceTypes;
use crate::id::{JobId, NodeId, PodId};
use crate::policy::PartitionView;
use crate::trace::{Delay, Gate};

/// Delay in milliseconds between the release of placeholders and the asks of the gang's pods. In the real system it
/// depends on the polling of the Kubernetes shim; by then the core has allocated the released resources to others. Our
/// choice.
pub(super) const INTERVAL: i64 = 1000;

/// State of a gang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GangState {
    /// Its placeholders are not all placed.
    Pending,
    /// The placeholders of a soft gang timed out; the pods become asks later.
    Resuming {
        /// Time at which they become asks, in milliseconds.
        at: i64,
    },
    /// The pods are asks.
    Started,
    /// The placeholders of a hard gang timed out.
    Failed,
    /// The queue rejected the gang.
    Rejected,
}

/// State of all gangs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gangs {
    pub(super) states: BTreeMap<JobId, GangState>,
    /// Placeholders, with the job and pod for which they hold resources.
    pub(super) holders: BTreeMap<AskIx, (JobId, PodId)>,
}

impl Gangs {
    /// Whether the pods of a job are members of task groups.
    pub fn is_gang(&self, job: JobId) -> bool {
        self.states.contains_key(&job)
    }

    /// Pod for which a placeholder holds resources.
    pub fn pod_of(&self, ask: AskIx) -> Option<PodId> {
        self.holders.get(&ask).map(|(_, pod)| *pod)
    }

    /// All placeholders.
    pub fn placeholders(&self) -> impl Iterator<Item = &AskIx> {
        self.holders.keys()
    }

    /// Next time at which placeholders time out or pods become asks.
    pub fn due(&self, core: &Core) -> Option<i64> {
        let completing = |app: &super::model::App| app.completing_due.filter(|_| !app.placeholder.is_zero());
        let dues = core.live_apps().flat_map(|app| [app.placeholder_due, completing(app)]);
        let resumes = self.states.values().filter_map(|state| match state {
            GangState::Resuming { at } => Some(*at),
            _ => None,
        });
        dues.flatten().chain(resumes).min()
    }

    /// Whether the pods of a timed-out gang are due to become asks.
    pub(super) fn resumes(&self, now: i64) -> bool {
        self.states.values().any(|state| matches!(state, GangState::Resuming { at } if *at <= now))
    }

    /// Submits the application of a job, with placeholders for a gang.
    pub fn add_app(
        &mut self,
        core: &mut Core,
        world: PartitionView<'_>,
        (resource_types, nodes): (&ResourceTypes, &[NodeId]),
        id: JobId,
        new: NewApp,
    ) -> Option<AppIx> {
        let job = &world.cluster.jobs[id];
        if matches!(self.states.get(&id), Some(GangState::Failed | GangState::Rejected)) {
            return None;
        }
        let holds = || world.cluster.pods_of(id).any(|(_, pod)| pod.phase.holds() || pod.phase.is_over());
        let Some(gang) = job.gang.filter(|_| !holds()) else {
            let application = new.id.clone();
            return if core.add_app(new) { core.find_app(&application) } else { None };
        };
        let members = members(world, id);
        let mut all = Amounts::EMPTY;
        for &pod in &members {
            all.add(&ask_of(resource_types, &world.cluster.pods[pod]));
        }
        let (hard, timeout) = (gang.is_hard, gang.timeout.as_millis());
        let is_taken = core.add_app(NewApp { placeholder_ask: all, hard, timeout, ..new });
        self.states.insert(id, if is_taken { GangState::Pending } else { GangState::Rejected });
        let app = core.find_app(&job.name).filter(|_| is_taken)?;
        for (n, pod_id) in members.into_iter().enumerate() {
            let pod = &world.cluster.pods[pod_id];
            let key = format!("tg-{n:06}-{}", pod.name);
            let ask = Ask {
                task_group: world.cluster.pod_sets[pod.pod_set].name.to_string(),
                placeholder: true,
                refuses: refused_nodes(world, nodes, pod),
                ..ask_for(resource_types, (job, pod), &key, app)
            };
            if core.add_ask(ask, None)
                && let Some(ask) = core.find_ask(app, &key)
            {
                self.holders.insert(ask, (id, pod_id));
            }
        }
        Some(app)
    }

    /// Whether the pods of a job may become asks.
    pub fn may_start(&mut self, core: &Core, job: JobId, app: AppIx) -> bool {
        let Some(state) = self.states.get_mut(&job) else { return true };
        let goes = match *state {
            GangState::Pending => matches!(core.apps[app].state, AppState::Running | AppState::Completing),
            GangState::Resuming { at } => at <= core.now,
            _ => false,
        };
        if goes {
            *state = GangState::Started;
        }
        *state == GangState::Started
    }

    /// Gate that keeps the gang from starting; `None` once its pods are asks.
    pub fn gate(&self, core: &Core, job: JobId) -> Option<Gate> {
        match self.states.get(&job)? {
            GangState::Started => None,
            GangState::Resuming { at } => {
                let until = crate::time::Time::from_millis(*at);
                Some(Gate::Delayed { until, why: Delay::GangExpired })
            }
            GangState::Failed => Some(Gate::GangFailed),
            GangState::Rejected => Some(Gate::GangRefused),
            GangState::Pending => {
                let mut own_asks = self.of(job).peekable();
                let app = own_asks.peek().map(|&ask| core.asks[ask].app);
                let until = app.and_then(|app| core.apps[app].placeholder_due).map(crate::time::Time::from_millis);
                let (held, n_asks) =
                    own_asks.fold((0, 0), |(held, n), ask| (held + u32::from(core.asks[ask].allocated), n + 1));
                Some(Gate::GangIncomplete { held, of: n_asks, until })
            }
        }
    }

    /// First placeholder of a gang that is not placed.
    pub fn next(&self, core: &Core, job: JobId) -> Option<AskIx> {
        let is_pending = self.states.get(&job) == Some(&GangState::Pending);
        let waiting = self.of(job).filter(|&ask| is_pending && !core.asks[ask].allocated);
        waiting.min_by(|&l, &r| core.asks[l].key.cmp(&core.asks[r].key))
    }

    fn of(&self, job: JobId) -> impl Iterator<Item = AskIx> {
        self.holders.iter().filter(move |(_, (holder, _))| *holder == job).map(|(ask, _)| *ask)
    }

    /// Releases the placeholders on a node that is no longer schedulable.
    pub fn lose_node(&mut self, core: &mut Core, node: NodeIx) {
        let is_lost = |ask: &AskIx| core.asks[*ask].node == Some(node) && !core.nodes[node].schedulable;
        let lost_asks: Vec<AskIx> = self.holders.keys().copied().filter(is_lost).collect();
        for ask in lost_asks {
            self.holders.remove(&ask);
            core.release(ask, ReleaseReason::Over);
        }
    }

    /// Removes gangs whose jobs have ended.
    pub fn forget(&mut self, core: &mut Core, world: PartitionView<'_>) {
        let is_over = |job: &JobId| world.cluster.live_jobs.binary_search(job).is_err();
        let ended: Vec<JobId> = self.states.keys().copied().filter(is_over).collect();
        for job in ended {
            if self.of(job).next().is_some()
                && let Some(app) = core.find_app(&world.cluster.jobs[job].name)
            {
                core.remove_app(app);
            }
            self.states.remove(&job);
            self.holders.retain(|_, (holder, _)| *holder != job);
        }
    }
}

/// Nodes held by the placeholders of a job, or of all jobs.
pub(super) fn held_by(gangs: &Gangs, core: &Core, job: Option<JobId>) -> Vec<(PodId, NodeIx)> {
    let job_holders = gangs.holders.iter().filter(|(_, (holder, _))| Some(*holder) == job);
    job_holders.filter_map(|(ask, (_, pod))| Some((*pod, core.asks[*ask].node?))).collect()
}

/// Members of a job's task groups: the first `min-available` pods of each pod set.
fn members(world: PartitionView<'_>, job: JobId) -> Vec<PodId> {
    let mut members = Vec::new();
    for set in world.cluster.jobs[job].pod_set_ids() {
        let n = world.cluster.pod_sets[set].min_available as usize;
        let pods = world.cluster.pods_of(job).filter(|(_, pod)| pod.pod_set == set);
        members.extend(pods.map(|(id, _)| id).take(n));
    }
    members
}
