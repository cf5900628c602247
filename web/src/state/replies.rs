//! Handles replies of the engine.

use std::sync::Arc;

use fairground::words::Ladder;

use super::document::translation;
use super::effect::Effect;
use super::import;
use super::model::Model;
use super::notify::notify;
use super::playback::engine_state::EngineState;
use super::playback::run::go_to;
use crate::engine::protocol::{Message, Response};
use crate::state::branches::commands::compared;
use crate::state::branches::kept;
use crate::state::moment::explanations::request_explanations;
use crate::state::playback::arrival::{arrived, no_event, progress};

/// Applies a reply to the model, unless its request is outdated.
pub(crate) fn replied(model: &mut Model, reply: Message<Response>, fx: &mut Vec<Effect>) {
    let id = reply.generation;
    match reply.body {
        Response::Ready => model.has_engine = true,
        Response::Moment(moment) if id >= model.in_flight.frame => arrived(model, id, *moment, fx),
        Response::Alternative { frame, levels } if is_preview(model, id) => {
            model.awaits_preview = id != model.in_flight.preview;
            // If the edited scenario cannot run, the last preview that could stays visible.
            if let Some(frame) = frame {
                model.preview = Some(Arc::from(frame));
                let own = model.ladder.as_ref().filter(|_| !levels.is_empty());
                model.preview_ladder = own.map(|own| Arc::new(Ladder { levels, ..(**own).clone() }));
            }
        }
        Response::AlternativeRun { run, report } if is_preview(model, id) && model.preview.is_some() => {
            model.preview_run = Some(Arc::from(run));
            fx.push(Effect::AnnouncePreview);
            model.preview_report = report.map(Arc::from);
        }
        Response::Alternative { frame, levels } if id == model.in_flight.baseline => {
            kept::moment(model, frame, levels);
        }
        Response::AlternativeRun { run, report } if id == model.in_flight.baseline => {
            kept::received(model, *run, report);
        }
        Response::Refused { findings } if id == model.in_flight.frame => {
            model.engine = EngineState::Refused(Arc::new(findings));
        }
        Response::Progress { cycle, time_ms, to_cycle, to_time_ms } if id == model.in_flight.frame => {
            progress(model, cycle, time_ms, to_cycle, to_time_ms);
        }
        Response::Event { cycle } if id == model.in_flight.event => match cycle {
            Some(cycle) => go_to(model, cycle, fx),
            None => notify(model, false, no_event(model), None, fx),
        },
        Response::Rules(book) if id == model.in_flight.rules => {
            model.rules = Some(Arc::from(book));
            request_explanations(model, fx);
        }
        Response::Tried(tried) if id == model.in_flight.help => {
            super::branches::commands::tried(model, tried, fx)
        }
        Response::Csv { is_of_events, text } if id == model.in_flight.csv => {
            fx.push(Effect::DownloadCsv { is_of_events, text });
        }
        Response::Kit(kit) if id == model.in_flight.kit => import::commands::kit_made(model, kit, fx),
        Response::Packed(text) if id == model.in_flight.packed => fx.push(Effect::SavePacked(text)),
        Response::Exported(exported) if id == model.in_flight.export => {
            model.exported = exported.map(Arc::new);
            model.exporting = false;
        }
        Response::Reading if id == model.in_flight.import => import::commands::received(model),
        Response::Piece(piece) if id == model.in_flight.import => model.pieces.add(piece),
        Response::Imported { scenario, checked, report } if id == model.in_flight.import => {
            import::commands::imported(model, scenario, checked, *report, fx);
        }
        Response::Translated { policy, scenario, notes } if id == model.in_flight.translation => {
            translation::translated(model, policy, scenario.map(|scenario| *scenario), notes, fx);
        }
        Response::Comparing { name, cycle } if id == model.in_flight.comparison => {
            model.comparing = Some((name, cycle));
        }
        Response::Compared(run) if id == model.in_flight.comparison => compared(model, *run),
        Response::Cancelled => {
            model.in_flight.cancel = 0;
            fx.push(Effect::Announce("Stopped.".to_string()));
        }
        _ => {}
    }
}

/// Whether a request belongs to the current preview.
fn is_preview(model: &Model, id: u64) -> bool {
    (model.in_flight.preview_from..=model.in_flight.preview).contains(&id)
}
