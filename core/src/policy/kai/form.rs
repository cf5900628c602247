//! How the settings of KAI are asked for, in its own words; some are Run:ai's too.

use crate::policy::form::{Ask, Attribute, Group, ON_OFF, ask, text};

const PLACEMENT: Ask = Ask::Choice(&[("binpack", "fullest node first"), ("spread", "emptiest node first")]);
const RESOLVE: Ask =
    Ask::Choice(&[("lca", "where paths split"), ("queue", "from the victim's queue upwards")]);
const CLIENTS: Ask = Ask::Choice(&[
    ("none", "nobody"),
    ("prometheus", "Prometheus, by time"),
    ("fake-with-history", "KAI's test client, by cycle"),
]);
const WINDOWS: Ask = Ask::Choice(&[("sliding", "sliding"), ("tumbling", "tumbling")]);

/// What KAI, and Run:ai on its engine, read of jobs.
pub const JOB: Group = (
    "Its tries",
    &[
        ask(
            text(
                "scheduling-backoff",
                "Back-off",
                "-1: tried in every cycle",
                "1: if all of it still waits at the end of a cycle, it is not tried again in that pool.",
            ),
            Ask::Choice(&[("-1", "tried in every cycle"), ("1", "tried once")]),
        ),
        text(
            "nominated-node",
            "Nominated node",
            "none",
            "What something outside, such as an autoscaler, has in mind: its pods go there first, if they fit.",
        ),
    ],
);

/// How many pods consolidation moves.
pub const MOST_MOVED: Attribute = text(
    "settings.max-consolidation-preemptees",
    "Most pods moved at once",
    "16",
    "A number; 0 switches consolidation off; unlimited is possible.",
);
/// How long a gang may lack pods.
pub const GANG_GRACE: Attribute = text(
    "settings.staleness-grace",
    "Grace of incomplete gangs",
    "60s",
    "How long a gang may run below its minimum; unlimited is possible.",
);
/// Who measures past use.
pub const MEASURED_BY: Attribute = ask(
    text(
        "settings.usage-client",
        "Measured by",
        "nobody",
        "Whose way of measuring what queues or projects use while the run goes on.",
    ),
    CLIENTS,
);
/// How far back use counts.
pub const WINDOW: Attribute =
    text("settings.usage-window", "Window", "7d", "How far back usage counts, such as 7d or 1h.");
/// How the window moves.
pub const KIND_OF_WINDOW: Attribute = ask(
    text(
        "settings.usage-window-type",
        "Kind of window",
        "sliding",
        "Tumbling: what was used is forgotten at the end of each window.",
    ),
    WINDOWS,
);
/// From where windows are counted.
pub const FIRST_WINDOW: Attribute = text(
    "settings.usage-window-start",
    "First window begins",
    "0s",
    "Of tumbling windows: a moment from which they are counted.",
);
/// How use fades.
pub const HALF_LIFE: Attribute = text(
    "settings.usage-half-life",
    "Half-life",
    "off",
    "After this time usage counts half; left out, all of the window counts alike.",
);
/// When the scheduler learns of use.
pub const FETCHED: Attribute =
    text("settings.usage-fetch-interval", "Fetched every", "60s", "How often the scheduler learns of it.");

/// How long a job runs before others may take from it.
pub const MIN_RUNTIME: Group = (
    "Minimum runtime",
    &[
        text(
            "settings.default-reclaim-min-runtime",
            "Against other queues",
            "0s",
            "A job runs at least this long before another queue may take from it. Queues may say otherwise.",
        ),
        text(
            "settings.default-preempt-min-runtime",
            "Against jobs of its own queue",
            "0s",
            "A job runs at least this long before a job of higher priority may take from it.",
        ),
        ask(
            text(
                "settings.reclaim-resolve",
                "Whose minimum counts against other queues",
                "where paths split",
                "The first queue with a minimum, looked for from there upwards.",
            ),
            RESOLVE,
        ),
    ],
);

/// Which node is taken.
pub const PLACEMENTS: Group = (
    "Placement",
    &[
        ask(
            text(
                "settings.gpu-placement",
                "GPU work",
                "fullest node first",
                "Which of the nodes that fit is taken.",
            ),
            PLACEMENT,
        ),
        ask(
            text(
                "settings.cpu-placement",
                "CPU-only work",
                "fullest node first",
                "Which of the nodes that fit is taken.",
            ),
            PLACEMENT,
        ),
    ],
);

/// The settings, in the order in which they matter to most people.
pub const SETTINGS: &[Group] = &[
    (
        "Switches of KAI",
        &[
            text(
                "settings.actions",
                "Actions of a cycle",
                "all five, in order",
                "In order: allocate, consolidation, reclaim, preempt, stalegangeviction.",
            ),
            text(
                "settings.plugins",
                "Plugins",
                "all that KAI loads by itself",
                "The rules that are loaded, by KAI's names, such as predicates, proportion, priority.",
            ),
            text(
                "settings.k-value",
                "Weight of the past (k)",
                "1",
                "A factor from 0: how strongly past usage lowers a queue's part in the surplus.",
            ),
            text(
                "settings.saturation-multiplier",
                "Saturation multiplier",
                "1",
                "A factor from 1: the larger, the more queues keep of what they hold beyond their fair share.",
            ),
            ask(
                text(
                    "settings.full-hierarchy-fairness",
                    "Shares at every level",
                    "on",
                    "Off: queues below a parent are treated as if they stood at the top.",
                ),
                ON_OFF,
            ),
            ask(
                text(
                    "settings.restrict-node-scheduling",
                    "Separate nodes for CPU work",
                    "off",
                    "On: GPU work runs on nodes labelled as GPU workers only, other work on CPU workers only.",
                ),
                ON_OFF,
            ),
            text("settings.default-job-priority", "Priority of jobs without one", "50", "A whole number."),
            ask(
                text(
                    "settings.consolidating-reclaim",
                    "Reclaim may move",
                    "on",
                    "Victims that find another place do not count as taken.",
                ),
                ON_OFF,
            ),
            MOST_MOVED,
            GANG_GRACE,
            ask(
                text(
                    "settings.scheduling-signatures",
                    "Skip jobs like failed ones",
                    "on",
                    "A job that asks for the same as one that just failed is not tried.",
                ),
                ON_OFF,
            ),
            text(
                "settings.seed",
                "Seed for what is left to chance",
                "none",
                "A number: the orders that KAI leaves to chance are drawn by it, not by age and name.",
            ),
        ],
    ),
    MIN_RUNTIME,
    PLACEMENTS,
    (
        "Memory of past usage",
        &[
            MEASURED_BY,
            WINDOW,
            KIND_OF_WINDOW,
            FIRST_WINDOW,
            HALF_LIFE,
            text("settings.usage-resolution", "Sampled every", "60s", "How often usage is measured."),
            FETCHED,
        ],
    ),
    (
        "Jobs looked at in each queue",
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
