//! Form fields of KAI's settings, in its own terms; Run:ai shares some of them.
//!
//! # Source
//! kai.md 4.1

use crate::policy::form::{Ask, Attribute, Group, ON_OFF, ask, text};

const PLACEMENT: Ask = Ask::Choice(&[("binpack", "fullest node first"), ("spread", "emptiest node first")]);
const RESOLVE: Ask = Ask::Choice(&[
    ("lca", "at the level where the queues' paths split"),
    ("queue", "at the victim's queue, then its parents"),
]);
const CLIENTS: Ask = Ask::Choice(&[
    ("none", "off"),
    ("prometheus", "Prometheus, by time"),
    ("fake-with-history", "KAI's test client, by cycle"),
]);
const WINDOWS: Ask = Ask::Choice(&[("sliding", "sliding"), ("tumbling", "tumbling")]);

/// Job fields read by KAI, and by Run:ai on its engine.
pub const JOB: Group = (
    "Retries",
    &[
        ask(
            text(
                "scheduling-backoff",
                "Back-off",
                "-1: considered in every cycle",
                "1: if all of its [pods] are still pending at the end of a cycle, it is not tried again in that [node] pool.",
            ),
            Ask::Choice(&[("-1", "considered in every cycle"), ("1", "tried once")]),
        ),
        text(
            "preemption-delay",
            "Preemption delay",
            "0s",
            "Version 0.17: for how long after its creation or an eviction it may not evict other [jobs].",
        ),
        text(
            "staleness-grace",
            "Grace period below its minimum",
            "that of all gangs",
            "Version 0.17: how long it may run below its minimum, or: unlimited.",
        ),
        text(
            "min-subgroups",
            "Minimum of subgroups",
            "all",
            "Version 0.17: how many of its groups and [pod] sets start together. Such [jobs] count as incomplete while any [pod] set \
             lacks [pods].",
        ),
        text(
            "min-subgroups-of",
            "Minimum in a group",
            "all",
            "Version 0.17: how many members of a group of [pod] sets start together, by its name, such as replicas=2.",
        ),
        text(
            "nominated-node",
            "Nominated [node]",
            "none",
            "Set by something outside, such as an autoscaler: [pods] go to this [node] first if they fit.",
        ),
    ],
);

/// Maximum number of victims of a consolidation.
pub const MOST_MOVED: Attribute = text(
    "settings.max-consolidation-preemptees",
    "Maximum pods moved at once",
    "16",
    "A number, or: unlimited. 0 turns consolidation off.",
);
/// Grace period of gangs below their minimum.
pub const GANG_GRACE: Attribute = text(
    "settings.staleness-grace",
    "Grace period of incomplete gangs",
    "60s",
    "How long a gang may run below its minimum, or: unlimited.",
);
/// Source of usage samples.
pub const MEASURED_BY: Attribute = ask(
    text(
        "settings.usage-client",
        "Usage history",
        "off",
        "How past usage of queues is measured during the run.",
    ),
    CLIENTS,
);
/// Length of the usage window.
pub const WINDOW: Attribute =
    text("settings.usage-window", "Window", "7d", "How far back usage counts, such as 7d or 1h.");
/// Type of the usage window.
pub const KIND_OF_WINDOW: Attribute = ask(
    text(
        "settings.usage-window-type",
        "Window type",
        "sliding",
        "Tumbling: usage is reset at the end of each window.",
    ),
    WINDOWS,
);
/// Start of the first tumbling window.
pub const FIRST_WINDOW: Attribute = text(
    "settings.usage-window-start",
    "Start of the first window",
    "0s",
    "For tumbling windows: the moment from which they are counted.",
);
/// Half-life of usage.
pub const HALF_LIFE: Attribute = text(
    "settings.usage-half-life",
    "Half-life",
    "off",
    "Usage this old counts half. Not set: all usage in the window counts equally.",
);
/// Interval at which the scheduler reads usage.
pub const FETCHED: Attribute = text(
    "settings.usage-fetch-interval",
    "Fetch interval",
    "60s",
    "How often the scheduler reads the usage.",
);

/// Minimum runtimes.
pub const MIN_RUNTIME: Group = (
    "Minimum runtime",
    &[
        text(
            "settings.default-reclaim-min-runtime",
            "Before reclaim",
            "0s",
            "How long a job must have run before another queue can reclaim it. Queues can override this.",
        ),
        text(
            "settings.default-preempt-min-runtime",
            "Before preemption",
            "0s",
            "How long a job must have run before a job of higher priority in its queue can preempt it.",
        ),
        ask(
            text(
                "settings.reclaim-resolve",
                "Which minimum applies to reclaim",
                "at the level where the queues' paths split",
                "The first queue that sets a minimum, searched from there upwards.",
            ),
            RESOLVE,
        ),
    ],
);

/// Placement strategies.
pub const PLACEMENTS: Group = (
    "Placement",
    &[
        ask(
            text(
                "settings.gpu-placement",
                "GPU [jobs]",
                "fullest node first",
                "Which [node] is chosen among those that fit.",
            ),
            PLACEMENT,
        ),
        ask(
            text(
                "settings.cpu-placement",
                "CPU-only [jobs]",
                "fullest node first",
                "Which [node] is chosen among those that fit.",
            ),
            PLACEMENT,
        ),
    ],
);

/// Groups of settings, most frequently used first.
pub const SETTINGS: &[Group] = &[
    (
        "KAI settings",
        &[
            ask(
                text(
                    "settings.version",
                    "Version",
                    "0.13",
                    "The release line whose rules decide. 0.17 searches jobs to evict in another way, counts requests of GPU memory \
                     by the devices of the cluster, and knows more settings of jobs.",
                ),
                Ask::Choice(&[("0.13", "v0.13, v0.14.0"), ("0.17", "v0.17")]),
            ),
            text(
                "settings.actions",
                "Actions of a cycle",
                "all five, in order",
                "In order: allocate, consolidation, reclaim, preempt, stalegangeviction.",
            ),
            text(
                "settings.plugins",
                "Plugins",
                "KAI's default plugins",
                "Plugins by KAI's names, such as predicates, proportion, priority. Version 0.17: sg-nodelocalgreedy evicts the \
                 [jobs] of one [node] after the other, sg-multinodegang those of the smallest [nodes] that suffice together; without \
                 both, reclaim, preempt and consolidation find nothing.",
            ),
            text(
                "settings.k-value",
                "Usage weight (k)",
                "1",
                "A factor from 0: how strongly past usage reduces a queue's share of unused capacity.",
            ),
            text(
                "settings.saturation-multiplier",
                "Reclaimer utilization multiplier",
                "1",
                "A factor from 1: the larger, the harder it is to reclaim from queues over their fair share. KAI documents it as \
                 reclaimerUtilizationMultiplier; its code reads relcaimerSaturationMultiplier.",
            ),
            ask(
                text(
                    "settings.queue-priority-in-quota-reclaim",
                    "Reclaim by queue priority (v0.18, alpha)",
                    "off",
                    "On: a [queue] that stays within its [quota] reclaims from [queues] of lower priority, even within their [quota]. \
                     Needs version 0.17. KAI: queuePriorityInQuotaReclaim.",
                ),
                ON_OFF,
            ),
            ask(
                text(
                    "settings.full-hierarchy-fairness",
                    "Hierarchical shares",
                    "on",
                    "Off: child queues are treated as top-level queues.",
                ),
                ON_OFF,
            ),
            ask(
                text(
                    "settings.restrict-node-scheduling",
                    "Separate nodes for CPU jobs",
                    "off",
                    "On: GPU jobs run only on nodes labelled as GPU workers, other jobs only on CPU workers.",
                ),
                ON_OFF,
            ),
            text("settings.default-job-priority", "Default priority", "50", "A whole number."),
            ask(
                text(
                    "settings.consolidating-reclaim",
                    "Allow moves during reclaim",
                    "on",
                    "Evicted jobs that fit on another node do not count as reclaimed.",
                ),
                ON_OFF,
            ),
            MOST_MOVED,
            GANG_GRACE,
            text(
                "settings.stuck-in-releasing-threshold",
                "Longest shutdown of a [pod]",
                "2m",
                "Version 0.17: the room of a [pod] that takes longer to shut down is not promised to other [jobs].",
            ),
            ask(
                text(
                    "settings.scheduling-signatures",
                    "Skip jobs similar to failed ones",
                    "on",
                    "A job with the same requests as one that just failed is not tried.",
                ),
                ON_OFF,
            ),
            text(
                "settings.seed",
                "Random seed",
                "none",
                "A number. Orders that KAI leaves undefined are drawn with it instead of by age and name.",
            ),
        ],
    ),
    MIN_RUNTIME,
    PLACEMENTS,
    (
        "Usage history",
        &[
            MEASURED_BY,
            WINDOW,
            KIND_OF_WINDOW,
            FIRST_WINDOW,
            HALF_LIFE,
            text("settings.usage-resolution", "Sampling interval", "60s", "How often usage is measured."),
            FETCHED,
        ],
    ),
    (
        "Jobs considered per queue",
        &[
            text("settings.queue-depth-allocate", "Allocate", "all", "A number of jobs, or: unlimited."),
            text(
                "settings.queue-depth-consolidation",
                "Consolidation",
                "all",
                "A number of jobs, or: unlimited.",
            ),
            text("settings.queue-depth-reclaim", "Reclaim", "all", "A number of jobs, or: unlimited."),
            text("settings.queue-depth-preempt", "Preempt", "all", "A number of jobs, or: unlimited."),
        ],
    ),
];
