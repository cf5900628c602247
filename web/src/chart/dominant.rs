//! Dominant share: all amounts of a queue in percent of the total of its dominant resource, the resource of which it
//! holds the largest fraction. A bar is therefore comparable with the queue's own quota and limit.

use crate::engine::dominant::resource_of;
use crate::engine::protocol::{Amounts, BoundTriple, Frame, Point, QueueRow, Run};
use fairground::units::Resource;

/// Converts amounts to percent of a resource's total, stored in the position of GPUs.
#[derive(Clone, Copy)]
struct Percent {
    r: usize,
    total: f64,
}

impl Percent {
    fn new(resource: Resource, total: &Amounts) -> Percent {
        let r = resource.index();
        Percent { r, total: total[r].max(1e-9) }
    }
    fn of(self, amounts: &Amounts) -> Amounts {
        [0.0, 0.0, amounts[self.r] / self.total * 100.0].into()
    }
    fn bounds(self, bounds: &BoundTriple) -> BoundTriple {
        [Some(0.0), Some(0.0), bounds[self.r].map(|bound| bound / self.total * 100.0)]
    }
}

/// A queue in percent of its dominant resource.
pub fn row(row: &QueueRow, total: &Amounts) -> QueueRow {
    let percent = Percent::new(resource_of(&row.allocated, &row.request, total), total);
    QueueRow {
        name: row.name.clone(),
        parent: row.parent,
        allocated: percent.of(&row.allocated),
        non_preemptible: percent.of(&row.non_preemptible),
        request: percent.of(&row.request),
        fair_share: row.fair_share.as_ref().map(|share| percent.bounds(share)),
        quota: percent.bounds(&row.quota),
        limit: percent.bounds(&row.limit),
        usage: None,
        leaving: percent.of(&row.leaving),
        claimed: percent.of(&row.claimed),
        priority: row.priority,
        private: row.private.as_ref().map(|private| percent.of(private)),
        over_limit: percent.of(&row.over_limit),
        states: Vec::new(),
    }
}

/// The frame in dominant shares, without nodes, because each queue has its own resource.
pub fn project(frame: &Frame) -> Frame {
    let queues = frame.queues.iter().map(|queue| row(queue, &frame.total)).collect();
    projected(frame, [0.0, 0.0, 100.0].into(), queues)
}

/// A frame with other amounts, without nodes.
pub(super) fn projected(frame: &Frame, total: Amounts, queues: Vec<QueueRow>) -> Frame {
    Frame {
        names: frame.names.clone(),
        policy: frame.policy.clone(),
        cycle: frame.cycle,
        time_ms: frame.time_ms,
        quiet: frame.quiet,
        total,
        queues,
        jobs: frame.jobs.clone(),
        events: frame.events.clone(),
        named: frame.named.clone(),
        ..Frame::default()
    }
}

/// The run in dominant shares.
pub fn project_run(run: &Run) -> Run {
    let point = |point: &Point| {
        let percent =
            |allocated: &Amounts| Percent::new(resource_of(allocated, &Amounts::default(), &point.total), &point.total);
        let held = |queue: u32| point.allocated.iter().find(|a| a.0 == queue).map_or(Amounts::default(), |a| a.1);
        Point {
            cycle: point.cycle,
            time_ms: point.time_ms,
            total: [0.0, 0.0, 100.0].into(),
            allocated: point.allocated.iter().map(|(queue, held)| (*queue, percent(held).of(held))).collect(),
            fair_share: point
                .fair_share
                .iter()
                .map(|(queue, share)| (*queue, percent(&held(*queue)).bounds(share)))
                .collect(),
            waiting: Percent::new(Resource::GPU, &point.total).of(&point.waiting),
            ..Point::default()
        }
    };
    Run { points: run.points.iter().map(point).collect(), ..run.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_is_counted_in_its_own_resource() {
        let total = [100.0, 400.0, 10.0].into();
        let queue = |allocated: [f64; 3], request: [f64; 3]| QueueRow {
            allocated: allocated.into(),
            request: request.into(),
            quota: [Some(50.0), None, Some(2.0)],
            ..QueueRow::default()
        };
        let in_cpu = row(&queue([60.0, 40.0, 3.0], [80.0, 40.0, 9.0]), &total);
        assert_eq!((in_cpu.allocated[2], in_cpu.request[2], in_cpu.quota[2]), (60.0, 80.0, Some(50.0)));
        let in_memory = row(&queue([10.0, 200.0, 3.0], [10.0, 300.0, 3.0]), &total);
        assert_eq!((in_memory.allocated[2], in_memory.quota[2]), (50.0, None), "unlimited stays so");
        let waiting = row(&queue([0.0; 3], [10.0, 40.0, 4.0]), &total);
        assert_eq!((waiting.allocated[2], waiting.request[2]), (0.0, 40.0), "what it asks for decides");
        assert_eq!(resource_of(&[10.0, 40.0, 1.0].into(), &Amounts::default(), &total), Resource::GPU, "of equals GPU");
        assert_eq!(
            resource_of(&[0.0, 0.0, 5.0].into(), &Amounts::default(), &[100.0, 0.0, 0.0].into()),
            Resource::GPU,
            "nothing of nothing"
        );
    }
}
