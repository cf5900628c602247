//! Selection in Cluster. Separate from the view, which is large and does not change with the selection.

use fairground::id::JobId;
use fairground::words::Selection;

use super::cards::ClusterView;
use crate::chart::selection::selected_queue;
use crate::engine::protocol::{Cell, Frame, NodeCard};

/// Selected cards, and cells by card and position, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectedCells {
    pub cards: Vec<usize>,
    /// GPUs of the selected job or queue.
    pub cells: Vec<(usize, usize)>,
}

impl SelectedCells {
    /// Whether a card is selected, or a cell of it.
    pub fn has(&self, card: usize, cell: Option<usize>) -> bool {
        match cell {
            Some(cell) => self.cells.binary_search(&(card, cell)).is_ok(),
            None => self.cards.binary_search(&card).is_ok(),
        }
    }
}

/// The selected part of a frame's view.
pub fn marked(view: &ClusterView, frame: &Frame, selection: Option<&Selection>) -> SelectedCells {
    let mut marked = SelectedCells::default();
    let Some(chosen) = Chosen::of(frame, selection) else { return marked };
    for (at, card) in view.cards.iter().enumerate() {
        let Some(node) = frame.nodes.get(card.at) else { continue };
        match chosen {
            Chosen::Node(name) if node.name == name => marked.cards.push(at),
            Chosen::Node(_) => {}
            _ if !view.filled_with.is_empty() && chosen.fills(node) => marked.cells.push((at, 0)),
            _ if !view.filled_with.is_empty() => {}
            _ => marked
                .cells
                .extend((0..).zip(&node.cells).filter(|(_, cell)| chosen.is_on(cell)).map(|(cell, _)| (at, cell))),
        }
    }
    marked
}

#[derive(Clone, Copy)]
enum Chosen<'a> {
    Job(JobId),
    Queue(u32),
    Node(&'a str),
}

impl<'a> Chosen<'a> {
    fn of(frame: &'a Frame, selection: Option<&'a Selection>) -> Option<Chosen<'a>> {
        match selection? {
            Selection::Job(name) => frame.names.find(name).map(Chosen::Job),
            Selection::Node(name) => Some(Chosen::Node(name)),
            Selection::Queue(_) => selected_queue(frame, selection).map(Chosen::Queue),
            Selection::Event { cycle, index } if *cycle == frame.cycle => {
                frame.events.get(*index as usize).and_then(|event| frame.job_of(event)).map(Chosen::Job)
            }
            _ => None,
        }
    }

    fn is_on(self, cell: &Cell) -> bool {
        match self {
            Chosen::Job(job) => {
                cell.pods.iter().any(|pod| pod.job == job)
                    || cell.claimed.as_ref().is_some_and(|claim| claim.job == job)
            }
            Chosen::Queue(queue) => cell.pods.iter().any(|pod| pod.queue == queue),
            Chosen::Node(_) => false,
        }
    }

    /// Whether it holds a part of a node that is one cell.
    fn fills(self, node: &NodeCard) -> bool {
        matches!(self, Chosen::Queue(queue) if node.holds.iter().any(|held| held.queue == queue))
    }
}
