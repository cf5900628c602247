//! The present held against how it was before the last edit.

use std::collections::BTreeMap;

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
pub fn evictions(was: &Run, run: &Run) -> (u64, u64) {
    let up_to = was.last_cycle.min(run.last_cycle);
    (was.n_events(up_to, Kind::is_eviction), run.n_events(up_to, Kind::is_eviction))
}

/// What an edit that is being made would come to, by the last cycle that both runs know: *2 evicted, 1 starts later by
/// cycle 12*. `None`: no cycle was run yet.
pub fn as_edited(run: &Run, edited: &Run) -> Option<String> {
    // A run that is over stays as it is.
    let up_to = match (run.complete, edited.complete) {
        (true, false) => edited.last_cycle,
        (false, true) => run.last_cycle,
        (true, true) => run.last_cycle.max(edited.last_cycle),
        (false, false) => run.last_cycle.min(edited.last_cycle),
    };
    let [was, is] = [run, edited].map(|run| per_job(run, up_to));
    let (mut evicted, mut spared) = (0, 0);
    let (mut later, mut never, mut sooner) = (0, 0, 0);
    for job in was.keys().chain(is.keys().filter(|job| !was.contains_key(*job))) {
        let of = |jobs: &BTreeMap<&str, Fortune>| jobs.get(job).copied().unwrap_or_default();
        let (was, is) = (of(&was), of(&is));
        evicted += is.evictions.saturating_sub(was.evictions);
        spared += was.evictions.saturating_sub(is.evictions);
        match (was.start, is.start) {
            (Some(_), None) if edited.complete => never += 1,
            (Some(_), None) => later += 1,
            (None, Some(_)) => sooner += 1,
            (was, is) if is > was => later += 1,
            (was, is) if is < was => sooner += 1,
            _ => {}
        }
    }
    if !run.earlier.is_empty() || !edited.earlier.is_empty() {
        // Of early events only the numbers are known.
        let [was, is] = [run, edited].map(|run| run.n_events(up_to, Kind::is_eviction));
        (evicted, spared) = (is.saturating_sub(was), was.saturating_sub(is));
        (later, never, sooner) = (0, 0, 0);
    }
    let one_or = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let told = [
        (evicted, format!("{evicted} evicted")),
        (spared, format!("{spared} spared")),
        (later, one_or(later, "starts later", "start later")),
        (never, one_or(never, "never starts", "never start")),
        (sooner, one_or(sooner, "starts sooner", "start sooner")),
    ];
    let told: Vec<String> = told.into_iter().filter(|(n, _)| *n > 0).map(|(_, said)| said).collect();
    let said = if told.is_empty() { "the same evictions and starts".into() } else { told.join(", ") };
    (up_to > 0).then(|| format!("{said} by cycle {up_to}"))
}

/// What became of a job.
#[derive(Clone, Copy, Default)]
struct Fortune {
    /// The cycle in which it first started.
    start: Option<u32>,
    evictions: u64,
}

fn per_job(run: &Run, up_to: u32) -> BTreeMap<&str, Fortune> {
    let mut jobs: BTreeMap<&str, Fortune> = BTreeMap::new();
    let is_meant = |cycle: u32, job: &str| cycle <= up_to && !job.is_empty();
    for (cycle, kind, job, _) in run.events.iter().filter(|event| is_meant(event.0, &event.2)) {
        let fortune = jobs.entry(job).or_default();
        fortune.evictions += u64::from(Kind::is_eviction(kind));
        if Kind::of(kind) == Some(Kind::Started) {
            fortune.start = fortune.start.or(Some(*cycle));
        }
    }
    jobs
}

/// *2 evictions, were 3*; empty if there were as many.
pub fn evictions_say(was: &Run, run: &Run) -> String {
    match evictions(was, run) {
        (was, now) if was == now => String::new(),
        (was, 0) => format!("no eviction, {} before", count_of(was)),
        (was, now) => format!("{}, {} before", count(now, "eviction"), count_of(was)),
    }
}

fn count_of(n: u64) -> String {
    if n == 0 { "none".into() } else { n.to_string() }
}

/// What an edit did, as a sentence for those who listen: *quota of team-a 2 → 3: team-a had 2, now 3.*
pub fn says(before: &Before, frame: &Frame, run: &Run, resource: u8) -> String {
    let evictions = if before.is_in_step(run) { evictions_say(&before.run, run) } else { String::new() };
    let parts = [differences(frame, &before.frame, resource), evictions];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => format!("{}: nobody has more or less at this cycle.", before.changed),
        _ => format!("{}: {}.", before.changed, parts.join("; ")),
    }
}
