//! What would help a job that waits: small changes of the scenario, each tried in a run before it is offered.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::{Edit, JobEntry, Path, Scalar, Scenario, Severity};

use super::command::{Change, Effect};
use super::{Model, asking, document, edit, update};
use crate::engine::protocol::{Ask, Outcome};

/// Most changes that are tried.
const TRIED_MAX: usize = 16;
/// Most changes that are offered.
const OFFERED_MAX: usize = 5;
/// Above this many jobs a run per change takes too long.
const JOBS_MAX: usize = 5_000;

/// What was tried for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    /// The job.
    pub job: String,
    /// The moment.
    pub cycle: u32,
    /// The changes, smallest first.
    tried: Vec<Change>,
    /// What came of each; `None`: still running.
    outcomes: Option<Vec<Option<Outcome>>>,
}

impl Help {
    /// Whether the runs are still under way.
    pub fn is_running(&self) -> bool {
        self.outcomes.is_none()
    }

    /// How many changes were tried.
    pub fn n_tried(&self) -> usize {
        self.tried.len()
    }

    /// The changes with which the job runs, smallest first, and what each comes to.
    pub fn offers(&self) -> Vec<(&Change, &Outcome)> {
        let outcomes = self.outcomes.as_deref().unwrap_or_default();
        let all = self.tried.iter().zip(outcomes).filter_map(|(change, o)| Some((change, o.as_ref()?)));
        all.filter(|(_, outcome)| outcome.starts.is_some()).take(OFFERED_MAX).collect()
    }

    /// Takes in what came of the changes.
    pub(super) fn ran(&mut self, outcomes: Vec<Option<Outcome>>) {
        self.outcomes = Some(outcomes);
    }
}

/// Takes in what came of the changes.
pub(super) fn tried(model: &mut Model, outcomes: Vec<Option<Outcome>>, fx: &mut Vec<Effect>) {
    let Some(help) = &mut model.help else { return };
    Arc::make_mut(help).ran(outcomes);
    let n = help.offers().len();
    fx.push(Effect::Announce(match n {
        0 => "No small change helps.".to_string(),
        1 => "One change would help.".to_string(),
        _ => format!("{n} changes would help."),
    }));
}

/// Tries what would help a job at the present moment.
pub(super) fn ask(model: &mut Model, job: String, fx: &mut Vec<Effect>) {
    let Some(frame) = &model.frame else { return };
    let cycle = frame.cycle;
    if model.scenario.jobs.len() > JOBS_MAX {
        let text = "This scenario is too large to try changes of it.".to_string();
        return update::notify(model, false, text, None, fx);
    }
    let mut tried = Vec::new();
    let mut scenarios = vec![document::to_json(&model.scenario)];
    for change in candidates(&model.scenario, &job) {
        let Ok(changed) = edit::change(&model.scenario, &change, None) else { continue };
        let found = document::findings(&changed.scenario);
        if tried.len() < TRIED_MAX && found.iter().all(|d| d.severity != Severity::Error) {
            scenarios.push(document::to_json(&changed.scenario));
            tried.push(change);
        }
    }
    model.help = Some(Arc::new(Help { job: job.clone(), cycle, tried, outcomes: None }));
    model.asked.help = asking::send(model, Ask::Try { job, cycle, scenarios }, fx);
}

/// Changes that may help a job, smallest first: what it is, what its queues may have, what there is.
fn candidates(scenario: &Scenario, job: &str) -> Vec<Change> {
    let mut all = Vec::new();
    let mut add = |at: Path, value: String| {
        let name = edit::name_of_set(scenario, &at, &value);
        all.push(Change::Edits { name, edits: vec![Edit::Set { at, value }] });
    };
    // A job of a pattern has a name of its own, but no entry.
    let of_pattern = |j: &&JobEntry| j.count.is_some() && job.starts_with(&format!("{}-", j.name));
    let entry =
        scenario.jobs.iter().find(|j| j.name == job).or_else(|| scenario.jobs.iter().find(of_pattern));
    let Some(entry) = entry else { return all };
    let here = Path::default().field("jobs").named(&entry.name);
    let unset = Policy::job_defaults(&scenario.policy);
    let priority = |j: &JobEntry| {
        let text = j.priority.as_ref().map_or("", |p| p.0.trim());
        unset.class(text).or(text.parse().ok()).unwrap_or(unset.priority)
    };
    let own = priority(entry);
    let is_fixed = |p: &Scalar| matches!(p.0.trim(), "false" | "semi");
    if entry.preemptible.as_ref().map_or(!unset.is_preemptible(own), is_fixed) {
        add(here.field("preemptible"), "true".into());
    }
    let ahead = scenario.jobs.iter().filter(|j| j.queue == entry.queue && j.name != entry.name).map(priority);
    if let Some(most) =
        ahead.max().filter(|most| *most >= own && unset.is_preemptible(most.saturating_add(1)))
    {
        add(here.field("priority"), (most + 1).to_string());
    }
    let number = |value: &Option<Scalar>| {
        value.as_ref().and_then(|v| v.0.trim().parse::<f64>().ok()).filter(|n| n.is_finite())
    };
    let pods = number(&entry.min_available).or(number(&entry.pods)).unwrap_or(1.0);
    let need = (number(&entry.gpu).unwrap_or(1.0) * pods).ceil().max(1.0);
    let mut steps = vec![1.0];
    if need > 1.0 {
        steps.push(need);
    }
    for queue in path_to_root(scenario, &entry.queue) {
        let at = Path::default().field("queues").named(&queue.name).field("gpu");
        for step in &steps {
            for (field, value) in [("limit", &queue.gpu.limit), ("quota", &queue.gpu.quota)] {
                if let Some(now) = number(value).filter(|now| *now >= 0.0) {
                    add(at.field(field), format!("{}", now + step));
                }
            }
        }
        if let Some(now) = number(&queue.gpu.weight) {
            add(at.field("weight"), format!("{}", if now > 0.0 { now * 2.0 } else { 1.0 }));
        }
    }
    for node in scenario.nodes.iter().take(4) {
        let at = Path::default().field("nodes").named(&node.name);
        match number(&node.count) {
            Some(count) => add(at.field("count"), format!("{}", count + 1.0)),
            None => {
                if let Some(gpus) = number(&node.gpu).filter(|gpus| *gpus + need <= 64.0) {
                    add(at.field("gpu"), format!("{}", gpus + need));
                }
            }
        }
    }
    all
}

/// A queue and all above it.
fn path_to_root<'a>(scenario: &'a Scenario, name: &str) -> Vec<&'a fairground::scenario::QueueEntry> {
    let find = |name: &str| scenario.queues.iter().find(|q| q.name == name);
    let mut path = Vec::new();
    let mut at = find(name);
    while let Some(queue) = at.filter(|_| path.len() < 16) {
        path.push(queue);
        at = queue.parent.as_deref().and_then(find);
    }
    path
}
