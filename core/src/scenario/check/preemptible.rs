//! Preemptibility of jobs.

use super::Location;
use crate::cluster::Preemptible;
use crate::format::{Findings, JobEntry, Scalar, codes, quoted};
use crate::policy::description::Description;

/// The value for semi-preemptible jobs.
const SEMI: &str = "semi";

/// Whether a value is that of semi-preemptible jobs.
pub fn is_semi(typed: &Option<Scalar>) -> bool {
    typed.as_ref().is_some_and(|typed| typed.0.trim() == SEMI)
}

/// The preemptibility of a job, or the policy's default `unset`; `is_elastic` means that not all pods have to start
/// together. Under a policy without semi-preemptible jobs `semi` counts as omitted and is reported by
/// [`super::ignored`].
pub fn preemptible(
    entry: &JobEntry,
    (unset, is_elastic): (bool, bool),
    location: Location<'_>,
    policy: &Description,
    f: &mut Findings,
) -> Preemptible {
    let unset = Preemptible::from(unset);
    let path = || location.field("preemptible");
    match entry.preemptible.as_ref().map(|t| t.0.trim()) {
        None => unset,
        Some("true") => Preemptible::Yes,
        Some("false") => Preemptible::No,
        Some(SEMI) if policy.supports.semi.is_ok() => {
            if !is_elastic {
                let message = "preemptible semi is the same as false here: all [pods] must start together, so none is above \
                            the minimum; a smaller min-available would make a difference";
                f.suggest(codes::NO_EFFECT, path(), message.to_string(), "false", "Write false");
            }
            Preemptible::Semi
        }
        Some(SEMI) => unset,
        Some(other) => {
            let message = format!("preemptible {} is none of true, false and semi", quoted(other));
            f.suggest(codes::CHOICE, path(), message, "", "Use the default");
            unset
        }
    }
}
