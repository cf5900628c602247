//! Fairness and waste: what every queue got up to the moment, and what nobody got.

use super::Table;
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// What it counts.
    pub name: &'static str,
    /// The number with its unit.
    pub value: String,
    /// How to read it.
    pub reading: String,
}

/// Below so many seconds of one GPU (core, GiB …) in all, amounts are told in such seconds, above in hours.
const HOURS_FROM: f64 = 7200.0;

/// What Fairness shows of a tally.
pub fn fairness(tally: &Tally, frame: &Frame, selection: Option<&Selection>) -> FairnessView {
    let counted = Counted::of(tally, frame);
    let unit = &counted.seconds;
    let amount = |seconds: f64| counted.amount(seconds);
    let tree = Tree::new(&frame.queues);
    let rows: Vec<(u32, &TallyRow)> =
        tree.order().iter().filter_map(|&queue| Some((queue, tally.queues.get(queue as usize)?))).collect();
    let selected = selected_queue(frame, selection);
    let row = |name: String, row: &TallyRow, short: String| {
        let span = |seconds: f64| number::time((seconds * 1000.0) as i64);
        let waits = |seconds: f64| if row.started > 0 { span(seconds) } else { "–".into() };
        vec![
            name,
            short,
            amount(row.owed),
            amount(row.borrowed),
            amount(row.used),
            waits(row.wait_median),
            waits(row.wait_p90),
            row.wait_now.map_or_else(|| "–".into(), span),
            number(row.evictions as f64),
            amount(row.lost),
        ]
    };
    let name = |queue: u32| {
        let indent = "\u{2003}".repeat(tree.depth(queue) as usize);
        indent + &frame.queues[queue as usize].name
    };
    let mut lines: Vec<Vec<String>> = rows
        .iter()
        .map(|(queue, of)| row(name(*queue), of, number::time((of.short * 1000.0) as i64)))
        .collect();
    lines.push(row("all".into(), &tally.all, "–".into()));
    let head = [
        "queue".to_string(),
        "short for".into(),
        format!("owed, {unit}"),
        format!("borrowed, {unit}"),
        format!("used, {unit}"),
        "wait, median".into(),
        "wait, P90".into(),
        "longest now".into(),
        "evictions".into(),
        format!("lost, {unit}"),
    ];
    FairnessView {
        summary: summary(tally, frame, &rows),
        facts: facts(tally, &counted),
        table: Table { head: head.into(), rows: lines, text_columns: 1 },
        meant: rows.iter().position(|(queue, _)| selected == Some(*queue)),
    }
}

/// How seconds of the resource are told.
struct Counted {
    /// What one and what several of it are called.
    units: [String; 2],
    /// So many of the engine's in one that people read.
    per_unit: f64,
    /// So many seconds in what is told.
    per_time: f64,
    /// The unit of what is told, such as `GPU s`.
    seconds: String,
}

impl Counted {
    fn of(tally: &Tally, frame: &Frame) -> Counted {
        let per_unit = if tally.resource == MEMORY { f64::from(1 << 30) } else { 1.0 };
        // The engine numbers what the scenario names right after the GPUs.
        let resource = if tally.resource > GPU { tally.resource + 1 } else { tally.resource };
        let units = [1.0, 2.0].map(|n| unit_of(&frame.named, resource, n).to_string());
        let (per_time, time) =
            if tally.capacity / per_unit >= HOURS_FROM { (3600.0, "hours") } else { (1.0, "s") };
        Counted { seconds: format!("{} {time}", units[0]), units, per_unit, per_time }
    }
    fn amount(&self, seconds: f64) -> String {
        number(seconds / self.per_unit / self.per_time)
    }
    fn now(&self, amount: f64) -> String {
        let n = amount / self.per_unit;
        format!("{} {}", number(n), self.units[usize::from(n != 1.0)])
    }
}

fn facts(tally: &Tally, counted: &Counted) -> Vec<Fact> {
    let amount = |seconds: f64| format!("{} {}", counted.amount(seconds), counted.seconds);
    let part = |seconds: f64| match tally.capacity {
        capacity if capacity > 0.0 => {
            format!("{} %", number((seconds / capacity * 1000.0).round() / 10.0))
        }
        _ => "–".into(),
    };
    let hours = tally.time_ms as f64 / 3.6e6;
    let restarts = if hours > 0.0 { number(tally.all.restarts as f64 / hours) } else { "–".into() };
    vec![
        Fact {
            name: "Used",
            value: part(tally.all.used),
            reading: format!("{} of {}", amount(tally.all.used), amount(tally.capacity)),
        },
        Fact {
            name: "Idle while wanted",
            value: part(tally.idle_wanted),
            reading: format!("{} were free while somebody waited", amount(tally.idle_wanted)),
        },
        Fact {
            name: "Stranded now",
            value: counted.now(tally.stranded),
            reading: format!(
                "free, and no job that waits fits there; {} free in all",
                counted.now(tally.free)
            ),
        },
        Fact {
            name: "Restarts per hour",
            value: restarts,
            reading: format!(
                "{} in {}; {} lost",
                count(tally.all.restarts, "restart"),
                number::time(tally.time_ms),
                amount(tally.all.lost)
            ),
        },
        Fact {
            name: "Jain index",
            value: tally.jain.map_or_else(|| "–".into(), |jain| ratio(Some(jain))),
            reading: jain_reading(tally.jain).to_string(),
        },
    ]
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

fn summary(tally: &Tally, frame: &Frame, rows: &[(u32, &TallyRow)]) -> String {
    let name = |queue: u32| frame.queues.get(queue as usize).map_or("", |row| row.name.as_str());
    let is_leaf = |queue: u32| frame.queues.iter().all(|row| row.parent != Some(queue));
    let short = rows.iter().filter(|(queue, row)| is_leaf(*queue) && row.owed > 0.0);
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
