//! How the values of Run:ai are asked for, in its own words: departments, projects, workloads and the settings.

use crate::policy::form::{Ask, Attribute, Group, PROTECTION, REMARK, ask, text};
use crate::policy::kai::form::{
    FETCHED, FIRST_WINDOW, GANG_GRACE, HALF_LIFE, KIND_OF_WINDOW, MEASURED_BY, MIN_RUNTIME, MOST_MOVED,
    PLACEMENTS, WINDOW,
};

/// The levels of over-quota weight.
const LEVELS: Ask = Ask::Usual(&[
    ("none", "never beyond the quota"),
    ("lowest", "0: idle GPUs only"),
    ("low", "1"),
    ("medium", "2"),
    ("high", "3"),
]);

/// Which pods of a workload of Run:ai may be taken from it.
pub const PREEMPTIBLE: Attribute = ask(
    text(
        "preemptible",
        "May be taken from",
        "below priority 100",
        "If not, it stays within quota and is never evicted for others. Semi: so it is for the first pods, as many as must \
         start together; those above may go over quota and be taken.",
    ),
    Ask::Choice(&[("true", "yes"), ("false", "no"), ("semi", "semi: only above its minimum")]),
);

/// A department or project of Run:ai.
pub const QUEUE: &[Group] = &[
    (
        "Department or project",
        &[
            text("name", "Name", "", "Unique among departments and projects."),
            ask(
                text(
                    "parent",
                    "Department",
                    "none: a department, or a project of one level",
                    "Where the project belongs.",
                ),
                Ask::Parent,
            ),
            text(
                "priority",
                "Rank",
                "the same for all",
                "A number. The larger is served first, and gives back last; older versions have no rank.",
            ),
            ask(
                text(
                    "@over-quota",
                    "Over-quota weight",
                    "that of the resource, else medium (2)",
                    "A level or a number: its part in what nobody's quota uses. A department's part goes by its quota.",
                ),
                LEVELS,
            ),
            text(
                "created",
                "Age",
                "by order in the file",
                "A moment such as -5s. The older one wins a tie and gets the odd GPU.",
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
                "GPU devices it is guaranteed, or: unlimited. What it does not use is lent.",
            ),
            text("gpu.limit", "Limit", "none", "The most devices it ever holds."),
            text(
                "gpu.weight",
                "Over-quota weight",
                "2 (medium)",
                "Of GPUs alone: 0 lowest, 1 low, 2 medium, 3 high, or any number.",
            ),
            text(
                "gpu.usage",
                "Past usage",
                "0",
                "Share of the cluster it used lately, 0 to 1, for time-based fairshare.",
            ),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Quota", "unlimited", "Cores, or: unlimited."),
            text("cpu.limit", "Limit", "none", "Cores."),
            text("cpu.weight", "Over-quota weight", "2 (medium)", "Of CPU alone."),
        ],
    ),
    (
        "CPU memory",
        &[
            text("memory.quota", "Quota", "unlimited", "With a unit such as 64 GB, or: unlimited."),
            text("memory.limit", "Limit", "none", "As the quota."),
            text("memory.weight", "Over-quota weight", "2 (medium)", "Of memory alone."),
        ],
    ),
    PROTECTION,
    REMARK,
];

/// The settings of Run:ai.
pub const SETTINGS: &[Group] = &[
    (
        "Switches of Run:ai",
        &[
            ask(
                text(
                    "settings.department-over-quota",
                    "Over quota of departments",
                    "by quota",
                    "How departments share what is left: in proportion to their quotas, or to their weights.",
                ),
                Ask::Choice(&[("by-quota", "by quota"), ("by-weight", "by weight")]),
            ),
            ask(
                text(
                    "settings.over-quota-weights",
                    "Over-quota weights",
                    "on",
                    "Whether projects share what is left by their weights, or by their quotas.",
                ),
                Ask::Choice(&[("on", "on"), ("off", "off")]),
            ),
            text(
                "settings.default-job-priority",
                "Priority of workloads without one",
                "50",
                "A whole number; from 100 on they are not preemptible.",
            ),
            text(
                "settings.saturation-multiplier",
                "Reclaimer utilisation multiplier",
                "1",
                "A factor from 1: the larger, the more queues keep of what they hold beyond their fairshare.",
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
                "Weight of the past (k)",
                "1",
                "A factor from 0: how strongly past usage lowers a part in the over-quota.",
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
