//! Rules affected by each setting of a plan.
//!
//! # Rule
//! One entry per setting of [`super::config`].
//!
//! # Source
//! ego.md 2, 8.5
//!
//! # Differs
//! nothing

use super::rules::{
    ABOVE_SLOT_QUOTA, BELOW_SLOT_QUOTA, CALL_BACK, GRACE, OVER_COMMIT, OWN_HOSTS, SHARE_PRIORITY,
    SHARE_RATIO, SLOT_QUOTA, SLOT_RATIO,
};
use crate::policy::switches::Switch;

/// Settings of the plan, then those of consumers.
pub static SWITCHES: [Switch; 14] = [
    Switch::of("grace", &[&GRACE]),
    Switch::without_rules("placement", "which of the hosts that fit, not whose turn it is"),
    Switch::of("lendout", &[&OWN_HOSTS, &CALL_BACK]),
    Switch::of("over-commit.cpu", &[&OVER_COMMIT]),
    Switch::of("over-commit.memory", &[&OVER_COMMIT]),
    Switch::of("over-commit.gpu", &[&OVER_COMMIT]),
    Switch::of("plan", &[&SHARE_PRIORITY, &SHARE_RATIO, &SLOT_RATIO, &SLOT_QUOTA]),
    Switch::of("share-quota", &[&SLOT_QUOTA]),
    Switch::of("enforcement", &[&BELOW_SLOT_QUOTA, &ABOVE_SLOT_QUOTA]),
    Switch::of("rank", &[&OWN_HOSTS]),
    Switch::of("lendout-grace", &[&GRACE]),
    Switch::of("private-pool-grace", &[&GRACE]),
    Switch::of("reclaim-grace", &[&GRACE]),
    Switch::of("reserved", &[&CALL_BACK]),
];
