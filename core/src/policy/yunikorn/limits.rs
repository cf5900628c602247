//! Limits and usage of users and groups.
//!
//! # Rule
//! A user's limit at a queue is the entry that names the user, otherwise the entry `*`, which applies to each user
//! separately. The group of an application is resolved on first use: from the leaf upwards the first configured group
//! that the user belongs to, or `*` if a queue has such an entry. Usage counts at all queues of the path.
//!
//! # Source
//! yunikorn.md 8

use super::amounts::{Amounts, min_union, sub_existing};
use super::model::{App, AppIx, Core, LimitEntry, Queue, QueueIx, Tracker, Used};

fn user_entry<'a>(queue: &'a Queue, user: &str) -> Option<&'a LimitEntry> {
    let named = |name: &str| queue.limits.iter().find(|l| l.users.iter().any(|u| u == name));
    named(user).or_else(|| named("*"))
}

fn group_entry<'a>(queue: &'a Queue, group: &str) -> Option<&'a LimitEntry> {
    queue.limits.iter().find(|l| l.groups.iter().any(|g| g == group))
}

impl Core {
    /// The queue and its ancestors, from the bottom up.
    pub fn upwards(&self, queue: QueueIx) -> impl Iterator<Item = QueueIx> + '_ {
        std::iter::successors(Some(queue), |&q| self.queues[q].parent)
    }

    /// Applies a change to the queue and its ancestors, from the bottom up.
    pub(super) fn change_upwards(&mut self, queue: QueueIx, mut change: impl FnMut(&mut Queue)) {
        let mut next = Some(queue);
        while let Some(ix) = next {
            change(&mut self.queues[ix]);
            next = self.queues[ix].parent;
        }
    }

    fn find_group(&self, app: &App) -> Option<String> {
        if app.groups.is_empty() {
            return None;
        }
        for queue in self.upwards(app.queue) {
            let mut configured = self.queues[queue].limits.iter().flat_map(|l| &l.groups);
            if let Some(group) = configured.clone().find(|g| app.groups.contains(g)) {
                return Some(group.clone());
            }
            if configured.any(|g| g == "*") {
                return Some("*".to_owned());
            }
        }
        None
    }

    /// Resolves the group of the application on first use.
    pub(super) fn fix_group(&mut self, app: AppIx) {
        if self.apps[app].group.is_none() {
            self.apps[app].group = Some(self.find_group(&self.apps[app]));
        }
    }

    /// Limits and usage on the path, of the user and of the group.
    pub(super) fn limits_of(&self, app: AppIx) -> impl Iterator<Item = (QueueIx, &LimitEntry, Option<&Used>)> {
        let app = &self.apps[app];
        let group = app.group.iter().flatten().next();
        let user = self.users.iter().find(|t| t.name == app.user);
        let shared = group.and_then(|group| self.groups.iter().find(|t| t.name == *group));
        self.upwards(app.queue).flat_map(move |queue| {
            let of_user =
                user_entry(&self.queues[queue], &app.user).map(|l| (queue, l, user.and_then(|t| t.used.get(queue))));
            let of_group = group
                .and_then(|group| group_entry(&self.queues[queue], group))
                .map(|l| (queue, l, shared.and_then(|t| t.used.get(queue))));
            of_user.into_iter().chain(of_group)
        })
    }

    /// Headroom of the user and the group; *none* is unlimited.
    pub fn user_headroom(&self, app: AppIx) -> Amounts {
        let mut headroom = Amounts::NONE;
        for (_, limit, used) in self.limits_of(app).filter(|(_, limit, _)| !limit.max.is_zero()) {
            let used = used.map_or(Amounts::EMPTY, |u| u.resource);
            headroom = min_union(&headroom, &sub_existing(&limit.max, &used));
        }
        headroom
    }

    /// Whether user and group may run one more application.
    pub fn can_run_user(&self, app: AppIx) -> bool {
        self.limits_of(app).filter(|(_, limit, _)| limit.max_applications > 0).all(|(_, limit, used)| {
            let apps = used.map_or(&[][..], |u| &u.apps);
            apps.contains(&app) || (apps.len() as u64) < limit.max_applications
        })
    }

    /// Adds an allocation to the usage of the user and the group.
    pub(super) fn use_more(&mut self, app: AppIx, resource: &Amounts) {
        self.fix_group(app);
        self.track(app, &mut |used| {
            used.resource.add(resource);
            if !used.apps.contains(&app) {
                used.apps.push(app);
            }
        });
    }

    /// Subtracts an allocation from the usage; `last` also stops counting the application.
    pub(super) fn use_less(&mut self, app: AppIx, resource: &Amounts, last: bool) {
        self.track(app, &mut |used| {
            used.resource.sub(resource);
            if last {
                used.apps.retain(|&a| a != app);
            }
        });
    }

    fn track(&mut self, app: AppIx, change: &mut dyn FnMut(&mut Used)) {
        let App { queue, user, group, .. } = &self.apps[app];
        let n = self.queues.len();
        let mut next = Some(*queue);
        let user = tracker(&mut self.users, user, n);
        let mut group = group.iter().flatten().next().map(|group| tracker(&mut self.groups, group, n));
        while let Some(ix) = next {
            change(&mut user.used[ix]);
            if let Some(group) = &mut group {
                change(&mut group.used[ix]);
            }
            next = self.queues[ix].parent;
        }
    }
}

fn tracker<'a>(all: &'a mut Vec<Tracker>, name: &str, n_queues: usize) -> &'a mut Tracker {
    let index = all.iter().position(|t| t.name == name).unwrap_or_else(|| {
        all.push(Tracker { name: name.to_owned(), used: Vec::new() });
        all.len() - 1
    });
    if all[index].used.len() < n_queues {
        all[index].used.resize(n_queues, Used::default());
    }
    &mut all[index]
}
