//! Groups pods into jobs: by pod group or else by controller.

use std::collections::{BTreeMap, BTreeSet};

use super::objects::{KAI, KUEUE, Object, ObjectKind, tally};
use super::pods::{Pod, Request, SchedulingState};
use super::readers::{Chain, DEFAULT_QUEUE, Family, min_member};
use super::templates::{INFERENCE, min_member_says};
use super::{Cluster, Report, applications, counted, moment, subgroups, workloads};
use crate::import::date::date;
use crate::import::reader::LocatedValue;
use crate::scenario::{JobEntry, PodSetEntry, Scalar};

/// Maximum nesting depth of subgroups; levels above are dropped.
const LEVELS_MAX: usize = 16;

/// Annotation with the time when KAI last started a pod group.
const LAST_START: &str = "kai.scheduler/last-start-timestamp";

/// Pods that become a job.
struct Work<'a, 'p> {
    /// Pod group or Kueue workload, if there is one.
    group: Option<&'a Object<'a>>,
    /// Namespace and name of the group or controller.
    name: (&'a str, &'a str),
    pods: Vec<&'p Pod<'a>>,
}

/// Returns the jobs in the order of their groups or first pods in the text.
/// Each has its namespace.
pub fn jobs<'a>(cluster: &Cluster<'a>, pods: &[Pod<'a>], report: &mut Report) -> Vec<(&'a str, JobEntry)> {
    let mut all: Vec<Work<'a, '_>> = Vec::new();
    let mut indices: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let workloads = cluster.objects.of_kind(ObjectKind::Workload).iter();
    let (workloads, ended): (Vec<_>, Vec<_>) = workloads.partition(|workload| workloads::is_live(workload));
    for group in cluster.objects.of_kind(ObjectKind::PodGroup).iter().chain(workloads) {
        indices.insert((group.namespace, group.name), all.len());
        all.push(Work { group: Some(group), name: (group.namespace, group.name), pods: Vec::new() });
    }
    for pod in pods.iter().filter(|pod| pod.is_own && pod.state != SchedulingState::Over) {
        let name = (pod.object.namespace, pod.group.unwrap_or_else(|| owner(pod, cluster)));
        let index = *indices.entry(name).or_insert_with(|| {
            all.push(Work { group: None, name, pods: Vec::new() });
            all.len() - 1
        });
        all[index].pods.push(pod);
    }
    let (with_pods, without_pods): (Vec<_>, Vec<_>) = all.into_iter().partition(|work| !work.pods.is_empty());
    let all = with_pods;
    let groups = |works: &[Work<'a, '_>]| works.iter().filter_map(|work| work.group).collect::<Vec<_>>();
    report.understood.extend(tally(&groups(&all), ""));
    report.ignored.extend(tally(&groups(&without_pods), ": no pods"));
    report.ignored.extend(tally(&ended, ": finished or not active"));
    let without_place = |work: &&Work<'_, '_>| {
        work.group.is_some_and(workloads::is_admitted) && !work.pods.iter().any(|pod| pod.is_holding())
    };
    let admitted: Vec<_> = all.iter().filter(without_place).filter_map(|work| work.group).collect();
    report.assumed.extend(tally(&admitted, ": admitted, but no pod says on which node, so they wait"));
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    all.iter().for_each(|work| *times.entry(work.name.1).or_default() += 1);
    let job = |work: &Work<'a, '_>| (work.name.0, work.job(times[work.name.1] > 1, cluster, report));
    all.iter().map(job).collect()
}

/// Returns the name of the outermost controller of a pod. Pods without one, and those of deployments, which are
/// scheduled individually, return their own name. A run of a CronJob stands for itself.
fn owner<'a>(pod: &Pod<'a>, cluster: &Cluster<'a>) -> &'a str {
    let Some([kind, name, _]) = pod.object.owner() else { return pod.object.name };
    let owners = cluster.objects.owners_of(pod.object);
    let is_deployment = match owners.first() {
        Some(set) if kind == "ReplicaSet" => set.owner().is_some_and(|[kind, ..]| kind == "Deployment"),
        _ => kind == "ReplicaSet",
    };
    if is_deployment && pod.family != Family::YuniKorn {
        return pod.object.name;
    }
    owners.iter().rfind(|owner| owner.kind.1 != "CronJob").map_or(name, |owner| owner.name)
}

impl<'a> Work<'a, '_> {
    fn job(&self, is_ambiguous: bool, cluster: &Cluster<'a>, report: &mut Report) -> JobEntry {
        let (namespace, name) = self.name;
        let name = if is_ambiguous { format!("{namespace}/{name}") } else { name.to_string() };
        let sets = self.sets(&name, cluster, report);
        let holding = || sets.iter().flat_map(|set| &set.pods).filter(|pod| pod.is_holding());
        let text = |key| self.group.and_then(|group| group.place.scalar(&["spec", key]));
        let created = self.group.and_then(|group| group.created_ms);
        let first_pod = self.pods.iter().filter_map(|pod| pod.object.created_ms).min();
        let submit = cluster.since(created.or(first_pod)).filter(|seconds| *seconds < 0);
        let last_start = self.group.and_then(|group| group.annotation(LAST_START));
        let last_start = last_start.and_then(date);
        let started = last_start.or_else(|| holding().filter_map(|pod| pod.started_ms).min());
        let gang = applications::gang_of(&self.objects()).filter(|_| cluster.is_yunikorn);
        let (gang, timeout) = gang.map_or((None, None), |(style, timeout)| (Some(style), timeout));
        let ends: Vec<String> = holding().map(|pod| pod.gone(cluster)).collect();
        let job = JobEntry {
            queue: self.queue(&name, cluster, report),
            submit: submit.map(moment),
            priority: self.priority(&name, cluster, report),
            preemptible: match text("preemptibility") {
                Some("preemptible") => Some("true".into()),
                Some("non-preemptible") => Some("false".into()),
                _ => self.pods[0].chain(cluster).preemptible(),
            },
            on: holding().filter_map(|pod| Some(pod.node?.to_string())).collect(),
            started: cluster.since(started).filter(|_| holding().next().is_some()).map(moment),
            terminating: if ends.iter().any(|moment| !moment.is_empty()) { ends } else { Vec::new() },
            scheduling_backoff: text("schedulingBackoff").map(Scalar::from),
            preemption_delay: text("preemptionDelay").map(Scalar::from),
            staleness_grace: text("stalenessGracePeriod").map(subgroups::grace),
            user: self.pods.iter().find_map(|pod| applications::user_of(pod.object)),
            gang: gang.map(Scalar),
            placeholder_timeout: timeout.map(Scalar),
            nominated_node: self.pods.iter().find_map(|pod| pod.nominated_node).map(str::to_string),
            name,
            ..JobEntry::default()
        };
        self.with_pods(job, &sets, cluster, report)
    }

    /// Returns the objects of the pods.
    fn objects(&self) -> Vec<&Object<'_>> {
        self.pods.iter().map(|pod| pod.object).collect()
    }

    /// Groups the pods into sets by leaf subgroup or else by request, running ones first.
    fn sets(&self, name: &str, cluster: &Cluster<'a>, report: &mut Report) -> Vec<Set<'_>> {
        let mut sets = self.subgroups(cluster);
        let has_subgroups = !sets.is_empty();
        let mut n_left = 0;
        let by_name: BTreeMap<String, usize> = sets.iter().enumerate().map(|(i, set)| (set.name.clone(), i)).collect();
        let mut by_request: BTreeMap<&Request, usize> = BTreeMap::new();
        for pod in &self.pods {
            let index = if has_subgroups {
                pod.subgroup.and_then(|name| by_name.get(name)).copied()
            } else {
                by_request.get(&pod.request).copied()
            };
            match index {
                Some(index) => sets[index].pods.push(pod),
                None if has_subgroups => n_left += 1,
                None => {
                    by_request.insert(&pod.request, sets.len());
                    let name = format!("kind-{}", sets.len() + 1);
                    sets.push(Set { name, pods: vec![pod], ..Set::default() });
                }
            }
        }
        if n_left > 0 {
            let pods = counted(n_left, "pod");
            report.ignore(format!("{pods} of {name}: their subgroup is not one of the pod group"));
        }
        sets.retain(|set| !set.pods.is_empty());
        for set in &mut sets {
            set.pods.sort_by_key(|pod| !pod.is_holding());
            if self.is_workload() {
                set.min = set.min.map(|_| set.pods.len() as i64);
            }
        }
        // In a scenario, the first pods of a job are the running ones.
        sets.sort_by_key(|set| set.pods.iter().filter(|pod| !pod.is_holding()).count() > 0);
        let partly = sets.iter().filter(|set| set.is_partly_holding()).count();
        if partly > 1 {
            report.assume(format!("{name}: which of its kinds of pods run follows from their number alone"));
        }
        sets
    }

    /// Returns the leaf subgroups of the pod group, still without pods.
    fn subgroups(&self, cluster: &Cluster<'a>) -> Vec<Set<'_>> {
        let all = |key: &str| self.group.map(|group| group.place.items(&["spec", key])).unwrap_or_default();
        let sets = all("podSets");
        if sets.len() > 1 && self.pods.iter().all(|pod| pod.subgroup.is_some()) {
            let set = |place: &LocatedValue<'_>| Set {
                name: place.scalar(&["name"]).unwrap_or_default().to_string(),
                // Replaced by the number of pods once they are assigned.
                min: Some(0),
                ..Set::default()
            };
            return sets.iter().map(set).collect();
        }
        let groups = applications::task_groups(&self.objects());
        if !groups.is_empty() && self.pods.iter().all(|pod| pod.subgroup.is_some()) {
            let set = |(name, min)| Set { name, min: Some(min), ..Set::default() };
            return groups.into_iter().map(set).collect();
        }
        let all = all("subGroups");
        let least = i64::from(!cluster.is_optional);
        let text_of = |i: usize, key: &str| all[i].scalar(&[key]).filter(|text| !text.is_empty());
        let by_name: BTreeMap<&str, usize> = (0..all.len()).filter_map(|i| Some((text_of(i, "name")?, i))).collect();
        let parents: BTreeSet<&str> = (0..all.len()).filter_map(|i| text_of(i, "parent")).collect();
        let is_leaf = |i: &usize| text_of(*i, "name").is_none_or(|name| !parents.contains(name));
        let path = |i: usize| {
            let up = |name: &&str| text_of(*by_name.get(name)?, "parent");
            let mut path: Vec<&str> = std::iter::successors(text_of(i, "parent"), up).take(LEVELS_MAX).collect();
            path.reverse();
            path.join("/")
        };
        let set = |i: usize| Set {
            name: text_of(i, "name").unwrap_or_default().to_string(),
            min: Some(all[i].whole(&["minMember"]).unwrap_or(least)),
            path: path(i),
            ..Set::default()
        };
        (0..all.len()).filter(is_leaf).map(set).collect()
    }

    /// Whether a pod group of KAI describes it.
    fn is_of_kai(&self) -> bool {
        self.group.is_some_and(|group| group.kind.0 == KAI)
    }

    /// Whether it is a Kueue workload, all pods of which start together.
    fn is_workload(&self) -> bool {
        self.group.is_some_and(|group| group.kind.0 == KUEUE)
    }

    fn queue(&self, name: &str, cluster: &Cluster<'a>, report: &mut Report) -> String {
        let of_group = self.group.and_then(|group| {
            let named = group.place.scalar(&["spec", "queue"]).or_else(|| group.label("kai.scheduler/queue"));
            named.or_else(|| workloads::queue_of(group, cluster))
        });
        let of_group = of_group.filter(|queue| !queue.is_empty()).map(str::to_string);
        let of_pods = || self.pods.iter().find_map(|pod| pod.chain(cluster).queue(pod.family, cluster));
        match of_group.or_else(of_pods) {
            Some(queue) => queue,
            None => {
                report.assume(format!("{name} names no queue: it is in {DEFAULT_QUEUE}"));
                DEFAULT_QUEUE.to_string()
            }
        }
    }

    fn priority(&self, name: &str, cluster: &Cluster<'a>, report: &mut Report) -> Option<Scalar> {
        let of_group = |keys: &[&str]| self.group.and_then(|group| group.place.get("spec")?.scalar(keys));
        let class = of_group(&["priorityClassName"]).or_else(|| of_group(&["priorityClassRef", "name"]));
        let value = self.group.and_then(|group| group.place.whole::<i64>(&["spec", "priority"]));
        let agrees = |class: &&str| value.is_none_or(|value| cluster.priorities.get(class) == Some(&value));
        let of_class = class.filter(agrees).and_then(|class| cluster.class(class));
        of_class
            .or(value.map(|value| Scalar(value.to_string())))
            .or_else(|| self.pods.iter().find_map(|pod| pod.priority.clone()))
            .or_else(|| cluster.class(cluster.default_class?))
            .or_else(|| {
                let [pod] = self.pods.as_slice() else { return None };
                let is_of_deployment = self.group.is_none()
                    && pod.family == Family::Kai
                    && pod.object.owner().is_some_and(|[kind, ..]| kind == "ReplicaSet")
                    && owner(pod, cluster) == pod.object.name;
                is_of_deployment.then(|| {
                    let message = "is a pod of a Deployment without a class: KAI gives it inference";
                    report.assume(format!("{name} {message} ({INFERENCE}), so it is not preemptible"));
                    Scalar(INFERENCE.to_string())
                })
            })
    }

    /// Returns the minimum in an annotation of the Job that made the pods.
    fn annotated(&self, cluster: &Cluster<'a>, report: &mut Report) -> Option<i64> {
        let pod = self.pods.first().filter(|pod| self.group.is_none() && pod.family == Family::Kai)?;
        let owners = cluster.objects.owners_of(pod.object);
        let job = owners.into_iter().find(|owner| owner.kind.1 == "Job")?;
        let n = min_member(job)?.ok()?;
        report.assume(min_member_says(job, n));
        i64::try_from(n).ok()
    }

    /// Adds the pods to a job: as equal pods if there is one set, otherwise as pod sets.
    fn with_pods(&self, job: JobEntry, sets: &[Set<'_>], cluster: &Cluster<'a>, report: &mut Report) -> JobEntry {
        let n_pods = sets.iter().map(|set| set.pods.len()).sum::<usize>() as i64;
        let min = self.group.and_then(|group| group.place.whole::<i64>(&["spec", "minMember"]));
        let is_kueue = self.group.is_none() && self.pods[0].family == Family::Kueue;
        let least = if self.is_workload() || is_kueue { n_pods } else { self.annotated(cluster, report).unwrap_or(1) };
        let min = min.unwrap_or(least).max(i64::from(!self.is_of_kai()));
        let is_whole = min <= n_pods && sets.iter().all(|set| set.min.is_none_or(|min| min <= set.pods.len() as i64));
        if !is_whole {
            let message = format!("{} waits for pods that are not there yet, so it is not offered", job.name);
            report.assume(message);
        }
        let (of_job, inner) = match self.group.filter(|_| self.is_of_kai()) {
            Some(group) => subgroups::minimums(group, &paths(sets)),
            None => Default::default(),
        };
        let is_gated = !is_whole || self.pods.iter().all(|pod| pod.request.is_gated);
        let Some(first) = sets.first().map(|set| &set.pods[0].request) else { return job };
        let same = |key: fn(&Request) -> &Vec<String>| {
            sets.iter().flat_map(|set| &set.pods).all(|pod| key(&pod.request) == key(first))
        };
        if sets.iter().flat_map(|set| &set.pods).any(|pod| pod.request.selector != first.selector) {
            report.assume(format!("{}: all pods select the nodes of the first one", job.name));
        }
        if !same(|request| &request.tolerations) {
            report.assume(format!("{}: all pods tolerate what the first one does", job.name));
        }
        let job = JobEntry {
            selector: first.selector.clone(),
            tolerations: first.tolerations.clone(),
            gated: is_gated.then(|| "true".into()),
            min_available: sets.iter().all(|set| set.min.is_none()).then(|| Scalar(min.min(n_pods).to_string())),
            ..job
        };
        match sets {
            [only] if only.min.is_none() => {
                let (pods, labels) = (Some(Scalar(n_pods.to_string())), first.labels.clone());
                first.in_job(JobEntry { pods, labels, ..job })
            }
            _ => JobEntry {
                pod_sets: sets.iter().map(Set::entry).collect(),
                min_subgroups: of_job,
                min_subgroups_of: inner,
                ..job
            },
        }
    }
}

/// The path of each pod set, with its own name.
fn paths<'s>(sets: &'s [Set<'_>]) -> Vec<Vec<&'s str>> {
    let path = |set: &'s Set<'_>| {
        let above = set.path.split('/').filter(|name| !name.is_empty());
        above.chain([set.name.as_str()]).collect()
    };
    sets.iter().map(path).collect()
}

/// A set of equal pods or of a subgroup.
#[derive(Default)]
struct Set<'p> {
    name: String,
    /// Minimum number of pods that start together, if the set has its own.
    min: Option<i64>,
    /// Path of the enclosing subgroups.
    path: String,
    pods: Vec<&'p Pod<'p>>,
}

impl Set<'_> {
    fn is_partly_holding(&self) -> bool {
        let n = self.pods.iter().filter(|pod| pod.is_holding()).count();
        n > 0 && n < self.pods.len()
    }

    fn entry(&self) -> PodSetEntry {
        let request = &self.pods[0].request;
        let least = self.min.map(|min| u64::try_from(min).unwrap_or(0));
        PodSetEntry { group: self.path.clone(), ..request.in_set(&self.name, self.pods.len() as u64, least) }
    }
}

impl<'a> Pod<'a> {
    /// Returns the pod with the objects that it belongs to.
    fn chain<'c>(&'c self, cluster: &'c Cluster<'a>) -> Chain<'a, 'c> {
        Chain { pod: self.object, owners: cluster.objects.owners_of(self.object) }
    }
}

impl Pod<'_> {
    fn is_holding(&self) -> bool {
        matches!(self.state, SchedulingState::Holds { .. })
    }

    /// Returns the time until the pod is gone, in seconds from now; empty if it is not being deleted.
    fn gone(&self, cluster: &Cluster<'_>) -> String {
        match self.state {
            SchedulingState::Holds { gone_ms: Some(ms) } => format!("{}s", ((ms - cluster.now_ms) / 1000).max(0)),
            _ => String::new(),
        }
    }
}
