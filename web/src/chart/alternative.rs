//! The alternative run that charts compare with: the preview of an edit in progress, or the baseline before the last
//! edit. On screen they are called *ghost* and *before*.

use fairground::units::{Resource, ShownResource};
use std::collections::{BTreeMap, BTreeSet};

use fairground::moment::EventKind;
use fairground::words::number::{amount, bound, count, time, with_unit};
use fairground::words::{Terms, capital};

use super::counted_in::CountedIn;
use crate::engine::protocol::{Frame, QueueRow, Run};
use crate::state::branches::Baseline;

/// Sentences name at most this many queues; the others are counted.
const LISTED_MAX: usize = 4;

/// The frame of an alternative run.
#[derive(Clone, Copy, Debug)]
pub struct Alternative<'a> {
    pub frame: &'a Frame,
    /// Description of the edit if this is the baseline before it; `None` for a preview.
    pub changed: Option<&'a str>,
}

impl Alternative<'_> {
    /// Word for captions of its numbers.
    pub fn word(self) -> &'static str {
        if self.changed.is_some() { "before" } else { "ghost" }
    }

    /// Introduces statements about it.
    pub fn lead(self) -> &'static str {
        if self.changed.is_some() { "before" } else { "as edited" }
    }

    /// A number with that of the alternative: `3, was 2` for a baseline, `3 → 2` for a preview.
    pub fn beside(self, now: &str, other: &str) -> String {
        match self.changed {
            Some(_) => format!("{now}, was {other}"),
            None => format!("{now} → {other}"),
        }
    }

    /// Introduces a sentence about the differences: `Since quota of team-a 2 → 3`.
    pub fn opening(self) -> String {
        self.changed.map_or_else(|| "As edited".into(), |changed| format!("Since {changed}"))
    }
}

/// Joins the first sentences and counts the others; returns *nothing* if there are none.
pub fn first_few(mut parts: Vec<String>, nothing: &str) -> String {
    if parts.is_empty() {
        return nothing.into();
    }
    let more = parts.len().saturating_sub(LISTED_MAX);
    parts.truncate(LISTED_MAX);
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    parts.join("; ")
}

/// Lists the changed queues, such as *team-a uses 2 GPUs (3 before)*; empty if none changed.
pub fn differences(frame: &Frame, was: &Frame, resource: ShownResource) -> String {
    by_queue(frame, was, resource, true)
}

/// The same without fair shares.
fn allocations(frame: &Frame, was: &Frame, resource: ShownResource) -> String {
    by_queue(frame, was, resource, false)
}

fn by_queue(frame: &Frame, was: &Frame, resource: ShownResource, with_shares: bool) -> String {
    let terms = Terms::of(&frame.policy);
    let mut is_leaf = vec![true; frame.queues.len()];
    for parent in frame.queues.iter().filter_map(|row| row.parent) {
        if let Some(is_leaf) = is_leaf.get_mut(parent as usize) {
            *is_leaf = false;
        }
    }
    let of = |(at, row): (usize, &QueueRow)| -> Option<String> {
        let other = was.position(&row.name, at).map(|at| &was.queues[at]);
        let unit = |frame: &Frame, row: &QueueRow| CountedIn::of_queue(resource, row, &frame.total);
        let held = other.map_or(0.0, |other| unit(was, other).base(&other.allocated));
        let holds = unit(frame, row).base(&row.allocated);
        let with_shares = with_shares && resource.is_divided();
        let share = |frame: &Frame, row: &QueueRow| {
            row.fair_share.as_ref().filter(|_| with_shares).map(|share| unit(frame, row).bound(share))
        };
        let mut said = Vec::new();
        if held != holds {
            let (holds, held) = (with_unit(resource, holds), amount(resource, held));
            said.push(format!("{} uses {holds} ({held} before)", row.name));
        }
        let old = other.and_then(|other| share(was, other));
        if let Some((old, new)) = old.zip(share(frame, row)).filter(|(old, new)| old != new) {
            let (old, new) = (bound(resource, old), bound(resource, new));
            said.push(if held != holds {
                format!("its {} is {new} ({old} before)", terms.word("fair share"))
            } else {
                format!("{} of {} is {new} ({old} before)", terms.word("fair share"), row.name)
            });
        }
        (!said.is_empty()).then(|| said.join(", "))
    };
    let leaves = frame.queues.iter().enumerate().filter(|(at, _)| is_leaf[*at]);
    first_few(leaves.filter_map(of).collect(), "")
}

/// The last moment known in both runs. A finished run does not change any more.
fn known_until(run: &Run, other: &Run) -> i64 {
    match (run.complete, other.complete) {
        (true, false) => other.last_time_ms,
        (false, true) => run.last_time_ms,
        (true, true) => run.last_time_ms.max(other.last_time_ms),
        (false, false) => run.last_time_ms.min(other.last_time_ms),
    }
}

/// Number of evictions until the last moment known in both runs: before, and now.
pub fn evictions(was: &Run, run: &Run) -> (u64, u64) {
    let up_to = known_until(was, run);
    let n = |run: &Run| run.n_events(Clock::of(run).cycle_at(up_to), EventKind::is_eviction);
    (n(was), n(run))
}

/// Effect of an edit in progress until the last moment known in both runs: *2 evicted, b1 starts 0:10 later by cycle
/// 12*. `None` before the first cycle.
pub fn as_edited(run: &Run, edited: &Run, terms: &Terms) -> Option<String> {
    let (said, by) = effects(run, edited, terms)?;
    Some(if said.is_empty() { unchanged(&by) } else { format!("{said} by {by}") })
}

/// Effect of an edit in progress, without the moment up to which it is known; `None` if there is none.
pub fn effect(run: &Run, edited: &Run, terms: &Terms) -> Option<String> {
    effects(run, edited, terms).map(|(said, _)| said).filter(|said| !said.is_empty())
}

fn unchanged(by: &str) -> String {
    format!("nothing changes up to {by}")
}

/// Differences in evictions and starts until the last moment known in both runs, empty if there are none, and that
/// moment. `None` before the first cycle.
fn effects(was: &Run, is: &Run, terms: &Terms) -> Option<(String, String)> {
    let (clock, other_clock) = (Clock::of(was), Clock::of(is));
    let up_to = known_until(was, is);
    if was.last_cycle.max(is.last_cycle) == 0 {
        return None;
    }
    let by = by(up_to, [(was, &clock), (is, &other_clock)]);
    let is_known = was.earlier.is_empty() && is.earlier.is_empty();
    let [before, now] = [(was, &clock), (is, &other_clock)].map(|(run, clock)| per_job(run, clock, up_to));
    let mut starts = Starts::default();
    let (mut evicted, mut spared) = (0, 0);
    for job in before.keys().chain(now.keys().filter(|job| !before.contains_key(*job))).filter(|_| is_known) {
        let nothing = JobHistory::default();
        let [before, now] = [&before, &now].map(|jobs| jobs.get(job).unwrap_or(&nothing));
        evicted += now.evictions.len().saturating_sub(before.evictions.len()) as u64;
        spared += before.evictions.len().saturating_sub(now.evictions.len()) as u64;
        starts.compare(job, before.starts.first().copied(), now.starts.first().copied());
    }
    if !is_known {
        // Early events are only counted.
        let n = |(run, clock): (&Run, &Clock)| run.n_events(clock.cycle_at(up_to), EventKind::is_eviction);
        let [before, now] = [(was, &clock), (is, &other_clock)].map(n);
        (evicted, spared) = (now.saturating_sub(before), before.saturating_sub(now));
    }
    let more = if spared > 0 { "" } else { "more " };
    let parts = [(evicted, format!("{evicted} {more}[evicted]")), (spared, format!("{spared} fewer [evicted]"))];
    let mut parts: Vec<String> = parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, said)| said).collect();
    parts.extend(starts.says(is.complete));
    let said = match parts.is_empty() {
        false => parts.join(", "),
        true if !is_known => "as many [evictions]".into(),
        true if before == now => String::new(),
        true => "[evictions] and restarts at other times".into(),
    };
    Some((terms.fill(&said), by))
}

/// Jobs that start at another time, with the difference in milliseconds, or in one of the runs only.
#[derive(Default)]
struct Starts<'a> {
    later: Vec<(&'a str, i64)>,
    earlier: Vec<(&'a str, i64)>,
    /// Only in the former run.
    lost: Vec<&'a str>,
    /// Only in the new run.
    gained: Vec<&'a str>,
}

impl<'a> Starts<'a> {
    fn compare(&mut self, job: &'a str, was: Option<i64>, is: Option<i64>) {
        match (was, is) {
            (Some(_), None) => self.lost.push(job),
            (None, Some(_)) => self.gained.push(job),
            (Some(was), Some(is)) if is > was => self.later.push((job, is - was)),
            (Some(was), Some(is)) if is < was => self.earlier.push((job, was - is)),
            _ => {}
        }
    }

    /// *b1 starts 0:10 later*, *2 start earlier*; `is_complete`: the new run is over.
    fn says(&self, is_complete: bool) -> Vec<String> {
        let moved = |jobs: &[(&str, i64)], how: &str| match jobs {
            [] => None,
            [(job, by)] => Some(format!("{job} starts {} {how}", time(*by))),
            many => Some(format!("{} start {how}", many.len())),
        };
        let other = |jobs: &[&str], one: &str, many: &str| match jobs {
            [] => None,
            [job] => Some(format!("{job} {one}")),
            jobs => Some(format!("{} {many}", jobs.len())),
        };
        let (lost, all_lost) =
            if is_complete { ("never starts", "never start") } else { ("does not start", "do not start") };
        [
            moved(&self.later, "later"),
            other(&self.lost, lost, all_lost),
            moved(&self.earlier, "earlier"),
            other(&self.gained, "also starts", "more start"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Maps cycles to times. Long runs have only some points; cycles between them are interpolated.
struct Clock(Vec<(u32, i64)>);

impl Clock {
    fn of(run: &Run) -> Clock {
        let mut points: Vec<(u32, i64)> = run.points.iter().map(|p| (p.cycle, p.time_ms)).collect();
        if points.last().is_none_or(|last| last.0 < run.last_cycle) {
            points.push((run.last_cycle, run.last_time_ms));
        }
        Clock(points)
    }

    fn time(&self, cycle: u32) -> i64 {
        let next = self.0.partition_point(|(at, _)| *at < cycle);
        match (next.checked_sub(1).and_then(|last| self.0.get(last)), self.0.get(next)) {
            (_, Some((at, time))) if *at == cycle => *time,
            (Some((from, start)), Some((to, end))) => {
                start + (end - start) * i64::from(cycle - from) / i64::from(to - from)
            }
            (_, Some((_, time))) | (Some((_, time)), None) => *time,
            (None, None) => 0,
        }
    }

    /// The last cycle at or before a moment.
    fn cycle_at(&self, time_ms: i64) -> u32 {
        let next = self.0.partition_point(|(_, time)| *time <= time_ms);
        match (next.checked_sub(1).and_then(|last| self.0.get(last)), self.0.get(next)) {
            (Some((from, start)), Some((to, end))) => {
                from + ((time_ms - start) * i64::from(to - from) / (end - start).max(1)) as u32
            }
            (Some((cycle, _)), None) => *cycle,
            _ => 0,
        }
    }
}

/// Formats a moment, by its cycle if both runs have that cycle at the same time or one is over by then.
fn by(up_to: i64, runs: [(&Run, &Clock); 2]) -> String {
    let is_it = |(run, _): &&(&Run, &Clock)| run.last_time_ms == up_to;
    let cycle = runs.iter().find(is_it).map(|(run, _)| run.last_cycle);
    let has = |(run, clock): &(&Run, &Clock), cycle: u32| {
        if run.last_cycle < cycle { run.complete } else { clock.time(cycle) == up_to }
    };
    match cycle.filter(|cycle| runs.iter().all(|run| has(run, *cycle))) {
        Some(cycle) => format!("cycle {cycle}"),
        None => time(up_to),
    }
}

/// Start and evictions of a job, in milliseconds.
#[derive(Clone, Default, PartialEq)]
struct JobHistory {
    starts: Vec<i64>,
    evictions: Vec<i64>,
}

fn per_job<'a>(run: &'a Run, clock: &Clock, up_to: i64) -> BTreeMap<&'a str, JobHistory> {
    let mut jobs: BTreeMap<&str, JobHistory> = BTreeMap::new();
    for (cycle, word, job) in &run.events {
        let Some(job) = *job else { continue };
        let at = clock.time(*cycle);
        let starts = EventKind::of(*word) == Some(EventKind::Started);
        if at > up_to || !starts && !EventKind::is_eviction(*word) {
            continue;
        }
        let fortune = jobs.entry(run.names.job(job)).or_default();
        if starts { fortune.starts.push(at) } else { fortune.evictions.push(at) }
    }
    jobs
}

/// *2 evictions, were 3*; empty if the numbers are equal.
pub fn evictions_say(was: &Run, run: &Run, terms: &Terms) -> String {
    terms.fill(&match evictions(was, run) {
        (was, now) if was == now => String::new(),
        (was, 0) => format!("there is no [eviction] ({} before)", count_of(was)),
        (was, 1) => format!("there is {} ({} before)", count(1, "[eviction]"), count_of(was)),
        (was, now) => format!("there are {} ({} before)", count(now, "[eviction]"), count_of(was)),
    })
}

fn count_of(n: u64) -> String {
    if n == 0 { "none".into() } else { n.to_string() }
}

/// The effect of an edit: *Quota of team-a 2 → 3: 1 fewer evicted; team-a uses 3 GPUs (2 before).*
pub fn says(before: &Baseline, frame: &Frame, run: &Run, resource: Resource) -> String {
    let was = &before.frame;
    let moment = if frame.cycle == was.cycle && frame.time_ms != was.time_ms {
        format!("cycle {} is at {}, was at {}", frame.cycle, time(frame.time_ms), time(was.time_ms))
    } else {
        String::new()
    };
    let (effects, by) = effects(&before.run, run, Terms::of(&frame.policy)).unwrap_or_default();
    let allocations = if effects.is_empty() {
        differences(frame, was, resource.into())
    } else {
        allocations(frame, was, resource.into())
    };
    let mut parts = vec![effects, moment, allocations];
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        parts.extend(elsewhere(frame, was, resource));
    }
    if parts.is_empty() {
        parts.push(if by.is_empty() { "nothing changes so far".into() } else { unchanged(&by) });
    }
    format!("{}: {}.", made(&before.changed), parts.join("; "))
}

/// The beginnings of names of edits, and of the sentences about them.
const VERBS: [(&str, &str); 6] = [
    ("add ", "Added "),
    ("remove ", "Removed "),
    ("move ", "Moved "),
    ("duplicate ", "Duplicated "),
    ("undo of ", "Undid "),
    ("run ", "Compared with run "),
];

/// The beginning of a sentence about an edit: *Added queue queue-1*, *Quota of team-a 2 → 3*.
fn made(changed: &str) -> String {
    let said = |(name, said): &(&str, &str)| Some(format!("{said}{}", changed.strip_prefix(name)?));
    VERBS.iter().find_map(said).unwrap_or_else(|| capital(changed))
}

/// Differences in resources other than the shown one, else in jobs.
fn elsewhere(frame: &Frame, was: &Frame, shown: Resource) -> Option<String> {
    for resource in Resource::ACCOUNTED.into_iter().filter(|resource| *resource != shown) {
        let said = differences(frame, was, resource.into());
        if !said.is_empty() {
            return Some(said);
        }
    }
    let terms = Terms::of(&frame.policy);
    let running = |frame: &Frame| -> BTreeMap<String, u32> {
        frame.jobs.iter().map(|row| (row.name.clone(), row.running)).collect()
    };
    let (now, then) = (running(frame), running(was));
    let names: BTreeSet<&String> = now.keys().chain(then.keys()).collect();
    let of = |name: &String| {
        let [is, was] = [&now, &then].map(|jobs| jobs.get(name).copied().unwrap_or(0));
        let pods = terms.fill(&count(is.into(), "[pod]"));
        (is != was).then(|| format!("{name} has {pods} running ({was} before)"))
    };
    let said = first_few(names.into_iter().filter_map(of).collect(), "");
    (!said.is_empty()).then_some(said)
}
