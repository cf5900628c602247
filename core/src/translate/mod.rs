//! A scenario in another policy's words, with a note for everything that does not come along.
//!
//! # Rule
//! The format has one word for what several products have (quota, limit, weight, priority); those values stay, and what a product
//! means by leaving one out is written out. Priorities of queues are counted from each product's own default;
//! those of jobs keep their number. Switches are carried over where both products have them, removed otherwise, because a policy
//! refuses switches that it does not know. Values that the new policy does not read stay in the file for others. Everything that is not simply kept has a [`Note`], and so have
//! values that count now and did not before. To the same policy nothing changes.
//!
//! A policy's description says what it reads and which settings have counterparts; `queues`, `pools`, `jobs` and `settings` go through the parts of a scenario;
//! `refused` looks at the result as the new policy's own scheduler would.

mod jobs;
mod pools;
mod queues;
mod refused;
mod settings;

use crate::policy::Policy;
use crate::policy::field::Field;
pub use crate::policy::translator::{Kind, Note};
use crate::policy::translator::{Translator, queue, setting};
use crate::scenario::Scenario;
use crate::units::Resource;

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
    let mut work = Translator { from, to, old: scenario, new: scenario.clone(), notes: Vec::new() };
    work.new.policy = to.key.to_owned();
    queues::queues(&mut work);
    settings::settings(&mut work);
    pools::pools(&mut work);
    jobs::jobs(&mut work);
    refused::refused(&mut work);
    let Translator { new, mut notes, .. } = work;
    notes.sort_by_key(|note: &Note| note.kind);
    Some(Translated { scenario: new, notes })
}

/// What is taken where the old policy does not say anything: no GPUs promised, nothing else counted or forbidden, all alike.
fn assumed(field: Field, r: Resource) -> &'static str {
    match field {
        Field::Quota if r == Resource::GPU => "0",
        Field::Quota | Field::Limit => "unlimited",
        Field::Weight => "1",
    }
}
