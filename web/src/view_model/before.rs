//! The present held against how it was before the last edit.

use super::number::{amount, bound, count};
use super::timeline::Kind;
use crate::engine::protocol::{Frame, QueueRow, Run};
use crate::model::{Before, Terms};

/// More queues are counted, not told.
const TOLD: usize = 4;

/// What a ghost is of.
#[derive(Clone, Copy, Debug)]
pub struct Ghost<'a> {
    /// The other moment.
    pub frame: &'a Frame,
    /// It is how it was before this change; `None`: how it would be.
    pub changed: Option<&'a str>,
}

impl Ghost<'_> {
    /// What stands in captions of its numbers.
    pub fn word(self) -> &'static str {
        if self.changed.is_some() { "before" } else { "ghost" }
    }

    /// What stands before what is said of it.
    pub fn lead(self) -> &'static str {
        if self.changed.is_some() { "before" } else { "as edited" }
    }

    /// A number and that of the ghost: `3, was 2`, or `3 → 2` where it would become that.
    pub fn beside(self, now: &str, other: &str) -> String {
        match self.changed {
            Some(_) => format!("{now}, was {other}"),
            None => format!("{now} → {other}"),
        }
    }

    /// What stands before a sentence about the differences: `Since quota of team-a 2 → 3`.
    pub fn opening(self) -> String {
        self.changed.map_or_else(|| "As edited".into(), |changed| format!("Since {changed}"))
    }
}

/// The first few of what there is to say, with the number of the others; *nothing* where there is nothing.
pub fn first_few(mut told: Vec<String>, nothing: &str) -> String {
    if told.is_empty() {
        return nothing.into();
    }
    let more = told.len().saturating_sub(TOLD);
    told.truncate(TOLD);
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    told.join("; ")
}

/// What became of the queues, such as *team-a had 3, now 2*; empty if nothing did.
pub fn differences(frame: &Frame, was: &Frame, resource: u8) -> String {
    let r = usize::from(resource.min(2));
    let terms = Terms::of(&frame.policy);
    let mut is_leaf = vec![true; frame.queues.len()];
    for parent in frame.queues.iter().filter_map(|row| row.parent) {
        if let Some(is_leaf) = is_leaf.get_mut(parent as usize) {
            *is_leaf = false;
        }
    }
    let of = |(at, row): (usize, &QueueRow)| -> Option<String> {
        let other = was.position(&row.name, at).map(|at| &was.queues[at]);
        let (held, holds) = (other.map_or(0.0, |other| other.allocated[r]), row.allocated[r]);
        let share = |row: &QueueRow| row.fair_share.as_ref().map(|share| share[r]);
        let mut said = Vec::new();
        if held != holds {
            said.push(format!(
                "{} had {}, now {}",
                row.name,
                amount(resource, held),
                amount(resource, holds)
            ));
        }
        if let Some((old, new)) = other.and_then(share).zip(share(row)).filter(|(old, new)| old != new) {
            let (old, new) = (bound(resource, old), bound(resource, new));
            said.push(match held != holds {
                true => format!("{} {old}, now {new}", terms.word("fair share")),
                false => format!("{} of {} was {old}, now {new}", terms.word("fair share"), row.name),
            });
        }
        (!said.is_empty()).then(|| said.join(" with "))
    };
    let leaves = frame.queues.iter().enumerate().filter(|(at, _)| is_leaf[*at]);
    first_few(leaves.filter_map(of).collect(), "")
}

/// How many evictions there were, up to where both runs have come: before, and now.
pub fn evictions(was: &Run, run: &Run) -> (usize, usize) {
    let up_to = was.last_cycle.min(run.last_cycle);
    let n = |run: &Run| {
        let is_eviction = |kind: &str| matches!(Kind::of(kind), Some(Kind::Reclaimed | Kind::Preempted));
        run.events.iter().filter(|(cycle, kind, ..)| *cycle <= up_to && is_eviction(kind)).count()
    };
    (n(was), n(run))
}

/// *2 evictions, were 3*; empty if there were as many.
pub fn evictions_say(was: &Run, run: &Run) -> String {
    match evictions(was, run) {
        (was, now) if was == now => String::new(),
        (was, 0) => format!("no eviction, {} before", count_of(was)),
        (was, now) => format!("{}, {} before", count(now as u64, "eviction"), count_of(was)),
    }
}

fn count_of(n: usize) -> String {
    if n == 0 { "none".into() } else { n.to_string() }
}

/// What an edit did, as a sentence for those who listen: *quota of team-a 2 → 3: team-a had 2, now 3.*
pub fn says(before: &Before, frame: &Frame, run: &Run, resource: u8) -> String {
    let parts = [differences(frame, &before.frame, resource), evictions_say(&before.run, run)];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => format!("{}: nobody has more or less at this cycle.", before.changed),
        _ => format!("{}: {}.", before.changed, parts.join("; ")),
    }
}
