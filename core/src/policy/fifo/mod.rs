//! First in, first out, with hard partitions: the baseline every other policy is read against.
//!
//! # Rule
//! Each queue owns its quota and nothing else. Jobs of a queue start strictly in submit order: the first
//! that does not fit blocks those behind it. A job of up to a node's GPUs goes to one node, the one with the
//! fewest free GPUs that fits; a larger one takes whole empty nodes.
//!
//! # Source
//! The `fifo` policy with placer `consolidate` of the Helios simulator (HeliosArtifact, *QSSF Service*).

/// This policy has no switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {}
