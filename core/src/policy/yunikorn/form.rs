//! How the values of YuniKorn are asked for, in its own words: queues, jobs, the partition and the root.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use crate::policy::form::{Ask, Attribute, Group, ON_OFF, REMARK, YES_NO, ask, text};

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
const LIMITS: &str =
    "Of users and groups, as in queues.yaml: [{users: [alice, \"*\"], maxresources: {nvidia.com/gpu: 2}}]";
const DELAY: &str =
    "An ask of the queue preempts only when it is older, such as 30s. Queues below take it over.";
const QUOTA_DELAY: &str =
    "How long after its max was lowered a queue gives up what it uses above it; needs quota preemption.";

/// A queue of YuniKorn.
pub const QUEUE: &[Group] = &[
    (
        "Queue",
        &[
            text("name", "Name", "", "Unique in the file. A queue a.b below a is called b there."),
            ask(text("parent", "Parent", "root", "Where the queue stands in the tree."), Ask::Parent),
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
                "Is added to the priorities below, on the way to the root. Behind a fence it is all that is seen.",
            ),
            ask(
                text(
                    "@priority.policy",
                    "priority.policy",
                    "default",
                    "Whether queues above see the priorities below.",
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
                    "In what order the applications of a leaf are tried.",
                ),
                SORT_POLICY,
            ),
            ask(
                text(
                    "@application.sort.priority",
                    "application.sort.priority",
                    "that of the parent, else enabled",
                    "Whether priority comes first: of a leaf among its applications, of a parent among its queues.",
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
                    "default; disabled is taken over",
                    "Where asks below look for victims, and whether there are any here.",
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
            text("gpu.quota", "guaranteed", "none", "Whole GPUs: below it, the queue may take from others."),
            text("gpu.limit", "max", "none", "Whole GPUs: the most that the queue and those below it use."),
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
        "Backing off",
        &[
            text(
                "@application.unschedasks.backoff",
                "application.unschedasks.backoff",
                "that of the parent, else off",
                "After so many asks that no node takes, an application is left alone for a while; 0: never.",
            ),
            text(
                "@application.unschedasks.backoff.delay",
                "application.unschedasks.backoff.delay",
                "that of the parent, else 30s",
                "For how long.",
            ),
        ],
    ),
    (
        "Queues that placement makes",
        &[
            ask(
                text(
                    "@parent",
                    "parent",
                    "off",
                    "Work submitted here goes to a queue of its user, made below.",
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
            text("@submitacl", "submitacl", "nobody", "Everybody may submit here, whatever it says."),
            text("@adminacl", "adminacl", "nobody", "As submitacl."),
        ],
    ),
    REMARK,
];

/// What only YuniKorn reads of jobs.
pub const JOB: Group = (
    "Application and gang",
    &[
        text(
            "application",
            "Application",
            "the job itself",
            "Jobs of one application share its queue and its place in the order, as a driver and its executors do.",
        ),
        ask(
            text(
                "originator",
                "Originator",
                "no",
                "Whether it started its application: others are evicted before it.",
            ),
            YES_NO,
        ),
        ask(
            text(
                "preempts",
                "Preempts others",
                "yes",
                "If not, as with preemptionPolicy Never, nobody is evicted for it.",
            ),
            YES_NO,
        ),
        text(
            "required-node",
            "Required node",
            "any",
            "The only node where it may run, as a pod of a DaemonSet.",
        ),
        ask(
            text(
                "gang",
                "gangSchedulingStyle",
                "no placeholders",
                "Placeholders hold room for the members until there is some for all. If that takes too long, a soft gang goes on without, a hard gang fails.",
            ),
            Ask::Choice(&[("soft", "Soft"), ("hard", "Hard")]),
        ),
        text(
            "placeholder-timeout",
            "placeholderTimeoutInSeconds",
            "15m",
            "How long placeholders wait for the rest, from the first that is placed.",
        ),
    ],
);

/// What such queues take over; further properties can be given as text, as childtemplate.PROPERTY.NAME.
const TEMPLATE: [Attribute; 5] = [
    text("@childtemplate.maxapplications", "maxapplications of each", "any number", MAX_APPLICATIONS),
    text("@childtemplate.guaranteed", "guaranteed of each", "none", "Such as: nvidia.com/gpu 2, vcore 8."),
    text("@childtemplate.max", "max of each", "none", "Such as: nvidia.com/gpu 2, vcore 8."),
    text("@childtemplate.priority.offset", "priority.offset of each", "0", "Is added to their priorities."),
    ask(
        text(
            "@childtemplate.application.sort.policy",
            "application.sort.policy of each",
            "fifo",
            "In what order their applications are tried.",
        ),
        SORT_POLICY,
    ),
];

/// The settings.
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
                "What counts as used, such as: vcore 1, nvidia.com/gpu 4. GPUs do not count unless they are listed.",
            ),
            ask(
                text(
                    "settings.preemption",
                    "Preemption",
                    "on",
                    "Whether queues below their guarantee take from others.",
                ),
                ON_OFF,
            ),
            ask(
                text(
                    "settings.quota-preemption",
                    "Quota preemption",
                    "off",
                    "Whether queues give up what they use above a max that was lowered.",
                ),
                ON_OFF,
            ),
            text(
                "settings.gpu-type",
                "Resource type of GPUs",
                "nvidia.com/gpu",
                "What a configuration calls them.",
            ),
            text("settings.partition", "Name", "default", "Of the partition, for an export."),
            text(
                "settings.placement-rules",
                "placementrules",
                "none",
                "Kept for an export: here work names its queue.",
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
                    "Taken over by all leaves that do not say otherwise.",
                ),
                SORT_POLICY,
            ),
            ask(
                text(
                    "settings.application.sort.priority.root",
                    "application.sort.priority",
                    "enabled",
                    "Among the top queues, and taken over by all queues that do not say otherwise.",
                ),
                SORT_PRIORITY,
            ),
            text("settings.preemption.delay.root", "preemption.delay", "30s", DELAY),
            text("settings.quota.preemption.delay.root", "quota.preemption.delay", "off", QUOTA_DELAY),
        ],
    ),
];
