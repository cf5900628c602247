//! Jobs of a kit: explicit pod groups, their pods and priority classes.
//!
//! # Rule
//! A job is a pod group with its minimum, of subgroups instead of pods where it has one, and its pods, which reference
//! the group and the queue. A priority without a class among KAI's own gets a new class.
//!
//! # Source
//! KAI Scheduler, custom resource definition `podgroups.scheduling.run.ai`; `docs/developer/pod-grouper.md`,
//! `docs/priority`
//!
//! # Differs
//! nothing

use std::collections::BTreeSet;
use std::sync::Arc;

use super::config::Revision;
use super::export::{SHARD, duration};
use super::job::subgroups::least_minimum;
use super::kit_nodes::extended;
use super::names::Names;
use crate::cluster::{Effect, GpuRequest, Job, LabelOperator, Pod, PodRules, Preemptible, Requirement, Toleration};
use crate::format::quantity::print_decimal;
use crate::format::yaml::{Yaml, map, text};
use crate::id::{Arena, Id, JobId, NodeId, PodSetId};
use crate::policy::Policy;
use crate::policy::export::Source;
use crate::units::Resource;

/// Classes installed with KAI.
const KNOWN: [(i32, &str); 4] = [(50, "train"), (75, "build-preemptible"), (100, "build"), (125, "inference")];

/// Additional priority classes referenced by jobs.
#[derive(Default)]
pub(super) struct Classes(BTreeSet<i32>);

impl Classes {
    fn name(&mut self, priority: i32) -> String {
        if let Some((_, name)) = KNOWN.iter().find(|(installed, _)| *installed == priority) {
            return (*name).to_string();
        }
        self.0.insert(priority);
        class(priority)
    }

    pub fn objects(&self) -> Vec<Yaml> {
        let object = |priority: &i32| {
            map([
                ("apiVersion", text("scheduling.k8s.io/v1")),
                ("kind", text("PriorityClass")),
                ("metadata", map([("name", text(&class(*priority)))])),
                ("value", Yaml::Value(priority.to_string())),
            ])
        };
        self.0.iter().map(object).collect()
    }
}

fn class(priority: i32) -> String {
    let sign = if priority < 0 { "minus-" } else { "" };
    format!("fairground-{sign}{}", priority.unsigned_abs())
}

/// The pod group of a job and its pods.
pub(super) fn job(
    source: &Source<'_>,
    (id, name): (JobId, &str),
    names: &Names,
    nodes: &Arena<NodeId, String>,
    classes: &mut Classes,
) -> Vec<Yaml> {
    let job = &source.cluster.jobs[id];
    let pool = job.partition.index();
    let context = Context {
        source,
        job,
        name,
        queue: names.queue(job.queue, pool),
        class: classes.name(job.priority),
        shard: names.shard(pool).unwrap_or_default(),
        revision: match source.policies.get(pool) {
            Some(Policy::Kai(config)) => config.revision,
            _ => Revision::default(),
        },
        nodes,
    };
    let mut objects = vec![context.group()];
    for (n, pod) in job.pod_ids().enumerate() {
        objects.push(context.pod(&source.cluster.pods[pod], n));
    }
    objects
}

struct Context<'s, 'a> {
    source: &'s Source<'a>,
    job: &'a Job,
    name: &'s str,
    queue: String,
    class: String,
    shard: &'s str,
    revision: Revision,
    nodes: &'s Arena<NodeId, String>,
}

impl Context<'_, '_> {
    fn group(&self) -> Yaml {
        let sets = &self.source.cluster.pod_sets;
        let sets: Vec<PodSetId> = self.job.pod_set_ids().filter(|set| sets.get(*set).is_some()).collect();
        let least = least_minimum(self.revision);
        let minimum = |set: PodSetId| i64::from(self.source.cluster.pod_sets[set].min_available).max(least);
        let sub_group = |name: &str| Yaml::Value(self.min_sub_group(name));
        let is_flat = sets.len() == 1;
        let minimum_sum: i64 = sets.iter().map(|set| minimum(*set)).sum();
        let subgroups = sets.iter().filter(|_| !is_flat).map(|set| {
            let path = &self.source.cluster.pod_sets[*set].path;
            let parent = path.last().map_or(String::new(), |group| plain(group));
            map([
                ("name", text(&self.subgroup(*set))),
                ("minMember", Yaml::Value(minimum(*set).to_string())),
                ("parent", text(&parent)),
            ])
        });
        let mut subgroups: Vec<Yaml> = subgroups.collect();
        let mut written_groups: BTreeSet<String> = BTreeSet::new();
        for set in &sets {
            let path = &self.source.cluster.pod_sets[*set].path;
            for (depth, group) in path.iter().enumerate() {
                let parent = depth.checked_sub(1).map_or(String::new(), |above| plain(&path[above]));
                if written_groups.insert(plain(group)) {
                    subgroups.push(map([
                        ("name", text(&plain(group))),
                        ("parent", text(&parent)),
                        ("minSubGroup", sub_group(group)),
                    ]));
                }
            }
        }
        let preemptible = match self.job.preemptible {
            Preemptible::Yes => "preemptible",
            Preemptible::No | Preemptible::Semi => "non-preemptible",
        };
        let (delay, grace) = self.times();
        // A pod group has a minimum of pods or of subgroups.
        let minimum_of_all = if self.min_sub_group("").is_empty() { minimum_sum.to_string() } else { String::new() };
        let backoff = if self.job.is_tried_once { "1" } else { "" };
        map([
            ("apiVersion", text("scheduling.run.ai/v2alpha2")),
            ("kind", text("PodGroup")),
            (
                "metadata",
                map([
                    ("name", text(self.name)),
                    ("namespace", text("default")),
                    ("labels", map([("fairground/job", text(&label(self.name))), (SHARD, text(self.shard))])),
                ]),
            ),
            (
                "spec",
                map([
                    ("queue", text(&self.queue)),
                    ("minMember", Yaml::Value(minimum_of_all)),
                    ("minSubGroup", sub_group("")),
                    ("priorityClassName", text(&self.class)),
                    ("preemptibility", text(preemptible)),
                    ("schedulingBackoff", Yaml::Value(backoff.into())),
                    ("preemptionDelay", delay),
                    ("stalenessGracePeriod", grace),
                    ("subGroups", Yaml::List(subgroups)),
                ]),
            ),
        ])
    }

    /// Preemption delay and grace period of the job.
    fn times(&self) -> (Yaml, Yaml) {
        let has_times = self.revision.reads_job_times();
        let grace = match self.job.staleness_grace.filter(|_| has_times) {
            Some(None) => text("-1s"),
            Some(period) => duration(period),
            None => text(""),
        };
        (duration(self.job.preemption_delay.filter(|_| has_times)), grace)
    }

    /// Number of members that a group needs, if not all; that of the job itself has no name.
    fn min_sub_group(&self, name: &str) -> String {
        let needed = self.job.min_sub_group(name).filter(|_| self.revision.has_optional_members());
        needed.map_or(String::new(), |needed| needed.to_string())
    }

    fn subgroup(&self, set: PodSetId) -> String {
        plain(&self.source.cluster.pod_sets[set].name)
    }

    fn pod(&self, pod: &Pod, n: usize) -> Yaml {
        let is_flat = self.job.pod_sets.1 == 1;
        let subgroup = if is_flat { String::new() } else { self.subgroup(pod.pod_set) };
        let none = Arc::default();
        let rules: &PodRules = pod.rules.as_ref().unwrap_or(&none);
        let mut labels = vec![
            ("fairground/job".to_string(), text(&label(self.name))),
            ("kai.scheduler/queue".to_string(), text(&self.queue)),
            ("kai.scheduler/subgroup-name".to_string(), text(&subgroup)),
            (SHARD.to_string(), text(self.shard)),
        ];
        labels.extend(rules.labels.iter().map(|(key, value)| (key.to_string(), text(value))));
        labels.retain(|(_, value)| *value != text(""));
        let lasts = self.job.lasts.map_or(String::new(), |lasts| format!("{}ms", lasts.as_millis()));
        let (fraction, memory, devices) = shared(pod.request.gpu);
        let node = pod.node.map_or("", |node| self.nodes[node].as_str());
        let gates = if rules.gated { vec![map([("name", text("fairground/closed"))])] } else { Vec::new() };
        map([
            ("apiVersion", text("v1")),
            ("kind", text("Pod")),
            (
                "metadata",
                map([
                    ("name", text(&format!("{}-{n}", self.name))),
                    ("namespace", text("default")),
                    ("labels", Yaml::Map(labels)),
                    (
                        "annotations",
                        map([
                            ("pod-group-name", text(self.name)),
                            ("kai.scheduler/skip-podgrouper", text("true")),
                            ("fairground/lasts", text(&lasts)),
                            ("gpu-fraction", text(&fraction)),
                            ("gpu-memory", text(&memory)),
                            ("gpu-fraction-num-devices", text(&devices)),
                            ("user", text(self.job.user.as_deref().unwrap_or_default())),
                        ]),
                    ),
                ]),
            ),
            (
                "spec",
                map([
                    ("schedulerName", text("kai-scheduler")),
                    ("nodeName", text(node)),
                    ("priorityClassName", text(&self.class)),
                    ("schedulingGates", Yaml::List(gates)),
                    ("nodeSelector", selector(pod)),
                    ("affinity", affinity(&rules.affinity)),
                    ("tolerations", tolerations(&rules.tolerations)),
                    ("containers", Yaml::List(vec![self.container(pod)])),
                ]),
            ),
        ])
    }

    fn container(&self, pod: &Pod) -> Yaml {
        let amounts = &pod.request.resources;
        let mut requests = Vec::new();
        let mut add = |name: String, value: String| {
            if value != "0" {
                requests.push((name, text(&value)));
            }
        };
        add("cpu".into(), print_decimal(amounts.get(Resource::CPU).in_base_units(), 3));
        add("memory".into(), amounts.get(Resource::MEMORY).in_base_units().to_string());
        let mut limits = Vec::new();
        if let GpuRequest::Whole { devices } = pod.request.gpu {
            add("nvidia.com/gpu".into(), devices.to_string());
            limits.push(("nvidia.com/gpu".to_string(), text(&devices.to_string())));
        }
        for (n, name) in self.source.cluster.named.iter().enumerate() {
            let value = amounts.get(Resource::named(n)).in_base_units().to_string();
            if value != "0" {
                limits.push((extended(name), text(&value)));
            }
            add(extended(name), value);
        }
        map([
            ("name", text("main")),
            ("image", text("none")),
            ("resources", map([("requests", Yaml::Map(requests)), ("limits", Yaml::Map(limits))])),
        ])
    }
}

/// Annotations of a pod that shares GPUs: the fraction or memory of each GPU, and the number of GPUs.
fn shared(gpu: GpuRequest) -> (String, String, String) {
    let of_several = |devices: u32| if devices > 1 { devices.to_string() } else { String::new() };
    match gpu {
        GpuRequest::None | GpuRequest::Whole { .. } => Default::default(),
        GpuRequest::Fraction { portion, devices } => {
            (print_decimal(portion.in_base_units(), 3), String::new(), of_several(devices))
        }
        GpuRequest::Memory { mib, devices } => (String::new(), mib.to_string(), of_several(devices)),
    }
}

fn selector(pod: &Pod) -> Yaml {
    let single = pod.selector.iter().filter_map(|(key, values)| match values.as_slice() {
        [value] => Some((key.to_string(), text(value))),
        _ => None,
    });
    Yaml::Map(single.collect())
}

fn affinity(requirements: &[Requirement]) -> Yaml {
    let expression = |requirement: &Requirement| {
        let values = |all: &[Arc<str>]| Yaml::List(all.iter().map(|value| text(value)).collect());
        let none = Yaml::List(Vec::new());
        let (operator, values) = match &requirement.is {
            LabelOperator::In(all) => ("In", values(all)),
            LabelOperator::NotIn(all) => ("NotIn", values(all)),
            LabelOperator::Exists => ("Exists", none),
            LabelOperator::DoesNotExist => ("DoesNotExist", none),
        };
        map([("key", text(&requirement.key)), ("operator", text(operator)), ("values", values)])
    };
    if requirements.is_empty() {
        return Yaml::Map(Vec::new());
    }
    let terms = map([("matchExpressions", Yaml::List(requirements.iter().map(expression).collect()))]);
    let required = map([("nodeSelectorTerms", Yaml::List(vec![terms]))]);
    map([("nodeAffinity", map([("requiredDuringSchedulingIgnoredDuringExecution", required)]))])
}

fn tolerations(job_tolerations: &[Toleration]) -> Yaml {
    let kwok = map([("key", text("kwok.x-k8s.io/node")), ("operator", text("Exists")), ("effect", text("NoSchedule"))]);
    let toleration = |toleration: &Toleration| {
        let operator = if toleration.value.is_some() { "Equal" } else { "Exists" };
        let effect = toleration.effect.map_or("", |effect| match effect {
            Effect::NoSchedule => "NoSchedule",
            Effect::NoExecute => "NoExecute",
            Effect::PreferNoSchedule => "PreferNoSchedule",
        });
        map([
            ("key", text(toleration.key.as_deref().unwrap_or_default())),
            ("operator", text(operator)),
            ("value", text(toleration.value.as_deref().unwrap_or_default())),
            ("effect", text(effect)),
        ])
    };
    Yaml::List(std::iter::once(kwok).chain(job_tolerations.iter().map(toleration)).collect())
}

/// Lower-case letters, digits and hyphens, as in subgroup names.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let plain: String = name.to_ascii_lowercase().chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    format!("{}{plain}", if plain.starts_with('-') || plain.is_empty() { "g" } else { "" })
}

/// A name as a label value: at most 63 characters.
pub(super) fn label(name: &str) -> String {
    let cut: String = name.chars().take(63).collect();
    cut.trim_end_matches(['-', '.']).to_string()
}
