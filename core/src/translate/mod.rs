//! A scenario in another policy's words, with a note for everything that does not come along.
//!
//! # Rule
//! The format has one word for what several products have (quota, limit, weight, priority); those values stay, and what a product
//! means by leaving one out is written out. Priorities of queues are counted from each product's own default;
//! those of jobs keep their number. Switches are carried over where both products have them, removed otherwise, because a policy
//! refuses switches that it does not know. Values that the new policy does not read stay in the file for others. Everything that is not simply kept has a [`Note`], and so have
//! values that count now and did not before. To the same policy nothing changes.
//!
//! [`Description`] says who reads what; `queues`, `pools`, `jobs` and `settings` go through the parts of a scenario;
//! `refused` looks at the result as the new policy's own scheduler would.

mod jobs;
mod pools;
mod queues;
mod refused;
mod settings;

use std::sync::Arc;

use crate::policy::Policy;
use crate::policy::description::{Description, Field};
use crate::scenario::{Path, Scenario};
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

/// A scenario in another policy's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Translated {
    /// The scenario.
    pub scenario: Scenario,
    /// What became of its settings: what would be refused and what was dropped first, what was kept last.
    pub notes: Vec<Note>,
}

/// Translates a scenario into the words of a policy. `None`: there is no policy of that name, or the scenario names none
/// that is known.
pub fn translate(scenario: &Scenario, policy: &str) -> Option<Translated> {
    let (from, to) = (Policy::described(&scenario.policy)?, Policy::described(policy)?);
    if from.key == to.key {
        return Some(Translated { scenario: scenario.clone(), notes: Vec::new() });
    }
    let mut work = Work { from, to, old: scenario, new: scenario.clone(), notes: Vec::new() };
    work.new.policy = to.key.to_owned();
    queues::queues(&mut work);
    settings::settings(&mut work);
    pools::pools(&mut work);
    jobs::jobs(&mut work);
    refused::refused(&mut work);
    let Work { new, mut notes, .. } = work;
    notes.sort_by_key(|note: &Note| note.kind);
    Some(Translated { scenario: new, notes })
}

/// A translation on its way.
struct Work<'a> {
    from: &'static Description,
    to: &'static Description,
    old: &'a Scenario,
    new: Scenario,
    notes: Vec<Note>,
}

impl Work<'_> {
    /// Notes what became of a place; equal sentences are one note.
    fn note(&mut self, kind: Kind, at: Path, says: impl Into<String>) {
        let says = says.into();
        match self.notes.iter_mut().find(|note| note.kind == kind && note.says == says) {
            Some(note) => note.at.push(at),
            None => self.notes.push(Note { kind, at: vec![at], says }),
        }
    }

    /// Removes a switch and says why.
    fn drop_setting(&mut self, name: &str, why: &str) {
        self.new.settings.remove(name);
        self.note(Kind::Dropped, setting(name), why);
    }

    /// The queues of the new scenario.
    fn new_queues(&mut self) -> &mut Vec<crate::scenario::QueueEntry> {
        Arc::make_mut(&mut self.new.queues)
    }
}

/// The place of a switch.
fn setting(name: &str) -> Path {
    Path::default().field("settings").field(name)
}

/// The place of a queue.
fn queue(name: &str) -> Path {
    Path::default().field("queues").named(name)
}

/// What is taken where the old policy does not say anything: no GPUs promised, nothing else counted or forbidden, all alike.
fn assumed(field: Field, r: Resource) -> &'static str {
    match field {
        Field::Quota if r == Resource::GPU => "0",
        Field::Quota | Field::Limit => "unlimited",
        Field::Weight => "1",
    }
}
