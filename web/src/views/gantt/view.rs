//! Gantt: a row per job, pod or GPU, with a thin line while it exists and a bar while it holds resources.

use fairground::moment::EventKind;
use fairground::units::ShownResource;
use fairground::words::number::{self, count, in_unit, unit_of};
use fairground::words::{Selection, Terms};

use crate::chart::alternative::{self, Alternative};
use crate::chart::queue_tree::{Tone, Tree};
use crate::chart::scale::end_of;
use crate::chart::table::Table;
use crate::engine::protocol::{Frame, JobRow, Run};
use crate::engine::report::{Gantt, GanttBar, GanttBy, GanttRow};

/// View model of Gantt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GanttView {
    /// One sentence about the window.
    pub summary: String,
    /// Kind of rows.
    pub by: GanttBy,
    /// The last cycle of the scale.
    pub end: u32,
    /// The last computed cycle.
    pub last: u32,
    /// Headings and rows, from top to bottom.
    pub lines: Vec<Line>,
    /// First row, end (exclusive), and total number of rows.
    pub window: (u32, u32, u32),
    /// Marks that occur.
    pub marks: Marks,
    /// The view as a table.
    pub table: Table,
    /// The alternatives are the baseline before an edit.
    pub was: bool,
}

/// Marks that occur.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    /// A row waits.
    pub waits: bool,
    /// A row runs.
    pub runs: bool,
    /// Work was lost.
    pub lost: bool,
    /// A pod was evicted.
    pub evictions: bool,
    /// A row differs from that of another run.
    pub alternative: bool,
    /// A row runs without the resource.
    pub thin: bool,
}

/// A line of the chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Heading of a queue's rows.
    Queue(String, Tone),
    Row(Box<Row>),
}

/// A job, pod or GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub name: String,
    /// Selection on click.
    pub selects: Option<Selection>,
    pub selected: bool,
    /// First and last cycle (exclusive) of the thin line, if it has one.
    pub known: Option<(u32, u32)>,
    pub bars: Vec<Bar>,
    pub evictions: Vec<EvictionMark>,
    /// The row as a sentence.
    pub says: String,
    /// Requests none of the shown resource.
    pub thin: bool,
    /// Outcome if the thin line ends before the row is finished, such as `failed`; else empty.
    pub fate: String,
    /// The same row of another run, where it differs.
    pub alternative: Option<Box<AlternativeRow>>,
}

/// The row in another run: the baseline, or a preview.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlternativeRow {
    /// First and last cycle (exclusive) of the thin line, if it has one.
    pub known: Option<(u32, u32)>,
    pub bars: Vec<Bar>,
}

/// An interval of cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// The first cycle.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
    /// Fraction of the pods whose work counts, 0 to 1.
    pub kept: f64,
    /// Fraction of the pods whose work is lost.
    pub lost: f64,
    pub tone: Tone,
    /// The holder, for a GPU; else empty.
    pub label: String,
}

/// An eviction of a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct EvictionMark {
    pub cycle: u32,
    /// Reason.
    pub kind: EventKind,
    /// Description.
    pub says: String,
}

/// Names of queues by position, and the vocabulary of the policy.
type Naming<'a, 'b> = (&'b dyn Fn(u32) -> &'a str, &'b Terms);

/// The view of a window of rows.
pub fn gantt(gantt: &Gantt, run: &Run, frame: &Frame, selection: Option<&Selection>) -> GanttView {
    let terms = Terms::of(&frame.policy);
    let tree = Tree::new(&frame.queues);
    let name = |queue: u32| frame.queues.get(queue as usize).map_or("", |row| row.name.as_str());
    let mut lines = Vec::new();
    let mut group = None;
    let mut marks = Marks::default();
    for row in &gantt.rows {
        if let Some(queue) = row.queue.filter(|queue| group != Some(*queue)) {
            group = Some(queue);
            lines.push(Line::Queue(name(queue).to_string(), tree.tone(queue)));
        }
        let mut drawn = drawn(gantt, row, &tree, selection, (&name, terms));
        if row.queue.is_some() {
            say_leaves(&mut drawn, &row.job, gantt, frame);
        }
        marks.waits |= drawn.known.is_some();
        marks.runs |= drawn.bars.iter().any(|bar| bar.kept > 0.0);
        marks.lost |= drawn.bars.iter().any(|bar| bar.lost > 0.0);
        marks.evictions |= !drawn.evictions.is_empty();
        lines.push(Line::Row(Box::new(drawn)));
    }
    let complete = run.complete && run.last_cycle <= gantt.last;
    GanttView {
        summary: summary(gantt, terms),
        by: gantt.by,
        end: if complete { gantt.last.max(1) } else { end_of(gantt.last) },
        last: gantt.last,
        lines,
        window: (gantt.first, gantt.first + gantt.rows.len() as u32, gantt.total),
        marks,
        table: table(gantt, &name, terms),
        was: false,
    }
}

/// Adds when the row's job leaves, also after its line if that ends now.
fn say_leaves(row: &mut Row, job: &str, gantt: &Gantt, frame: &Frame) {
    let is_leaving = |row: &&JobRow| row.leaving > 0 && row.name == job;
    let at = frame.jobs.iter().find(is_leaving).and_then(|job| job.leaves_ms);
    let Some(at) = at.filter(|at| *at > frame.time_ms) else { return };
    let leaves = number::leaves(at, frame.time_ms);
    row.says += &format!("; {leaves}");
    if frame.cycle == gantt.last && row.fate.is_empty() {
        row.fate = leaves;
    }
}

/// Adds to each row its request for a resource; rows without it are thin. GPUs have no requests.
pub fn count_in(view: &mut GanttView, gantt: &Gantt, named: &[String], resource: ShownResource) {
    let Some(resource) = resource.one().filter(|_| gantt.by != GanttBy::Gpu) else { return };
    let unit = |n: f64| unit_of(named, resource, n);
    let requests: Vec<f64> = gantt.rows.iter().map(|row| in_unit(resource, row.amount[resource.index()])).collect();
    let drawn = view.lines.iter_mut().filter_map(|line| match line {
        Line::Row(row) => Some(row),
        Line::Queue(..) => None,
    });
    for (row, asks) in drawn.zip(&requests) {
        row.thin = *asks == 0.0;
        view.marks.thin |= row.thin && !row.bars.is_empty();
        let said =
            if row.thin { format!("no {}", unit(2.0)) } else { format!("{} {}", number::number(*asks), unit(*asks)) };
        row.says += &format!("; requests {said}");
        // Only if the bar is high enough.
        let is_high = !row.thin && row.alternative.is_none();
        for bar in row.bars.iter_mut().filter(|bar| is_high && bar.kept >= 1.0) {
            bar.label = said.clone();
        }
    }
    view.summary += &format!(" Amounts in {}.", unit(2.0));
    view.table.head.insert(2, format!("requested, {}", unit(2.0)));
    for (cells, asks) in view.table.rows.iter_mut().zip(&requests) {
        cells.insert(2, number::number(*asks));
    }
}

/// Adds the rows of another run behind those that differ. If the runs have different lengths, the shorter one is
/// finished and does not change any more.
pub fn lay_behind(view: &mut GanttView, gantt: &Gantt, frame: &Frame, (other, alternative): (&Gantt, Alternative<'_>)) {
    if gantt.by != other.by {
        return;
    }
    let last = gantt.last.max(other.last);
    let terms = Terms::of(&frame.policy);
    let tree = Tree::new(&frame.queues);
    let name = |queue: u32| alternative.frame.queues.get(queue as usize).map_or("", |row| row.name.as_str());
    let tone = |queue: u32| {
        let at = frame.position(name(queue), queue as usize);
        at.map_or(Tone::default(), |at| tree.tone(at as u32))
    };
    let rows: Vec<(GanttRow, Option<GanttRow>)> = gantt
        .rows
        .iter()
        .map(|row| {
            let same = other.rows.iter().find(|other| other.name == row.name);
            (settled(row, last), same.map(|same| settled(same, last)))
        })
        .collect();
    let drawn_rows = view.lines.iter_mut().filter_map(|line| match line {
        Line::Row(row) => Some(row),
        Line::Queue(..) => None,
    });
    for (drawn, (now, other)) in drawn_rows.zip(&rows) {
        let Some(other) = other.as_ref().filter(|other| !is_like(now, other)) else { continue };
        let bars = other.bars.iter().map(|bar| drawn_bar(bar, other, &tone)).collect();
        let end = other.known.1.or(other.fate.as_ref().map(|(cycle, _)| cycle + 1));
        let range = other.queue.map(|_| (other.known.0, end.unwrap_or(last + 1)));
        drawn.alternative = Some(Box::new(AlternativeRow { known: range, bars }));
        drawn.says += &format!("; {}: {}", alternative.lead(), parts(other, last, (&name, terms)).join("; "));
        view.marks.alternative = true;
    }
    view.was = alternative.changed.is_some();
    view.end = view.end.max(other.last);
    view.summary += &format!(" {}: {}.", alternative.opening(), since(&rows, alternative));
    if view.marks.alternative {
        put_others(&mut view.table, &rows, alternative, (&name, terms));
    }
}

/// Extends a row of a finished run to a cycle.
fn settled(row: &GanttRow, last: u32) -> GanttRow {
    let to = |bar: &GanttBar| if bar.open { last + 1 } else { bar.to };
    GanttRow { bars: row.bars.iter().map(|bar| GanttBar { to: to(bar), ..bar.clone() }).collect(), ..row.clone() }
}

/// Whether a row is equal in two runs. Queues are ignored, because their positions depend on the run.
fn is_like(now: &GanttRow, other: &GanttRow) -> bool {
    let extent = |bar: &GanttBar| (bar.from, bar.to, bar.open, bar.kept, bar.lost);
    let holder = |bar: &GanttBar| bar.holder.as_ref().map(|(job, _)| job.clone());
    now.known == other.known
        && now.evictions == other.evictions
        && now.fate == other.fate
        && now.bars.iter().map(extent).eq(other.bars.iter().map(extent))
        && now.bars.iter().map(holder).eq(other.bars.iter().map(holder))
}

/// Describes which rows differ, and from when.
fn since(rows: &[(GanttRow, Option<GanttRow>)], alternative: Alternative<'_>) -> String {
    let first = |row: &GanttRow| row.bars.first().map_or("never".into(), |bar| format!("in cycle {}", bar.from));
    let difference = |(now, other): &(GanttRow, Option<GanttRow>)| {
        let other = other.as_ref().filter(|other| !is_like(now, other))?;
        let (here, there) = (first(now), first(other));
        Some(match alternative.changed {
            _ if here == there => format!("{} runs at other times", now.name),
            Some(_) => format!("{} first started {there}, now {here}", now.name),
            None => format!("{} would first start {there}, now {here}", now.name),
        })
    };
    alternative::first_few(rows.iter().filter_map(difference).collect(), "nothing here runs at another time")
}

/// Adds the values of the other run to the table.
fn put_others<'a>(
    table: &mut Table,
    rows: &[(GanttRow, Option<GanttRow>)],
    alternative: Alternative<'_>,
    (name, terms): Naming<'a, '_>,
) {
    let word = alternative.word();
    if table.text_columns == GPU_TEXTS {
        table.head.insert(GPU_TEXTS, "run".into());
        table.rows.iter_mut().for_each(|row| row.insert(GPU_TEXTS, "now".into()));
        let others = rows.iter().filter_map(|(now, other)| other.as_ref().filter(|other| !is_like(now, other)));
        for mut row in others.flat_map(|other| gpu_lines(other, name)) {
            row.insert(GPU_TEXTS, word.into());
            table.rows.push(row);
        }
        table.text_columns += 1;
        return;
    }
    table.head.extend(JOB_NUMBERS[2..].iter().map(|caption| format!("{} ({word})", terms.fill(caption))));
    for (cells, (now, other)) in table.rows.iter_mut().zip(rows) {
        cells.extend(numbers(other.as_ref().unwrap_or(now)).into_iter().skip(2));
    }
}

fn drawn(gantt: &Gantt, row: &GanttRow, tree: &Tree, selection: Option<&Selection>, naming: Naming<'_, '_>) -> Row {
    let tone = |queue: u32| tree.tone(queue);
    let evictions = row.evictions.iter().filter_map(|(cycle, kind)| {
        let kind = EventKind::of(*kind)?;
        Some(EvictionMark {
            cycle: *cycle,
            kind,
            says: format!("{} {} in cycle {cycle}", row.name, kind.name(naming.1)),
        })
    });
    let selects = match row.queue {
        Some(_) => Some(Selection::Job(row.job.clone())),
        None => row.name.split(" · ").next().map(|node| Selection::Node(node.to_string())),
    };
    let ends = row.known.1.or(row.fate.as_ref().map(|(cycle, _)| cycle + 1)).unwrap_or(gantt.last + 1);
    Row {
        name: row.name.clone(),
        selected: selects.is_some() && selects.as_ref() == selection,
        selects,
        known: row.queue.map(|_| (row.known.0, ends)),
        bars: row.bars.iter().map(|bar| drawn_bar(bar, row, &tone)).collect(),
        evictions: evictions.collect(),
        says: says(gantt, row, naming),
        alternative: None,
        thin: false,
        fate: row.fate.as_ref().map_or(String::new(), |(_, fate)| fate.clone()),
    }
}

fn drawn_bar(bar: &GanttBar, row: &GanttRow, tone: &dyn Fn(u32) -> Tone) -> Bar {
    let n = f64::from(row.n.max(1));
    let holder = bar.holder.as_ref();
    Bar {
        from: bar.from,
        to: bar.to,
        kept: f64::from(bar.kept) / n,
        lost: f64::from(bar.lost) / n,
        tone: holder.map(|holder| holder.1).or(row.queue).map_or(Tone::default(), tone),
        label: holder.map_or(String::new(), |holder| holder.0.clone()),
    }
}

/// `cycle 4`, or `cycles 4 to 6`.
fn span(from: u32, to: u32) -> String {
    match to.saturating_sub(1) {
        last if last <= from => format!("cycle {from}"),
        last => format!("cycles {from} to {last}"),
    }
}

fn says(gantt: &Gantt, row: &GanttRow, naming: Naming<'_, '_>) -> String {
    let whose = row.queue.map_or(String::new(), |queue| format!(" ({})", naming.0(queue)));
    format!("{}{whose}: {}", row.name, parts(row, gantt.last, naming).join("; "))
}

/// History of a row up to a cycle.
fn parts(row: &GanttRow, last: u32, (name, terms): Naming<'_, '_>) -> Vec<String> {
    let mut parts = Vec::new();
    match row.queue {
        Some(_) => parts.push(format!("submitted in cycle {}", row.known.0)),
        None if row.bars.is_empty() => parts.push("never held".to_string()),
        None => {}
    }
    for bar in &row.bars {
        let when = if bar.open { format!("since cycle {}", bar.from) } else { span(bar.from, bar.to) };
        let mut said = match &bar.holder {
            Some((job, queue)) => format!("{job} of {} {when}", name(*queue)),
            None if row.n > 1 => {
                format!("{} of {} {} run {when}", bar.kept + bar.lost, row.n, terms.word("pods"))
            }
            None => format!("runs {when}"),
        };
        match bar.lost {
            0 => {}
            lost if bar.kept > 0 => said += &format!(", the work of {lost} lost"),
            _ => said += ", its work lost",
        }
        parts.push(said);
    }
    parts.extend(
        row.evictions
            .iter()
            .filter_map(|(cycle, kind)| Some(format!("{} in cycle {cycle}", EventKind::of(*kind)?.name(terms)))),
    );
    match row.known.1 {
        Some(end) => parts.push(format!("over in cycle {end}")),
        None if row.fate.is_some() => {
            parts.extend(row.fate.iter().map(|(cycle, fate)| format!("{fate} by cycle {cycle}")));
        }
        None if row.queue.is_some() && !row.bars.iter().any(|bar| bar.open) => {
            parts.push(format!("waits in cycle {last}"));
        }
        None => {}
    }
    parts
}

/// Cycles in which a row ran, and those of them whose work was lost, summed over its pods.
fn cycles(row: &GanttRow) -> (u64, u64) {
    let pod_cycles = |part: fn(&GanttBar) -> u32| -> u64 {
        row.bars.iter().map(|bar| u64::from(bar.to.saturating_sub(bar.from)) * u64::from(part(bar))).sum()
    };
    (pod_cycles(|bar| bar.kept + bar.lost), pod_cycles(|bar| bar.lost))
}

fn summary(gantt: &Gantt, terms: &Terms) -> String {
    let mut said = count(u64::from(gantt.total), noun(gantt.by));
    if (gantt.rows.len() as u32) < gantt.total {
        said += &format!(", {} to {} shown", gantt.first + 1, gantt.first + gantt.rows.len() as u32);
    }
    let is_on = |row: &&GanttRow| row.bars.iter().any(|bar| bar.open);
    let n_on = gantt.rows.iter().filter(is_on).count() as u64;
    let n_over = gantt.rows.iter().filter(|row| row.known.1.is_some()).count() as u64;
    let is_fated = |row: &&GanttRow| row.fate.is_some() && row.known.1.is_none() && !is_on(row);
    let n_fated = gantt.rows.iter().filter(is_fated).count() as u64;
    let n_rest = gantt.rows.len() as u64 - n_on - n_over - n_fated;
    said += &match gantt.by {
        GanttBy::Gpu => format!("; in cycle {}: {n_on} held, {n_rest} free", gantt.last),
        _ => format!("; in cycle {}: {n_on} running, {n_rest} waiting, {n_over} finished", gantt.last),
    };
    if n_fated > 0 {
        said += &format!(", {n_fated} failed or refused");
    }
    let evictions: u64 = gantt.rows.iter().map(|row| row.evictions.len() as u64).sum();
    let lost: u64 = gantt.rows.iter().map(|row| cycles(row).1).sum();
    if evictions > 0 {
        said += &format!("; {}", count(evictions, "[eviction]"));
    }
    if lost > 0 {
        let per = if gantt.by == GanttBy::Gpu { "GPU" } else { terms.word("pod") };
        said += &format!("; {} of work lost (per {per})", count(lost, "cycle"));
    }
    terms.fill(&(said + "."))
}

/// What a row is.
pub fn noun(by: GanttBy) -> &'static str {
    match by {
        GanttBy::Job => "[job]",
        GanttBy::Pod => "[pod]",
        GanttBy::Gpu => "GPU",
    }
}

/// Text columns in the table of GPUs.
const GPU_TEXTS: usize = 4;
/// Numeric columns of a job or pod in the table.
const JOB_NUMBERS: [&str; 7] =
    ["[pods]", "submitted", "first start", "ended", "cycles run", "lost cycles", "[evictions]"];

fn dash() -> String {
    "–".into()
}

/// Holders of a GPU, one line per bar.
fn gpu_lines<'a>(row: &GanttRow, name: &dyn Fn(u32) -> &'a str) -> Vec<Vec<String>> {
    let line = |bar: &GanttBar| {
        let (job, queue) = bar.holder.clone().unwrap_or_default();
        let to = if bar.open { dash() } else { bar.to.to_string() };
        let lost = if bar.lost > 0 { "yes" } else { "no" };
        vec![row.name.clone(), job, name(queue).to_string(), lost.into(), bar.from.to_string(), to]
    };
    row.bars.iter().map(line).collect()
}

fn numbers(row: &GanttRow) -> [String; 7] {
    let (run, lost) = cycles(row);
    [
        row.n.to_string(),
        row.known.0.to_string(),
        row.bars.first().map_or_else(dash, |bar| bar.from.to_string()),
        match (row.known.1, &row.fate) {
            (Some(end), _) => end.to_string(),
            (None, Some((cycle, fate))) => format!("{fate} by {cycle}"),
            (None, None) => dash(),
        },
        number::number(run as f64),
        number::number(lost as f64),
        row.evictions.len().to_string(),
    ]
}

fn table<'a>(gantt: &Gantt, name: &dyn Fn(u32) -> &'a str, terms: &Terms) -> Table {
    let filled = |caption: &str| terms.fill(caption);
    if gantt.by == GanttBy::Gpu {
        let rows = gantt.rows.iter().flat_map(|row| gpu_lines(row, name));
        let head = ["GPU", "[job]", "[queue]", "work lost", "from cycle", "gone in cycle"];
        return Table::new(head.map(filled), GPU_TEXTS, rows);
    }
    let row = |row: &GanttRow| {
        let mut cells = vec![row.name.clone(), name(row.queue.unwrap_or(u32::MAX)).to_string()];
        cells.extend(numbers(row));
        cells
    };
    let head = [noun(gantt.by), "[queue]"].into_iter().chain(JOB_NUMBERS);
    Table::new(head.map(filled), 2, gantt.rows.iter().map(row))
}
