//! Handles replies of the engine.

use std::sync::Arc;

use super::editing::translation;
use super::effect::Effect;
use super::engine_state::EngineState;
use super::import;
use super::lesson;
use super::model::Model;
use super::notify::notify;
use super::playback::run::go_to;
use crate::engine::protocol::{BranchId, Message, Moment, Response};
use crate::state::branches::commands::compared;
use crate::state::branches::kept;
use crate::state::moment::explanations::request_explanations;
use crate::state::playback::arrival::{arrived, no_event, progress};

/// Applies a reply to the model, unless its request is outdated.
pub(crate) fn replied(model: &mut Model, reply: Message<Response>, fx: &mut Vec<Effect>) {
    let id = reply.generation;
    match reply.body {
        Response::Ready => model.engine.has_started = true,
        Response::Moment(moment) => received(model, id, *moment, fx),
        // If the edited scenario cannot run, the last preview that could stays visible.
        Response::Refused { .. } if id != model.in_flight.frame => {
            let asked = model.branches.others.values_mut().filter(|shown| shown.takes(id));
            asked.for_each(|shown| shown.answered = id);
        }
        Response::Refused { findings } => {
            model.engine.state = EngineState::Refused(Arc::new(findings));
        }
        Response::Progress { cycle, time_ms, part } if id == model.in_flight.frame => {
            progress(model, cycle, time_ms, part);
        }
        Response::Event { cycle } if id == model.in_flight.event => match cycle {
            Some(cycle) => go_to(model, cycle, fx),
            None => notify(model, false, no_event(model), None, fx),
        },
        Response::Rules(book) if id == model.in_flight.rules => {
            model.rules = Some(Arc::from(book));
            request_explanations(model, fx);
        }
        Response::Tried(tried) if id == model.in_flight.help => super::branches::commands::tried(model, tried, fx),
        Response::Csv { is_of_events, text } if id == model.in_flight.csv => {
            fx.push(Effect::DownloadCsv { is_of_events, text });
        }
        Response::Kit(kit) if id == model.in_flight.kit => import::commands::kit_made(model, kit, fx),
        Response::Packed(text) if id == model.in_flight.packed => fx.push(Effect::SavePacked(text)),
        Response::Exported(exported) if id == model.in_flight.export => {
            model.files.exported = exported.map(Arc::new);
            model.files.exporting = false;
        }
        Response::Reading if id == model.in_flight.import => import::commands::received(model),
        Response::Piece(piece) if id == model.in_flight.import => model.files.pieces.add(piece),
        Response::Imported { scenario, checked, report } if id == model.in_flight.import => {
            import::commands::imported(model, scenario, checked, *report, fx);
        }
        Response::Translated { policy, scenario, notes } if id == model.in_flight.translation => {
            translation::translated(model, policy, scenario.map(|scenario| *scenario), notes, fx);
        }
        Response::Comparing { name, cycle } if id == model.in_flight.comparison => {
            model.comparison.progress = Some((name, cycle));
        }
        Response::Compared(run) if id == model.in_flight.comparison => compared(model, *run),
        Response::Cancelled => {
            model.in_flight.cancel = 0;
            fx.push(Effect::Announce("Stopped.".to_string()));
        }
        _ => {}
    }
}

/// Stores what is shown of a moment, unless something later was requested of its run.
fn received(model: &mut Model, id: u64, moment: Moment, fx: &mut Vec<Effect>) {
    let branch = moment.branch;
    if branch == BranchId::Main && id >= model.in_flight.frame {
        arrived(model, id, moment, fx);
        return lesson::commands::arrived(model, fx);
    }
    let Some(shown) = model.branches.others.get_mut(&branch).filter(|shown| shown.takes(id)) else { return };
    let is_complete = moment.run.is_some();
    shown.add(id, moment);
    match branch {
        BranchId::Preview if is_complete => fx.push(Effect::AnnouncePreview),
        BranchId::Kept if is_complete => kept::show(model),
        _ => {}
    }
}
