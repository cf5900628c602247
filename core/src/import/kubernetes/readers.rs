//! Reads the labels and annotations of each scheduler: whose work it is, its queue, class and minimum. Pods and pod
//! templates of all kinds of objects are read alike.
//!
//! # Source
//! KAI Scheduler, `docs/developer/pod-grouper.md`, `docs/batch/README.md`; Kueue, `docs/tasks/run`; Apache YuniKorn,
//! `docs/user_guide/labels_and_annotations_in_yunikorn.md`; Volcano, API type `scheduling.volcano.sh/v1beta1`

use super::objects::{Object, ObjectKind, Objects};
use super::{Cluster, applications};
use crate::policy::Policy;
use crate::scenario::Scalar;

/// Queue of work without one.
pub const DEFAULT_QUEUE: &str = "default-queue";

/// Prefix of the names of Volcano's schedulers: their queues are read, though no policy models them.
const VOLCANO: &str = "volcano";

/// Label or annotation with the queue of Volcano's work.
pub const VOLCANO_QUEUE: &str = "scheduling.volcano.sh/queue-name";

/// Labels with the queue of KAI's and Run:ai's work.
const QUEUE_LABELS: [&str; 2] = ["kai.scheduler/queue", "runai/queue"];

/// Label with the LocalQueue of Kueue's work.
pub const LOCAL_QUEUE: &str = "kueue.x-k8s.io/queue-name";

/// Label with the priority class of Kueue's work.
pub const KUEUE_CLASS: &str = "kueue.x-k8s.io/priority-class";

/// Annotation with the minimum number of pods of a Job.
pub const MIN_MEMBER: &str = "kai.scheduler/batch-min-member";

/// Label with the class of KAI's work.
pub const CLASS: &str = "priorityClassName";

/// Label that says whether KAI's work is preemptible.
pub const PREEMPTIBILITY: &str = "kai.scheduler/preemptibility";

/// Annotation that makes Volcano's pods preemptible.
pub const PREEMPTABLE: &str = "volcano.sh/preemptable";

/// Annotations with the pod group of a pod.
pub const GROUPS: [&str; 3] = ["pod-group-name", "scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"];

/// Schedulers with the same labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// KAI, Run:ai, and those that only policies of this program name.
    Kai,
    Volcano,
    YuniKorn,
    Kueue,
}

/// A pod or pod template, and the objects that it belongs to, the nearest first.
#[derive(Clone)]
pub struct Chain<'a, 'c> {
    pub pod: &'c Object<'a>,
    pub owners: Vec<&'c Object<'a>>,
}

impl<'a> Chain<'a, '_> {
    /// Returns the first value that an owner has, from the outermost, or else the pod.
    fn owner_first<T>(&self, read: impl Fn(&Object<'a>) -> Option<T>) -> Option<T> {
        self.owners.iter().rev().find_map(|owner| read(owner)).or_else(|| read(self.pod))
    }

    /// Returns the first value that the pod or else an owner has.
    fn pod_first<T>(&self, read: impl Fn(&Object<'a>) -> Option<T>) -> Option<T> {
        read(self.pod).or_else(|| self.owners.iter().find_map(|owner| read(owner)))
    }

    /// Returns the scheduler whose work it is; `None` if its queues are not read.
    pub fn family(&self, objects: &Objects<'_>, has_yunikorn: bool) -> Option<Family> {
        let local = self.owner_first(|object| object.label(LOCAL_QUEUE));
        let queue = self.owner_first(queue_label);
        // Kueue admits work that any scheduler places; its label counts unless the scheduler has queues of its own
        // here.
        let is_kueue = local.is_some() && queue.is_none();
        match self.pod.place.scalar(&["spec", "schedulerName"]).filter(|name| *name != "default-scheduler") {
            Some(_) if applications::is_scheduler(&self.pod.place) => Some(Family::YuniKorn),
            Some(name) if name.starts_with(VOLCANO) => Some(Family::Volcano),
            Some(_) if is_kueue => Some(Family::Kueue),
            Some(name) => is_own_scheduler(name).then_some(Family::Kai),
            None if is_kueue => Some(Family::Kueue),
            None if self.pod.place.scalar(&["spec", "schedulerName"]).is_some() => None,
            None if queue.is_some() => Some(Family::Kai),
            None if self.owner_first(volcano_queue).is_some() => Some(Family::Volcano),
            None if is_yunikorn_by_labels(self.pod, objects, has_yunikorn) => Some(Family::YuniKorn),
            None => GROUPS.iter().any(|key| self.pod.annotation(key).is_some()).then_some(Family::Kai),
        }
    }

    /// Whether nothing names the scheduler, so that it is known by labels alone.
    pub fn is_without_scheduler(&self) -> bool {
        self.pod.place.scalar(&["spec", "schedulerName"]).is_none()
    }

    /// Returns the queue.
    pub fn queue(&self, family: Family, cluster: &Cluster<'a>) -> Option<String> {
        let named = match family {
            Family::Kueue => self.owner_first(|object| {
                let local = object.label(LOCAL_QUEUE)?;
                Some(local_queue(object.namespace, local, cluster).to_string())
            }),
            // YuniKorn sees pods only, not what makes them.
            Family::YuniKorn => applications::queue_of(self.pod).map(str::to_string),
            Family::Kai | Family::Volcano => {
                let label = self.owner_first(queue_label).or_else(|| self.owner_first(volcano_queue));
                label.map(str::to_string).or_else(|| self.project())
            }
        };
        named.filter(|queue| !queue.is_empty())
    }

    /// Returns the queue of a project, in KAI's and Run:ai's names.
    fn project(&self) -> Option<String> {
        let project = self.owner_first(|object| object.label("project"))?;
        Some(match self.pod.label("kai.scheduler/node-pool") {
            Some(pool) => format!("{project}-{pool}"),
            None => project.to_string(),
        })
    }

    /// Returns the name of the priority class.
    pub fn class(&self, family: Family) -> Option<&'a str> {
        let of_pod = || self.pod.place.scalar(&["spec", "priorityClassName"]).filter(|name| !name.is_empty());
        let of_label = || self.owner_first(|object| object.label(CLASS));
        match family {
            Family::Kueue => self.owner_first(|object| object.label(KUEUE_CLASS)).or_else(of_pod),
            Family::Kai => of_pod().or_else(of_label),
            Family::Volcano | Family::YuniKorn => of_pod(),
        }
    }

    /// Returns whether the work is preemptible, if it says so.
    pub fn preemptible(&self) -> Option<Scalar> {
        let named = self.owner_first(|object| object.label(PREEMPTIBILITY));
        match named.or_else(|| self.pod_first(|object| object.annotation(PREEMPTABLE))) {
            Some("preemptible" | "true") => Some("true".into()),
            Some("non-preemptible" | "false") => Some("false".into()),
            _ if applications::is_kept(self.pod) => Some("false".into()),
            _ => None,
        }
    }
}

/// Returns the minimum number of pods in an annotation of KAI: as a number, or the text if it is none.
pub fn min_member<'a>(owner: &Object<'a>) -> Option<Result<u64, &'a str>> {
    let text = owner.annotation(MIN_MEMBER)?;
    Some(text.parse::<u64>().ok().filter(|n| *n > 0).ok_or(text))
}

/// Whether the queues of a scheduler are read.
fn is_own_scheduler(name: &str) -> bool {
    Policy::ALL.iter().any(|policy| policy.is_scheduler(name))
}

/// Returns the queue in the labels of KAI or Run:ai.
fn queue_label<'a>(object: &Object<'a>) -> Option<&'a str> {
    QUEUE_LABELS.iter().find_map(|key| object.label(key))
}

fn volcano_queue<'a>(object: &Object<'a>) -> Option<&'a str> {
    object.label(VOLCANO_QUEUE).or_else(|| object.annotation(VOLCANO_QUEUE))
}

/// Whether a pod without a scheduler has labels of YuniKorn. YuniKorn's admission controller adds the scheduler later,
/// so files that people write lack it. The plain label `queue` says so only beside YuniKorn's configuration.
fn is_yunikorn_by_labels(pod: &Object<'_>, objects: &Objects<'_>, has_yunikorn: bool) -> bool {
    let is_known = applications::application_of(pod).is_some() || applications::queue_of(pod).is_some();
    if has_yunikorn {
        return is_known;
    }
    let is_alone =
        objects.of_kind(ObjectKind::Queue).is_empty() && objects.of_kind(ObjectKind::ClusterQueue).is_empty();
    is_alone && (applications::has_own_label(pod) || pod.label("applicationId").is_some())
}

/// Returns the ClusterQueue of a LocalQueue, or its own name if it is not in the text. A manifest without a namespace
/// is in that of the only LocalQueue with the name.
pub fn local_queue<'a>(namespace: &'a str, local: &'a str, cluster: &Cluster<'a>) -> &'a str {
    let queues = &cluster.local_queues;
    if let Some(queue) = queues.get(&(namespace, local)) {
        return queue;
    }
    let mut of_name = queues.iter().filter(|((_, name), _)| *name == local).map(|(_, queue)| *queue);
    match (of_name.next(), of_name.next()) {
        (Some(only), None) if namespace.is_empty() => only,
        _ => local,
    }
}
