//! Placement of pods: nodes, devices, fit and score.

pub(super) mod bind;
pub(super) mod choice;
pub(super) mod equivalence_classes;
pub(super) mod faults;
pub(super) mod fit;
pub(super) mod groups;
pub(super) mod node;
pub(super) mod placement;
pub(super) mod score;
pub(super) mod score_parts;
pub(super) mod shared;
