//! Results of runs side by side, as bars and as a table.

use fairground::sim::Ran;
use fairground::units::Resource;
use fairground::words::number::{number, time};
use fairground::words::{ResourceTime, Terms, capital, resource_time};

use crate::chart::queue_tree::{Tone, Tree};
use crate::engine::protocol::{Compared, QueueRow};

/// Above this number of leaf queues, only top queues have bars.
const BARS_MAX: usize = 12;

/// A bar for each queue, all runs on one scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What the bars measure.
    pub title: String,
    pub bars: Vec<Bar>,
    /// Value at full width.
    pub max: f64,
}

/// Result of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub name: String,
    pub tone: Tone,
    /// Amount of the resource, or of the resource over time.
    pub value: f64,
}

/// Bars of one run on the scale of all runs; queues and their colours are those of the page.
pub fn bars(column: &Compared, all: &[Compared], queues: &[QueueRow]) -> Bars {
    let tree = Tree::new(queues);
    let leaves: Vec<u32> = tree.order().iter().copied().filter(|&q| tree.children(q).is_empty()).collect();
    let shown = if leaves.len() > BARS_MAX { tree.tops().to_vec() } else { leaves };
    let over_time = over_time(all);
    let resource = resource(all);
    let value_of = |run: &Ran, at: usize| match is_over(all) {
        true => over_time.value(run.summary.queues[at].gpu_seconds_used),
        false => resource_time::in_units(resource, run.held[at]),
    };
    let title = if is_over(all) { over_time.name() } else { at_the_end(resource) };
    let value = |run: &Ran, name: &str| {
        run.queues.iter().position(|queue| **queue == *name).map_or(0.0, |at| value_of(run, at))
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

/// Nothing is allocated once all runs are over.
fn is_over(columns: &[Compared]) -> bool {
    runs(columns).all(|run| run.is_over && run.held.iter().all(|held| *held == 0.0))
}

/// The resource of all amounts.
fn resource(columns: &[Compared]) -> Resource {
    runs(columns).next().map_or(Resource::GPU, |run| run.resource)
}

/// The unit of all amounts over time.
fn over_time(columns: &[Compared]) -> ResourceTime {
    let used = runs(columns).flat_map(|run| run.summary.queues.iter().map(|queue| queue.gpu_seconds_used));
    ResourceTime::of(resource(columns), used)
}

fn at_the_end(resource: Resource) -> String {
    format!("{} at the end", resource_time::plural(resource))
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
        let mut add = |what: &str, of: &dyn Fn(&Ran, usize) -> String| {
            let find = |run: &Ran| run.queues.iter().position(|own| **own == *queue);
            let cell = |run: &Ran| find(run).map_or(String::new(), |at| of(run, at));
            rows.push(row(&format!("{queue}: {what}"), &cell));
        };
        if !is_over(columns) {
            add(&at_the_end(resource), &|run, at| resource_time::held(resource, run.held[at]));
        }
        add(&over_time.name(), &|run, at| over_time.shown(run.summary.queues[at].gpu_seconds_used));
        add("mean wait", &|run, at| seconds(run.summary.queues[at].waits_until_now.mean_s));
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
            n_waiting: 0,
            moves: Vec::new(),
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
        assert_eq!((&*drawn.title, drawn.max, values), ("GPUs at the end", 5.0, vec![("a", 3.0), ("b", 1.0)]));
        let mut over = [ran(3.0, true)];
        let held = over[0].run.iter_mut().flat_map(|run| &mut run.held);
        held.for_each(|held| *held = 0.0);
        let drawn = bars(&over[0], &over, &queues);
        assert_eq!((&*drawn.title, drawn.max, drawn.bars[0].value), ("GPU hours", 6.0, 6.0));
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
