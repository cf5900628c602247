//! Which pods of a job may be evicted for others.

use super::Here;
use crate::cluster::Preemptible;
use crate::format::codes;
use crate::format::{Findings, quoted, set};
use crate::format::{JobEntry, Scalar};
use crate::policy::description::Description;

/// What a job says of which only the pods above its minimum may be taken.
const SEMI: &str = "semi";

/// Whether a job is said to be semi-preemptible.
pub fn is_semi(typed: &Option<Scalar>) -> bool {
    typed.as_ref().is_some_and(|typed| typed.0.trim() == SEMI)
}

/// What is said of a job, of which all pods must start together or not (`is_elastic`), else what the policy takes it to be.
/// Where the policy knows no semi-preemptible jobs it is as if nothing were said: the list of ignored values says so.
pub fn preemptible(
    entry: &JobEntry,
    (unset, is_elastic): (bool, bool),
    here: Here<'_>,
    policy: &Description,
    f: &mut Findings,
) -> Preemptible {
    let unset = Preemptible::from(unset);
    let at = || here.field("preemptible");
    match entry.preemptible.as_ref().map(|t| t.0.trim()) {
        None => unset,
        Some("true") => Preemptible::Yes,
        Some("false") => Preemptible::No,
        Some(SEMI) if policy.knows.semi.is_ok() => {
            if !is_elastic {
                let says = "preemptible semi is the same as false here: all [pods] must start together, so none is above \
                            the minimum; a smaller min-available would make a difference";
                f.add(codes::NO_EFFECT, at(), says.to_string(), set(at(), "false", "Write false"));
            }
            Preemptible::Semi
        }
        Some(SEMI) => unset,
        Some(other) => {
            let says = format!("preemptible {} is none of true, false and semi", quoted(other));
            f.add(codes::CHOICE, at(), says, set(at(), "", "Use the default"));
            unset
        }
    }
}
