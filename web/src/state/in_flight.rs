//! Requests to the engine that are under way.

/// The latest request of each kind; replies to earlier ones are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InFlight {
    /// For a frame.
    pub frame: u64,
    /// For an alternative.
    pub preview: u64,
    /// For what the run before the last edit has to tell.
    pub baseline: u64,
    /// Alternatives of later requests than this are of the value that is being changed: each that comes is shown.
    pub preview_from: u64,
    /// For a ladder.
    pub ladder: u64,
    /// For an order.
    pub order: u64,
    /// For the rules of a policy.
    pub rules: u64,
    /// For what a rule did in a cycle.
    pub rule_use: u64,
    /// For the end of what is under way, as long as that is not answered.
    pub cancel: u64,
    /// For the next event.
    pub event: u64,
    /// For an import.
    pub import: u64,
    /// For a table of the whole run.
    pub csv: u64,
    /// For the text of a large scenario that is to be kept.
    pub packed: u64,
    /// For an export.
    pub export: u64,
    /// For a kit.
    pub kit: u64,
    /// For what would help.
    pub help: u64,
    /// For what is told of the whole run.
    pub report: u64,
    /// For a translation.
    pub translation: u64,
    /// For a comparison.
    pub comparison: u64,
}
