//! Self-description of a policy: everything the rest of the program needs to know without running it.
//!
//! A policy's `describe.rs` fills one [`Description`]; checks, translation, the rule book and the page's forms are
//! loops over descriptions and name no policy.

use super::export::{Export, Kit};
use super::field::Field;
use super::form::{Form, PLAIN_PREEMPTIBLE, PLAIN_PRIORITY};
use super::job_defaults::JobDefaults;
use super::translation::Translation;
use super::versions::Modelled;
use super::vocabulary::Terms;
use crate::time::Span;
use crate::trace::{Quantity, Rule};
use crate::units::Resource;

/// Description of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Name in scenario files.
    pub key: &'static str,
    /// Name within a sentence.
    pub name: &'static str,
    /// Title in lists of policies.
    pub title: &'static str,
    /// Short title where space is limited.
    pub short: &'static str,
    /// Summary in one sentence.
    pub about: &'static str,
    /// Vocabulary.
    pub terms: &'static Terms,
    /// Defaults of jobs.
    pub jobs: JobDefaults,
    /// Default times of cycles.
    pub cycle: Cycle,
    /// Values of queues that it reads.
    pub queue: QueueValues,
    /// Features that it supports.
    pub supports: Features,
    /// Queue values ignored without a finding, because nearly every scenario has them.
    pub silent: &'static [&'static str],
    /// Form fields of its settings, queues and jobs.
    pub form: Form,
    /// Settings with equivalents in other policies.
    pub translation: Translation,
    /// Prefixes of its schedulers' names, which pods state in `schedulerName`.
    pub schedulers: &'static [&'static str],
    /// Files in its product's format that can be exported, queues first.
    pub exports: &'static [Export],
    /// Export as a virtual cluster with the real scheduler; `None`: not supported.
    pub kit: Option<Kit>,
    /// Classifies the state of a queue; `None`: queues have no states.
    pub queue_state: Option<QueueState>,
    /// Allocated over fair share, as reclaim compares it between queues; `None`: reclaim does not use it.
    pub saturation: Option<fn(f64, f64) -> f64>,
    /// The rule by which past usage changes the weights of a division.
    pub usage_rule: Option<&'static Rule>,
    /// Modelled versions of the product; `None`: it models no product.
    pub modelled: Option<&'static Modelled>,
}

/// Classifies a queue by allocated amount, quota and fair share of one resource. Returns a rank, lowest first for the
/// best state, and the state's name.
pub type QueueState = fn(f64, f64, f64) -> (u8, &'static str);

/// Default times of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// Every second; *on change* at least one second apart.
    EverySecond,
    /// At every change, without a minimum interval.
    OnChange,
}

impl Cycle {
    /// Minimum interval between two cycles *on change*.
    pub fn at_least(self) -> Span {
        match self {
            Cycle::EverySecond => Span::from_seconds(1),
            Cycle::OnChange => Span::ZERO,
        }
    }
}

/// Queue values read by a policy; `None`: not read.
#[derive(Clone, Copy, Debug)]
pub struct QueueValues {
    /// Guaranteed amount.
    pub quota: Option<QueueValue>,
    /// Maximum amount.
    pub limit: Option<QueueValue>,
    /// Share of the surplus.
    pub weight: Option<QueueValue>,
    /// Order among siblings.
    pub priority: Option<QueuePriorityValue>,
    /// Whether minimum runtimes and past usage are read.
    pub history: bool,
    /// Whether one weight applies to all resources.
    pub one_weight: bool,
    /// Whether a quota may be unlimited.
    pub unlimited_quota: bool,
}

impl QueueValues {
    /// No value is read.
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
    /// The product's term.
    pub word: &'static str,
    /// Meaning of an omitted value for CPU, memory and GPU, in scenario syntax; `None`: it has no equivalent value.
    pub unset: [Option<&'static str>; 3],
    /// Whether it is read for GPUs only.
    pub of_gpus_alone: bool,
}

impl QueueValue {
    /// A value with the same default for all resources.
    pub const fn new(word: &'static str, unset: &'static str) -> QueueValue {
        QueueValue { word, unset: [Some(unset); 3], of_gpus_alone: false }
    }

    fn unset_of(&self, resource: Resource) -> Option<&'static str> {
        self.unset[resource.index().min(2)]
    }
}

/// The priority of a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueuePriorityValue {
    /// The product's term.
    pub word: &'static str,
    /// What it is in a comparison.
    pub quantity: Quantity,
    /// Default priority.
    pub unset: i32,
}

/// Features supported beyond queues. Scenario values of other features are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Gang scheduling.
    pub gangs: Gangs,
    /// A common minimum across pods of several kinds.
    pub common_minimum: bool,
    /// Pods created later than their job.
    pub joining_pods: bool,
    /// Subgroups, order of the pods of a job, back-off and nominated nodes.
    pub subgroups: bool,
    /// Minimums of subgroups and of 0 pods, preemption delays and grace periods of jobs.
    pub optional_members: bool,
    /// Applications of several jobs, placeholders, required nodes and groups of users.
    pub applications: bool,
    /// Fractions of GPUs.
    pub parts: bool,
    /// Fractions of GPUs are counted in hundredths.
    pub hundredths: bool,
    /// Priorities of jobs.
    pub job_priority: bool,
    /// Semi-preemptible jobs (`preemptible: semi`); otherwise a sentence on how they are treated.
    pub semi: Result<(), &'static str>,
    /// Initial evictions that name the job they are for.
    pub evicted_for: bool,
    /// Evictions, so that preemptibility matters.
    pub evictions: bool,
    /// Taints and affinity.
    pub taints: bool,
    /// Jobs offered to several pools, one after the other.
    pub pool_lists: bool,
    /// The order in which queues and jobs are served next.
    pub lists_order: bool,
    /// Pools with share usage, shown in a view of its own.
    pub share_usage: bool,
    /// Queues whose priority depends on their outstanding requests, shown in a view of its own.
    pub queue_priorities: bool,
    /// Settings that may change during a run, all except the listed ones; `None`: settings are never reloaded.
    pub reloads: Option<&'static [&'static str]>,
}

impl Features {
    /// Features of policies that model no product.
    pub const BASELINE: Features = Features {
        gangs: Gangs::Together,
        common_minimum: true,
        joining_pods: false,
        optional_members: false,
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

/// Gang scheduling of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gangs {
    /// All required pods of a job at once, or none.
    Together,
    /// By placeholders that reserve room.
    WithPlaceholders,
    /// Pods start individually.
    Never,
}

/// Treatment of semi-preemptible jobs by policies that do not support them.
pub const NO_SEMI: &str = "only Run:ai has semi-preemptible jobs; here a job that says semi is preemptible";

impl Description {
    /// A policy that models no product and reads nothing of queues; names are to be filled in.
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
        supports: Features::BASELINE,
        silent: &[],
        form: Form { job_values: &[PLAIN_PRIORITY, PLAIN_PREEMPTIBLE], ..Form::NONE },
        translation: Translation::PLAIN,
        schedulers: &[],
        exports: &[],
        kit: None,
        queue_state: None,
        saturation: None,
        usage_rule: None,
        modelled: None,
    };

    /// Whether a scheduler with this name schedules by the policy.
    pub fn is_scheduler(&self, name: &str) -> bool {
        self.schedulers.iter().any(|prefix| name.starts_with(prefix))
    }

    /// A queue value, if the policy reads it for any resource.
    fn queue_value(&self, field: Field) -> Option<&QueueValue> {
        match field {
            Field::Quota => self.queue.quota.as_ref(),
            Field::Limit => self.queue.limit.as_ref(),
            Field::Weight => self.queue.weight.as_ref(),
        }
    }

    /// A queue value, if the policy reads it for this resource.
    pub fn value(&self, field: Field, resource: Resource) -> Option<&QueueValue> {
        self.queue_value(field).filter(|value| resource == Resource::GPU || !value.of_gpus_alone)
    }

    /// The product's term for a value; `None` if it is not read.
    pub fn word(&self, field: Field, resource: Resource) -> Option<&'static str> {
        Some(self.value(field, resource)?.word)
    }

    /// Meaning of an omitted value; `None` if it has no equivalent value or is not read.
    pub fn unset(&self, field: Field, resource: Resource) -> Option<&'static str> {
        self.value(field, resource)?.unset_of(resource)
    }

    /// Meaning of an omitted value, as displayed; empty if the policy does not read it.
    pub fn unset_shown(&self, field: Field, resource: Resource) -> &'static str {
        match self.queue_value(field).map(|value| value.unset_of(resource)) {
            None => "",
            Some(Some("unlimited")) => "∞",
            Some(unset) => unset.unwrap_or("0"),
        }
    }

    /// The default priority of queues, as displayed; empty if the policy does not read it.
    pub fn unset_priority_shown(&self) -> String {
        self.queue.priority.map_or_else(String::new, |priority| priority.unset.to_string())
    }
}
