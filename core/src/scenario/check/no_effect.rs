//! Switches of KAI that are set although nothing in the scenario depends on them.
//!
//! A criterion is sufficient, not necessary: what is reported could be left out without changing the run; a switch
//! that is not reported may still turn out not to matter. The table in [`crate::policy::kai::config`] has them all.

use super::super::codes;
use super::super::diagnostic::Path;
use super::super::schema::{JobEntry, Scenario};
use super::jobs::{Jobs, Template};
use super::kai::{never_read, switch_of};
use super::nodes::Nodes;
use super::queues::Queues;
use crate::cluster::{GpuRequest, Preemptible};
use crate::policy::kai::config::{Action, Config, Window};
use crate::scenario::findings::{Findings, set};
use crate::units::Resource;

/// Facts about a scenario on which switches depend.
struct Facts<'a> {
    s: &'a Scenario,
    config: &'a Config,
    has_gpus: bool,
    has_cpu_work: bool,
    has_preemptible: bool,
    has_gangs: bool,
    has_tree: bool,
    has_usage: bool,
    has_reclaim_min: bool,
    all_have_roles: bool,
}

impl<'a> Facts<'a> {
    fn of(s: &'a Scenario, config: &'a Config, nodes: &Nodes, queues: &Queues, jobs: &Jobs) -> Facts<'a> {
        let sets = || jobs.templates.iter().flat_map(|t| &t.sets);
        let used = |r: Resource| queues.all.values().any(|q| q.usage.get(r).in_millionths() > 0);
        let has_role = |role: &str| {
            let key = format!("node-role.kubernetes.io/{role}-worker");
            nodes.kinds.iter().all(|(node, _)| node.labels.iter().any(|(k, _)| **k == *key))
        };
        Facts {
            s,
            config,
            has_gpus: nodes.kinds.iter().any(|(node, _)| node.n_devices() > 0),
            has_cpu_work: sets().any(|set| set.request.gpu == GpuRequest::None),
            has_preemptible: jobs.templates.iter().any(|t| t.preemptible != Preemptible::No),
            has_gangs: jobs.templates.iter().any(Template::is_gang),
            has_tree: queues.all.values().any(|q| q.parent.is_some()),
            has_usage: config.usage.is_some() || Resource::ACCOUNTED.into_iter().any(used),
            has_reclaim_min: config.default_reclaim_min_runtime_s > 0.0
                || queues.all.values().any(|q| q.reclaim_min_runtime.is_some()),
            all_have_roles: has_role("gpu") && has_role("cpu"),
        }
    }

    fn runs(&self, action: Action) -> bool {
        self.config.actions.contains(&action)
    }

    /// Why a minimum runtime against an action comes to nothing.
    fn min_runtime(&self, action: Action, never: &'static str) -> Option<&'static str> {
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

    /// Why a switch comes to nothing; `None`: it may matter.
    fn why(&self, switch: &str) -> Option<&'static str> {
        let unless = |holds: bool, why: &'static str| (!holds).then_some(why);
        match switch {
            "k-value" => {
                unless(self.has_usage, "it needs past usage: of a queue, or measured (usage-client)")
            }
            "saturation-multiplier" => unless(self.runs(Action::Reclaim), "the action reclaim does not run")
                .or(unless(self.has_tree, "it compares departments, and no queue has a parent")),
            "full-hierarchy-fairness" => {
                unless(self.has_tree || !self.config.full_hierarchy_fairness, "no queue has a parent")
            }
            "gpu-placement" => unless(self.has_gpus, "no node has a GPU"),
            "cpu-placement" => unless(self.has_cpu_work, "no job runs without a GPU"),
            "max-consolidation-preemptees" => {
                unless(self.runs(Action::Consolidation), "the action consolidation does not run")
                    .or(unless(self.has_preemptible, "no job is preemptible, so none can be moved"))
            }
            "consolidating-reclaim" => unless(self.runs(Action::Reclaim), "the action reclaim does not run"),
            "scheduling-signatures" => {
                let solvers = [Action::Consolidation, Action::Reclaim, Action::Preempt];
                unless(solvers.into_iter().any(|a| self.runs(a)), "no action that looks for victims runs")
            }
            "restrict-node-scheduling" => unless(
                !(self.config.restrict_node_scheduling && self.all_have_roles),
                "all nodes have both roles, gpu-worker and cpu-worker",
            ),
            "staleness-grace" => {
                unless(self.runs(Action::StaleGangEviction), "the action stalegangeviction does not run")
                    .or(unless(self.has_gangs, "no job needs more than one pod to start together"))
            }
            "default-job-priority" => {
                let all = self.s.jobs.iter().all(|job| job.priority.is_some());
                unless(!all, "every job says its own priority")
            }
            "default-preempt-min-runtime" => {
                self.min_runtime(Action::Preempt, "the action preempt does not run")
            }
            "default-reclaim-min-runtime" => {
                self.min_runtime(Action::Reclaim, "the action reclaim does not run")
            }
            "reclaim-resolve" => unless(self.has_reclaim_min, "there is no minimum runtime against reclaim"),
            "queue-depth-stalegangeviction" => Some("this action looks at all jobs, in any order"),
            "usage-client" | "seed" => None,
            "usage-window-start" => {
                let params = self.config.usage.as_ref();
                let tumbles = params.is_some_and(|p| matches!(p.settings.window, Window::Tumbling { .. }));
                unless(tumbles, "it needs usage-client and the window type tumbling")
            }
            usage if usage.starts_with("usage-") => {
                unless(self.config.usage.is_some(), "usage is not measured; set usage-client")
            }
            depth => {
                let action = depth.strip_prefix("queue-depth-");
                let runs = action.is_none_or(|name| self.config.actions.iter().any(|a| a.name() == name));
                unless(runs, "this action does not run")
            }
        }
    }
}

/// Lists the switches that are set, but come to nothing.
pub fn advice(s: &Scenario, config: &Config, nodes: &Nodes, queues: &Queues, jobs: &Jobs, f: &mut Findings) {
    let facts = Facts::of(s, config, nodes, queues, jobs);
    for name in s.settings.keys() {
        let why = never_read(name).or_else(|| facts.why(switch_of(name)?));
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
        f.add(codes::NO_EFFECT, jobs.here(s, i).field("nominated-node"), says, None);
    }
    for (id, queue) in queues.all.iter() {
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
                let at = queues.here(s, id).field(field);
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
