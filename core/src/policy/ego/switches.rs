//! Which rules the switches of a plan enter.
//!
//! # Rule
//! One line for each switch of [`super::config`].
//!
//! # Source
//! ego.md 2, 8.5
//!
//! # Differs
//! nothing

use super::rules::{CALL_BACK, GRACE, OWN_HOSTS};
use crate::policy::switches::Switch;

/// The switches of the plan, then those of consumers.
pub static SWITCHES: [Switch; 8] = [
    Switch::of("grace", &[&GRACE]),
    Switch::without_rules("placement", "which of the hosts that fit, not whose turn it is"),
    Switch::of("lendout", &[&OWN_HOSTS, &CALL_BACK]),
    Switch::of("rank", &[&OWN_HOSTS]),
    Switch::of("lendout-grace", &[&GRACE]),
    Switch::of("private-pool-grace", &[&GRACE]),
    Switch::of("reclaim-grace", &[&GRACE]),
    Switch::of("reserved", &[&CALL_BACK]),
];
