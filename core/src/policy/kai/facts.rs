//! Facts about a scenario that determine which settings of KAI certainly have no effect.
//!
//! # Source
//! kai.md 4.1

use std::collections::BTreeMap;

use super::config::{Action, Config, Window};
use super::export::PRIORITY;
use crate::cluster::{GpuRequest, Preemptible, Queue};
use crate::id::QueueId;
use crate::policy::draft::Draft;
use crate::units::Resource;

/// Facts about a scenario on which settings depend.
pub struct Facts<'a> {
    pub config: &'a Config,
    pub has_gpus: bool,
    pub has_cpu_work: bool,
    pub has_preemptible: bool,
    pub has_gangs: bool,
    pub has_tree: bool,
    /// Whether queues with the same parent may differ in priority.
    pub has_queue_priorities: bool,
    pub has_usage: bool,
    pub has_reclaim_min: bool,
    pub all_have_roles: bool,
    pub all_have_priorities: bool,
}

impl<'a> Facts<'a> {
    /// Collects the facts of a scenario under these settings.
    pub fn of(config: &'a Config, draft: &Draft<'_>) -> Facts<'a> {
        let requests = || draft.jobs.iter().flat_map(|job| &job.requests);
        let used = |r: Resource| draft.queues.values().any(|q| q.usage.get(r).in_millionths() > 0);
        let has_role = |role: &str| {
            let key = format!("node-role.kubernetes.io/{role}-worker");
            draft.nodes.iter().all(|node| node.labels.iter().any(|(k, _)| **k == *key))
        };
        Facts {
            config,
            has_gpus: draft.nodes.iter().any(|node| node.n_devices() > 0),
            has_cpu_work: requests().any(|request| request.gpu == GpuRequest::None),
            has_preemptible: draft.jobs.iter().any(|job| job.preemptible != Preemptible::No),
            has_gangs: draft.jobs.iter().any(|job| job.is_gang),
            has_queue_priorities: has_queue_priorities(draft),
            has_tree: draft.queues.values().any(|q| q.parent.is_some()),
            has_usage: config.usage.is_some() || Resource::ACCOUNTED.into_iter().any(used),
            has_reclaim_min: config.default_reclaim_min_runtime_s > 0.0
                || draft.queues.values().any(|q| q.reclaim_min_runtime.is_some()),
            all_have_roles: has_role("gpu") && has_role("cpu"),
            all_have_priorities: draft.scenario.jobs.iter().all(|job| job.priority.is_some()),
        }
    }

    pub fn runs(&self, action: Action) -> bool {
        self.config.actions.contains(&action)
    }

    /// The reason why a minimum runtime against an action has no effect.
    pub fn min_runtime(&self, action: Action, never: &'static str) -> Option<&'static str> {
        if !self.has_preemptible {
            Some("no job is preemptible, so none needs protection")
        } else if !self.config.has("minruntime") {
            Some("the plugin minruntime is not loaded")
        } else if !self.runs(action) {
            Some(never)
        } else {
            None
        }
    }

    /// The reason why a setting of usage measurement has no effect.
    pub fn no_usage(&self) -> Option<&'static str> {
        unless(self.config.usage.is_some(), "usage is not measured; set usage-client")
    }

    /// Whether usage is measured in tumbling windows.
    pub fn is_tumbling(&self) -> bool {
        let params = self.config.usage.as_ref();
        params.is_some_and(|p| matches!(p.settings.window, Window::Tumbling { .. }))
    }
}

/// Whether queues with the same parent differ in priority, in a pool or after an event of the timeline at the latest.
fn has_queue_priorities(draft: &Draft<'_>) -> bool {
    let s = draft.scenario;
    let mut first: BTreeMap<Option<QueueId>, i32> = BTreeMap::new();
    let mut differs = |queue: &Queue| {
        let priority = queue.priority.unwrap_or(PRIORITY);
        *first.entry(queue.parent).or_insert(priority) != priority
    };
    draft.queues.values().any(&mut differs)
        || s.timeline.iter().any(|event| event.priority.is_some())
        || s.queues.iter().flat_map(|queue| queue.pools.iter()).any(|pool| pool.priority.is_some())
}

/// The reason, unless a condition holds.
pub fn unless(holds: bool, why: &'static str) -> Option<&'static str> {
    (!holds).then_some(why)
}
