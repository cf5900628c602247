//! Translates a scenario for another policy, with a note for everything that is not kept unchanged.
//!
//! # Rule
//! The format has one term for a concept of several products (quota, limit, weight, priority); such values are kept,
//! and a product's default for an omitted value is made explicit. Priorities of queues are relative to each product's
//! default; those of jobs keep their number. Settings are carried over if both products have them and removed
//! otherwise, because a policy rejects unknown settings. Values that the new policy does not read stay in the file.
//! Everything that is not simply kept has a [`Note`], and so have values that take effect only now. A translation to
//! the same policy changes nothing.
//!
//! A policy's description names the fields it reads and the counterparts of its settings; `queues`, `pools`, `jobs` and
//! `settings` translate the parts of a scenario; `refused` checks the result as the new policy's own scheduler would.

mod jobs;
mod pools;
mod queues;
mod refused;
mod settings;

use crate::policy::Policy;
use crate::policy::field::Field;
pub use crate::policy::translator::{Note, NoteKind};
use crate::policy::translator::{Translator, queue, setting};
use crate::policy::versions::newest_says;
use crate::scenario::Scenario;
use crate::units::Resource;

/// A translated scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Translated {
    pub scenario: Scenario,
    /// Notes on the changes: refused and dropped values first, kept ones last.
    pub notes: Vec<Note>,
}

/// Translates a scenario for a policy. `None`: the given policy or that of the scenario is unknown.
pub fn translate(scenario: &Scenario, policy: &str) -> Option<Translated> {
    let (from, to) = (Policy::described(&scenario.policy)?, Policy::described(policy)?);
    if from.key == to.key {
        return Some(Translated { scenario: scenario.clone(), notes: Vec::new() });
    }
    let mut work = Translator { from, to, old: scenario, new: scenario.clone(), notes: Vec::new() };
    work.new.policy = to.key.to_owned();
    queues::queues(&mut work);
    settings::settings(&mut work);
    pools::pools(&mut work);
    jobs::jobs(&mut work);
    newest(&mut work);
    refused::refused(&mut work);
    let Translator { new, mut notes, .. } = work;
    notes.sort_by_key(|note: &Note| note.kind);
    Some(Translated { scenario: new, notes })
}

/// A translated scenario has the newest revision of its product.
fn newest(work: &mut Translator<'_>) {
    let Some((modelled, (name, value))) =
        work.to.modelled.and_then(|modelled| Some((modelled, modelled.setting_of_new()?)))
    else {
        return;
    };
    work.new.settings.insert(name.to_owned(), value.into());
    work.note(NoteKind::Assumed, setting(name), newest_says(modelled, modelled.newest()));
}

/// The value of a field that the old policy does not have: no quota of GPUs, otherwise unlimited, equal weights.
fn assumed(field: Field, r: Resource) -> &'static str {
    match field {
        Field::Quota if r == Resource::GPU => "0",
        Field::Quota | Field::Limit => "unlimited",
        Field::Weight => "1",
    }
}
