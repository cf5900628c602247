//! Fairness and waste: what every queue got up to the moment, and what nobody got.

use super::Table;
use super::before::Ghost;
use super::number::{self, GPU, MEMORY, count, number, ratio, unit_of};
use super::queues::Tree;
use super::shares::selected_queue;
use crate::engine::protocol::Frame;
use crate::engine::story::{Tally, TallyRow};
use crate::model::Selection;

/// What Fairness shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FairnessView {
    /// One sentence about the run up to the moment.
    pub summary: String,
    /// Numbers of the whole cluster.
    pub facts: Vec<Fact>,
    /// One row per queue.
    pub table: Table,
    /// The row of the selected queue.
    pub meant: Option<usize>,
}

/// A number of the whole cluster.
#[derive(Clone, Debug)]
pub struct Fact {
    /// What it counts.
    pub name: &'static str,
    /// The number with its unit.
    pub value: String,
    /// How to read it.
    pub reading: String,
    /// By how much a change made it more or less, with its sign; empty: not at all.
    pub since: String,
    /// How such a number is written.
    kind: Kind,
}

impl PartialEq for Fact {
    fn eq(&self, other: &Fact) -> bool {
        // What is written follows from the rest.
        (self.name, &self.value, &self.reading, &self.since)
            == (other.name, &other.value, &other.reading, &other.since)
    }
}

/// Below so many seconds of one GPU (core, GiB …) in all, amounts are told in such seconds, above in hours.
const HOURS_FROM: f64 = 7200.0;

/// How a number is written.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Seconds of the resource.
    Amount,
    /// Of the resource.
    Now,
    /// Seconds.
    Span,
    /// How many.
    Count,
    /// Of hundred.
    Percent,
    /// With two digits.
    Ratio,
}

/// How numbers are written: all seconds of the resource in one unit.
struct Style {
    /// What one and what several of it are called.
    units: [String; 2],
    /// So many of the engine's in one that people read.
    per_unit: f64,
    in_hours: bool,
}

impl Style {
    fn of(tally: &Tally, frame: &Frame) -> Style {
        let per_unit = if tally.resource == MEMORY { f64::from(1 << 30) } else { 1.0 };
        // The engine numbers what the scenario names right after the GPUs.
        let resource = if tally.resource > GPU { tally.resource + 1 } else { tally.resource };
        let units = [1.0, 2.0].map(|n| unit_of(&frame.named, resource, n).to_string());
        Style { units, per_unit, in_hours: tally.capacity / per_unit >= HOURS_FROM }
    }
    fn unit(&self) -> String {
        format!("{} {}", self.units[0], if self.in_hours { "hours" } else { "s" })
    }
    fn text(&self, kind: Kind, value: f64) -> String {
        match kind {
            Kind::Amount => number(value / self.per_unit / if self.in_hours { 3600.0 } else { 1.0 }),
            Kind::Now => {
                let n = value / self.per_unit;
                format!("{} {}", number(n), self.units[usize::from(n != 1.0)])
            }
            Kind::Span => number::time((value * 1000.0) as i64),
            Kind::Count => number(value),
            Kind::Percent => format!("{} %", number((value * 10.0).round() / 10.0)),
            Kind::Ratio => ratio(Some(value)),
        }
    }
    fn amount(&self, seconds: f64) -> String {
        format!("{} {}", self.text(Kind::Amount, seconds), self.unit())
    }
}

/// The columns of numbers: caption, and how they are written.
const COLUMNS: [(&str, Kind); 9] = [
    ("short for", Kind::Span),
    ("owed", Kind::Amount),
    ("borrowed", Kind::Amount),
    ("used", Kind::Amount),
    ("wait, median", Kind::Span),
    ("wait, P90", Kind::Span),
    ("longest now", Kind::Span),
    ("evictions", Kind::Count),
    ("lost", Kind::Amount),
];

/// The numbers of a queue, or of all of them together, which are short of nothing as a whole.
fn numbers(row: &TallyRow, is_queue: bool) -> [Option<f64>; 9] {
    let waits = |seconds: f64| (row.started > 0).then_some(seconds);
    [
        is_queue.then_some(row.short),
        Some(row.owed),
        Some(row.borrowed),
        Some(row.used),
        waits(row.wait_median),
        waits(row.wait_p90),
        row.wait_now,
        Some(row.evictions as f64),
        Some(row.lost),
    ]
}

/// What Fairness shows of a tally.
pub fn fairness(tally: &Tally, frame: &Frame, selection: Option<&Selection>) -> FairnessView {
    let style = Style::of(tally, frame);
    let tree = Tree::new(&frame.queues);
    let rows: Vec<(u32, &TallyRow)> =
        tree.order().iter().filter_map(|&queue| Some((queue, tally.queues.get(queue as usize)?))).collect();
    let selected = selected_queue(frame, selection);
    let row = |name: String, row: &TallyRow, is_queue: bool| {
        let text = |(value, (_, kind)): (Option<f64>, (&str, Kind))| {
            value.map_or_else(|| "–".into(), |value| style.text(kind, value))
        };
        std::iter::once(name).chain(numbers(row, is_queue).into_iter().zip(COLUMNS).map(text)).collect()
    };
    let name = |queue: u32| {
        let indent = "\u{2003}".repeat(tree.depth(queue) as usize);
        indent + &frame.queues[queue as usize].name
    };
    let mut lines: Vec<Vec<String>> = rows.iter().map(|(queue, of)| row(name(*queue), of, true)).collect();
    lines.push(row("all".into(), &tally.all, false));
    let caption = |(caption, kind): (&str, Kind)| match kind {
        Kind::Amount => format!("{caption}, {}", style.unit()),
        _ => caption.to_string(),
    };
    let head = std::iter::once("queue".to_string()).chain(COLUMNS.map(caption)).collect();
    FairnessView {
        summary: summary(tally, frame, &tree, &rows),
        facts: facts(tally, &style),
        table: Table { head, rows: lines, text_columns: 1 },
        meant: rows.iter().position(|(queue, _)| selected == Some(*queue)),
    }
}

/// Puts beside every number by how much the change made it more or less, or would make it.
pub fn put_differences(
    view: &mut FairnessView,
    (tally, frame): (&Tally, &Frame),
    (other, ghost): (&Tally, Ghost<'_>),
) {
    let style = Style::of(tally, frame);
    // What the change does: from how it was to what is, or from what is to how it would be.
    let change = |now: f64, other: f64| if ghost.changed.is_some() { now - other } else { other - now };
    let tree = Tree::new(&frame.queues);
    let same = |queue: u32| {
        let name = &frame.queues[queue as usize].name;
        other.queues.get(ghost.frame.position(name, queue as usize)?)
    };
    let queues = tree.order().iter().filter_map(|&queue| {
        let now = tally.queues.get(queue as usize)?;
        Some((now, same(queue), true))
    });
    let all = std::iter::once((&tally.all, Some(&other.all), false));
    let mut n_changed = 0u64;
    for (cells, (now, other, is_queue)) in view.table.rows.iter_mut().zip(queues.chain(all)) {
        let Some(other) = other else { continue };
        let pairs = numbers(now, is_queue).into_iter().zip(numbers(other, is_queue)).zip(COLUMNS);
        for (cell, ((now, other), (_, kind))) in cells.iter_mut().skip(1).zip(pairs) {
            let by = now.zip(other).map_or(0.0, |(now, other)| change(now, other));
            if let Some(by) = signed(by, |by| style.text(kind, by)) {
                *cell += &format!(" ({by})");
                n_changed += 1;
            }
        }
    }
    for (fact, (now, other)) in view.facts.iter_mut().zip(measures(tally).into_iter().zip(measures(other))) {
        let by = now.zip(other).map_or(0.0, |(now, other)| change(now, other));
        fact.since = signed(by, |by| style.text(fact.kind, by)).unwrap_or_default();
    }
    view.summary += &match (n_changed, ghost.changed) {
        (0, _) => format!(" {}: the same numbers.", ghost.opening()),
        (_, Some(_)) => format!(" {}: in brackets what is more or less than before.", ghost.opening()),
        (_, None) => format!(" {}: in brackets what would be more or less.", ghost.opening()),
    };
}

/// A difference with its sign; `None` where nothing of it can be seen.
fn signed(by: f64, text: impl Fn(f64) -> String) -> Option<String> {
    let written = text(by.abs());
    let is_seen = written != text(0.0);
    is_seen.then(|| format!("{}{written}", if by > 0.0 { "+" } else { "−" }))
}

/// What the facts are made of, in their order.
fn measures(tally: &Tally) -> [Option<f64>; 5] {
    let part = |gpu_seconds: f64| (tally.capacity > 0.0).then(|| gpu_seconds / tally.capacity * 100.0);
    let hours = tally.time_ms as f64 / 3.6e6;
    [
        part(tally.all.used),
        part(tally.idle_wanted),
        Some(tally.stranded),
        (hours > 0.0).then(|| tally.all.restarts as f64 / hours),
        tally.jain,
    ]
}

/// What a fact counts, how its number is written, and how to read it.
type Reading = (&'static str, Kind, String);

fn facts(tally: &Tally, style: &Style) -> Vec<Fact> {
    let free = style.text(Kind::Now, tally.free);
    let lost = style.amount(tally.all.lost);
    let restarts = count(tally.all.restarts, "restart");
    let readings = [
        (
            "Used",
            Kind::Percent,
            format!("{} of {}", style.amount(tally.all.used), style.amount(tally.capacity)),
        ),
        (
            "Idle while wanted",
            Kind::Percent,
            format!("{} were free while somebody waited", style.amount(tally.idle_wanted)),
        ),
        ("Stranded now", Kind::Now, format!("free, and no job that waits fits there; {free} free in all")),
        (
            "Restarts per hour",
            Kind::Count,
            format!("{restarts} in {}; {lost} lost", number::time(tally.time_ms)),
        ),
        ("Jain index", Kind::Ratio, jain_reading(tally.jain).to_string()),
    ];
    let fact = |((name, kind, reading), value): (Reading, Option<f64>)| Fact {
        name,
        value: value.map_or_else(|| "–".into(), |value| style.text(kind, value)),
        reading,
        since: String::new(),
        kind,
    };
    readings.into_iter().zip(measures(tally)).map(fact).collect()
}

/// Jain's index in words. It is 1 when all queues got the same part of what they were due.
fn jain_reading(jain: Option<f64>) -> &'static str {
    match jain {
        None => "no queue was due anything yet",
        Some(jain) if jain >= 0.995 => "all queues got the same part of what they were due",
        Some(jain) if jain >= 0.9 => "queues got nearly the same part of what they were due",
        Some(jain) if jain >= 0.7 => "some queues got a clearly smaller part of what they were due",
        Some(_) => "a few queues got what they were due, others hardly anything",
    }
}

fn summary(tally: &Tally, frame: &Frame, tree: &Tree, rows: &[(u32, &TallyRow)]) -> String {
    let name = |queue: u32| frame.queues.get(queue as usize).map_or("", |row| row.name.as_str());
    let short = rows.iter().filter(|(queue, row)| tree.is_leaf(*queue) && row.owed > 0.0);
    // Of equals the first.
    let most = short.rev().max_by(|a, b| a.1.owed.total_cmp(&b.1.owed));
    // What was before the start counts in none of the numbers.
    let upto = format!("From 0:00 to {}, cycle {}", number::time(tally.time_ms), tally.cycle);
    match most {
        Some((queue, row)) => {
            let short = number::time((row.short * 1000.0) as i64);
            format!("{upto}: {} was owed most, short for {short}.", name(*queue))
        }
        None => format!("{upto}: no queue was short of what it was due."),
    }
}
