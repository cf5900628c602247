//! Summary of a run, recorded while it is computed: one point per cycle, thinned as the run grows, and all events in
//! short form, and the amounts held by every queue. The page receives the latest events individually, and counts of the
//! earlier ones.

use std::sync::Arc;

use fairground::cluster::ClusterState;
use fairground::id::{Id, JobId, QueueId};
use fairground::moment::{EventWord, Names, amounts, bounds, capacity, sums};
use fairground::sim::CycleRecord;
use fairground::trace::Ledger;

use super::placement_intervals::PlacementIntervals;
use super::protocol::{Amounts, Point, Run};
use super::report::Level;

/// Largest number of points of a run.
const POINTS_MAX: usize = 2_000;
/// Largest number of events that are sent individually.
const EVENTS_MAX: usize = 5_000;
/// Largest number of counts by kind of event.
const COUNTS_MAX: usize = 4_000;

/// An event in short form.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub cycle: u32,
    pub kind: EventWord,
    /// `None`: not about a job.
    pub job: Option<JobId>,
}

/// Number of events by kind and span of cycles; spans grow with the run.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// Length of a span in cycles, as a power of two.
    shift: u32,
    /// The first cycle with events of the kind in its span, the kind, and their number.
    rows: Vec<(u32, EventWord, u32)>,
    /// Number of events counted.
    n: usize,
}

impl Counts {
    fn add(&mut self, cycle: u32, kind: EventWord, n: u32) {
        let stretch = cycle >> self.shift;
        let same = self.rows.iter_mut().rev().take_while(|row| row.0 >> self.shift == stretch);
        match same.into_iter().find(|row| row.1 == kind) {
            Some(row) => row.2 = row.2.saturating_add(n),
            None => self.rows.push((cycle, kind, n)),
        }
        while self.rows.len() > COUNTS_MAX && self.shift < 31 {
            self.shift += 1;
            for (cycle, kind, n) in std::mem::take(&mut self.rows) {
                self.add(cycle, kind, n);
            }
        }
    }
}

/// Summary of all computed cycles.
#[derive(Clone, Debug, Default)]
pub struct RunLog {
    /// Catalogue of the run.
    pub names: Arc<Names>,
    /// The furthest computed cycle.
    pub last_cycle: u32,
    /// Time of that cycle.
    pub last_time_ms: i64,
    /// The queues whose amounts are recorded.
    tops: Vec<QueueId>,
    points: Vec<Point>,
    /// Cycles between two points.
    stride: u32,
    marks: Vec<Mark>,
    /// Counts of the earlier marks, which are not sent individually.
    counts: Counts,
    pub placement_intervals: PlacementIntervals,
    pub levels: Levels,
}

impl RunLog {
    /// A run log that starts with the opening state.
    pub fn new(policy: &str, world: &ClusterState, opening: &CycleRecord) -> RunLog {
        let cluster = world.cluster();
        let names = Arc::new(Names::of(policy, cluster));
        let roots: Vec<QueueId> = cluster.queues.iter().filter(|(_, q)| q.parent.is_none()).map(|(id, _)| id).collect();
        // A single root equals the total, so its children are recorded instead.
        let tops = match roots.as_slice() {
            [root] if !cluster.queues[*root].children.is_empty() => cluster.queues[*root].children.clone(),
            _ => roots,
        };
        let mut run_log = RunLog {
            names,
            tops,
            stride: 1,
            placement_intervals: PlacementIntervals::new(cluster),
            ..RunLog::default()
        };
        run_log.push(world, opening);
        run_log
    }

    /// Adds the next cycle; already known cycles are ignored.
    pub fn push(&mut self, world: &ClusterState, record: &CycleRecord) {
        let cluster = world.cluster();
        if record.cycle <= self.last_cycle && !self.points.is_empty() {
            return;
        }
        self.last_cycle = record.cycle;
        self.last_time_ms = record.time.as_millis();
        self.placement_intervals.push(cluster, record);
        self.levels.push(world, record);
        for recorded in &record.events {
            let job = self.names.job_of(&recorded.event.into());
            let kind = EventWord::of_event(&recorded.event);
            self.marks.push(Mark { cycle: record.cycle, kind, job });
        }
        self.count_early();
        if record.cycle.is_multiple_of(self.stride) {
            self.points.push(point(world, record, &self.tops));
            if self.points.len() > POINTS_MAX {
                self.stride *= 2;
                let stride = self.stride;
                self.points.retain(|p| p.cycle.is_multiple_of(stride));
            }
        }
    }

    /// Counts marks beyond the individual limit. Only whole cycles are counted, so that the position of an event within
    /// its cycle stays known.
    fn count_early(&mut self) {
        while self.marks.len() - self.counts.n > EVENTS_MAX {
            let cycle = self.marks[self.counts.n].cycle;
            for mark in self.marks[self.counts.n..].iter().take_while(|mark| mark.cycle == cycle) {
                self.counts.add(cycle, mark.kind, 1);
                self.counts.n += 1;
            }
        }
    }

    /// The run log in the form that the page draws.
    pub fn run(&self, world: &ClusterState, ledger: &Ledger, complete: bool) -> Run {
        let mut points = self.points.clone();
        if points.last().is_some_and(|p| p.cycle < self.last_cycle) {
            points.push(Point {
                cycle: self.last_cycle,
                time_ms: self.last_time_ms,
                ..point_of(world, ledger, &self.tops)
            });
        }
        let event = |mark: &Mark| (mark.cycle, mark.kind, mark.job);
        Run {
            last_cycle: self.last_cycle,
            last_time_ms: self.last_time_ms,
            complete,
            points,
            events: self.marks[self.counts.n..].iter().map(event).collect(),
            earlier: self.counts.rows.clone(),
            names: self.names.clone(),
        }
    }

    /// The nearest cycle after (or before) `from` with a wanted event.
    pub fn next_event(&self, from: u32, back: bool, wanted: impl Fn(&Mark) -> bool) -> Option<u32> {
        let is_wanted = |mark: &&Mark| wanted(mark);
        let found = if back {
            self.marks[..self.marks.partition_point(|mark| mark.cycle < from)].iter().rev().find(is_wanted)
        } else {
            self.marks[self.marks.partition_point(|mark| mark.cycle <= from)..].iter().find(is_wanted)
        };
        found.map(|mark| mark.cycle)
    }
}

fn point(world: &ClusterState, record: &CycleRecord, tops: &[QueueId]) -> Point {
    let (cycle, time_ms) = (record.cycle, record.time.as_millis());
    Point { cycle, time_ms, ..point_of(world, &record.ledger, tops) }
}

fn point_of(world: &ClusterState, ledger: &Ledger, tops: &[QueueId]) -> Point {
    let rows = tops.iter().filter_map(|id| ledger.rows.get(id.index()).map(|row| (id.0, row)));
    let mut waiting = Amounts::default();
    let (mut held, mut wanted) = (Vec::with_capacity(tops.len()), Vec::with_capacity(tops.len()));
    let mut leaving = Vec::new();
    for (id, row) in rows.clone() {
        let [named, _, named_request] = sums(world, QueueId(id));
        let allocated = amounts(&row.allocated, &named);
        let request = amounts(&row.request, &named_request);
        for ((waiting, request), allocated) in waiting.iter_mut().zip(request.iter()).zip(allocated.iter()) {
            *waiting += (request - allocated).max(0.0);
        }
        let sums = &world.queue_sums(QueueId(id)).leaving;
        if sums.iter().any(|sum| *sum > 0) {
            leaving.push((id, Amounts::of_sums(sums)));
        }
        held.push((id, allocated));
        wanted.push((id, request));
    }
    Point {
        total: amounts(&ledger.total, &capacity(world.cluster(), None)),
        allocated: held,
        request: wanted,
        fair_share: rows.filter_map(|(id, row)| Some((id, bounds(row.fair_share.as_ref()?)))).collect(),
        waiting,
        leaving,
        ..Point::default()
    }
}

/// Largest number of steps of all queues together.
const STEPS_MAX: usize = 60_000;

#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// By queue, each ordered by cycle.
    pub queues: Vec<Vec<Level>>,
    /// Total capacity, from a cycle on.
    pub totals: Vec<(u32, Amounts)>,
    /// Cycles between two possible steps.
    pub stride: u32,
    n_steps: usize,
    latest: Arc<Ledger>,
}

impl Levels {
    /// Adds the next cycle.
    pub fn push(&mut self, world: &ClusterState, record: &CycleRecord) {
        self.stride = self.stride.max(1);
        let is_first = self.queues.is_empty();
        // A policy may not count the scenario's named resources.
        let counts_all = world.cluster().named.is_empty();
        if !is_first && counts_all && Arc::ptr_eq(&self.latest, &record.ledger) {
            return;
        }
        self.latest = record.ledger.clone();
        // A change between two steps takes effect at the next one.
        let cycle = record.cycle.div_ceil(self.stride) * self.stride;
        let total = amounts(&record.ledger.total, &capacity(world.cluster(), None));
        if self.totals.last().is_none_or(|last| last.1 != total) {
            self.totals.push((cycle, total));
        }
        self.queues.resize(record.ledger.rows.len().max(self.queues.len()), Vec::new());
        for row in &record.ledger.rows {
            let [allocated, _, request] = sums(world, row.queue);
            let level = Level {
                cycle,
                allocated: amounts(&row.allocated, &allocated),
                request: amounts(&row.request, &request),
                fair_share: row.fair_share.as_ref().map(bounds),
                quota: bounds(&row.quota),
                usage: row.usage.map(|of| [of.cpu, of.memory, of.gpu]),
            };
            self.n_steps += usize::from(put(&mut self.queues[row.queue.index()], level));
        }
        while self.n_steps > STEPS_MAX.max(2 * self.queues.len()) {
            self.thin();
        }
    }

    fn thin(&mut self) {
        self.stride *= 2;
        let stride = self.stride;
        self.n_steps = 0;
        for steps in &mut self.queues {
            for level in std::mem::take(steps) {
                put(steps, Level { cycle: level.cycle.div_ceil(stride) * stride, ..level });
            }
            self.n_steps += steps.len();
        }
    }
}

/// Adds a level unless it changes nothing; a level of the same cycle is replaced. Returns whether there is one more.
fn put(steps: &mut Vec<Level>, level: Level) -> bool {
    match steps.last_mut() {
        Some(last) if same(last, &level) => false,
        Some(last) if last.cycle == level.cycle => {
            *last = level;
            false
        }
        _ => {
            steps.push(level);
            true
        }
    }
}

fn same(a: &Level, b: &Level) -> bool {
    a.allocated == b.allocated
        && a.request == b.request
        && (a.fair_share, a.quota, a.usage) == (b.fair_share, b.quota, b.usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_grow_in_stretches_and_lose_nothing() {
        let mut counts = Counts::default();
        for cycle in 0..50_000 {
            counts.add(cycle, EventWord::Started, 2);
            counts.add(cycle, EventWord::Finished, 1);
        }
        assert!(counts.rows.len() <= COUNTS_MAX, "{}", counts.rows.len());
        let sum = |kind: EventWord| counts.rows.iter().filter(|row| row.1 == kind).map(|row| row.2).sum::<u32>();
        assert_eq!((sum(EventWord::Started), sum(EventWord::Finished)), (100_000, 50_000));
        assert!(counts.rows.is_sorted_by_key(|row| row.0));
        assert_eq!(counts.rows[0], (0, EventWord::Started, 2 << counts.shift));
    }

    #[test]
    fn what_is_told_one_by_one_begins_with_a_whole_cycle() {
        let mut run_log = RunLog::default();
        for cycle in 0..3_000 {
            run_log.marks.extend((0..4).map(|_| Mark { cycle, kind: EventWord::Started, job: None }));
            run_log.count_early();
        }
        let sent = &run_log.marks[run_log.counts.n..];
        assert!(sent.len() <= EVENTS_MAX && sent.len() > EVENTS_MAX - 4, "{}", sent.len());
        assert_eq!(run_log.counts.n % 4, 0);
        assert_eq!(run_log.next_event(10, false, |_| true), Some(11), "jumps find all");
        assert_eq!(run_log.next_event(10, true, |mark| mark.cycle != 9), Some(8));
        assert_eq!(run_log.next_event(2_999, false, |_| true), None);
    }

    fn level(cycle: u32, gpus: f64) -> Level {
        Level { cycle, allocated: [0.0, 0.0, gpus].into(), ..Level::default() }
    }

    #[test]
    fn thinning_keeps_what_held_at_the_cycles_that_stay() {
        let held = |cycle: u32| f64::from(cycle * 7 % 5);
        let mut levels = Levels { stride: 1, queues: vec![Vec::new()], ..Levels::default() };
        for cycle in 0..40 {
            put(&mut levels.queues[0], level(cycle, held(cycle)));
        }
        levels.thin();
        levels.thin();
        assert_eq!(levels.stride, 4);
        for cycle in (0..40).step_by(4) {
            let at = levels.queues[0].partition_point(|level| level.cycle <= cycle) - 1;
            assert_eq!(levels.queues[0][at].allocated[2], held(cycle), "cycle {cycle}");
        }
        assert!(levels.queues[0].len() <= 11);
    }
}
