//! Commands that select.

use fairground::units::ShownResource;
use fairground::words::Selection;

use crate::state::effect::Effect;
use crate::state::layout::options::{NowView, Panel};
use crate::state::model::Model;
use crate::state::moment::event_filter::{EventLaneOptions, EventSubject};
use crate::state::moment::explanations::{request_explanations, request_report};
use crate::state::playback::run::go_to;

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
                let frame = self.frame.as_ref().filter(|frame| frame.cycle == *cycle)?;
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

pub(crate) fn select(model: &mut Model, selection: Option<Selection>, fx: &mut Vec<Effect>) {
    model.auto_selected = false;
    if selection.is_some() {
        model.view.why_open = true;
        // With one panel at a time, selecting something opens its explanation.
        if matches!(model.view.panel, Panel::Now | Panel::Time) || matches!(selection, Some(Selection::Rule(_))) {
            model.view.panel = Panel::Why;
        }
    }
    model.selection = selection;
    if let Some(Selection::Event { cycle, .. }) = model.selection
        && cycle != model.cursor
    {
        go_to(model, cycle, fx);
    }
    request_explanations(model, fx);
    fx.push(Effect::SetUrl);
}

/// Shows a resource in all charts.
pub(crate) fn show_resource(model: &mut Model, resource: ShownResource, fx: &mut Vec<Effect>) {
    let n_named = model.frame.as_ref().map_or(0, |frame| frame.named.len());
    let is_there = resource.nth_named().is_none_or(|n| n < n_named);
    model.resource = if is_there { resource } else { ShownResource::Dominant };
    request_report(model, false, fx);
}

/// Shows a view in NOW.
pub(crate) fn show_view(model: &mut Model, now: NowView, fx: &mut Vec<Effect>) {
    model.view.now = now.under(&model.scenario.policy);
    request_report(model, true, fx);
    fx.push(Effect::SetUrl);
}
