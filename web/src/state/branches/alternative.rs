//! The run that charts compare the current one with, requested with its report: the preview of the current edit,
//! otherwise the baseline of the last one.

use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::Ladder;

use super::{Baseline, Shown};
use crate::engine::protocol::{At, BranchId, Frame, MomentRequest, Request, Run, Subjects, Wants};
use crate::engine::report::{Report, ReportRequest};
use crate::state::effect::Effect;
use crate::state::layout::options::{GANTT_ROWS, GanttLook, GanttMove};
use crate::state::model::{Model, send};
use crate::state::moment::explanations::request_report;

/// Keeps the current outcome as the baseline of an edit. An edit of the same gesture, or one made before the engine has
/// replied to the last one, keeps the existing baseline. Does nothing while a kept run is compared.
pub(crate) fn keep(model: &mut Model, was: &Arc<Scenario>, changed: String, joins: bool) {
    if model.branches.kept.is_comparing() {
        return;
    }
    if let Some(kept) = model.branches.baseline.as_mut().filter(|_| joins || model.moment.is_stale) {
        let before = Arc::make_mut(kept);
        before.changed = if joins || before.changed.ends_with(&changed) {
            changed
        } else {
            format!("{}, {changed}", before.changed)
        };
        return;
    }
    let now = model.moment.frame.as_ref().zip(model.moment.run.as_ref());
    let of_cursor = now.filter(|(frame, _)| frame.cycle == model.playback.cursor && model.playback.decision.is_none());
    model.branches.baseline = of_cursor.map(|(frame, run)| {
        let ladder = model.moment.ladder.clone().filter(|ladder| ladder.cycle == frame.cycle);
        let scenario = (!model.moment.is_stale).then(|| was.clone());
        let (frame, run) = (frame.clone(), run.clone());
        let at = frame.cycle;
        Arc::new(Baseline { changed, frame, at, run, ladder, scenario })
    });
    model.branches.others.remove(&BranchId::Baseline);
}

/// Records that the current run has another cycle at the baseline's moment.
pub(crate) fn set_cycle(model: &mut Model, cycle: u32) {
    if let Some(before) = &mut model.branches.baseline {
        Arc::make_mut(before).at = cycle;
    }
}

/// Drops the baseline if the edit made no difference.
pub(crate) fn drop_baseline_if_equal(model: &mut Model, frame: &Frame, run: &Run) {
    model.branches.baseline = model.branches.baseline.take().filter(|before| before.is_other(frame, run));
}

/// Whether a later preview is in flight.
pub fn is_awaited(model: &Model) -> bool {
    model.branches.others.get(&BranchId::Preview).is_some_and(|shown| shown.answered < shown.requests.1)
}

/// The preview, once its frame has arrived.
pub fn preview(model: &Model) -> Option<&Shown> {
    model.branches.others.get(&BranchId::Preview).filter(|shown| shown.frame.is_some())
}

/// The frame of the preview, otherwise of the baseline.
pub fn moment(model: &Model) -> Option<Arc<Frame>> {
    let of_baseline = || at_cursor(model).map(|before| before.frame.clone());
    preview(model).and_then(|preview| preview.frame.clone()).or_else(of_baseline)
}

/// What was changed, if [`moment`] returns the baseline.
pub fn changed(model: &Model) -> Option<String> {
    let before = at_cursor(model).filter(|_| preview(model).is_none());
    before.map(|before| before.changed.clone())
}

/// The explained fair share that belongs to [`moment`].
pub fn ladder(model: &Model) -> Option<Arc<Ladder>> {
    if let Some(preview) = preview(model) {
        return preview.ladder.clone();
    }
    let was = at_cursor(model)?.ladder.clone()?;
    let now = model.moment.ladder.as_ref()?;
    (was.queue == now.queue && was.resource == now.resource).then_some(was)
}

/// The run that belongs to [`moment`].
pub fn run(model: &Model) -> Option<Arc<Run>> {
    match preview(model) {
        Some(preview) => preview.run.clone(),
        None => in_step(model).map(|before| before.run.clone()),
    }
}

/// The report on that run.
pub fn report(model: &Model) -> Option<Arc<Report>> {
    let of_baseline = || in_step(model).and(model.branches.others.get(&BranchId::Baseline));
    preview(model).or_else(of_baseline)?.report.clone()
}

/// The baseline, if both runs can be drawn over the same cycles.
fn in_step(model: &Model) -> Option<&Arc<Baseline>> {
    let run = model.moment.run.as_ref()?;
    at_cursor(model).filter(|before| before.is_in_step(run))
}

/// The baseline, if it belongs to the displayed moment.
pub(crate) fn at_cursor(model: &Model) -> Option<&Arc<Baseline>> {
    let frame = model.moment.frame.as_ref()?;
    model.branches.baseline.as_ref().filter(|before| before.is_of(frame))
}

/// Moves the window of the Gantt chart.
pub(crate) fn move_gantt(model: &mut Model, by: GanttMove, fx: &mut Vec<Effect>) {
    match by {
        GanttMove::By(by) => model.view.gantt = GanttLook { by, first: 0 },
        GanttMove::To(first) => model.view.gantt.first = first,
        GanttMove::ToSelection => {}
    }
    request_report(model, !matches!(by, GanttMove::To(_)), fx);
}

/// Stores the report.
pub(crate) fn received(model: &mut Model, report: Report) {
    if let Report::Gantt(gantt) = &report {
        model.view.gantt.first = gantt.first;
    }
    model.moment.report = Some(Arc::new(report));
}

/// The report of another run that corresponds to the current one, with the same rows of the Gantt chart.
fn counterpart(model: &Model) -> Option<ReportRequest> {
    Some(match &**model.moment.report.as_ref()? {
        Report::Gantt(gantt) => ReportRequest::Gantt {
            by: gantt.by,
            first: 0,
            n: GANTT_ROWS,
            about: String::new(),
            named: gantt.rows.iter().map(|row| row.name.clone()).collect(),
        },
        Report::Fairness(tally) => ReportRequest::Fairness { resource: tally.resource },
        Report::Trends(_) => ReportRequest::Trends,
        // These views do not compare runs.
        Report::ShareUsage(_) | Report::Priorities(_) => return None,
    })
}

/// Requests the report on the baseline's run, as far as the current run has been computed.
pub(crate) fn request_baseline_report(model: &mut Model, fx: &mut Vec<Effect>) {
    let scenario = at_cursor(model).and_then(|before| before.scenario.clone());
    if let Some(scenario) = scenario.filter(|_| counterpart(model).is_some()) {
        request_branch(model, BranchId::Baseline, scenario, fx);
    }
}

/// Requests the cursor's moment of another scenario. The engine decides whether it can run. Of previews that follow
/// each other all are shown that arrive, otherwise the latest.
pub(crate) fn request_branch(model: &mut Model, branch: BranchId, scenario: Arc<Scenario>, fx: &mut Vec<Effect>) {
    let ladder = model.moment.ladder.as_ref().filter(|_| model.view.has_division());
    let ladder = ladder.map(|ladder| (ladder.queue.clone(), ladder.resource));
    let wants = Wants::Subjects(Subjects { ladder, report: counterpart(model), ..Subjects::default() });
    let (scenario, at) = (Some(scenario), At::Cycle(model.playback.cursor));
    let id = send(model, Request::Moment(MomentRequest { branch, scenario, at, wants }), fx);
    let shown = model.branches.others.entry(branch).or_default();
    let goes_on = branch == BranchId::Preview && shown.requests.0 > 0;
    shown.requests = (if goes_on { shown.requests.0 } else { id }, id);
}
