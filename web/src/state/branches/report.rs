//! What is told of the whole run, for the views of NOW that show more than a moment.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::Scenario;
use fairground::words::Selection;

use crate::engine::protocol::Ask;
use crate::engine::report::{Report, ReportRequest};
use crate::state::branches::alternative;
use crate::state::effect::Effect;
use crate::state::layout::gantt_window::{GANTT_ROWS, GanttLook, GanttMove};
use crate::state::layout::options::NowView;
use crate::state::model::Model;
use crate::state::request::send;

/// Moves the window of Gantt.
pub(crate) fn move_gantt(model: &mut Model, by: GanttMove, fx: &mut Vec<Effect>) {
    match by {
        GanttMove::By(by) => model.view.gantt = GanttLook { by, first: 0 },
        GanttMove::To(first) => model.view.gantt.first = first,
        GanttMove::ToSelection => {}
    }
    ask_report(model, !matches!(by, GanttMove::To(_)), fx);
}

/// Shows below Shares who is served first, or does not.
pub(crate) fn show_serving(model: &mut Model, on: bool, fx: &mut Vec<Effect>) {
    if model.view.serving != on {
        model.view.serving = on;
        ask_report(model, false, fx);
    }
}

/// Asks for what the present view tells, if it tells of more than the moment.
pub(crate) fn ask_report(model: &mut Model, to_selection: bool, fx: &mut Vec<Effect>) {
    let report_request = match model.view.now.under(&model.scenario.policy) {
        NowView::Gantt => {
            let about = match &model.selection {
                Some(Selection::Job(name) | Selection::Queue(name)) if to_selection => name.clone(),
                _ => String::new(),
            };
            let GanttLook { by, first } = model.view.gantt;
            ReportRequest::Gantt { by, first, n: GANTT_ROWS, about, named: Vec::new() }
        }
        NowView::Fairness => ReportRequest::Tally { resource: model.counted_resource() },
        NowView::Queues => ReportRequest::Series,
        NowView::ShareUsage => ReportRequest::ShareUsage,
        NowView::Priorities => ReportRequest::Priorities,
        NowView::Shares if model.view.serving && has_order(model) => ReportRequest::Serving,
        NowView::Shares | NowView::Division | NowView::Tree => {
            model.report = None;
            return;
        }
    };
    if model.frame.is_some() && !model.stale {
        model.in_flight.report = send(model, Ask::Report(report_request), fx);
    }
}

/// Whether the policy can say who is served first.
fn has_order(model: &Model) -> bool {
    Policy::described(&model.scenario.policy).is_some_and(|policy| policy.knows.lists_order)
}

/// Takes in what was told, and asks for the same of the run before the last edit.
pub(crate) fn received(model: &mut Model, report: Report, fx: &mut Vec<Effect>) {
    if let Report::Gantt(gantt) = &report {
        model.view.gantt.first = gantt.first;
    }
    model.report = Some(Arc::new(report));
    ask_before(model, fx);
}

/// What another run has to tell to be held against what is told of this one: the same, and of Gantt the same rows.
pub(crate) fn counterpart(model: &Model) -> Option<ReportRequest> {
    Some(match &**model.report.as_ref()? {
        Report::Gantt(gantt) => ReportRequest::Gantt {
            by: gantt.by,
            first: 0,
            n: GANTT_ROWS,
            about: String::new(),
            named: gantt.rows.iter().map(|row| row.name.clone()).collect(),
        },
        Report::Tally(tally) => ReportRequest::Tally { resource: tally.resource },
        Report::Series(_) => ReportRequest::Series,
        // Nothing is held against another run there.
        Report::ShareUsage(_) | Report::Priorities(_) | Report::Serving(_) => return None,
    })
}

/// Asks what the run before the last edit has to tell, as far as the present one has come.
pub(crate) fn ask_before(model: &mut Model, fx: &mut Vec<Effect>) {
    let scenario = alternative::at_cursor(model).and_then(|before| before.scenario.clone());
    let Some((scenario, report_request)) = scenario.zip(counterpart(model)) else { return };
    let until = match &report_request {
        ReportRequest::Tally { .. } => model.frame.as_ref().map_or(0, |frame| frame.cycle),
        _ => model.run.as_ref().map_or(0, |run| run.last_cycle),
    };
    let ask = Ask::Alternative {
        scenario,
        cycle: None,
        ladder: None,
        until,
        report_request: Some(report_request),
        is_early: false,
    };
    model.in_flight.baseline = send(model, ask, fx);
}

/// Asks for a scenario at the cursor. Whether it can run at all, the engine says.
pub(crate) fn alternative_of(model: &Model, edited: &Scenario, is_early: bool) -> Ask {
    let scenario = Arc::new(edited.clone());
    let is_seen = model.view.has_division();
    let ladder = model.ladder.as_ref().filter(|_| is_seen).map(|l| (l.queue.clone(), l.resource));
    let until = model.run.as_ref().map_or(0, |run| run.last_cycle);
    let report_request = counterpart(model);
    Ask::Alternative { scenario, cycle: Some(model.cursor), ladder, until, report_request, is_early }
}
