//! Projects frames and runs to one resource. Charts read CPU, memory and GPUs at their positions; any other resource is
//! moved to the position of GPUs, without GPU-specific details.

use fairground::units::ShownResource;
use std::borrow::Cow;

use super::dominant;
use crate::engine::protocol::{Amounts, Frame, Point, QueueRow, Run};

/// Keeps only the amount at a position, moved to the position of GPUs.
fn only(amounts: &Amounts, at: usize) -> Amounts {
    [0.0, 0.0, amounts.get(at).copied().unwrap_or(0.0)].into()
}

fn row(row: &QueueRow, at: usize) -> QueueRow {
    QueueRow {
        name: row.name.clone(),
        parent: row.parent,
        allocated: only(&row.allocated, at),
        non_preemptible: only(&row.non_preemptible, at),
        request: only(&row.request, at),
        leaving: only(&row.leaving, at),
        claimed: only(&row.claimed, at),
        ..QueueRow::default()
    }
}

/// The projected frame, without nodes unless the resource is CPU, memory or GPUs.
pub fn project(frame: &Frame, resource: ShownResource) -> Cow<'_, Frame> {
    let at = match resource {
        ShownResource::Dominant => return Cow::Owned(dominant::project(frame)),
        ShownResource::One(resource) if resource.is_accounted() => return Cow::Borrowed(frame),
        ShownResource::One(named) => named.index(),
    };
    let queues = frame.queues.iter().map(|queue| row(queue, at)).collect();
    Cow::Owned(dominant::projected(frame, only(&frame.total, at), queues))
}

/// The projected run.
pub fn project_run(run: &Run, resource: ShownResource) -> Cow<'_, Run> {
    let at = match resource {
        ShownResource::Dominant => return Cow::Owned(dominant::project_run(run)),
        ShownResource::One(resource) if resource.is_accounted() => return Cow::Borrowed(run),
        ShownResource::One(named) => named.index(),
    };
    let point = |point: &Point| Point {
        cycle: point.cycle,
        time_ms: point.time_ms,
        total: only(&point.total, at),
        allocated: point.allocated.iter().map(|(queue, held)| (*queue, only(held, at))).collect(),
        waiting: only(&point.waiting, at),
        leaving: point.leaving.iter().map(|(queue, held)| (*queue, only(held, at))).collect(),
        ..Point::default()
    };
    Cow::Owned(Run { points: run.points.iter().map(point).collect(), ..run.clone() })
}
