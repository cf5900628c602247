//! Form fields in YuniKorn's terms: queues, jobs, the partition and the root.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use super::settings::{
    ACCESS, BACKOFF, LIMITS, OFFSET, OTHER_TYPES, PARENT, PARTITION, PREEMPTION, PRIORITY_POLICY, RELOADED, SORTING,
};
use crate::policy::form::{Ask, Attribute, DISPLAY_NAME, Group, REMARK, Stored, YES_NO, text};
use crate::policy::setting::fields;

/// Fields of a queue.
pub const QUEUE: &[Group] = &[
    (
        "Queue",
        &[
            text("name", "Name", "", "Unique in the file. A queue a.b below a is called b there."),
            DISPLAY_NAME,
            text("parent", "Parent", "root", "The queue above this one.").ask(Ask::Parent),
            LIMITS[0].field,
            LIMITS[1].field,
        ],
    ),
    ("Priority", &[Attribute { key: "priority", stored: Stored::Field, ..OFFSET.field }, PRIORITY_POLICY.field]),
    ("Sorting", &fields(&SORTING)),
    ("Preemption", &fields(&PREEMPTION)),
    (
        "GPU",
        &[
            text("gpu.quota", "guaranteed", "none", "Whole GPUs. Below this amount the queue can preempt others."),
            text("gpu.limit", "max", "none", "Whole GPUs: the maximum for the queue and its children."),
        ],
    ),
    ("vcore", &[text("cpu.quota", "guaranteed", "none", "Cores."), text("cpu.limit", "max", "none", "Cores.")]),
    (
        "memory",
        &[
            text("memory.quota", "guaranteed", "none", "With a unit such as 64Gi."),
            text("memory.limit", "max", "none", "With a unit such as 64Gi."),
        ],
    ),
    ("Other resource types", &fields(&OTHER_TYPES)),
    ("Back-off", &fields(&BACKOFF)),
    ("Dynamic queues", &[PARENT.field, TEMPLATE[0], TEMPLATE[1], TEMPLATE[2], TEMPLATE[3], TEMPLATE[4]]),
    ("Reloaded configuration", &fields(&RELOADED)),
    ("Access, kept for export", &fields(&ACCESS)),
    REMARK,
];

/// Job fields that only YuniKorn reads.
pub const JOB: Group = (
    "Application and gang",
    &[
        text(
            "application",
            "Application",
            "the job itself",
            "Jobs of one application share its queue and its place in the order, like a driver and its executors.",
        ),
        text(
                "originator",
                "Originator",
                "no",
                "Whether it started its application (such as a driver): other [jobs] are [evicted] first.",
            ).ask(YES_NO),
        text(
                "preempts",
                "Preempts others",
                "yes",
                "No, like preemptionPolicy Never: no [job] is [evicted] for it.",
            ).ask(YES_NO),
        text(
            "groups",
            "Groups",
            "those of its user",
            "Groups of the user as submitted with this [job], separated by commas. [Queue] [limits] refer to them.",
        ),
        text(
            "required-node",
            "Required [node]",
            "any",
            "The only [node] where it may run, as a [pod] of a DaemonSet.",
        ),
        text(
                "gang",
                "gangSchedulingStyle",
                "no placeholders",
                "Placeholders reserve room until all members fit. After the timeout a soft gang continues without them, a hard gang fails.",
            ).ask(Ask::Choice(&[("soft", "Soft"), ("hard", "Hard")])),
        text(
            "placeholder-timeout",
            "placeholderTimeoutInSeconds",
            "15m",
            "How long placeholders wait for the others, from the first that is placed.",
        ),
    ],
);

/// Template fields; further properties can be given as text, as `childtemplate.PROPERTY.NAME`.
const TEMPLATE: [Attribute; 5] = [
    Attribute { key: "childtemplate.maxapplications", label: "maxapplications of each", ..LIMITS[0].field },
    Attribute {
        key: "childtemplate.guaranteed",
        label: "guaranteed of each",
        says: "Such as: nvidia.com/gpu 2, vcore 8.",
        ..OTHER_TYPES[0].field
    },
    Attribute {
        key: "childtemplate.max",
        label: "max of each",
        says: "Such as: nvidia.com/gpu 2, vcore 8.",
        ..OTHER_TYPES[1].field
    },
    Attribute {
        key: "childtemplate.priority.offset",
        label: "priority.offset of each",
        says: "Added to their priorities.",
        ..OFFSET.field
    },
    Attribute {
        key: "childtemplate.application.sort.policy",
        label: "application.sort.policy of each",
        default: "fifo",
        says: "The order in which their applications are tried.",
        ..SORTING[0].field
    },
];

/// Settings of the root queue.
const OF_ROOT: [Attribute; 6] = [
    of_root("maxapplications.root", LIMITS[0].field),
    of_root("limits.root", LIMITS[1].field),
    Attribute {
        default: "fifo",
        says: "Inherited by all leaf queues that do not set it.",
        ..of_root("application.sort.policy.root", SORTING[0].field)
    },
    Attribute {
        default: "enabled",
        says: "Applies to the top-level queues and is inherited by all queues that do not set it.",
        ..of_root("application.sort.priority.root", SORTING[1].field)
    },
    Attribute { default: "30s", ..of_root("preemption.delay.root", PREEMPTION[1].field) },
    Attribute { default: "off", ..of_root("quota.preemption.delay.root", PREEMPTION[2].field) },
];

/// The field of a setting of the root queue.
const fn of_root(key: &'static str, attribute: Attribute) -> Attribute {
    Attribute { key, stored: Stored::Setting, ..attribute }
}

/// Fields of the settings.
pub const SETTINGS: &[Group] = &[("Partition", &fields(&PARTITION)), ("The root queue", &OF_ROOT)];
