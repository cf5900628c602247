//! Switches of KAI that are set although nothing in the scenario depends on them.
//!
//! A criterion is sufficient, not necessary: what is reported could be left out without changing the run; a switch
//! that is not reported may still turn out not to matter. The criteria stand in the lines of [`super::settings`].

use super::config::{Action, Config, Window};
use super::settings::{named, never_read};
use crate::cluster::{GpuRequest, Preemptible};
use crate::format::{Findings, JobEntry, Path, codes, set};
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
    pub has_usage: bool,
    pub has_reclaim_min: bool,
    pub all_have_roles: bool,
    pub all_have_priorities: bool,
}

impl<'a> Facts<'a> {
    fn of(config: &'a Config, draft: &Draft<'_>) -> Facts<'a> {
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

    /// Why a minimum runtime against an action comes to nothing.
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

    /// Why a setting of measured usage comes to nothing.
    pub fn no_usage(&self) -> Option<&'static str> {
        unless(self.config.usage.is_some(), "usage is not measured; set usage-client")
    }

    /// Whether usage is measured in windows that tumble.
    pub fn tumbles(&self) -> bool {
        let params = self.config.usage.as_ref();
        params.is_some_and(|p| matches!(p.settings.window, Window::Tumbling { .. }))
    }
}

/// The reason, unless something holds.
pub fn unless(holds: bool, why: &'static str) -> Option<&'static str> {
    (!holds).then_some(why)
}

/// Lists the switches that are set, but come to nothing.
pub fn advice(config: &Config, draft: &Draft<'_>, f: &mut Findings) {
    let s = draft.scenario;
    // With settings of its own a pool may give any of them a meaning.
    if s.pools.iter().any(|pool| !pool.settings.is_empty()) {
        return;
    }
    let facts = Facts::of(config, draft);
    for name in s.settings.keys() {
        let why = never_read(name).or_else(|| (named(name)?.unused)(&facts));
        if let Some(why) = why {
            let at = Path::default().field("settings").field(name);
            f.add(
                codes::NO_EFFECT,
                at.clone(),
                format!("{name} has no effect: {why}"),
                set(at, "", "Remove it"),
            );
        }
    }
    if s.settings.contains_key("plugins") {
        let idle = ["dynamicresources", "topology", "snapshot", "podaffinity"];
        let idle = idle.map(|plugin| (plugin, "what it does is not simulated"));
        let is_idle = !s.jobs.iter().any(nominates);
        let nominated = is_idle.then_some(("nominatednode", "no job has a nominated node"));
        for (plugin, why) in idle.into_iter().chain(nominated).filter(|(plugin, _)| config.has(plugin)) {
            let at = Path::default().field("settings").field("plugins");
            f.add(codes::NO_EFFECT, at, format!("the plugin {plugin} has no effect: {why}"), None);
        }
    }
    if !config.has("nominatednode")
        && let Some(i) = s.jobs.iter().position(nominates)
    {
        let says = "nominated-node has no effect: the plugin nominatednode is not loaded".to_string();
        f.add(codes::NO_EFFECT, (draft.job_at)(i).field("nominated-node"), says, None);
    }
    for (id, queue) in draft.queues.iter() {
        let set_here = [
            (
                "preempt-min-runtime",
                queue.preempt_min_runtime,
                Action::Preempt,
                "the action preempt does not run",
            ),
            (
                "reclaim-min-runtime",
                queue.reclaim_min_runtime,
                Action::Reclaim,
                "the action reclaim does not run",
            ),
        ];
        for (field, value, action, never) in set_here {
            if let (Some(_), Some(why)) = (value, facts.min_runtime(action, never)) {
                let at = (draft.queue_at)(id).field(field);
                f.add(
                    codes::NO_EFFECT,
                    at.clone(),
                    format!("{field} has no effect: {why}"),
                    set(at, "", "Remove it"),
                );
            }
        }
    }
}

/// Whether a node is nominated for some pod of a job.
fn nominates(job: &JobEntry) -> bool {
    job.nominated_node.is_some() || job.pod_sets.iter().any(|set| set.nominated_node.is_some())
}
