//! Pods: what they ask for, where they are, what phase they are in.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::id::{JobId, NodeId, PodId, PodSetId};
use crate::time::Time;
use crate::units::{Amount, ResourceVec};

/// The smallest unit that runs: its specification, which all copies of a world share, and its state. The fields of the
/// specification are read as the pod's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Pod {
    /// What never changes.
    pub spec: Arc<PodSpec>,
    /// Its phase. Changed by `lifecycle` only.
    pub phase: Phase,
    /// Where it is, while it holds something.
    pub node: Option<NodeId>,
    /// The devices it holds there.
    pub devices: Devices,
}

impl std::ops::Deref for Pod {
    type Target = PodSpec;

    fn deref(&self) -> &PodSpec {
        &self.spec
    }
}

/// What never changes about a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct PodSpec {
    /// Unique name; also the last tie-break of policies that say so.
    pub name: Arc<str>,
    /// Its job.
    pub job: JobId,
    /// Its pod set.
    pub pod_set: PodSetId,
    /// Tie-break by age; `None` when the scenario does not say.
    pub created: Option<Time>,
    /// What it asks for.
    pub request: Request,
    /// Where it may run; empty: anywhere.
    pub selector: NodeSelector,
    /// Further rules; `None` for most pods.
    pub rules: Option<Arc<PodRules>>,
}

/// A pod that runs already when its job becomes known: something else than the scheduler placed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The pod.
    pub pod: PodId,
    /// Where it runs.
    pub node: NodeId,
    /// On which devices; none: on the lowest free ones.
    pub devices: Devices,
    /// Since when.
    pub since: Time,
}

/// A pod that is created later than its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joining {
    /// The pod.
    pub pod: PodId,
    /// When it joins its job.
    pub at: Time,
}

/// What a pod asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// CPU, memory and named resources. The GPU entry is what `gpu` takes of whole devices; GPU memory is
    /// measured against the smallest GPU of the scenario.
    pub resources: ResourceVec,
    /// How it wants GPUs.
    pub gpu: GpuRequest,
}

/// How a pod wants GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuRequest {
    /// None.
    #[default]
    None,
    /// Whole devices.
    Whole {
        /// How many.
        devices: u32,
    },
    /// The same part of each of several devices.
    Fraction {
        /// Thousandths of a device.
        portion: Amount,
        /// How many devices.
        devices: u32,
    },
    /// The same memory on each of several devices.
    Memory {
        /// MiB on each device.
        mib: i64,
        /// How many devices.
        devices: u32,
    },
}

impl GpuRequest {
    /// On how many devices it wants something.
    pub fn n_devices(self) -> u32 {
        match self {
            GpuRequest::None => 0,
            GpuRequest::Whole { devices }
            | GpuRequest::Fraction { devices, .. }
            | GpuRequest::Memory { devices, .. } => devices,
        }
    }
}

/// Required node labels: every key must have one of its values.
pub type NodeSelector = Vec<(Arc<str>, Vec<Arc<str>>)>;

/// What is said of few pods: where else they may not run, and how they are distinguished.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodRules {
    /// Required node affinity: all of these must hold.
    pub affinity: Vec<Requirement>,
    /// Taints it does not mind.
    pub tolerations: Vec<Toleration>,
    /// Labels, sorted by key.
    pub labels: Vec<(Arc<str>, Arc<str>)>,
    /// Whether it waits for something outside scheduling, for ever.
    pub gated: bool,
    /// The name of the node that something outside has in mind for it.
    pub nominated_node: Option<Arc<str>>,
    /// The application it belongs to; `None`: its job.
    pub application: Option<Arc<str>>,
    /// Whether it started its application.
    pub is_originator: bool,
    /// Whether no pod is evicted for it.
    pub never_preempts: bool,
    /// The groups of the user who submitted it, where the job says them.
    pub groups: Vec<Arc<str>>,
    /// The name of the only node where it may run.
    pub required_node: Option<Arc<str>>,
}

/// One requirement on the labels of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    /// The label.
    pub key: Arc<str>,
    /// What it must be.
    pub is: Wanted,
}

/// What a label must be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// Present, with one of these values.
    In(Vec<Arc<str>>),
    /// Absent, or with none of these values.
    NotIn(Vec<Arc<str>>),
    /// Present.
    Exists,
    /// Absent.
    DoesNotExist,
}

impl Requirement {
    /// Whether a node with these labels meets it.
    pub fn is_met(&self, labels: &[(Arc<str>, Arc<str>)]) -> bool {
        let value = labels.iter().find(|(key, _)| *key == self.key).map(|(_, value)| value);
        match &self.is {
            Wanted::In(values) => value.is_some_and(|value| values.contains(value)),
            Wanted::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Wanted::Exists => value.is_some(),
            Wanted::DoesNotExist => value.is_none(),
        }
    }
}

/// Taints that a pod does not mind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toleration {
    /// Of this key; `None`: of any.
    pub key: Option<Arc<str>>,
    /// With this value; `None`: with any.
    pub value: Option<Arc<str>>,
    /// With this effect; `None`: with any.
    pub effect: Option<Effect>,
}

impl Toleration {
    /// Whether the pod does not mind this taint.
    pub fn covers(&self, taint: &Taint) -> bool {
        self.key.as_ref().is_none_or(|key| *key == taint.key)
            && self.value.as_ref().is_none_or(|value| *value == taint.value)
            && self.effect.is_none_or(|effect| effect == taint.effect)
    }
}

/// What keeps pods off a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taint {
    /// Its key.
    pub key: Arc<str>,
    /// Its value; may be empty.
    pub value: Arc<str>,
    /// How strongly.
    pub effect: Effect,
}

/// How strongly a taint keeps pods off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing is placed.
    NoSchedule,
    /// Nothing is placed. What runs already stays.
    NoExecute,
    /// Other nodes are better; no node is excluded.
    PreferNoSchedule,
}

impl Pod {
    /// Whether its selector and its required affinity accept a node.
    pub fn selects(&self, node: &crate::cluster::Node) -> bool {
        let labels = &node.labels;
        let has = |(key, values): &(Arc<str>, Vec<Arc<str>>)| {
            labels.iter().any(|(k, v)| k == key && values.contains(v))
        };
        self.selector.iter().all(has)
            && self.rules.as_ref().is_none_or(|rules| rules.affinity.iter().all(|r| r.is_met(labels)))
    }

    /// Whether it does not mind the taints of a node.
    pub fn tolerates(&self, node: &crate::cluster::Node) -> bool {
        let tolerations = self.rules.as_ref().map_or(&[][..], |rules| &rules.tolerations);
        is_tolerated(&node.taints, tolerations)
    }
}

/// Whether no taint excludes a pod with these tolerations.
pub fn is_tolerated(taints: &[Taint], tolerations: &[Toleration]) -> bool {
    let excludes = |taint: &&Taint| taint.effect != Effect::PreferNoSchedule;
    taints.iter().filter(excludes).all(|taint| tolerations.iter().any(|t| t.covers(taint)))
}

/// Where a pod stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The job is not submitted yet, or the pod has not joined it yet.
    Future,
    /// Waiting to be placed.
    Pending,
    /// Waiting for something outside scheduling.
    Gated,
    /// Placed, not running yet.
    Starting {
        /// When it will run.
        until: Time,
    },
    /// Running.
    Running {
        /// Since when.
        since: Time,
        /// When it ends by itself.
        until: Option<Time>,
    },
    /// Told to go, still holding resources.
    Terminating {
        /// When it is gone.
        until: Time,
    },
    /// Ended by itself.
    Finished {
        /// When.
        at: Time,
    },
    /// Withdrawn.
    Removed {
        /// When.
        at: Time,
    },
    /// Gone after it lost its place, and nobody makes a new one.
    Evicted {
        /// When.
        at: Time,
    },
}

impl Phase {
    /// Whether it holds resources on a node.
    pub fn holds(self) -> bool {
        matches!(self, Phase::Starting { .. } | Phase::Running { .. } | Phase::Terminating { .. })
    }
    /// Whether it is over.
    pub fn is_over(self) -> bool {
        matches!(self, Phase::Finished { .. } | Phase::Removed { .. } | Phase::Evicted { .. })
    }
}

/// Which devices of its node a pod holds: bit `i` is device `i`; a node has at most 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Devices(pub u64);

impl Devices {
    /// The devices by number, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |i| self.0 & (1 << i) != 0)
    }
}
