//! Hosts with which the chosen one is compared in an explanation.
//!
//! # Rule
//! Of the hosts that fit, the next ones are recorded; of those before the chosen one that do not, the nearest.
//!
//! # Source
//! ego.md 7.4
//!
//! # Differs
//! nothing

use std::cmp::Reverse;

use super::ids::HostId;
use super::plan::Dims;

/// Units that a host can still take if they are compared, then its place in the order.
pub(super) type Key = (Option<Reverse<u64>>, usize);

/// The chosen host.
pub(super) struct Chosen {
    pub host: HostId,
    /// Those near it, if they are recorded.
    pub near: Option<NearHosts>,
}

/// Hosts near the chosen one, as they were when it was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct NearHosts {
    pub(super) own: Key,
    /// The next best ones.
    pub(super) next: Vec<(HostId, Key)>,
    /// Those before it that do not fit, with what was free.
    pub(super) unfit: Vec<(HostId, Dims)>,
}
