//! Form fields in YuniKorn's terms: queues, jobs, the partition and the root.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use crate::policy::form::{Ask, Attribute, DISPLAY_NAME, Group, ON_OFF, REMARK, YES_NO, ask, text};

const SORT_POLICY: Ask = Ask::Choice(&[("fifo", "fifo: by submission"), ("fair", "fair: by what they use")]);
const SORT_PRIORITY: Ask =
    Ask::Choice(&[("enabled", "enabled: priority first"), ("disabled", "disabled: priority breaks ties")]);
const PRIORITY_POLICY: Ask = Ask::Choice(&[
    ("default", "default: priorities below count"),
    ("fence", "fence: only the offset counts"),
]);
const PREEMPTION_POLICY: Ask = Ask::Choice(&[
    ("default", "default"),
    ("fence", "fence: no victims outside"),
    ("disabled", "disabled: no victims here"),
]);

const MAX_APPLICATIONS: &str = "How many applications may run in the queue and below it; 0: any number.";
const LIMITS: &str = "Limits of users and groups, as in queues.yaml: [{users: [alice, \"*\"], maxresources: {nvidia.com/gpu: 2}}]";
const DELAY: &str =
    "An ask can preempt only when it is at least this old, such as 30s. Inherited by child queues.";
const QUOTA_DELAY: &str =
    "How long after its max is lowered a queue is preempted down to it. Needs quota preemption.";

/// Fields of a queue.
pub const QUEUE: &[Group] = &[
    (
        "Queue",
        &[
            text("name", "Name", "", "Unique in the file. A queue a.b below a is called b there."),
            DISPLAY_NAME,
            ask(text("parent", "Parent", "root", "The queue above this one."), Ask::Parent),
            text("@maxapplications", "maxapplications", "any number", MAX_APPLICATIONS),
            text("@limits", "limits", "none", LIMITS),
        ],
    ),
    (
        "Priority",
        &[
            text(
                "priority",
                "priority.offset",
                "0",
                "Added to the priorities below on the way to the root. With a fence, only the offset is passed on.",
            ),
            ask(
                text(
                    "@priority.policy",
                    "priority.policy",
                    "default",
                    "Whether priorities below are passed on to the parent.",
                ),
                PRIORITY_POLICY,
            ),
        ],
    ),
    (
        "Sorting",
        &[
            ask(
                text(
                    "@application.sort.policy",
                    "application.sort.policy",
                    "that of the parent, else fifo",
                    "The order in which the applications of a leaf are tried.",
                ),
                SORT_POLICY,
            ),
            ask(
                text(
                    "@application.sort.priority",
                    "application.sort.priority",
                    "that of the parent, else enabled",
                    "Whether priority comes first: among applications in a leaf, among child queues in a parent.",
                ),
                SORT_PRIORITY,
            ),
        ],
    ),
    (
        "Preemption",
        &[
            ask(
                text(
                    "@preemption.policy",
                    "preemption.policy",
                    "default; disabled is inherited",
                    "Where asks below look for victims, and whether this queue provides victims.",
                ),
                PREEMPTION_POLICY,
            ),
            text("@preemption.delay", "preemption.delay", "that of the parent, else 30s", DELAY),
            text(
                "@quota.preemption.delay",
                "quota.preemption.delay",
                "that of the parent, else off",
                QUOTA_DELAY,
            ),
        ],
    ),
    (
        "GPU",
        &[
            text(
                "gpu.quota",
                "guaranteed",
                "none",
                "Whole GPUs. Below this amount the queue can preempt others.",
            ),
            text("gpu.limit", "max", "none", "Whole GPUs: the maximum for the queue and its children."),
        ],
    ),
    (
        "vcore",
        &[text("cpu.quota", "guaranteed", "none", "Cores."), text("cpu.limit", "max", "none", "Cores.")],
    ),
    (
        "memory",
        &[
            text("memory.quota", "guaranteed", "none", "With a unit such as 64Gi."),
            text("memory.limit", "max", "none", "With a unit such as 64Gi."),
        ],
    ),
    (
        "Other resource types",
        &[
            text("@guaranteed", "guaranteed", "none", "Such as: pods 10, ephemeral-storage 5Gi."),
            text("@max", "max", "none", "Such as: pods 10, ephemeral-storage 5Gi."),
        ],
    ),
    (
        "Back-off",
        &[
            text(
                "@application.unschedasks.backoff",
                "application.unschedasks.backoff",
                "that of the parent, else off",
                "After this many asks that fit no node, the application is skipped for a while; 0: never.",
            ),
            text(
                "@application.unschedasks.backoff.delay",
                "application.unschedasks.backoff.delay",
                "that of the parent, else 30s",
                "How long it is skipped.",
            ),
        ],
    ),
    (
        "Dynamic queues",
        &[
            ask(
                text(
                    "@parent",
                    "parent",
                    "off",
                    "Jobs submitted here go to a dynamic child queue of their user.",
                ),
                ON_OFF,
            ),
            TEMPLATE[0],
            TEMPLATE[1],
            TEMPLATE[2],
            TEMPLATE[3],
            TEMPLATE[4],
        ],
    ),
    (
        "Reloaded configuration",
        &[ask(
            text(
                "@absent",
                "absent",
                "off",
                "The configuration does not have this queue; a later timeline entry can add it.",
            ),
            ON_OFF,
        )],
    ),
    (
        "Access, kept for export",
        &[
            text("@submitacl", "submitacl", "nobody", "Not enforced here: everyone can submit."),
            text("@adminacl", "adminacl", "nobody", "Not enforced here."),
        ],
    ),
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
        ask(
            text(
                "originator",
                "Originator",
                "no",
                "Whether it started its application (such as a driver): other [jobs] are [evicted] first.",
            ),
            YES_NO,
        ),
        ask(
            text(
                "preempts",
                "Preempts others",
                "yes",
                "No, like preemptionPolicy Never: no [job] is [evicted] for it.",
            ),
            YES_NO,
        ),
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
        ask(
            text(
                "gang",
                "gangSchedulingStyle",
                "no placeholders",
                "Placeholders reserve room until all members fit. After the timeout a soft gang continues without them, a hard gang fails.",
            ),
            Ask::Choice(&[("soft", "Soft"), ("hard", "Hard")]),
        ),
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
    text("@childtemplate.maxapplications", "maxapplications of each", "any number", MAX_APPLICATIONS),
    text("@childtemplate.guaranteed", "guaranteed of each", "none", "Such as: nvidia.com/gpu 2, vcore 8."),
    text("@childtemplate.max", "max of each", "none", "Such as: nvidia.com/gpu 2, vcore 8."),
    text("@childtemplate.priority.offset", "priority.offset of each", "0", "Added to their priorities."),
    ask(
        text(
            "@childtemplate.application.sort.policy",
            "application.sort.policy of each",
            "fifo",
            "The order in which their applications are tried.",
        ),
        SORT_POLICY,
    ),
];

/// Fields of the settings.
pub const SETTINGS: &[Group] = &[
    (
        "Partition",
        &[
            ask(
                text("settings.node-sort", "nodesortpolicy", "fair", "Which node is tried first."),
                Ask::Choice(&[("fair", "fair: the least used"), ("binpacking", "binpacking: the most used")]),
            ),
            text(
                "settings.node-weights",
                "resourceweights",
                "vcore 1, memory 1",
                "Resource weights for node usage, such as: vcore 1, nvidia.com/gpu 4. GPUs count only if they are listed.",
            ),
            ask(
                text(
                    "settings.preemption",
                    "Preemption",
                    "on",
                    "Whether queues below their guarantee can preempt others.",
                ),
                ON_OFF,
            ),
            ask(
                text(
                    "settings.quota-preemption",
                    "Quota preemption",
                    "off",
                    "Whether queues are preempted down to a max that was lowered.",
                ),
                ON_OFF,
            ),
            text(
                "settings.gpu-type",
                "Resource type of GPUs",
                "nvidia.com/gpu",
                "The resource name of GPUs in the configuration.",
            ),
            text("settings.partition", "Name", "default", "Name of the partition, used for export."),
            text(
                "settings.placement-rules",
                "placementrules",
                "none",
                "Used for export only: jobs name their queue here.",
            ),
        ],
    ),
    (
        "The root queue",
        &[
            text("settings.maxapplications.root", "maxapplications", "any number", MAX_APPLICATIONS),
            text("settings.limits.root", "limits", "none", LIMITS),
            ask(
                text(
                    "settings.application.sort.policy.root",
                    "application.sort.policy",
                    "fifo",
                    "Inherited by all leaf queues that do not set it.",
                ),
                SORT_POLICY,
            ),
            ask(
                text(
                    "settings.application.sort.priority.root",
                    "application.sort.priority",
                    "enabled",
                    "Applies to the top-level queues and is inherited by all queues that do not set it.",
                ),
                SORT_PRIORITY,
            ),
            text("settings.preemption.delay.root", "preemption.delay", "30s", DELAY),
            text("settings.quota.preemption.delay.root", "quota.preemption.delay", "off", QUOTA_DELAY),
        ],
    ),
];
