//! Life cycle of applications and asks: submission, allocation, release, and application states.
//!
//! # Rule
//! An application is New until its first ask, Accepted until a real ask (or its whole gang) is allocated, then Running;
//! with nothing pending and nothing allocated it is Completing, and is removed 30 s later. Every change of the
//! outstanding asks updates the priority of the application and of all queues above it, and the pending sums on the
//! whole path.
//!
//! # Source
//! yunikorn.md 1.7, 1.8, 2.3, 3.5, 7

use super::amounts::{self, Amounts};
use super::model::{App, AppIx, AppState, Ask, AskIx, Core, NodeIx, QueueIx, TaskGroup};
use super::priority::MIN;
use super::properties::SortPolicy;

/// Duration of the state Completing, in milliseconds.
const COMPLETING: i64 = 30_000;
/// Default placeholder timeout, in milliseconds.
const PLACEHOLDER_TIMEOUT: i64 = 15 * 60_000;

/// An application at submission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewApp {
    pub id: String,
    /// Requested queue.
    pub queue: String,
    /// User who submits it.
    pub user: String,
    /// Groups of the user.
    pub groups: Vec<String>,
    /// Total request of the gang; *none* or zeros without a gang.
    pub placeholder_ask: Amounts,
    /// Gang style after a placeholder timeout: Hard (`true`) fails the application, Soft resumes it.
    pub hard: bool,
    /// Placeholder timeout in milliseconds; 0 or less for the default.
    pub timeout: i64,
}

/// Reason for which an allocation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseReason {
    /// The task completed or was preempted.
    Over,
    /// The core released a placeholder; its ask stays as a ghost.
    Timeout,
    /// The node was removed; the ask stays as a ghost.
    NodeLost,
}

enum Event {
    Run,
    Complete,
    Fail,
}

impl Core {
    /// Finds a live application by id.
    pub fn find_app(&self, id: &str) -> Option<AppIx> {
        let index = self.apps_by_id.binary_search_by(|&a| self.apps[a].id.as_str().cmp(id)).ok()?;
        Some(self.apps_by_id[index])
    }

    /// Finds an ask of the application by key.
    pub fn find_ask(&self, app: AppIx, key: &str) -> Option<AskIx> {
        let asks = &self.apps[app].asks;
        let index = asks.binary_search_by(|&a| self.asks[a].key.as_str().cmp(key)).ok()?;
        Some(asks[index])
    }

    /// Adds an application; returns `false` if it is rejected.
    pub fn add_app(&mut self, new: NewApp) -> bool {
        if self.find_app(&new.id).is_some() {
            return false;
        }
        let Some(queue) = self.place_app(&new.queue, &new.user, &new.groups) else { return false };
        if !new.placeholder_ask.is_zero() && !self.takes_gang(queue, &new.placeholder_ask) {
            return false;
        }
        let app = App {
            id: new.id,
            queue,
            user: new.user,
            groups: new.groups,
            submitted: self.now,
            placeholder_ask: new.placeholder_ask,
            hard: new.hard,
            timeout: if new.timeout > 0 { new.timeout } else { PLACEHOLDER_TIMEOUT },
            backoff_until: i64::MIN,
            priority: MIN,
            ..App::default()
        };
        let ix = match self.free_apps.pop() {
            Some(free) => {
                self.apps[free] = app;
                free
            }
            None => {
                self.apps.push(app);
                self.apps.len() - 1
            }
        };
        let is_earlier = |&other: &AppIx| self.apps[other].id < self.apps[ix].id;
        let (all, in_queue) =
            (self.apps_by_id.partition_point(is_earlier), self.queues[queue].apps.partition_point(is_earlier));
        self.apps_by_id.insert(all, ix);
        self.queues[queue].apps.insert(in_queue, ix);
        true
    }

    fn takes_gang(&self, queue: QueueIx, gang: &Amounts) -> bool {
        let mut max = Amounts::NONE;
        for q in self.upwards(queue).filter(|&q| self.queues[q].parent.is_some()) {
            max = amounts::min_union(&self.queues[q].max, &max);
        }
        self.queues[queue].properties.sort_policy == SortPolicy::Fifo && amounts::fits_undef(&max, gang)
    }

    /// Removes an application with its asks and allocations.
    pub fn remove_app(&mut self, app: AppIx) {
        self.remove_all_asks(app);
        self.fire(app, Event::Complete, true);
        let allocations = std::mem::take(&mut self.apps[app].allocations);
        for &ask in &allocations {
            let resource = self.asks[ask].resource;
            self.use_less(app, &resource, true);
            self.take_off_node(ask);
            self.return_to_queue(ask);
            self.n_placeholders -= usize::from(self.asks[ask].placeholder);
        }
        self.releasing.retain(|ask| !allocations.contains(ask));
        self.free_asks.extend(allocations);
        self.leave(app);
    }

    /// Adds an ask, pending or already allocated on `node`; returns `false` if it is rejected.
    pub fn add_ask(&mut self, new: Ask, node: Option<NodeIx>) -> bool {
        if !new.resource.positive() {
            return false;
        }
        let app = new.app;
        let existing = self.find_ask(app, &new.key);
        if let Some(ask) = existing {
            let Some(node) = node.filter(|_| !self.asks[ask].allocated) else { return false };
            self.no_longer_pending(ask);
            self.put_on_node(ask, node);
            self.book(ask, false);
            return true;
        }
        self.apps[app].submitted = self.apps[app].submitted.min(new.created);
        let ask = self.store(new);
        match node {
            Some(node) => {
                if self.apps[app].state == AppState::New {
                    self.fire(app, Event::Run, false);
                }
                self.asks[ask].allocated = true;
                self.put_on_node(ask, node);
                self.book(ask, false);
            }
            None => {
                self.insert_request(app, ask);
                if matches!(self.apps[app].state, AppState::New | AppState::Completing) {
                    self.fire(app, Event::Run, false);
                }
                self.count_placeholder(ask);
                let Ask { priority, resource, .. } = self.asks[ask];
                if priority > self.apps[app].priority {
                    self.apps[app].priority = priority;
                    self.push_priority(self.apps[app].queue);
                }
                self.apps[app].pending.add(&resource);
                self.change_upwards(self.apps[app].queue, |queue| queue.pending.add(&resource));
            }
        }
        true
    }

    fn count_placeholder(&mut self, ask: AskIx) {
        let Ask { app, placeholder, ref task_group, .. } = self.asks[ask];
        if !placeholder {
            return;
        }
        let groups = &mut self.apps[app].groups_of_tasks;
        match groups.iter_mut().find(|group| group.name == *task_group) {
            Some(group) => group.count += 1,
            None => {
                let index = groups.partition_point(|group| group.name < *task_group);
                groups.insert(index, TaskGroup { name: task_group.clone(), count: 1, ..TaskGroup::default() });
            }
        }
    }

    fn store(&mut self, new: Ask) -> AskIx {
        let app = new.app;
        let ix = match self.free_asks.pop() {
            Some(free) => {
                self.asks[free] = new;
                free
            }
            None => {
                self.asks.push(new);
                self.asks.len() - 1
            }
        };
        let index = self.by_key(&self.apps[app].asks, ix);
        self.apps[app].asks.insert(index, ix);
        ix
    }

    /// Index of an ask, or its insertion index, in a list ordered by key.
    pub(super) fn by_key(&self, list: &[AskIx], ask: AskIx) -> usize {
        // Keys usually arrive in order.
        match list.last() {
            Some(&last) if self.asks[last].key < self.asks[ask].key => list.len(),
            _ => list.partition_point(|&other| self.asks[other].key < self.asks[ask].key),
        }
    }

    /// Inserts a request (3.5): equals keep their order only while they are appended.
    fn insert_request(&mut self, app: AppIx, ask: AskIx) {
        let new_ask = &self.asks[ask];
        let requests = &self.apps[app].requests;
        let is_later = |other: &Ask| {
            new_ask.priority < other.priority || new_ask.priority == other.priority && new_ask.created >= other.created
        };
        let index = match requests.last() {
            None => 0,
            Some(&last) if is_later(&self.asks[last]) => requests.len(),
            Some(_) => {
                let is_earlier = |&e: &AskIx| {
                    let e = &self.asks[e];
                    e.priority > new_ask.priority || e.priority == new_ask.priority && e.created < new_ask.created
                };
                requests.partition_point(is_earlier)
            }
        };
        let app = &mut self.apps[app];
        app.requests.insert(index, ask);
        app.cursor = app.cursor.min(index);
    }

    /// Removes a pending ask or a ghost.
    pub fn remove_ask(&mut self, ask: AskIx) {
        let app = self.asks[ask].app;
        self.drop_ask(ask);
        self.complete_if_done(app);
    }

    fn complete_if_done(&mut self, app: AppIx) {
        let App { state, placeholder, .. } = &self.apps[app];
        if !matches!(state, AppState::Failing | AppState::Completing)
            && placeholder.is_zero()
            && self.holds_nothing(app)
        {
            self.fire(app, Event::Complete, false);
        }
    }

    fn holds_nothing(&self, app: AppIx) -> bool {
        self.apps[app].pending.is_zero() && self.apps[app].allocated.is_zero()
    }

    /// Removes an ask from the lists of its application.
    fn drop_ask(&mut self, ask: AskIx) {
        self.drop_reservation(ask);
        let Ask { app, priority, resource, allocated, .. } = self.asks[ask];
        if !allocated {
            self.apps[app].pending.sub(&resource);
        }
        let key = self.by_key(&self.apps[app].asks, ask);
        let owner = &mut self.apps[app];
        owner.asks.remove(key);
        if let Some(index) = owner.requests.iter().position(|&r| r == ask) {
            owner.requests.remove(index);
            owner.cursor -= usize::from(index < owner.cursor);
        }
        if priority >= owner.priority {
            self.recompute_priority(app);
        }
        if !allocated {
            self.reduce_pending(self.apps[app].queue, &resource);
        }
        self.releasing.retain(|&r| r != ask);
        self.free_asks.push(ask);
    }

    /// Removes every ask, allocated ones included; allocations stay on their nodes.
    fn remove_all_asks(&mut self, app: AppIx) {
        for ask in self.apps[app].reservations.clone() {
            self.drop_reservation(ask);
        }
        let pending = std::mem::take(&mut self.apps[app].pending);
        let owner = &mut self.apps[app];
        owner.cursor = 0;
        owner.requests.clear();
        let asks = std::mem::take(&mut owner.asks);
        owner.priority = MIN;
        let allocations = owner.allocations.clone();
        self.free_asks.extend(asks.into_iter().filter(|ask| !allocations.contains(ask)));
        self.push_priority(self.apps[app].queue);
        self.reduce_pending(self.apps[app].queue, &pending);
        self.complete_if_done(app);
    }

    /// Recomputes the largest priority of the outstanding asks; pushes it up even if it stays equal.
    pub(super) fn recompute_priority(&mut self, app: AppIx) {
        self.advance_cursor(app);
        let App { requests, cursor, queue, .. } = &self.apps[app];
        let first = requests.get(*cursor).map_or(MIN, |&ask| self.asks[ask].priority);
        let queue = *queue;
        self.apps[app].priority = first;
        self.push_priority(queue);
    }

    /// Moves the cursor past allocated requests.
    pub(super) fn advance_cursor(&mut self, app: AppIx) {
        let App { requests, cursor, .. } = &self.apps[app];
        let n_more = requests[*cursor..].iter().take_while(|&&ask| self.asks[ask].allocated).count();
        self.apps[app].cursor += n_more;
    }

    /// Recomputes the priority of a leaf and of all queues above it.
    pub(super) fn push_priority(&mut self, leaf: QueueIx) {
        let apps = &self.queues[leaf].apps;
        self.queues[leaf].raw = apps.iter().map(|&app| self.apps[app].priority).max().unwrap_or(MIN);
        let mut ix = leaf;
        while let Some(parent) = self.queues[ix].parent {
            self.queues[ix].pushed = self.queues[ix].effective();
            let children = &self.queues[parent].children;
            self.queues[parent].raw = children.iter().map(|&child| self.queues[child].pushed).max().unwrap_or(MIN);
            ix = parent;
        }
    }

    fn reduce_pending(&mut self, leaf: QueueIx, amount: &Amounts) {
        self.change_upwards(leaf, |queue| queue.pending.sub_pruned(amount));
    }

    /// Marks a pending ask as allocated and updates the pending sums.
    pub(super) fn no_longer_pending(&mut self, ask: AskIx) {
        self.asks[ask].allocated = true;
        let Ask { app, priority, resource, .. } = self.asks[ask];
        if priority >= self.apps[app].priority {
            self.recompute_priority(app);
        }
        self.apps[app].pending.sub(&resource);
        self.reduce_pending(self.apps[app].queue, &resource);
    }

    /// Counts an allocation on a node for its queues, application and user.
    pub(super) fn book(&mut self, ask: AskIx, replaces: bool) {
        let Ask { app, resource, placeholder, .. } = self.asks[ask];
        if !replaces {
            self.change_upwards(self.apps[app].queue, |queue| queue.allocated.add(&resource));
        }
        if placeholder {
            self.n_placeholders += 1;
            if self.apps[app].placeholder.is_zero() && self.apps[app].state == AppState::Accepted {
                let due = self.now.saturating_add(self.apps[app].timeout);
                self.apps[app].placeholder_due.get_or_insert(due);
            }
            self.use_more(app, &resource);
            self.apps[app].placeholder.add(&resource);
            if amounts::equal(&self.apps[app].placeholder, &self.apps[app].placeholder_ask) {
                self.fire(app, Event::Run, false);
            }
        } else {
            // For the first replacement, the placeholders have set the state already.
            if !replaces || !self.apps[app].allocated.is_zero() || self.apps[app].state == AppState::Completing {
                self.fire(app, Event::Run, false);
            }
            self.use_more(app, &resource);
            self.apps[app].allocated.add(&resource);
        }
        let index = self.by_key(&self.apps[app].allocations, ask);
        self.apps[app].allocations.insert(index, ask);
    }

    /// Subtracts an allocation from its queues.
    fn return_to_queue(&mut self, ask: AskIx) {
        let Ask { app, resource, preempted, .. } = self.asks[ask];
        self.change_upwards(self.apps[app].queue, |queue| {
            queue.allocated.sub_pruned(&resource);
            if preempted {
                queue.preempting.sub_pruned(&resource);
            }
        });
    }

    /// Ends an allocation.
    pub fn release(&mut self, ask: AskIx, ending: ReleaseReason) {
        let app = self.asks[ask].app;
        self.take_off_node(ask);
        self.return_to_queue(ask);
        self.take_off_app(ask, true);
        if self.apps[app].state == AppState::Gone {
            return;
        }
        match ending {
            ReleaseReason::NodeLost | ReleaseReason::Timeout if self.is_listed(ask) => {
                self.releasing.retain(|&r| r != ask)
            }
            _ if self.is_listed(ask) => self.remove_ask(ask),
            _ => self.free_asks.push(ask),
        }
    }

    /// Whether the application still lists the ask; after a gang timeout it lists none.
    pub(super) fn is_listed(&self, ask: AskIx) -> bool {
        let Ask { app, ref key, .. } = self.asks[ask];
        self.find_ask(app, key) == Some(ask)
    }

    /// Removes an allocation from its application, which may change the state; `lost`: it is not replaced.
    pub(super) fn take_off_app(&mut self, ask: AskIx, is_lost: bool) {
        let Ask { app, resource, placeholder, ref task_group, .. } = self.asks[ask];
        if let Some(group) = self.apps[app].task_group(task_group).filter(|_| placeholder && is_lost) {
            group.timed_out += 1;
        }
        let index = self.by_key(&self.apps[app].allocations, ask);
        self.apps[app].allocations.remove(index);
        let mut event = None;
        if placeholder {
            self.n_placeholders -= 1;
            let owner = &mut self.apps[app];
            owner.placeholder.sub(&resource);
            if owner.placeholder.is_zero() {
                owner.placeholder_due = None;
                let state = owner.state;
                event = match state {
                    AppState::Failing => Some(Event::Fail),
                    AppState::Resuming => Some(Event::Run),
                    _ if self.holds_nothing(app) => Some(Event::Complete),
                    _ => None,
                };
            }
        } else {
            let owner = &mut self.apps[app];
            owner.allocated.sub_pruned(&resource);
            event = self.holds_nothing(app).then_some(Event::Complete);
        }
        let last = matches!(event, Some(Event::Complete | Event::Fail));
        self.use_less(app, &resource, last);
        if let Some(event) = event {
            self.fire(app, event, false);
        }
    }

    /// Applies an event to the state; `removed`: the application is removed by command, not by completion.
    fn fire(&mut self, app: AppIx, event: Event, removed: bool) {
        let next = match (event, self.apps[app].state) {
            (Event::Run, AppState::New | AppState::Resuming) => AppState::Accepted,
            (Event::Run, AppState::Accepted | AppState::Completing) => AppState::Running,
            (Event::Complete, AppState::Accepted | AppState::Running) => AppState::Completing,
            (Event::Complete, AppState::Completing) if !removed => AppState::Gone,
            (Event::Fail, AppState::New | AppState::Accepted | AppState::Running) => AppState::Failing,
            (Event::Fail, AppState::Failing) => AppState::Gone,
            _ => return,
        };
        self.enter(app, next);
        if next == AppState::Gone {
            self.leave(app);
        }
    }

    fn enter(&mut self, app: AppIx, next: AppState) {
        let was = std::mem::replace(&mut self.apps[app].state, next);
        self.apps[app].completing_due = (next == AppState::Completing).then(|| self.now + COMPLETING);
        let id = self.apps[app].id.clone();
        self.change_upwards(self.apps[app].queue, |queue| {
            if was == AppState::Running {
                queue.running = queue.running.saturating_sub(1);
            }
            if next == AppState::Running {
                let cap = if queue.max_applications > 0 { queue.max_applications } else { u64::MAX };
                queue.running = (queue.running + 1).min(cap);
                queue.accepted.retain(|other| *other != id);
            }
        });
    }

    /// Handles a gang timeout: the application fails or continues without the gang.
    pub(super) fn time_out_gang(&mut self, app: AppIx) {
        if self.apps[app].hard {
            self.fire(app, Event::Fail, false);
        } else if matches!(self.apps[app].state, AppState::New | AppState::Accepted) {
            self.enter(app, AppState::Resuming);
        }
        let (pending, groups): (Vec<String>, Vec<String>) = self.apps[app]
            .asks
            .iter()
            .map(|&ask| &self.asks[ask])
            .filter(|ask| !ask.allocated)
            .map(|ask| (ask.key.clone(), ask.task_group.clone()))
            .unzip();
        for name in groups {
            if let Some(group) = self.apps[app].task_group(&name) {
                group.timed_out += 1;
            }
        }
        self.timed_out.extend(pending);
        self.remove_all_asks(app);
    }

    /// Removes the application from its queue. The ancestors' sets of accepted applications keep it.
    fn leave(&mut self, app: AppIx) {
        let queue = self.apps[app].queue;
        self.apps[app].state = AppState::Gone;
        for ask in self.apps[app].reservations.clone() {
            self.drop_reservation(ask);
        }
        let id = std::mem::take(&mut self.apps[app].id);
        self.queues[queue].accepted.retain(|other| *other != id);
        self.queues[queue].apps.retain(|&other| other != app);
        self.apps_by_id.retain(|&other| other != app);
        let ghosts = std::mem::take(&mut self.apps[app].asks);
        self.free_asks.extend(ghosts);
        self.apps[app].requests.clear();
        self.push_priority(queue);
        self.free_apps.push(app);
    }

    /// Removes an application whose time in Completing is over.
    pub fn end_completing(&mut self, app: AppIx) {
        if self.apps[app].placeholder.is_zero() {
            self.fire(app, Event::Complete, false);
        } else {
            self.apps[app].completing_due = None;
            self.request_release_of_placeholders(app, false);
        }
    }
}
