//! Form fields in Run:ai's terms: departments, projects and workloads.
//!
//! # Source
//! runai.md 4.2, 7, 9

use super::settings::OF_QUEUE;
use crate::policy::form::{Ask, Attribute, DISPLAY_NAME, Group, PROTECTION, REMARK, text};

/// Preemptibility of a workload.
pub const PREEMPTIBLE: Attribute = text(
        "preemptible",
        "Preemptible",
        "below priority 100",
        "No: it stays in quota and is never evicted. Semi: this holds for its minimum pods; further pods can go over quota and be evicted.",
    ).ask(Ask::Choice(&[("true", "yes"), ("false", "no"), ("semi", "semi: only above its minimum")]));

/// Priority of a workload, with the presets of the product.
pub const PRIORITY: Attribute = text(
    "priority",
    "Priority class",
    "train (50)",
    "A class or a number; higher values are served first within the project.",
)
.ask(Ask::Usual(&[
    ("train", "50, preemptible"),
    ("interactive-preemptible", "75, preemptible"),
    ("build", "100, not preemptible"),
    ("inference", "125, not preemptible"),
]));

/// Fields of a department or project.
pub const QUEUE: &[Group] = &[
    (
        "Department or project",
        &[
            text("name", "Name", "", "Unique among departments and projects."),
            DISPLAY_NAME,
            text(
                "parent",
                "Department",
                "none: a department, or a project of one level",
                "The department of the project.",
            )
            .ask(Ask::Parent),
            text(
                "priority",
                "Rank",
                "the same for all",
                "A number. Higher ranks are served first and reclaimed from last. Older versions have no rank.",
            ),
            OF_QUEUE.field,
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
            text("gpu.quota", "Quota", "0", "Guaranteed GPU devices, or: unlimited. Unused quota is lent to others."),
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
