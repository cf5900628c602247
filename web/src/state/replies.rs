//! Handles replies of the engine.

use std::sync::Arc;

use fairground::words::Ladder;

use super::branches::report;
use super::document::translation;
use super::effect::Effect;
use super::import;
use super::model::Model;
use super::notify::notify;
use super::playback::engine_state::EngineState;
use super::playback::run::go_to;
use crate::engine::protocol::{Reply, Say};
use crate::state::branches::commands::compared;
use crate::state::branches::kept;
use crate::state::playback::arrival::{arrived, no_event, progress, stopped};

/// Applies a reply to the model, unless its request is outdated. Long because it is one table of replies.
pub(crate) fn replied(model: &mut Model, reply: Reply, fx: &mut Vec<Effect>) {
    let id = reply.generation;
    match reply.say {
        Say::Ready => model.has_engine = true,
        Say::Frame { frame, run } if id == model.in_flight.frame => arrived(model, *frame, *run, fx),
        Say::Alternative { frame, levels } if is_preview(model, id) => {
            model.awaits_preview = id != model.in_flight.preview;
            // If the edited scenario cannot run, the last preview that could stays visible.
            if let Some(frame) = frame {
                model.preview = Some(Arc::from(frame));
                let own = model.ladder.as_ref().filter(|_| !levels.is_empty());
                model.preview_ladder = own.map(|own| Arc::new(Ladder { levels, ..(**own).clone() }));
            }
        }
        Say::AlternativeRun { run, report } if is_preview(model, id) && model.preview.is_some() => {
            model.preview_run = Some(Arc::from(run));
            fx.push(Effect::AnnouncePreview);
            model.preview_report = report.map(Arc::from);
        }
        Say::Alternative { frame, levels } if id == model.in_flight.baseline => {
            kept::moment(model, frame, levels);
        }
        Say::AlternativeRun { run, report } if id == model.in_flight.baseline => {
            kept::received(model, *run, report);
        }
        Say::Refused { findings } if id == model.in_flight.frame => {
            model.engine = EngineState::Refused(Arc::new(findings));
        }
        Say::Progress { cycle, time_ms, to_cycle, to_time_ms } if id == model.in_flight.frame => {
            progress(model, cycle, time_ms, to_cycle, to_time_ms);
        }
        Say::Event { cycle } if id == model.in_flight.event => match cycle {
            Some(cycle) => go_to(model, cycle, fx),
            None => notify(model, false, no_event(model), None, fx),
        },
        Say::Stopped { met } if id == model.in_flight.frame => {
            if let Some(stop) = model.stop.take() {
                notify(model, false, stopped(&stop, met, model.cursor), None, fx);
            }
        }
        Say::Ladder { queue, resource, levels } if id == model.in_flight.ladder => {
            let cycle = model.frame.as_ref().map_or(0, |f| f.cycle);
            model.ladder = Some(Arc::new(Ladder { cycle, queue, resource, levels }));
        }
        Say::Order(levels) if id == model.in_flight.order => super::moment::order::received(model, levels),
        Say::Rules(book) if id == model.in_flight.rules => {
            model.rules = Some(Arc::from(book));
            super::moment::rules::request_rule_use(model, fx);
        }
        Say::RuleUse(found) if id == model.in_flight.rule_use => super::moment::rules::used(model, *found),
        Say::Report(Some(report)) if id == model.in_flight.report => report::received(model, *report, fx),
        Say::Tried(tried) if id == model.in_flight.help => super::branches::commands::tried(model, tried, fx),
        Say::Csv { is_of_events, text } if id == model.in_flight.csv => {
            fx.push(Effect::DownloadCsv { is_of_events, text });
        }
        Say::Kit(kit) if id == model.in_flight.kit => import::commands::kit_made(model, kit, fx),
        Say::Packed(text) if id == model.in_flight.packed => fx.push(Effect::SavePacked(text)),
        Say::Exported(exported) if id == model.in_flight.export => {
            model.exported = exported.map(Arc::new);
            model.exporting = false;
        }
        Say::Reading if id == model.in_flight.import => import::commands::received(model),
        Say::Piece(piece) if id == model.in_flight.import => model.pieces.add(piece),
        say @ Say::Imported { .. } if id == model.in_flight.import => {
            import::commands::imported(model, say, fx)
        }
        Say::Translated { policy, scenario, notes } if id == model.in_flight.translation => {
            translation::translated(model, policy, scenario.map(|scenario| *scenario), notes, fx);
        }
        Say::Comparing { policy, cycle } if id == model.in_flight.comparison => {
            model.comparing = Some((policy, cycle));
        }
        Say::Compared { column } if id == model.in_flight.comparison => compared(model, *column),
        Say::Cancelled => {
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
