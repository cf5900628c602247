//! Fairness and waste: allocations of each queue up to the cursor, and unused resources.

use fairground::sim::{PoolTotals, Totals};
use fairground::units::{Resource, ShownResource};
use fairground::words::number::{self, count, number, ratio, unit_of};
use fairground::words::{Selection, Terms};

use crate::chart::alternative::Alternative;
use crate::chart::queue_tree::{Tone, Tree};
use crate::chart::selection::selected_queue;
use crate::chart::table::Table;
use crate::engine::protocol::{Frame, JobRow, QueueRow};
use crate::engine::report::Fairness;

/// View model of Fairness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FairnessView {
    /// Summary sentence.
    pub summary: String,
    /// Numbers of the whole cluster.
    pub facts: Vec<Fact>,
    /// Jobs with problems.
    pub warnings: Vec<Warning>,
    /// One row per queue, and one below it for each of several pools.
    pub table: Table,
    /// The row of the selected queue.
    pub meant: Option<usize>,
    /// One bar per queue, in the order of the table.
    pub bars: Vec<Bar>,
}

/// What a queue was owed and what it borrowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub name: String,
    /// Level below the top-level queues.
    pub depth: u32,
    pub tone: Tone,
    /// Resource-seconds below its share.
    pub owed: f64,
    /// Resource-seconds over its share.
    pub borrowed: f64,
    /// Its row of the table, which has the numbers as texts.
    pub row: usize,
}

/// Column of the table with what a queue was owed.
const OWED: usize = 2;
/// Column of the table with what a queue borrowed.
const BORROWED: usize = 3;
/// Columns of the table that stand beside the bars: median wait, evictions, lost work.
pub const BESIDE: [usize; 3] = [5, 8, 9];

impl FairnessView {
    /// The owed and the borrowed amount of a bar as texts, with their differences to an alternative.
    pub fn amounts(&self, bar: &Bar) -> [&str; 2] {
        [OWED, BORROWED].map(|column| self.table.rows[bar.row][column].as_str())
    }

    /// A bar in words, the judgement first.
    pub fn says(&self, bar: &Bar) -> String {
        let [owed, borrowed] = self.amounts(bar);
        let judgement = match (bar.owed > 0.0, bar.borrowed > 0.0) {
            (true, false) => format!("owed {owed}"),
            (false, true) => format!("borrowed {borrowed}"),
            (true, true) => format!("owed {owed}, borrowed {borrowed}"),
            (false, false) => "got its share".into(),
        };
        let beside = BESIDE.map(|column| {
            let (caption, cell) = (&self.table.head[column], &self.table.rows[bar.row][column]);
            format!(", {}: {cell}", caption.split(", ").next().unwrap_or_default())
        });
        format!("{}: {judgement}{}", bar.name, beside.concat())
    }
}

/// A job with a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Problem.
    pub name: &'static str,
    pub job: String,
    /// Its numbers, following the job's name.
    pub says: String,
}

/// A number of the whole cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub name: &'static str,
    /// The number with its unit.
    pub value: String,
    /// Reading aid.
    pub reading: String,
    /// Signed difference made by an edit; empty if none.
    pub since: String,
    /// Format of the number.
    kind: NumberFormat,
}

/// From this number of resource-seconds on, amounts are in hours.
const HOURS_FROM: f64 = 7200.0;

/// Format of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NumberFormat {
    /// Resource-seconds.
    Amount,
    /// Units of the resource.
    Now,
    /// Seconds.
    Span,
    Count,
    /// Percentage.
    Percent,
    /// Two decimals.
    Ratio,
}

/// Format of numbers: all resource-seconds in one unit.
struct Style {
    /// Singular and plural of the unit.
    units: [String; 2],
    /// Engine units per displayed unit.
    per_unit: f64,
    in_hours: bool,
}

impl Style {
    fn of(tally: &Fairness, frame: &Frame) -> Style {
        let per_unit = if tally.resource == Resource::MEMORY { f64::from(1 << 30) } else { 1.0 };
        let units = [1.0, 2.0].map(|n| unit_of(&frame.named, tally.resource, n).to_string());
        Style { units, per_unit, in_hours: tally.summary.gpu_seconds_capacity / per_unit >= HOURS_FROM }
    }
    fn unit(&self) -> String {
        format!("{}-{}", self.units[0], if self.in_hours { "hours" } else { "seconds" })
    }
    fn text(&self, kind: NumberFormat, value: f64) -> String {
        match kind {
            NumberFormat::Amount => number(value / self.per_unit / if self.in_hours { 3600.0 } else { 1.0 }),
            NumberFormat::Now => {
                let n = value / self.per_unit;
                format!("{} {}", number(n), self.units[usize::from(n != 1.0)])
            }
            NumberFormat::Span => number::time((value * 1000.0) as i64),
            NumberFormat::Count => number(value),
            NumberFormat::Percent => format!("{} %", number((value * 10.0).round() / 10.0)),
            NumberFormat::Ratio => ratio(Some(value)),
        }
    }
    /// A number that stands alone, with its unit.
    fn fact(&self, kind: NumberFormat, value: f64) -> String {
        if kind == NumberFormat::Amount { self.amount(value) } else { self.text(kind, value) }
    }
    fn amount(&self, seconds: f64) -> String {
        let (number, unit) = (self.text(NumberFormat::Amount, seconds), self.unit());
        // A no-break space keeps number and unit on one line.
        format!("{number}\u{a0}{}", if number == "1" { unit.trim_end_matches('s') } else { &unit })
    }
}

/// Numeric columns: caption and format.
const COLUMNS: [(&str, NumberFormat); 9] = [
    ("below share", NumberFormat::Span),
    ("owed", NumberFormat::Amount),
    ("borrowed", NumberFormat::Amount),
    ("used", NumberFormat::Amount),
    ("median wait", NumberFormat::Span),
    ("P90 wait", NumberFormat::Span),
    ("longest wait now", NumberFormat::Span),
    ("[evictions]", NumberFormat::Count),
    ("lost", NumberFormat::Amount),
];

/// Numbers of a queue or of the total, which has no shortfall.
fn numbers(row: &Totals, is_queue: bool) -> [Option<f64>; 9] {
    let waits = |seconds: f64| (row.waits.n > 0).then_some(seconds);
    [
        is_queue.then_some(row.short_s),
        Some(row.gpu_seconds_owed),
        Some(row.gpu_seconds_borrowed),
        Some(row.gpu_seconds_used),
        waits(row.waits.median_s),
        waits(row.waits.p90_s),
        row.wait_now_s,
        Some(row.evictions as f64),
        Some(row.gpu_seconds_lost),
    ]
}

/// Numbers of a queue in one of several pools; jobs are not counted per pool.
fn in_pool(pool: &PoolTotals, is_queue: bool) -> [Option<f64>; 9] {
    let mut all = [None; 9];
    all[..4].copy_from_slice(&[
        is_queue.then_some(pool.short_s),
        Some(pool.gpu_seconds_owed),
        Some(pool.gpu_seconds_borrowed),
        Some(pool.gpu_seconds_used),
    ]);
    all
}

/// Lines of a queue or of the total: its own, then one for each of several pools.
fn lines_of(row: &Totals, is_queue: bool) -> Vec<[Option<f64>; 9]> {
    let pools = row.pools.iter().map(|pool| in_pool(pool, is_queue));
    std::iter::once(numbers(row, is_queue)).chain(pools).collect()
}

/// The view of a tally.
pub fn fairness(tally: &Fairness, frame: &Frame, selection: Option<&Selection>) -> FairnessView {
    let terms = Terms::of(&frame.policy);
    let style = Style::of(tally, frame);
    let tree = Tree::new(&frame.queues);
    let rows: Vec<(u32, &Totals)> =
        tree.order().iter().filter_map(|&queue| Some((queue, tally.summary.queues.get(queue as usize)?))).collect();
    let selected = selected_queue(frame, selection);
    let line = |name: String, numbers: [Option<f64>; 9]| -> Vec<String> {
        let text = |(value, (_, kind)): (Option<f64>, (&str, NumberFormat))| {
            value.map_or_else(|| "–".into(), |value| style.text(kind, value))
        };
        std::iter::once(name).chain(numbers.into_iter().zip(COLUMNS).map(text)).collect()
    };
    let with_pools = |name: String, depth: u32, row: &Totals, is_queue: bool| {
        let indent = "\u{2003}".repeat(depth as usize + 1);
        let pools = (0..row.pools.len()).map(move |i| {
            let pool = frame.pools.get(i).map_or("", |pool| pool.name.as_str());
            format!("{indent}in {pool}")
        });
        let names = std::iter::once(name).chain(pools);
        names.zip(lines_of(row, is_queue)).map(|(name, numbers)| line(name, numbers)).collect::<Vec<_>>()
    };
    let name = |queue: u32| {
        let indent = "\u{2003}".repeat(tree.depth(queue) as usize);
        indent + &frame.queues[queue as usize].name
    };
    let (mut lines, mut meant, mut bars) = (Vec::new(), None, Vec::new());
    for (queue, totals) in &rows {
        bars.push(Bar {
            name: frame.queues[*queue as usize].name.clone(),
            depth: tree.depth(*queue),
            tone: tree.tone(*queue),
            owed: totals.gpu_seconds_owed,
            borrowed: totals.gpu_seconds_borrowed,
            row: lines.len(),
        });
        if selected == Some(*queue) {
            meant = Some(lines.len());
        }
        lines.extend(with_pools(name(*queue), tree.depth(*queue), totals, true));
    }
    lines.extend(with_pools("all".into(), 0, &tally.summary.all, false));
    let caption = |(caption, kind): (&str, NumberFormat)| match kind {
        NumberFormat::Amount => format!("{caption}, {}", style.unit()),
        _ => terms.fill(caption),
    };
    let head = std::iter::once(terms.word("queue").to_string()).chain(COLUMNS.map(caption));
    FairnessView {
        summary: summary(tally, frame, &tree, &rows),
        facts: facts(tally, &style, terms),
        warnings: ping_pong(tally, terms).into_iter().chain(starvation(tally, frame)).collect(),
        table: Table::new(head, 1, lines),
        meant,
        bars,
    }
}

/// Adds to each number its difference to the alternative.
pub fn put_differences(
    view: &mut FairnessView,
    (tally, frame): (&Fairness, &Frame),
    (other, alternative): (&Fairness, Alternative<'_>),
) {
    let style = Style::of(tally, frame);
    // Effect of the change: from baseline to current, or from current to preview.
    let change = |now: f64, other: f64| if alternative.changed.is_some() { now - other } else { other - now };
    let tree = Tree::new(&frame.queues);
    let same = |queue: u32| {
        let name = &frame.queues[queue as usize].name;
        other.summary.queues.get(alternative.frame.position(name, queue as usize)?)
    };
    let queues = tree.order().iter().filter_map(|&queue| {
        let now = tally.summary.queues.get(queue as usize)?;
        Some((now, same(queue), true))
    });
    let all = std::iter::once((&tally.summary.all, Some(&other.summary.all), false));
    let mut n_changed = 0u64;
    let lines = queues.chain(all).flat_map(|(now, other, is_queue)| {
        let other = other.map_or_else(Vec::new, |other| lines_of(other, is_queue));
        let other = other.into_iter().map(Some).chain(std::iter::repeat(None));
        lines_of(now, is_queue).into_iter().zip(other).collect::<Vec<_>>()
    });
    for (cells, (now, other)) in view.table.rows.iter_mut().zip(lines) {
        let Some(other) = other else { continue };
        let pairs = now.into_iter().zip(other).zip(COLUMNS);
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
    view.summary += &match (n_changed, alternative.changed) {
        (0, _) => format!(" {}: the same numbers.", alternative.opening()),
        (_, Some(_)) => format!(" {}: in brackets what is more or less than before.", alternative.opening()),
        (_, None) => format!(" {}: in brackets what would be more or less.", alternative.opening()),
    };
}

/// A difference with its sign; `None` if it rounds to zero.
fn signed(by: f64, text: impl Fn(f64) -> String) -> Option<String> {
    let written = text(by.abs());
    let is_seen = written != text(0.0);
    is_seen.then(|| format!("{}{written}", if by > 0.0 { "+" } else { "−" }))
}

/// The measures behind the facts, in their order.
fn measures(tally: &Fairness) -> [Option<f64>; 6] {
    let part = |gpu_seconds: f64| {
        (tally.summary.gpu_seconds_capacity > 0.0).then(|| gpu_seconds / tally.summary.gpu_seconds_capacity * 100.0)
    };
    [
        part(tally.summary.all.gpu_seconds_used),
        part(tally.summary.gpu_seconds_idle_wanted),
        Some(tally.stranded),
        Some(tally.summary.all.restarts as f64 / hours(tally).unwrap_or(1.0)),
        Some(tally.summary.all.gpu_seconds_lost),
        tally.summary.jain,
    ]
}

/// Hours of the run, once there is one: a rate of less would suggest what has not been seen.
fn hours(tally: &Fairness) -> Option<f64> {
    let hours = tally.summary.until.as_millis() as f64 / 3.6e6;
    (hours >= 1.0).then_some(hours)
}

/// Name, format and reading aid of a fact.
type Reading = (&'static str, NumberFormat, String);

fn facts(tally: &Fairness, style: &Style, terms: &Terms) -> Vec<Fact> {
    let stranded = match tally.free {
        0.0 => "nothing is free".to_string(),
        free => {
            let (free, job) = (style.text(NumberFormat::Now, free), terms.word("job"));
            format!("of {free} free: too small for any waiting {job}")
        }
    };
    let restarts = count(tally.summary.all.restarts, "restart");
    let readings = [
        (
            "Used",
            NumberFormat::Percent,
            format!(
                "{} of {}",
                style.text(NumberFormat::Amount, tally.summary.all.gpu_seconds_used),
                style.amount(tally.summary.gpu_seconds_capacity)
            ),
        ),
        (
            "Idle while work waited",
            NumberFormat::Percent,
            format!("{} free while {} waited", style.amount(tally.summary.gpu_seconds_idle_wanted), terms.word("jobs")),
        ),
        ("Free but too scattered", NumberFormat::Now, stranded),
        (
            if hours(tally).is_some() { "Restarts per hour" } else { "Restarts" },
            NumberFormat::Count,
            format!("{restarts} in {}", number::time(tally.summary.until.as_millis())),
        ),
        ("Work lost", NumberFormat::Amount, "work that is done again".into()),
        ("Evenness (Jain index)", NumberFormat::Ratio, terms.fill(jain_reading(tally.summary.jain))),
    ];
    let fact = |((name, kind, reading), value): (Reading, Option<f64>)| Fact {
        name,
        value: value.map_or_else(|| "–".into(), |value| style.fact(kind, value)),
        reading,
        since: String::new(),
        kind,
    };
    readings.into_iter().zip(measures(tally)).map(fact).collect()
}

/// The job that was evicted and restarted most often.
fn ping_pong(tally: &Fairness, terms: &Terms) -> Option<Warning> {
    let (first, others) = tally.ping_pong.split_first()?;
    let (evictions, restarts) = (count(first.evictions.into(), "time"), count(first.restarts.into(), "time"));
    let says = format!(
        " was [evicted] {evictions} and started again {restarts} in {}{}",
        number::time(tally.summary.until.as_millis()),
        and_others(others.len())
    );
    Some(Warning { name: "Evicted again and again", job: first.job.clone(), says: terms.fill(&says) })
}

/// A job starves after this number of cycles, after this multiple of the 90th percentile of waits of started jobs, and
/// after this part of the run.
const STARVES_AFTER: (i64, f64, f64) = (10, 2.0, 0.1);

/// The job with the longest wait for its first start, if it starves while its queue is below its fair share.
fn starvation(tally: &Fairness, frame: &Frame) -> Option<Warning> {
    let terms = Terms::of(&frame.policy);
    let resource = ShownResource::One(tally.resource).accounted();
    let r = resource.index();
    let waited = |job: &JobRow| tally.summary.until.as_millis() - job.submit_ms.max(0);
    let is_long = |job: &JobRow| {
        let cycles = waited(job) * i64::from(tally.summary.cycles) / tally.summary.until.as_millis().max(1);
        let (least, multiple, part) = STARVES_AFTER;
        let waited = waited(job) as f64;
        let is_unusual = waited > tally.summary.all.waits.p90_s * 1000.0 * multiple;
        cycles >= least && is_unusual && waited >= tally.summary.until.as_millis() as f64 * part
    };
    let share = |queue: &QueueRow| queue.fair_share.as_ref().unwrap_or(&queue.quota)[r];
    let is_below =
        |queue: &QueueRow| queue.allocated[r] + 1e-9 < share(queue).unwrap_or(f64::INFINITY).min(queue.request[r]);
    let starves = |job: &&JobRow| {
        let is_waiting = job.first_start_ms.is_none() && job.pending > 0;
        let wants = resource != Resource::GPU || job.gpus > 0.0;
        let queue = frame.queues.get(job.queue as usize);
        is_waiting && wants && is_long(job) && queue.is_some_and(is_below)
    };
    let all: Vec<&JobRow> = frame.jobs.iter().filter(starves).collect();
    let job = *all.iter().rev().max_by_key(|job| waited(job))?;
    let queue = &frame.queues[job.queue as usize];
    let says = format!(
        " has been waiting for {}; {} uses {}, below its {} of {}{}",
        number::time(waited(job)),
        queue.name,
        number::with_unit(resource, queue.allocated[r]),
        terms.word("fair share"),
        number::bound(resource, share(queue)),
        terms.fill(&and_others(all.len() - 1))
    );
    Some(Warning { name: "Starvation", job: job.name.clone(), says })
}

fn and_others(n: usize) -> String {
    if n == 0 { ".".into() } else { format!("; {} as well.", count(n as u64, "other [job]")) }
}

/// Reading of Jain's index, which is 1 if all queues got the same fraction of their fair share.
fn jain_reading(jain: Option<f64>) -> &'static str {
    match jain {
        None => "no [queue] had a share yet",
        Some(jain) if jain >= 0.995 => "all [queues] got the same fraction of their share",
        Some(jain) if jain >= 0.9 => "all [queues] got nearly the same fraction of their share",
        Some(jain) if jain >= 0.7 => "some [queues] got a clearly smaller fraction of their share",
        Some(_) => "a few [queues] got their share, others almost nothing",
    }
}

fn summary(tally: &Fairness, frame: &Frame, tree: &Tree, rows: &[(u32, &Totals)]) -> String {
    let name = |queue: u32| frame.queues.get(queue as usize).map_or("", |row| row.name.as_str());
    let short = rows.iter().filter(|(queue, row)| tree.is_leaf(*queue) && row.gpu_seconds_owed > 0.0);
    // The first one of equals.
    let most = short.rev().max_by(|a, b| a.1.gpu_seconds_owed.total_cmp(&b.1.gpu_seconds_owed));
    // All numbers exclude the time before the start.
    let upto =
        format!("From 0:00 to {}, cycle {}", number::time(tally.summary.until.as_millis()), tally.summary.cycles);
    match most {
        Some((queue, row)) => {
            let short = number::time((row.short_s * 1000.0) as i64);
            format!("{upto}: {} was owed most and was below its share for {short}.", name(*queue))
        }
        None => {
            let queue = Terms::of(&frame.policy).word("queue");
            format!("{upto}: no {queue} was below its share.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::PoolRow;
    use crate::fixtures;
    use fairground::sim::Summary;

    /// With several pools, each queue lists its amounts per pool below its own line.
    #[test]
    fn each_pool_has_its_line() {
        let mut frame = fixtures::reclaimed();
        let pool = |name: &str| PoolRow { name: name.into(), ..PoolRow::default() };
        frame.pools = vec![pool("a100"), pool("v100")];
        let pool_totals = |owed: f64, borrowed: f64| PoolTotals {
            gpu_seconds_owed: owed,
            gpu_seconds_borrowed: borrowed,
            ..PoolTotals::default()
        };
        let row = || Totals { pools: vec![pool_totals(2.0, 0.0), pool_totals(0.0, 4.0)], ..Totals::default() };
        let queues: Vec<Totals> = frame.queues.iter().map(|_| row()).collect();
        let tally_of = |summary: Summary| Fairness { summary, ..Fairness::default() };
        let tally = tally_of(Summary { queues, all: row(), ..Summary::default() });
        let second = frame.queues[1].name.clone();
        let mut view = fairness(&tally, &frame, Some(&Selection::Queue(second.clone())));
        assert_eq!(view.table.rows.len(), 3 * (frame.queues.len() + 1));
        assert!(view.table.rows.iter().all(|row| row.len() == view.table.head.len()));
        assert_eq!(view.meant.map(|i| view.table.rows[i][0].trim().to_string()), Some(second));
        let lines = |view: &FairnessView| {
            let cells = |row: &Vec<String>| [row[0].trim().to_string(), row[2].clone(), row[3].clone()];
            view.table.rows[1..3].iter().map(cells).collect::<Vec<_>>()
        };
        assert_eq!(lines(&view), [["in a100", "2", "0"], ["in v100", "0", "4"]]);
        let mut other = tally.clone();
        other.summary.queues[0].pools[1].gpu_seconds_borrowed = 1.0;
        let alternative = Alternative { frame: &frame, changed: Some("a change") };
        put_differences(&mut view, (&tally, &frame), (&other, alternative));
        assert_eq!(lines(&view), [["in a100", "2", "0"], ["in v100", "0", "4 (+3)"]]);
        frame.pools.clear();
        let queues = vec![Totals::default(); frame.queues.len()];
        let one = tally_of(Summary { queues, ..Summary::default() });
        assert_eq!(fairness(&one, &frame, None).table.rows.len(), frame.queues.len() + 1);
    }
}
