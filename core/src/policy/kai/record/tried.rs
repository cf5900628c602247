//! What a search for victims has tried, noted for its explanation.

use std::collections::BTreeSet;

use crate::policy::kai::task::NodeRef;
use crate::trace::Emptied;

/// What the searches for a job have tried.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct Tried {
    /// Number of pods to place together.
    pub pods: u32,
    /// The largest number of them for which a set of victims sufficed.
    pub placed: u32,
    /// Number of sets.
    pub sets: u32,
    /// Nodes of the victims, in the order in which they were first tried.
    pub nodes: Vec<NodeRef>,
    node_set: BTreeSet<NodeRef>,
    /// How the nodes of the last sufficient set were selected.
    pub emptied: Option<Emptied>,
}

impl Tried {
    /// The beginning of a search for a number of pods.
    pub fn of(pods: usize) -> Tried {
        Tried { pods: pods as u32, ..Tried::default() }
    }

    /// Adds a node.
    pub fn add(&mut self, node: NodeRef) {
        if self.node_set.insert(node) {
            self.nodes.push(node);
        }
    }

    /// Adds a later search for the same job; if that one is for another number of pods, it says how many were placed.
    pub fn join(&mut self, other: Tried) {
        let before = if self.pods == other.pods { self.placed } else { 0 };
        (self.pods, self.placed) = (other.pods, other.placed.max(before));
        self.sets += other.sets;
        other.nodes.into_iter().for_each(|node| self.add(node));
    }
}
