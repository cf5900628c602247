//! The scenario file: what a person wrote, in a product's words, versioned.
//!
//! Reading sees shape only and hardly ever fails; meaning is given by `check`, which finds *all*
//! mistakes at once and turns a scenario into a [`Plan`] that a simulation can run.

mod diagnostic;
mod plan;
mod schema;

pub use diagnostic::{Code, Diagnostic, Edit, Fix, Path, Segment, Severity};
pub use plan::{Plan, PlanChange, Planned};
pub use schema::{
    DelaysEntry, JobEntry, NodeEntry, PodSetEntry, QueueEntry, ResourceEntry, Scalar, Scenario, TimelineEntry,
};
