//! Immutable facts about pods, and the node filters of a session.
//!
//! # Rule
//! Pods are equal for signatures if they require the same labels and tolerate the same taints; they are equal for node
//! selection if they also have the same request and nominated node. Equality is a comparison of two numbers.
//!
//! # Source
//! kai.md 5.4, 6.9
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;
use std::sync::Arc;

use super::order::task_order::{TaskPlugins, TaskRank, task_order};
use super::request::{GpuRequestKind, Request};
use super::task::{GroupRef, JobRef, NodeRef, Status};
use crate::cluster::{PodRules, Requirement, Taint, Toleration, is_tolerated};
use crate::id::PodId;

/// Node role for GPU pods.
pub(super) const GPU_WORKER: &str = "node-role.kubernetes.io/gpu-worker";
/// Node role for pods without GPU.
const CPU_WORKER: &str = "node-role.kubernetes.io/cpu-worker";

/// A label key with its allowed values.
type Required = (Arc<str>, Vec<Arc<str>>);

/// A pod at the opening of a cycle. Dereferences to its immutable facts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pod {
    pub facts: Arc<PodFacts>,
    pub job: JobRef,
    pub status: Status,
    pub node: Option<NodeRef>,
    /// Shared devices it uses there.
    pub groups: Vec<GroupRef>,
}

impl Pod {
    /// A pod without state.
    pub fn new(facts: Arc<PodFacts>) -> Pod {
        let (job, status) = (JobRef::default(), Status::default());
        Pod { facts, job, status, node: None, groups: Vec::new() }
    }

    /// Node on which it is allocated.
    pub fn held_on(&self) -> Option<NodeRef> {
        self.node.filter(|_| self.status.is_active_used())
    }
}

impl std::ops::Deref for Pod {
    type Target = PodFacts;

    fn deref(&self) -> &PodFacts {
        &self.facts
    }
}

/// Immutable facts about a pod.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodFacts {
    pub id: PodId,
    pub name: Arc<str>,
    /// Index of its pod set, by name.
    pub set: usize,
    /// Position in task order within its job.
    pub order: u32,
    /// One for pods of the same kind.
    pub request: Arc<Request>,
    /// By node: whether the pod accepts its labels; `None`: all.
    pub selects: Option<Arc<[bool]>>,
    /// By node: whether the pod tolerates its taints; `None`: all.
    pub tolerates: Option<Arc<[bool]>>,
    /// Node nominated by an external component.
    pub nominated: Option<NodeRef>,
    /// Equivalence class for signatures.
    pub likeness: u32,
    /// Equivalence class for node selection.
    pub kind: u32,
}

/// Node properties that restrict where pods may run.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeTraits<'a> {
    pub name: &'a str,
    pub labels: &'a [(Arc<str>, Arc<str>)],
    pub taints: &'a [Taint],
}

/// Input of [`PodReader::job`] for one pod.
#[derive(Clone, Debug)]
pub(super) struct ReadPod<'a> {
    pub id: PodId,
    pub name: &'a Arc<str>,
    /// Index of its pod set, by name.
    pub set: usize,
    pub request: Request,
    /// An additional required node label.
    pub required: Option<&'a Required>,
    pub selector: &'a [Required],
    pub rules: Option<&'a PodRules>,
    pub rank: TaskRank,
}

/// Node requirements of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Requires<'a> {
    required: Option<&'a Required>,
    selector: &'a [Required],
    affinity: &'a [Requirement],
    tolerations: &'a [Toleration],
}

/// By node: whether labels, and taints, admit the pod.
type Accepted = (Option<Arc<[bool]>>, Option<Arc<[bool]>>);

/// Reads pods and assigns their equivalence classes.
pub(super) struct PodReader<'a> {
    /// Sorted by name.
    nodes: Vec<NodeTraits<'a>>,
    is_tainted: bool,
    /// Whether nodes accept only pods that match their GPU or CPU role.
    has_roles: bool,
    plugins: TaskPlugins,
    likenesses: Numbers<Requires<'a>>,
    accepted: BTreeMap<(u32, Option<&'static str>), Accepted>,
    numbering: Numbering,
}

impl<'a> PodReader<'a> {
    /// `nodes` must be sorted by name.
    pub fn new(nodes: Vec<NodeTraits<'a>>, has_roles: bool, plugins: TaskPlugins) -> PodReader<'a> {
        PodReader {
            is_tainted: nodes.iter().any(|node| !node.taints.is_empty()),
            nodes,
            has_roles,
            plugins,
            likenesses: Numbers::default(),
            accepted: BTreeMap::new(),
            numbering: Numbering::default(),
        }
    }

    /// The pods of a job, given in order of their names.
    pub fn job(&mut self, pods: Vec<ReadPod<'a>>) -> Vec<Arc<PodFacts>> {
        let order = task_order(pods.iter().map(|pod| &pod.rank), self.plugins);
        // Not collected: the list would keep the much larger buffer of `pods`.
        let mut facts = Vec::with_capacity(pods.len());
        facts.extend(pods.into_iter().zip(order).map(|(pod, order)| Arc::new(self.facts(pod, order))));
        facts
    }

    fn facts(&mut self, pod: ReadPod<'a>, order: u32) -> PodFacts {
        let affinity = pod.rules.map_or(&[][..], |rules| &rules.affinity);
        let tolerations = pod.rules.map_or(&[][..], |rules| &rules.tolerations);
        let requires = Requires { required: pod.required, selector: pod.selector, affinity, tolerations };
        let likeness = self.likenesses.number(requires);
        let role = self.has_roles.then(|| worker_label(&pod.request));
        let nodes = (self.nodes.as_slice(), self.is_tainted);
        let accepted = self.accepted.entry((likeness, role)).or_insert_with(|| accepts(nodes, requires, role));
        let (selects, tolerates) = accepted.clone();
        let nominated = pod.rules.and_then(|rules| self.nominated(rules));
        let (kind, request) = self.numbering.number(pod.request, likeness, nominated);
        PodFacts {
            id: pod.id,
            name: pod.name.clone(),
            set: pod.set,
            order,
            request,
            selects,
            tolerates,
            nominated,
            likeness,
            kind,
        }
    }

    /// The nominated node of pods with these rules, if it is in the pool.
    fn nominated(&self, rules: &PodRules) -> Option<NodeRef> {
        let name = rules.nominated_node.as_deref()?;
        self.nodes.binary_search_by(|node| node.name.cmp(name)).ok().map(NodeRef::of)
    }
}

/// The node label that a task needs if scheduling is restricted by role (kai.md 5.4, item 8).
fn worker_label(request: &Request) -> &'static str {
    if request.is_cpu_only() { CPU_WORKER } else { GPU_WORKER }
}

fn accepts(
    (nodes, is_tainted): (&[NodeTraits<'_>], bool),
    Requires { required, selector, affinity, tolerations }: Requires<'_>,
    role: Option<&'static str>,
) -> Accepted {
    let required = || required.into_iter().chain(selector);
    let has = |node: &NodeTraits<'_>, (key, values): &Required| {
        node.labels.iter().any(|(k, v)| k == key && values.contains(v))
    };
    let selects = |node: &NodeTraits<'_>| {
        required().all(|required_label| has(node, required_label))
            && affinity.iter().all(|requirement| requirement.is_met(node.labels))
            && role.is_none_or(|role| node.labels.iter().any(|(k, _)| **k == *role))
    };
    let is_choosy = required().next().is_some() || !affinity.is_empty() || role.is_some();
    let tolerates = |node: &NodeTraits<'_>| is_tolerated(node.taints, tolerations);
    (is_choosy.then(|| nodes.iter().map(selects).collect()), is_tainted.then(|| nodes.iter().map(tolerates).collect()))
}

/// Assigns equal keys the same number, from 0 in the order of first use.
#[derive(Clone, Debug)]
pub(in crate::policy::kai) struct Numbers<K> {
    numbers: BTreeMap<K, u32>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Numbers { numbers: BTreeMap::new() }
    }
}

impl<K: Ord> Numbers<K> {
    pub fn number(&mut self, key: K) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }
}

/// Numbers pods by all inputs of node selection.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Numbering {
    keys: Numbers<Key>,
    /// The previous pod, since most pods equal it.
    last: Option<(Arc<Request>, u32, Option<NodeRef>, u32)>,
}

/// The bits of CPU, memory, portion and devices; named resources; kind; devices, memory of each; likeness; nominated
/// node.
type Key = ([u64; 4], Vec<i64>, GpuRequestKind, [i64; 2], u32, Option<NodeRef>);

impl Numbering {
    /// Returns the same number for pods with the same request, `likeness` and nominated node, and the request.
    pub fn number(&mut self, request: Request, likeness: u32, nominated: Option<NodeRef>) -> (u32, Arc<Request>) {
        if let Some((r, l, n, number)) = &self.last
            && (&**r, *l, *n) == (&request, likeness, nominated)
        {
            return (*number, r.clone());
        }
        let Request { cpu, memory, scalars, kind, count, portion, mib, gpus } = &request;
        let bits = [cpu, memory, portion, gpus].map(|amount| amount.to_bits());
        let key = (bits, scalars.clone(), *kind, [*count, *mib], likeness, nominated);
        let number = self.keys.number(key);
        let request = Arc::new(request);
        self.last = Some((request.clone(), likeness, nominated, number));
        (number, request)
    }
}
