//! Description of *first in, first out*.
//!
//! # Source
//! none: this is our own

use crate::policy::description::{Description, Features, Gangs, QueueValue, QueueValues};
use crate::policy::vocabulary::{NONE, Terms};

/// First in, first out, in hard partitions.
pub const DESCRIPTION: Description = Description {
    key: "fifo",
    name: "first in, first out",
    title: "First in, first out, hard quotas",
    short: "First in, first out",
    about: "First in, first out starts jobs in the order of submission, each queue within its own quota.",
    terms: &TERMS,
    queue: QueueValues {
        // Hard partitions consist of nodes with GPUs.
        quota: Some(QueueValue { word: "hard partition", unset: [Some("0"); 3], of_gpus_alone: true }),
        ..QueueValues::NONE
    },
    supports: Features { gangs: Gangs::Never, ..Features::BASELINE },
    ..Description::BASELINE
};

/// Terms on screen.
const TERMS: Terms = Terms {
    columns: [("queue", ""), ("quota", "Quota: reserved for the queue, never lent"), NONE, NONE, NONE],
    ..Terms::PLAIN
};
