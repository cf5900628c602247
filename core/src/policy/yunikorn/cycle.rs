//! Scheduling cycle: reservations first, then placeholders, then all other asks; at most one result.
//!
//! # Rule
//! From the root down, children with pending asks are tried by priority and share; in a leaf, applications by priority
//! and submission or usage; in an application, asks by priority and age. The first result ends the cycle. Nothing
//! blocks: an ask that cannot be placed is skipped, and only a reservation keeps a node for it.
//!
//! # Source
//! yunikorn.md 3.1 to 3.7

use super::amounts::{self, Amounts};
use super::model::{App, AppIx, AppState, Ask, AskIx, Core, NodeIx, Queue, QueueIx, ROOT, Skip};
use super::near_nodes::{LastFew, NearNodes};
use super::properties::SortPolicy;
use super::shares::{
    ComparedApp, ComparedQueue, Share, fair_share, reservation_score, sort_apps, sort_queues, usage_shares,
};

/// Maximum number of preemption attempts of a leaf per cycle.
const PREEMPTION_ATTEMPTS: u32 = 10;
/// Nanoseconds per millisecond: delays of the configuration are finer than the clock.
pub(super) const NANOS: i64 = 1_000_000;

/// Stage of the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Asks with a reservation.
    Reserved,
    /// Real asks that replace placeholders.
    Placeholder,
    /// All other asks.
    Normal,
}

/// Type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// The ask was placed.
    Allocated,
    /// The ask was placed and its reservation released.
    AllocatedReserved,
    /// The ask replaces a placeholder.
    Replaced,
    /// The ask reserved a node.
    Reserved,
    /// The cycle ends without a result: victims were marked for an ask whose node is reserved already, or an ask
    /// requires a node that can never take it.
    Idle,
    /// An obsolete reservation was dropped.
    Unreserved,
}

/// Result of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleResult {
    /// Stage that gave the result.
    pub stage: Stage,
    /// Type of the result.
    pub kind: ResultType,
    pub ask: AskIx,
    pub node: NodeIx,
    /// Headroom of the leaf before the result.
    pub headroom: Amounts,
    /// The replaced placeholder.
    pub placeholder: Option<AskIx>,
    /// The room on the node was kept for the ask by its reservation or its placeholder.
    pub room_was_kept: bool,
    /// Tasks marked for eviction.
    pub victims: Vec<AskIx>,
    /// Other nodes in the order, if they are recorded.
    pub near: Option<NearNodes>,
}

impl CycleResult {
    pub(super) fn new(kind: ResultType, ask: AskIx, node: NodeIx, headroom: &Amounts) -> CycleResult {
        let stage = Stage::Normal;
        CycleResult {
            stage,
            kind,
            ask,
            node,
            headroom: *headroom,
            placeholder: None,
            room_was_kept: false,
            victims: Vec::new(),
            near: None,
        }
    }
}

impl Core {
    /// Runs one cycle.
    pub fn cycle(&mut self) -> Option<CycleResult> {
        self.marked.clear();
        self.marked_for.clear();
        self.unreserved.clear();
        self.tried.clear();
        if self.queues[ROOT].max.is_none() {
            return None;
        }
        let mut dropped = None;
        if self.n_reservations > 0 && self.queues[ROOT].pending.positive() {
            let result = self.descend(ROOT, Stage::Reserved, &mut Core::try_reserved);
            match result {
                Some(result) if result.kind == ResultType::Unreserved => dropped = Some(result),
                Some(result) => return Some(result),
                None => {}
            }
        }
        let mut result = None;
        if self.n_placeholders > 0 && self.queues[ROOT].pending.positive() {
            result = self.descend(ROOT, Stage::Placeholder, &mut Core::try_placeholders);
        }
        if result.is_none() && self.queues[ROOT].pending.positive() {
            result = self.descend(ROOT, Stage::Normal, &mut Core::try_leaf);
        }
        match (result, dropped) {
            (None, dropped) => dropped,
            (result, Some(dropped)) => {
                self.unreserved.insert(0, (dropped.ask, dropped.node));
                result
            }
            (result, None) => result,
        }
    }

    fn descend(
        &mut self,
        ix: QueueIx,
        stage: Stage,
        leaf: &mut dyn FnMut(&mut Core, QueueIx) -> Option<CycleResult>,
    ) -> Option<CycleResult> {
        if self.queues[ix].is_leaf {
            return leaf(self, ix).map(|result| CycleResult { stage, ..result });
        }
        for child in self.sorted_children(ix) {
            let result = self.descend(child, stage, leaf);
            if result.is_some() {
                return result;
            }
        }
        None
    }

    /// Fair maximum of a queue from its own maximum and those of its ancestors (4.1); that of a child takes precedence.
    pub fn fair_max(&self, queue: QueueIx) -> Amounts {
        let max = &self.queues[queue].max;
        let Some(parent) = self.queues[queue].parent else { return *max };
        let above = self.fair_max(parent);
        if max.is_empty() || above.is_empty() { above } else { amounts::overwritten(&above, max) }
    }

    /// Share by which a queue is compared with its siblings.
    pub fn share(&self, queue: QueueIx) -> Share {
        let Queue { allocated, guaranteed, .. } = &self.queues[queue];
        fair_share(allocated, guaranteed, &self.fair_max(queue))
    }

    /// Children with pending asks, by name, with their sort keys.
    pub fn contenders(&self, parent: QueueIx) -> (Vec<QueueIx>, Vec<ComparedQueue>) {
        let pending = |&child: &QueueIx| self.queues[child].pending.positive();
        let children: Vec<QueueIx> = self.queues[parent].children.iter().copied().filter(pending).collect();
        if children.len() < 2 {
            return (children, Vec::new());
        }
        let contender = |&child: &QueueIx| {
            let Queue { allocated, guaranteed, pending, .. } = self.queues[child];
            let effective = self.queues[child].effective();
            ComparedQueue { effective, allocated, guaranteed, pending, fair_max: self.fair_max(child) }
        };
        let contenders = children.iter().map(contender).collect();
        (children, contenders)
    }

    /// Children with pending asks, in the order in which they are tried (3.2).
    pub fn sorted_children(&self, parent: QueueIx) -> Vec<QueueIx> {
        let (children, contenders) = self.contenders(parent);
        if contenders.is_empty() {
            return children;
        }
        let order = sort_queues(&contenders, self.queues[parent].properties.sort_priority);
        order.into_iter().map(|i| children[i]).collect()
    }

    /// Applications with pending asks, in the order in which they are tried (3.4).
    pub fn sorted_apps(&self, leaf: QueueIx) -> Vec<AppIx> {
        let queue = &self.queues[leaf];
        let pending = |&app: &AppIx| self.apps[app].pending.positive();
        let apps: Vec<AppIx> = queue.apps.iter().copied().filter(pending).collect();
        if apps.len() < 2 {
            return apps;
        }
        let fair = queue.properties.sort_policy == SortPolicy::Fair;
        let shared = |&app: &AppIx| {
            let App { priority, submitted, ref allocated, .. } = self.apps[app];
            ComparedApp { priority, submitted, usage: usage_shares(allocated, &queue.guaranteed) }
        };
        let shared: Vec<ComparedApp> = apps.iter().map(shared).collect();
        let order = sort_apps(&shared, fair, queue.properties.sort_priority);
        order.into_iter().map(|i| apps[i]).collect()
    }

    /// Headroom of a queue (3.6); *none* is unlimited.
    pub fn headroom(&self, queue: QueueIx) -> Amounts {
        let Some(parent) = self.queues[queue].parent else { return self.room(queue) };
        amounts::min_union(&self.room(queue), &self.headroom(parent))
    }

    fn room(&self, queue: QueueIx) -> Amounts {
        amounts::sub_existing(&self.queues[queue].max, &self.queues[queue].allocated)
    }

    fn try_leaf(&mut self, leaf: QueueIx) -> Option<CycleResult> {
        let headroom = self.headroom(leaf);
        let mut attempts = PREEMPTION_ATTEMPTS;
        for app in self.sorted_apps(leaf) {
            self.advance_cursor(app);
            if self.must_wait(app) {
                self.skip_app(app, Skip::MaxApplications);
            } else if self.now.saturating_mul(NANOS) < self.apps[app].backoff_until {
                self.skip_app(app, Skip::Backoff);
            } else if let Some(result) = self.try_app(app, &headroom, &mut attempts) {
                self.count_accepted(app);
                return Some(result);
            }
        }
        None
    }

    fn skip_app(&mut self, app: AppIx, why: Skip) {
        if self.recording {
            let App { requests, cursor, .. } = &self.apps[app];
            self.tried.extend(requests[*cursor..].iter().filter(|&&r| !self.asks[r].allocated).map(|&r| (r, why)));
        }
    }

    fn try_app(&mut self, app: AppIx, headroom: &Amounts, attempts: &mut u32) -> Option<CycleResult> {
        let user = self.user_headroom(app);
        let properties = self.queues[self.apps[app].queue].properties;
        let mut unplaced = 0;
        let mut i = self.apps[app].cursor;
        while let Some(&ask) = self.apps[app].requests.get(i) {
            i += 1;
            if properties.backoff > 0 && unplaced >= properties.backoff {
                let until = self.now.saturating_mul(NANOS).saturating_add(properties.backoff_delay);
                self.apps[app].backoff_until = until;
                return None;
            }
            if self.asks[ask].allocated {
                continue;
            }
            match self.try_ask(ask, &user, headroom, attempts) {
                Ok(result) => return Some(result),
                Err(why) => {
                    unplaced += u64::from(why == Skip::NoNode);
                    if self.recording {
                        self.tried.push((ask, why));
                    }
                }
            }
        }
        None
    }

    fn try_ask(
        &mut self,
        ask: AskIx,
        user: &Amounts,
        headroom: &Amounts,
        attempts: &mut u32,
    ) -> Result<CycleResult, Skip> {
        if self.is_replaceable(ask) {
            return Err(Skip::Replaceable);
        }
        let resource = self.asks[ask].resource;
        if !amounts::fits_undef(user, &resource) {
            return Err(Skip::UserQuota);
        }
        if !amounts::fits_undef(headroom, &resource) {
            let result = self.try_preemption(ask, headroom, attempts, false);
            return result.ok_or(Skip::QueueHeadroom);
        }
        if !self.asks[ask].required_node.is_empty() {
            return self.try_required_node(ask, headroom).ok_or(Skip::RequiredNode);
        }
        if let Some(result) = self.try_nodes(ask, headroom) {
            return Ok(result);
        }
        self.try_preemption(ask, headroom, attempts, true).ok_or(Skip::NoNode)
    }

    /// Tries nodes in order: allocates on the first that takes the ask, or reserves the best one (3.7).
    fn try_nodes(&mut self, ask: AskIx, headroom: &Amounts) -> Option<CycleResult> {
        let Ask { resource, reserved, created, .. } = self.asks[ask];
        let may_reserve = reserved.is_none() && self.now - created > self.settings.reservation_delay;
        let mut best: Option<(f64, NodeIx)> = None;
        let mut placed = None;
        let mut unfit = LastFew::default();
        let mut nodes = self.unreserved_nodes();
        while let Some(node) = nodes.next() {
            let candidate = &self.nodes[node];
            let is_open = !self.refuses(ask, node) && amounts::fits(&candidate.capacity, &resource);
            if is_open && self.can_place(ask, node) {
                let near = self.recording.then(|| self.near(ask, node, &mut nodes, unfit));
                placed = Some((node, near));
                break;
            }
            if self.recording {
                unfit.push(node);
            }
            if is_open && may_reserve {
                let score = reservation_score(&resource, &candidate.available);
                if best.is_none_or(|(least, _)| score < least) {
                    best = Some((score, node));
                }
            }
        }
        drop(nodes);
        if let Some((node, near)) = placed {
            self.place(ask, node);
            let kind = match self.drop_reservation(ask) {
                Some(_) => ResultType::AllocatedReserved,
                None => ResultType::Allocated,
            };
            return Some(CycleResult { near, ..CycleResult::new(kind, ask, node, headroom) });
        }
        let (_, node) = best?;
        self.reserve(ask, node);
        Some(CycleResult::new(ResultType::Reserved, ask, node, headroom))
    }

    /// Live applications, by id.
    pub fn live_apps(&self) -> impl Iterator<Item = &App> {
        self.apps_by_id.iter().map(|&app| &self.apps[app]).filter(|app| app.state != AppState::Gone)
    }
}
