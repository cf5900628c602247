//! What the texts do not say, and people choose before an import.

use crate::policy::Policy;

/// Which columns of a job trace hold what. `None`: found by the usual names; empty: no column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Name of a job: `id`, `job_id`, `job`, `name`.
    pub id: Option<String>,
    /// Queue of a job: `queue`, `vc`, `project`, `tenant`.
    pub queue: Option<String>,
    /// When it is submitted, in seconds or as a duration: `submit`, `submit_s`, `submit_time`, `timestamp`.
    pub submit: Option<String>,
    /// How long it runs: `duration`, `duration_s`, `runtime`.
    pub duration: Option<String>,
    /// GPUs of the whole job: `gpus`, `num_gpus`, `gpu`.
    pub gpus: Option<String>,
    /// Who submitted it: `user`.
    pub user: Option<String>,
    /// Number of pods the job is made of: `pods`, `replicas`.
    pub pods: Option<String>,
    /// Cores of each pod: `cpu`, `cpus`.
    pub cpu: Option<String>,
    /// Memory of each pod: `memory`, `mem`.
    pub memory: Option<String>,
}

impl Mapping {
    /// What a column can hold: its word on the command line, and for people.
    pub const FIELDS: [(&'static str, &'static str); 9] = [
        ("id", "job name"),
        ("queue", "queue"),
        ("submit", "submit time"),
        ("duration", "duration"),
        ("gpus", "GPUs"),
        ("user", "user"),
        ("pods", "pods"),
        ("cpu", "CPU per pod"),
        ("memory", "memory per pod"),
    ];

    /// Which column holds one of these, perhaps with its unit behind a colon; an empty name: none does.
    pub fn set(&mut self, field: &str, column: &str) {
        if let Some(own) = self.field(field) {
            *own = Some(column.to_string());
        }
    }

    /// The usual names of the column that holds one of these.
    pub(super) fn synonyms(field: &str) -> &'static [&'static str] {
        match field {
            "id" => &["id", "job", "job_id", "jobid", "name"],
            "queue" => &["queue", "vc", "project", "tenant"],
            "submit" => &["submit", "submit_s", "submit_time", "timestamp", "submitted_time"],
            "duration" => &["duration", "duration_s", "runtime"],
            "gpus" => &["gpus", "num_gpus", "gpu", "gpu_num"],
            "user" => &["user"],
            "pods" => &["pods", "replicas"],
            "cpu" => &["cpu", "cpus"],
            "memory" => &["memory", "mem"],
            _ => &[],
        }
    }

    /// Which column was said to hold one of these.
    pub(super) fn of(&self, field: &str) -> &Option<String> {
        match field {
            "id" => &self.id,
            "queue" => &self.queue,
            "submit" => &self.submit,
            "duration" => &self.duration,
            "gpus" => &self.gpus,
            "user" => &self.user,
            "pods" => &self.pods,
            "cpu" => &self.cpu,
            _ => &self.memory,
        }
    }

    fn field(&mut self, field: &str) -> Option<&mut Option<String>> {
        Some(match field {
            "id" => &mut self.id,
            "queue" => &mut self.queue,
            "submit" => &mut self.submit,
            "duration" => &mut self.duration,
            "gpus" => &mut self.gpus,
            "user" => &mut self.user,
            "pods" => &mut self.pods,
            "cpu" => &mut self.cpu,
            "memory" => &mut self.memory,
            _ => return None,
        })
    }
}

/// Which columns of the queue sizes hold what. `None`: found by the usual names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueMapping {
    /// Name of a queue: `queue`, `vc`, `project`, `tenant`, `name`.
    pub queue: Option<String>,
    /// Its GPUs: `gpus`, `num_gpus`, `gpu`, `quota`.
    pub gpus: Option<String>,
    /// Its nodes, where no column has GPUs: `nodes`.
    pub nodes: Option<String>,
}

/// What a trace does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Title of the scenario.
    pub name: String,
    /// The policy of the scenario; empty: that which the files are of.
    pub policy: String,
    /// Number of nodes and GPUs of each; `None`: as many nodes of eight GPUs as all quotas need together.
    pub nodes: Option<(u32, u32)>,
    /// What the sizes of queues are multiplied by: numerator and denominator. Small clusters keep the pressure
    /// of large ones that way.
    pub quota_scale: (u32, u32),
    /// When cycles take place.
    pub cycle: String,
    /// Columns of the trace.
    pub mapping: Mapping,
    /// Columns of the queue sizes.
    pub queue_mapping: QueueMapping,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: String::new(),
            policy: Policy::NAMES[0].into(),
            nodes: None,
            quota_scale: (1, 1),
            cycle: "on change".into(),
            mapping: Mapping::default(),
            queue_mapping: QueueMapping::default(),
        }
    }
}
