//! The scenario file as text: shape, values, edits and findings. This module does not interpret values;
//! `scenario::check` does.
//!
//! [`read`] parses text into a [`Scenario`]; [`to_yaml`] and [`to_json`] write it back. [`apply`] applies edits to a
//! scenario, both those of a [`Fix`] and those made on the page.

mod between;
pub mod codes;
mod diagnostic;
mod fix;
mod fix_pools;
mod nearest;
pub mod pattern;
pub mod quantity;
mod read;
mod schema;
mod shape;
pub mod value;
mod write;
pub mod yaml;

pub use between::{dotted, dotted_edits_between, edits_between, undotted};
pub use codes::{Code, Severity};
pub use diagnostic::{Diagnostic, Edit, Fix, Path, Segment, visible};
pub(crate) use diagnostic::{Findings, is_invisible, quoted, remove, rename, set};
pub(crate) use fix::unlimited_queue;
pub use fix::{apply, free_name, get, next_node};
pub use nearest::nearest;
pub use read::{Read, SCHEMA_LINE, locate, positions, read};
pub(crate) use read::{SECTIONS, position, read_shape};
pub use schema::{
    CapacityEntry, DelaysEntry, JobEntry, NodeEntry, PodSetEntry, PoolEntry, QueueEntry, QueuePoolEntry, ResourceEntry,
    Scenario, TimelineEntry,
};
pub use shape::Scalar;
pub(crate) use shape::{FieldGroup, FieldKind, FieldType, Mut as SlotMut, Ref, Row, Rows, Shape, Table, entry};
pub(crate) use write::shape_to_yaml;
pub use write::{to_json, to_yaml};

/// Value of the `format` key, the first line of every scenario file.
pub const FORMAT: &str = "fairground-scenario";
/// Format version that this build reads and writes.
pub const VERSION: &str = "1";

/// Labels that order the pods of a job.
pub(crate) const ORDER_LABELS: [&str; 3] =
    ["kai.scheduler/task-priority", "training.kubeflow.org/job-role", "ray.io/node-type"];

/// Whether labels order the pods of a job.
pub(crate) fn orders_pods(labels: &std::collections::BTreeMap<String, String>) -> bool {
    ORDER_LABELS.iter().any(|label| labels.contains_key(*label))
}

/// Maximum length of a text to read, in bytes.
pub const TEXT_MAX: usize = 50_000_000;
/// Maximum number of nodes in a scenario.
pub const NODES_MAX: u64 = 20_000;
/// Maximum number of pods in a scenario.
pub const PODS_MAX: u64 = 200_000;
/// Maximum number of queues in a scenario.
pub const QUEUES_MAX: u64 = 5_000;
/// Maximum number of node pools in a scenario.
pub const POOLS_MAX: usize = 64;
/// Maximum depth of the queue tree, in levels.
pub const TREE_DEPTH_MAX: usize = 16;
/// Maximum length of a name, in characters.
pub const NAME_CHARS_MAX: usize = 253;
/// Maximum number of GPUs per node.
pub const NODE_GPUS_MAX: i64 = 64;

/// Returns a finding without a fix or a position in the text.
pub(crate) fn finding(code: Code, path: Path, message: String) -> Diagnostic {
    diagnostic::diagnostic(code, path, message, None)
}
