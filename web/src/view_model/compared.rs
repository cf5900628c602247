//! What several policies made of the same scenario, as a table.

use super::number::{number, time};
use crate::engine::protocol::{ColumnRow, QueueCell};

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
        row("Jobs done", &|c| number(f64::from(c.jobs_done))),
        row("Jobs that wait at the end", &|c| number(f64::from(c.jobs_waiting))),
        row("Mean wait", &|c| seconds(c.wait_mean_s)),
        row("Longest wait", &|c| seconds(c.wait_max_s)),
        row("Pods told to go", &|c| number(f64::from(c.evictions))),
        row("GPU hours lost", &|c| number((c.lost_gpu_s / 36.0).round() / 100.0)),
        row("GPUs in use", &|c| format!("{} %", number((c.utilisation * 1000.0).round() / 10.0))),
    ];
    let queues = columns.iter().find(|column| column.can_run).map_or(&[][..], |column| &column.queues);
    for (i, queue) in queues.iter().enumerate() {
        let cell = |c: &ColumnRow, of: fn(&QueueCell) -> String| c.queues.get(i).map_or(String::new(), of);
        let mut add = |what: &str, of: fn(&QueueCell) -> String| {
            rows.push(row(&format!("{}: {what}", queue.queue), &|c| cell(c, of)));
        };
        // Where every run is over, nobody holds anything.
        if columns.iter().any(|c| !c.is_over) {
            add("GPUs at the end", |cell| number(cell.gpus));
        }
        add("GPU hours", |cell| number((cell.used_gpu_s / 36.0).round() / 100.0));
        add("mean wait", |cell| seconds(cell.wait_mean_s));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_per_measure_and_queue() {
        let queues = vec![QueueCell { queue: "a".into(), gpus: 3.0, used_gpu_s: 5400.0, wait_mean_s: 90.0 }];
        let ran = ColumnRow { can_run: true, evictions: 2, utilisation: 0.5, queues, ..ColumnRow::default() };
        let rows = table(&[ran, ColumnRow::default()]);
        let cells = |name: &str| rows.iter().find(|row| row.name == name).map(|row| row.cells.join("|"));
        assert_eq!(cells("Pods told to go").as_deref(), Some("2|cannot run"));
        assert_eq!(cells("GPUs in use").as_deref(), Some("50 %|cannot run"));
        assert_eq!(cells("a: GPUs at the end").as_deref(), Some("3|cannot run"));
        assert_eq!(cells("a: GPU hours").as_deref(), Some("1.5|cannot run"));
    }
}
