//! Pods: requests, placement rules, places and phases.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::id::{JobId, NodeId, PodId, PodSetId};
use crate::time::Time;
use crate::units::{Amount, ResourceVec};

/// The smallest unit that runs: its specification, shared by all copies of a world, and its state. Dereferences to the
/// specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Pod {
    /// The immutable part.
    pub spec: Arc<PodSpec>,
    /// Its phase. Maintained by `lifecycle`.
    pub phase: Phase,
    /// Its node; `None` in a phase that holds no resources.
    pub node: Option<NodeId>,
    /// The devices it holds on its node.
    pub devices: Devices,
}

impl std::ops::Deref for Pod {
    type Target = PodSpec;

    fn deref(&self) -> &PodSpec {
        &self.spec
    }
}

/// The immutable part of a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct PodSpec {
    /// Unique name; also the final tie-break of some policies.
    pub name: Arc<str>,
    pub job: JobId,
    pub pod_set: PodSetId,
    /// Time of creation, a tie-break of some policies; `None` if the scenario sets none.
    pub created: Option<Time>,
    /// Its resource request, one for pods of the same kind.
    pub request: Arc<Request>,
    /// Required node labels; empty: no restriction.
    pub selector: NodeSelector,
    /// Further placement rules and attributes; `None` for most pods.
    pub rules: Option<Arc<PodRules>>,
}

/// A pod that already runs when its job is submitted, because it was placed outside the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub pod: PodId,
    /// The node on which it runs.
    pub node: NodeId,
    /// The devices it holds; none: the lowest free ones.
    pub devices: Devices,
    /// Its start.
    pub since: Time,
}

/// A pod that is created later than its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joining {
    pub pod: PodId,
    /// The time at which it joins its job.
    pub at: Time,
}

/// The resource request of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// CPU, memory and named resources. The GPU entry is `gpu` in whole devices; GPU memory is converted with the
    /// smallest GPU of the scenario.
    pub resources: ResourceVec,
    /// The request for GPUs.
    pub gpu: GpuRequest,
}

/// A request for GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuRequest {
    /// None.
    #[default]
    None,
    /// Whole devices.
    Whole {
        /// Number of devices.
        devices: u32,
    },
    /// The same part of each of several devices.
    Fraction {
        /// Part of a device.
        portion: Amount,
        /// Number of devices.
        devices: u32,
    },
    /// The same memory on each of several devices.
    Memory {
        /// MiB on each device.
        mib: i64,
        /// Number of devices.
        devices: u32,
    },
}

impl GpuRequest {
    /// Number of devices, whole or in parts.
    pub fn n_devices(self) -> u32 {
        match self {
            GpuRequest::None => 0,
            GpuRequest::Whole { devices }
            | GpuRequest::Fraction { devices, .. }
            | GpuRequest::Memory { devices, .. } => devices,
        }
    }
}

/// Required node labels: each key with its permitted values.
pub type NodeSelector = Vec<(Arc<str>, Vec<Arc<str>>)>;

/// Placement rules and attributes that few pods have.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodRules {
    /// Required node affinity: all of these must hold.
    pub affinity: Vec<Requirement>,
    /// Tolerated taints.
    pub tolerations: Vec<Toleration>,
    /// Labels, sorted by key.
    pub labels: Vec<(Arc<str>, Arc<str>)>,
    /// Whether a scheduling gate keeps it from being scheduled for the whole run.
    pub gated: bool,
    /// Name of the node nominated for it outside the scheduler.
    pub nominated_node: Option<Arc<str>>,
    /// Its application; `None`: its job.
    pub application: Option<Arc<str>>,
    /// Whether it is the originator of its application.
    pub is_originator: bool,
    /// Whether it never preempts other pods.
    pub never_preempts: bool,
    /// Groups of the submitting user; empty if the job names none.
    pub groups: Vec<Arc<str>>,
    /// Name of the only node on which it may run.
    pub required_node: Option<Arc<str>>,
}

/// A requirement on the labels of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    /// Key of the label.
    pub key: Arc<str>,
    /// The required state of the label.
    pub is: LabelOperator,
}

/// The required state of a label.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelOperator {
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
    /// Whether a node with these labels meets the requirement.
    pub fn is_met(&self, labels: &[(Arc<str>, Arc<str>)]) -> bool {
        let value = labels.iter().find(|(key, _)| *key == self.key).map(|(_, value)| value);
        match &self.is {
            LabelOperator::In(values) => value.is_some_and(|value| values.contains(value)),
            LabelOperator::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            LabelOperator::Exists => value.is_some(),
            LabelOperator::DoesNotExist => value.is_none(),
        }
    }
}

/// A pattern of tolerated taints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toleration {
    /// Key of the taint; `None`: any.
    pub key: Option<Arc<str>>,
    /// Value of the taint; `None`: any.
    pub value: Option<Arc<str>>,
    /// Effect of the taint; `None`: any.
    pub effect: Option<Effect>,
}

impl Toleration {
    /// Whether it tolerates a taint.
    pub fn covers(&self, taint: &Taint) -> bool {
        self.key.as_ref().is_none_or(|key| *key == taint.key)
            && self.value.as_ref().is_none_or(|value| *value == taint.value)
            && self.effect.is_none_or(|effect| effect == taint.effect)
    }
}

/// A taint of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taint {
    /// Key of the taint.
    pub key: Arc<str>,
    /// Value of the taint; may be empty.
    pub value: Arc<str>,
    /// Effect on pods that do not tolerate it.
    pub effect: Effect,
}

/// Effect of a taint on pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Excludes the node.
    NoSchedule,
    /// Excludes the node. Running pods stay.
    NoExecute,
    /// Prefers other nodes without excluding this one.
    PreferNoSchedule,
}

impl Pod {
    /// Whether its selector and its required affinity match a node.
    pub fn selects(&self, node: &crate::cluster::Node) -> bool {
        self.selects_labels(node)
            && self.rules.as_ref().is_none_or(|rules| rules.affinity.iter().all(|r| r.is_met(&node.labels)))
    }

    /// Whether its selector alone matches a node, for policies without affinity.
    pub fn selects_labels(&self, node: &crate::cluster::Node) -> bool {
        let has =
            |(key, values): &(Arc<str>, Vec<Arc<str>>)| node.labels.iter().any(|(k, v)| k == key && values.contains(v));
        self.selector.iter().all(has)
    }

    /// Whether it tolerates the taints of a node.
    pub fn tolerates(&self, node: &crate::cluster::Node) -> bool {
        let tolerations = self.rules.as_ref().map_or(&[][..], |rules| &rules.tolerations);
        is_tolerated(&node.taints, tolerations)
    }
}

/// Whether the tolerations cover every taint that excludes pods.
pub fn is_tolerated(taints: &[Taint], tolerations: &[Toleration]) -> bool {
    let excludes = |taint: &&Taint| taint.effect != Effect::PreferNoSchedule;
    taints.iter().filter(excludes).all(|taint| tolerations.iter().any(|t| t.covers(taint)))
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The job is not submitted yet, or the pod has not joined it yet.
    Future,
    /// Waiting to be placed.
    Pending,
    /// Kept from scheduling by a gate.
    Gated,
    /// Placed, not running yet.
    Starting {
        /// The time at which it runs.
        until: Time,
    },
    Running {
        /// Its start.
        since: Time,
        /// Its end, unless it is evicted; `None`: no end.
        until: Option<Time>,
    },
    /// Evicted, still holding resources.
    Terminating {
        /// The time of the eviction; the start, if it was evicted before.
        since: Time,
        /// The time at which it is gone.
        until: Time,
    },
    /// Ended by itself.
    Finished {
        /// Time of the end.
        at: Time,
    },
    /// Withdrawn with its job.
    Removed {
        /// Time of the withdrawal.
        at: Time,
    },
    /// Evicted or lost with its node, and not replaced.
    Evicted {
        /// Time at which it was gone.
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

/// The devices of a node that a pod holds: bit `i` is device `i`; a node has at most 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Devices(pub u64);

impl Devices {
    /// Iterates over the device numbers, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |i| self.0 & (1 << i) != 0)
    }
}
