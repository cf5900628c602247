//! Modelled versions of Apache YuniKorn.
//!
//! # Source
//! yunikorn.md, upstream revision described there.

use crate::policy::versions::Modelled;

/// Modelled versions.
pub const MODELLED: Modelled = Modelled {
    policy: "yunikorn",
    product: "Apache YuniKorn",
    label: "YuniKorn after 1.9.0",
    versions: "core after release 1.9.0",
    revision: "be3bb487298956dd70906fca15e577bbc12d23cb",
    source: "source code of 2026-07-02",
    compared: "",
    changes: &[],
};
