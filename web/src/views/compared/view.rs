//! Results of several policies for the same scenario, as bars and as a table.

use fairground::sim::Ran;
use fairground::words::Terms;
use fairground::words::number::{number, time};

use crate::chart::queue_tree::{Tone, Tree};
use crate::engine::protocol::{Compared, QueueRow};

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
pub fn bars(column: &Compared, all: &[Compared], queues: &[QueueRow]) -> Bars {
    let tree = Tree::new(queues);
    let leaves: Vec<u32> = tree.order().iter().copied().filter(|&q| tree.children(q).is_empty()).collect();
    let shown = if leaves.len() > BARS_MAX { tree.tops().to_vec() } else { leaves };
    // Nothing is allocated once all runs are over.
    let (title, of): (_, fn(&Ran, usize) -> f64) = match runs(all).all(|run| run.is_over) {
        true => ("GPU hours", |run, at| run.summary.queues[at].gpu_seconds_used / 3600.0),
        false => ("GPUs at the end", |run, at| run.held[at]),
    };
    let value = |run: &Ran, name: &str| {
        run.queues.iter().position(|queue| **queue == *name).map_or(0.0, |at| of(run, at))
    };
    let names = || shown.iter().map(|&queue| (&queues[queue as usize].name, tree.tone(queue)));
    let max = runs(all).flat_map(|run| names().map(move |(name, _)| value(run, name))).fold(0.0, f64::max);
    let bar = |(name, tone): (&String, Tone)| {
        let value = column.run.as_ref().map_or(0.0, |run| value(run, name));
        Bar { name: name.clone(), tone, value }
    };
    Bars { title, bars: names().map(bar).collect(), max }
}

fn runs(columns: &[Compared]) -> impl Iterator<Item = &Ran> {
    columns.iter().filter_map(|column| column.run.as_ref())
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

/// The lines in the terms of the page's policy: the whole run first, then the queues.
pub fn table(columns: &[Compared], terms: &Terms) -> Vec<Row> {
    let row = |name: &str, cell: &dyn Fn(&Ran) -> String| {
        let of = |column: &Compared| column.run.as_ref().map_or_else(|| "cannot run".to_owned(), cell);
        Row { name: name.to_owned(), cells: columns.iter().map(of).collect() }
    };
    let count = |n: u32| number(f64::from(n));
    let first_difference = |column: &Compared| match (&column.run, column.first_difference) {
        (None, _) => "cannot run".to_owned(),
        (Some(_), moment) => moment.map_or_else(|| "none".into(), |moment| time(moment.as_millis())),
    };
    let mut rows = vec![
        row("Until", &|run| time(run.summary.until.as_millis())),
        Row { name: FIRST_DIFFERENCE.to_owned(), cells: columns.iter().map(first_difference).collect() },
        row("[Jobs] done", &|run| count(run.summary.all.jobs_done)),
        row("[Jobs] waiting at the end", &|run| count(run.n_waiting)),
        row("Mean wait", &|run| seconds(run.summary.all.waits.mean_s)),
        row("Longest wait", &|run| seconds(run.summary.all.waits.max_s)),
        row("[Evictions]", &|run| number(run.summary.all.evictions as f64)),
        row("GPU hours lost", &|run| hours(run.summary.all.gpu_seconds_lost)),
        row("GPUs in use", &|run| {
            format!("{} %", number((run.summary.all.utilisation * 1000.0).round() / 10.0))
        }),
    ];
    if runs(columns).any(|run| run.summary.all.jobs_evicted > 0) {
        rows.insert(3, row("[Jobs] [evicted], not replaced", &|run| count(run.summary.all.jobs_evicted)));
    }
    // Names of queues are not filled.
    rows.iter_mut().for_each(|row| row.name = terms.fill(&row.name));
    let queues = runs(columns).next().map_or(&[][..], |run| &run.queues);
    for (i, queue) in queues.iter().enumerate() {
        let mut add = |what: &str, of: &dyn Fn(&Ran) -> Option<String>| {
            rows.push(row(&format!("{queue}: {what}"), &|run| of(run).unwrap_or_default()));
        };
        // Nothing is allocated once all runs are over.
        if columns.iter().any(|column| column.run.as_ref().is_none_or(|run| !run.is_over)) {
            add("GPUs at the end", &|run| run.held.get(i).map(|gpus| number(*gpus)));
        }
        add("GPU hours", &|run| Some(hours(run.summary.queues.get(i)?.gpu_seconds_used)));
        add("mean wait", &|run| Some(seconds(run.summary.queues.get(i)?.waits.mean_s)));
    }
    rows
}

fn hours(gpu_seconds: f64) -> String {
    number((gpu_seconds / 36.0).round() / 100.0)
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
    use fairground::policy::Policy;
    use fairground::sim::{Summary, Totals, Waits};
    use fairground::words::capital;

    /// A run whose queues hold and have used GPUs, in GPU seconds.
    fn ran(queues: &[(&str, f64, f64)], is_over: bool) -> Compared {
        let used = |&(_, _, gpu_seconds_used): &(&str, f64, f64)| Totals {
            gpu_seconds_used,
            waits: Waits { mean_s: 90.0, ..Waits::default() },
            ..Totals::default()
        };
        let run = Ran {
            summary: Summary { queues: queues.iter().map(used).collect(), ..Summary::default() },
            queues: queues.iter().map(|(name, ..)| (*name).into()).collect(),
            held: queues.iter().map(|(_, gpus, _)| *gpus).collect(),
            is_over,
            ..Ran::default()
        };
        Compared { run: Some(run), ..Compared::default() }
    }

    #[test]
    fn bars_of_all_policies_have_one_scale() {
        let queue = |name: &str, parent| QueueRow { name: name.into(), parent, ..QueueRow::default() };
        let queues = [queue("all", None), queue("a", Some(0)), queue("b", Some(0))];
        let ran = |a: f64, is_over| {
            let cells = [("b", 1.0), ("a", a), ("all", a + 1.0)];
            ran(&cells.map(|(name, gpus)| (name, gpus, gpus * 7200.0)), is_over)
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
        let mut ran = ran(&[("a", 3.0, 5400.0)], false);
        if let Some(run) = &mut ran.run {
            run.summary.all = Totals { evictions: 2, utilisation: 0.5, ..Totals::default() };
        }
        let columns = [ran, Compared::default()];
        let rows = table(&columns, &Terms::PLAIN);
        for policy in Policy::ALL {
            let evictions = capital(policy.terms.word("evictions"));
            let rows = table(&columns, policy.terms);
            assert!(rows.iter().any(|row| row.name == evictions), "{}: {rows:?}", policy.key);
        }
        let cells = |name: &str| rows.iter().find(|row| row.name == name).map(|row| row.cells.join("|"));
        assert_eq!(cells("Evictions").as_deref(), Some("2|cannot run"));
        assert_eq!(cells("GPUs in use").as_deref(), Some("50 %|cannot run"));
        assert_eq!(cells("a: GPUs at the end").as_deref(), Some("3|cannot run"));
        assert_eq!(cells("a: GPU hours").as_deref(), Some("1.5|cannot run"));
        assert_eq!(same_columns(&rows, 2), [vec![0], vec![1]]);
        assert_eq!(same_columns(&[Row { name: "x".into(), cells: vec!["1".into(); 3] }], 3), [vec![0, 1, 2]]);
    }
}
