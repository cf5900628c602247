//! The revisions of KAI that are simulated.
//!
//! # Rule
//! A rule that changed between two revisions stands in one file in both forms, and one function there chooses by
//! [`Revision`]. Where the old form is a special case of the new one, there is one form, and the revision chooses its
//! values.
//!
//! # Source
//! kai.md (v0.13); kai-v0.17.md (v0.17)
//!
//! # Differs
//! nothing

/// A set of rules that KAI had in some of its releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// v0.13.x and v0.14.0.
    #[default]
    V0_13,
    /// v0.17.x.
    V0_17,
}

impl Revision {
    /// All revisions, the oldest first.
    pub const ALL: [Revision; 2] = [Revision::V0_13, Revision::V0_17];
    /// The newest one.
    pub const NEWEST: Revision = Revision::V0_17;

    /// Value of the setting `version`.
    pub const fn name(self) -> &'static str {
        match self {
            Revision::V0_13 => "0.13",
            Revision::V0_17 => "0.17",
        }
    }

    /// Upstream's commit that was read and recorded.
    pub const fn commit(self) -> &'static str {
        match self {
            Revision::V0_13 => "72de64fc8eca10fa8cca26a20156178f3edbe092",
            Revision::V0_17 => "d5bc503a146317e51037d89775d77172c6d12f71",
        }
    }

    /// Whether jobs have a preemption delay and a grace period of their own.
    pub fn reads_job_times(self) -> bool {
        self >= Revision::V0_17
    }

    /// Whether a job may need only some of its subgroups, and no pods of a pod set.
    pub fn has_optional_members(self) -> bool {
        self >= Revision::V0_17
    }

    /// Whether a pod that terminates for too long counts as stuck.
    pub fn has_stuck_pods(self) -> bool {
        self >= Revision::V0_17
    }

    /// Whether it has the faults that v0.15.0 mended.
    pub fn has_faults_before_v0_15(self) -> bool {
        self == Revision::V0_13
    }

    /// Finds a revision by its name.
    pub fn named(name: &str) -> Option<Revision> {
        Revision::ALL.into_iter().find(|revision| revision.name() == name.trim_start_matches('v'))
    }
}
