//! The report of the current view.

use fairground::words::Selection;

use crate::engine::report::ReportRequest;
use crate::state::layout::gantt_window::{GANTT_ROWS, GanttLook};
use crate::state::layout::options::NowView;
use crate::state::model::Model;

/// The report of the current view, if it has one.
pub(crate) fn report_request(model: &Model, to_selection: bool) -> Option<ReportRequest> {
    Some(match model.view.now.under(&model.document.scenario.policy) {
        NowView::Gantt => {
            let about = match &model.selection {
                Some(Selection::Job(name) | Selection::Queue(name)) if to_selection => name.clone(),
                _ => String::new(),
            };
            let GanttLook { by, first } = model.view.gantt;
            ReportRequest::Gantt { by, first, n: GANTT_ROWS, about, named: Vec::new() }
        }
        NowView::Fairness => ReportRequest::Fairness { resource: model.resource.counted() },
        NowView::Trends => ReportRequest::Trends,
        NowView::ShareUsage => ReportRequest::ShareUsage,
        NowView::Priorities => ReportRequest::Priorities,
        NowView::Shares | NowView::Division | NowView::Tree | NowView::Compare => return None,
    })
}
