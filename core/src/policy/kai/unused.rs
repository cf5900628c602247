//! Settings of KAI that are set but have no effect in the scenario.
//!
//! A criterion is sufficient, not necessary: a reported setting can be removed without changing the run; a setting
//! that is not reported may still have no effect. The criteria are in the lines of [`super::settings`].
//!
//! # Source
//! kai.md 4.1; kai-v0.17.md 18.1

use super::config::{Action, Config, Revision, SEARCH_PLUGINS};
use super::facts::Facts;
use super::settings::{named, never_read};
use crate::format::{Findings, JobEntry, Path, PodSetEntry, Scalar, codes, set};
use crate::policy::draft::Draft;

/// Reports settings without effect.
pub fn advice(config: &Config, draft: &Draft<'_>, f: &mut Findings) {
    let s = draft.scenario;
    // A pool with its own settings may give any of them an effect.
    if s.pools.iter().any(|pool| !pool.settings.is_empty()) {
        return;
    }
    let facts = Facts::of(config, draft);
    for name in s.settings.keys() {
        let why = never_read(name).or_else(|| (named(name)?.unused)(&facts));
        if let Some(why) = why {
            let path = Path::default().field("settings").field(name);
            f.add(codes::NO_EFFECT, path.clone(), format!("{name} has no effect: {why}"), set(path, "", "Remove it"));
        }
    }
    if s.settings.contains_key("plugins") {
        let idle = ["dynamicresources", "topology", "snapshot", "podaffinity"];
        let idle = idle.map(|plugin| (plugin, "what it does is not simulated"));
        let is_idle = !s.jobs.iter().any(nominates);
        search_plugins(config, f);
        let nominated = is_idle.then_some(("nominatednode", "no job has a nominated node"));
        for (plugin, why) in idle.into_iter().chain(nominated).filter(|(plugin, _)| config.has(plugin)) {
            let path = Path::default().field("settings").field("plugins");
            f.add(codes::NO_EFFECT, path, format!("the plugin {plugin} has no effect: {why}"), None);
        }
    }
    if !config.has("nominatednode")
        && let Some(i) = s.jobs.iter().position(nominates)
    {
        let message = "nominated-node has no effect: the plugin nominatednode is not loaded".to_string();
        f.add(codes::NO_EFFECT, (draft.job_at)(i).field("nominated-node"), message, None);
    }
    newer(config.revision, draft, f);
    super::advice::priority_within_quota(config, draft, f);
    for (id, queue) in draft.queues.iter() {
        let set_here = [
            ("preempt-min-runtime", queue.preempt_min_runtime, Action::Preempt, "the action preempt does not run"),
            ("reclaim-min-runtime", queue.reclaim_min_runtime, Action::Reclaim, "the action reclaim does not run"),
        ];
        for (field, value, action, never) in set_here {
            if let (Some(_), Some(why)) = (value, facts.min_runtime(action, never)) {
                let path = (draft.queue_at)(id).field(field);
                f.add(
                    codes::NO_EFFECT,
                    path.clone(),
                    format!("{field} has no effect: {why}"),
                    set(path, "", "Remove it"),
                );
            }
        }
    }
}

/// Reports a list of plugins without a search for jobs to evict, and a search that the revision does not have.
fn search_plugins(config: &Config, f: &mut Findings) {
    let path = Path::default().field("settings").field("plugins");
    let loaded_plugins = || SEARCH_PLUGINS.into_iter().filter(|plugin| config.has(plugin));
    if config.revision < Revision::V0_17 {
        for plugin in loaded_plugins() {
            let message = format!("the plugin {plugin} has no effect: KAI has it since version 0.17");
            f.add(codes::NO_EFFECT, path.clone(), message, None);
        }
        return;
    }
    let searches = [Action::Consolidation, Action::Reclaim, Action::Preempt];
    let lost: Vec<&str> =
        searches.into_iter().filter(|action| config.actions.contains(action)).map(Action::name).collect();
    if loaded_plugins().next().is_none() && !lost.is_empty() {
        let [one, all] = SEARCH_PLUGINS;
        let message = format!(
            "without the plugins {one} and {all}, which search for [jobs] to evict, {} never find anything",
            lost.join(", ")
        );
        let list: Vec<&str> = config.plugins.iter().map(|plugin| &**plugin).chain([one, all]).collect();
        f.suggest(codes::NO_EFFECT, path, message, list.join(", "), "Add both");
    }
}

/// Reports values of jobs that the revision does not read.
pub fn newer(revision: Revision, draft: &Draft<'_>, f: &mut Findings) {
    if revision == Revision::NEWEST {
        return;
    }
    for (i, job) in draft.scenario.jobs.iter().enumerate() {
        let values = [
            ("preemption-delay", job.preemption_delay.is_some()),
            ("staleness-grace", job.staleness_grace.is_some()),
            ("min-subgroups", job.min_subgroups.is_some()),
            ("min-subgroups-of", !job.min_subgroups_of.is_empty()),
        ];
        for (field, _) in values.into_iter().filter(|(_, is_given)| *is_given) {
            let path = (draft.job_at)(i).field(field);
            let message = format!("{field} has no effect: jobs have it since version 0.17");
            f.add(codes::NO_EFFECT, path.clone(), message, set(path, "", "Remove it"));
        }
        let is_none = |min: &Option<Scalar>| min.as_ref().is_some_and(|min| min.0.trim() == "0");
        let of_sets = job.pod_sets.iter().filter(|set| is_none(&set.min_available));
        let at_set = |set: &PodSetEntry| (draft.job_at)(i).field("pod-sets").named(&set.name);
        let of_job = is_none(&job.min_available).then(|| (draft.job_at)(i));
        for place in of_job.into_iter().chain(of_sets.map(at_set)) {
            let path = place.field("min-available");
            let message = "min-available 0 counts as 1: a minimum can be 0 since version 0.17";
            f.suggest(codes::NO_EFFECT, path, message, "1", "Require one [pod]");
        }
    }
}

/// Whether any pod of a job has a nominated node.
fn nominates(job: &JobEntry) -> bool {
    job.nominated_node.is_some() || job.pod_sets.iter().any(|set| set.nominated_node.is_some())
}
