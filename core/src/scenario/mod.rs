//! The scenario file: what a person wrote, in a product's words, versioned.
//!
//! Reading sees shape only and hardly ever fails; meaning is given by `check`, which finds *all*
//! mistakes at once and turns a scenario into a [`Plan`] that a simulation can run.
//!
//! [`read`] text → [`Scenario`] → [`check`] → [`Plan`]; [`to_yaml`] and [`to_json`] lead back. [`apply`]
//! changes a scenario by edits, those of a [`Fix`] as well as the page's own.

mod check;
pub mod codes;
mod diagnostic;
mod findings;
mod fix;
mod fix_pools;
mod load;
mod nearest;
pub mod pattern;
mod plan;
pub mod quantity;
mod read;
mod schema;
mod shape;
pub(crate) mod value;
mod write;
#[cfg(feature = "yunikorn")]
pub mod yunikorn;

pub use check::{Checked, check};
pub use diagnostic::{Code, Diagnostic, Edit, Fix, Path, Segment, Severity};
#[cfg(feature = "import")]
pub(crate) use findings::quoted;
pub use findings::visible;
pub use fix::{apply, get};
pub use load::{Loaded, load};
pub use nearest::nearest;
pub use plan::{Plan, PlanChange, Planned};
pub(crate) use read::SECTIONS;
#[cfg(all(feature = "import", feature = "yunikorn"))]
pub(crate) use read::position;
pub use read::{Read, locate, read};
pub use schema::{
    CapacityEntry, DelaysEntry, JobEntry, NodeEntry, PodSetEntry, PoolEntry, QueueEntry, QueuePoolEntry,
    ResourceEntry, Scalar, Scenario, TimelineEntry,
};
pub(crate) use shape::{Mut as SlotMut, Ref, Rows, Shape};
pub use write::{to_json, to_yaml};

/// What the first line of a scenario file says.
pub const FORMAT: &str = "fairground-scenario";
/// The version this build reads and writes.
pub const VERSION: &str = "1";

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
#[cfg(feature = "import")]
pub(crate) fn finding(code: Code, at: Path, says: String) -> Diagnostic {
    findings::diagnostic(code, at, says, None)
}
