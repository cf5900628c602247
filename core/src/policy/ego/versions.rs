//! Modelled versions of IBM EGO.
//!
//! # Source
//! ego.md 16: IBM's documentation of these versions.

use crate::policy::versions::Modelled;

/// Modelled versions.
pub const MODELLED: Modelled = Modelled {
    policy: "ego",
    product: "IBM EGO",
    label: "EGO 7.3.2",
    versions: "of IBM Spectrum Symphony 7.3.1 to 7.3.2 and IBM Spectrum Conductor 2.3.0 to 2.4.1",
    revision: "",
    source: "public documentation of these versions",
    compared: "",
    changes: &[],
};
