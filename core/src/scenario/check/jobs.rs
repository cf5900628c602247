//! Resolves jobs: single ones and patterns of equal ones.

use std::sync::Arc;

use super::super::{NODE_GPUS_MAX, PODS_MAX, codes};
use super::named::Named;
use super::names::{self, Index};
use super::nodes::Nodes;
use super::queues::Queues;
use super::scheduling::Pools;
use super::{Location, Path, gangs, patterns, priority, rules};
use crate::cluster::{Gang, GpuRequest, Node, NodeSelector, PodRules, Preemptible, Request, Restart};
use crate::format::pattern::{Arrivals, Lasts};
use crate::format::quantity::{self, Wrong};
use crate::format::{Edit, Findings, Fix, JobEntry, PodSetEntry, Scalar, Scenario, quoted, set};
use crate::id::{JobId, PartitionId, QueueId};
use crate::policy::description::Description;
use crate::policy::draft::DraftJob;
use crate::time::{Span, Time};
use crate::units::{Amount, Resource};

/// Largest number of GPUs in a pod's request, far above any node.
const POD_GPUS_MAX: i64 = 100_000;

/// A resolved entry of the job list: one job, or the equal jobs of a pattern.
pub struct Template {
    /// Its queue; arbitrary if it does not exist.
    pub queue: QueueId,
    /// Number of jobs; `None`: one, under its own name.
    pub count: Option<u32>,
    /// Times of arrival.
    pub arrivals: Arrivals,
    /// Run time of each pod.
    pub lasts: Option<Lasts>,
    /// What happens to pods that are evicted or lose their node.
    pub restart: Restart,
    pub priority: i32,
    /// Whether its pods may be evicted for others.
    pub preemptible: Preemptible,
    /// The submitting user.
    pub user: Option<Arc<str>>,
    /// Kinds of pods.
    pub sets: Vec<Set>,
    /// Number of pods of all kinds that have to start together; `None`: each kind has its own minimum.
    pub in_common: Option<u32>,
    /// Required labels.
    pub selector: NodeSelector,
    /// Start of pods that run from the beginning.
    pub started: Time,
    /// Time of creation; `None`: the submission.
    pub created: Option<Time>,
    /// The pools to which it is offered, in order; at least one.
    pub pools: Vec<PartitionId>,
    /// Reservation for its gang.
    pub gang: Option<Gang>,
    /// Whether each pool tries it only once.
    pub is_tried_once: bool,
    /// How long after its creation or an eviction it may not evict others.
    pub preemption_delay: Option<Span>,
    /// How long it may stay below its minimum, if it has a value of its own.
    pub staleness_grace: Option<Option<Span>>,
    /// Number of members that its groups need, by name; its own is empty.
    pub min_sub_groups: Vec<(Arc<str>, u32)>,
    /// The job for which its pods are being evicted at the start.
    pub evicted_for: Option<JobId>,
}

/// Pods of one kind.
pub struct Set {
    /// Name; `default` if the file names none.
    pub name: Arc<str>,
    /// Number of pods.
    pub pods: u32,
    /// Number of pods that have to start together.
    pub min_available: u32,
    /// Request of each pod.
    pub request: Arc<Request>,
    /// Names of the nested groups, from the root.
    pub path: Vec<Arc<str>>,
    /// Further placement rules and attributes.
    pub rules: Option<Arc<PodRules>>,
    /// Delay between the submission and the joining of these pods; `None`: they are submitted with the job.
    pub after: Option<Span>,
}

impl Template {
    /// Number of jobs.
    pub fn n_jobs(&self) -> u32 {
        self.count.unwrap_or(1)
    }
    /// Number of pods per job.
    pub fn n_pods(&self) -> u32 {
        self.sets.iter().map(|set| set.pods).sum()
    }
    /// Number of pods per job that are submitted with it.
    pub fn n_at_submission(&self) -> u32 {
        self.sets.iter().filter(|set| set.after.is_none()).map(|set| set.pods).sum()
    }
    /// The view for a policy's own checks.
    pub fn draft(&self) -> DraftJob<'_> {
        DraftJob {
            user: self.user.as_deref(),
            preemptible: self.preemptible,
            is_gang: self.is_gang(),
            requests: self.sets.iter().map(|set| &*set.request).collect(),
        }
    }
    /// Whether several of its pods have to start together.
    pub fn is_gang(&self) -> bool {
        let min = self.in_common.unwrap_or_else(|| self.sets.iter().map(|set| set.min_available).sum());
        min > 1
    }
}

/// Resolved jobs.
pub struct Jobs {
    /// One per entry of the file.
    pub templates: Vec<Template>,
    /// For each entry, whether it repeats an earlier name.
    pub repeats: Vec<bool>,
    /// The names of all jobs, patterns expanded; empty if there are too many.
    pub names: Vec<Arc<str>>,
    /// Jobs by name.
    pub index: Index,
    /// Whether the list of names is complete.
    pub complete: bool,
}

impl Jobs {
    /// The location of an entry.
    pub fn location<'a>(&self, scenario: &'a Scenario, entry: usize) -> Location<'a> {
        names::location("jobs", entry, scenario.jobs.get(entry).map_or("", |j| j.name.as_str()), &self.repeats)
    }

    /// Converts GPU memory to a part of the smallest GPU, at most a whole device, because the node is not known yet. No
    /// sum or limit thus underestimates it.
    pub fn count_gpu_memory(&mut self, nodes: &Nodes) {
        let has_gpus = |node: &&Node| node.capacity.get(Resource::GPU) > Amount::ZERO && node.gpu_memory_mib > 0;
        let kinds = nodes.kinds.iter().map(|(node, _)| node);
        let Some(smallest) = kinds.filter(has_gpus).map(|node| node.gpu_memory_mib).min() else { return };
        for set in self.templates.iter_mut().flat_map(|template| &mut template.sets) {
            if let GpuRequest::Memory { mib, devices } = set.request.gpu {
                let part = (mib.min(smallest) * 1000 + smallest - 1) / smallest;
                let request = Arc::make_mut(&mut set.request);
                request.resources.set(Resource::GPU, Amount::milli_gpus(part * i64::from(devices)));
            }
        }
    }
}

/// What the entries of jobs refer to.
struct Context<'a> {
    pools: &'a Pools,
    queues: &'a Queues,
    policy: &'a Description,
    named: &'a Named,
    unset: priority::Unset<'a>,
    default_set: Arc<str>,
}

/// Resolves all jobs.
pub fn jobs(
    scenario: &Scenario,
    (pools, queues, named): (&Pools, &Queues, &Named),
    policy: &Description,
    f: &mut Findings,
) -> Jobs {
    let repeats = names::repeats(scenario.jobs.iter().map(|j| j.name.as_str()));
    let unset = priority::Unset::of(scenario);
    let context = Context { pools, queues, policy, named, unset, default_set: "default".into() };
    let mut templates = Vec::with_capacity(scenario.jobs.len());
    let (mut n_jobs, mut n_pods) = (0u64, 0u64);
    for (i, entry) in scenario.jobs.iter().enumerate() {
        let location = names::location("jobs", i, &entry.name, &repeats);
        let (mut template, pods) = template(entry, location, &context, f);
        template.pools = pools_of(entry, location, &context, template.queue, f);
        template.gang = gangs::gang(entry, location, policy, f);
        let count = template.count.map_or(1, u64::from);
        n_jobs = n_jobs.saturating_add(count);
        n_pods = n_pods.saturating_add(count.saturating_mul(pods));
        templates.push(template);
    }
    let complete = n_pods.max(n_jobs) <= PODS_MAX;
    if !complete {
        let path = Path::default().field("jobs");
        let message = format!("there are {} [pods]; up to {PODS_MAX} are simulated", n_pods.max(n_jobs));
        f.add(codes::TOO_MANY, path, message, None);
    }
    let mut expanded = Vec::new();
    let mut entries = Vec::new();
    for (i, (entry, template)) in scenario.jobs.iter().zip(&templates).enumerate().filter(|_| complete) {
        match template.count {
            None => expanded.push(entry.name.as_str().into()),
            Some(count) => expanded.extend((1..=count).map(|n| Arc::from(format!("{}-{n}", entry.name)))),
        }
        patterns::end(entry, template.arrivals, names::location("jobs", i, &entry.name, &repeats), f);
        entries.resize(expanded.len(), i);
    }
    let (index, twice) = Index::new(expanded.iter());
    let mut reported = None;
    for n in twice {
        let i = entries[n as usize];
        if reported != Some(i) && !scenario.jobs[i].name.is_empty() {
            let location = names::location("jobs", i, &scenario.jobs[i].name, &repeats);
            names::duplicate(&expanded[n as usize], "[job]", location, &index, f);
        }
        reported = Some(i);
    }
    Jobs { templates, repeats, names: expanded, index, complete }
}

/// Resolves one entry; also returns the number of pods per job, before any limit applies.
fn template(entry: &JobEntry, location: Location<'_>, context: &Context<'_>, f: &mut Findings) -> (Template, u64) {
    let Context { queues, policy, unset, .. } = context;
    let (count, arrivals) = patterns::arrivals(entry, location, f);
    names::check_name(&entry.name, count.map_or(0, |n| 1 + n.to_string().len()), "[job]", location, f);
    let lasts = patterns::lasts(entry, location, f);
    patterns::seed_is_used(entry, (arrivals, lasts), location, f);
    let submit = arrivals.submit;
    let priority = unset.priority(&entry.priority, location, f);
    let (mut sets, pods) = sets(entry, location, context, f);
    for (set, after) in sets.iter_mut().zip(patterns::joining_delays(entry, location, policy, f)) {
        set.after = after;
    }
    let in_common = gangs::in_common(entry, (pods, policy), location, f);
    let is_elastic = match in_common {
        Some(min) => u64::from(min) < pods,
        None => sets.iter().any(|set| set.min_available < set.pods),
    };
    let on_all = u64::try_from(entry.on.len()).unwrap_or(u64::MAX);
    let joining: u64 = sets.iter().filter(|set| set.after.is_some()).map(|set| u64::from(set.pods)).sum();
    let all_pods = pods.saturating_sub(joining).saturating_mul(count.map_or(1, u64::from));
    if on_all > all_pods {
        let message = format!("on names {on_all} [nodes] for {all_pods} [pods]; remove some");
        let n_kept = usize::try_from(all_pods).unwrap_or(usize::MAX).min(entry.on.len());
        let kept_nodes = &entry.on[..n_kept];
        let is_list = kept_nodes.iter().all(|name| !name.trim().is_empty() && !name.contains(','));
        let fix = set(location.field("on"), kept_nodes.join(", "), format!("Keep the first {n_kept}"));
        let fix = fix.filter(|_| is_list);
        f.add(codes::TOO_MANY_ON, location.field("on"), message, fix);
    }
    let started = f.time(&entry.started, submit, &|| location.field("started"), &quantity::millis);
    if !entry.on.is_empty() {
        at_start(submit, started, lasts.map(|lasts| lasts.from), location, f);
        patterns::at_start(arrivals, location, f);
    }
    let template = Template {
        queue: queue(entry, location, queues, f),
        count,
        arrivals,
        lasts,
        restart: restart(entry, location, f),
        priority,
        preemptible: priority::preemptible(entry, (unset.is_preemptible(priority), is_elastic), location, policy, f),
        user: entry.user.as_deref().map(Arc::from),
        sets,
        in_common,
        selector: entry.selector.iter().map(|(k, v)| (k.as_str().into(), vec![v.as_str().into()])).collect(),
        started: Time::from_millis(started),
        created: created(entry, submit, location, f),
        pools: Vec::new(),
        gang: None,
        is_tried_once: is_tried_once(entry, location, f),
        preemption_delay: span(&entry.preemption_delay, &|| location.field("preemption-delay"), f),
        staleness_grace: staleness_grace(entry, location, f),
        min_sub_groups: gangs::sub_groups(entry, location, policy, f),
        evicted_for: None,
    };
    (template, pods)
}

/// A duration, if one is given.
fn span(typed: &Option<Scalar>, path: &dyn Fn() -> Path, f: &mut Findings) -> Option<Span> {
    typed.as_ref()?;
    Some(f.value(typed, Span::ZERO, "a duration such as 60s or 5m", path, &quantity::span))
}

/// The job's own grace period below its minimum; `Some(None)`: unlimited.
fn staleness_grace(entry: &JobEntry, location: Location<'_>, f: &mut Findings) -> Option<Option<Span>> {
    let typed = entry.staleness_grace.as_ref()?;
    if quantity::is_no_ceiling(typed.0.trim()) {
        return Some(None);
    }
    Some(span(&entry.staleness_grace, &|| location.field("staleness-grace"), f))
}

/// The time of creation, if the entry sets one.
fn created(entry: &JobEntry, submit: i64, location: Location<'_>, f: &mut Findings) -> Option<Time> {
    entry.created.as_ref()?;
    let path = || location.field("created");
    let created = f.time(&entry.created, submit, &path, &quantity::millis);
    if created > submit {
        let message = "created lies after submit; [a job] is created before it becomes known";
        f.suggest(codes::CONFLICT, path(), message, "", "Remove created");
    }
    Some(Time::from_millis(created))
}

/// What happens to pods that are evicted or lose their node.
fn restart(entry: &JobEntry, location: Location<'_>, f: &mut Findings) -> Restart {
    match entry.restart.as_ref().map(|typed| typed.0.trim()) {
        None | Some("again") => Restart::Again,
        Some("resume") => Restart::Resume,
        Some("never") => Restart::Never,
        Some(other) => {
            let message = format!(
                "restart {} is none of again (all of its work), resume (the rest) and never (it is not replaced)",
                quoted(other)
            );
            f.suggest(codes::RESTART, location.field("restart"), message, "resume", "Let it resume");
            Restart::Again
        }
    }
}

/// Whether the scheduling back-off is set. The real scheduler only tests whether it is -1.
fn is_tried_once(entry: &JobEntry, location: Location<'_>, f: &mut Findings) -> bool {
    let path = || location.field("scheduling-backoff");
    let expected = "1 (tried once) or -1 (tried in every cycle)";
    let backoff = f.value(&entry.scheduling_backoff, -1, expected, &path, &quantity::integer);
    if !matches!(backoff, -1 | 1) {
        let message = format!("scheduling-backoff {backoff} counts as 1: only 1 and -1 are documented");
        f.suggest(codes::BACKOFF, path(), message, "1", "Set it to 1");
    }
    backoff != -1
}

/// The pools of a job: its own, else those of its queue or of the nearest ancestor that has some, else the first pool.
fn pools_of(
    entry: &JobEntry,
    location: Location<'_>,
    Context { pools, queues, policy, .. }: &Context<'_>,
    queue: QueueId,
    f: &mut Findings,
) -> Vec<PartitionId> {
    let listed = pools.list(&entry.pools, &|| location.field("pools"), f);
    let mut list = listed.or_else(|| queues.default_pools.get(queue).cloned()).unwrap_or_default();
    if list.is_empty() {
        list.push(PartitionId(0));
    }
    if list.len() > 1 && !policy.supports.pool_lists {
        if let [first, _, ..] = entry.pools.as_slice() {
            let message = format!("{} offers [a job] to one pool only, here {}", policy.name, quoted(first));
            let path = location.field("pools");
            f.suggest(codes::NOT_EXPRESSED, path, message, first, format!("Name only {}", quoted(first)));
        }
        list.truncate(1);
    }
    list
}

/// Checks that pods with `on` are still running at their submission.
fn at_start(submit: i64, started: i64, lasts: Option<Span>, location: Location<'_>, f: &mut Findings) {
    let submitted = submit.max(0);
    let is_over = lasts.is_some_and(|lasts| started + lasts.as_millis() <= submitted);
    let (field, message, value) = match (started > submitted, is_over, submit > 0) {
        (true, _, false) => ("started", "[a job] with `on` runs from the start, so it cannot start later", ""),
        (true, _, true) => ("started", "[a job] with `on` runs when it becomes known, so it cannot start later", ""),
        (_, true, false) => {
            ("on", "this [job] is over before the scenario begins; let it last longer or start later", "")
        }
        (_, true, true) => ("on", "this [job] is over before it becomes known; let it last longer or start later", ""),
        _ => return,
    };
    let path = location.field(field);
    let fix = match field {
        "on" => set(path.clone(), "", "Let it wait instead"),
        _ if submit > 0 => set(path.clone(), value, "Let it start then"),
        _ => set(path.clone(), value, "Let it run from the start"),
    };
    f.add(codes::NOT_AT_START, path, message, fix);
}

fn queue(entry: &JobEntry, location: Location<'_>, queues: &Queues, f: &mut Findings) -> QueueId {
    let path = || location.field("queue");
    let Some(id) = queues.index.find(&entry.queue).filter(|_| !entry.queue.is_empty()) else {
        if f.only_counts(codes::NO_QUEUE) {
            return QueueId(0);
        }
        let hint = names::hint(&queues.index, &entry.queue);
        let message = if entry.queue.is_empty() {
            "this [job] names no [queue]; [jobs] belong to a [queue] without children".to_string()
        } else {
            format!("[queue] {} does not exist; {hint}", quoted(&entry.queue))
        };
        let add = || {
            let edit = if entry.queue.is_empty() {
                Edit::Remove { at: location.path() }
            } else {
                Edit::AddQueue { name: entry.queue.clone(), parent: None }
            };
            let label = if entry.queue.is_empty() {
                "Remove the [job]".to_string()
            } else {
                format!("Add the [queue] {}", quoted(&entry.queue))
            };
            Some(Fix { label, edits: vec![edit] })
        };
        let fix = names::use_nearest(&queues.index, &entry.queue, path());
        let usable = |name| queues.index.find(name).is_some_and(|q| queues.all[QueueId(q)].children.is_empty());
        let fix = fix.filter(|_| queues.index.nearest(&entry.queue).is_some_and(usable)).or_else(add);
        f.add(codes::NO_QUEUE, path(), message, fix);
        return QueueId(0);
    };
    let queue = &queues.all[QueueId(id)];
    if let Some(&child) = queue.children.first() {
        let leaf = std::iter::successors(Some(child), |&q| queues.all[q].children.first().copied()).last();
        let leaf = queues.all[leaf.unwrap_or(child)].name.to_string();
        let message = format!(
            "[queue] {} has children, so it takes no [jobs]; name a [queue] below it such as {}",
            quoted(&entry.queue),
            quoted(&leaf)
        );
        let label = format!("Put it into {}", quoted(&leaf));
        f.suggest(codes::NOT_A_LEAF, path(), message, leaf, label);
    }
    QueueId(id)
}

/// The kinds of pods of an entry, and their total number of pods.
fn sets(entry: &JobEntry, location: Location<'_>, context: &Context<'_>, f: &mut Findings) -> (Vec<Set>, u64) {
    let shared = rules::shared(entry, location, f);
    if entry.pod_sets.is_empty() {
        let set_entry = PodSetEntry {
            name: String::new(),
            pods: entry.pods.clone(),
            min_available: entry.min_available.clone(),
            gpu: entry.gpu.clone(),
            gpu_memory: entry.gpu_memory.clone(),
            cpu: entry.cpu.clone(),
            memory: entry.memory.clone(),
            gpu_devices: entry.gpu_devices.clone(),
            resources: entry.resources.clone(),
            ..PodSetEntry::default()
        };
        let (mut set, pods) = pod_set(&set_entry, context.default_set.clone(), location, context, f);
        set.rules = rules::pod_rules(entry, &set_entry, (location, location), &shared, f);
        return (vec![set], pods);
    }
    let fields = [
        ("pods", &entry.pods),
        ("gpu", &entry.gpu),
        ("gpu-memory", &entry.gpu_memory),
        ("cpu", &entry.cpu),
        ("memory", &entry.memory),
        ("gpu-devices", &entry.gpu_devices),
    ];
    let fields = fields.into_iter().filter(|(_, value)| value.is_some()).map(|(field, _)| field);
    for field in fields.chain((!entry.resources.is_empty()).then_some("resources")) {
        let message = format!("{field} stands beside pod-sets; give it in each [pod] set instead");
        f.suggest(codes::CONFLICT, location.field(field), message, "", format!("Remove {field}"));
    }
    let repeats = names::repeats(entry.pod_sets.iter().map(|set| set.name.as_str()));
    let mut sets = Vec::new();
    let mut n_pods = 0u64;
    for (i, set_entry) in entry.pod_sets.iter().enumerate() {
        let inner = location.inside("pod-sets", i, (!repeats[i]).then_some(set_entry.name.as_str()));
        names::check_name(&set_entry.name, 0, "[pod] set", inner, f);
        if repeats[i] && !set_entry.name.is_empty() {
            let (index, _) =
                Index::new(entry.pod_sets.iter().map(|s| s.name.as_str().into()).collect::<Vec<_>>().iter());
            names::duplicate(&set_entry.name, "[pod] set", inner, &index, f);
        }
        let (mut set, pods) = pod_set(set_entry, set_entry.name.as_str().into(), inner, context, f);
        set.rules = rules::pod_rules(entry, set_entry, (location, inner), &shared, f);
        sets.push(set);
        n_pods = n_pods.saturating_add(pods);
    }
    (sets, n_pods)
}

fn pod_set(
    entry: &PodSetEntry,
    name: Arc<str>,
    location: Location<'_>,
    Context { named, policy, .. }: &Context<'_>,
    f: &mut Findings,
) -> (Set, u64) {
    let at_least_one = |text: &str| match quantity::count(text) {
        Ok(0) => Err(Wrong::Form),
        answer => answer,
    };
    let pods =
        f.value(&entry.pods, 1, "a whole number of [pods], at least 1", &|| location.field("pods"), &at_least_one);
    let min = gangs::minimum(&entry.min_available, (pods, policy), location, f);
    let clamp = |n: u64| u32::try_from(n.min(PODS_MAX + 1)).unwrap_or(u32::MAX);
    let path = entry.group.split('/').map(str::trim).filter(|name| !name.is_empty()).map(Arc::from).collect();
    let (pods_kept, min_available) = (clamp(pods), clamp(min));
    let mut request = request(entry, location, f);
    named.put(&entry.resources, location, &mut request.resources, f);
    (Set { name, pods: pods_kept, min_available, request: Arc::new(request), path, rules: None, after: None }, pods)
}

fn request(entry: &PodSetEntry, location: Location<'_>, f: &mut Findings) -> Request {
    let mut request = Request::default();
    if entry.cpu.is_some() {
        request.resources.set(Resource::CPU, f.amount(&entry.cpu, Resource::CPU, location, Amount::ZERO));
    }
    if entry.memory.is_some() {
        request.resources.set(Resource::MEMORY, f.amount(&entry.memory, Resource::MEMORY, location, Amount::ZERO));
    }
    if entry.gpu.is_some() {
        let amount = f.amount(&entry.gpu, Resource::GPU, location, Amount::ZERO);
        request.gpu = gpu_request(amount, location, f);
        request.resources.set(Resource::GPU, amount);
    }
    let devices = devices(entry, location, f);
    if let Some(typed) = &entry.gpu_memory {
        let path = || location.field("gpu-memory");
        let expected = "a memory size such as 8000 (MiB) or 16 GB";
        let mib = f.value(&entry.gpu_memory, 1, expected, &path, &quantity::mebibytes);
        if entry.gpu.is_some() {
            let message = "gpu and gpu-memory are two ways of asking for a GPU; give only one";
            f.suggest(codes::CONFLICT, path(), message, "", "Remove gpu-memory");
        } else if mib == 0 {
            let message = format!("gpu-memory {} asks for nothing; leave it out", quoted(&typed.0));
            f.suggest(codes::NUMBER, path(), message, "", "Remove gpu-memory");
        } else {
            request.gpu = GpuRequest::Memory { mib, devices: 1 };
            f.gpu_memory(&entry.gpu_memory, mib, &path);
        }
    }
    if devices != 1 {
        match &mut request.gpu {
            GpuRequest::Fraction { portion, devices: n } => {
                *n = devices;
                let all = Amount::milli_gpus(portion.in_base_units() * i64::from(devices));
                request.resources.set(Resource::GPU, all);
            }
            GpuRequest::Memory { devices: n, .. } => *n = devices,
            _ => {
                let message = "gpu-devices needs a part of a GPU: gpu below 1, or gpu-memory";
                f.suggest(codes::CONFLICT, location.field("gpu-devices"), message, "", "Remove gpu-devices");
            }
        }
    }
    request
}

/// Number of devices for a request of parts.
fn devices(entry: &PodSetEntry, location: Location<'_>, f: &mut Findings) -> u32 {
    let parse = |text: &str| match quantity::count(text)? {
        0 => Err(Wrong::Form),
        n if n > NODE_GPUS_MAX as u64 => Err(Wrong::Large),
        n => Ok(n as u32),
    };
    let expected = format!("a whole number of devices, from 1 to {NODE_GPUS_MAX}");
    f.value(&entry.gpu_devices, 1, &expected, &|| location.field("gpu-devices"), &parse)
}

fn gpu_request(amount: Amount, location: Location<'_>, f: &mut Findings) -> GpuRequest {
    let milli = amount.in_base_units();
    let (whole, part) = (milli / 1000, milli % 1000);
    match (whole, part) {
        (0, 0) => GpuRequest::None,
        (0, _) => GpuRequest::Fraction { portion: amount, devices: 1 },
        (_, 0) if whole <= POD_GPUS_MAX => GpuRequest::Whole { devices: u32::try_from(whole).unwrap_or(u32::MAX) },
        (_, 0) => {
            let message = format!("gpu asks for more than {POD_GPUS_MAX} GPUs in one [pod]; check the number");
            f.add(codes::LARGE, location.field("gpu"), message, None);
            GpuRequest::None
        }
        _ => {
            let typed = quantity::print_amount(amount, Resource::GPU);
            let message = format!("gpu {typed} is neither whole nor part of one GPU; round it");
            let fix = set(location.field("gpu"), (whole + 1).to_string(), format!("Request {} GPUs", whole + 1));
            f.add(codes::FRACTION, location.field("gpu"), message, fix);
            GpuRequest::Whole { devices: 1 }
        }
    }
}
