//! The run in short, kept while it is computed: one point per cycle, thinned as it grows, and all events in short. The
//! page is given the latest events one by one; of those before them it is given how many there were.

use std::sync::Arc;

use fairground::cluster::World;
use fairground::id::{Id, JobId, QueueId};
use fairground::moment::{EventWord, Names, amounts, bounds, capacity, sums};
use fairground::sim::CycleRecord;
use fairground::trace::Ledger;

use super::levels::Levels;
use super::placement_intervals::PlacementIntervals;
use super::protocol::{Amounts, Point, Run};

/// Most points of a run.
const POINTS_MAX: usize = 2_000;
/// Most events that the page is given one by one.
const EVENTS_MAX: usize = 5_000;
/// Most counts of events of a kind.
const COUNTS_MAX: usize = 4_000;

/// An event in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its cycle.
    pub cycle: u32,
    /// What it is called.
    pub kind: EventWord,
    /// Its job, if it is about one.
    pub job: Option<JobId>,
}

/// How many events of each kind there were, cycle by cycle, then in stretches of cycles as they grow.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// Cycles of a stretch, as a power of two.
    shift: u32,
    /// The first cycle of that kind in its stretch, the kind, and how many.
    rows: Vec<(u32, EventWord, u32)>,
    /// How many events are counted.
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

/// What is kept of every computed cycle.
#[derive(Clone, Debug, Default)]
pub struct RunLog {
    /// The catalogue of the run.
    pub names: Arc<Names>,
    /// The furthest cycle on it.
    pub last_cycle: u32,
    /// Its time.
    pub last_time_ms: i64,
    /// The queues whose amounts are kept.
    tops: Vec<QueueId>,
    points: Vec<Point>,
    /// Only every so many cycles make a point.
    stride: u32,
    marks: Vec<Mark>,
    /// Those of them that the page is only told the number of.
    counts: Counts,
    /// Who held what when.
    pub placement_intervals: PlacementIntervals,
    /// What every queue held.
    pub levels: Levels,
}

impl RunLog {
    /// A run log that starts with the opening state.
    pub fn new(policy: &str, world: &World, opening: &CycleRecord) -> RunLog {
        let cluster = world.cluster();
        let names = Arc::new(Names::of(policy, cluster));
        let roots: Vec<QueueId> =
            cluster.queues.iter().filter(|(_, q)| q.parent.is_none()).map(|(id, _)| id).collect();
        // A single root stands for the whole; what is below it is worth telling apart.
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

    /// Takes in the next cycle; cycles it knows already are left as they are.
    pub fn push(&mut self, world: &World, record: &CycleRecord) {
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

    /// Counts the cycles that are too early to be told one by one; whole ones, so that the position of an event among
    /// those of its cycle is known.
    fn count_early(&mut self) {
        while self.marks.len() - self.counts.n > EVENTS_MAX {
            let cycle = self.marks[self.counts.n].cycle;
            for mark in self.marks[self.counts.n..].iter().take_while(|mark| mark.cycle == cycle) {
                self.counts.add(cycle, mark.kind, 1);
                self.counts.n += 1;
            }
        }
    }

    /// The run log as the page draws it.
    pub fn run(&self, world: &World, ledger: &Ledger, complete: bool) -> Run {
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

    /// The nearest cycle after (or before) `from` with an event that is `wanted`.
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

fn point(world: &World, record: &CycleRecord, tops: &[QueueId]) -> Point {
    let (cycle, time_ms) = (record.cycle, record.time.as_millis());
    Point { cycle, time_ms, ..point_of(world, &record.ledger, tops) }
}

fn point_of(world: &World, ledger: &Ledger, tops: &[QueueId]) -> Point {
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
        let sum =
            |kind: EventWord| counts.rows.iter().filter(|row| row.1 == kind).map(|row| row.2).sum::<u32>();
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
        let told = &run_log.marks[run_log.counts.n..];
        assert!(told.len() <= EVENTS_MAX && told.len() > EVENTS_MAX - 4, "{}", told.len());
        assert_eq!(run_log.counts.n % 4, 0);
        assert_eq!(run_log.next_event(10, false, |_| true), Some(11), "jumps find all");
        assert_eq!(run_log.next_event(10, true, |mark| mark.cycle != 9), Some(8));
        assert_eq!(run_log.next_event(2_999, false, |_| true), None);
    }
}
