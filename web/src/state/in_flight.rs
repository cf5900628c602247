//! Requests to the engine in flight.

/// The latest request of each kind; replies to earlier ones are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InFlight {
    /// The displayed moment; what is asked about it afterwards has higher numbers.
    pub frame: u64,
    /// Report on a known moment.
    pub report: u64,
    pub rules: u64,
    /// Cancellation that has no reply yet.
    pub cancel: u64,
    /// Next event.
    pub event: u64,
    pub import: u64,
    /// Table of the whole run.
    pub csv: u64,
    /// Packed form of a large scenario.
    pub packed: u64,
    pub export: u64,
    pub kit: u64,
    /// What would help a job.
    pub help: u64,
    pub translation: u64,
    pub comparison: u64,
}
