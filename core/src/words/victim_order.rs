//! Jobs that were not evicted because others come first in the order of victims.

use super::check::{seconds, value};
use super::text::{Text, job, text};
use crate::id::JobId;
use crate::moment::Frame;
use crate::trace::{Check, Quantity, Term, Value};

/// Why a candidate comes later than the last victim; `None`: the comparison is not one of these two jobs.
pub fn later(frame: &Frame, candidate: JobId, check: &Check) -> Option<Text> {
    let sides = [(check.subject.job?, &check.left), (check.subject.other_job?, &check.right)];
    let value = sides.iter().find(|side| side.0 == candidate)?.1;
    let (victim, last) = *sides.iter().find(|side| side.0 != candidate)?;
    let (value, last) = (shown(value), shown(last));
    let [job, victim] = [candidate, victim].map(|id| job(frame.job(id)));
    Some(match check.left.quantity {
        Quantity::Priority => text!(
            "{job}: the lowest priority goes first, and its priority {value} is higher than {last} of {victim}",
            [job, value, last, victim]
        ),
        Quantity::Created => {
            let older = if value == last { "not newer" } else { "older" };
            text!(
                "{job}: the newest [job] goes first, and it is {older} (submitted {value}, {victim} {last})",
                [job, older, value, victim, last]
            )
        }
        Quantity::Applies if matches!(check.left.value, Value::Count(2..)) => {
            text!("{job}: it is not preemptible, and such [pods] go last", [job])
        }
        Quantity::Applies => {
            text!("{job}: it is the originator of its [job], and originators go after other [pods]", [job])
        }
        Quantity::Name => {
            text!("{job}: of [jobs] of the same age the last by name goes first, which is {victim}", [job, victim])
        }
        _ => text!("{job}: {victim} comes later in the order of [jobs], so it goes first", [job, victim]),
    })
}

fn shown(term: &Term) -> String {
    match term.value {
        Value::Real(_) if term.quantity == Quantity::Created => seconds(&term.value),
        _ => value(term, None),
    }
}
