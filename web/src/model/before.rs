//! How it was before the last edit. Charts show it behind the present, as a ghost, until the next edit or step or until
//! it is dismissed.

use std::sync::Arc;

use fairground::scenario::Scenario;

use super::{Ladder, Model};
use crate::engine::protocol::{Frame, QueueRow, Run};
use crate::engine::story::Story;

/// The outcome before an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Before {
    /// What was changed since, such as *quota of team-a 2 → 3*.
    pub changed: String,
    /// The moment under the cursor.
    pub frame: Arc<Frame>,
    /// The cycle of the present run at that moment.
    pub at: u32,
    /// The run in short, as far as it was computed.
    pub run: Arc<Run>,
    /// How the explained fair share came about.
    pub ladder: Option<Arc<Ladder>>,
    /// The document; `None` where it is not the one that ran last.
    pub scenario: Option<Arc<Scenario>>,
    /// What the run has to tell, as the present view wants it told.
    pub story: Option<Arc<Story>>,
}

impl Before {
    /// Whether it is how the moment of this frame was: of the same time, or the run is over and stays as it is.
    pub fn is_of(&self, frame: &Frame) -> bool {
        self.at == frame.cycle || (frame.quiet && frame.cycle < self.at)
    }

    /// Whether cycles of the same number come at the same time in a run as they did.
    pub fn is_in_step(&self, run: &Run) -> bool {
        let was = &self.run.points;
        run.points.iter().all(|now| match was.binary_search_by_key(&now.cycle, |point| point.cycle) {
            Ok(at) => was[at].time_ms == now.time_ms,
            Err(_) => true,
        })
    }

    /// Whether the present differs from it in anything that charts show of both.
    fn is_other(&self, frame: &Frame, run: &Run) -> bool {
        let differs = |one: &Frame, other: &Frame| {
            let mut rows = one.queues.iter().enumerate();
            rows.any(|(at, row)| !is_like(row, other.position(&row.name, at).map(|at| &other.queues[at])))
        };
        let of_both = differs(frame, &self.frame)
            || differs(&self.frame, frame)
            || !frame.nodes.iter().map(holders).eq(self.frame.nodes.iter().map(holders));
        let points = run.points.iter().zip(&self.run.points);
        of_both
            || points.into_iter().any(|(now, was)| now.allocated != was.allocated || now.total != was.total)
    }
}

/// A queue that the other side does not know counts as one that has nothing.
fn is_like(row: &QueueRow, other: Option<&QueueRow>) -> bool {
    match other {
        Some(other) => other.allocated == row.allocated && other.fair_share == row.fair_share,
        None => row.allocated.iter().all(|amount| *amount == 0.0),
    }
}

fn holders(node: &crate::engine::protocol::NodeCard) -> Vec<Vec<&str>> {
    node.cells.iter().map(|cell| cell.pods.iter().map(|pod| pod.job.as_str()).collect()).collect()
}

/// Keeps the present outcome as that before an edit. An edit that belongs to the gesture of the last one, or that comes
/// before the engine has answered that, leaves what was kept.
pub(super) fn keep(model: &mut Model, was: &Arc<Scenario>, changed: String, joins: bool) {
    if let Some(kept) = model.before.as_mut().filter(|_| joins || model.stale) {
        let before = Arc::make_mut(kept);
        before.changed = match joins || before.changed.ends_with(&changed) {
            true => changed,
            false => format!("{}, {changed}", before.changed),
        };
        return;
    }
    let now = model.frame.as_ref().zip(model.run.as_ref());
    let of_cursor = now.filter(|(frame, _)| frame.cycle == model.cursor && model.inside.is_none());
    model.before = of_cursor.map(|(frame, run)| {
        let ladder = model.ladder.clone().filter(|ladder| ladder.cycle == frame.cycle);
        let scenario = (!model.stale).then(|| was.clone());
        let (frame, run) = (frame.clone(), run.clone());
        let at = frame.cycle;
        Arc::new(Before { changed, frame, at, run, ladder, scenario, story: None })
    });
}

/// The present run has another cycle at that moment.
pub(super) fn moved(model: &mut Model, cycle: u32) {
    if let Some(before) = &mut model.before {
        Arc::make_mut(before).at = cycle;
    }
}

/// Forgets it where the edit made no difference; tells whether it is still there.
pub(super) fn held_against(model: &mut Model, frame: &Frame, run: &Run) -> bool {
    model.before = model.before.take().filter(|before| before.is_other(frame, run));
    model.before.is_some()
}

/// The ghost of the moment: of an edit that is being made, else of what was before the last one.
pub fn ghost(model: &Model) -> Option<Arc<Frame>> {
    model.ghost.clone().or_else(|| at_cursor(model).map(|before| before.frame.clone()))
}

/// What was changed, if what [`ghost`] gives is how it was before.
pub fn changed(model: &Model) -> Option<String> {
    let before = at_cursor(model).filter(|_| model.ghost.is_none());
    before.map(|before| before.changed.clone())
}

/// The division that belongs to [`ghost`].
pub fn ghost_ladder(model: &Model) -> Option<Arc<Ladder>> {
    if model.ghost.is_some() {
        return model.ghost_ladder.clone();
    }
    let was = at_cursor(model)?.ladder.clone()?;
    let now = model.ladder.as_ref()?;
    (was.queue == now.queue && was.resource == now.resource).then_some(was)
}

/// The run that belongs to [`ghost`].
pub fn ghost_run(model: &Model) -> Option<Arc<Run>> {
    match &model.ghost {
        Some(_) => model.ghost_run.clone(),
        None => in_step(model).map(|before| before.run.clone()),
    }
}

/// What that run has to tell.
pub fn ghost_story(model: &Model) -> Option<Arc<Story>> {
    match &model.ghost {
        Some(_) => model.ghost_story.clone(),
        None => in_step(model).and_then(|before| before.story.clone()),
    }
}

/// Takes in what the run before the last edit has to tell.
pub(super) fn told(model: &mut Model, story: Option<Box<Story>>) {
    if let Some(before) = &mut model.before {
        Arc::make_mut(before).story = story.map(Arc::from);
    }
}

/// What was kept, if the two runs can be drawn over the same cycles.
fn in_step(model: &Model) -> Option<&Arc<Before>> {
    let run = model.run.as_ref()?;
    at_cursor(model).filter(|before| before.is_in_step(run))
}

/// What was kept, if it is of the moment that is shown.
pub(super) fn at_cursor(model: &Model) -> Option<&Arc<Before>> {
    let frame = model.frame.as_ref()?;
    model.before.as_ref().filter(|before| before.is_of(frame))
}
