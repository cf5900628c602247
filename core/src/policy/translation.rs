//! What a policy says to the translation of scenarios: the settings for which others have a counterpart, and a function for what
//! only it can put into common words.
//!
//! [`crate::translate`] goes through a scenario and names no policy; each policy fills one [`Translation`] in its folder.

use std::sync::Arc;

use super::description::{Description, Field};
use crate::cluster::Queue;
use crate::format::{Path, QueueEntry, ResourceEntry, Scalar, Scenario};
use crate::id::{Arena, QueueId};
use crate::units::Resource;

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
    /// Puts what only this policy says of queues into common words, or common words into its own: called before the queues
    /// are translated, on both sides.
    pub queues: fn(&mut Translator<'_>),
    /// Translates a setting that only this policy has, and says whether it did.
    pub setting: fn(&mut Translator<'_>, &str, &Scalar) -> bool,
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
        queues: |_| {},
        setting: |_, _, _| false,
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

/// What became of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The new policy's real scheduler would not take it; the simulation goes on with it.
    Refused,
    /// The new policy has no counterpart.
    Dropped,
    /// The new policy needs it, the old one did not say it.
    Assumed,
    /// Said in another way.
    Changed,
    /// As it was, though the product may call it differently.
    Kept,
}

impl Kind {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Refused => "refused",
            Kind::Dropped => "dropped",
            Kind::Assumed => "assumed",
            Kind::Changed => "changed",
            Kind::Kept => "kept",
        }
    }
}

/// What became of some settings, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What became of them.
    pub kind: Kind,
    /// The places: of what was said, or of what is said now; never empty.
    pub at: Vec<Path>,
    /// What and why, in a sentence.
    pub says: String,
}

/// A translation in progress.
#[derive(Debug)]
pub struct Translator<'a> {
    /// The policy of the scenario.
    pub from: &'static Description,
    /// The policy that it gets.
    pub to: &'static Description,
    /// The scenario.
    pub old: &'a Scenario,
    /// What it becomes.
    pub new: Scenario,
    /// What became of its settings.
    pub notes: Vec<Note>,
}

impl Translator<'_> {
    /// Notes what became of a place; equal sentences are one note.
    pub fn note(&mut self, kind: Kind, at: Path, says: impl Into<String>) {
        let says = says.into();
        match self.notes.iter_mut().find(|note| note.kind == kind && note.says == says) {
            Some(note) => note.at.push(at),
            None => self.notes.push(Note { kind, at: vec![at], says }),
        }
    }

    /// Removes a setting and says why.
    pub fn drop_setting(&mut self, name: &str, why: &str) {
        self.new.settings.remove(name);
        self.note(Kind::Dropped, setting(name), why);
    }

    /// The queues of the new scenario.
    pub fn new_queues(&mut self) -> &mut Vec<QueueEntry> {
        Arc::make_mut(&mut self.new.queues)
    }
}

/// The place of a setting.
pub fn setting(name: &str) -> Path {
    Path::default().field("settings").field(name)
}

/// The place of a queue.
pub fn queue(name: &str) -> Path {
    Path::default().field("queues").named(name)
}

/// What is said of a resource of a queue.
pub fn part(queue: &QueueEntry, r: Resource) -> &ResourceEntry {
    match r {
        Resource::CPU => &queue.cpu,
        Resource::MEMORY => &queue.memory,
        _ => &queue.gpu,
    }
}

/// The same, to be changed.
pub fn part_mut(queue: &mut QueueEntry, r: Resource) -> &mut ResourceEntry {
    match r {
        Resource::CPU => &mut queue.cpu,
        Resource::MEMORY => &mut queue.memory,
        _ => &mut queue.gpu,
    }
}

/// One value of a resource.
pub fn value(part: &ResourceEntry, field: Field) -> &Option<Scalar> {
    match field {
        Field::Quota => &part.quota,
        Field::Limit => &part.limit,
        Field::Weight => &part.weight,
    }
}

/// The same, to be changed.
pub fn value_mut(part: &mut ResourceEntry, field: Field) -> &mut Option<Scalar> {
    match field {
        Field::Quota => &mut part.quota,
        Field::Limit => &mut part.limit,
        Field::Weight => &mut part.weight,
    }
}
