//! Form fields in Run:ai's terms: departments, projects, workloads and the settings.
//!
//! # Source
//! runai.md 4.2, 7, 9

use crate::policy::form::{Ask, Attribute, DISPLAY_NAME, Group, PROTECTION, REMARK, ask, text};
use crate::policy::kai::form::{
    FETCHED, FIRST_WINDOW, GANG_GRACE, HALF_LIFE, KIND_OF_WINDOW, MEASURED_BY, MIN_RUNTIME, MOST_MOVED,
    PLACEMENTS, WINDOW,
};

/// Levels of over-quota weight.
const LEVELS: Ask = Ask::Usual(&[
    ("none", "never beyond the quota"),
    ("lowest", "0: idle GPUs only"),
    ("low", "1"),
    ("medium", "2"),
    ("high", "3"),
]);

/// Preemptibility of a workload.
pub const PREEMPTIBLE: Attribute = ask(
    text(
        "preemptible",
        "Preemptible",
        "below priority 100",
        "No: it stays in quota and is never evicted. Semi: this holds for its minimum pods; further pods can go over quota and be evicted.",
    ),
    Ask::Choice(&[("true", "yes"), ("false", "no"), ("semi", "semi: only above its minimum")]),
);

/// Priority of a workload, with the presets of the product.
pub const PRIORITY: Attribute = ask(
    text(
        "priority",
        "Priority class",
        "train (50)",
        "A class or a number; higher values are served first within the project.",
    ),
    Ask::Usual(&[
        ("train", "50, preemptible"),
        ("interactive-preemptible", "75, preemptible"),
        ("build", "100, not preemptible"),
        ("inference", "125, not preemptible"),
    ]),
);

/// Fields of a department or project.
pub const QUEUE: &[Group] = &[
    (
        "Department or project",
        &[
            text("name", "Name", "", "Unique among departments and projects."),
            DISPLAY_NAME,
            ask(
                text(
                    "parent",
                    "Department",
                    "none: a department, or a project of one level",
                    "The department of the project.",
                ),
                Ask::Parent,
            ),
            text(
                "priority",
                "Rank",
                "the same for all",
                "A number. Higher ranks are served first and reclaimed from last. Older versions have no rank.",
            ),
            ask(
                text(
                    "@over-quota",
                    "Over-quota weight",
                    "that of the resource, else medium (2)",
                    "A level or a number: relative share of unused capacity. Departments share by quota.",
                ),
                LEVELS,
            ),
            text(
                "created",
                "Age",
                "by order in the file",
                "A time such as -5s. The older one wins ties and gets the remainder GPU.",
            ),
        ],
    ),
    (
        "GPU",
        &[
            text(
                "gpu.quota",
                "Quota",
                "0",
                "Guaranteed GPU devices, or: unlimited. Unused quota is lent to others.",
            ),
            text("gpu.limit", "Limit", "none", "Maximum devices it can use."),
            text(
                "gpu.weight",
                "Over-quota weight",
                "2 (medium)",
                "For GPUs only: 0 lowest, 1 low, 2 medium, 3 high, or any number.",
            ),
            text(
                "gpu.usage",
                "Past usage",
                "0",
                "Share of the cluster it used recently, 0 to 1, for time-based fairshare.",
            ),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Quota", "unlimited", "Cores, or: unlimited."),
            text("cpu.limit", "Limit", "none", "Cores."),
            text("cpu.weight", "Over-quota weight", "2 (medium)", "For CPU only."),
        ],
    ),
    (
        "CPU memory",
        &[
            text("memory.quota", "Quota", "unlimited", "With a unit such as 64 GB, or: unlimited."),
            text("memory.limit", "Limit", "none", "Same units as quota."),
            text("memory.weight", "Over-quota weight", "2 (medium)", "For memory only."),
        ],
    ),
    PROTECTION,
    REMARK,
];

/// Fields of the settings.
pub const SETTINGS: &[Group] = &[
    (
        "Run:ai settings",
        &[
            ask(
                text(
                    "settings.department-over-quota",
                    "Department over-quota sharing",
                    "by quota",
                    "How departments share unused capacity: in proportion to quota or to weight.",
                ),
                Ask::Choice(&[("by-quota", "by quota"), ("by-weight", "by weight")]),
            ),
            ask(
                text(
                    "settings.over-quota-weights",
                    "Over-quota weights",
                    "on",
                    "Whether projects share unused capacity by weight or by quota.",
                ),
                Ask::Choice(&[("on", "on"), ("off", "off")]),
            ),
            text(
                "settings.default-job-priority",
                "Default priority",
                "50",
                "A whole number; 100 and above is non-preemptible.",
            ),
            text(
                "settings.saturation-multiplier",
                "Reclaimer utilization multiplier",
                "1",
                "A factor from 1: the larger, the harder it is to reclaim from projects over their fairshare.",
            ),
            MOST_MOVED,
            GANG_GRACE,
        ],
    ),
    MIN_RUNTIME,
    PLACEMENTS,
    (
        "Time-based fairshare",
        &[
            text(
                "settings.k-value",
                "Usage weight (k)",
                "1",
                "A factor from 0: how strongly past usage reduces the over-quota share.",
            ),
            MEASURED_BY,
            WINDOW,
            KIND_OF_WINDOW,
            FIRST_WINDOW,
            HALF_LIFE,
            FETCHED,
        ],
    ),
];
