//! Timeline: allocations of the top queues by cycle, and the event lane above.

use fairground::units::ShownResource;
use std::collections::BTreeSet;

use fairground::words::number::{self, amount, count, in_unit, number, unit_of};

use crate::chart::alternative::{self, Alternative};
use crate::chart::counted_in::{CountedIn, total_in};
use crate::chart::queue_tree::{HUES, Tone, Tree};
use crate::chart::scale::end_of;
use crate::chart::table::Table;
use crate::engine::protocol::{Amounts, Frame, Point, Run};
pub use crate::state::layout::options::Kinds;
pub use fairground::moment::EventKind;
use fairground::words::Terms;

/// Distance of the last cycle from the right edge, in pixels.
pub const RIGHT: f64 = 12.0;

/// Positions of cycles: each has an equal part of the width and is marked at its centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// Width of the picture.
    pub width: f64,
    /// The first cycle of the scale.
    pub first: u32,
    /// The last one.
    pub last: u32,
}

impl Axis {
    /// The axis of a view at a width in pixels.
    pub fn of(view: &TimelineView, width: f64) -> Axis {
        Axis { width, first: view.first, last: view.end }
    }
    /// Distance of the first cycle from the left edge: space for names and axis numbers.
    pub fn left(self) -> f64 {
        (self.width * 0.1).clamp(108.0, 140.0)
    }
    /// Width of a cycle.
    pub fn step(self) -> f64 {
        (self.width - self.left() - RIGHT).max(1.0) / (f64::from(self.last - self.first) + 1.0)
    }
    /// Centre of a cycle.
    pub fn x(self, cycle: u32) -> f64 {
        self.left() + (f64::from(cycle) - f64::from(self.first) + 0.5) * self.step()
    }
    /// The cycle at a position.
    pub fn cycle_at(self, x: f64) -> u32 {
        self.first.saturating_add(((x - self.left()) / self.step()).floor().max(0.0) as u32).min(self.last)
    }
}

/// View model of Timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineView {
    /// One sentence about the run.
    pub summary: String,
    /// The resource that is shown.
    pub resource: ShownResource,
    /// Singular and plural of the unit.
    pub unit: [String; 2],
    /// The first cycle of the scale.
    pub first: u32,
    /// The last cycle of the scale; the run may be shorter.
    pub end: u32,
    /// The last computed cycle.
    pub last: u32,
    /// Upper end of the scale.
    pub max: f64,
    /// First cycles of the steps.
    pub cycles: Vec<u32>,
    /// Times of the steps, in milliseconds.
    pub times: Vec<i64>,
    /// Capacity at each step.
    pub capacity: Vec<f64>,
    /// Total pending amount at each step.
    pub waiting: Vec<f64>,
    /// Top queues, from the baseline up.
    pub bands: Vec<Band>,
    /// Above all bands: amounts still held by evicted pods.
    pub leaving: Vec<Band>,
    /// The bands are separate lines instead of stacked areas, because shares of different resources do not add up.
    pub apart: bool,
    /// The selected queue's top queue.
    pub top: Option<String>,
    /// Lines of the alternative run; see [`lay_behind`].
    pub alternatives: Vec<AlternativeLine>,
    /// The alternatives are the baseline before an edit.
    pub was: bool,
    /// The selected queue's top queue against its fair share; see [`super::overlays`].
    pub share: Option<Against>,
    /// Caption at the right end of that line, and its position.
    pub caption: Option<(f64, String)>,
    /// Events by cycle, except consequences of other events.
    pub events: Vec<LaneEvent>,
    /// Queue or job whose events have a separate row in the lane.
    pub followed: Option<String>,
    /// First cycle with individually listed events, if earlier ones are only counted.
    pub listed_from: Option<u32>,
    /// Positions of notes, between the cycles around them.
    pub notes: Vec<f64>,
    /// Selected range.
    pub range: Option<Range>,
    /// For condensed steps: minimum and maximum allocation.
    pub spread: Option<Spread>,
    /// Kinds of all events, including hidden ones.
    pub kinds: Kinds,
    /// Policy whose terms are used.
    pub policy: String,
}

impl TimelineView {
    /// All series with one amount per step.
    pub fn amounts_mut(&mut self) -> impl Iterator<Item = &mut Vec<f64>> {
        let bands = self.bands.iter_mut().chain(&mut self.leaving).map(|band| &mut band.amounts);
        let share = self.share.iter_mut();
        let share = share.flat_map(|s| [&mut s.held, &mut s.shares, &mut s.owed, &mut s.borrowed]);
        [&mut self.capacity, &mut self.waiting].into_iter().chain(bands).chain(share)
    }

    /// Removes events of some kinds.
    pub fn leave_out(&mut self, kinds: Kinds) {
        self.events.retain(|event| !kinds.has(event.kind));
    }
}

/// Allocation of one top queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    pub name: String,
    /// Grey for *others*.
    pub tone: Tone,
    /// Amount at each step.
    pub amounts: Vec<f64>,
}

/// Allocation of a queue against its fair share, per step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Against {
    pub name: String,
    pub tone: Tone,
    pub held: Vec<f64>,
    /// The fair share; infinite if unlimited.
    pub shares: Vec<f64>,
    /// Requested amount missing from its fair share.
    pub owed: Vec<f64>,
    /// Allocation beyond its fair share.
    pub borrowed: Vec<f64>,
}

/// A range of cycles, both ends included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Range {
    pub from: u32,
    pub to: u32,
    /// Average allocation and events.
    pub says: String,
}

/// Minimum and maximum total allocation per step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// At least.
    pub least: Vec<f64>,
    /// At most.
    pub most: Vec<f64>,
}

/// Allocation in the alternative run: of the selected top queue, else of each top queue with its descendants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlternativeLine {
    /// Name of the queue.
    pub name: String,
    /// First cycles of the steps.
    pub cycles: Vec<u32>,
    /// Amounts at each step.
    pub amounts: Vec<f64>,
    /// The last computed cycle.
    pub last: u32,
}

impl AlternativeLine {
    /// The amount at a cycle, if it has been computed.
    pub fn at(&self, cycle: u32) -> Option<f64> {
        let at = self.cycles.partition_point(|first| *first <= cycle).checked_sub(1)?;
        self.amounts.get(at).copied().filter(|_| cycle <= self.last)
    }
}

/// An event in the lane.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneEvent {
    pub cycle: u32,
    pub kind: EventKind,
    /// Job, if the event concerns one.
    pub job: String,
    /// Queue of the job; empty if none.
    pub queue: String,
    /// Number of events it represents: early events are only counted.
    pub n: usize,
    /// Index among the events of its cycle.
    pub index: Option<u32>,
    /// Belongs to the followed events.
    pub meant: bool,
}

/// A mark of the lane: one event, or several that are too close to separate.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneMark {
    pub x: f64,
    /// The cycle to jump to.
    pub cycle: u32,
    /// The most important kind among them.
    pub kind: EventKind,
    /// Index of the event in that cycle.
    pub index: Option<u32>,
    /// How many events.
    pub n: usize,
    /// Description.
    pub says: String,
}

/// The view of a run, with a selected queue. Names and colours come from the frame.
pub fn timeline(run: &Run, frame: &Frame, selected: Option<u32>, resource: ShownResource) -> TimelineView {
    let tree = Tree::new(&frame.queues);
    let top = selected.and_then(|queue| top_of(run, frame, queue));
    let name = |queue: u32| frame.queues.get(queue as usize).map_or(String::new(), |q| q.name.clone());
    let capacity: Vec<f64> =
        run.points.iter().map(|point| in_unit(resource, total_in(resource, &point.total))).collect();
    let apart = resource == ShownResource::Dominant;
    let bands = bands(run, &tree, top, resource, &name);
    let leaving = if apart { Vec::new() } else { levels(run, &tree, resource, &name, |point| &point.leaving) };
    let leaving: Vec<Band> = leaving.into_iter().map(|(_, band)| band).collect();
    let total_at = |i: usize| {
        let amounts = bands.iter().chain(&leaving).map(|band| band.amounts[i]);
        if apart { amounts.fold(0.0, f64::max) } else { amounts.sum() }
    };
    let waiting = |point: &Point| in_unit(resource, CountedIn::of_rest(resource, &point.total).base(&point.waiting));
    let events = events(run, frame);
    let mut kinds = Kinds::default();
    run.events.iter().filter_map(|event| EventKind::with(event.1)).for_each(|kind| kinds.put(kind, true));
    let most = (0..run.points.len()).map(total_at).chain(capacity.iter().copied()).fold(0.0, f64::max);
    TimelineView {
        summary: summary(run, frame, resource),
        resource,
        unit: [1.0, 2.0].map(|n| unit_of(&frame.named, resource, n).to_string()),
        end: if run.complete { run.last_cycle.max(1) } else { end_of(run.last_cycle) },
        last: run.last_cycle,
        max: if most > 0.0 { most * 1.2 } else { 1.0 },
        cycles: run.points.iter().map(|point| point.cycle).collect(),
        times: run.points.iter().map(|point| point.time_ms).collect(),
        waiting: run.points.iter().map(waiting).collect(),
        capacity,
        bands,
        leaving,
        apart,
        top: top.map(name),
        events,
        kinds,
        policy: frame.policy.clone(),
        ..TimelineView::default()
    }
}

/// The queue itself or the nearest ancestor with recorded amounts.
fn top_of(run: &Run, frame: &Frame, queue: u32) -> Option<u32> {
    let recorded = &run.points.last()?.allocated;
    let mut at = Some(queue);
    for _ in 0..frame.queues.len() {
        let here = at?;
        if recorded.iter().any(|amount| amount.0 == here) {
            return at;
        }
        at = frame.queues.get(here as usize)?.parent;
    }
    None
}

/// A queue's part of amounts at a point, in display units.
fn amount_of(amounts: &[(u32, Amounts)], queue: Option<u32>, point: &Point, resource: ShownResource) -> f64 {
    let Some((_, queue_amounts)) = amounts.iter().find(|amount| Some(amount.0) == queue) else { return 0.0 };
    in_unit(resource, CountedIn::of(resource, queue_amounts, &Amounts::default(), &point.total).base(queue_amounts))
}

/// The queues with recorded amounts, each with its amount at every step.
fn levels(
    run: &Run,
    tree: &Tree,
    resource: ShownResource,
    name: &dyn Fn(u32) -> String,
    amounts_at: fn(&Point) -> &[(u32, Amounts)],
) -> Vec<(u32, Band)> {
    let queues: BTreeSet<u32> = run.points.iter().flat_map(amounts_at).map(|amounts| amounts.0).collect();
    let amounts = |queue: u32| -> Vec<f64> {
        run.points.iter().map(|point| amount_of(amounts_at(point), Some(queue), point, resource)).collect()
    };
    queues
        .into_iter()
        .map(|queue| (queue, Band { name: name(queue), tone: tree.tone(queue), amounts: amounts(queue) }))
        .filter(|(_, band)| band.amounts.iter().any(|amount| *amount > 0.0))
        .collect()
}

fn bands(
    run: &Run,
    tree: &Tree,
    base: Option<u32>,
    resource: ShownResource,
    name: &dyn Fn(u32) -> String,
) -> Vec<Band> {
    let mut bands = levels(run, tree, resource, name, |point| &point.allocated);
    let rest = if resource == ShownResource::Dominant { "largest of the others" } else { "others" };
    let mut others = Band { name: rest.into(), ..Band::default() };
    if bands.len() > HUES {
        let weight = |band: &Band| band.amounts.iter().sum::<f64>();
        let mut by_weight: Vec<f64> = bands.iter().map(|(_, band)| weight(band)).collect();
        by_weight.sort_by(|a, b| b.total_cmp(a));
        let least = by_weight[HUES - 1];
        let mut n_kept = 0;
        others.amounts = vec![0.0; run.points.len()];
        bands.retain(|(queue, band)| {
            let keep = (weight(band) >= least && n_kept < HUES) || Some(*queue) == base;
            n_kept += usize::from(keep);
            let add = |(sum, amount): (&mut f64, &f64)| {
                *sum = if resource == ShownResource::Dominant { sum.max(*amount) } else { *sum + amount };
            };
            if !keep {
                others.amounts.iter_mut().zip(&band.amounts).for_each(add);
            }
            keep
        });
    }
    bands.sort_by_key(|(queue, _)| (Some(*queue) != base, *queue));
    let mut bands: Vec<Band> = bands.into_iter().map(|(_, band)| band).collect();
    if !others.amounts.is_empty() {
        bands.push(others);
    }
    bands
}

/// Adds the lines of another run where both differ, or where only one has been computed. The scale covers both.
pub fn lay_behind(view: &mut TimelineView, run: &Run, (other, alternative): (&Run, Alternative<'_>)) {
    let queues = &alternative.frame.queues;
    let allocated = |name: &str| -> Vec<f64> {
        let position = queues.iter().position(|row| row.name == name).map(|at| at as u32);
        other.points.iter().map(|point| amount_of(&point.allocated, position, point, view.resource)).collect()
    };
    let cycles: Vec<u32> = other.points.iter().map(|point| point.cycle).collect();
    let mut names: Vec<String> = view.bands.iter().map(|band| band.name.clone()).collect();
    names.extend(queues.iter().filter(|row| row.parent.is_none()).map(|row| row.name.clone()));
    let mut seen: Vec<&str> = Vec::new();
    let (mut was, mut now) = (vec![0.0; cycles.len()], vec![0.0; view.cycles.len()]);
    let mut alternatives: Vec<AlternativeLine> = Vec::new();
    for name in &names {
        if seen.contains(&name.as_str()) || view.top.as_ref().is_some_and(|top| top != name) {
            continue;
        }
        seen.push(name);
        let band = view.bands.iter().find(|band| band.name == *name);
        let adds = |sums: &mut Vec<f64>, amounts: &[f64]| {
            if view.apart {
                *sums = amounts.to_vec()
            } else {
                sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount)
            }
        };
        adds(&mut was, &allocated(name));
        adds(&mut now, band.map_or(&vec![0.0; view.cycles.len()], |band| &band.amounts));
        let last = other.last_cycle;
        let alternative = AlternativeLine { name: name.clone(), cycles: cycles.clone(), amounts: was.clone(), last };
        let differs = |(cycle, amount): (&u32, &f64)| alternative.at(*cycle).is_some_and(|old| old != *amount);
        let is_other = last > view.last || view.cycles.iter().zip(&now).any(differs);
        if is_other && alternatives.iter().all(|other| other.amounts != alternative.amounts) {
            alternatives.push(alternative);
        }
    }
    view.max = alternatives
        .iter()
        .flat_map(|alternative| &alternative.amounts)
        .fold(view.max, |max, amount| max.max(amount * 1.2));
    view.end = view.end.max(other.last_cycle);
    view.alternatives = alternatives;
    view.was = alternative.changed.is_some();
    let Some(changed) = alternative.changed else { return };
    let terms = Terms::of(&view.policy);
    let said = alternative::evictions_say(other, run, terms);
    let said = if said.is_empty() { terms.fill("as many [evictions] as before") } else { said };
    view.summary += &format!(" Since {changed}: {said}.");
}

fn events(run: &Run, frame: &Frame) -> Vec<LaneEvent> {
    let mut next = (0, 0);
    run.events
        .iter()
        .filter_map(|(cycle, word, job)| {
            let index = if next.0 == *cycle { next.1 } else { 0 };
            next = (*cycle, index + 1);
            let kind = EventKind::of(*word).filter(|kind| *kind != EventKind::Claimed)?;
            let queue = job.and_then(|job| run.names.queue_of(job));
            let queue = queue.map_or(String::new(), |queue| frame.queue(queue).to_string());
            let (cycle, job) = (*cycle, job.map_or(String::new(), |job| run.names.job(job).to_string()));
            Some(LaneEvent { cycle, kind, job, queue, n: 1, index: Some(index), meant: true })
        })
        .collect()
}

/// Marks closer than this are merged, in pixels.
const NEAR: f64 = 22.0;

/// The marks of the lane at a width, or of its row of followed events.
pub fn lane(view: &TimelineView, axis: Axis, is_followed: bool) -> Vec<LaneMark> {
    let terms = Terms::of(&view.policy);
    let mut marks: Vec<LaneMark> = Vec::new();
    let mut members: Vec<&LaneEvent> = Vec::new();
    let close = |members: &mut Vec<&LaneEvent>, marks: &mut Vec<LaneMark>| {
        let Some(best) = members.iter().min_by_key(|event| event.kind) else { return };
        marks.push(LaneMark {
            x: axis.x(best.cycle),
            cycle: best.cycle,
            kind: best.kind,
            index: best.index,
            n: members.iter().map(|event| event.n).sum(),
            says: mark_says(members, terms),
        });
        members.clear();
    };
    for event in view.events.iter().filter(|event| event.meant || !is_followed) {
        if members.first().is_some_and(|first| axis.x(event.cycle) - axis.x(first.cycle) >= NEAR) {
            close(&mut members, &mut marks);
        }
        members.push(event);
    }
    close(&mut members, &mut marks);
    marks
}

fn mark_says(events: &[&LaneEvent], terms: &Terms) -> String {
    let (Some(first), Some(last)) = (events.first(), events.last()) else { return String::new() };
    let mut parts = Vec::new();
    for kind in EventKind::ALL {
        let mut of_kind = events.iter().filter(|e| e.kind == kind);
        let Some(first) = of_kind.next() else { continue };
        let more: usize = of_kind.map(|e| e.n).sum();
        let says = kind.name(terms);
        match (first.job.as_str(), first.n + more) {
            ("", 1) => parts.push(says),
            ("", n) => parts.push(format!("{n} {says}")),
            (job, 1) => parts.push(format!("{job} {says}")),
            (job, n) => parts.push(format!("{job} and {} {says}", count(n as u64 - 1, "other"))),
        }
    }
    let at = if first.cycle == last.cycle {
        format!("Cycle {}", first.cycle)
    } else {
        format!("Cycles {} to {}", first.cycle, last.cycle)
    };
    format!("{at}: {}", parts.join(", "))
}

fn summary(run: &Run, frame: &Frame, resource: ShownResource) -> String {
    let Some(last) = run.points.last() else { return "Nothing has run yet.".into() };
    let unit = |amounts| CountedIn::of(resource, amounts, &Amounts::default(), &last.total);
    let amounts = last.allocated.iter().map(|(_, amounts)| unit(amounts).base(amounts));
    let total = total_in(resource, &last.total);
    let allocated: f64 = if resource == ShownResource::Dominant { amounts.fold(0.0, f64::max) } else { amounts.sum() };
    let word = if resource == ShownResource::Dominant { "the largest share" } else { "allocated" };
    let evictions = run.n_events(u32::MAX, EventKind::is_eviction);
    let mut said = format!(
        "{}, {}: {} of {} {} {word} at the end",
        count(u64::from(run.last_cycle), "cycle"),
        number::time(run.last_time_ms),
        amount(resource, allocated),
        amount(resource, total),
        unit_of(&frame.named, resource, in_unit(resource, total)),
    );
    if evictions > 0 {
        said += &Terms::of(&frame.policy).fill(&format!(", {}", count(evictions, "[eviction]")));
    }
    said + "."
}

/// The time of a cycle, interpolated from the points.
pub fn time_of(view: &TimelineView, cycle: u32) -> Option<i64> {
    let at = view.cycles.partition_point(|first| *first <= cycle).checked_sub(1)?;
    view.times.get(at).copied()
}

/// Position of a time among the cycles; `None` beyond the end of the run.
pub fn place_of(view: &TimelineView, time_ms: i64) -> Option<f64> {
    let next = view.times.partition_point(|time| *time <= time_ms);
    let (cycle, time) = (*view.cycles.get(next.checked_sub(1)?)?, *view.times.get(next - 1)?);
    let Some((to, until)) = view.cycles.get(next).zip(view.times.get(next)) else {
        return (time == time_ms).then_some(f64::from(cycle));
    };
    let part = (time_ms - time) as f64 / (until - time).max(1) as f64;
    Some(f64::from(cycle) + part * f64::from(to - cycle))
}

/// The events of the lane as a table.
pub fn events_table(view: &TimelineView) -> Table {
    let terms = Terms::of(&view.policy);
    let row = |event: &LaneEvent| {
        let time = time_of(view, event.cycle).map_or_else(|| "–".into(), number::time);
        let kind = event.kind.name(terms);
        let job = if event.n > 1 { format!("{} together", event.n) } else { event.job.clone() };
        vec![kind, job, event.queue.clone(), event.cycle.to_string(), time]
    };
    let head = ["event", terms.word("job"), terms.word("queue"), "cycle", "time"];
    Table::new(head, 3, view.events.iter().map(row))
}

/// The view as a table.
pub fn table(view: &TimelineView) -> Table {
    let unit = &view.unit[1];
    let mut head = vec!["cycle".to_string(), "time".into(), format!("capacity, {unit}")];
    head.push(format!("waiting, {unit}"));
    let word = Terms::of(&view.policy).word("fair share");
    head.extend(view.share.iter().flat_map(|Against { name, .. }| {
        [format!("{word} of {name}, {unit}"), format!("owed, {unit}"), format!("borrowed, {unit}")]
    }));
    head.extend(view.bands.iter().map(|band| format!("{}, {unit}", band.name)));
    head.extend(view.leaving.iter().map(|band| format!("{} leaving, {unit}", band.name)));
    let above = if view.top.is_none() && !view.apart { " and below" } else { "" };
    let word = if view.was { "before" } else { "ghost" };
    head.extend(view.alternatives.iter().map(|alternative| format!("{}{above} ({word}), {unit}", alternative.name)));
    let row = |i: usize| {
        let mut row = vec![view.cycles[i].to_string(), number::time(view.times[i]), number(view.capacity[i])];
        row.push(number(view.waiting[i]));
        row.extend(view.share.iter().flat_map(|s| [s.shares[i], s.owed[i], s.borrowed[i]]).map(number));
        row.extend(view.bands.iter().chain(&view.leaving).map(|band| number(band.amounts[i])));
        let was = |alternative: &AlternativeLine| alternative.at(view.cycles[i]).map_or("–".into(), number);
        row.extend(view.alternatives.iter().map(was));
        row
    };
    Table { head, text_columns: 0, rows: (0..view.cycles.len()).map(row).collect(), is_by_queue: true }
}
