//! Gang scheduling: placeholders hold resources until real asks replace them.
//!
//! # Rule
//! A real ask of a task group replaces the first unreplaced placeholder of the group that is at least as large, on its
//! node; if that node is gone, on another node, and the placeholder is released all the same. A smaller placeholder is
//! released on the way. Placeholders that time out are released; the gang style decides what happens to the
//! application.
//!
//! # Source
//! yunikorn.md 7
//!
//! # Differs
//! a replacement is confirmed right after the cycle, by [`Core::confirm_replacement`]

use super::amounts::{self, Amounts};
use super::apps::ReleaseReason;
use super::cycle::{CycleResult, ResultType};
use super::model::{App, AppIx, AppState, Ask, AskIx, Core, NodeIx, QueueIx};

impl Core {
    /// Whether the task group of a real ask still has placeholders to replace; the normal stage skips such asks.
    pub(super) fn is_replaceable(&self, ask: AskIx) -> bool {
        let Ask { app, placeholder, ref task_group, .. } = self.asks[ask];
        if placeholder || task_group.is_empty() {
            return false;
        }
        let group = self.apps[app].groups_of_tasks.iter().find(|group| group.name == *task_group);
        group.is_some_and(|group| group.count > group.replaced + group.timed_out)
    }

    /// Placeholder stage of one leaf.
    pub(super) fn try_placeholders(&mut self, leaf: QueueIx) -> Option<CycleResult> {
        let headroom = self.headroom(leaf);
        let apps = self.sorted_apps(leaf);
        let mut with = apps.into_iter().filter(|&app| !self.apps[app].placeholder.is_zero()).collect::<Vec<_>>();
        with.drain(..).find_map(|app| self.try_replace(app, &headroom))
    }

    fn try_replace(&mut self, app: AppIx, headroom: &Amounts) -> Option<CycleResult> {
        let mut first_fit = None;
        let held_asks: Vec<AskIx> =
            self.apps[app].allocations.iter().copied().filter(|&a| self.asks[a].placeholder).collect();
        for ask in self.apps[app].requests.clone() {
            let real = &self.asks[ask];
            if real.placeholder || real.allocated || real.task_group.is_empty() {
                continue;
            }
            for &placeholder in &held_asks {
                let (real, holder) = (&self.asks[ask], &self.asks[placeholder]);
                if holder.released || holder.preempted || holder.task_group != real.task_group {
                    continue;
                }
                if amounts::difference(&holder.resource, &real.resource).has_negative() {
                    self.request_release(placeholder);
                    continue;
                }
                let node = holder.node.filter(|&node| self.nodes[node].exists && !self.refuses(ask, node));
                first_fit = first_fit.or(Some((ask, placeholder)));
                if let Some(node) = node {
                    return Some(self.replace(ask, placeholder, node, headroom));
                }
            }
        }
        let (ask, placeholder) = first_fit?;
        let resource = self.asks[ask].resource;
        let (node, near) = self.first_node(ask, |core, node| {
            !core.refuses(ask, node) && amounts::fits(&core.nodes[node].available, &resource)
        })?;
        Some(CycleResult { near, ..self.replace(ask, placeholder, node, headroom) })
    }

    fn replace(&mut self, ask: AskIx, placeholder: AskIx, node: NodeIx, headroom: &Amounts) -> CycleResult {
        self.lose_reservation(ask);
        self.no_longer_pending(ask);
        let room_was_kept = self.asks[placeholder].node == Some(node);
        if room_was_kept {
            self.asks[ask].node = Some(node);
        } else {
            self.put_on_node(ask, node);
        }
        self.asks[placeholder].released = true;
        CycleResult {
            placeholder: Some(placeholder),
            room_was_kept,
            ..CycleResult::new(ResultType::Replaced, ask, node, headroom)
        }
    }

    /// Confirms that the real ask has replaced the placeholder.
    pub fn confirm_replacement(&mut self, ask: AskIx, placeholder: AskIx) {
        let Ask { app, resource, ref task_group, .. } = self.asks[ask];
        let allocated = self.asks[placeholder].resource;
        let task_group = task_group.clone();
        let larger_by = amounts::difference(&allocated, &resource);
        self.change_upwards(self.apps[app].queue, |queue| queue.allocated.sub_pruned(&larger_by));
        self.take_off_node(placeholder);
        if self.asks[ask].node.is_some_and(|node| !self.nodes[node].allocations.contains(&ask)) {
            let node = self.asks[ask].node.unwrap_or_default();
            self.put_on_node(ask, node);
        }
        // Releasing a placeholder that is marked for eviction does not reduce the preempting sums.
        self.take_off_app(placeholder, false);
        if self.apps[app].state == AppState::Gone {
            return;
        }
        if let Some(group) = self.apps[app].task_group(&task_group) {
            group.replaced += 1;
        }
        self.book(ask, true);
        if self.is_listed(placeholder) {
            self.remove_ask(placeholder);
        }
    }

    /// Requests the release of a placeholder.
    fn request_release(&mut self, placeholder: AskIx) {
        self.asks[placeholder].released = true;
        self.releasing.push(placeholder);
    }

    /// Requests the release of all placeholders, or of all allocations if `all`.
    pub(super) fn request_release_of_placeholders(&mut self, app: AppIx, all: bool) {
        for ask in self.apps[app].allocations.clone() {
            if (all || self.asks[ask].placeholder) && !self.asks[ask].released {
                self.request_release(ask);
            }
        }
    }

    /// Handles the placeholder timeout of an application.
    pub fn time_out_placeholders(&mut self, app: AppIx) {
        self.apps[app].placeholder_due = None;
        let running = matches!(self.apps[app].state, AppState::Running | AppState::Completing);
        if running && !self.apps[app].placeholder.is_zero() {
            self.request_release_of_placeholders(app, false);
            return;
        }
        self.time_out_gang(app);
        self.request_release_of_placeholders(app, true);
    }

    /// Confirms all requested releases of placeholders and records their keys.
    pub fn confirm_releases(&mut self) {
        for ask in std::mem::take(&mut self.releasing) {
            self.timed_out.push(self.asks[ask].key.clone());
            self.release(ask, ReleaseReason::Timeout);
        }
    }

    /// Next time at which a timer fires, with all timers due then: `true` for placeholders, `false` for Completing.
    pub fn due_timers(&self) -> Option<(i64, Vec<(AppIx, bool)>)> {
        let dues = self.apps_by_id.iter().flat_map(|&app| {
            let App { placeholder_due, completing_due, .. } = &self.apps[app];
            let timer = move |due: Option<i64>, kind| due.map(|due| (due, app, kind));
            timer(*placeholder_due, true).into_iter().chain(timer(*completing_due, false))
        });
        let dues: Vec<(i64, AppIx, bool)> = dues.collect();
        let next = dues.iter().map(|(due, ..)| *due).min()?;
        Some((next, dues.into_iter().filter(|(due, ..)| *due == next).map(|(_, app, kind)| (app, kind)).collect()))
    }
}
