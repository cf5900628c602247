//! Translation data of a policy: the settings with equivalents in other policies.
//!
//! [`crate::translate`] translates a scenario and names no policy; translations that need the policy's own code are
//! functions of its [`super::Scheduler`].

use super::field::Field;
use crate::cluster::Queue;
use crate::id::{Arena, QueueId};

/// Settings of a policy with equivalents in others.
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    /// Setting that selects the placement strategy.
    pub packing: Option<Packing>,
    /// Setting that forbids evictions.
    pub evictions: Option<Evictions>,
    /// Setting with the default priority of jobs.
    pub default_priority: Option<&'static str>,
    /// Prefix of settings with the priority of a queue; the queue's name follows.
    pub queue_priority: Option<&'static str>,
    /// Whether quotas consist of whole hosts.
    pub owns_hosts: bool,
    /// Values that it rejects and other policies accept.
    pub refuses: Option<Refuses>,
}

impl Translation {
    /// No setting with an equivalent.
    pub const PLAIN: Translation = Translation {
        packing: None,
        evictions: None,
        default_priority: None,
        queue_priority: None,
        owns_hosts: false,
        refuses: None,
    };
}

/// Setting that selects the placement strategy of GPUs.
#[derive(Clone, Copy, Debug)]
pub struct Packing {
    /// Name of the setting.
    pub setting: &'static str,
    /// Value for packing.
    pub pack: &'static str,
    /// Value for spreading.
    pub spread: &'static str,
    /// Whether packing is the default.
    pub packs_by_default: bool,
}

/// Setting that allows or forbids evictions of running pods.
#[derive(Clone, Copy, Debug)]
pub struct Evictions {
    /// Name of the setting.
    pub setting: &'static str,
    /// Whether a value forbids evictions.
    pub is_off: fn(&str) -> bool,
    /// The value that forbids evictions.
    pub off: &'static str,
    /// Note if the translation forbids evictions.
    pub says_off: &'static str,
    /// Note if evictions stay allowed; `None`: the other policy's setting is dropped.
    pub says_on: Option<&'static str>,
}

/// Values that a policy rejects and others accept.
#[derive(Clone, Copy, Debug)]
pub struct Refuses {
    /// Fields that must not exceed the limits of their queue and its ancestors, each with the note if one is lowered.
    pub above_limits: &'static [(Field, &'static str)],
    /// Names of queues as the policy writes them.
    pub names: fn(&Arena<QueueId, Queue>) -> Vec<String>,
}
