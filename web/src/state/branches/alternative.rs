//! The run that charts compare the current one with: the preview of the current edit, otherwise the baseline of the last one.

use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::Ladder;

use crate::engine::protocol::{Frame, Run};
use crate::engine::report::Report;
use crate::state::branches::baseline::Baseline;
use crate::state::model::Model;

/// Keeps the current outcome as the baseline of an edit. An edit of the same gesture, or one made before the engine has replied
/// to the last one, keeps the existing baseline. Does nothing while a kept run is compared.
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

/// Records that the current run has another cycle at the baseline's moment.
pub(crate) fn set_cycle(model: &mut Model, cycle: u32) {
    if let Some(before) = &mut model.baseline {
        Arc::make_mut(before).at = cycle;
    }
}

/// Drops the baseline if the edit made no difference; returns whether it is kept.
pub(crate) fn keep_baseline_if_different(model: &mut Model, frame: &Frame, run: &Run) -> bool {
    model.baseline = model.baseline.take().filter(|before| before.is_other(frame, run));
    model.baseline.is_some()
}

/// The frame of the preview, otherwise of the baseline.
pub fn moment(model: &Model) -> Option<Arc<Frame>> {
    model.preview.frame.clone().or_else(|| at_cursor(model).map(|before| before.frame.clone()))
}

/// What was changed, if [`moment`] returns the baseline.
pub fn changed(model: &Model) -> Option<String> {
    let before = at_cursor(model).filter(|_| model.preview.frame.is_none());
    before.map(|before| before.changed.clone())
}

/// The explained fair share that belongs to [`moment`].
pub fn ladder(model: &Model) -> Option<Arc<Ladder>> {
    if model.preview.frame.is_some() {
        return model.preview.ladder.clone();
    }
    let was = at_cursor(model)?.ladder.clone()?;
    let now = model.ladder.as_ref()?;
    (was.queue == now.queue && was.resource == now.resource).then_some(was)
}

/// The run that belongs to [`moment`].
pub fn run(model: &Model) -> Option<Arc<Run>> {
    match &model.preview.frame {
        Some(_) => model.preview.run.clone(),
        None => in_step(model).map(|before| before.run.clone()),
    }
}

/// The report on that run.
pub fn report(model: &Model) -> Option<Arc<Report>> {
    match &model.preview.frame {
        Some(_) => model.preview.report.clone(),
        None => in_step(model).and_then(|before| before.report.clone()),
    }
}

/// Stores the report on the baseline's run.
pub(crate) fn received(model: &mut Model, report: Report) {
    if let Some(before) = &mut model.baseline {
        Arc::make_mut(before).report = Some(Arc::new(report));
    }
}

/// The baseline, if both runs can be drawn over the same cycles.
fn in_step(model: &Model) -> Option<&Arc<Baseline>> {
    let run = model.run.as_ref()?;
    at_cursor(model).filter(|before| before.is_in_step(run))
}

/// The baseline, if it belongs to the displayed moment.
pub(crate) fn at_cursor(model: &Model) -> Option<&Arc<Baseline>> {
    let frame = model.frame.as_ref()?;
    model.baseline.as_ref().filter(|before| before.is_of(frame))
}
