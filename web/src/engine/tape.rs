//! The run in short, kept while it is computed: one point per cycle, thinned as it grows, and the latest events.

use std::collections::VecDeque;

use fairground::cluster::World;
use fairground::id::{Id, QueueId};
use fairground::sim::CycleRecord;
use fairground::trace::{Event, Ledger};

use super::convert::{amounts, bounds, capacity, sums};
use super::convert_trace;
use super::levels::Levels;
use super::protocol::{Amounts, Point, Run};
use super::stints::Stints;

/// Most points of a run.
const POINTS_MAX: usize = 2_000;
/// Most events of a run.
const EVENTS_MAX: usize = 5_000;

/// An event in short.
#[derive(Clone, Debug, PartialEq)]
struct Mark {
    cycle: u32,
    kind: &'static str,
    job: u32,
    queue: u32,
}

/// What is kept of every computed cycle.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    /// The furthest cycle on it.
    pub last_cycle: u32,
    /// Its time.
    pub last_time_ms: i64,
    /// The queues whose amounts are kept.
    tops: Vec<QueueId>,
    points: Vec<Point>,
    /// Only every so many cycles make a point.
    stride: u32,
    marks: VecDeque<Mark>,
    /// Who held what when.
    pub stints: Stints,
    /// What every queue held.
    pub levels: Levels,
}

impl Tape {
    /// A tape that starts with the opening state.
    pub fn new(world: &World, opening: &CycleRecord) -> Tape {
        let cluster = world.cluster();
        let roots: Vec<QueueId> =
            cluster.queues.iter().filter(|(_, q)| q.parent.is_none()).map(|(id, _)| id).collect();
        // A single root stands for the whole; what is below it is worth telling apart.
        let tops = match roots.as_slice() {
            [root] if !cluster.queues[*root].children.is_empty() => cluster.queues[*root].children.clone(),
            _ => roots,
        };
        let mut tape = Tape { tops, stride: 1, stints: Stints::new(cluster), ..Tape::default() };
        tape.push(world, opening);
        tape
    }

    /// Takes in the next cycle; cycles it knows already are left as they are.
    pub fn push(&mut self, world: &World, record: &CycleRecord) {
        let cluster = world.cluster();
        if record.cycle <= self.last_cycle && !self.points.is_empty() {
            return;
        }
        self.last_cycle = record.cycle;
        self.last_time_ms = record.time.as_millis();
        self.stints.push(cluster, record);
        self.levels.push(world, record);
        for recorded in &record.events {
            let job = match recorded.event {
                Event::Submitted { job }
                | Event::JobDone { job }
                | Event::SetAside { job }
                | Event::Offered { job, .. } => Some(job),
                Event::Bound { pod, .. }
                | Event::Claimed { pod, .. }
                | Event::Unclaimed { pod, .. }
                | Event::Evicted { pod, .. }
                | Event::Gone { pod, .. }
                | Event::Requeued { pod }
                | Event::Finished { pod, .. } => Some(cluster.pods[pod].job),
                Event::Changed { .. } => None,
            };
            let (job, queue) = job.map_or((u32::MAX, 0), |id| (id.0, cluster.jobs[id].queue.0));
            let kind = convert_trace::kind(&recorded.event);
            self.marks.push_back(Mark { cycle: record.cycle, kind, job, queue });
            if self.marks.len() > EVENTS_MAX {
                self.marks.pop_front();
            }
        }
        if record.cycle.is_multiple_of(self.stride) {
            self.points.push(point(world, record, &self.tops));
            if self.points.len() > POINTS_MAX {
                self.stride *= 2;
                let stride = self.stride;
                self.points.retain(|p| p.cycle.is_multiple_of(stride));
            }
        }
    }

    /// The tape as the page draws it.
    pub fn run(&self, world: &World, ledger: &Ledger, complete: bool) -> Run {
        let cluster = world.cluster();
        let mut points = self.points.clone();
        if points.last().is_some_and(|p| p.cycle < self.last_cycle) {
            points.push(Point {
                cycle: self.last_cycle,
                time_ms: self.last_time_ms,
                ..point_of(world, ledger, &self.tops)
            });
        }
        let name = |job: u32| match cluster.jobs.get(fairground::id::JobId(job)) {
            Some(job) => job.name.to_string(),
            None => String::new(),
        };
        Run {
            last_cycle: self.last_cycle,
            last_time_ms: self.last_time_ms,
            complete,
            points,
            events: self.marks.iter().map(|m| (m.cycle, m.kind.to_string(), name(m.job), m.queue)).collect(),
        }
    }

    /// The nearest cycle after (or before) `from` with an event that `wanted` likes (kind, job, queue).
    pub fn next_event(&self, from: u32, back: bool, wanted: impl Fn(&str, u32, u32) -> bool) -> Option<u32> {
        let mut found = self.marks.iter().filter(|m| wanted(m.kind, m.job, m.queue)).map(|m| m.cycle);
        if back { found.filter(|&c| c < from).last() } else { found.find(|&c| c > from) }
    }
}

fn point(world: &World, record: &CycleRecord, tops: &[QueueId]) -> Point {
    let (cycle, time_ms) = (record.cycle, record.time.as_millis());
    Point { cycle, time_ms, ..point_of(world, &record.ledger, tops) }
}

fn point_of(world: &World, ledger: &Ledger, tops: &[QueueId]) -> Point {
    let rows = tops.iter().filter_map(|id| ledger.rows.get(id.index()).map(|row| (id.0, row)));
    let mut waiting = Amounts::default();
    let mut held = Vec::with_capacity(tops.len());
    for (id, row) in rows.clone() {
        let [named, _, named_request] = sums(world, QueueId(id));
        let allocated = amounts(&row.allocated, &named);
        let request = amounts(&row.request, &named_request);
        for ((waiting, request), allocated) in waiting.iter_mut().zip(request.iter()).zip(allocated.iter()) {
            *waiting += (request - allocated).max(0.0);
        }
        held.push((id, allocated));
    }
    Point {
        total: amounts(&ledger.total, &capacity(world.cluster(), None)),
        allocated: held,
        fair_share: rows.filter_map(|(id, row)| Some((id, bounds(row.fair_share.as_ref()?)))).collect(),
        waiting,
        ..Point::default()
    }
}
