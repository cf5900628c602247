//! The scenario file as text: its shape, its values, edits of it, and findings about it. Nothing here knows what a value
//! means to a scheduler.
//!
//! [`read`] makes a [`Scenario`] of a text, [`to_yaml`] and [`to_json`] lead back. [`apply`] changes a scenario by edits, those
//! of a [`Fix`] as well as the page's own.

pub mod codes;
mod diagnostic;
mod findings;
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

pub use diagnostic::{Code, Diagnostic, Edit, Fix, Path, Segment, Severity};
pub use findings::visible;
pub(crate) use findings::{Findings, is_invisible, quoted, set};
pub use fix::{apply, get};
pub use nearest::nearest;
pub(crate) use read::SECTIONS;
pub(crate) use read::position;
pub use read::{Read, SCHEMA_LINE, locate, read};
pub use schema::{
    CapacityEntry, DelaysEntry, JobEntry, NodeEntry, PodSetEntry, PoolEntry, QueueEntry, QueuePoolEntry,
    ResourceEntry, Scalar, Scenario, TimelineEntry,
};
pub(crate) use shape::{Mut as SlotMut, Ref, Rows, Shape};
pub(crate) use write::yaml_text;
pub use write::{to_json, to_yaml};

/// What the first line of a scenario file says.
pub const FORMAT: &str = "fairground-scenario";
/// The version this build reads and writes.
pub const VERSION: &str = "1";

/// The words and units that files are written in; the only dialect there is.
pub const DIALECT: &str = "kai";

/// Longest text that is read, in bytes.
pub const TEXT_MAX: usize = 50_000_000;
/// Most nodes of a scenario.
pub const NODES_MAX: u64 = 20_000;
/// Most pods of a scenario.
pub const PODS_MAX: u64 = 200_000;
/// Most queues of a scenario.
pub const QUEUES_MAX: u64 = 5_000;
/// Most node pools of a scenario.
pub const POOLS_MAX: usize = 64;
/// Most levels of the queue tree.
pub const TREE_DEPTH_MAX: usize = 16;
/// Longest name, in characters.
pub const NAME_CHARS_MAX: usize = 253;
/// Most GPUs of one node.
pub const NODE_GPUS_MAX: i64 = 64;

/// A finding about a whole text, without a fix.
pub(crate) fn finding(code: Code, at: Path, says: String) -> Diagnostic {
    findings::diagnostic(code, at, says, None)
}
