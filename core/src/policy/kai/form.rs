//! Form fields of KAI's settings, in its own terms; Run:ai shares some of them.
//!
//! # Source
//! kai.md 4.1

use super::settings;
use crate::policy::form::{Ask, Attribute, Group, text};
use crate::policy::setting::fields;

/// Job fields read by KAI, and by Run:ai on its engine.
pub const JOB: Group = (
    "Retries",
    &[
        text(
                "scheduling-backoff",
                "Back-off",
                "-1: considered in every cycle",
                "1: if all of its [pods] are still pending at the end of a cycle, it is not tried again in that [node] pool.",
            ).ask(Ask::Choice(&[("-1", "considered in every cycle"), ("1", "tried once")])),
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

/// Minimum runtimes.
pub const MIN_RUNTIME: Group = ("Minimum runtime", &fields(&settings::MIN_RUNTIME));

/// Placement strategies.
pub const PLACEMENTS: Group = ("Placement", &fields(&settings::PLACEMENTS));

/// Groups of settings, most frequently used first.
pub const SETTINGS: &[Group] = &[
    ("KAI settings", &fields(&settings::GENERAL)),
    MIN_RUNTIME,
    PLACEMENTS,
    ("Usage history", &fields(&settings::USAGE_HISTORY)),
    ("Jobs considered per queue", &fields(&settings::QUEUE_DEPTHS)),
];

/// The field of a setting.
pub const fn field(name: &str) -> Attribute {
    let mut groups = SETTINGS;
    while let [(_, fields), rest @ ..] = groups {
        let mut i = 0;
        while i < fields.len() {
            if is_same(fields[i].key.as_bytes(), name.as_bytes()) {
                return fields[i];
            }
            i += 1;
        }
        groups = rest;
    }
    panic!("no setting of this name")
}

const fn is_same(left: &[u8], right: &[u8]) -> bool {
    match (left, right) {
        ([], []) => true,
        ([first, left @ ..], [other, right @ ..]) => *first == *other && is_same(left, right),
        _ => false,
    }
}
