//! A translation of a scenario in progress, passed by [`crate::translate`] to the policies.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::description::Description;
use crate::format::{Path, QueueEntry, ResourceEntry, Scenario};
use crate::units::Resource;

/// Result of translating a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NoteKind {
    /// The new policy's real scheduler would reject it; the simulation accepts it.
    Refused,
    /// The new policy has no equivalent.
    Dropped,
    /// The new policy requires it, the old one did not set it.
    Assumed,
    /// Expressed differently.
    Changed,
    /// Unchanged, though the product may name it differently.
    Kept,
}

impl NoteKind {
    /// Name in one word.
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::Refused => "refused",
            NoteKind::Dropped => "dropped",
            NoteKind::Assumed => "assumed",
            NoteKind::Changed => "changed",
            NoteKind::Kept => "kept",
        }
    }
}

/// Result of translating some settings, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Kind of result.
    pub kind: NoteKind,
    /// Paths of the old or the new values; never empty.
    pub at: Vec<Path>,
    /// Result and reason, in a sentence.
    pub says: String,
}

/// A translation in progress.
#[derive(Debug)]
pub struct Translator<'a> {
    /// The old policy.
    pub from: &'static Description,
    /// The new policy.
    pub to: &'static Description,
    /// The scenario to translate.
    pub old: &'a Scenario,
    /// The translated scenario.
    pub new: Scenario,
    /// Results for each setting.
    pub notes: Vec<Note>,
}

impl Translator<'_> {
    /// Adds a note for a path; notes with equal sentences are merged.
    pub fn note(&mut self, kind: NoteKind, path: Path, says: impl Into<String>) {
        let says = says.into();
        match self.notes.iter_mut().find(|note| note.kind == kind && note.says == says) {
            Some(note) => note.at.push(path),
            None => self.notes.push(Note { kind, at: vec![path], says }),
        }
    }

    /// Removes a setting and notes the reason.
    pub fn drop_setting(&mut self, name: &str, why: &str) {
        self.new.settings.remove(name);
        self.note(NoteKind::Dropped, setting(name), why);
    }

    /// Queues of the new scenario.
    pub fn new_queues(&mut self) -> &mut Vec<QueueEntry> {
        Arc::make_mut(&mut self.new.queues)
    }
}

/// Path of a setting.
pub fn setting(name: &str) -> Path {
    Path::default().field("settings").field(name)
}

/// Path of a queue.
pub fn queue(name: &str) -> Path {
    Path::default().field("queues").named(name)
}

/// Values of a resource in a queue's entry.
pub fn part(queue: &QueueEntry, r: Resource) -> &ResourceEntry {
    match r {
        Resource::CPU => &queue.cpu,
        Resource::MEMORY => &queue.memory,
        _ => &queue.gpu,
    }
}

/// Values of a resource in a queue's entry, mutable.
pub fn part_mut(queue: &mut QueueEntry, r: Resource) -> &mut ResourceEntry {
    match r {
        Resource::CPU => &mut queue.cpu,
        Resource::MEMORY => &mut queue.memory,
        _ => &mut queue.gpu,
    }
}
