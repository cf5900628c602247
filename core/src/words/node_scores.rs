//! The nodes that were compared for a pod: their scores and the parts of them.

use super::check::{quantity_name, value};
use super::text::Text;
use super::{Cell, Evidence};
use crate::id::NodeId;
use crate::moment::Frame;
use crate::trace::{Check, Quantity, Term};

/// The scores as a table, with a column for each node, the chosen one first; `None`: no other node fits.
pub fn table(frame: &Frame, checks: &[Check]) -> Option<Evidence> {
    let compared = || checks.iter().filter(|check| check.left.quantity == Quantity::Score);
    let first = compared().next()?;
    let chosen = std::iter::once((first.subject.node?, &first.left));
    let others = compared().filter_map(|check| Some((check.subject.other_node?, &check.right)));
    let nodes: Vec<(NodeId, &Term)> = chosen.chain(others).collect();
    let mut parts: Vec<Quantity> =
        nodes.iter().flat_map(|(_, score)| &score.parts).map(|part| part.quantity).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.push(Quantity::Score);
    let cell = |score: &Term, part: Quantity| match score.find(part) {
        Some(term) => Cell::from(value(term, None)),
        None => Cell::from("–"),
    };
    let row = |part: Quantity| {
        let cells = nodes.iter().map(|(_, score)| cell(score, part)).collect();
        (quantity_name(part), cells, part == Quantity::Score)
    };
    let names = nodes.iter().map(|(node, _)| Text::default().node(frame.node(*node)));
    Some(Evidence {
        caption: Text::of("[Nodes] that fit, the best first"),
        head: std::iter::once(Text::default()).chain(names).collect(),
        rows: parts.into_iter().map(row).collect(),
    })
}
