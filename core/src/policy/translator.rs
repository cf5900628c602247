//! A translation of a scenario in progress, on which [`crate::translate`] and the policies work.

use std::sync::Arc;

use super::description::Description;
use crate::format::{Path, QueueEntry, ResourceEntry, Scenario};
use crate::units::Resource;

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
