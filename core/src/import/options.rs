//! Options of an import: what the texts do not define.

use crate::policy::Policy;

/// Column names of a job trace. `None`: the first column with a usual name; empty: no column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// Job name: `id`, `job_id`, `job`, `name`.
    pub id: Option<String>,
    /// Queue: `queue`, `vc`, `project`, `tenant`.
    pub queue: Option<String>,
    /// Submission time, as a number or a date: `submit`, `submit_s`, `submit_time`, `timestamp`.
    pub submit: Option<String>,
    /// Run time: `duration`, `duration_s`, `runtime`.
    pub duration: Option<String>,
    /// GPUs of the whole job: `gpus`, `num_gpus`, `gpu`.
    pub gpus: Option<String>,
    /// Submitting user: `user`.
    pub user: Option<String>,
    /// Number of pods: `pods`, `replicas`.
    pub pods: Option<String>,
    /// Cores of each pod: `cpu`, `cpus`.
    pub cpu: Option<String>,
    /// Memory of each pod: `memory`, `mem`.
    pub memory: Option<String>,
}

impl Mapping {
    /// Fields that a column can hold: key on the command line and display name.
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

    /// Sets the column of a field, optionally with a unit after a colon; an empty name means no column. Ignores unknown fields.
    pub fn set(&mut self, field: &str, column: &str) {
        if let Some(own) = self.field(field) {
            *own = Some(column.to_string());
        }
    }

    /// Returns the usual column names of a field.
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

    /// Returns the chosen column of a field.
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

/// Column names of a table of queue sizes. `None`: the first column with a usual name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueMapping {
    /// Queue name: `queue`, `vc`, `project`, `tenant`, `name`.
    pub queue: Option<String>,
    /// Number of GPUs: `gpus`, `num_gpus`, `gpu`, `quota`.
    pub gpus: Option<String>,
    /// Number of nodes, used if no column has GPUs: `nodes`.
    pub nodes: Option<String>,
}

/// Options of an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Title of the scenario.
    pub name: String,
    /// Key of the scenario's policy; empty: the policy of the files.
    pub policy: String,
    /// Number of nodes and GPUs per node; `None`: as many nodes with eight GPUs as the quotas need in total.
    pub nodes: Option<(u32, u32)>,
    /// Factor on the queue sizes, as numerator and denominator, to keep the contention of a large cluster on a small one.
    pub quota_scale: (u32, u32),
    /// Value of the scenario's `cycle` field.
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
