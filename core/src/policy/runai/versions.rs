//! Modelled versions of Run:ai.
//!
//! # Source
//! runai.md 15: public documentation.

use crate::policy::versions::Modelled;

/// Modelled versions.
pub const MODELLED: Modelled = Modelled {
    policy: "runai",
    product: "Run:ai",
    label: "Run:ai",
    versions: "as described in its public documentation at docs.run.ai, which names no version",
    revision: "",
    source: "“The Run:ai Scheduler” and related pages; what it leaves open is decided as in KAI Scheduler v0.13",
    compared: "",
    changes: &[],
};
