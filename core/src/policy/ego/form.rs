//! Form fields in EGO's terms: consumers and the settings of the plan.
//!
//! # Source
//! ego.md 2, 8.5

use crate::policy::form::{Ask, DISPLAY_NAME, Group, ON_OFF, REMARK, ask, text};

/// Fields of a consumer.
pub const QUEUE: &[Group] = &[
    (
        "Consumer",
        &[
            text("name", "Name", "", "Unique among consumers."),
            DISPLAY_NAME,
            ask(
                text(
                    "parent",
                    "Parent",
                    "the root",
                    "The consumer above; its private pool comes before the public one.",
                ),
                Ask::Parent,
            ),
            text(
                "priority",
                "Share priority",
                "0",
                "Among siblings the larger is served first with all it can use. IBM counts from 1 (highest) to 10.",
            ),
            text("@rank", "Rank", "0", "Order in which owners get their hosts; 0 is first."),
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
            text(
                "gpu.limit",
                "Share limit",
                "none",
                "Maximum GPUs from share pools; owned GPUs do not count.",
            ),
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
    (
        "Lending",
        &[
            ask(
                text(
                    "@lendout",
                    "Lends its hosts",
                    "as the plan says",
                    "Whether other consumers can use its idle hosts.",
                ),
                ON_OFF,
            ),
            text("@reserved", "Reserved hosts", "0", "Number of its own hosts that are never lent."),
            text(
                "@lendout-grace",
                "Lend-out grace",
                "as the plan's grace period",
                "Borrowers that require a longer reclaim grace are refused.",
            ),
        ],
    ),
    (
        "Grace periods",
        &[
            text(
                "@reclaim-grace",
                "Reclaim grace",
                "that of the pool",
                "How long its units keep running after they are reclaimed; pools with a shorter grace refuse it.",
            ),
            text(
                "@private-pool-grace",
                "Grace of its private pool",
                "as the plan's grace period",
                "Grace period in its private pool.",
            ),
        ],
    ),
    REMARK,
];

/// Fields of the settings.
pub const SETTINGS: &[Group] = &[(
    "EGO settings",
    &[
        text(
            "settings.grace",
            "Grace period",
            "the termination time",
            "How long a unit keeps running after it is reclaimed, such as 60s: DefaultGracePeriod of the plan.",
        ),
        ask(
            text(
                "settings.lendout",
                "Owners lend",
                "on",
                "Whether idle hosts of an owner are lent to others.",
            ),
            ON_OFF,
        ),
        ask(
            text("settings.placement", "Host selection", "stacked", "Which host a unit is placed on."),
            Ask::Choice(&[
                ("stacked", "the first that fits"),
                ("balanced", "the one with the most free room"),
                ("exclusive", "one used only by this consumer"),
            ]),
        ),
        text(
            "settings.over-commit.cpu",
            "Over-commit of CPU",
            "1",
            "Hosts offer their cores multiplied by this ratio, 1 to 100: OverCommitRatio of ncpus.",
        ),
        text(
            "settings.over-commit.memory",
            "Over-commit of memory",
            "1",
            "Hosts offer their memory multiplied by this ratio, 1 to 100.",
        ),
        text(
            "settings.over-commit.gpu",
            "Over-commit of GPUs",
            "1",
            "Hosts offer their GPUs multiplied by this ratio, rounded down to whole GPUs; at most 64 on a host.",
        ),
        ask(
            text(
                "settings.plan",
                "Plan",
                "multidimensional",
                "What is shared: usage of units of any size, or whole slots.",
            ),
            Ask::Choice(&[
                ("multidimensional", "units of any size, by share usage"),
                ("slots", "whole slots: one GPU each, one for each pod"),
            ]),
        ),
        ask(
            text(
                "settings.share-quota",
                "Share quota",
                "dynamic",
                "Slot plans only: which quota reclaim goes by.",
            ),
            Ask::Choice(&[
                ("dynamic", "only consumers with pending work, at most their demand"),
                ("static", "by share ratio alone"),
            ]),
        ),
        ask(
            text(
                "settings.enforcement",
                "Enforcement",
                "leaf",
                "Slot plans only: where shares are enforced.",
            ),
            Ask::Choice(&[
                ("leaf", "a leaf reclaims from any leaf above its quota"),
                ("parent", "only from a branch that is above its own quota"),
            ]),
        ),
    ],
)];
