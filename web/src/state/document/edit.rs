//! Edits of a scenario and their names.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::scenario::{Edit, JobEntry, Path, QueueEntry, Scenario, Segment, free_name, next_node};
use fairground::words::{Selection, Terms, product};

use super::{Change, Changed, Shift, pod_requests, tree};
use crate::state::document;

/// Makes a change; `Err` says why it is not possible.
pub fn change(scenario: &Scenario, change: &Change, selection: Option<&Selection>) -> Result<Changed, String> {
    match change {
        Change::Edits { name, edits } => {
            Ok(Changed { scenario: document::apply(scenario, edits)?, name: name.clone(), select: None })
        }
        Change::AddQueue { parent } => add_queue(scenario, parent.as_deref()),
        Change::DuplicateQueue { queue, jobs } => duplicate_queue(scenario, queue, *jobs),
        Change::MoveQueue { queue, to } => move_queue(scenario, queue, to),
        Change::RemoveQueue(queue) => remove(scenario, "queues", queue, "queue"),
        Change::AddNodes => Ok(add_nodes(scenario)),
        Change::RemoveNodes(node) => remove(scenario, "nodes", node, "nodes"),
        Change::AddJob { queue } => add_job(scenario, queue.as_deref(), selection),
        Change::DuplicateJob(job) => duplicate_job(scenario, job),
        Change::RemoveJob(job) => remove(scenario, "jobs", job, "job"),
        Change::AddPodSet(job) => pod_requests::add_pod_set(scenario, job),
        Change::Request { at, kind } => pod_requests::set_kind(scenario, at, *kind),
    }
}

fn add_queue(scenario: &Scenario, parent: Option<&str>) -> Result<Changed, String> {
    let name = free_name("queue", scenario.queues.iter().map(|q| q.name.as_str()));
    let edit = Edit::AddQueue { name: name.clone(), parent: parent.map(str::to_string) };
    let mut scenario = document::apply(scenario, &[edit])?;
    // Only leaves have jobs: the first child takes over those of its parent.
    let is_theirs = |job: &JobEntry| parent == Some(job.queue.as_str());
    let takes_over = scenario.jobs.iter().any(is_theirs);
    if takes_over {
        Arc::make_mut(&mut scenario.jobs)
            .iter_mut()
            .filter(|job| is_theirs(job))
            .for_each(|job| job.queue.clone_from(&name));
    }
    let terms = Terms::of(&scenario.policy);
    let with = if takes_over {
        format!(" with the {} of {}", terms.word("jobs"), parent.unwrap_or_default())
    } else {
        String::new()
    };
    Ok(Changed {
        scenario,
        name: format!("add {} {name}{with}", terms.word("queue")),
        select: Some(Selection::Queue(name)),
    })
}

fn duplicate_queue(scenario: &Scenario, queue: &str, with_jobs: bool) -> Result<Changed, String> {
    let subtree = tree::subtree(scenario, queue);
    let mut queues: Vec<QueueEntry> = scenario.queues.to_vec();
    let mut renamed: Vec<(String, String)> = Vec::new();
    for old in &subtree {
        let Some(mut copy) = scenario.queues.iter().find(|q| q.name == *old).cloned() else {
            return Err(format!("There is no {old}."));
        };
        let name = free_name(&format!("{old}-copy"), queues.iter().map(|q| q.name.as_str()));
        copy.parent = copy.parent.map(|p| match renamed.iter().find(|(old, _)| *old == p) {
            Some((_, new)) => new.clone(),
            None => p,
        });
        copy.name = name.clone();
        copy.created = None;
        renamed.push((old.clone(), name));
        queues.push(copy);
    }
    let select = renamed.first().map(|(_, name)| Selection::Queue(name.clone()));
    let mut scenario = Scenario { queues: Arc::new(queues), ..scenario.clone() };
    let with = if with_jobs { copy_jobs(&mut scenario, &renamed) } else { String::new() };
    let terms = Terms::of(&scenario.policy);
    Ok(Changed { scenario, name: format!("duplicate {} {queue}{with}", terms.word("queue")), select })
}

/// Copies the jobs of queues to the copies of these queues. Copies of jobs that run from the start are pending.
fn copy_jobs(scenario: &mut Scenario, renamed: &[(String, String)]) -> String {
    let mut taken: BTreeSet<String> = scenario.jobs.iter().map(|job| job.name.clone()).collect();
    let mut copies = Vec::new();
    for job in scenario.jobs.iter() {
        let Some((_, queue)) = renamed.iter().find(|(old, _)| *old == job.queue) else { continue };
        let name = free_name(&format!("{}-copy", job.name), taken.iter().map(String::as_str));
        taken.insert(name.clone());
        copies.push(JobEntry { name, queue: queue.clone(), ..job.clone().not_running() });
    }
    let with = if copies.is_empty() { String::new() } else { Terms::of(&scenario.policy).fill(" with its [jobs]") };
    Arc::make_mut(&mut scenario.jobs).extend(copies);
    with
}

fn move_queue(scenario: &Scenario, queue: &str, to: &Shift) -> Result<Changed, String> {
    let position = |name: &str| scenario.queues.iter().position(|q| q.name == name);
    let Some(at) = position(queue) else { return Err(format!("There is no {queue}.")) };
    let mut queues = scenario.queues.to_vec();
    let name = match to {
        Shift::Under(parent) => {
            if parent.as_ref().is_some_and(|p| tree::subtree(scenario, queue).contains(p)) {
                return Err(format!("{queue} cannot be moved below itself."));
            }
            queues[at].parent = parent.clone();
            let entry = queues.remove(at);
            queues.push(entry);
            match parent {
                Some(parent) => format!("move {queue} below {parent}"),
                None => format!("move {queue} to the top"),
            }
        }
        Shift::Before(other) => {
            let Some(target) = position(other) else { return Err(format!("There is no {other}.")) };
            if tree::subtree(scenario, queue).contains(other) {
                return Err(format!("{queue} cannot be moved below itself."));
            }
            let parent = queues[target].parent.clone();
            let mut entry = queues.remove(at);
            entry.parent = parent;
            queues.insert(target - usize::from(at < target), entry);
            format!("move {queue} before {other}")
        }
        Shift::Up | Shift::Down => {
            let siblings: Vec<usize> = (0..queues.len()).filter(|&i| queues[i].parent == queues[at].parent).collect();
            let here = siblings.iter().position(|&i| i == at).expect("a queue is its own sibling");
            let other = if *to == Shift::Up { here.checked_sub(1) } else { Some(here + 1) };
            let Some(&other) = other.and_then(|i| siblings.get(i)) else {
                return Err(format!("{queue} cannot be moved further."));
            };
            queues.swap(at, other);
            format!("move {queue} {}", if *to == Shift::Up { "up" } else { "down" })
        }
    };
    let scenario = Scenario { queues: Arc::new(queues), ..scenario.clone() };
    Ok(Changed { scenario, name, select: Some(Selection::Queue(queue.to_string())) })
}

pub(crate) fn remove(scenario: &Scenario, list: &str, name: &str, kind: &'static str) -> Result<Changed, String> {
    let edit = Edit::Remove { at: Path::default().field(list).named(name) };
    let scenario = document::apply(scenario, &[edit])?;
    let terms = Terms::of(&scenario.policy);
    Ok(Changed { scenario, name: format!("remove {} {name}", terms.word(kind)), select: None })
}

fn add_nodes(scenario: &Scenario) -> Changed {
    let entry = next_node(scenario);
    let name = entry.name.clone();
    let mut nodes = scenario.nodes.to_vec();
    nodes.push(entry);
    let scenario = Scenario { nodes: Arc::new(nodes), ..scenario.clone() };
    Changed { scenario, name: format!("add nodes {name}"), select: None }
}

fn add_job(scenario: &Scenario, queue: Option<&str>, selection: Option<&Selection>) -> Result<Changed, String> {
    let leaf = |name: &str| tree::is_leaf(scenario, name).then(|| name.to_string());
    let selected = match selection {
        Some(Selection::Queue(name)) => leaf(name),
        Some(Selection::Job(job)) => scenario.jobs.iter().find(|j| j.name == *job).map(|j| j.queue.clone()),
        _ => None,
    };
    let first = || scenario.queues.iter().find_map(|q| leaf(&q.name));
    let terms = Terms::of(&scenario.policy);
    let Some(queue) = queue.map(str::to_string).or(selected).or_else(first) else {
        return Err(terms.fill("Add a [queue] first: [jobs] belong to [queues]."));
    };
    let name = free_name("job", scenario.jobs.iter().map(|j| j.name.as_str()));
    let entry = JobEntry { name: name.clone(), queue: queue.clone(), gpu: Some("1".into()), ..JobEntry::default() };
    let mut jobs = scenario.jobs.to_vec();
    jobs.push(entry);
    Ok(Changed {
        scenario: Scenario { jobs: Arc::new(jobs), ..scenario.clone() },
        name: format!("add {} {name} to {queue}", terms.word("job")),
        select: Some(Selection::Job(name)),
    })
}

fn duplicate_job(scenario: &Scenario, job: &str) -> Result<Changed, String> {
    let Some(at) = scenario.jobs.iter().position(|j| j.name == job) else {
        return Err(format!("There is no {job}."));
    };
    let mut copy = scenario.jobs[at].clone().not_running();
    copy.name = free_name(&format!("{job}-copy"), scenario.jobs.iter().map(|j| j.name.as_str()));
    let name = copy.name.clone();
    let mut jobs = scenario.jobs.to_vec();
    jobs.insert(at + 1, copy);
    Ok(Changed {
        scenario: Scenario { jobs: Arc::new(jobs), ..scenario.clone() },
        name: format!("duplicate {} {job}", Terms::of(&scenario.policy).word("job")),
        select: Some(Selection::Job(name)),
    })
}

/// Name of the undo step for a value, such as *quota of team-a 2 → 4*.
pub fn name_of_set(before: &Scenario, at: &Path, value: &str) -> String {
    let old = document::value(before, at);
    let shown = |text: &str| if text.trim().is_empty() { "not set".to_string() } else { text.trim().to_string() };
    let (owner, field) = owner_and_field(at);
    if field == "name" && owner.is_some() {
        return format!("rename {} to {}", owner.unwrap_or_default(), value.trim());
    }
    if owner.is_none() && field == "policy" {
        return format!("policy {} → {}", product(&old), product(value.trim()));
    }
    let words = in_words(&field, Terms::of(&before.policy));
    match owner {
        Some(owner) => format!("{words} of {owner} {} → {}", shown(&old), shown(value)),
        None if words == "name" => format!("title {} → {}", shown(&old), shown(value)),
        None => format!("{words} {} → {}", shown(&old), shown(value)),
    }
}

/// Name of the undo step for a value of several rows, such as *quota of 3 queues → 4*.
pub fn name_of_sets(at: &Path, n: usize, value: &str) -> String {
    let list = match at.0.first() {
        Some(Segment::Field(list)) => list.as_str(),
        _ => "values",
    };
    let value = if value.trim().is_empty() { "not set" } else { value.trim() };
    format!("{} of {n} {list} → {value}", owner_and_field(at).1.replace(['_', '-'], " "))
}

/// A field name in the vocabulary of a policy, such as *memory quota*.
fn in_words(field: &str, terms: &Terms) -> String {
    let words: Vec<&str> = field.split(['_', '-', ' ']).map(|word| terms.word(word)).collect();
    words.join(" ")
}

/// Description of a field, such as *quota of team-a*.
pub fn name_of(at: &Path, terms: &Terms) -> String {
    let (owner, field) = owner_and_field(at);
    let words = in_words(&field, terms);
    match owner {
        Some(owner) if words.is_empty() => owner,
        Some(owner) => format!("{words} of {owner}"),
        None => words,
    }
}

/// Owner and description of a field: (`team-a`, `cpu quota`). GPU is the default resource and not named.
fn owner_and_field(at: &Path) -> (Option<String>, String) {
    let mut owner = None;
    let mut fields: Vec<&str> = Vec::new();
    for segment in &at.0 {
        match segment {
            Segment::Named(name) => {
                owner = Some(name.clone());
                fields.clear();
            }
            Segment::At(_) => {}
            Segment::Field(name) => fields.push(name),
        }
    }
    if fields.len() > 1 && (fields[0] == "gpu" || fields[0] == "settings") {
        fields.remove(0);
    }
    (owner, fields.join(" "))
}

/// Increments the value of a number field; `None` if the text is not a plain number. Whole numbers stay whole and never
/// become negative.
pub fn stepped(text: &str, by: i64) -> Option<String> {
    let text = text.trim();
    let number: f64 = if text.is_empty() { 0.0 } else { text.parse().ok()? };
    let next = number + by as f64;
    if !next.is_finite() || next.abs() > 1e9 {
        return None;
    }
    let next = (next.max(0.0) * 1000.0).round() / 1000.0;
    Some(format!("{next}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A single node keeps its name whether its count is unset or 1; a group that shrinks to one node keeps `n-1`.
    #[test]
    fn one_node_keeps_its_name() {
        let names = |scenario: &Scenario| {
            let plan = fairground::scenario::check(scenario).plan.expect("it can be run");
            plan.cluster.nodes.values().map(|node| node.name.to_string()).collect::<Vec<_>>()
        };
        let added = add_nodes(&Scenario::default()).scenario;
        assert_eq!(names(&added), ["nodes-1"]);
        let count = Path::default().field("nodes").named("nodes-1").field("count");
        let typed = |scenario: &Scenario, text: &str| document::set(scenario, &count, text).expect(text);
        assert_eq!(names(&typed(&added, "1")), ["nodes-1"]);
        let two = typed(&added, "2");
        assert_eq!(names(&two), ["nodes-1-1", "nodes-1-2"]);
        assert_eq!(names(&typed(&two, "1")), ["nodes-1-1"]);
        assert_eq!(names(&typed(&two, "")), ["nodes-1"]);
        let job = Path::default().field("jobs").named("j").field("count");
        let jobs = "format: fairground-scenario\nversion: 1\njobs: [{name: j, queue: q}]\n";
        let jobs = document::from_text(jobs).expect("a scenario");
        assert_eq!(document::set(&jobs, &job, " 1 "), Ok(jobs.clone()));
    }

    #[test]
    fn numbers_are_stepped() {
        assert_eq!(stepped("2", 1).as_deref(), Some("3"));
        assert_eq!(stepped("0.5", -1).as_deref(), Some("0"));
        assert_eq!(stepped("", 10).as_deref(), Some("10"));
        assert_eq!(stepped("1.3", 1).as_deref(), Some("2.3"));
        assert_eq!(stepped("unlimited", 1), None);
    }

    #[test]
    fn a_queue_is_copied_with_or_without_its_jobs() {
        let text = "format: fairground-scenario\nversion: 1\nnodes: [{name: n, gpu: 8}]\n\
                    queues: [{name: top, gpu: {quota: 8, limit: unlimited}}, {name: q, parent: top, gpu: {quota: 8, limit: unlimited}}]\n\
                    jobs: [{name: j, queue: q, gpu: 1, on: [n], submit: -2s, started: -1s}, {name: k, queue: q, gpu: 1}]\n";
        let scenario = document::from_text(text).expect("it is clean");
        let copy = |jobs| {
            let change = Change::DuplicateQueue { queue: "top".into(), jobs };
            super::change(&scenario, &change, None).expect("it can be copied")
        };
        let names = |changed: &Changed| {
            let jobs = changed.scenario.jobs.iter().map(|job| format!("{} in {}", job.name, job.queue));
            jobs.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(names(&copy(false)), "j in q, k in q");
        let with = copy(true);
        assert_eq!(names(&with), "j in q, k in q, j-copy-1 in q-copy-1, k-copy-1 in q-copy-1");
        assert_eq!(with.name, "duplicate queue top with its jobs");
        let parent = with.scenario.queues.iter().find(|q| q.name == "q-copy-1").and_then(|q| q.parent.clone());
        assert_eq!(parent.as_deref(), Some("top-copy-1"));
        assert!(fairground::scenario::check(&with.scenario).plan.is_some(), "what ran on a device waits in the copy");
    }

    #[test]
    fn places_are_named() {
        let at = Path::default().field("queues").named("team-a").field("gpu").field("quota");
        assert_eq!(owner_and_field(&at), (Some("team-a".into()), "quota".into()));
        assert_eq!(name_of(&at, &Terms::PLAIN), "quota of team-a");
        let own = Terms { pairs: &[("quota", "ownership")], ..Terms::PLAIN };
        assert_eq!(name_of(&at, &own), "ownership of team-a");
        assert_eq!(name_of(&Path::default().field("jobs").named("x"), &Terms::PLAIN), "x");
        let at = Path::default().field("settings").field("k_value");
        assert_eq!(owner_and_field(&at), (None, "k_value".into()));
        assert_eq!(name_of(&at, &Terms::PLAIN), "k value");
    }
}
