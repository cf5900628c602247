//! What is explained and reported at the displayed moment: requests for it, also of the policy's rule book.

use fairground::units::Resource;
use std::sync::Arc;

use crate::engine::protocol::{
    At, BranchId, Focus, Moment, MomentRequest, Request, RuleUse, Rulebook, Subjects, Wants,
};
use crate::engine::report::ReportRequest;
use crate::state::effect::Effect;
use crate::state::engine_state::EngineState;
use crate::state::layout::options::{GANTT_ROWS, GanttLook, NowView, SetupTab};
use crate::state::model::{Model, send};

use fairground::words::Selection;
pub use fairground::words::{Ladder, Order};

/// The state that determines what is shown besides the frame.
pub(crate) fn focus(model: &Model) -> Focus {
    Focus {
        selection: model.selection.clone(),
        selects: !model.playback.playing && (model.selection.is_none() || model.auto_selected),
        resource: model.resource,
        contended: model.moment.frame.as_ref().map(|frame| frame.names.resource),
        has_division: model.view.has_division(),
        report: report_request(model, false),
    }
}

/// Requests what is explained at the moment, as far as it is not known.
pub(crate) fn request_explanations(model: &mut Model, fx: &mut Vec<Effect>) {
    request_shown(model, None, fx);
}

/// Requests the report of the current view, if it has one, and what is explained.
pub(crate) fn request_report(model: &mut Model, to_selection: bool, fx: &mut Vec<Effect>) {
    let report = report_request(model, to_selection);
    if report.is_none() {
        model.moment.report = None;
    }
    request_shown(model, report, fx);
}

/// Requests what is explained at the moment, as far as it is not known, and a report.
fn request_shown(model: &mut Model, report: Option<ReportRequest>, fx: &mut Vec<Effect>) {
    request_rule_book(model, fx);
    let Some(frame) = model.moment.frame.clone().filter(|_| !model.moment.is_stale) else { return };
    let Subjects { mut ladder, mut order, mut rule, event, .. } = focus(model).subjects(&frame);
    let is_current = |of: &Ladder| of.cycle == frame.cycle && ladder == Some((of.queue.clone(), of.resource));
    if model.moment.ladder.as_deref().is_some_and(is_current) {
        ladder = None;
    } else {
        // Division shows the previous explanation until the new one arrives.
        let has_division = model.view.has_division();
        let stays = |of: &Ladder| ladder.as_ref().is_some_and(|next| has_division || next.0 == of.queue);
        model.moment.ladder = model.moment.ladder.take().filter(|of| stays(of));
    }
    if model.moment.order.as_ref().is_some_and(|of| of.cycle == frame.cycle && order.as_ref() == Some(&of.of)) {
        order = None;
    } else {
        model.moment.order = None;
    }
    let has_use = |of: &RuleUse| of.cycle == frame.cycle && rule.as_ref() == Some(&of.rule);
    let is_counted = |book: &Rulebook| book.used.as_ref().is_some_and(has_use);
    if model.rules.as_deref().is_none_or(is_counted) {
        rule = None;
    }
    let has_event = |index: &u32| model.moment.event.as_ref().is_some_and(|of| of.index == *index);
    let event = event.filter(|index| !has_event(index));
    let has_report = report.is_some();
    let subjects = match model.engine.state {
        // The moment in flight brings its own explanations.
        EngineState::Working(_) => Subjects { report, ..Subjects::default() },
        _ => Subjects { ladder, order, rule, event, report },
    };
    if subjects == Subjects::default() {
        return;
    }
    let ask = MomentRequest { branch: BranchId::Main, scenario: None, at: At::Here, wants: Wants::Subjects(subjects) };
    let id = send(model, Request::Moment(ask), fx);
    if has_report {
        model.in_flight.report = id;
    }
}

/// Stores explanations, as far as they are of what is shown.
pub(crate) fn explained(model: &mut Model, moment: &mut Moment) {
    let Some(frame) = model.moment.frame.clone().filter(|_| !model.moment.is_stale) else { return };
    let shown = focus(model).subjects(&frame);
    let ladder = moment.ladder.take().filter(|of| of.cycle == frame.cycle);
    if let Some(ladder) = ladder.filter(|of| shown.ladder == Some((of.queue.clone(), of.resource))) {
        model.moment.ladder = Some(Arc::new(ladder));
    }
    let order = moment.order.take().filter(|of| of.cycle == frame.cycle);
    if let Some(order) = order.filter(|of| shown.order.as_ref() == Some(&of.of)) {
        model.moment.order = Some(Arc::new(order));
    }
    let event = moment.event.take().filter(|of| of.cycle == frame.cycle && shown.event == Some(of.index));
    if event.is_some() {
        model.moment.event = event.map(Arc::new);
    }
    if let Some((book, used)) = model.rules.as_mut().zip(moment.rule_use.take()) {
        Arc::make_mut(book).used = Some(used);
    }
}

impl Model {
    /// The resource that is explained for the selected queue.
    pub fn explained_resource(&self) -> Resource {
        match &self.moment.frame {
            Some(frame) => focus(self).explained_resource(frame),
            None => self.resource.accounted(),
        }
    }
}

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

/// Requests the rule book of the policy where it is shown, unless it is known.
pub(crate) fn request_rule_book(model: &mut Model, fx: &mut Vec<Effect>) {
    let is_wanted = model.view.tab == SetupTab::Rules || matches!(model.selection, Some(Selection::Rule(_)));
    let policy = &model.document.scenario.policy;
    if is_wanted && model.rules.as_ref().is_none_or(|known| known.policy != *policy) {
        let request = Request::Rules { policy: policy.clone() };
        model.rules = None;
        model.in_flight.rules = send(model, request, fx);
    }
}
