//! One small timeline per queue, with a common scale.

use fairground::policy::Policy;
use fairground::policy::description::Description;
use fairground::units::ShownResource;
use fairground::words::number::{count, in_unit, number, ratio, unit_of};
use fairground::words::{Selection, Terms};

use crate::chart::alternative::{self, Alternative};
use crate::chart::counted_in::{CountedIn, total_in};
use crate::chart::queue_tree::{Tone, Tree};
use crate::chart::scale::end_of;
use crate::chart::selection::selected_queue;
use crate::chart::table::Table;
use crate::engine::protocol::{Amounts, Frame, Run};
use crate::engine::report::{Level, Trends};

/// Maximum number of tiles.
const TILES_MAX: usize = 60;
/// Largest request shown to scale, as a multiple of the capacity.
const CUT: f64 = 1.25;

/// View model of Trends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrendsView {
    /// Summary sentence: the scale, and the number of queues shown.
    pub summary: String,
    pub resource: ShownResource,
    /// Plural of the unit.
    pub unit: String,
    /// Shown measure.
    pub measure: Measure,
    /// Upper end of every scale.
    pub max: f64,
    /// The last cycle of the scale.
    pub end: u32,
    /// The last computed cycle.
    pub last: u32,
    /// Cycle of the frame.
    pub cycle: u32,
    /// The queues, in the order of the tree.
    pub tiles: Vec<Tile>,
    /// The view as a table.
    pub table: Table,
    /// The last computed cycle of the alternative run, and whether that is the baseline before an edit; `None` if there
    /// is no alternative or it does not differ.
    pub alternative: Option<(u32, bool)>,
}

impl TrendsView {
    /// Whether queues have states.
    pub fn has_states(&self) -> bool {
        self.tiles.iter().flat_map(|tile| &tile.steps).any(|step| step.state.is_some())
    }
}

/// One queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    pub name: String,
    /// Position of the queue.
    pub queue: u32,
    /// Level in the tree.
    pub depth: u32,
    pub tone: Tone,
    pub selected: bool,
    /// Allocation, request and entitlement, by cycle.
    pub steps: Vec<TrendStep>,
    /// Current value, such as `3 of 4`.
    pub has: String,
    /// The run as one sentence.
    pub says: String,
    /// Allocation in the alternative run, by cycle, where it differs.
    pub alternative: Vec<TrendStep>,
}

/// Values from a cycle on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrendStep {
    pub cycle: u32,
    pub held: f64,
    /// Allocated plus pending.
    pub wants: f64,
    /// Entitlement, if the policy has one; infinite if unlimited.
    pub share: Option<f64>,
    /// Index and name of its state, for policies with queue states.
    pub state: Option<(u8, &'static str)>,
}

/// Measure of the timelines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Allocation, request and entitlement.
    #[default]
    Amounts,
    /// Its saturation ratio.
    Ratio,
    /// Past usage in percent of the cluster.
    Usage,
}

impl Measure {
    /// The measures available in a frame, with their names.
    pub fn all(frame: &Frame, resource: ShownResource) -> Vec<(Measure, &'static str)> {
        let is_counted = resource.is_accounted();
        let has_ratio = Policy::described_or_default(&frame.policy).saturation.is_some();
        let has_usage = frame.queues.iter().any(|queue| queue.usage.is_some());
        let all = [
            (true, Measure::Amounts, "amounts"),
            (is_counted && has_ratio, Measure::Ratio, Measure::Ratio.name()),
            (is_counted && has_usage, Measure::Usage, Measure::Usage.name()),
        ];
        all.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, measure, name)| (measure, name)).collect()
    }

    /// Name of the filled line.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Amounts => "allocated",
            Measure::Ratio => "saturation ratio",
            Measure::Usage => "past usage",
        }
    }

    fn unit(self, frame: &Frame, resource: ShownResource, amount: f64) -> &str {
        match self {
            Measure::Amounts => unit_of(&frame.named, resource, amount),
            Measure::Ratio => "× fair share",
            Measure::Usage => "% of the cluster",
        }
    }

    /// The maximum possible value.
    fn capacity(self, series: &Trends, resource: ShownResource) -> f64 {
        match (self, resource) {
            (Measure::Ratio | Measure::Usage, _) => f64::INFINITY,
            _ => in_unit(resource, total_in(resource, &total_at(series, series.last))),
        }
    }

    fn says(self, value: f64) -> String {
        if self == Measure::Ratio { ratio(Some(value)) } else { number(value) }
    }
}

/// The view of a series, by a measure if it is available.
pub fn trends(
    series: &Trends,
    run: &Run,
    frame: &Frame,
    selection: Option<&Selection>,
    (resource, measure): (ShownResource, Measure),
) -> TrendsView {
    let is_there = Measure::all(frame, resource).iter().any(|(of, _)| *of == measure);
    let measure = if is_there { measure } else { Measure::Amounts };
    let terms = Terms::of(&frame.policy);
    let unit_of = |amount: f64| measure.unit(frame, resource, amount);
    let tree = Tree::new(&frame.queues);
    let selected = selected_queue(frame, selection);
    let shown = shown(frame, &tree, selected);
    let tile = |&queue: &u32| {
        let steps = steps_of(series, queue, &frame.policy, (resource, measure));
        let now = at(&steps, frame.cycle);
        let name = frame.queues[queue as usize].name.clone();
        Tile {
            queue,
            depth: tree.depth(queue),
            tone: tree.tone(queue),
            selected: selected == Some(queue),
            has: match now.share {
                _ if measure != Measure::Amounts => measure.says(now.held),
                Some(share) => format!("{} of {}", number(now.held), number(share)),
                None => number(now.held),
            },
            says: says(&name, &steps, now, (unit_of(now.held), measure), terms),
            name,
            steps,
            alternative: Vec::new(),
        }
    };
    let tiles: Vec<Tile> = shown.iter().map(tile).collect();
    let capacity = measure.capacity(series, resource);
    let steps = || tiles.iter().flat_map(|tile| &tile.steps);
    let finite = |of: &f64| of.is_finite();
    let held = steps().map(|step| step.held).filter(finite).fold(0.0, f64::max);
    let wants = steps().map(|step| step.wants).filter(finite).fold(0.0, f64::max).min(capacity * CUT);
    let shares = steps().filter_map(|step| step.share).filter(|share| share.is_finite()).fold(0.0, f64::max);
    let max = held.max(wants).max(shares.min(capacity * CUT)).max(1e-9);
    let end = if run.complete { series.last.max(1) } else { end_of(series.last) };
    let mut summary = format!(
        "{}, all on one scale: 0 to {} {}, cycles 0 to {end}",
        terms.fill(&count(tiles.len() as u64, "[queue]")),
        number(max),
        unit_of(max)
    );
    let left_out = frame.queues.len() - tiles.len();
    if left_out > 0 {
        let select = terms.fill("select a [queue] to see those around it");
        summary += &format!("; {} left out: {select}", number(left_out as f64));
    }
    let unit = unit_of(2.0).to_string();
    let table = table(&tiles, &unit, measure, terms);
    TrendsView {
        summary: summary + ".",
        resource,
        unit,
        measure,
        max,
        end,
        last: series.last,
        cycle: frame.cycle,
        tiles,
        table,
        alternative: None,
    }
}

fn steps_of(
    series: &Trends,
    queue: u32,
    policy: &str,
    (resource, measure): (ShownResource, Measure),
) -> Vec<TrendStep> {
    let levels = series.queues.get(queue as usize).map_or(&[][..], |levels| levels);
    let policy = Policy::described_or_default(policy);
    let of_level = |level: &Level| {
        let step =
            TrendStep { state: state(level, resource, policy), ..step(level, total_at(series, level.cycle), resource) };
        let (held, share) = match (measure, policy.saturation.zip(step.share), level.usage) {
            (Measure::Ratio, Some((ratio, share)), _) => (ratio(step.held, share), Some(1.0)),
            (Measure::Usage, _, Some(usage)) => (usage[resource.counted().index()] * 100.0, None),
            _ => return step,
        };
        TrendStep { held, wants: held, share, ..step }
    };
    levels.iter().map(of_level).collect()
}

fn state(level: &Level, resource: ShownResource, policy: &Description) -> Option<(u8, &'static str)> {
    let state = policy.queue_state.filter(|_| resource.is_accounted())?;
    let r = resource.accounted().index();
    let bound = |of: Option<f64>| of.unwrap_or(f64::INFINITY);
    Some(state(level.allocated[r], bound(level.quota[r]), bound(level.fair_share?[r])))
}

/// The step that applies at a cycle.
fn at(steps: &[TrendStep], cycle: u32) -> TrendStep {
    let at = steps.partition_point(|step| step.cycle <= cycle).checked_sub(1);
    at.map_or(TrendStep::default(), |at| steps[at])
}

/// Adds the allocations of another run where they differ. If the runs have different lengths, the shorter one is
/// finished and does not change any more.
pub fn lay_behind(view: &mut TrendsView, (other, alternative): (&Trends, Alternative<'_>)) {
    let mut differences = Vec::new();
    for tile in &mut view.tiles {
        let position = alternative.frame.position(&tile.name, tile.queue as usize);
        let steps = position.map_or(Vec::new(), |at| {
            steps_of(other, at as u32, &alternative.frame.policy, (view.resource, view.measure))
        });
        let cycles = || tile.steps.iter().chain(&steps).map(|step| step.cycle);
        let differs = |cycle: u32| at(&tile.steps, cycle).held != at(&steps, cycle).held;
        let Some(first) = cycles().filter(|cycle| differs(*cycle)).min() else { continue };
        let [here, there] = [&tile.steps, &steps].map(|steps| number(at(steps, view.cycle).held));
        tile.says += &format!("; {}: {there} allocated now, another amount from cycle {first} on", alternative.lead());
        if here != there {
            differences.push(format!("{} {}", tile.name, alternative.beside(&here, &there)));
        }
        let most = steps.iter().map(|step| step.held).filter(|held| held.is_finite());
        view.max = most.fold(view.max, f64::max);
        tile.alternative = steps;
    }
    if view.tiles.iter().all(|tile| tile.alternative.is_empty()) {
        view.summary += &format!(" {}: no difference in this chart.", alternative.opening());
        return;
    }
    view.alternative = Some((other.last, alternative.changed.is_some()));
    view.end = view.end.max(other.last);
    let said = alternative::first_few(differences, "the same at this moment, other amounts at others");
    view.summary += &format!(" {}: {said}.", alternative.opening());
    view.table = table(&view.tiles, &view.unit, view.measure, Terms::of(&alternative.frame.policy));
    put_others(&mut view.table, &view.tiles, (&view.unit, view.measure), alternative);
}

/// Adds the values of the other run to the table: a line for every cycle in which either changes.
fn put_others(table: &mut Table, tiles: &[Tile], (unit, measure): (&str, Measure), alternative: Alternative<'_>) {
    table.head.push(format!("allocated ({}), {}", alternative.word(), unit));
    table.rows.clear();
    for tile in tiles {
        let mut cycles: Vec<u32> = tile.steps.iter().chain(&tile.alternative).map(|step| step.cycle).collect();
        cycles.sort();
        cycles.dedup();
        for cycle in cycles {
            let mut cells = cells(tile, &TrendStep { cycle, ..at(&tile.steps, cycle) }, measure);
            let other = if tile.alternative.is_empty() { &tile.steps } else { &tile.alternative };
            let other = at(other, cycle).held;
            cells.push(measure.says(other));
            table.rows.push(cells);
        }
    }
}

/// Total capacity at a cycle.
fn total_at(series: &Trends, cycle: u32) -> Amounts {
    let at = series.totals.partition_point(|total| total.0 <= cycle).checked_sub(1);
    at.map_or(Amounts::default(), |at| series.totals[at].1)
}

fn step(level: &Level, total: Amounts, resource: ShownResource) -> TrendStep {
    let unit = CountedIn::of(resource, &level.allocated, &level.request, &total);
    let amount = |base: f64| in_unit(resource, base);
    TrendStep {
        cycle: level.cycle,
        held: amount(unit.base(&level.allocated)),
        wants: amount(unit.base(&level.request)),
        share: level
            .fair_share
            .as_ref()
            .filter(|_| resource.is_divided())
            .map(|share| unit.bound(share).map_or(f64::INFINITY, amount)),
        state: None,
    }
}

/// All queues; if there are too many, those around the selected one, or the top queues.
fn shown(frame: &Frame, tree: &Tree, selected: Option<u32>) -> Vec<u32> {
    let mut shown = tree.order().to_vec();
    if shown.len() > TILES_MAX {
        let parent = |queue: u32| frame.queues.get(queue as usize).and_then(|row| row.parent);
        shown.retain(|&queue| match selected {
            Some(selected) => queue == selected || parent(queue) == parent(selected) || parent(queue) == Some(selected),
            None => tree.depth(queue) == 0,
        });
        let at = selected.and_then(|selected| shown.iter().position(|&queue| queue == selected)).unwrap_or(0);
        let first = at.saturating_sub(TILES_MAX / 2).min(shown.len().saturating_sub(TILES_MAX));
        shown = shown.into_iter().skip(first).take(TILES_MAX).collect();
    }
    shown
}

fn says(name: &str, steps: &[TrendStep], now: TrendStep, (unit, measure): (&str, Measure), terms: &Terms) -> String {
    let most = steps.iter().map(|step| step.held).fold(0.0, f64::max);
    let least = steps.iter().map(|step| step.held).fold(f64::INFINITY, f64::min).min(most);
    let state = now.state.map_or(String::new(), |(_, name)| format!(", {name}"));
    if measure != Measure::Amounts {
        let [now, least, most] = [now.held, least, most].map(|of| measure.says(of));
        return format!("{name}: {} {now} now{state}; between {least} and {most} in the run", measure.name());
    }
    let share = match now.share {
        Some(share) => format!(", {} {}", terms.word("fair share"), number(share)),
        None => String::new(),
    };
    format!(
        "{name}: {} {unit} allocated now{share}{state}, {} requested; between {} and {} in the run",
        number(now.held),
        number(now.wants),
        number(least),
        number(most)
    )
}

fn table(tiles: &[Tile], unit: &str, measure: Measure, terms: &Terms) -> Table {
    let mut head: Vec<String> = vec![terms.word("queue").into(), "from cycle".into()];
    match measure {
        Measure::Ratio => head.push(measure.name().into()),
        Measure::Usage => head.push(format!("{}, %", measure.name())),
        Measure::Amounts => {
            let columns = ["allocated", "fair share", "requested"];
            head.extend(columns.map(|column| format!("{}, {unit}", terms.word(column))));
        }
    }
    let has_state = tiles.iter().flat_map(|tile| &tile.steps).any(|step| step.state.is_some());
    head.extend(has_state.then(|| "state".to_string()));
    let rows = tiles.iter().flat_map(|tile| tile.steps.iter().map(move |step| cells(tile, step, measure)));
    Table::new(head, 1, rows)
}

fn cells(tile: &Tile, step: &TrendStep, measure: Measure) -> Vec<String> {
    let mut cells = vec![tile.name.clone(), step.cycle.to_string()];
    match measure {
        Measure::Ratio | Measure::Usage => cells.push(measure.says(step.held)),
        Measure::Amounts => {
            let share = step.share.map_or_else(|| "–".into(), number);
            cells.extend([number(step.held), share, number(step.wants)]);
        }
    }
    cells.extend(step.state.map(|(_, name)| name.to_string()));
    cells
}
