//! Results of runs side by side, as a table.

use fairground::sim::Ran;
use fairground::units::Resource;
use fairground::words::number::{number, time};
use fairground::words::{ResourceTime, Terms, capital, resource_time};

use crate::engine::protocol::Compared;

/// The runs of scenarios that can be run.
pub fn runs(columns: &[Compared]) -> impl Iterator<Item = &Ran> {
    columns.iter().filter_map(|column| column.run.as_ref())
}

/// Nothing is allocated once all runs are over.
fn is_over(columns: &[Compared]) -> bool {
    runs(columns).all(|run| run.is_over && run.held.iter().all(|held| *held == 0.0))
}

/// The resource of all amounts.
pub fn resource(columns: &[Compared]) -> Resource {
    runs(columns).next().map_or(Resource::GPU, |run| run.resource)
}

/// The unit of all amounts over time.
fn over_time(columns: &[Compared]) -> ResourceTime {
    let used = runs(columns).flat_map(|run| run.summary.queues.iter().map(|queue| queue.gpu_seconds_used));
    ResourceTime::of(resource(columns), used)
}

/// The line of the moments from which on runs differ from the first one.
pub const FIRST_DIFFERENCE: &str = "First difference";

/// A line: what it is about, and a cell for each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about.
    pub name: String,
    /// One cell per run.
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
    let first_difference = |column: &Compared| match (&column.run, &column.first_difference) {
        (None, _) => "cannot run".to_owned(),
        (Some(_), found) => found.as_ref().map_or_else(|| "none".into(), |found| time(found.time.as_millis())),
    };
    let (over_time, resource) = (over_time(columns), resource(columns));
    let mut rows = vec![
        row("Until", &|run| time(run.summary.until.as_millis())),
        Row { name: FIRST_DIFFERENCE.to_owned(), cells: columns.iter().map(first_difference).collect() },
        row("[Jobs] done", &|run| count(run.summary.all.jobs_done)),
        row("[Jobs] waiting at the end", &|run| count(run.n_waiting)),
        row("Mean wait", &|run| seconds(run.summary.all.waits_until_now.mean_s)),
        row("Longest wait", &|run| seconds(run.summary.all.waits_until_now.max_s)),
        row("[Evictions]", &|run| number(run.summary.all.evictions as f64)),
        row(&format!("{} lost", capital(&over_time.name())), &|run| over_time.shown(run.summary.all.gpu_seconds_lost)),
        row(&format!("{} in use", resource_time::in_use(resource)), &|run| {
            format!("{} %", number((run.summary.all.utilisation * 1000.0).round() / 10.0))
        }),
    ];
    if runs(columns).any(|run| run.summary.all.jobs_evicted > 0) {
        rows.insert(3, row("[Jobs] [evicted], not replaced", &|run| count(run.summary.all.jobs_evicted)));
    }
    // Names of queues are not filled.
    rows.iter_mut().for_each(|row| row.name = terms.fill(&row.name));
    for queue in queues_of(columns) {
        let find = |run: &Ran| run.queues.iter().position(|own| **own == *queue);
        let mut add = |measure: &str, cell: &dyn Fn(&Ran, usize) -> String| {
            let cell = |run: &Ran| find(run).map_or(String::new(), |at| cell(run, at));
            rows.push(row(&format!("{queue}: {measure}"), &cell));
        };
        if is_over(columns) {
            add(&over_time.name(), &|run, at| over_time.shown(run.summary.queues[at].gpu_seconds_used));
        } else {
            add(resource_time::plural(resource), &|run, at| resource_time::held(resource, run.held[at]));
        }
        add("mean wait", &|run, at| seconds(run.summary.queues[at].waits_until_now.mean_s));
        add(terms.word("evictions"), &|run, at| number(run.summary.queues[at].evictions as f64));
    }
    rows
}

/// The queues of all runs, which differ if scenarios do.
fn queues_of(columns: &[Compared]) -> Vec<&str> {
    let mut queues: Vec<&str> = Vec::new();
    for queue in runs(columns).flat_map(|run| &run.queues) {
        if !queues.contains(&&**queue) {
            queues.push(queue);
        }
    }
    queues
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

    /// A run whose queues hold and have used GPUs, in GPU seconds.
    fn ran(queues: &[(&str, f64, f64)], is_over: bool) -> Compared {
        let used = |&(_, _, gpu_seconds_used): &(&str, f64, f64)| Totals {
            gpu_seconds_used,
            waits_until_now: Waits { mean_s: 90.0, ..Waits::default() },
            ..Totals::default()
        };
        let run = Ran {
            summary: Summary { queues: queues.iter().map(used).collect(), ..Summary::default() },
            queues: queues.iter().map(|(name, ..)| (*name).into()).collect(),
            held: queues.iter().map(|(_, gpus, _)| *gpus).collect(),
            is_over,
            resource: Resource::GPU,
            level: Vec::new(),
            course: Vec::new(),
            n_waiting: 0,
            moves: Vec::new(),
        };
        Compared { run: Some(run), ..Compared::default() }
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
        assert_eq!(cells("a: GPUs").as_deref(), Some("3|cannot run"));
        assert_eq!(cells("a: mean wait").as_deref(), Some("1:30|cannot run"));
        assert_eq!(same_columns(&rows, 2), [vec![0], vec![1]]);
        assert_eq!(same_columns(&[Row { name: "x".into(), cells: vec!["1".into(); 3] }], 3), [vec![0, 1, 2]]);
    }
}
