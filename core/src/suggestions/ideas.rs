//! Small changes that may help a pending job, derived from what blocks it and from what its policy reads.

use super::{Idea, Suggestion};
use crate::moment::{Frame, QueueRow};
use crate::policy::field::Field;
use crate::policy::{JobDefaults, Policy};
use crate::scenario::{Edit, JobEntry, NodeEntry, Path, QueueEntry, Scalar, Scenario, next_node, quantity};
use crate::trace::{Gate, Refusal};
use crate::units::{Amount, Resource};
use crate::words::Terms;
use crate::words::number::resource_key;

/// Largest number of node groups to which a node is added.
const GROUPS_MAX: usize = 4;
/// Largest number of GPUs per node.
const NODE_GPUS_MAX: f64 = 64.0;

/// The job and its context.
struct Case<'a> {
    scenario: &'a Scenario,
    frame: &'a Frame,
    terms: &'static Terms,
    entry: &'a JobEntry,
    /// Path of the entry.
    job_path: Path,
    /// Its queue and all ancestors.
    path: Vec<&'a QueueEntry>,
    /// Request of the pods that must start together: CPU millicores, memory bytes, GPUs.
    requested: [f64; 3],
    /// Why the job is pending.
    refusal: Option<&'a Refusal>,
}

/// Changes that may help a job, the smallest first: of the job, its queues and the nodes. The scenario is the one in
/// force at the moment of the frame.
pub fn ideas(scenario: &Scenario, frame: &Frame, job: &str) -> Vec<Suggestion> {
    let Some(entry) = entry_of(scenario, job) else { return Vec::new() };
    let case = Case {
        scenario,
        frame,
        terms: Terms::of(&scenario.policy),
        entry,
        job_path: Path::default().field("jobs").named(&entry.name),
        path: path_to_root(scenario, &entry.queue),
        requested: requested(entry),
        refusal: frame.refusals.iter().find(|refusal| frame.job(refusal.job) == job),
    };
    let mut all = Vec::new();
    case.of_job(&mut all);
    case.of_queues(&mut all);
    case.of_protection(&mut all);
    case.of_users(&mut all);
    case.of_nodes(&mut all);
    all
}

impl Case<'_> {
    /// Whether a matching gate is among those that block the job.
    fn is_held_by(&self, predicate: impl Fn(&Gate) -> bool) -> bool {
        self.refusal.is_some_and(|refusal| predicate(&refusal.gate) || refusal.also.iter().any(predicate))
    }

    fn of_job(&self, all: &mut Vec<Suggestion>) {
        let name = || self.entry.name.clone();
        let is_fixed = match &self.entry.preemptible {
            Some(typed) => matches!(typed.0.trim(), "false" | "semi"),
            None => self.is_held_by(|gate| matches!(gate, Gate::NonPreemptibleOverQuota { .. })),
        };
        if is_fixed {
            let edit = set(self.job_path.field("preemptible"), "true".into());
            all.push(Suggestion::new(Idea::Preemptible { of: name() }, edit));
        }
        self.of_gang(all);
        let was = self.priority(self.entry);
        let rivals = |is_near: fn(&JobEntry, &JobEntry) -> bool| {
            let others = self.scenario.jobs.iter().filter(|job| job.name != self.entry.name);
            others.filter(|job| is_near(job, self.entry)).map(|job| self.priority(job)).max()
        };
        // Jobs are compared within their queue; some policies compare those of all queues.
        for highest in [rivals(|job, entry| job.queue == entry.queue), rivals(|_, _| true)].into_iter().flatten() {
            if highest >= was && self.may_have_priority(highest.saturating_add(1)) {
                let edit = set(self.job_path.field("priority"), (highest + 1).to_string());
                all.push(Suggestion::new(Idea::JobPriority { of: name(), was, to: highest + 1 }, edit));
            }
        }
    }

    fn defaults(&self) -> &'static JobDefaults {
        Policy::job_defaults(&self.scenario.policy)
    }

    fn priority(&self, job: &JobEntry) -> i32 {
        let text = job.priority.as_ref().map_or("", |typed| typed.0.trim());
        self.defaults().class(text).or(text.parse().ok()).unwrap_or(self.defaults().priority)
    }

    /// Whether the job stays preemptible with this priority.
    fn may_have_priority(&self, priority: i32) -> bool {
        self.entry.preemptible.is_some() || self.defaults().is_preemptible(priority)
    }

    /// Fewer pods that must start together: those that could be placed, or one.
    fn of_gang(&self, all: &mut Vec<Suggestion>) {
        let placed = match self.refusal.map(|refusal| &refusal.gate) {
            Some(Gate::NoNode { placed, .. }) => *placed,
            _ => 0,
        };
        let mut add = |path: Path, pod_set: &str, pods: &Option<Scalar>, min: &Option<Scalar>| {
            let was = whole(min).or(whole(pods)).unwrap_or(1);
            for n in [placed, 1] {
                if n >= 1 && n < was {
                    let edit = set(path.field("min-available"), n.to_string());
                    let of = (self.entry.name.clone(), pod_set.to_string());
                    all.push(Suggestion::new(Idea::MinAvailable { of, n, was }, edit));
                }
            }
        };
        add(self.job_path.clone(), "", &self.entry.pods, &self.entry.min_available);
        for set in &self.entry.pod_sets {
            add(self.job_path.field("pod-sets").named(&set.name), &set.name, &set.pods, &set.min_available);
        }
    }

    fn of_queues(&self, all: &mut Vec<Suggestion>) {
        for queue in &self.path {
            let Some(row) = self.frame.queues.iter().find(|row| row.name == queue.name) else { continue };
            let path = Path::default().field("queues").named(&queue.name);
            for resource in self.resources() {
                self.of_amounts(queue, row, resource, all);
            }
            let siblings = self.scenario.queues.iter().filter(|q| q.parent == queue.parent);
            let default =
                Policy::described_or_default(&self.scenario.policy).queue.priority.map_or(0, |priority| priority.unset);
            let priority = |queue: &QueueEntry| number(&queue.priority).map_or(default, |n| n as i32);
            let (was, others) = (priority(queue), siblings.filter(|q| q.name != queue.name).map(priority));
            if let Some(highest) =
                others.max().filter(|most| *most >= was && *most < i32::MAX && self.terms.reads("priority"))
            {
                let edit = set(path.field("priority"), (highest + 1).to_string());
                all.push(Suggestion::new(Idea::QueuePriority { of: queue.name.clone(), was, to: highest + 1 }, edit));
            }
        }
    }

    /// A larger quota, limit and weight of a queue for one resource.
    fn of_amounts(&self, queue: &QueueEntry, row: &QueueRow, resource: Resource, all: &mut Vec<Suggestion>) {
        let r = resource.index();
        let path = Path::default().field("queues").named(&queue.name).field(resource_key(resource));
        let name = || queue.name.clone();
        let step = if resource == Resource::GPU { 1.0f64.min(self.requested[r]).ceil() } else { self.requested[r] };
        for (field, value) in [("limit", row.limit[r]), ("quota", row.quota[r])] {
            let Some(was) = value.filter(|was| *was >= 0.0 && self.terms.reads(field)) else { continue };
            let need = if resource == Resource::GPU { self.requested[r].ceil() } else { self.requested[r] };
            for to in [was + step, was + need] {
                let edit = set(path.field(field), text_of(to, resource));
                all.push(Suggestion::new(Idea::Raise { field, of: name(), resource, was, to }, edit));
            }
        }
        let entry = [&queue.cpu, &queue.memory, &queue.gpu][r];
        let unset = Policy::described_or_default(&self.scenario.policy).unset_shown(Field::Weight, resource);
        let was = number(&entry.weight).or(unset.parse().ok());
        if let Some(was) = was.filter(|_| self.terms.reads("weight")) {
            let to = if was > 0.0 { was * 2.0 } else { 1.0 };
            let edit = set(path.field("weight"), format!("{to}"));
            all.push(Suggestion::new(Idea::Raise { field: "weight", of: name(), resource, was, to }, edit));
        }
    }

    /// The resources that the job requests and those that block it.
    fn resources(&self) -> Vec<Resource> {
        let gate = self.refusal.and_then(|refusal| refusal.gate.about().1);
        let gate = gate.filter(|resource| resource.is_accounted());
        let first =
            [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().find(|r| self.requested[r.index()] > 0.0);
        let mut all: Vec<Resource> = gate.into_iter().chain(first).collect();
        all.dedup();
        all.retain(|r| self.requested[r.index()] > 0.0);
        all
    }

    /// Less protection of running jobs.
    fn of_protection(&self, all: &mut Vec<Suggestion>) {
        let is_own = |queue: &QueueEntry| self.path.iter().any(|other| other.name == queue.name);
        for queue in self.scenario.queues.iter() {
            let path = Path::default().field("queues").named(&queue.name);
            let mut add = |field: &str, against_reclaim| {
                let edit = set(path.field(field), "0s".into());
                all.push(Suggestion::new(Idea::NoMinRuntime { of: queue.name.clone(), against_reclaim }, edit));
            };
            if queue.reclaim_min_runtime.is_some() && self.path.first().is_none_or(|q| q.name != queue.name) {
                add("reclaim-min-runtime", true);
            }
            if queue.preempt_min_runtime.is_some() && is_own(queue) {
                add("preempt-min-runtime", false);
            }
        }
    }

    /// Limits by user and by number of jobs, which are settings.
    fn of_users(&self, all: &mut Vec<Suggestion>) {
        let names = self.path.iter().map(|queue| queue.name.as_str()).chain(["root"]);
        for name in names {
            let setting = |word: &str| {
                let key = format!("{word}.{name}");
                let value = self.scenario.settings.get(&key)?;
                Some((Path::default().field("settings").field(&key), value))
            };
            if let Some((path, _)) =
                setting("limits").filter(|_| self.is_held_by(|gate| matches!(gate, Gate::UserLimit { .. })))
            {
                all.push(Suggestion::new(Idea::NoUserLimits { of: name.to_string() }, set(path, String::new())));
            }
            if let Some((path, value)) = setting("maxapplications")
                && let Ok(was) = quantity::count(&value.0)
            {
                let to = was + 1;
                all.push(Suggestion::new(Idea::MoreJobs { of: name.to_string(), to }, set(path, to.to_string())));
            }
        }
    }

    fn of_nodes(&self, all: &mut Vec<Suggestion>) {
        let nodes = &self.scenario.nodes;
        let is_group = |node: &&NodeEntry| node.count.is_some();
        let is_only = nodes.iter().filter(is_group).count() == nodes.len() && nodes.len() == 1;
        for node in nodes.iter().filter(is_group).take(GROUPS_MAX) {
            let Some(n) = node.count.as_ref().and_then(|count| quantity::count(&count.0).ok()) else {
                continue;
            };
            let path = Path::default().field("nodes").named(&node.name).field("count");
            let name = if is_only { String::new() } else { node.name.clone() };
            all.push(Suggestion::new(Idea::Node { of: name, n: n + 1 }, set(path, (n + 1).to_string())));
        }
        if nodes.iter().any(|node| node.count.is_none()) {
            let n = self.frame.nodes.len() as u64 + 1;
            all.push(Suggestion::new(
                Idea::Node { of: String::new(), n },
                Edit::AddNode { node: Box::new(next_node(self.scenario)) },
            ));
        }
        let pod = number(&self.entry.gpu).unwrap_or(0.0);
        for node in nodes.iter().take(GROUPS_MAX) {
            if let Some(gpus) = number(&node.gpu).filter(|gpus| *gpus < pod && pod <= NODE_GPUS_MAX) {
                let gpus = pod.ceil().max(gpus);
                let path = Path::default().field("nodes").named(&node.name).field("gpu");
                let idea = Idea::LargerNodes { of: node.name.clone(), gpus };
                all.push(Suggestion::new(idea, set(path, format!("{gpus}"))));
            }
        }
    }
}

fn set(path: Path, value: String) -> Edit {
    Edit::Set { at: path, value }
}

/// The entry of a job; `None` for a job of a pattern, which has a generated name.
fn entry_of<'a>(scenario: &'a Scenario, job: &str) -> Option<&'a JobEntry> {
    let is_of_pattern = |entry: &&JobEntry| {
        let number = job.strip_prefix(entry.name.as_str()).and_then(|suffix| suffix.strip_prefix('-'));
        entry.count.is_some() && number.is_some_and(|n| n.parse::<u32>().is_ok())
    };
    let mut entries = scenario.jobs.iter();
    entries.find(|entry| entry.name == job).or_else(|| scenario.jobs.iter().find(is_of_pattern))
}

/// The request of the pods that must start together.
fn requested(entry: &JobEntry) -> [f64; 3] {
    let base = |typed: &Option<Scalar>, resource| {
        let amount = typed.as_ref().and_then(|typed| quantity::amount(&typed.0, resource, 1).ok());
        amount.map_or(0.0, |amount| amount.in_policy_units(resource))
    };
    let amounts = |pods: &Option<Scalar>, min: &Option<Scalar>, each: [&Option<Scalar>; 3]| {
        let n = f64::from(whole(min).or(whole(pods)).unwrap_or(1));
        let [cpu, memory, gpu] = each;
        [base(cpu, Resource::CPU) * n, base(memory, Resource::MEMORY) * n, base(gpu, Resource::GPU) * n]
    };
    let total = amounts(&entry.pods, &entry.min_available, [&entry.cpu, &entry.memory, &entry.gpu]);
    entry.pod_sets.iter().fold(total, |sum, set| {
        let set = amounts(&set.pods, &set.min_available, [&set.cpu, &set.memory, &set.gpu]);
        [sum[0] + set[0], sum[1] + set[1], sum[2] + set[2]]
    })
}

/// Formats an amount in base units as in a scenario file.
fn text_of(amount: f64, resource: Resource) -> String {
    match resource {
        Resource::CPU => format!("{}", amount / 1000.0),
        Resource::MEMORY => quantity::print_amount(Amount::base_units(amount as i64), Resource::MEMORY),
        _ => format!("{amount}"),
    }
}

fn number(value: &Option<Scalar>) -> Option<f64> {
    value.as_ref().and_then(|v| v.0.trim().parse::<f64>().ok()).filter(|n| n.is_finite())
}

fn whole(value: &Option<Scalar>) -> Option<u32> {
    value.as_ref().and_then(|v| quantity::count(&v.0).ok()).and_then(|n| n.try_into().ok())
}

/// A queue and all its ancestors.
fn path_to_root<'a>(scenario: &'a Scenario, name: &str) -> Vec<&'a QueueEntry> {
    let find = |name: &str| scenario.queues.iter().find(|q| q.name == name);
    let mut path = Vec::new();
    let mut current = find(name);
    while let Some(queue) = current.filter(|_| path.len() < 16) {
        path.push(queue);
        current = queue.parent.as_deref().and_then(find);
    }
    path
}
