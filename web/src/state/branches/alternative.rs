//! The run that pictures are drawn against: the preview of an edit that is being made, else the baseline of the last one.

use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::Ladder;

use crate::engine::protocol::{Frame, Run};
use crate::engine::report::Report;
use crate::state::branches::baseline::Baseline;
use crate::state::model::Model;

/// Keeps the present outcome as that before an edit. An edit that belongs to the gesture of the last one, or that comes
/// before the engine has answered that, leaves what was kept; so does a run that is compared with.
pub(crate) fn keep(model: &mut Model, was: &Arc<Scenario>, changed: String, joins: bool) {
    if model.kept.is_comparing() {
        return;
    }
    if let Some(kept) = model.baseline.as_mut().filter(|_| joins || model.stale) {
        let before = Arc::make_mut(kept);
        before.changed = match joins || before.changed.ends_with(&changed) {
            true => changed,
            false => format!("{}, {changed}", before.changed),
        };
        return;
    }
    let now = model.frame.as_ref().zip(model.run.as_ref());
    let of_cursor = now.filter(|(frame, _)| frame.cycle == model.cursor && model.decision.is_none());
    model.baseline = of_cursor.map(|(frame, run)| {
        let ladder = model.ladder.clone().filter(|ladder| ladder.cycle == frame.cycle);
        let scenario = (!model.stale).then(|| was.clone());
        let (frame, run) = (frame.clone(), run.clone());
        let at = frame.cycle;
        Arc::new(Baseline { changed, frame, at, run, ladder, scenario, report: None })
    });
}

/// The present run has another cycle at that moment.
pub(crate) fn moved(model: &mut Model, cycle: u32) {
    if let Some(before) = &mut model.baseline {
        Arc::make_mut(before).at = cycle;
    }
}

/// Forgets it where the edit made no difference; tells whether it is still there.
pub(crate) fn held_against(model: &mut Model, frame: &Frame, run: &Run) -> bool {
    model.baseline = model.baseline.take().filter(|before| before.is_other(frame, run));
    model.baseline.is_some()
}

/// The alternative of the moment: of an edit that is being made, else of what was before the last one.
pub fn moment(model: &Model) -> Option<Arc<Frame>> {
    model.preview.clone().or_else(|| at_cursor(model).map(|before| before.frame.clone()))
}

/// What was changed, if what [`alternative`] gives is how it was before.
pub fn changed(model: &Model) -> Option<String> {
    let before = at_cursor(model).filter(|_| model.preview.is_none());
    before.map(|before| before.changed.clone())
}

/// The division that belongs to [`alternative`].
pub fn ladder(model: &Model) -> Option<Arc<Ladder>> {
    if model.preview.is_some() {
        return model.preview_ladder.clone();
    }
    let was = at_cursor(model)?.ladder.clone()?;
    let now = model.ladder.as_ref()?;
    (was.queue == now.queue && was.resource == now.resource).then_some(was)
}

/// The run that belongs to [`alternative`].
pub fn run(model: &Model) -> Option<Arc<Run>> {
    match &model.preview {
        Some(_) => model.preview_run.clone(),
        None => in_step(model).map(|before| before.run.clone()),
    }
}

/// What that run has to tell.
pub fn report(model: &Model) -> Option<Arc<Report>> {
    match &model.preview {
        Some(_) => model.preview_report.clone(),
        None => in_step(model).and_then(|before| before.report.clone()),
    }
}

/// Takes in what the run before the last edit has to tell.
pub(crate) fn received(model: &mut Model, report: Option<Box<Report>>) {
    if let Some(before) = &mut model.baseline {
        Arc::make_mut(before).report = report.map(Arc::from);
    }
}

/// What was kept, if the two runs can be drawn over the same cycles.
fn in_step(model: &Model) -> Option<&Arc<Baseline>> {
    let run = model.run.as_ref()?;
    at_cursor(model).filter(|before| before.is_in_step(run))
}

/// What was kept, if it is of the moment that is shown.
pub(crate) fn at_cursor(model: &Model) -> Option<&Arc<Baseline>> {
    let frame = model.frame.as_ref()?;
    model.baseline.as_ref().filter(|before| before.is_of(frame))
}
