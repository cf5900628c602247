//! The nodes that were compared for a pod, with the numbers that ordered them, and those on which it did not fit.

use super::check::{quantity_name, quantity_of, value, value_in};
use super::text::{self, Text};
use super::{Cell, Evidence};
use crate::id::NodeId;
use crate::moment::Frame;
use crate::trace::{Check, Op, Quantity, Subject, Term};
use crate::units::Resource;

/// A node with what was recorded of it.
struct Column<'c> {
    node: NodeId,
    /// Its sides of comparisons with other nodes, with the check.
    sides: Vec<(&'c Check, &'c Term)>,
    /// What it does not have.
    fails: Option<&'c Check>,
}

/// Whether a comparison tells why the pod does not fit on its node.
fn is_misfit(check: &Check, chosen: NodeId) -> bool {
    let Subject { node, other_node, .. } = check.subject;
    node.is_some_and(|node| node != chosen) && other_node.is_none()
}

/// The nodes as a table, with a column for each: the chosen one, others that fit, the best first, then some that do not
/// fit; `None`: no other node was compared.
pub fn table(frame: &Frame, chosen: NodeId, checks: &[Check]) -> Option<Evidence> {
    let mut columns = vec![Column { node: chosen, sides: Vec::new(), fails: None }];
    for check in checks {
        let Subject { node: Some(node), other_node, .. } = check.subject else { continue };
        match other_node {
            Some(other) if node == chosen && check.left.quantity == check.right.quantity => {
                columns[0].sides.push((check, &check.left));
                let index = columns.iter().position(|column| column.node == other).unwrap_or_else(|| {
                    columns.push(Column { node: other, sides: Vec::new(), fails: None });
                    columns.len() - 1
                });
                columns[index].sides.push((check, &check.right));
            }
            _ if is_misfit(check, chosen) => columns.push(Column { node, sides: Vec::new(), fails: Some(check) }),
            _ => {}
        }
    }
    let n_unfit = columns.iter().filter(|column| column.fails.is_some()).count();
    if columns.len() == 1 {
        return None;
    }
    let mut rows = compared(&columns);
    if n_unfit > 0 {
        let answers = columns.iter().map(|column| Cell::from(column.fails.map_or("yes".into(), reason)));
        rows.push(("the [pod] fits", answers.collect(), rows.is_empty()));
    }
    let names = columns.iter().map(|column| text::node(frame.node(column.node)));
    let caption = match n_unfit {
        0 => "[Nodes] that fit, the best first",
        n if n + 1 == columns.len() => "The chosen [node], then [nodes] that do not fit",
        _ => "[Nodes] that fit, the best first, then [nodes] that do not fit",
    };
    Some(Evidence { caption: Text::of(caption), head: std::iter::once(Text::default()).chain(names).collect(), rows })
}

/// A row for each quantity by which nodes were compared, with its parts; the first quantity is the one that orders
/// them.
fn compared(columns: &[Column<'_>]) -> Vec<(&'static str, Vec<Cell>, bool)> {
    let sides = || columns.iter().flat_map(|column| &column.sides).filter(|(_, side)| !is_name(side));
    let mut quantities: Vec<(Quantity, bool)> = Vec::new();
    let mut parts: Vec<Quantity> = sides().flat_map(|(_, side)| &side.parts).map(|part| part.quantity).collect();
    parts.sort_unstable();
    parts.dedup();
    quantities.extend(parts.into_iter().map(|part| (part, false)));
    for (_, side) in sides() {
        if !quantities.iter().any(|(quantity, _)| *quantity == side.quantity) {
            let is_first = !quantities.iter().any(|(_, is_first)| *is_first);
            quantities.push((side.quantity, is_first));
        }
    }
    let name = |quantity: Quantity| {
        let named = sides().find(|(_, side)| side.quantity == quantity);
        named.map_or_else(|| quantity_name(quantity), |(check, _)| quantity_of(check, quantity))
    };
    let row = |(quantity, decides): (Quantity, bool)| {
        let cells = columns.iter().map(|column| cell(column, quantity)).collect();
        (name(quantity), cells, decides)
    };
    quantities.into_iter().map(row).collect()
}

fn is_name(term: &Term) -> bool {
    term.quantity == Quantity::Name
}

fn cell(column: &Column<'_>, quantity: Quantity) -> Cell {
    let resource = |check: &Check| check.subject.resource.and_then(Resource::accounted);
    let scored = column.sides.iter().find_map(|(check, side)| Some((*check, side.find(quantity)?)));
    match scored {
        Some((check, term)) => Cell::from(value_in(check, term, resource(check))),
        None => Cell::from("–"),
    }
}

/// Why the pod does not fit on a node.
fn reason(check: &Check) -> String {
    match (check.left.quantity, check.op) {
        (Quantity::Ready, _) => "no: accepts none".into(),
        (Quantity::Tolerated, _) => "no: taint not tolerated".into(),
        (Quantity::Selected, _) => "no: not selected".into(),
        (Quantity::Pods, _) => {
            let [pods, slots] = [&check.left, &check.right].map(|term| value(term, None));
            format!("no: {pods} slots needed, {slots} exist")
        }
        (_, Op::Exceeds) => {
            let [asked, free] = [&check.left, &check.right]
                .map(|term| value_in(check, term, check.subject.resource.and_then(Resource::accounted)));
            format!("no: {asked} requested, {free} free")
        }
        _ => "no".into(),
    }
}
