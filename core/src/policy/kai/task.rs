//! Task objects: one pod may have several, with independent states.
//!
//! # Rule
//! A clone of a task may replace the original in its job; undoing an operation acts on the object of that
//! operation. Statuses form sets: *active used*, *active allocated* (not releasing), *allocated* (neither pipelined nor
//! releasing). A task may be placed if it is pending, or, tentatively only, if it is tentatively releasing.
//!
//! # Source
//! kai.md 0.6, 1.5
//!
//! # Differs
//! nothing

use super::request::Accepted;

macro_rules! refs {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) struct $name(pub u32);
        impl $name {
            /// The index.
            pub fn ix(self) -> usize {
                self.0 as usize
            }
            /// From an index.
            pub fn of(ix: usize) -> Self {
                $name(u32::try_from(ix).expect("a session stays below 2^32 objects"))
            }
        }
    )*};
}

refs! {
    /// A pod; those of one job are adjacent, in order of their names.
    PodRef
    /// A task object.
    TaskRef
    /// A job object; the session's original jobs come first, in order of their names.
    JobRef
    /// A node, in order of names.
    NodeRef
    /// A queue, in order of age and name.
    QueueRef
    /// A shared device, in order of names; new ones last.
    GroupRef
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Task {
    pub pod: PodRef,
    pub status: Status,
    /// Whether the status is tentative.
    pub is_virtual: bool,
    pub node: Option<NodeRef>,
    /// Shared devices.
    pub groups: Vec<GroupRef>,
    pub accepted: Accepted,
}

impl Task {
    /// Whether it may be placed now; `real` excludes tentatively releasing tasks.
    pub fn should_allocate(&self, real: bool) -> bool {
        self.status == Status::Pending || (!real && self.status == Status::Releasing && self.is_virtual)
    }
}

/// Pod status (kai.md 1.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Waiting to be placed.
    #[default]
    Pending,
    /// Waiting for a condition outside scheduling.
    Gated,
    /// Placed in this cycle, not committed.
    Allocated,
    /// Placed on room that is not free yet.
    Pipelined,
    /// Bind requested.
    Binding,
    /// Bound.
    Bound,
    /// Running.
    Running,
    /// Terminating.
    Releasing,
    /// Terminating for longer than the threshold, since v0.17: its room is not promised to others.
    StuckInReleasing,
    /// Finished successfully.
    Succeeded,
    /// Finished with an error.
    Failed,
}

/// Number of statuses.
pub(super) const STATUSES: usize = 11;

impl Status {
    /// Index in tables by status.
    pub(super) fn ix(self) -> usize {
        self as usize
    }
    /// Counts on its node.
    pub(super) fn is_active_used(self) -> bool {
        self.is_active_allocated() || matches!(self, Status::Releasing | Status::StuckInReleasing)
    }
    /// Counts on its node and is not evicted.
    pub(super) fn is_active_allocated(self) -> bool {
        self.is_allocated() || self == Status::Pipelined
    }
    /// Counts in its queues.
    pub(super) fn is_allocated(self) -> bool {
        matches!(self, Status::Allocated | Status::Binding | Status::Bound | Status::Running)
    }
    /// May still run.
    pub(super) fn is_alive(self) -> bool {
        self.is_active_allocated() || matches!(self, Status::Pending | Status::Gated)
    }
}
