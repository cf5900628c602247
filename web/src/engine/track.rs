//! The run so far in short: what timeline and event lane draw.

use std::collections::VecDeque;

use fairground::cluster::Cluster;
use fairground::sim::CycleRecord;
use fairground::units::PerResource;

use super::convert::{job_of, kind};
use super::protocol::{BoundTriple, Point, Run, Triple};

/// More points than this are thinned.
const POINTS_MAX: usize = 2_000;
/// Only the latest so many events are kept.
const EVENTS_MAX: usize = 5_000;

/// The run so far in short. Points are thinned by halves, events forgotten from the front.
#[derive(Clone, Debug)]
pub struct Track {
    run: Run,
    events: VecDeque<(u32, String, String, u32)>,
    /// A point is kept every so many cycles.
    stride: u32,
    /// Top queues by position.
    tops: Vec<u32>,
}

impl Track {
    /// Starts with the opening state.
    pub fn new(cluster: &Cluster, opening: &CycleRecord) -> Track {
        let is_top = |(id, queue): (fairground::id::QueueId, &fairground::cluster::Queue)| {
            queue.parent.is_none().then_some(id.0)
        };
        let tops = cluster.queues.iter().filter_map(is_top).collect();
        let mut track = Track { run: Run::default(), events: VecDeque::new(), stride: 1, tops };
        track.add(cluster, opening);
        track
    }

    /// The next cycle; cycles that are known already are passed over.
    pub fn add(&mut self, cluster: &Cluster, record: &CycleRecord) {
        if record.cycle <= self.run.last_cycle && !self.run.points.is_empty() {
            return;
        }
        self.run.last_cycle = record.cycle;
        self.run.last_time_ms = record.time.as_millis();
        let point = self.point(record);
        let is_due = record.cycle.is_multiple_of(self.stride);
        match self.run.points.last_mut() {
            Some(last) if !last.cycle.is_multiple_of(self.stride) => *last = point,
            _ => self.run.points.push(point),
        }
        if is_due && self.run.points.len() > POINTS_MAX {
            self.stride *= 2;
            let stride = self.stride;
            self.run.points.retain(|p| p.cycle.is_multiple_of(stride));
        }
        for recorded in &record.events {
            let job = job_of(cluster, &recorded.event);
            let name = job.map(|j| cluster.jobs[j].name.to_string()).unwrap_or_default();
            let queue = job.map_or(0, |j| cluster.jobs[j].queue.0);
            self.events.push_back((record.cycle, kind(&recorded.event).to_string(), name, queue));
        }
        while self.events.len() > EVENTS_MAX {
            self.events.pop_front();
        }
    }

    /// Nothing further will happen.
    pub fn complete(&mut self) {
        self.run.complete = true;
    }

    /// What is drawn.
    pub fn run(&self) -> Run {
        Run { events: self.events.iter().cloned().collect(), ..self.run.clone() }
    }

    /// The nearest cycle after (or before) `from` with a noteworthy event that `is_wanted` accepts (by job and queue
    /// position).
    pub fn next_event(&self, from: u32, back: bool, is_wanted: impl Fn(&str, u32) -> bool) -> Option<u32> {
        let noteworthy = |kind: &str| !matches!(kind, "gone" | "requeued" | "claimed");
        let wanted =
            self.events.iter().filter(|(_, kind, job, queue)| noteworthy(kind) && is_wanted(job, *queue));
        let mut cycles = wanted.map(|e| e.0);
        if back { cycles.rfind(|&c| c < from) } else { cycles.find(|&c| c > from) }
    }

    fn point(&self, record: &CycleRecord) -> Point {
        let ledger = &record.ledger;
        let triple = |v: &PerResource<f64>| -> Triple { [v.cpu, v.memory, v.gpu] };
        let finite = |v: Triple| -> BoundTriple { v.map(|x| x.is_finite().then_some(x)) };
        let mut point = Point {
            cycle: record.cycle,
            time_ms: record.time.as_millis(),
            total: triple(&ledger.total),
            ..Point::default()
        };
        for row in ledger.rows.iter().filter(|row| self.tops.binary_search(&row.queue.0).is_ok()) {
            let allocated = triple(&row.allocated);
            let request = triple(&row.request);
            for i in 0..3 {
                point.waiting[i] += (request[i] - allocated[i]).max(0.0);
            }
            point.allocated.push((row.queue.0, allocated));
            if let Some(share) = &row.fair_share {
                point.fair_share.push((row.queue.0, finite(triple(share))));
            }
        }
        point
    }
}
