//! Gangs in the simulator's world: placeholders hold the room, pods come once all of it is there.
//!
//! # Rule
//! A kind of pods of a job with a gang is a task group, its `min-available` pods are the members. The application comes
//! with one placeholder for each; its pods become asks only when it is Running, that is when all placeholders are
//! placed, and take their places one pass after the other. If the first placeholder waits longer than the timeout, all are
//! released: a soft gang's pods become ordinary asks a second later, a hard gang's application fails and its pods wait in vain.
//! A placeholder is no pod of the world; until it is replaced the room is shown as held for one of the pods.
//!
//! # Source
//! yunikorn.md 1.8, 7
//!
//! # Differs
//! our choice: that second. Placeholders leave, and pods take their places, in the moment in which they are asked to; a gang of which a pod runs already is taken
//! in without placeholders

use std::collections::BTreeMap;

use super::amounts::Amounts;
use super::apps::{Ending, NewApp};
use super::asks::{ask_for, ask_of, refused_nodes};
use super::model::{AppIx, Ask, AskIx, Core, NodeIx, State};
use super::partition::Kinds;
use crate::id::{JobId, NodeId, PodId};
use crate::policy::PartitionView;
use crate::trace::Gate;

/// How long after its placeholders are gone the pods of a gang become asks. That is up to the Kubernetes side of the
/// scheduler, which looks now and then; by then the core has given away the room that was held. Our choice.
pub(super) const INTERVAL: i64 = 1000;

/// Where a gang stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// For its room.
    Waits,
    /// The room did not come together in time; its pods become asks a little later.
    Resumes {
        /// When, in milliseconds.
        at: i64,
    },
    /// Its pods are asks.
    Goes,
    /// The room did not come together in time.
    Failed,
    /// Its queue does not take it.
    Refused,
}

/// All gangs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gangs {
    pub(super) stages: BTreeMap<JobId, Stage>,
    /// Placeholders, and for which pods they hold room.
    pub(super) holders: BTreeMap<AskIx, (JobId, PodId)>,
}

impl Gangs {
    /// Whether the pods of a job are members of task groups.
    pub fn is_gang(&self, job: JobId) -> bool {
        self.stages.contains_key(&job)
    }

    /// The pod for which a placeholder holds room.
    pub fn pod_of(&self, ask: AskIx) -> Option<PodId> {
        self.holders.get(&ask).map(|(_, pod)| *pod)
    }

    /// All placeholders.
    pub fn placeholders(&self) -> impl Iterator<Item = &AskIx> {
        self.holders.keys()
    }

    /// When the next placeholders have waited for too long, or the next pods become asks.
    pub fn due(&self, core: &Core) -> Option<i64> {
        let completing = |app: &super::model::App| app.completing_due.filter(|_| !app.placeholder.is_zero());
        let dues = core.live_apps().flat_map(|app| [app.placeholder_due, completing(app)]);
        let resumes = self.stages.values().filter_map(|stage| match stage {
            Stage::Resumes { at } => Some(*at),
            _ => None,
        });
        dues.flatten().chain(resumes).min()
    }

    /// Whether the pods of a gang become asks now, by time alone.
    pub(super) fn resumes(&self, now: i64) -> bool {
        self.stages.values().any(|stage| matches!(stage, Stage::Resumes { at } if *at <= now))
    }

    /// Takes the application of a job in; with a gang, its placeholders too.
    pub fn add_app(
        &mut self,
        core: &mut Core,
        world: PartitionView<'_>,
        (kinds, nodes): (&Kinds, &[NodeId]),
        id: JobId,
        new: NewApp,
    ) -> Option<AppIx> {
        let job = &world.cluster.jobs[id];
        if matches!(self.stages.get(&id), Some(Stage::Failed | Stage::Refused)) {
            return None;
        }
        let holds = || world.cluster.pods_of(id).any(|(_, pod)| pod.phase.holds() || pod.phase.is_over());
        let Some(gang) = job.gang.filter(|_| !holds()) else {
            let application = new.id.clone();
            return core.add_app(new).then(|| core.find_app(&application)).flatten();
        };
        let members = members(world, id);
        let mut all = Amounts::EMPTY;
        for &pod in &members {
            all.add(&ask_of(kinds, &world.cluster.pods[pod]));
        }
        let (hard, timeout) = (gang.is_hard, gang.timeout.as_millis());
        let is_taken = core.add_app(NewApp { placeholder_ask: all, hard, timeout, ..new });
        self.stages.insert(id, if is_taken { Stage::Waits } else { Stage::Refused });
        let app = core.find_app(&job.name).filter(|_| is_taken)?;
        for (n, pod_id) in members.into_iter().enumerate() {
            let pod = &world.cluster.pods[pod_id];
            let key = format!("tg-{n:06}-{}", pod.name);
            let ask = Ask {
                task_group: world.cluster.pod_sets[pod.pod_set].name.to_string(),
                placeholder: true,
                refuses: refused_nodes(world, nodes, pod),
                ..ask_for(kinds, (job, pod), &key, app)
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
        let Some(stage) = self.stages.get_mut(&job) else { return true };
        let goes = match *stage {
            Stage::Waits => matches!(core.apps[app].state, State::Running | State::Completing),
            Stage::Resumes { at } => at <= core.now,
            _ => false,
        };
        if goes {
            *stage = Stage::Goes;
        }
        *stage == Stage::Goes
    }

    /// When the pods of a gang whose placeholders timed out become asks.
    pub fn resumes_at(&self, job: JobId) -> Option<crate::time::Time> {
        match self.stages.get(&job)? {
            Stage::Resumes { at } => Some(crate::time::Time::from_millis(*at)),
            Stage::Goes | Stage::Failed | Stage::Refused | Stage::Waits => None,
        }
    }

    /// What a gang waits for, or why it waits in vain; `None` once its pods are asks.
    pub fn gate(&self, core: &Core, job: JobId) -> Option<Gate> {
        match self.stages.get(&job)? {
            Stage::Goes => None,
            Stage::Resumes { .. } => Some(Gate::NotReady),
            Stage::Failed => Some(Gate::GangFailed),
            Stage::Refused => Some(Gate::GangRefused),
            Stage::Waits => {
                let mut own = self.of(job).peekable();
                let app = own.peek().map(|&ask| core.asks[ask].app);
                let until =
                    app.and_then(|app| core.apps[app].placeholder_due).map(crate::time::Time::from_millis);
                let (held, of) =
                    own.fold((0, 0), |(held, of), ask| (held + u32::from(core.asks[ask].allocated), of + 1));
                Some(Gate::GangIncomplete { held, of, until })
            }
        }
    }

    /// The first placeholder of a gang that has no room yet.
    pub fn next(&self, core: &Core, job: JobId) -> Option<AskIx> {
        let mut waiting: Vec<AskIx> = self.of(job).filter(|&ask| !core.asks[ask].allocated).collect();
        waiting.retain(|_| self.stages.get(&job) == Some(&Stage::Waits));
        waiting.into_iter().min_by(|&l, &r| core.asks[l].key.cmp(&core.asks[r].key))
    }

    fn of(&self, job: JobId) -> impl Iterator<Item = AskIx> {
        self.holders.iter().filter(move |(_, (of, _))| *of == job).map(|(ask, _)| *ask)
    }

    /// A node takes no part any more: what placeholders held there is gone.
    pub fn lose_node(&mut self, core: &mut Core, node: NodeIx) {
        let lost = |ask: &AskIx| core.asks[*ask].node == Some(node) && !core.nodes[node].schedulable;
        let lost: Vec<AskIx> = self.holders.keys().copied().filter(lost).collect();
        for ask in lost {
            self.holders.remove(&ask);
            core.release(ask, Ending::Over);
        }
    }

    /// Takes out gangs whose jobs are over.
    pub fn forget(&mut self, core: &mut Core, world: PartitionView<'_>) {
        let over = |job: &JobId| world.cluster.live_jobs.binary_search(job).is_err();
        let over: Vec<JobId> = self.stages.keys().copied().filter(over).collect();
        for job in over {
            if self.of(job).next().is_some()
                && let Some(app) = core.find_app(&world.cluster.jobs[job].name)
            {
                core.remove_app(app);
            }
            self.stages.remove(&job);
            self.holders.retain(|_, (of, _)| *of != job);
        }
    }
}

/// What the placeholders of a job hold.
pub(super) fn held_by(gangs: &Gangs, core: &Core, job: Option<JobId>) -> Vec<(PodId, NodeIx)> {
    let own = gangs.holders.iter().filter(|(_, (of, _))| Some(*of) == job);
    own.filter_map(|(ask, (_, pod))| Some((*pod, core.asks[*ask].node?))).collect()
}

/// The members of a job's task groups: of each kind the first pods, as many as must start together.
fn members(world: PartitionView<'_>, job: JobId) -> Vec<PodId> {
    let mut members = Vec::new();
    for set in world.cluster.jobs[job].pod_set_ids() {
        let n = world.cluster.pod_sets[set].min_available as usize;
        let pods = world.cluster.pods_of(job).filter(|(_, pod)| pod.pod_set == set);
        members.extend(pods.map(|(id, _)| id).take(n));
    }
    members
}
