//! Which rules the switches enter.
//!
//! # Rule
//! One line for each switch of [`super::config`].
//!
//! # Source
//! kai.md 4.1
//!
//! # Differs
//! nothing

use super::capacity;
use super::division::{QUOTA, REMAINDER, ROUND};
use super::min_runtime::RAN_LONG_ENOUGH;
use super::orders::{CANDIDATES, DEVICES, INSERTION, NODES, QUEUES, VALIDATOR};
use super::place::{BEST_NODE, NOMINATED, ROOM};
use super::queue_order::SHARE;
use super::reclaimable::{CAN_RECLAIM, GUARANTEE_QUOTA, KEEPS_ORDER, MAINTAIN_FAIR_SHARE};
use super::recorder::{LOWER_PRIORITY, STALE_GRACE};
use super::usage::USAGE;
use crate::policy::switches::Switch;

/// The switches.
pub static SWITCHES: [Switch; 29] = [
    Switch::of("actions", &[&ROOM, &CAN_RECLAIM, &LOWER_PRIORITY, &STALE_GRACE]),
    Switch::of("plugins", &[&ROUND, &SHARE, &BEST_NODE, &NOMINATED, &RAN_LONG_ENOUGH]),
    Switch::of("k-value", &[&ROUND]),
    Switch::of("saturation-multiplier", &[&KEEPS_ORDER]),
    Switch::of("full-hierarchy-fairness", &[&QUOTA, &ROUND, &REMAINDER, &KEEPS_ORDER]),
    Switch::of("gpu-placement", &[&BEST_NODE, &DEVICES]),
    Switch::of("cpu-placement", &[&BEST_NODE]),
    Switch::of("max-consolidation-preemptees", &[&CANDIDATES]),
    Switch::of("consolidating-reclaim", &[&MAINTAIN_FAIR_SHARE, &GUARANTEE_QUOTA, &KEEPS_ORDER]),
    Switch::beside(
        "scheduling-signatures",
        "a job that cannot succeed is left out; what decides stays the same",
    ),
    Switch::of("restrict-node-scheduling", &[&ROOM]),
    Switch::of("staleness-grace", &[&STALE_GRACE]),
    Switch::of("default-job-priority", &[&LOWER_PRIORITY, &capacity::QUOTA]),
    Switch::of("default-preempt-min-runtime", &[&RAN_LONG_ENOUGH]),
    Switch::of("default-reclaim-min-runtime", &[&RAN_LONG_ENOUGH]),
    Switch::of("reclaim-resolve", &[&RAN_LONG_ENOUGH]),
    Switch::of("queue-depth-allocate", &[&ROOM]),
    Switch::of("queue-depth-consolidation", &[&CANDIDATES]),
    Switch::of("queue-depth-reclaim", &[&CAN_RECLAIM]),
    Switch::of("queue-depth-preempt", &[&LOWER_PRIORITY]),
    Switch::beside("queue-depth-stalegangeviction", "nothing waits for that action"),
    Switch::of("usage-client", &[&USAGE, &ROUND]),
    Switch::of("usage-window", &[&USAGE]),
    Switch::of("usage-window-type", &[&USAGE]),
    Switch::of("usage-window-start", &[&USAGE]),
    Switch::of("usage-half-life", &[&USAGE]),
    Switch::of("usage-resolution", &[&USAGE]),
    Switch::of("usage-fetch-interval", &[&USAGE]),
    Switch::of("seed", &[&INSERTION, &QUEUES, &DEVICES, &VALIDATOR, &NODES, &CANDIDATES]),
];
