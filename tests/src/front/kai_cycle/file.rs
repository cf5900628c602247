//! Scenario file of a recorded case, as a user would write it: values that equal the product's default are omitted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::devices::{self, Numbers};
use super::settings;
use crate::cycle::format::{Case, GpuRequest, Job, Node, Pod, Queue, QueueNumbers, Request};

/// A scenario file, with the recorded meaning of its names.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub text: String,
    /// Recorded name of every pod.
    pub pods: BTreeMap<String, String>,
}

/// Writes the file of a case; an error names an unsupported feature.
pub fn write(case: &Case) -> Result<File, &'static str> {
    let mut file = File::default();
    case.jobs.iter().try_for_each(|job| Sets::of(job).map(drop))?;
    is_bound_to_what_is_free(case)?;
    settings::starts_are_kept(case)?;
    file.text.push_str("format: fairground-scenario\nversion: 1\n");
    settings::write(case, &mut file.text)?;
    file.text.push_str("nodes:\n");
    for node in &case.nodes {
        file.text.push_str(&line(&node_fields(node, slots_needed(case))?));
    }
    file.text.push_str("queues:\n");
    for fields in queues(&case.queues)? {
        file.text.push_str(&line(&fields));
    }
    file.text.push_str("jobs:\n");
    let by_order = devices::order(case);
    let numbers = if by_order.is_none() { devices::numbers(case)? } else { Numbers::new() };
    let time_matters = settings::time_matters(case);
    for job in by_order.unwrap_or_else(|| case.jobs.iter().collect()) {
        let mut fields = job_fields(job, (&numbers, time_matters), &mut file.pods)?;
        fields.extend(terminating(case, job)?);
        file.text.push_str(&line(&fields));
    }
    Ok(file)
}

type Fields = Vec<(String, String)>;

fn line(fields: &Fields) -> String {
    format!("- {}\n", map(fields))
}

fn map(fields: &Fields) -> String {
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{}: {value}", quoted(key))).collect();
    format!("{{{}}}", fields.join(", "))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// Quotes a text for YAML.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let is_plain = text.chars().all(plain) && text.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_plain { text.to_owned() } else { format!("{text:?}") }
}

fn put(fields: &mut Fields, key: &str, value: impl Into<String>) {
    fields.push((key.to_owned(), value.into()));
}

/// Adds a field unless it has its default.
fn put_unless(fields: &mut Fields, key: &str, value: String, default: &str) {
    if value != default {
        put(fields, key, value);
    }
}

/// Whether a pod holds resources initially, running or terminating. The nodes that upstream's fixtures give to pending
/// pods have no meaning.
pub fn holds(pod: &Pod) -> bool {
    matches!(pod.status.as_str(), "Running" | "Releasing")
}

/// Number of pod slots that is never exhausted.
fn slots_needed(case: &Case) -> Option<i64> {
    let pods = || case.jobs.iter().flat_map(|j| &j.pods);
    let is_whole_number = |g: &Arc<str>| g.parse::<i64>().is_ok();
    let matters = pods().any(|p| holds(p) && p.gpu_groups.iter().any(is_whole_number));
    matters.then(|| i64::try_from(pods().count()).unwrap_or(i64::MAX).saturating_add(2))
}

fn node_fields(node: &Node, slots_needed: Option<i64>) -> Result<Fields, &'static str> {
    if node.gpu_memory_synced == Some(false) {
        return Err("a node whose GPU memory is not known");
    }
    if node.gpu_count_label.is_some_and(|n| n as f64 != node.gpus) {
        return Err("a node whose GPU count label is not its number of GPUs");
    }
    if slots_needed.is_some_and(|needed| node.pods < needed) {
        return Err("shared devices named by whole numbers on a node with few pod slots (Q-8)");
    }
    let mut fields = Fields::new();
    put(&mut fields, "name", quoted(&node.name));
    put_unless(&mut fields, "gpu", number(node.gpus), "0");
    put_unless(&mut fields, "cpu", number(node.cpu_milli / 1000.0), "64");
    put_unless(&mut fields, "memory", memory(node.memory_bytes), "256G");
    put_unless(&mut fields, "pods", node.pods.to_string(), "110");
    put_unless(&mut fields, "gpu-memory", node.gpu_memory_mib.to_string(), "40000");
    let labels: Fields = node.labels.iter().map(|(k, v)| (k.to_string(), quoted(v))).collect();
    if !labels.is_empty() {
        put(&mut fields, "labels", map(&labels));
    }
    Ok(fields)
}

pub fn number(n: f64) -> String {
    format!("{n}")
}

fn memory(bytes: f64) -> String {
    for (unit, size) in [("G", 1e9), ("M", 1e6)] {
        if bytes != 0.0 && bytes % size == 0.0 {
            return format!("{}{unit}", bytes / size);
        }
    }
    format!("{bytes}B")
}

/// Formats a time or duration.
pub fn seconds(s: f64) -> String {
    if s.fract() == 0.0 { format!("{s}s") } else { format!("{}ms", (s * 1000.0).round()) }
}

/// Queues from the oldest, so that ages can be omitted; if two are equally old, all ages are written.
fn queues(queues: &[Queue]) -> Result<Vec<Fields>, &'static str> {
    let mut in_order: Vec<&Queue> = queues.iter().collect();
    in_order.sort_by(|l, r| l.created_s.total_cmp(&r.created_s));
    let is_strict = in_order.windows(2).all(|pair| pair[0].created_s < pair[1].created_s);
    in_order.into_iter().map(|queue| queue_fields(queue, is_strict)).collect()
}

fn queue_fields(queue: &Queue, is_age_told_by_order: bool) -> Result<Fields, &'static str> {
    let mut fields = Fields::new();
    put(&mut fields, "name", quoted(&queue.name));
    if !queue.parent.is_empty() {
        put(&mut fields, "parent", quoted(&queue.parent));
    }
    put_unless(&mut fields, "priority", queue.priority.to_string(), "100");
    if !is_age_told_by_order {
        put(&mut fields, "created", seconds(queue.created_s));
    }
    let usage = queue.usage.unwrap_or_default();
    // A queue's memory without a unit is in 10^6 bytes.
    let memory = |bytes: f64| if bytes % 1e6 == 0.0 { number(bytes / 1e6) } else { format!("{bytes}B") };
    let cores: Unit = |milli| number(milli / 1000.0);
    let parts: [(&str, &QueueNumbers, Unit, f64); 3] = [
        ("gpu", &queue.gpu, number, usage.gpu),
        ("cpu", &queue.cpu, cores, usage.cpu),
        ("memory", &queue.memory, memory, usage.memory),
    ];
    for (resource, numbers, unit, usage) in parts {
        let own = resource_fields(numbers, unit, usage)?;
        if !own.is_empty() {
            put(&mut fields, resource, map(&own));
        }
    }
    for (key, runtime) in
        [("preempt-min-runtime", queue.preempt_min_runtime_s), ("reclaim-min-runtime", queue.reclaim_min_runtime_s)]
    {
        if let Some(runtime) = runtime {
            put(&mut fields, key, seconds(runtime));
        }
    }
    Ok(fields)
}

/// Formats an amount in the unit of a resource.
type Unit = fn(f64) -> String;

fn resource_fields(numbers: &QueueNumbers, unit: Unit, usage: f64) -> Result<Fields, &'static str> {
    let mut fields = Fields::new();
    let bound = |n: f64| match n {
        -1.0 => Ok("unlimited".to_owned()),
        n if n < 0.0 => Err("a quota or limit below zero that is not -1"),
        n => Ok(unit(n)),
    };
    put_unless(&mut fields, "quota", bound(numbers.quota)?, "0");
    put_unless(&mut fields, "limit", bound(numbers.limit)?, "0");
    // A queue with an unlimited quota does not share the surplus, so its weight has no effect.
    let weight = if numbers.weight < 0.0 && numbers.quota == -1.0 { 0.0 } else { numbers.weight };
    if weight < 0.0 {
        return Err("a weight below zero beside a quota");
    }
    put_unless(&mut fields, "weight", number(weight), "0");
    put_unless(&mut fields, "usage", number(usage), "0");
    Ok(fields)
}

fn job_fields(
    job: &Job,
    (devices, time_matters): (&Numbers, bool),
    names: &mut BTreeMap<String, String>,
) -> Result<Fields, &'static str> {
    if job.stale_since_s.is_some() {
        return Err("a gang that is stale at the start");
    }
    if job.last_eviction_s.is_some() {
        return Err("a job that was evicted before the start");
    }
    let mut fields = Fields::new();
    put(&mut fields, "name", quoted(&job.name));
    put(&mut fields, "queue", quoted(&job.queue));
    put_unless(&mut fields, "priority", job.priority.to_string(), "50");
    if job.preemptible != (job.priority < 100) {
        put(&mut fields, "preemptible", job.preemptible.to_string());
    }
    put_unless(&mut fields, "submit", seconds(job.created_s), "0s");
    if let Some(delay) = job.preemption_delay_s.filter(|&delay| delay > 0.0) {
        put(&mut fields, "preemption-delay", seconds(delay));
    }
    if let Some(grace) = job.staleness_grace_s {
        put(&mut fields, "staleness-grace", if grace < 0.0 { "unlimited".to_owned() } else { seconds(grace) });
    }
    let sets = Sets::of(job)?;
    fields.extend(sets.fields(job, names)?);
    let (own, of): (Fields, Fields) = job
        .min_sub_group
        .iter()
        .map(|(group, n)| (quoted(group), n.to_string()))
        .partition(|(group, _)| group == "\"\"");
    fields.extend(own.into_iter().map(|(_, n)| ("min-subgroups".to_owned(), n)));
    if !of.is_empty() {
        put(&mut fields, "min-subgroups-of", map(&of));
    }
    let on: Vec<&Pod> = sets.in_file_order().filter(|p| holds(p)).collect();
    if !on.is_empty() {
        put(&mut fields, "on", list(on.iter().map(|p| quoted(&p.node))));
        let numbers: Vec<String> = on.iter().filter_map(|p| devices.get(&*p.name)).cloned().collect();
        if !numbers.is_empty() {
            put(&mut fields, "on-devices", list(numbers.iter().map(|n| format!("{n:?}"))));
        }
        match job.last_start_s {
            Some(started) => put(&mut fields, "started", seconds(started)),
            None if time_matters => return Err("a job that runs and was never started"),
            None => (),
        }
    } else if job.last_start_s.is_some() && time_matters {
        return Err("a job that waits and was started before");
    }
    if let Some(affinity) = common_affinity(job) {
        put(&mut fields, "affinity", list(std::iter::once(format!("{affinity:?}"))));
    }
    Ok(fields)
}

/// End of termination: before the second round, or after the last one.
fn terminating(case: &Case, job: &Job) -> Result<Option<(String, String)>, &'static str> {
    let mut ends: Vec<String> = Vec::new();
    for pod in running_in_order(job) {
        let open = || case.outcomes.iter().filter_map(|o| o.rounds.get(1)?.open.as_ref());
        let later: BTreeSet<&str> = open().filter_map(|open| Some(open.pods.get(&pod.name)?.0.as_str())).collect();
        ends.push(match later.into_iter().collect::<Vec<_>>()[..] {
            _ if pod.status != "Releasing" => String::new(),
            ["Pending"] => settings::second_cycle(case),
            [] | ["Releasing"] => "365d".to_owned(),
            _ => return Err("a pod that is gone in some outcomes"),
        });
    }
    let is_said = ends.iter().any(|end| !end.is_empty());
    Ok(is_said.then(|| ("terminating".to_owned(), list(ends.iter().map(|end| format!("{end:?}"))))))
}

/// Rejects cases in which the scheduler gives a fraction of a GPU held by a terminating pod to another pod while a
/// third one is pending for it. In the simulator, pods never share resources.
fn is_bound_to_what_is_free(case: &Case) -> Result<(), &'static str> {
    let pods = || case.jobs.iter().flat_map(|j| &j.pods);
    let whole = |pod: &Pod| match pod.request.gpu {
        GpuRequest::Whole { devices } => devices as f64,
        _ => 0.0,
    };
    for round in case.outcomes.iter().filter_map(|o| o.rounds.first()) {
        let bound = || round.steps.iter().flat_map(|s| s.commits.iter().flatten()).filter(|e| e.kind == "bind");
        for node in &case.nodes {
            let mut used = 0.0;
            let mut groups: BTreeSet<&str> = BTreeSet::new();
            for pod in pods().filter(|pod| holds(pod) && pod.node == node.name) {
                used += whole(pod);
                groups.extend(pod.gpu_groups.iter().map(|g| &**g));
            }
            let mut opens = false;
            for event in bound().filter(|e| *e.node == *node.name) {
                opens |= !event.gpu_groups.is_empty();
                used += pods().find(|pod| *pod.name == *event.pod).map_or(0.0, whole);
                groups.extend(event.gpu_groups.iter().map(|g| &**g));
            }
            if opens && used + groups.len() as f64 > node.gpus {
                return Err("a pod that is bound to a GPU which another still has");
            }
        }
    }
    Ok(())
}

/// Required node affinity of a pod.
fn affinity(pod: &Pod) -> Option<String> {
    let values = |values: &[Arc<str>]| values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(", ");
    pod.node_affinity_in.as_ref().map(|a| format!("{} in ({})", a.key, values(&a.values)))
}

/// Required node affinity of all pods of a job; `None` also if it differs.
fn common_affinity(job: &Job) -> Option<String> {
    let all: BTreeSet<Option<String>> = job.pods.iter().map(affinity).collect();
    all.into_iter().next().flatten().filter(|_| !has_affinities(job))
}

/// Whether the affinity of the pods of a job differs.
fn has_affinities(job: &Job) -> bool {
    job.pods.windows(2).any(|pair| affinity(&pair[0]) != affinity(&pair[1]))
}

/// Running pods of a job, in the order in which its file assigns nodes.
pub fn running_in_order(job: &Job) -> Vec<&Pod> {
    let sets = Sets::of(job).map(|sets| sets.in_file_order().collect()).unwrap_or_default();
    Vec::into_iter(sets).filter(|p| holds(p)).collect()
}

/// Pods of a job in sets of equal pods.
struct Sets<'a> {
    /// In file order: running pods first.
    sets: Vec<Set<'a>>,
    /// Common minimum, if the sets have none of their own.
    common: Option<i64>,
    /// Whether the pods are written in the job itself, without pod sets.
    is_flat: bool,
}

struct Set<'a> {
    name: String,
    /// Minimum and subgroups.
    of: Option<&'a crate::cycle::format::PodSet>,
    pods: Vec<&'a Pod>,
}

impl<'a> Sets<'a> {
    fn of(job: &'a Job) -> Result<Sets<'a>, &'static str> {
        for pod in &job.pods {
            match pod.status.as_str() {
                "Running" | "Pending" | "Gated" | "Releasing" => (),
                "Failed" => return Err("a pod that failed before the start"),
                "Succeeded" => return Err("a pod that ended before the start"),
                _ => return Err("a pod that is claimed or bound at the start"),
            }
            if pod.created_s.is_some() {
                return Err("pods of one job with different ages");
            }
            if !pod.request.scalars.is_empty() {
                return Err("a named resource that no node has");
            }
        }
        let mut pods: Vec<&Pod> = job.pods.iter().collect();
        pods.sort_by(|l, r| l.name.cmp(&r.name));
        match &job.pod_sets[..] {
            [only] if only.path.is_empty() && job.min_sub_group.is_empty() => Sets::flat(pods, only),
            _ => Sets::several(job, &pods),
        }
    }

    /// One minimum for all pods.
    fn flat(pods: Vec<&'a Pod>, only: &'a crate::cycle::format::PodSet) -> Result<Sets<'a>, &'static str> {
        let n = i64::try_from(pods.len()).unwrap_or(i64::MAX);
        if only.min_available < 0 || only.min_available > n {
            return Err("a minimum below zero, or of more pods than there are");
        }
        let alike = pods.windows(2).all(|pair| shape(pair[0]) == shape(pair[1]));
        let running_first = pods.windows(2).all(|pair| holds(pair[0]) || !holds(pair[1]));
        let common = Some(only.min_available);
        if alike && running_first && pods.len() < 10 {
            let set = Set { name: String::new(), of: Some(only), pods };
            return Ok(Sets { sets: vec![set], common, is_flat: true });
        }
        let mut sets: Vec<Set<'_>> = Vec::new();
        for pod in pods {
            let goes_on = |set: &&mut Set<'_>| {
                let first = set.pods[0];
                shape(first) == shape(pod) && holds(first) == holds(pod) && set.pods.len() < 9
            };
            match sets.last_mut().filter(goes_on) {
                Some(set) => set.pods.push(pod),
                None => {
                    let name = format!("kind{:02}", sets.len() + 1);
                    sets.push(Set { name, of: None, pods: vec![pod] });
                }
            }
        }
        // Sets are in order of name, but running pods have to come first in the file.
        sets.sort_by_key(|set| !holds(set.pods[0]));
        Ok(Sets { sets, common, is_flat: false })
    }

    fn several(job: &'a Job, pods: &[&'a Pod]) -> Result<Sets<'a>, &'static str> {
        let mut sets = Vec::new();
        for of in &job.pod_sets {
            let own: Vec<&Pod> = pods.iter().copied().filter(|p| p.pod_set == of.name).collect();
            let n = i64::try_from(own.len()).unwrap_or(i64::MAX);
            if n == 0 || of.min_available < 0 || of.min_available > n {
                return Err("a pod set without pods, or a minimum of more than there are");
            }
            if own.windows(2).any(|pair| shape(pair[0]) != shape(pair[1])) {
                return Err("unequal pods in one of several pod sets");
            }
            if own.len() > 9 {
                return Err("more than nine pods in one of several pod sets");
            }
            sets.push(Set { name: of.name.to_string(), of: Some(of), pods: own });
        }
        sets.sort_by_key(|set| set.pods.iter().any(|p| !holds(p)));
        let in_order: Vec<&Pod> = sets.iter().flat_map(|set| set.pods.iter().copied()).collect();
        if in_order.windows(2).any(|pair| !holds(pair[0]) && holds(pair[1])) {
            return Err("several pod sets of which not the first pods run");
        }
        let by_set = |p: &&Pod| (p.pod_set.clone(), p.name.clone());
        let mut by_name = in_order.clone();
        by_name.sort_by_key(by_set);
        if by_name.windows(2).any(|pair| pair[0].name > pair[1].name) {
            return Err("pods whose names are in another order than those of their pod sets");
        }
        Ok(Sets { sets, common: None, is_flat: false })
    }

    fn in_file_order(&self) -> impl Iterator<Item = &'a Pod> + '_ {
        self.sets.iter().flat_map(|set| set.pods.iter().copied())
    }

    fn fields(&self, job: &Job, names: &mut BTreeMap<String, String>) -> Result<Fields, &'static str> {
        let mut fields = Fields::new();
        let n = i64::try_from(job.pods.len()).unwrap_or(i64::MAX);
        if let Some(common) = self.common.filter(|common| *common != n) {
            put(&mut fields, "min-available", common.to_string());
        }
        if self.is_flat {
            let pods = &self.sets[0].pods;
            put_unless(&mut fields, "pods", pods.len().to_string(), "1");
            fields.extend(pod_fields(pods[0])?);
        } else {
            let has_affinities = has_affinities(job);
            let text = |set: &Set<'_>| set.text(has_affinities);
            let sets: Result<Vec<String>, &'static str> = self.sets.iter().map(text).collect();
            put(&mut fields, "pod-sets", list(sets?.into_iter()));
            if self.common == Some(n) {
                // Explicit, because otherwise every set would have its own minimum.
                put(&mut fields, "min-available", n.to_string());
            }
        }
        for set in &self.sets {
            for (k, pod) in (1..).zip(&set.pods) {
                let name = match (job.pods.len(), self.is_flat) {
                    (1, _) => job.name.to_string(),
                    (_, true) => format!("{}/{k}", job.name),
                    (_, false) => format!("{}/{}/{k}", job.name, set.name),
                };
                names.insert(name, pod.name.to_string());
            }
        }
        Ok(fields)
    }
}

impl Set<'_> {
    fn text(&self, has_affinity: bool) -> Result<String, &'static str> {
        let mut fields = Fields::new();
        put(&mut fields, "name", quoted(&self.name));
        let n = self.pods.len();
        put_unless(&mut fields, "pods", n.to_string(), "1");
        if let Some(of) = self.of {
            put_unless(&mut fields, "min-available", of.min_available.to_string(), &n.to_string());
            let path: Vec<&str> = of.path.iter().map(|p| &**p).collect();
            if !path.is_empty() {
                put(&mut fields, "group", quoted(&path.join("/")));
            }
        }
        fields.extend(pod_fields(self.pods[0])?);
        if let Some(affinity) = affinity(self.pods[0]).filter(|_| has_affinity) {
            put(&mut fields, "affinity", list(std::iter::once(format!("{affinity:?}"))));
        }
        Ok(map(&fields))
    }
}

/// Fields common to a set of pods.
fn shape(pod: &Pod) -> String {
    let Request { cpu_milli, memory_bytes, gpu, .. } = &pod.request;
    let (priority, gated) = (&pod.task_priority, pod.status == "Gated");
    format!("{cpu_milli} {memory_bytes} {gpu:?} {priority:?} {gated} {:?}", affinity(pod))
}

fn pod_fields(pod: &Pod) -> Result<Fields, &'static str> {
    let mut fields = Fields::new();
    let one = |fields: &mut Fields, n: i64| put_unless(fields, "gpu-devices", n.to_string(), "1");
    match pod.request.gpu {
        GpuRequest::None { .. } => (),
        GpuRequest::Whole { devices } => put_unless(&mut fields, "gpu", devices.to_string(), "0"),
        GpuRequest::Fraction { portion, devices } => {
            if portion >= 1.0 {
                return Err("a part of a device that is all of it");
            }
            put(&mut fields, "gpu", number(portion));
            one(&mut fields, devices);
        }
        GpuRequest::Memory { mib, devices } => {
            put(&mut fields, "gpu-memory", mib.to_string());
            one(&mut fields, devices);
        }
    }
    put_unless(&mut fields, "cpu", number(pod.request.cpu_milli / 1000.0), "0");
    put_unless(&mut fields, "memory", memory(pod.request.memory_bytes), "0B");
    if let Some(priority) = &pod.task_priority {
        let label = ("kai.scheduler/task-priority".to_owned(), format!("{priority:?}"));
        put(&mut fields, "labels", map(&vec![label]));
    }
    if pod.status == "Gated" {
        put(&mut fields, "gated", "true");
    }
    Ok(fields)
}
