//! What a policy says of itself: everything that the rest of the program asks about a policy without running it.
//!
//! A policy's `describe.rs` fills one [`Description`]; checks, translation, the rule book and the page's forms are loops over
//! descriptions and name no policy.

use super::export::{Export, Kit};
use super::field::Field;
use super::form::{Form, PLAIN_PREEMPTIBLE, PLAIN_PRIORITY};
use super::job_defaults::JobDefaults;
use super::translation::Translation;
use super::versions::Modelled;
use super::vocabulary::Terms;
use crate::time::Span;
use crate::trace::Rule;
use crate::units::Resource;

/// A policy in words and numbers.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name in scenario files.
    pub key: &'static str,
    /// What people call it inside a sentence.
    pub name: &'static str,
    /// What people call it in a list of policies.
    pub title: &'static str,
    /// What people call it where there is little room.
    pub short: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// What it calls things.
    pub terms: &'static Terms,
    /// What holds for jobs that leave something out.
    pub jobs: JobDefaults,
    /// What holds for scenarios that leave the cycle out.
    pub cycle: Cycle,
    /// What it reads of queues.
    pub queue: QueueValues,
    /// What else it knows of.
    pub knows: Knows,
    /// Values of queues that it ignores without a finding: they stand in nearly every scenario.
    pub silent: &'static [&'static str],
    /// How its settings, queues and jobs are asked for.
    pub form: Form,
    /// The settings for which other policies have a counterpart.
    pub translation: Translation,
    /// The files that its product reads and that can be written here, queues first.
    pub exports: &'static [Export],
    /// How a scenario is run on its product in a virtual cluster; `None`: that cannot be written here.
    pub kit: Option<Kit>,
    /// How the state of a queue is found; `None`: queues have no states.
    pub queue_state: Option<QueueState>,
    /// Allocated over fair share, as reclaim compares it between queues; `None`: it does not.
    pub saturation: Option<fn(f64, f64) -> f64>,
    /// The rule by which past use changes the weights of a division.
    pub usage_rule: Option<&'static Rule>,
    /// The versions of the product that are modelled; `None`: it models no product.
    pub modelled: Option<&'static Modelled>,
}

/// The state of a queue with regard to one resource, by what is allocated, its quota and its fair share: a rank, the best first,
/// and a name.
pub type QueueState = fn(f64, f64, f64) -> (u8, &'static str);

/// When cycles take place if a scenario does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// Every second; *on change* is at least one second apart.
    EverySecond,
    /// At every change, however soon.
    OnChange,
}

impl Cycle {
    /// The shortest distance of two cycles *on change*.
    pub fn at_least(self) -> Span {
        match self {
            Cycle::EverySecond => Span::from_seconds(1),
            Cycle::OnChange => Span::ZERO,
        }
    }
}

/// What a policy reads of queues; `None`: it does not.
#[derive(Clone, Copy, Debug)]
pub struct QueueValues {
    /// What is promised.
    pub quota: Option<QueueValue>,
    /// The most that is allowed.
    pub limit: Option<QueueValue>,
    /// The part in the surplus.
    pub weight: Option<QueueValue>,
    /// Which sibling is first.
    pub priority: Option<QueuePriorityValue>,
    /// Whether it counts minimum runtimes and past usage.
    pub history: bool,
    /// Whether one weight holds for all resources.
    pub one_weight: bool,
    /// Whether a quota may be unlimited.
    pub unlimited_quota: bool,
}

impl QueueValues {
    /// Nothing is read.
    pub const NONE: QueueValues = QueueValues {
        quota: None,
        limit: None,
        weight: None,
        priority: None,
        history: false,
        one_weight: false,
        unlimited_quota: true,
    };
}

/// A value of a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueValue {
    /// The product's word.
    pub word: &'static str,
    /// What leaving it out means for CPU, memory and GPU, as a scenario would say it; `None`: nothing that could be said.
    pub unset: [Option<&'static str>; 3],
    /// Whether it is read for GPUs alone.
    pub of_gpus_alone: bool,
}

impl QueueValue {
    /// The same for all resources when left out.
    pub const fn new(word: &'static str, unset: &'static str) -> QueueValue {
        QueueValue { word, unset: [Some(unset); 3], of_gpus_alone: false }
    }
}

/// The priority of a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueuePriorityValue {
    /// The product's word.
    pub word: &'static str,
    /// The priority of a queue that has none.
    pub unset: i32,
}

/// What a policy knows of beyond queues. Values of a scenario that it does not know are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knows {
    /// Pods that start together or not at all.
    pub gangs: Gangs,
    /// A minimum that pods of several kinds have in common.
    pub common_minimum: bool,
    /// Pods that are created later than their job.
    pub joining_pods: bool,
    /// Subgroups, an order of the pods of a job, back-off and nominated nodes.
    pub subgroups: bool,
    /// Applications of several jobs, placeholders, required nodes and groups of users.
    pub applications: bool,
    /// Parts of GPUs.
    pub parts: bool,
    /// Parts of GPUs are counted in hundredths.
    pub hundredths: bool,
    /// Priorities of jobs.
    pub job_priority: bool,
    /// Jobs that keep their first pods (`preemptible: semi`); otherwise what becomes of them, in a sentence.
    pub semi: Result<(), &'static str>,
    /// For whom a pod is being evicted when the scenario starts.
    pub evicted_for: bool,
    /// Evictions, so that it matters who may be evicted.
    pub evictions: bool,
    /// Taints and affinity.
    pub taints: bool,
    /// Jobs that are offered to several pools, one after the other.
    pub pool_lists: bool,
    /// The order in which queues and jobs are served next.
    pub lists_order: bool,
    /// Pools that are shared by share usage, which a view of its own shows.
    pub share_usage: bool,
    /// Queues whose priority follows from what is outstanding in them, which a view of its own shows.
    pub queue_priorities: bool,
    /// Settings that change during a run, all but those that are named here; `None`: it does not read its settings anew.
    pub reloads: Option<&'static [&'static str]>,
}

impl Knows {
    /// What policies that model no product know of.
    pub const BASELINE: Knows = Knows {
        gangs: Gangs::Together,
        common_minimum: true,
        joining_pods: false,
        subgroups: false,
        applications: false,
        parts: true,
        hundredths: false,
        job_priority: false,
        semi: Err(NO_SEMI),
        evicted_for: false,
        evictions: false,
        taints: true,
        pool_lists: false,
        lists_order: false,
        share_usage: false,
        queue_priorities: false,
        reloads: None,
    };
}

/// How pods start together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gangs {
    /// As many as the job says, or none.
    Together,
    /// Where placeholders hold their room.
    WithPlaceholders,
    /// Each by itself.
    Never,
}

/// What becomes of semi-preemptible jobs where nothing else is known of them.
pub const NO_SEMI: &str = "only Run:ai has semi-preemptible jobs; here a job that says semi is preemptible";

impl Description {
    /// A policy that models no product and reads nothing of queues; the names are to be filled in.
    pub const BASELINE: Description = Description {
        key: "",
        name: "",
        title: "",
        short: "",
        about: "",
        terms: &Terms::PLAIN,
        jobs: JobDefaults::PLAIN,
        cycle: Cycle::OnChange,
        queue: QueueValues::NONE,
        knows: Knows::BASELINE,
        silent: &[],
        form: Form { job_values: &[PLAIN_PRIORITY, PLAIN_PREEMPTIBLE], ..Form::NONE },
        translation: Translation::PLAIN,
        exports: &[],
        kit: None,
        queue_state: None,
        saturation: None,
        usage_rule: None,
        modelled: None,
    };

    /// A value of queues, if the policy reads it for this resource.
    pub fn value(&self, field: Field, resource: Resource) -> Option<&QueueValue> {
        let value = match field {
            Field::Quota => &self.queue.quota,
            Field::Limit => &self.queue.limit,
            Field::Weight => &self.queue.weight,
        };
        value.as_ref().filter(|value| resource == Resource::GPU || !value.of_gpus_alone)
    }

    /// The product's word for a value; `None`: it does not read it.
    pub fn word(&self, field: Field, resource: Resource) -> Option<&'static str> {
        Some(self.value(field, resource)?.word)
    }

    /// What a value that is left out means; `None`: nothing that could be said, or it is not read.
    pub fn unset(&self, field: Field, resource: Resource) -> Option<&'static str> {
        let [cpu, memory, gpu] = self.value(field, resource)?.unset;
        match resource {
            Resource::CPU => cpu,
            Resource::MEMORY => memory,
            _ => gpu,
        }
    }

    /// The values of queues that the policy ignores, each of which is reported once.
    pub fn ignored_of_queues(&self) -> impl Iterator<Item = &'static str> {
        let queue = self.queue;
        let all = [
            ("quota", queue.quota.is_some()),
            ("limit", queue.limit.is_some()),
            ("weight", queue.weight.is_some()),
            ("usage", queue.history),
            ("priority", queue.priority.is_some()),
            ("preempt-min-runtime", queue.history),
            ("reclaim-min-runtime", queue.history),
        ];
        let silent = self.silent;
        all.into_iter()
            .filter(move |(name, is_read)| !is_read && !silent.contains(name))
            .map(|(name, _)| name)
    }

    /// The values of jobs that the policy ignores, each of which is reported once.
    pub fn ignored_of_jobs(&self) -> impl Iterator<Item = &'static str> {
        let knows = self.knows;
        let all = [
            ("priority", knows.job_priority),
            ("preemptible", knows.evictions),
            ("semi", knows.semi.is_ok() || !knows.evictions),
            ("min-available", knows.gangs != Gangs::Never),
            ("gangs", knows.gangs != Gangs::WithPlaceholders),
            ("after", knows.joining_pods),
            ("evicted-for", knows.evicted_for),
            ("tolerations", knows.taints),
            ("affinity", knows.taints),
            ("application", knows.applications),
            ("originator", knows.applications),
            ("preempts", knows.applications),
            ("required-node", knows.applications),
            ("groups", knows.applications),
            ("group", knows.subgroups),
            ("labels", knows.subgroups),
            ("scheduling-backoff", knows.subgroups),
            ("nominated-node", knows.subgroups),
        ];
        all.into_iter().filter(|(_, is_known)| !is_known).map(|(name, _)| name)
    }

    /// The values of nodes that the policy ignores, each of which is reported once.
    pub fn ignored_of_nodes(&self) -> impl Iterator<Item = &'static str> {
        (!self.knows.taints).then_some("taints").into_iter()
    }
}
