//! What a policy states about the translation of scenarios: the settings for which others have a counterpart.
//!
//! [`crate::translate`] goes through a scenario and names no policy; what only the policy itself can translate are functions of
//! its [`super::Scheduler`].

use super::field::Field;
use crate::cluster::Queue;
use crate::id::{Arena, QueueId};

/// The settings of a policy for which others have a counterpart.
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    /// Settings that mean the same under every policy that lists them.
    pub shared: &'static [&'static str],
    /// Other spellings of settings, each with the usual one.
    pub spellings: &'static [(&'static str, &'static str)],
    /// How nodes are chosen.
    pub packing: Option<Packing>,
    /// How evictions are forbidden.
    pub evictions: Option<Evictions>,
    /// The setting with the priority of jobs that have none.
    pub default_priority: Option<&'static str>,
    /// The beginning of settings with the priority of a queue; the queue's name follows.
    pub queue_priority: Option<&'static str>,
    /// Whether what is promised is made of whole hosts.
    pub owns_hosts: bool,
    /// What it refuses that other policies take.
    pub refuses: Option<Refuses>,
}

impl Translation {
    /// Without a setting that others know.
    pub const PLAIN: Translation = Translation {
        shared: &[],
        spellings: &[],
        packing: None,
        evictions: None,
        default_priority: None,
        queue_priority: None,
        owns_hosts: false,
        refuses: None,
    };

    /// The usual spelling of a setting.
    pub fn spelled<'n>(&self, name: &'n str) -> &'n str {
        self.spellings.iter().find(|(other, _)| *other == name).map_or(name, |(_, usual)| usual)
    }
}

/// The setting that says whether GPUs are filled one node after the other.
#[derive(Clone, Copy, Debug)]
pub struct Packing {
    /// The setting.
    pub setting: &'static str,
    /// Its value for filled nodes.
    pub pack: &'static str,
    /// Its value for nodes that are used evenly.
    pub spread: &'static str,
    /// Whether nodes are filled if it is left out.
    pub packs_by_default: bool,
}

/// The setting that says whether running pods may be evicted for others.
#[derive(Clone, Copy, Debug)]
pub struct Evictions {
    /// The setting.
    pub setting: &'static str,
    /// Whether a value forbids them.
    pub is_off: fn(&str) -> bool,
    /// The value that forbids them.
    pub off: &'static str,
    /// What is said where they become forbidden.
    pub says_off: &'static str,
    /// What is said where they stay allowed; `None`: the other policy's setting is dropped.
    pub says_on: Option<&'static str>,
}

/// What a policy refuses that others take.
#[derive(Clone, Copy, Debug)]
pub struct Refuses {
    /// Values above the limits of the same queue and of those above it, and what is said where one is lowered.
    pub above_limits: &'static [(Field, &'static str)],
    /// The names of queues as the policy writes them.
    pub names: fn(&Arena<QueueId, Queue>) -> Vec<String>,
}
