//! Reservations: nodes kept for asks that do not fit yet.
//!
//! # Rule
//! An ask holds at most one reservation, a node at most one, unless all of them are for asks that require this node. At
//! its start a cycle tries reserved asks, in every queue with pending asks, so that a reserved ask of low priority
//! takes a freed node first. Reservations of a queue without pending asks are never visited.
//!
//! # Source
//! yunikorn.md 3.7 to 3.9

use super::amounts::{self, Amounts};
use super::cycle::{CycleResult, ResultType};
use super::model::{App, AppIx, AppState, Ask, AskIx, Core, NodeIx, QueueIx};
use super::near_nodes::{LastFew, NearNodes};

/// Age in milliseconds at which a reservation without headroom is dropped.
const EXPIRY: i64 = 2 * 60 * 60_000;

impl Core {
    /// Stores a reservation, replacing an older one of the ask.
    pub(super) fn reserve(&mut self, ask: AskIx, node: NodeIx) {
        self.lose_reservation(ask);
        let app = self.asks[ask].app;
        self.asks[ask].reserved = Some(node);
        self.asks[ask].reserved_at = self.now;
        let index = self.by_key(&self.nodes[node].reserved, ask);
        self.nodes[node].reserved.insert(index, ask);
        let index = self.by_key(&self.apps[app].reservations, ask);
        self.apps[app].reservations.insert(index, ask);
        self.n_reservations += 1;
        let App { queue, id, .. } = &self.apps[app];
        let reserved = &self.queues[*queue].reserved;
        match reserved.iter().position(|(other, _)| *other == app) {
            Some(index) => self.queues[*queue].reserved[index].1 += 1,
            None => {
                let index = reserved.partition_point(|(other, _)| self.apps[*other].id < *id);
                self.queues[*queue].reserved.insert(index, (app, 1));
            }
        }
    }

    /// Drops the reservation of an ask and returns its node.
    pub(super) fn drop_reservation(&mut self, ask: AskIx) -> Option<NodeIx> {
        let node = self.asks[ask].reserved.take()?;
        let app = self.asks[ask].app;
        self.nodes[node].reserved.retain(|&other| other != ask);
        self.apps[app].reservations.retain(|&other| other != ask);
        self.n_reservations -= 1;
        let queue = self.apps[app].queue;
        let reserved = &mut self.queues[queue].reserved;
        if let Some(index) = reserved.iter().position(|(other, _)| *other == app) {
            reserved[index].1 -= 1;
            if reserved[index].1 == 0 {
                reserved.remove(index);
            }
        }
        Some(node)
    }

    /// Drops a reservation besides the result of the cycle.
    pub(super) fn lose_reservation(&mut self, ask: AskIx) {
        if let Some(node) = self.drop_reservation(ask) {
            self.unreserved.push((ask, node));
        }
    }

    /// Reservation stage of one leaf.
    pub(super) fn try_reserved(&mut self, leaf: QueueIx) -> Option<CycleResult> {
        let headroom = self.headroom(leaf);
        let apps: Vec<AppIx> = self.queues[leaf].reserved.iter().map(|(app, _)| *app).collect();
        for app in apps {
            if self.must_wait(app) {
                continue;
            }
            if let Some(result) = self.try_reservations(app, &headroom) {
                self.count_accepted(app);
                return Some(result);
            }
        }
        None
    }

    fn try_reservations(&mut self, app: AppIx, headroom: &Amounts) -> Option<CycleResult> {
        let user = self.user_headroom(app);
        let reserved = self.apps[app].reservations.clone();
        for &ask in &reserved {
            let Some(node) = self.asks[ask].reserved else { continue };
            if self.asks[ask].allocated {
                self.drop_reservation(ask);
                return Some(CycleResult::new(ResultType::Unreserved, ask, node, headroom));
            }
            if !self.within(ask, &user, headroom) {
                if self.now - self.asks[ask].reserved_at > EXPIRY {
                    self.drop_reservation(ask);
                    return Some(CycleResult::new(ResultType::Unreserved, ask, node, headroom));
                }
                continue;
            }
            let Ask { resource, triggered, .. } = self.asks[ask];
            let required = !self.asks[ask].required_node.is_empty();
            if required && !amounts::fits(&self.nodes[node].available, &resource) && !triggered {
                self.preempt_on_required_node(ask, node);
                continue;
            }
            if self.can_place(ask, node) {
                self.place(ask, node);
                self.drop_reservation(ask);
                let result = CycleResult::new(ResultType::AllocatedReserved, ask, node, headroom);
                return Some(CycleResult { room_was_kept: true, ..result });
            }
        }
        for &ask in &reserved {
            if self.asks[ask].required_node.is_empty()
                && self.within(ask, &user, headroom)
                && let Some((node, near)) = self.first_node(ask, |core, node| core.can_place(ask, node))
            {
                self.place(ask, node);
                self.drop_reservation(ask);
                let result = CycleResult::new(ResultType::AllocatedReserved, ask, node, headroom);
                return Some(CycleResult { near, ..result });
            }
        }
        None
    }

    /// Schedulable nodes without reservations, in order.
    pub(super) fn unreserved_nodes(&self) -> impl Iterator<Item = NodeIx> + '_ {
        let free = |&node: &NodeIx| self.nodes[node].schedulable && self.nodes[node].reserved.is_empty();
        self.node_order.iter().filter(free)
    }

    /// The first unreserved node, in order, that is large enough for the ask and takes it, with those near it if they
    /// are recorded.
    pub(super) fn first_node(
        &self,
        ask: AskIx,
        takes: impl Fn(&Core, NodeIx) -> bool,
    ) -> Option<(NodeIx, Option<NearNodes>)> {
        let resource = &self.asks[ask].resource;
        let mut unfit = LastFew::default();
        let mut nodes = self.unreserved_nodes();
        while let Some(node) = nodes.next() {
            if amounts::fits(&self.nodes[node].capacity, resource) && takes(self, node) {
                return Some((node, self.recording.then(|| self.near(ask, node, nodes, unfit))));
            }
            if self.recording {
                unfit.push(node);
            }
        }
        None
    }

    /// Whether the ask fits the headroom of its user and its queue.
    fn within(&self, ask: AskIx, user: &Amounts, headroom: &Amounts) -> bool {
        let resource = &self.asks[ask].resource;
        amounts::fits_undef(user, resource) && amounts::fits_undef(headroom, resource)
    }

    /// Whether the limit of running applications keeps an application from starting.
    pub(super) fn must_wait(&mut self, app: AppIx) -> bool {
        self.fix_group(app);
        self.apps[app].state == AppState::Accepted && !(self.can_run(app) && self.can_run_user(app))
    }

    /// Counts an application that is still Accepted after a result for `maxapplications`.
    pub(super) fn count_accepted(&mut self, app: AppIx) {
        if self.apps[app].state != AppState::Accepted {
            return;
        }
        let id = self.apps[app].id.clone();
        self.change_upwards(self.apps[app].queue, |queue| {
            if let Err(place) = queue.accepted.binary_search(&id) {
                queue.accepted.insert(place, id.clone());
            }
        });
    }

    fn can_run(&self, app: AppIx) -> bool {
        let App { queue, id, .. } = &self.apps[app];
        self.upwards(*queue).map(|q| &self.queues[q]).all(|q| {
            let counted = q.running + q.accepted.len() as u64 + 1;
            q.max_applications == 0 || q.accepted.binary_search(id).is_ok() || counted <= q.max_applications
        })
    }

    /// Tries the required node of an ask (3.9).
    pub(super) fn try_required_node(&mut self, ask: AskIx, headroom: &Amounts) -> Option<CycleResult> {
        let node = self.find_node(&self.asks[ask].required_node).filter(|&node| !self.nodes[node].down)?;
        for other in self.nodes[node].reserved.clone() {
            if self.asks[other].required_node.is_empty() {
                self.lose_reservation(other);
            }
        }
        let was_reserved = self.asks[ask].reserved.is_some();
        // Several asks that require the same node may all reserve it.
        if amounts::fits(&self.nodes[node].available, &self.asks[ask].resource) && self.can_place(ask, node) {
            self.place(ask, node);
            self.drop_reservation(ask);
            let kind = if was_reserved { ResultType::AllocatedReserved } else { ResultType::Allocated };
            return Some(CycleResult::new(kind, ask, node, headroom));
        }
        if was_reserved {
            return None;
        }
        if !amounts::fits(&self.nodes[node].capacity, &self.asks[ask].resource) {
            return Some(CycleResult::new(ResultType::Idle, ask, node, headroom));
        }
        self.reserve(ask, node);
        Some(CycleResult::new(ResultType::Reserved, ask, node, headroom))
    }
}
