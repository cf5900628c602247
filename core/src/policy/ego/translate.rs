//! Translation of scenarios to and from EGO.
//!
//! # Rule
//! The grace period of the plan becomes the termination time of the scenario.
//!
//! # Source
//! ego.md 2, 8.5

use crate::format::{Path, Scalar};
use crate::policy::translation::{Packing, Translation};
use crate::policy::translator::{self, NoteKind, Translator};

/// Settings with an equivalent in other policies.
pub const TRANSLATION: Translation = Translation {
    packing: Some(Packing { setting: "placement", pack: "stacked", spread: "balanced", packs_by_default: true }),
    owns_hosts: true,
    ..Translation::PLAIN
};

pub fn setting(work: &mut Translator<'_>, name: &str, typed: &Scalar) -> bool {
    if name != "grace" {
        return false;
    }
    work.new.settings.remove(name);
    let path = Path::default().field("delays").field("termination");
    if work.new.delays.termination.replace(typed.clone()).is_some() {
        work.note(NoteKind::Dropped, path.clone(), "the grace of the plan wins in EGO");
    }
    let message = "the grace becomes the delay from evict to gone";
    work.note(NoteKind::Changed, translator::setting(name), message);
    work.note(NoteKind::Changed, path, message);
    true
}
