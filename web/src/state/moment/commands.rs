//! Commands that choose what is shown of the moment.

use fairground::scenario::Path;
use fairground::units::ShownResource;
use fairground::words::Selection;

use super::explanations;
use crate::state::effect::Effect;
use crate::state::layout::options::{EventLaneOptions, EventSubject, NowView, Panel, SetupTab};
use crate::state::layout::table;
use crate::state::layout::width_class::WidthClass;
use crate::state::model::Model;
use crate::state::moment::explanations::{request_explanations, request_report};

impl Model {
    /// The queue or job whose events jumps stop at; `None`: all. Ignores a selection made by the page.
    pub fn followed(&self) -> Option<Selection> {
        let selection = match &self.view.event_subject {
            EventSubject::All => return None,
            EventSubject::Queue(name) => return Some(Selection::Queue(name.clone())),
            EventSubject::Job(name) => return Some(Selection::Job(name.clone())),
            EventSubject::Selected => self.selection.as_ref().filter(|_| !self.auto_selected)?,
        };
        match selection {
            Selection::Queue(_) | Selection::Job(_) => Some(selection.clone()),
            Selection::Event { cycle, index } => {
                let frame = self.moment.frame.as_ref().filter(|frame| frame.cycle == *cycle)?;
                let job = frame.job_of(frame.events.get(*index as usize)?)?;
                Some(Selection::Job(frame.job(job).to_string()))
            }
            Selection::Node(_) | Selection::Rule(_) => None,
        }
    }
}

/// Options of the event lane.
pub fn lane(model: &Model) -> EventLaneOptions {
    let range = model.view.range.map(|(anchor, head)| (anchor.min(head), anchor.max(head)));
    EventLaneOptions { without: model.view.without, followed: model.followed(), range }
}

/// Adapts the layout to another width of the window.
pub(crate) fn moved(model: &mut Model, class: WidthClass, fx: &mut Vec<Effect>) {
    if model.view.width_class != class {
        model.view.put(class);
        request_explanations(model, fx);
    }
}

/// Shows a resource in all charts.
pub(crate) fn show_resource(model: &mut Model, resource: ShownResource, fx: &mut Vec<Effect>) {
    let n_named = model.moment.frame.as_ref().map_or(0, |frame| frame.named.len());
    let is_there = resource.nth_named().is_none_or(|n| n < n_named);
    model.resource = if is_there { resource } else { ShownResource::Dominant };
    request_report(model, false, fx);
}

/// Shows a view in NOW.
pub(crate) fn show_view(model: &mut Model, now: NowView, fx: &mut Vec<Effect>) {
    model.view.now = now.under(&model.document.scenario.policy);
    request_report(model, true, fx);
    fx.push(Effect::SetUrl);
}

/// Shows the numbers of one node pool, or of all.
pub(crate) fn show_pool(model: &mut Model, pool: String, fx: &mut Vec<Effect>) {
    model.view.pool = pool;
    fx.push(Effect::SetUrl);
}

pub(crate) fn open_tab(model: &mut Model, tab: SetupTab, fx: &mut Vec<Effect>) {
    let view = &mut model.view;
    view.tab = tab;
    view.detail = None;
    view.panel = Panel::Setup;
    view.setup_folded = false;
    explanations::request_rule_book(model, fx);
}

pub(crate) fn focus_field(model: &mut Model, path: Path, fx: &mut Vec<Effect>) {
    model.view.setup_folded = false;
    model.view.panel = Panel::Setup;
    model.view.tab = table::tab(&path);
    let is_shown = table::has_column(&path, &model.document.scenario.policy, model.settings_resource());
    model.view.detail = table::owner(&path).filter(|_| !is_shown);
    explanations::request_rule_book(model, fx);
    fx.push(Effect::FocusField(path));
}
