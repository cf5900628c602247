//! Form fields in EGO's terms: consumers and the settings of the plan.
//!
//! # Source
//! ego.md 2, 8.5

use super::settings::{GRACE_PERIODS, LENDING, PLAN, RANK};
use crate::policy::form::{Ask, DISPLAY_NAME, Group, REMARK, text};
use crate::policy::setting::fields;

/// Fields of a consumer.
pub const QUEUE: &[Group] = &[
    (
        "Consumer",
        &[
            text("name", "Name", "", "Unique among consumers."),
            DISPLAY_NAME,
            text("parent", "Parent", "the root", "The consumer above; its private pool comes before the public one.")
                .ask(Ask::Parent),
            text(
                "priority",
                "Share priority",
                "0",
                "Among siblings the larger is served first with all it can use. IBM counts from 1 (highest) to 10.",
            ),
            RANK.field,
        ],
    ),
    (
        "GPU",
        &[
            text("gpu.quota", "Ownership", "0", "GPUs. The consumer owns the first whole hosts that fit."),
            text(
                "gpu.weight",
                "Share ratio",
                "1",
                "Relative share of share pools among siblings of equal priority; 0: no share.",
            ),
            text("gpu.limit", "Share limit", "none", "Maximum GPUs from share pools; owned GPUs do not count."),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Ownership", "0", "Cores. The consumer owns the first whole hosts that fit."),
            text("cpu.limit", "Share limit", "none", "Maximum cores from share pools."),
        ],
    ),
    (
        "Memory",
        &[
            text("memory.quota", "Ownership", "0", "With a unit such as 64 GB."),
            text("memory.limit", "Share limit", "none", "Same units as ownership."),
        ],
    ),
    ("Lending", &fields(&LENDING)),
    ("Grace periods", &fields(&GRACE_PERIODS)),
    REMARK,
];

/// Fields of the settings.
pub const SETTINGS: &[Group] = &[("EGO settings", &fields(&PLAN))];
