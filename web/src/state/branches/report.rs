//! Reports on the whole run, for the views of NOW that show more than a moment.

use std::sync::Arc;

use fairground::scenario::Scenario;

use crate::engine::protocol::{At, BranchId, MomentRequest, Request, Subjects, Wants};
use crate::engine::report::{Report, ReportRequest};
use crate::state::branches::alternative;
use crate::state::effect::Effect;
use crate::state::layout::options::{GANTT_ROWS, GanttLook, GanttMove};
use crate::state::model::{Model, send};
use crate::state::moment::explanations::request_report;

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
    let scenario = alternative::at_cursor(model).and_then(|before| before.scenario.clone());
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
