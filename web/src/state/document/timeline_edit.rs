//! Edits that hold from the cursor on: entries of the scenario's timeline.
//!
//! # Rule
//! While the switch in SETUP says *from cycle n*, a new quota, limit, weight or priority of a queue and a new state of a node is written
//! into the timeline at the time of cycle n, which is then the first that is decided with it; a job that is added arrives
//! then, and one that is removed ends then. Everything else can only be changed from the start.

use std::sync::Arc;

use fairground::scenario::quantity::{count, millis};
use fairground::scenario::{Edit, Path, Scalar, Scenario, Segment, TimelineEntry};

use super::change::{Change, Changed};
use crate::state::document::{self, Checked};
use crate::state::model::Model;

/// The cycle from which edits hold and its time, if they do not hold from the start.
pub fn moment(model: &Model) -> Option<(u32, i64)> {
    let frame = model.frame.as_ref().filter(|frame| frame.cycle > 0 && model.view.edits_later)?;
    Some((frame.cycle, frame.time_ms))
}

/// A moment as files write it.
pub(crate) fn text_of(time_ms: i64) -> String {
    if time_ms % 1000 == 0 { format!("{}s", time_ms / 1000) } else { format!("{time_ms}ms") }
}

/// What a place is in the timeline.
struct Target {
    /// `queue` or `node`, and its name.
    of: &'static str,
    name: String,
    /// The place below the entry.
    field: Vec<Segment>,
}

/// What can change during a run.
fn target(scenario: &Scenario, at: &Path) -> Option<Target> {
    let [Segment::Field(list), Segment::Named(name), rest @ ..] = at.0.as_slice() else { return None };
    let names: Vec<&str> = rest
        .iter()
        .map(|segment| match segment {
            Segment::Field(field) => field.as_str(),
            _ => "",
        })
        .collect();
    let of = match (list.as_str(), names.as_slice()) {
        ("queues", ["priority"]) => "queue",
        ("queues", ["gpu" | "cpu" | "memory", "quota" | "limit" | "weight"]) => "queue",
        // Equal nodes share one line; an entry is about one node, so each gets one.
        ("nodes", ["state"]) if scenario.nodes.iter().any(|n| n.name == *name && n.count.is_none()) => "node",
        _ => return None,
    };
    Some(Target { of, name: name.clone(), field: rest.to_vec() })
}

fn entry_path(at: usize) -> Path {
    Path::default().field("timeline").at(at as u32)
}

fn is_at(entry: &TimelineEntry, time_ms: i64) -> bool {
    millis(&entry.at.0) == Ok(time_ms)
}

/// The scenario in which a value changes at a moment; `None`: it cannot change during a run.
pub fn set_from(
    scenario: &Scenario,
    at: &Path,
    text: &str,
    time_ms: i64,
) -> Option<Result<Scenario, String>> {
    if let Some(nodes) = group_of_state(scenario, at) {
        let put = |after: Scenario, node: String| node_state(&after, &node, text.trim(), time_ms);
        return Some(nodes.into_iter().try_fold(scenario.clone(), put));
    }
    let target = target(scenario, at)?;
    Some(write(scenario, &target, text.trim(), time_ms))
}

/// Larger groups change from the start only.
const GROUP_MAX: u64 = 200;

/// The nodes of a group, if the place is their state.
fn group_of_state(scenario: &Scenario, at: &Path) -> Option<Vec<String>> {
    let [Segment::Field(list), Segment::Named(name), Segment::Field(field)] = at.0.as_slice() else {
        return None;
    };
    let group =
        scenario.nodes.iter().find(|node| node.name == *name && list == "nodes" && field == "state")?;
    let count = count(&group.count.as_ref()?.0).ok().filter(|n| *n <= GROUP_MAX)?;
    Some((1..=count).map(|n| format!("{name}-{n}")).collect())
}

/// The scenario in which a node, single or of a group, has another state from a moment on; empty: it is ready.
pub fn node_state(scenario: &Scenario, node: &str, state: &str, time_ms: i64) -> Result<Scenario, String> {
    let field = vec![Segment::Field("state".into())];
    write(scenario, &Target { of: "node", name: node.to_string(), field }, state, time_ms)
}

fn write(scenario: &Scenario, target: &Target, text: &str, time_ms: i64) -> Result<Scenario, String> {
    let is_here = |entry: &TimelineEntry| {
        let named = if target.of == "queue" { &entry.queue } else { &entry.node };
        named.as_deref() == Some(target.name.as_str()) && is_at(entry, time_ms)
    };
    let mut entries = scenario.timeline.to_vec();
    let at = entries.iter().position(is_here).unwrap_or_else(|| {
        let mut entry = TimelineEntry { at: Scalar(text_of(time_ms)), ..TimelineEntry::default() };
        *(if target.of == "queue" { &mut entry.queue } else { &mut entry.node }) = Some(target.name.clone());
        entries.push(entry);
        entries.len() - 1
    });
    let with_entry = Scenario { timeline: Arc::new(entries), ..scenario.clone() };
    let place = Path(entry_path(at).0.into_iter().chain(target.field.iter().cloned()).collect());
    // No state of its own is to be ready again.
    let value = if target.of == "node" && text.is_empty() { "ready" } else { text };
    let set = Edit::Set { at: place, value: value.to_string() };
    let mut after = document::apply(&with_entry, &[set])?;
    if is_empty(&after.timeline[at]) {
        after = document::apply(&after, &[Edit::Remove { at: entry_path(at) }])?;
    }
    Ok(after)
}

pub(crate) fn is_empty(entry: &TimelineEntry) -> bool {
    let parts = [&entry.gpu, &entry.cpu, &entry.memory];
    entry.job.is_none()
        && entry.state.is_none()
        && entry.priority.is_none()
        && parts.iter().all(|part| part.quota.is_none() && part.limit.is_none() && part.weight.is_none())
}

/// The queues as they are at a moment.
pub fn at_moment(scenario: &Arc<Scenario>, time_ms: i64) -> Arc<Scenario> {
    let mut entries: Vec<(i64, &TimelineEntry)> =
        scenario.timeline.iter().filter_map(|e| Some((millis(&e.at.0).ok()?, e))).collect();
    entries.retain(|(at, entry)| *at <= time_ms && entry.queue.is_some());
    if entries.is_empty() {
        return scenario.clone();
    }
    entries.sort_by_key(|(at, _)| *at);
    let mut queues = scenario.queues.to_vec();
    for (_, entry) in entries {
        let Some(queue) = queues.iter_mut().find(|q| Some(&q.name) == entry.queue.as_ref()) else { continue };
        let put = |to: &mut Option<Scalar>, from: &Option<Scalar>| *to = from.clone().or(to.take());
        put(&mut queue.priority, &entry.priority);
        for (to, from) in
            [(&mut queue.gpu, &entry.gpu), (&mut queue.cpu, &entry.cpu), (&mut queue.memory, &entry.memory)]
        {
            put(&mut to.quota, &from.quota);
            put(&mut to.limit, &from.limit);
            put(&mut to.weight, &from.weight);
        }
    }
    Arc::new(Scenario { queues: Arc::new(queues), ..(**scenario).clone() })
}

/// A change of more than one value at a moment; `None`: it cannot be made during a run.
pub fn change(
    scenario: &Scenario,
    change: &Change,
    made: &Changed,
    time_ms: i64,
) -> Option<Result<Scenario, String>> {
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
            // A pattern is many jobs; an entry ends one.
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

/// The scenario with one value replaced, from the start or from a cycle on, to be tried out: it may be wrong.
pub(crate) fn set(model: &Model, at: &Path, value: &str) -> Result<Scenario, String> {
    let made = moment(model).and_then(|(_, time_ms)| set_from(&model.scenario, at, value, time_ms));
    made.unwrap_or_else(|| document::set(&model.scenario, at, value))
}

/// The scenario with one value replaced, from the start or from a cycle on, if that makes no mistake.
pub(crate) fn try_set(
    model: &Model,
    at: &Path,
    value: &str,
) -> Result<(Checked, Option<(u32, i64)>), String> {
    let moment = moment(model);
    let made = moment.and_then(|(_, time_ms)| set_from(&model.scenario, at, value, time_ms));
    match made {
        Some(made) => Ok((model.checked().try_edit(made?)?, moment)),
        None => Ok((model.checked().try_set(at, value)?, None)),
    }
}

/// Why a text cannot be the value of a place, if it cannot.
pub fn mistake(model: &Model, at: &Path, value: &str) -> Option<String> {
    try_set(model, at, value).err()
}

/// The same change from the cursor on, if that is wanted and possible.
pub(crate) fn made(model: &Model, change: &Change, made: Changed) -> Result<Changed, String> {
    let Some((cycle, time_ms)) = moment(model) else { return Ok(made) };
    match crate::state::document::timeline_edit::change(&model.scenario, change, &made, time_ms) {
        Some(scenario) => {
            let checked = model.checked().try_edit(scenario?)?;
            let name = format!("{} from cycle {cycle}", made.name);
            Ok(Changed { scenario: Arc::unwrap_or_clone(checked.scenario), name, ..made })
        }
        None => Ok(made),
    }
}

/// The entries of the timeline in words, in order of time: place, moment, what changes.
pub fn lines(scenario: &Scenario) -> Vec<(Path, i64, String)> {
    let line = |(at, entry): (usize, &TimelineEntry)| {
        let mut parts = Vec::new();
        let mut part = |name: String, value: &Option<Scalar>| {
            parts.extend(value.as_ref().map(|value| format!("{name} {}", value.0)));
        };
        part("priority".into(), &entry.priority);
        for (resource, of) in [("", &entry.gpu), ("CPU ", &entry.cpu), ("memory ", &entry.memory)] {
            part(format!("{resource}quota"), &of.quota);
            part(format!("{resource}limit"), &of.limit);
            part(format!("{resource}weight"), &of.weight);
        }
        parts.extend(entry.state.as_ref().map(|state| state.0.clone()));
        parts.extend(entry.job.as_ref().map(|_| "ends".to_string()));
        let who = entry.queue.as_ref().or(entry.node.as_ref()).or(entry.job.as_ref());
        let says = match who {
            _ if entry.is_remark() => "Note".to_string(),
            who => format!("{}: {}", who.map_or("", |who| who), parts.join(", ")),
        };
        Some((entry_path(at), millis(&entry.at.0).ok()?, says))
    };
    let mut lines: Vec<(Path, i64, String)> = scenario.timeline.iter().enumerate().filter_map(line).collect();
    lines.sort_by_key(|line| line.1);
    lines
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
        assert_eq!(lines(&both), [(entry_path(0), 7000, "q: priority 7, quota 5".to_string())]);
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
        assert_eq!(lines(&both), [entry(0, "many-1"), entry(1, "many-2")], "one line, two nodes");
        let one = node_state(&scenario(), "many-2", "draining", 7000).expect("there is such a node");
        assert_eq!(lines(&one), [(entry_path(0), 7000, "many-2: draining".to_string())]);
        assert!(fairground::scenario::check(&one).plan.is_some());
        let checked = Checked::of(scenario());
        let unknown = node_state(&scenario(), "many-3", "down", 7000).expect("it can be written");
        assert!(checked.try_edit(unknown).is_err());
        let down = set(&scenario(), &state("n"), "down", 1500);
        assert_eq!(lines(&down), [(entry_path(0), 1500, "n: down".to_string())]);
        let wrong = set_from(&scenario(), &quota(), "many", 7000).expect("it can change");
        assert!(checked.try_edit(wrong.expect("it can be written")).is_err());
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
            (ended.jobs.len(), lines(&ended)),
            (1, vec![(entry_path(0), 7000, "j: ends".to_string())])
        );
        assert!(fairground::scenario::check(&ended).plan.is_some());
    }
}
