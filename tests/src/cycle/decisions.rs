//! Decisions of a cycle, in a form that allows comparing executions.
//!
//! Devices that are not in the input have no stable names. Each gets one from its first occurrence (at the
//! opening, then by round, action and pod), so that two executions that differ only in the names of such devices
//! compare equal.
//! come out equal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fairground::policy::kai::recorded::{ActionOutcome, Committed, CycleOutcome, Snapshot};

use super::format::{ActionEffects, Case, Event, Round};
use super::snapshot::status_name;

/// Status, node, devices.
pub type PodNow = (String, String, Vec<String>);

/// Decisions of one action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepDecisions {
    /// Committed statements; events sorted.
    pub commits: Vec<Vec<EventLine>>,
    /// Changed pods.
    pub pods: BTreeMap<String, PodNow>,
    /// Jobs that were started.
    pub started: BTreeSet<String>,
    /// Jobs whose staleness was set or cleared.
    pub stale: BTreeMap<String, String>,
}

/// A committed operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventLine {
    /// `bind`, `evict` or `pipelined`.
    pub kind: String,
    pub pod: String,
    /// Its node; empty for evictions.
    pub node: String,
    /// Shared device groups, sorted.
    pub groups: Vec<String>,
    /// Preemptor job.
    pub preemptor: String,
}

impl fmt::Display for EventLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.pod)?;
        if !self.node.is_empty() {
            write!(f, " on {}", self.node)?;
        }
        if !self.groups.is_empty() {
            write!(f, " [{}]", self.groups.join(" "))?;
        }
        if !self.preemptor.is_empty() {
            write!(f, " for {}", self.preemptor)?;
        }
        Ok(())
    }
}

/// Decisions of the actions of one round; every configured action has an entry.
pub type RoundDecisions = Vec<StepDecisions>;

/// Decisions of a recorded round.
pub fn recorded(case: &Case, round: &Round) -> Result<RoundDecisions, String> {
    let mut steps = vec![StepDecisions::default(); case.config.actions.len()];
    for step in &round.steps {
        let at = case.config.actions.iter().position(|a| *a == step.action);
        let at = at.ok_or_else(|| format!("step of action {:?}, which is not configured", step.action))?;
        steps[at] = recorded_step(step);
    }
    Ok(steps)
}

fn recorded_step(step: &ActionEffects) -> StepDecisions {
    StepDecisions {
        commits: step.commits.iter().map(|c| sorted(c.iter().map(event_line).collect())).collect(),
        pods: step.pods.clone(),
        started: step.started.iter().cloned().collect(),
        stale: step.stale.clone(),
    }
}

/// Converts a recorded event.
pub fn event_line(e: &Event) -> EventLine {
    EventLine {
        kind: e.kind.clone(),
        pod: e.pod.clone(),
        node: e.node.clone(),
        groups: e.gpu_groups.clone(),
        preemptor: e.preemptor.clone(),
    }
}

/// Decisions of a simulated round.
pub fn simulated(case: &Case, outcome: &CycleOutcome) -> Result<RoundDecisions, String> {
    let names: Vec<&str> = outcome.steps.iter().map(|s| s.action).collect();
    if names != case.config.actions {
        return Err(format!("ran {names:?} instead of {:?}", case.config.actions));
    }
    Ok(outcome.steps.iter().map(simulated_step).collect())
}

fn simulated_step(step: &ActionOutcome) -> StepDecisions {
    let texts = |groups: &[std::sync::Arc<str>]| groups.iter().map(|g| g.to_string()).collect::<Vec<_>>();
    let event = |e: &Committed| {
        let (kind, pod, node, groups, preemptor) = match e {
            Committed::Bind { pod, node, gpu_groups } => ("bind", pod, &**node, texts(gpu_groups), ""),
            Committed::Evict { pod, preemptor } => ("evict", pod, "", Vec::new(), &**preemptor),
            Committed::Pipelined { pod, node, gpu_groups } => ("pipelined", pod, &**node, texts(gpu_groups), ""),
        };
        EventLine {
            kind: kind.to_owned(),
            pod: pod.to_string(),
            node: node.to_owned(),
            groups,
            preemptor: preemptor.to_owned(),
        }
    };
    let commits = step.commits.iter().filter(|c| !c.is_empty());
    StepDecisions {
        commits: commits.map(|c| sorted(c.iter().map(event).collect())).collect(),
        pods: step
            .pods
            .iter()
            .map(|p| {
                let now = (status_name(p.status).to_owned(), p.node.to_string(), texts(&p.gpu_groups));
                (p.pod.to_string(), now)
            })
            .collect(),
        started: step.started.iter().map(|j| j.to_string()).collect(),
        stale: step
            .stale
            .iter()
            .map(|(job, set)| (job.to_string(), if *set { "set" } else { "cleared" }.to_owned()))
            .collect(),
    }
}

fn sorted(mut events: Vec<EventLine>) -> Vec<EventLine> {
    events.sort_by(|a, b| (&a.kind, &a.pod, &a.node).cmp(&(&b.kind, &b.pod, &b.node)));
    events
}

/// Occurrence of a device without a stable name: round, action, pod.
pub type Occurrence = (usize, usize, String);

/// Names of devices by node and name.
pub type Names = BTreeMap<(String, String), String>;

/// Names of the devices of a pod on its node, sorted.
pub fn named(names: &Names, node: &str, groups: &[std::sync::Arc<str>]) -> Vec<String> {
    let name = |group: &str| names.get(&(node.to_owned(), group.to_owned())).cloned();
    let mut all: Vec<String> = groups.iter().map(|g| name(g).unwrap_or_else(|| g.to_string())).collect();
    all.sort();
    all
}

/// Names every device that is not in the input after its first occurrence, and sorts the devices of a pod.
pub fn name_devices(case: &Case, opening: &Snapshot, rounds: &mut [RoundDecisions]) -> Names {
    let input: BTreeSet<&str> =
        case.jobs.iter().flat_map(|j| &j.pods).flat_map(|p| &p.gpu_groups).map(|g| &**g).collect();
    let mut places: BTreeMap<(String, String), Vec<Occurrence>> = BTreeMap::new();
    let mut see = |node: &str, group: &str, place: Occurrence| {
        if !input.contains(group) {
            places.entry((node.to_owned(), group.to_owned())).or_default().push(place);
        }
    };
    let mut holders: Vec<_> = opening.jobs.iter().flat_map(|j| &j.pods).collect();
    holders.sort_by(|a, b| a.name.cmp(&b.name));
    for pod in holders {
        for group in &pod.gpu_groups {
            see(&pod.node, group, (0, 0, pod.name.to_string()));
        }
    }
    for (r, round) in rounds.iter().enumerate() {
        for (s, step) in round.iter().enumerate() {
            for (pod, (_, node, groups)) in &step.pods {
                groups.iter().for_each(|g| see(node, g, (r + 1, s, pod.clone())));
            }
            for event in step.commits.iter().flatten() {
                event.groups.iter().for_each(|g| see(&event.node, g, (r + 1, s, event.pod.clone())));
            }
        }
    }
    let names = names_by_place(places);
    let rename = |node: &str, groups: &mut Vec<String>| {
        for group in groups.iter_mut() {
            if let Some(name) = names.get(&(node.to_owned(), group.clone())) {
                group.clone_from(name);
            }
        }
        groups.sort();
    };
    for step in rounds.iter_mut().flatten() {
        step.pods.values_mut().for_each(|(_, node, groups)| rename(node, groups));
        for event in step.commits.iter_mut().flatten() {
            rename(&event.node, &mut event.groups);
        }
    }
    names
}

/// Names every device after its first occurrence; devices are given by node and name.
pub fn names_by_place(places: BTreeMap<(String, String), Vec<Occurrence>>) -> Names {
    let mut order: Vec<_> = places.into_iter().collect();
    order.sort_by(|((node_a, _), at_a), ((node_b, _), at_b)| (node_a, at_a).cmp(&(node_b, at_b)));
    let mut names = BTreeMap::new();
    let mut last = String::new();
    let mut k = 0;
    for ((node, group), _) in order {
        k = if node == last { k + 1 } else { 0 };
        let name = format!("new-{node}-{k}");
        last.clone_from(&node);
        names.insert((node, group), name);
    }
    names
}

/// Describes the first difference of two steps.
pub fn difference(expected: &StepDecisions, got: &StepDecisions) -> Option<String> {
    for (i, pair) in pairs(&expected.commits, &got.commits).into_iter().enumerate() {
        if pair.0 != pair.1 {
            let show = |commit: Option<&Vec<EventLine>>| match commit {
                Some(events) => events.iter().map(EventLine::to_string).collect::<Vec<_>>().join(", "),
                None => "nothing".to_owned(),
            };
            return Some(format!("commit {i}: expected {}; got {}", show(pair.0), show(pair.1)));
        }
    }
    let pods: BTreeSet<&String> = expected.pods.keys().chain(got.pods.keys()).collect();
    for pod in pods {
        let (e, g) = (expected.pods.get(pod), got.pods.get(pod));
        if e != g {
            let show = |now: Option<&PodNow>| match now {
                Some((status, node, groups)) => format!("{status} {node} {groups:?}"),
                None => "unchanged".to_owned(),
            };
            return Some(format!("pod {pod}: expected {}; got {}", show(e), show(g)));
        }
    }
    if expected.started != got.started {
        return Some(format!("started: expected {:?}; got {:?}", expected.started, got.started));
    }
    if expected.stale != got.stale {
        return Some(format!("stale: expected {:?}; got {:?}", expected.stale, got.stale));
    }
    None
}

fn pairs<'a, T>(left: &'a [T], right: &'a [T]) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    (0..left.len().max(right.len())).map(|i| (left.get(i), right.get(i))).collect()
}
