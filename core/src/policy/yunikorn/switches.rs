//! Rules affected by each setting.
//!
//! # Rule
//! One entry per setting of [`super::settings`].
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 8
//!
//! # Differs
//! nothing

use super::rules::{
    ABOVE_GUARANTEE, APPLICATION, BELOW_GUARANTEE, FIRST_FIT, HEADROOM, LOWERED_MAX, MAX_APPLICATIONS,
    PRIORITY, SHARE, TIE, USER_LIMIT,
};
use crate::policy::switches::Switch;

/// Reason for settings that are only preserved for export.
const EXPORT: &str = "kept for an export";

/// Settings of the partition, then those of queues.
pub static SWITCHES: [Switch; 25] = [
    Switch::of("node-sort", &[&FIRST_FIT]),
    Switch::of("node-weights", &[&FIRST_FIT]),
    Switch::of("preemption", &[&BELOW_GUARANTEE, &ABOVE_GUARANTEE]),
    Switch::of("quota-preemption", &[&LOWERED_MAX]),
    Switch::without_rules("placement-rules", EXPORT),
    Switch::without_rules("partition", EXPORT),
    Switch::without_rules("gpu-type", "a name"),
    Switch::of("groups", &[&USER_LIMIT, &MAX_APPLICATIONS]),
    Switch::of("application.sort.policy", &[&APPLICATION]),
    Switch::of("application.sort.priority", &[&PRIORITY, &SHARE, &APPLICATION, &TIE]),
    Switch::without_rules(
        "application.unschedasks.backoff",
        "who backs off is left out; what decides stays the same",
    ),
    Switch::without_rules(
        "application.unschedasks.backoff.delay",
        "who backs off is left out; what decides stays the same",
    ),
    Switch::of("preemption.delay", &[&BELOW_GUARANTEE]),
    Switch::of("preemption.policy", &[&BELOW_GUARANTEE, &ABOVE_GUARANTEE]),
    Switch::of("priority.offset", &[&PRIORITY]),
    Switch::of("priority.policy", &[&PRIORITY]),
    Switch::of("quota.preemption.delay", &[&LOWERED_MAX]),
    Switch::of("guaranteed", &[&SHARE, &BELOW_GUARANTEE, &ABOVE_GUARANTEE]),
    Switch::of("max", &[&HEADROOM, &LOWERED_MAX]),
    Switch::of("limits", &[&USER_LIMIT, &MAX_APPLICATIONS]),
    Switch::of("maxapplications", &[&MAX_APPLICATIONS]),
    Switch::without_rules("absent", "which queues there are, not what they get"),
    Switch::without_rules("parent", "where work goes, not when"),
    Switch::without_rules("submitacl", EXPORT),
    Switch::without_rules("adminacl", EXPORT),
];
