//! Nodes: free resources and the order in which they are tried.
//!
//! # Rule
//! Nodes are visited by score, then by id. A score is refreshed whenever an allocation on the node, its capacity or its
//! schedulable flag changes. A node takes an allocation if no other ask has reserved it and the request fits.
//!
//! # Source
//! yunikorn.md 1.7, 1.8, 6

use super::amounts::{self, Amounts};
use super::apps::ReleaseReason;
use super::model::{AskIx, Core, Node, NodeIx, ROOT};
use super::shares::node_score;

impl Core {
    /// Finds a node by id.
    pub fn find_node(&self, id: &str) -> Option<NodeIx> {
        let mut following = self.node_order.with_ids_from(|node| self.nodes[node].id.as_str() < id);
        let is_it = |&node: &NodeIx| self.nodes[node].id == id;
        following.by_ref().take_while(is_it).find(|&node| self.nodes[node].exists)
    }

    /// Adds a node; returns `false` if the id is taken.
    pub fn add_node(&mut self, id: &str, capacity: &Amounts) -> bool {
        if self.find_node(id).is_some() {
            return false;
        }
        let capacity = capacity.pruned();
        self.nodes.push(Node {
            id: id.to_owned(),
            capacity,
            available: capacity,
            schedulable: true,
            exists: true,
            ..Node::default()
        });
        let ix = self.nodes.len() - 1;
        self.nodes[ix].score = self.score(ix);
        self.node_order.register(|other| self.nodes[other].id.as_str() < id);
        self.node_order.insert(ix, self.nodes[ix].score);
        self.grow(&capacity, &Amounts::EMPTY);
        true
    }

    /// Updates the maximum of the root, which is the total capacity of the nodes.
    fn grow(&mut self, added: &Amounts, removed: &Amounts) {
        let sum = amounts::difference(&amounts::sum(&self.capacity, added), removed).pruned();
        self.capacity = sum;
        self.queues[ROOT].max = if sum.positive() { sum } else { Amounts::NONE };
    }

    /// Changes the capacity without evicting any task.
    pub fn set_capacity(&mut self, node: NodeIx, capacity: &Amounts) {
        let previous = std::mem::replace(&mut self.nodes[node].capacity, capacity.pruned());
        self.grow(&capacity.pruned(), &previous);
        self.refresh(node);
    }

    /// Whether the resource manager excludes the node for the ask, regardless of free resources.
    pub fn refuses(&self, ask: AskIx, node: NodeIx) -> bool {
        self.nodes[node].cordoned || self.asks[ask].refuses.binary_search(&node).is_ok()
    }

    /// Sets whether the node accepts new allocations.
    pub fn set_schedulable(&mut self, node: NodeIx, schedulable: bool) {
        self.nodes[node].schedulable = schedulable;
        self.refresh(node);
    }

    /// Removes a node with its allocations.
    pub fn remove_node(&mut self, node: NodeIx) {
        self.drop_reservations_on(node);
        for ask in self.nodes[node].allocations.clone() {
            self.release(ask, ReleaseReason::NodeLost);
        }
        self.node_order.remove(node, self.nodes[node].score);
        self.nodes[node].exists = false;
        let capacity = self.nodes[node].capacity;
        self.grow(&Amounts::EMPTY, &capacity);
    }

    /// Drops the reservations on a node that is no longer schedulable.
    pub(super) fn drop_reservations_on(&mut self, node: NodeIx) {
        for ask in self.nodes[node].reserved.clone() {
            self.drop_reservation(ask);
        }
    }

    fn score(&self, node: NodeIx) -> f64 {
        let Node { capacity, available, .. } = &self.nodes[node];
        node_score(self.node_sort, &self.weights, capacity, available)
    }

    /// Recomputes the available resources, the score and the position of a node.
    fn refresh(&mut self, node: NodeIx) {
        let Node { capacity, allocated, score, .. } = &self.nodes[node];
        let old_score = *score;
        self.nodes[node].available = amounts::difference(capacity, allocated).pruned();
        let new_score = self.score(node);
        if !self.nodes[node].exists || new_score == old_score {
            return;
        }
        self.node_order.remove(node, old_score);
        self.nodes[node].score = new_score;
        self.node_order.insert(node, new_score);
    }

    /// Recomputes all scores after a change of the node sort policy.
    pub(super) fn score_all_nodes(&mut self) {
        for node in self.node_order.take() {
            self.nodes[node].score = self.score(node);
            self.node_order.insert(node, self.nodes[node].score);
        }
    }

    /// Adds an allocation to a node without any check.
    pub(super) fn put_on_node(&mut self, ask: AskIx, node: NodeIx) {
        let resource = self.asks[ask].resource;
        self.asks[ask].node = Some(node);
        let index = self.by_key(&self.nodes[node].allocations, ask);
        self.nodes[node].allocations.insert(index, ask);
        self.nodes[node].allocated.add(&resource);
        self.refresh(node);
    }

    /// Removes an allocation from its node.
    pub(super) fn take_off_node(&mut self, ask: AskIx) {
        let Some(node) = self.asks[ask].node else { return };
        let resource = self.asks[ask].resource;
        if let Some(index) = self.nodes[node].allocations.iter().position(|&other| other == ask) {
            self.nodes[node].allocations.remove(index);
            self.nodes[node].allocated.sub(&resource);
            self.refresh(node);
        }
    }

    /// Whether the ask can be placed on the node: not reserved by others, large enough, and within the maximum of every
    /// queue.
    pub(super) fn can_place(&self, ask: AskIx, node: NodeIx) -> bool {
        let resource = &self.asks[ask].resource;
        let candidate = &self.nodes[node];
        !self.refuses(ask, node)
            && (candidate.reserved.is_empty() || candidate.reserved.contains(&ask))
            && amounts::fits(&candidate.available, resource)
            && self.queues_take(ask)
    }

    fn queues_take(&self, ask: AskIx) -> bool {
        let resource = &self.asks[ask].resource;
        self.upwards(self.apps[self.asks[ask].app].queue).all(|q| {
            let queue = &self.queues[q];
            let is_root = queue.parent.is_none();
            resource.iter().all(|(type_ix, requested)| {
                let bound = is_root || queue.max.has(type_ix);
                !bound || requested.saturating_add(queue.allocated.get(type_ix)) <= queue.max.get(type_ix)
            })
        })
    }

    /// Places an ask on a node; the caller has checked [`Core::can_place`].
    pub(super) fn place(&mut self, ask: AskIx, node: NodeIx) {
        self.put_on_node(ask, node);
        self.no_longer_pending(ask);
        self.book(ask, false);
    }
}
