//! What the texts do not say, and people choose before an import.

use crate::policy::Policy;

/// Which columns of a job trace hold what. `None`: found by the usual names.
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
    /// Policy: `kai` or `fifo`.
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
