//! Fairness and waste: what every queue got up to the moment, and what nobody got.

use super::Table;
use super::number::{self, count, number, ratio};
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

/// Below so many GPU seconds in all, amounts are told in GPU seconds, above in GPU hours.
const HOURS_FROM: f64 = 7200.0;

/// What Fairness shows of a tally.
pub fn fairness(tally: &Tally, frame: &Frame, selection: Option<&Selection>) -> FairnessView {
    let in_hours = tally.capacity >= HOURS_FROM;
    let scale = if in_hours { 3600.0 } else { 1.0 };
    let unit = if in_hours { "GPU hours" } else { "GPU s" };
    let amount = |gpu_seconds: f64| number(gpu_seconds / scale);
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
        // Number and unit stay on one line.
        facts: facts(tally, &|gpu_seconds| format!("{} {unit}", amount(gpu_seconds)).replace(' ', "\u{a0}")),
        table: Table { head: head.into(), rows: lines, text_columns: 1 },
        meant: rows.iter().position(|(queue, _)| selected == Some(*queue)),
    }
}

fn facts(tally: &Tally, amount: &dyn Fn(f64) -> String) -> Vec<Fact> {
    let part = |gpu_seconds: f64| match tally.capacity {
        capacity if capacity > 0.0 => {
            format!("{} %", number((gpu_seconds / capacity * 1000.0).round() / 10.0))
        }
        _ => "–".into(),
    };
    let hours = tally.time_ms as f64 / 3.6e6;
    let restarts = if hours > 0.0 { number(tally.all.restarts as f64 / hours) } else { "–".into() };
    let gpus = |n: f64| number::with_unit(number::GPU, n);
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
            value: gpus(tally.stranded),
            reading: format!("free, and no job that waits fits there; {} free in all", gpus(tally.free)),
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
    let upto = format!("Up to cycle {}, {}", tally.cycle, number::time(tally.time_ms));
    match most {
        Some((queue, row)) => {
            let short = number::time((row.short * 1000.0) as i64);
            format!("{upto}: {} was owed most, short for {short}.", name(*queue))
        }
        None => format!("{upto}: no queue was short of what it was due."),
    }
}
