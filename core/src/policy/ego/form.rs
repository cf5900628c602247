//! How the values of EGO are asked for, in its own words: consumers and the settings of the plan.

use crate::policy::form::{Ask, Group, ON_OFF, REMARK, ask, text};

/// A consumer of EGO.
pub const QUEUE: &[Group] = &[
    (
        "Consumer",
        &[
            text("name", "Name", "", "Unique among consumers."),
            ask(
                text("parent", "Parent", "the root", "Its private pool comes before the public one."),
                Ask::Parent,
            ),
            text(
                "priority",
                "Share priority",
                "0",
                "Among siblings the larger takes all it can use first. IBM counts from 1, the highest, to 10.",
            ),
            text("@rank", "Rank", "0", "Order in which owners get their hosts; 0 is first."),
        ],
    ),
    (
        "GPU",
        &[
            text("gpu.quota", "Ownership", "0", "GPUs: it owns the first whole hosts that fit into it."),
            text(
                "gpu.weight",
                "Share ratio",
                "1",
                "Its part in share pools among siblings of equal priority; 0 takes no part.",
            ),
            text(
                "gpu.limit",
                "Share limit",
                "none",
                "The most GPUs it takes from share pools; what it owns does not count.",
            ),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Ownership", "0", "Cores: it owns the first whole hosts that fit into it."),
            text("cpu.limit", "Share limit", "none", "The most cores it takes from share pools."),
        ],
    ),
    (
        "Memory",
        &[
            text("memory.quota", "Ownership", "0", "With a unit such as 64 GB."),
            text("memory.limit", "Share limit", "none", "As the ownership."),
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
                    "Whether others may use the hosts that it cannot use.",
                ),
                ON_OFF,
            ),
            text("@reserved", "Reserved hosts", "0", "How many of its own hosts are never lent."),
            text(
                "@lendout-grace",
                "Lend-out grace",
                "as the plan's grace period",
                "Borrowers with a longer reclaim grace are refused.",
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
                "How long its own units go on when they are reclaimed; pools with a shorter grace refuse it.",
            ),
            text(
                "@private-pool-grace",
                "Grace of its private pool",
                "as the plan's grace period",
                "What units of those below it are given in its private pool.",
            ),
        ],
    ),
    REMARK,
];

/// The settings of EGO.
pub const SETTINGS: &[Group] = &[(
    "Switches of EGO",
    &[
        text(
            "settings.grace",
            "Grace period",
            "the delay from evict to gone",
            "How long a unit may go on once it is taken, such as 60s: DefaultGracePeriod of the plan.",
        ),
        ask(
            text(
                "settings.lendout",
                "Owners lend",
                "on",
                "Whether hosts that an owner cannot use are lent to others.",
            ),
            ON_OFF,
        ),
        ask(
            text("settings.placement", "Which host", "stacked", "The host that a unit goes to."),
            Ask::Choice(&[
                ("stacked", "the first that fits"),
                ("balanced", "the one with the most room"),
                ("exclusive", "one that only this consumer uses"),
            ]),
        ),
    ],
)];
