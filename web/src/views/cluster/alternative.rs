//! Comparison of Cluster with another run. Separate, because most visits have no other run.

use fairground::units::ShownResource;
use std::collections::BTreeMap;

use super::cards::{AlternativeHolder, CellMark, CellView, ClusterView};
use super::view::Shown;
use crate::chart::alternative::Alternative;
use crate::chart::queue_tree::Tree;
use crate::engine::protocol::{Cell, CellPod, Frame, NodeCard};

/// Marks differences to another run: GPUs, or nodes if another resource is shown.
pub fn lay_alternative(view: &mut ClusterView, frame: &Frame, alternative: Alternative<'_>, resource: ShownResource) {
    let Alternative { frame: other, changed } = alternative;
    let tree = Tree::new(&frame.queues);
    // A queue keeps its colour even if its position in the other run differs.
    let tone = |queue: u32| {
        let at = frame.position(&other.queues.get(queue as usize)?.name, queue as usize);
        at.map(|at| tree.tone(at as u32))
    };
    let shown = Shown::of(other, resource);
    let others: BTreeMap<&str, &NodeCard> = other.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
    let was = changed.is_some();
    let mut is_marked = false;
    for card in &mut view.cards {
        let Some((node, other_node)) = frame.nodes.get(card.at).zip(others.get(card.name.as_str())) else {
            continue;
        };
        let mut mark = |cell: &mut CellView, holder: Option<u32>, who: String| {
            let tone = holder.map(|queue| tone(queue).unwrap_or_default());
            cell.alternative = Some(AlternativeHolder { tone, who, was });
            is_marked = true;
        };
        if shown.is_gpus() {
            for ((cell, mine), theirs) in card.cells.iter_mut().zip(&node.cells).zip(&other_node.cells) {
                let mine = holders(mine).map(|pod| frame.job(pod.job));
                if !mine.eq(holders(theirs).map(|pod| other.job(pod.job))) {
                    let holder = holders(theirs).next();
                    let who = holder.map_or("free", |pod| other.job(pod.job)).to_string();
                    mark(cell, holder.map(|pod| pod.queue), who);
                }
            }
        } else if let Some(cell) = card.cells.first_mut() {
            let (mine, theirs) = (held(frame, node, &shown), held(other, other_node, &shown));
            if !mine.iter().map(amount).eq(theirs.iter().map(amount)) {
                let most = theirs.iter().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
                let said = theirs.iter().map(|(name, (_, amount))| format!("{name} {}", shown.amount(*amount)));
                let said: Vec<String> = said.collect();
                let said = if said.is_empty() { "free".into() } else { said.join(", ") };
                mark(cell, most.map(|(_, (queue, _))| *queue), said);
            }
        }
    }
    if is_marked {
        view.marks.insert(if was { CellMark::Before } else { CellMark::Preview });
    }
}

/// Pods that hold a GPU and are not leaving.
fn holders(cell: &Cell) -> impl Iterator<Item = &CellPod> {
    cell.pods.iter().filter(|pod| !pod.leaving)
}

fn amount<'a>((name, (_, amount)): (&&'a str, &(u32, f64))) -> (&'a str, f64) {
    (*name, *amount)
}

/// Allocations on a node that are not leaving, by queue: its position and the amount.
fn held<'a>(frame: &'a Frame, node: &NodeCard, shown: &Shown<'_>) -> BTreeMap<&'a str, (u32, f64)> {
    let mut held: BTreeMap<&str, (u32, f64)> = BTreeMap::new();
    for holding in node.holds.iter().filter(|held| !held.leaving && held.amount[shown.at] > 0.0) {
        if let Some(row) = frame.queues.get(holding.queue as usize) {
            held.entry(&row.name).or_insert((holding.queue, 0.0)).1 += holding.amount[shown.at];
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use fairground::words::Terms;

    use super::*;
    use crate::engine::protocol::Holding;
    use crate::fixtures::reclaimed;
    use crate::views::cluster::view::cluster;

    #[test]
    fn nodes_that_another_run_fills_otherwise_have_its_alternative() {
        let holds = |queue: u32, cores: f64| {
            let amount = [cores * 1000.0, 0.0, 0.0].into();
            Holding { queue, leaving: false, amount }
        };
        let (mut frame, mut was) = (reclaimed(), reclaimed());
        for node in frame.nodes.iter_mut().chain(&mut was.nodes) {
            node.capacity[0] = 8_000.0;
            node.holds = vec![holds(0, 2.0)];
        }
        // Equal amounts of a queue at another position are no difference.
        was.queues.swap(0, 1);
        was.nodes[0].holds = vec![holds(1, 2.0)];
        was.nodes[1].holds = vec![holds(1, 1.0), holds(0, 3.0)];
        let mut view = cluster(&frame, 400.0, ShownResource::CPU);
        lay_alternative(&mut view, &frame, Alternative { frame: &was, changed: Some("an edit") }, ShownResource::CPU);
        let cells: Vec<&CellView> = view.cards.iter().flat_map(|card| &card.cells).collect();
        assert_eq!((&cells[0].alternative, cells[1].alternative.is_some()), (&None, true));
        let says = cells[1].state(&Terms::PLAIN);
        assert!(says.ends_with("; before: team-a 1, team-b 3"), "{says}");
        assert!(view.marks.contains(&CellMark::Before));
        let mut view = cluster(&frame, 400.0, ShownResource::GPU);
        lay_alternative(&mut view, &frame, Alternative { frame: &frame, changed: None }, ShownResource::GPU);
        assert!(!view.marks.contains(&CellMark::Preview), "a run is like itself");
    }
}
