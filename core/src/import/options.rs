//! Options of an import: what the texts do not define.

use std::collections::BTreeMap;

use crate::policy::Policy;
use crate::scenario::{NODE_GPUS_MAX, NODES_MAX};

/// A field of a job that a column of a trace can hold.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Key on the command line.
    pub key: &'static str,
    /// Display name.
    pub label: &'static str,
    /// What a column holds, for the report.
    pub(super) holds: &'static str,
    /// Usual names of its column.
    pub(super) names: &'static [&'static str],
}

const fn field(key: &'static str, label: &'static str, holds: &'static str, names: &'static [&'static str]) -> Field {
    Field { key, label, holds, names }
}

/// Chosen column names of a job trace by field. Without a choice, it is the first column with a usual name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(BTreeMap<&'static str, String>);

impl Mapping {
    /// Fields that a column can hold. GPUs are those of the whole job; the submission time is a number or a date.
    pub const FIELDS: [Field; 9] = [
        field("id", "job name", "the name of a job", &["id", "job", "job_id", "jobid", "name"]),
        field("queue", "queue", "its queue", &["queue", "vc", "project", "tenant"]),
        field(
            "submit",
            "submit time",
            "the time of its submission",
            &["submit", "submit_s", "submit_time", "timestamp", "submitted_time"],
        ),
        field("duration", "duration", "how long it runs", &["duration", "duration_s", "runtime"]),
        field("gpus", "GPUs", "its GPUs", &["gpus", "num_gpus", "gpu", "gpu_num"]),
        field("user", "user", "who submitted it", &["user"]),
        field("pods", "pods", "the number of its pods", &["pods", "replicas"]),
        field("cpu", "CPU per pod", "cores of each pod", &["cpu", "cpus"]),
        field("memory", "memory per pod", "memory of each pod", &["memory", "mem"]),
    ];

    /// Sets the column of a field, optionally with a unit after a colon; an empty name means no column. Ignores unknown
    /// fields.
    pub fn set(&mut self, field: &str, column: &str) {
        if let Some(field) = Mapping::FIELDS.iter().find(|other| other.key == field) {
            self.0.insert(field.key, column.to_string());
        }
    }

    /// Returns the chosen column of a field.
    pub(super) fn of(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }
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
    /// Factor on the queue sizes, as numerator and denominator, to keep the contention of a large cluster on a small
    /// one.
    pub quota_scale: (u32, u32),
    /// Value of the scenario's `cycle` field.
    pub cycle: String,
    /// Columns of the trace.
    pub mapping: Mapping,
}

/// What an import read, as far as its options depend on it.
pub(super) struct Extent {
    /// Whether the nodes are not in the files.
    pub has_assumed_nodes: bool,
    /// Whether queue sizes were read with a trace.
    pub has_sizes: bool,
    /// Whether a trace was read.
    pub has_trace: bool,
}

impl Options {
    /// Whether more nodes or GPUs are chosen than are simulated.
    pub(super) fn too_many_nodes(&self) -> Option<String> {
        let (nodes, gpus) = self.nodes?;
        let is_counted = u64::from(nodes) <= NODES_MAX && i64::from(gpus) <= NODE_GPUS_MAX;
        (!is_counted).then(|| {
            format!("nodes {nodes}x{gpus}: up to {NODES_MAX} nodes with up to {NODE_GPUS_MAX} GPUs each are simulated")
        })
    }

    /// Returns a line for each chosen option that the import does not use.
    pub(super) fn without_effect(&self, extent: &Extent) -> Vec<String> {
        let nodes = self.nodes.filter(|_| !extent.has_assumed_nodes);
        let scale = Some(self.quota_scale).filter(|scale| *scale != (1, 1) && !extent.has_sizes);
        let mapping = Some(&self.mapping.0).filter(|columns| !columns.is_empty() && !extent.has_trace);
        let columns = mapping.map(|columns| {
            columns.iter().map(|(field, column)| format!("{field}={column}")).collect::<Vec<_>>().join(",")
        });
        let lines = [
            nodes.map(|(n, gpus)| format!("nodes {n}x{gpus}: the files define the nodes")),
            scale.map(|(n, unit)| {
                format!("quota-scale {n}/{unit}: it scales the queue sizes that are read with a trace of jobs")
            }),
            columns.map(|columns| format!("map {columns}: only a trace of jobs has columns")),
        ];
        lines.into_iter().flatten().collect()
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: String::new(),
            policy: Policy::DEFAULT.key.into(),
            nodes: None,
            quota_scale: (1, 1),
            cycle: "on change".into(),
            mapping: Mapping::default(),
        }
    }
}
