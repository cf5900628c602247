//! Failure, draining and recovery of nodes at the cursor, also of single nodes of a group.

use fairground::words::Selection;

use super::commands::commit;
use crate::engine::protocol::NodeCard;
use crate::state::command::Command;
use crate::state::document::timeline_edit;
use crate::state::effect::Effect;
use crate::state::model::Model;
use crate::state::notify::notify;

/// Available changes of a node's state at the cursor: label and command.
pub fn offers(model: &Model, node: &str) -> Vec<(String, Command)> {
    let Some(frame) = &model.moment.frame else { return Vec::new() };
    let Some(card) = frame.nodes.iter().find(|card| card.name == node) else { return Vec::new() };
    let from = if frame.cycle == 0 { "from the start".to_string() } else { format!("from cycle {}", frame.cycle) };
    let offer = |says: &str, state: &'static str| {
        (format!("{says} {from}"), Command::NodeState { node: node.to_string(), state })
    };
    let down = offer(&format!("Take {node} down"), "down");
    let drain = offer(&format!("Drain {node}"), "draining");
    let back = offer(&format!("Bring {node} back"), "ready");
    match (card.ready, card.draining) {
        (true, false) => vec![drain, down],
        (true, true) => vec![back, down],
        (false, _) => vec![back],
    }
}

/// The same for a row of the node table: for the selected node of a group, otherwise for the first one that accepts
/// pods; and recovery of the first one that does not.
pub fn offers_of_line(model: &Model, line: &str) -> Vec<(String, Command)> {
    let Some(frame) = &model.moment.frame else { return Vec::new() };
    let is_group = model.document.scenario.nodes.iter().any(|entry| entry.name == line && entry.count.is_some());
    if !is_group {
        return offers(model, line);
    }
    let number = |name: &str| name.strip_prefix(line)?.strip_prefix('-')?.parse::<u32>().ok();
    let of_group: Vec<&NodeCard> = frame.nodes.iter().filter(|card| number(&card.name).is_some()).collect();
    let selected = of_group.iter().find(|card| model.selection == Some(Selection::Node(card.name.clone())));
    if let Some(card) = selected {
        return offers(model, &card.name);
    }
    let takes_pods = |card: &&&NodeCard| card.ready && !card.draining;
    let first = of_group.iter().find(takes_pods);
    let gone = of_group.iter().find(|card| !takes_pods(card));
    first.into_iter().chain(gone).flat_map(|card| offers(model, &card.name)).collect()
}

/// Changes the state of a node at the cursor, regardless of when other edits apply.
pub(crate) fn put(model: &mut Model, node: &str, state: &str, fx: &mut Vec<Effect>) {
    let (cycle, time_ms) = model.moment.frame.as_ref().map_or((0, 0), |frame| (frame.cycle, frame.time_ms));
    let made = timeline_edit::node_state(&model.document.scenario, node, state, time_ms);
    match made.and_then(|after| model.document.checked().try_edit(after)) {
        Ok(after) => {
            let name = format!("{node} {state} from cycle {cycle}");
            fx.push(Effect::Announce(format!("Done: {name}.")));
            commit(model, after, "", |_| name, fx);
        }
        Err(says) => notify(model, true, says, None, fx),
    }
}
