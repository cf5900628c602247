//! Results of several policies for the same scenario, as bars and as a table.

use fairground::words::number::{number, time};

use crate::chart::queue_tree::{Tone, Tree};
use crate::engine::protocol::{ColumnRow, QueueCell, QueueRow};

/// Above this number of leaf queues, only top queues have bars.
const BARS_MAX: usize = 12;

/// A bar for each queue, all policies on one scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What the bars measure.
    pub title: &'static str,
    pub bars: Vec<Bar>,
    /// Value at full width.
    pub max: f64,
}

/// Result of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub name: String,
    pub tone: Tone,
    /// GPUs or GPU-hours.
    pub value: f64,
}

/// Bars of one policy's run on the scale of all runs; queues and their colours are those of the page.
pub fn bars(column: &ColumnRow, all: &[ColumnRow], queues: &[QueueRow]) -> Bars {
    let tree = Tree::new(queues);
    let leaves: Vec<u32> = tree.order().iter().copied().filter(|&q| tree.children(q).is_empty()).collect();
    let shown = if leaves.len() > BARS_MAX { tree.tops().to_vec() } else { leaves };
    // Nothing is allocated once all runs are over.
    let (title, of): (_, fn(&QueueCell) -> f64) = match all.iter().all(|c| c.is_over || !c.can_run) {
        true => ("GPU hours", |cell| cell.used_gpu_s / 3600.0),
        false => ("GPUs at the end", |cell| cell.gpus),
    };
    let value =
        |column: &ColumnRow, name: &str| column.queues.iter().find(|cell| cell.queue == name).map_or(0.0, of);
    let names = || shown.iter().map(|&queue| (&queues[queue as usize].name, tree.tone(queue)));
    let max = all.iter().flat_map(|c| names().map(|(name, _)| value(c, name))).fold(0.0, f64::max);
    let bar = |(name, tone): (&String, Tone)| Bar { name: name.clone(), tone, value: value(column, name) };
    Bars { title, bars: names().map(bar).collect(), max }
}

/// The line of the moments from which on runs differ from the first one.
pub const FIRST_DIFFERENCE: &str = "First difference";

/// A line: what it is about, and a cell for each policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about.
    pub name: String,
    /// One cell per policy.
    pub cells: Vec<String>,
}

fn seconds(s: f64) -> String {
    time((s * 1000.0).round() as i64)
}

/// The lines: the whole run first, then the queues.
pub fn table(columns: &[ColumnRow]) -> Vec<Row> {
    let row = |name: &str, cell: &dyn Fn(&ColumnRow) -> String| {
        let of = |column: &ColumnRow| if column.can_run { cell(column) } else { "cannot run".to_owned() };
        Row { name: name.to_owned(), cells: columns.iter().map(of).collect() }
    };
    let mut rows = vec![
        row("Until", &|c| time(c.until_ms)),
        row(FIRST_DIFFERENCE, &|c| c.first_difference_ms.map_or_else(|| "none".into(), time)),
        row("Jobs done", &|c| number(f64::from(c.jobs_done))),
        row("Jobs waiting at the end", &|c| number(f64::from(c.jobs_waiting))),
        row("Mean wait", &|c| seconds(c.wait_mean_s)),
        row("Longest wait", &|c| seconds(c.wait_max_s)),
        row("Evictions", &|c| number(f64::from(c.evictions))),
        row("GPU hours lost", &|c| number((c.lost_gpu_s / 36.0).round() / 100.0)),
        row("GPUs in use", &|c| format!("{} %", number((c.utilisation * 1000.0).round() / 10.0))),
    ];
    if columns.iter().any(|column| column.jobs_evicted > 0) {
        rows.insert(3, row("Jobs evicted, not replaced", &|c| number(f64::from(c.jobs_evicted))));
    }
    let queues = columns.iter().find(|column| column.can_run).map_or(&[][..], |column| &column.queues);
    for (i, queue) in queues.iter().enumerate() {
        let cell = |c: &ColumnRow, of: fn(&QueueCell) -> String| c.queues.get(i).map_or(String::new(), of);
        let mut add = |what: &str, of: fn(&QueueCell) -> String| {
            rows.push(row(&format!("{}: {what}", queue.queue), &|c| cell(c, of)));
        };
        // Nothing is allocated once all runs are over.
        if columns.iter().any(|c| !c.is_over) {
            add("GPUs at the end", |cell| number(cell.gpus));
        }
        add("GPU hours", |cell| number((cell.used_gpu_s / 36.0).round() / 100.0));
        add("mean wait", |cell| seconds(cell.wait_mean_s));
    }
    rows
}

/// Columns with the same numbers everywhere are one: the positions of each, in their order.
pub fn same_columns(rows: &[Row], n: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..n {
        let is_same = |group: &&mut Vec<usize>| rows.iter().all(|row| row.cells[at] == row.cells[group[0]]);
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_of_all_policies_have_one_scale() {
        let queue = |name: &str, parent| QueueRow { name: name.into(), parent, ..QueueRow::default() };
        let queues = [queue("all", None), queue("a", Some(0)), queue("b", Some(0))];
        let ran = |a: f64, is_over| {
            let cell = |(name, gpus): (&str, f64)| QueueCell {
                queue: name.into(),
                gpus,
                used_gpu_s: gpus * 7200.0,
                ..QueueCell::default()
            };
            let cells = [("b", 1.0), ("a", a), ("all", a + 1.0)];
            let queues = cells.map(cell).to_vec();
            ColumnRow { can_run: true, is_over, queues, ..ColumnRow::default() }
        };
        let all = [ran(3.0, true), ran(5.0, false)];
        let drawn = bars(&all[0], &all, &queues);
        let values: Vec<_> = drawn.bars.iter().map(|bar| (bar.name.as_str(), bar.value)).collect();
        assert_eq!((drawn.title, drawn.max, values), ("GPUs at the end", 5.0, vec![("a", 3.0), ("b", 1.0)]));
        let over = [ran(3.0, true)];
        let drawn = bars(&over[0], &over, &queues);
        assert_eq!((drawn.title, drawn.max, drawn.bars[0].value), ("GPU hours", 6.0, 6.0));
    }

    #[test]
    fn one_line_per_measure_and_queue() {
        let queues = vec![QueueCell { queue: "a".into(), gpus: 3.0, used_gpu_s: 5400.0, wait_mean_s: 90.0 }];
        let ran = ColumnRow { can_run: true, evictions: 2, utilisation: 0.5, queues, ..ColumnRow::default() };
        let rows = table(&[ran, ColumnRow::default()]);
        let cells = |name: &str| rows.iter().find(|row| row.name == name).map(|row| row.cells.join("|"));
        assert_eq!(cells("Evictions").as_deref(), Some("2|cannot run"));
        assert_eq!(cells("GPUs in use").as_deref(), Some("50 %|cannot run"));
        assert_eq!(cells("a: GPUs at the end").as_deref(), Some("3|cannot run"));
        assert_eq!(cells("a: GPU hours").as_deref(), Some("1.5|cannot run"));
        assert_eq!(same_columns(&rows, 2), [vec![0], vec![1]]);
        assert_eq!(same_columns(&[Row { name: "x".into(), cells: vec!["1".into(); 3] }], 3), [vec![0, 1, 2]]);
    }
}
