//! Edits that apply from the cursor on: entries of the scenario's timeline, and their descriptions.
//!
//! # Rule
//! While the switch in SETUP says *from cycle n*, a new quota, limit, weight or priority of a queue, a new capacity or
//! state of a node, and a new setting of a policy that reloads its configuration are written to the timeline at the
//! time of cycle n, the first cycle to use them; an added job is submitted then, and a removed job ends then. Other
//! values can only be changed from the start.

use std::sync::Arc;

use fairground::policy::Policy;
use fairground::scenario::quantity::{count, millis};
use fairground::scenario::{Edit, Path, Scalar, Scenario, Segment, TimelineEntry, at_moment};

use super::{Change, Changed, ValidValue};
use crate::state::document;
use crate::state::model::Model;

/// The cycle from which edits apply and its time; `None`: from the start.
pub fn moment(model: &Model) -> Option<(u32, i64)> {
    let frame = model.moment.frame.as_ref().filter(|frame| frame.cycle > 0 && model.view.edits_later)?;
    Some((frame.cycle, frame.time_ms))
}

/// Formats a moment as in a scenario file.
pub(crate) fn text_of(time_ms: i64) -> String {
    if time_ms % 1000 == 0 { format!("{}s", time_ms / 1000) } else { format!("{time_ms}ms") }
}

/// The subject of a timeline entry.
#[derive(Clone)]
enum Subject {
    /// A queue, in one pool or in all.
    Queue(String, Option<String>),
    Node(String),
    Settings,
}

impl Subject {
    fn is_of(&self, entry: &TimelineEntry) -> bool {
        match self {
            Subject::Queue(name, pool) => entry.queue.as_ref() == Some(name) && entry.pool == *pool,
            Subject::Node(name) => entry.node.as_ref() == Some(name),
            Subject::Settings => !entry.settings.is_empty() || !entry.unset.is_empty(),
        }
    }

    fn entry(&self, time_ms: i64) -> TimelineEntry {
        let mut entry = TimelineEntry { at: Scalar(text_of(time_ms)), ..TimelineEntry::default() };
        match self {
            Subject::Queue(name, pool) => (entry.queue, entry.pool) = (Some(name.clone()), pool.clone()),
            Subject::Node(name) => entry.node = Some(name.clone()),
            Subject::Settings => {}
        }
        entry
    }
}

/// Larger groups can only be changed from the start.
const GROUP_MAX: u64 = 200;

/// The subjects of the timeline entries that change a value during a run, and the value's path within each. There are
/// several for a node group, because an entry describes one node; none if the value cannot change during a run.
fn targets(scenario: &Scenario, at: &Path) -> (Vec<Subject>, Vec<Segment>) {
    let names: Vec<&str> =
        at.0.iter()
            .map(|segment| match segment {
                Segment::Field(name) | Segment::Named(name) => name.as_str(),
                Segment::At(_) => "",
            })
            .collect();
    let queue = |name: &str, pool: Option<&str>| vec![Subject::Queue(name.into(), pool.map(str::to_owned))];
    let below = |n: usize| at.0[n..].to_vec();
    match names.as_slice() {
        ["queues", name, "priority"] | ["queues", name, "gpu" | "cpu" | "memory", "quota" | "limit" | "weight"] => {
            (queue(name, None), below(2))
        }
        ["queues", name, "pools", pool, "gpu" | "cpu" | "memory", "quota" | "limit" | "weight"] => {
            (queue(name, Some(pool)), below(4))
        }
        ["nodes", name, "state"] => (nodes(scenario, name), below(2)),
        ["nodes", name, "gpu" | "cpu" | "memory" | "pods"] | ["nodes", name, "resources", _] => {
            let capacity = Segment::Field("capacity".into());
            (nodes(scenario, name), std::iter::once(capacity).chain(below(2)).collect())
        }
        ["settings", name] if is_reloaded(scenario, name) => (vec![Subject::Settings], below(0)),
        _ => (Vec::new(), Vec::new()),
    }
}

/// Whether the policy reloads a setting during a run.
fn is_reloaded(scenario: &Scenario, setting: &str) -> bool {
    let fixed = Policy::described_or_default(&scenario.policy).supports.reloads;
    fixed.is_some_and(|fixed| !fixed.contains(&setting))
}

/// The nodes of an entry.
fn nodes(scenario: &Scenario, line: &str) -> Vec<Subject> {
    let Some(entry) = scenario.nodes.iter().find(|node| node.name == line) else { return Vec::new() };
    match &entry.count {
        None => vec![Subject::Node(line.to_owned())],
        Some(n) => {
            let n = count(&n.0).ok().filter(|n| *n <= GROUP_MAX).unwrap_or(0);
            (1..=n).map(|n| Subject::Node(format!("{line}-{n}"))).collect()
        }
    }
}

fn entry_path(at: usize) -> Path {
    Path::default().field("timeline").at(at as u32)
}

fn is_at(entry: &TimelineEntry, time_ms: i64) -> bool {
    millis(&entry.at.0) == Ok(time_ms)
}

/// Changes a value from a moment on; `None`: it cannot change during a run.
pub fn set_from(scenario: &Scenario, at: &Path, text: &str, time_ms: i64) -> Option<Result<Scenario, String>> {
    let (subjects, field) = targets(scenario, at);
    if subjects.is_empty() {
        return None;
    }
    let put = |after: Scenario, subject: Subject| write(&after, &subject, &field, text.trim(), time_ms);
    Some(subjects.into_iter().try_fold(scenario.clone(), put))
}

/// Changes the state of a node, single or of a group, from a moment on; empty: ready.
pub fn node_state(scenario: &Scenario, node: &str, state: &str, time_ms: i64) -> Result<Scenario, String> {
    write(scenario, &Subject::Node(node.into()), &[Segment::Field("state".into())], state, time_ms)
}

/// Writes a value to a subject's entry at a moment; creates the entry if necessary, and removes it if it becomes empty.
fn write(
    scenario: &Scenario,
    subject: &Subject,
    field: &[Segment],
    text: &str,
    time_ms: i64,
) -> Result<Scenario, String> {
    let mut entries = scenario.timeline.to_vec();
    let at = entries.iter().position(|entry| subject.is_of(entry) && is_at(entry, time_ms));
    let at = at.unwrap_or_else(|| {
        entries.push(subject.entry(time_ms));
        entries.len() - 1
    });
    if let ([_, Segment::Field(name)], Subject::Settings) = (field, subject) {
        let is_set = is_set_before(scenario, name, time_ms);
        entries[at].unset.retain(|unset| unset != name);
        if text.is_empty() && is_set {
            entries[at].unset.push(name.clone());
        }
    }
    let with_entry = Scenario { timeline: Arc::new(entries), ..scenario.clone() };
    let place = Path(entry_path(at).0.into_iter().chain(field.iter().cloned()).collect());
    let is_state = matches!(field, [Segment::Field(state)] if state == "state");
    // Unsetting the state makes the node ready again.
    let value = if is_state && text.is_empty() { "ready" } else { text };
    let mut after = document::apply(&with_entry, &[Edit::Set { at: place, value: value.to_string() }])?;
    if is_empty(&after.timeline[at]) {
        after = document::apply(&after, &[Edit::Remove { at: entry_path(at) }])?;
    }
    Ok(after)
}

/// Whether a setting has a value just before a moment.
fn is_set_before(scenario: &Scenario, setting: &str, time_ms: i64) -> bool {
    let before = at_moment(&Arc::new(scenario.clone()), time_ms - 1);
    before.settings.contains_key(setting)
}

/// Whether an entry changes nothing.
fn is_empty(entry: &TimelineEntry) -> bool {
    let kept = TimelineEntry {
        at: entry.at.clone(),
        queue: entry.queue.clone(),
        node: entry.node.clone(),
        pool: entry.pool.clone(),
        note: entry.note.clone(),
        ..TimelineEntry::default()
    };
    *entry == kept
}

/// Makes a change at a moment; `None`: it is not possible during a run.
pub fn change(scenario: &Scenario, change: &Change, made: &Changed, time_ms: i64) -> Option<Result<Scenario, String>> {
    match change {
        Change::Edits { edits, .. } => {
            let mut after = scenario.clone();
            for edit in edits {
                let Edit::Set { at, value } = edit else { return None };
                match set_from(&after, at, value, time_ms)? {
                    Ok(next) => after = next,
                    Err(says) => return Some(Err(says)),
                }
            }
            Some(Ok(after))
        }
        Change::AddJob { .. } | Change::DuplicateJob(_) => {
            let old: Vec<&str> = scenario.jobs.iter().map(|job| job.name.as_str()).collect();
            let mut jobs = made.scenario.jobs.to_vec();
            for job in jobs.iter_mut().filter(|job| !old.contains(&job.name.as_str())) {
                job.submit = Some(Scalar(text_of(time_ms)));
            }
            Some(Ok(Scenario { jobs: Arc::new(jobs), ..made.scenario.clone() }))
        }
        Change::RemoveJob(name) => {
            // An entry ends a single job, but a pattern consists of many.
            scenario.jobs.iter().find(|job| job.name == *name && job.count.is_none())?;
            let ends = |entry: &TimelineEntry| entry.job.as_ref() == Some(name) && is_at(entry, time_ms);
            let mut entries = scenario.timeline.to_vec();
            if !entries.iter().any(ends) {
                let at = Scalar(text_of(time_ms));
                entries.push(TimelineEntry { at, job: Some(name.clone()), ..TimelineEntry::default() });
            }
            Some(Ok(Scenario { timeline: Arc::new(entries), ..scenario.clone() }))
        }
        _ => None,
    }
}

/// Replaces one value, from the start or from a cycle on, for a preview; the result may be invalid.
pub(crate) fn set(model: &Model, at: &Path, value: &str) -> Result<Scenario, String> {
    let made = moment(model).and_then(|(_, time_ms)| set_from(&model.document.scenario, at, value, time_ms));
    made.unwrap_or_else(|| document::set(&model.document.scenario, at, value))
}

/// Whether a value was checked for the present document.
pub(crate) fn is_of(valid: &ValidValue, model: &Model) -> bool {
    Arc::ptr_eq(&valid.before.0, &model.document.scenario) && valid.before.1 == moment(model)
}

/// Replaces one value, from the start or from a cycle on, if that causes no error.
pub fn try_set(model: &Model, at: &Path, value: &str) -> Result<ValidValue, String> {
    let before = model.document.scenario.clone();
    let moment = moment(model);
    let made = moment.and_then(|(_, time_ms)| set_from(&before, at, value, time_ms));
    let (after, from) = match made {
        Some(made) => (model.document.checked().try_edit(made?)?, moment),
        None => (model.document.checked().try_set(at, value)?, None),
    };
    Ok(ValidValue { at: at.clone(), value: value.to_owned(), before: (before, moment), after, from })
}

/// The change, from the cursor on if that is selected and possible.
pub(crate) fn made(model: &Model, change: &Change, made: Changed) -> Result<Changed, String> {
    let Some((cycle, time_ms)) = moment(model) else { return Ok(made) };
    match self::change(&model.document.scenario, change, &made, time_ms) {
        Some(scenario) => {
            let checked = model.document.checked().try_edit(scenario?)?;
            let name = format!("{} from cycle {cycle}", made.name);
            Ok(Changed { scenario: Arc::unwrap_or_clone(checked.scenario), name, ..made })
        }
        None => Ok(made),
    }
}

/// The entries of the timeline, ordered by time: path, moment, description.
pub fn entries_in_order(scenario: &Scenario) -> Vec<(Path, i64, String)> {
    let line = |(at, entry): (usize, &TimelineEntry)| {
        let place = Path::default().field("timeline").at(at as u32);
        Some((place, millis(&entry.at.0).ok()?, says(entry)))
    };
    let mut lines: Vec<(Path, i64, String)> = scenario.timeline.iter().enumerate().filter_map(line).collect();
    lines.sort_by_key(|line| line.1);
    lines
}

fn says(entry: &TimelineEntry) -> String {
    if entry.is_remark() {
        return "Note".to_string();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut part = |name: &str, value: &Option<Scalar>| {
        parts.extend(value.as_ref().map(|value| format!("{name} {}", value.0).trim_start().to_owned()));
    };
    part("priority", &entry.priority);
    for (resource, of) in [("", &entry.gpu), ("CPU ", &entry.cpu), ("memory ", &entry.memory)] {
        part(&format!("{resource}quota"), &of.quota);
        part(&format!("{resource}limit"), &of.limit);
        part(&format!("{resource}weight"), &of.weight);
    }
    part("", &entry.state);
    let capacity = &entry.capacity;
    for (name, of) in
        [("GPUs", &capacity.gpu), ("CPU", &capacity.cpu), ("memory", &capacity.memory), ("pods", &capacity.pods)]
    {
        part(name, of);
    }
    let named = capacity.resources.iter().chain(&entry.settings);
    parts.extend(named.map(|(name, value)| format!("{name} {}", value.0)));
    parts.extend(entry.unset.iter().map(|name| format!("{name} not set")));
    parts.extend(entry.job.as_ref().map(|_| "ends".to_string()));
    let who = entry.queue.as_ref().or(entry.node.as_ref()).or(entry.job.as_ref());
    let who = who.map_or("Settings", |who| who);
    match &entry.pool {
        Some(pool) => format!("{who} in {pool}: {}", parts.join(", ")),
        None => format!("{who}: {}", parts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> Scenario {
        let text = "format: fairground-scenario\nversion: 1\nnodes: [{name: n, gpu: 8}, {name: many, count: 2, gpu: 8}]\n\
                    queues: [{name: q, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
                    jobs: [{name: j, queue: q, gpu: 1}]\n";
        document::from_text(text).expect("it is clean")
    }

    fn quota() -> Path {
        Path::default().field("queues").named("q").field("gpu").field("quota")
    }

    fn set(scenario: &Scenario, at: &Path, text: &str, time_ms: i64) -> Scenario {
        set_from(scenario, at, text, time_ms).expect("it can change later").expect("it is valid")
    }

    #[test]
    fn a_value_changes_at_its_moment_and_not_before() {
        let at = quota();
        let once = Arc::new(set(&scenario(), &at, "4", 7000));
        let quota_at = |time_ms| document::value(&at_moment(&once, time_ms), &quota());
        assert_eq!((quota_at(6999), quota_at(7000)), ("2".to_string(), "4".to_string()));
        assert_eq!(document::value(&once, &at), "2", "the start stays as it was");
        assert!(fairground::scenario::check(&once).plan.is_some());
        let again = set(&once, &at, "5", 7000);
        assert_eq!(again.timeline.len(), 1, "one moment has one entry");
        let both = set(&again, &Path::default().field("queues").named("q").field("priority"), "7", 7000);
        assert_eq!(entries_in_order(&both), [(entry_path(0), 7000, "q: priority 7, quota 5".to_string())]);
        let gone = set(&again, &at, "", 7000);
        assert!(gone.timeline.is_empty(), "an entry that says nothing goes");
    }

    #[test]
    fn what_cannot_change_later_is_told_apart() {
        let name = Path::default().field("queues").named("q").field("name");
        assert!(set_from(&scenario(), &name, "p", 7000).is_none());
        let state = |node: &str| Path::default().field("nodes").named(node).field("state");
        let both = set(&scenario(), &state("many"), "down", 7000);
        let entry = |at, node| (entry_path(at), 7000, format!("{node}: down"));
        assert_eq!(entries_in_order(&both), [entry(0, "many-1"), entry(1, "many-2")], "one line, two nodes");
        let one = node_state(&scenario(), "many-2", "draining", 7000).expect("there is such a node");
        assert_eq!(entries_in_order(&one), [(entry_path(0), 7000, "many-2: draining".to_string())]);
        assert!(fairground::scenario::check(&one).plan.is_some());
        let checked = document::Checked::of(scenario());
        let unknown = node_state(&scenario(), "many-3", "down", 7000).expect("it can be written");
        assert!(checked.try_edit(unknown).is_err());
        let down = set(&scenario(), &state("n"), "down", 1500);
        assert_eq!(entries_in_order(&down), [(entry_path(0), 1500, "n: down".to_string())]);
        let wrong = set_from(&scenario(), &quota(), "many", 7000).expect("it can change");
        assert!(checked.try_edit(wrong.expect("it can be written")).is_err());
    }

    #[test]
    fn nodes_change_their_capacity_and_reloaded_settings_theirs() {
        let at = |node: &str, field: &str| Path::default().field("nodes").named(node).field(field);
        let shrunk = Arc::new(set(&scenario(), &at("n", "gpu"), "6", 7000));
        assert_eq!(entries_in_order(&shrunk), [(entry_path(0), 7000, "n: GPUs 6".to_string())]);
        assert!(fairground::scenario::check(&shrunk).plan.is_some());
        let gpus = |time_ms| document::value(&at_moment(&shrunk, time_ms), &at("n", "gpu"));
        assert_eq!((gpus(6999), gpus(7000)), ("8".to_string(), "6".to_string()));
        assert!(set(&shrunk, &at("n", "gpu"), "", 7000).timeline.is_empty());
        let group = Arc::new(set(&scenario(), &at("many", "memory"), "64 GB", 7000));
        assert_eq!(group.timeline.len(), 2);
        assert_eq!(document::value(&at_moment(&group, 7000), &at("many", "memory")), "64 GB");

        let setting = Path::default().field("settings").field("node-sort");
        assert!(set_from(&scenario(), &setting, "fair", 7000).is_none(), "read at the start only");
        let mut start = scenario();
        let reloads = Policy::ALL.iter().find(|policy| policy.supports.reloads.is_some());
        start.policy = reloads.expect("a policy that reloads").key.to_string();
        let later = set(&start, &setting, "binpacking", 7000);
        assert_eq!(entries_in_order(&later), [(entry_path(0), 7000, "Settings: node-sort binpacking".to_string())]);
        let unset = set(&later, &setting, "", 9000);
        assert_eq!(entries_in_order(&unset)[1].2, "Settings: node-sort not set");
        assert!(fairground::scenario::check(&unset).plan.is_some());
        let then = at_moment(&Arc::new(unset.clone()), 9000);
        assert_eq!(document::value(&then, &setting), "");
        assert_eq!(set(&unset, &setting, "fair", 9000).timeline[1].unset, Vec::<String>::new());
    }

    #[test]
    fn jobs_come_and_end_at_the_moment() {
        let before = scenario();
        let of = |what: Change| {
            let made = super::super::edit::change(&before, &what, None).expect("it can be made");
            change(&before, &what, &made, 7000).expect("it can be made later").expect("it is valid")
        };
        let added = of(Change::AddJob { queue: Some("q".into()) });
        assert_eq!(added.jobs[1].submit.as_ref().map(|at| at.0.as_str()), Some("7s"));
        let ended = of(Change::RemoveJob("j".into()));
        assert_eq!(
            (ended.jobs.len(), entries_in_order(&ended)),
            (1, vec![(entry_path(0), 7000, "j: ends".to_string())])
        );
        assert!(fairground::scenario::check(&ended).plan.is_some());
    }
}
