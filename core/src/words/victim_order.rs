//! Jobs that were not evicted because others come first in the order of victims.

use super::check::{seconds, value};
use super::text::Text;
use crate::id::JobId;
use crate::moment::Frame;
use crate::trace::{Check, Quantity, Term, Value};

/// Why a candidate comes later than the last victim; `None`: the comparison is not one of these two jobs.
pub fn later(frame: &Frame, candidate: JobId, check: &Check) -> Option<Text> {
    let sides = [(check.subject.job?, &check.left), (check.subject.other_job?, &check.right)];
    let own = sides.iter().find(|side| side.0 == candidate)?.1;
    let (victim, last) = *sides.iter().find(|side| side.0 != candidate)?;
    let (own, last, victim) = (shown(own), shown(last), frame.job(victim));
    let text = Text::default().job(frame.job(candidate));
    Some(match check.left.quantity {
        Quantity::Priority => {
            let text = text.say(": the lowest priority goes first, and its priority ").say(own);
            text.say(format!(" is higher than {last} of ")).job(victim)
        }
        Quantity::Created => {
            let older = if own == last { "not newer" } else { "older" };
            let text = text.say(format!(": the newest [job] goes first, and it is {older} (submitted {own}, "));
            text.job(victim).say(format!(" {last})"))
        }
        Quantity::Applies => {
            let (kind, last) = match check.left.value {
                Value::Count(2..) => ("is not preemptible", "such [pods] go last"),
                _ => ("is the originator of its [job]", "originators go after other [pods]"),
            };
            text.say(format!(": it {kind}, and {last}"))
        }
        Quantity::Name => {
            let text = text.say(": of [jobs] of the same age the last by name goes first, which is ");
            text.job(victim)
        }
        _ => text.say(": ").job(victim).say(" comes later in the order of [jobs], so it goes first"),
    })
}

fn shown(term: &Term) -> String {
    match term.value {
        Value::Real(_) if term.quantity == Quantity::Created => seconds(&term.value),
        _ => value(term, None),
    }
}
