//! Resolves the timeline of external changes; the configuration that reloads lead to is checked as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::jobs::Jobs;
use super::named::Named;
use super::names::{self, Index};
use super::nodes::{self, Nodes};
use super::queues::{self, Queues};
use super::scheduling::{self, Pools};
use super::{Location, rules};
use crate::cluster::{Capacity, NodeState, Queue, QueueResource};
use crate::format::{
    CapacityEntry, Diagnostic, Findings, Fix, Path, Scenario, Segment, TimelineEntry, codes, quantity, quoted, remove,
    set,
};
use crate::id::{Arena, JobId, NodeId, PartitionId, QueueId};
use crate::policy::draft::Draft;
use crate::policy::{Policy, Rhythm};
use crate::scenario::{PlanChange, Planned};
use crate::time::Time;
use crate::units::{PerResource, ResourceVec};

/// The values of every queue in every pool after the entries resolved so far.
type Now = Arena<PartitionId, Arena<QueueId, PerResource<QueueResource>>>;

/// The capacities of changed nodes after the entries resolved so far.
type Capacities = BTreeMap<NodeId, Capacity>;

/// Resolves the timeline, by time, then file order.
pub fn timeline(
    scenario: &Scenario,
    scheduling: (&Policy, Rhythm),
    (pools, named): (&Pools, &Named),
    nodes: &Nodes,
    queues: &Queues,
    jobs: &Jobs,
    f: &mut Findings,
) -> Vec<Planned> {
    let moments = moments(scenario, f);
    let values = |pool| queues.in_pool(pool).values().map(|queue| queue.resources).collect();
    let mut queue_values: Now = pools.ids().map(values).collect();
    let mut capacities = Capacities::new();
    let mut head = scenario.clone();
    let mut planned = Vec::with_capacity(moments.len());
    let mut order: Vec<usize> = (0..moments.len()).collect();
    order.sort_by_key(|&i| moments[i]);
    for i in order {
        let time_ms = moments[i];
        let entry = &scenario.timeline[i];
        if entry.is_remark() {
            continue;
        }
        let location = Location::section("timeline", i, None);
        let has_settings = !entry.settings.is_empty() || !entry.unset.is_empty();
        let targets = [entry.queue.is_some(), entry.node.is_some(), entry.job.is_some(), has_settings];
        let change = match targets.into_iter().filter(|is_given| *is_given).count() {
            1 => match (&entry.queue, &entry.node, &entry.job) {
                (Some(name), _, _) => queue_change(entry, name, location, (pools, queues), &mut queue_values, f),
                (_, Some(name), _) => {
                    no_pool(entry, location, f);
                    node_change(entry, name, location, (nodes, named, &mut capacities), f)
                }
                (_, _, Some(name)) => {
                    no_pool(entry, location, f);
                    no_capacity(entry, location, f);
                    job_end(name, location, jobs, f)
                }
                _ => {
                    no_pool(entry, location, f);
                    no_capacity(entry, location, f);
                    settings_change(entry, location, scheduling, &mut head, f)
                }
            },
            n => {
                let (code, message) = match n {
                    0 => (codes::EMPTY_ENTRY, "this entry names no [queue], [node] or [job]; name one or remove it"),
                    _ => (
                        codes::CONFLICT,
                        "this entry names several of [queue], [node], [job] and settings; name only one",
                    ),
                };
                f.add(code, location.path(), message, remove_entry(location));
                None
            }
        };
        if let Some(change) = change {
            let entry = u32::try_from(i).unwrap_or(u32::MAX);
            planned.push(Planned { at: Time::from_millis(time_ms), entry, change });
        }
    }
    planned
}

/// The time of each entry, in milliseconds.
fn moments(scenario: &Scenario, f: &mut Findings) -> Vec<i64> {
    let mut moments = Vec::with_capacity(scenario.timeline.len());
    for (i, entry) in scenario.timeline.iter().enumerate() {
        let location = Location::section("timeline", i, None);
        let time_ms = f.time(&Some(entry.at.clone()), 0, &|| location.field("at"), &quantity::millis);
        if time_ms < 0 {
            let message = "the timeline begins at 0; set a moment from then on";
            f.suggest(codes::NOT_IN_TIMELINE, location.field("at"), message, "0", "Let it happen at the start");
        }
        moments.push(time_ms);
    }
    moments
}

fn remove_entry(location: Location<'_>) -> Option<Fix> {
    remove(location.path(), "Remove the entry")
}

fn find(name: &str, what: &'static str, index: &Index, location: Location<'_>, f: &mut Findings) -> Option<u32> {
    let position = index.find(name).filter(|_| !name.is_empty());
    if position.is_none() {
        names::unknown(codes::UNKNOWN_TARGET, what, name, index, location.field(what), remove_entry(location), f);
    }
    position
}

fn queue_change(
    entry: &TimelineEntry,
    name: &str,
    location: Location<'_>,
    (pools, queues): (&Pools, &Queues),
    queue_values: &mut Now,
    f: &mut Findings,
) -> Option<PlanChange> {
    let mut changed = Vec::new();
    let queue = find(name, "queue", &queues.index, location, f).map(QueueId);
    let pools_changed = entry.pool.as_ref().map(|name| pools.find(name, "", location.field("pool"), f));
    let pools_changed = pools_changed.map(|pool| pool.unwrap_or(PartitionId(0)));
    for (resource, part) in queues::parts(&entry.cpu, &entry.memory, &entry.gpu) {
        let location = location.group(resource.name());
        if part.usage.is_some() {
            let message = "past usage is part of the start and cannot be changed; remove it";
            f.suggest(codes::NOT_IN_TIMELINE, location.field("usage"), message, "", "Remove it");
        }
        if part.quota.is_some() || part.limit.is_some() || part.weight.is_some() {
            changed.push(resource);
        }
    }
    let mut resources = Vec::new();
    for pool in pools.ids().filter(|pool| pools_changed.is_none_or(|pools_changed| pools_changed == *pool)) {
        let mut values = queue.map(|queue| queue_values[pool][queue]).unwrap_or_default();
        // Invalid values are reported only once.
        let mut again = Findings::default();
        let f = if resources.is_empty() { &mut *f } else { &mut again };
        for (resource, part) in queues::parts(&entry.cpu, &entry.memory, &entry.gpu) {
            let location = location.group(resource.name());
            values.set(resource, queues::change(part, resource, values.get(resource), location, f));
        }
        resources.push((pool, values));
    }
    let priority = queues::priority(&entry.priority, location, f);
    ignored(entry, location, f);
    no_capacity(entry, location, f);
    let usage_only = entry.cpu.usage.is_some() || entry.memory.usage.is_some() || entry.gpu.usage.is_some();
    if changed.is_empty() && entry.priority.is_none() && !usage_only {
        let message = "this entry changes nothing of the [queue]; give new values or remove it";
        f.add(codes::EMPTY_ENTRY, location.path(), message, remove_entry(location));
    }
    let queue = queue?;
    for (pool, values) in &resources {
        queue_values[*pool][queue] = *values;
    }
    Some(PlanChange::Queue { queue, priority, resources, changed })
}

/// Resolves a change of settings; only some policies reload their configuration, others would have to be restarted.
fn settings_change(
    entry: &TimelineEntry,
    location: Location<'_>,
    (policy, rhythm): (&Policy, Rhythm),
    head: &mut Scenario,
    f: &mut Findings,
) -> Option<PlanChange> {
    let field = if entry.settings.is_empty() { "unset" } else { "settings" };
    let policy = policy.description();
    let Some(fixed) = policy.supports.reloads else {
        let message = format!("{} does not read its settings anew during a run; remove the entry", policy.name);
        f.add(codes::NOT_IN_TIMELINE, location.field(field), message, remove_entry(location));
        return None;
    };
    let names = entry.settings.keys().map(|name| (name, "settings"));
    for (name, field) in names.chain(entry.unset.iter().map(|name| (name, "unset"))) {
        if fixed.contains(&name.as_str()) {
            let message = format!("{name} cannot change during a run; remove it");
            f.add(codes::NOT_IN_TIMELINE, location.field(field), message, remove_entry(location));
        }
        if field == "unset" && head.settings.remove(name).is_none() {
            let message = format!("{} is not set at this moment; remove it", quoted(name));
            f.add(codes::EMPTY_ENTRY, location.field(field), message, None);
        }
    }
    head.settings.extend(entry.settings.iter().map(|(name, value)| (name.clone(), value.clone())));
    let mut findings = Findings::default();
    let (policy, _, _) = scheduling::settings(head, &mut findings);
    scheduling::own_findings(findings, &entry.settings, false, &location.path(), f);
    let scheduling = scheduling::of_pools(head, (policy, rhythm), &mut Findings::default());
    Some(PlanChange::Settings { scheduling })
}

/// Reports a pool in an entry for a node or a job.
fn no_pool(entry: &TimelineEntry, location: Location<'_>, f: &mut Findings) {
    if entry.pool.is_some() {
        let message = "only a change of a [queue] has a pool; remove it";
        f.suggest(codes::CONFLICT, location.field("pool"), message, "", "Remove the pool");
    }
}

/// Reports a state in an entry for a queue or a job.
fn ignored(entry: &TimelineEntry, location: Location<'_>, f: &mut Findings) {
    if entry.state.is_some() {
        let message = "only [nodes] have a state; remove it";
        f.suggest(codes::CONFLICT, location.field("state"), message, "", "Remove the state");
    }
}

/// Reports a capacity in an entry for a queue or a job.
fn no_capacity(entry: &TimelineEntry, location: Location<'_>, f: &mut Findings) {
    if entry.capacity != CapacityEntry::default() {
        let path = location.field("capacity");
        let message = "only [nodes] have a capacity; remove it";
        f.add(codes::CONFLICT, path, message, None);
    }
}

fn node_change(
    entry: &TimelineEntry,
    name: &str,
    location: Location<'_>,
    (nodes, named, capacities): (&Nodes, &Named, &mut Capacities),
    f: &mut Findings,
) -> Option<PlanChange> {
    let node = if nodes.complete { find(name, "node", &nodes.index, location, f) } else { None };
    let has_capacity = entry.capacity != CapacityEntry::default();
    let state = match &entry.state {
        None if has_capacity => None,
        None => {
            let message = "this entry changes nothing of the [node]; add `state: down` or `state: ready`";
            f.add(
                codes::EMPTY_ENTRY,
                location.path(),
                message,
                set(location.field("state"), "down", "Set the state to down"),
            );
            Some(NodeState::Down)
        }
        Some(state) => Some(rules::node_state(state, location, f).unwrap_or(NodeState::Down)),
    };
    let node = node.map(NodeId);
    let current = node.and_then(|node| capacities.get(&node).copied().or(Some(nodes.all.get(node)?.capacity())));
    let current = current.unwrap_or(Capacity { amounts: ResourceVec::default(), pods_max: 0 });
    let capacity = has_capacity.then(|| nodes::changed(&entry.capacity, current, location.group("capacity"), named, f));
    capacities.extend(node.zip(capacity));
    Some(PlanChange::Node { node: node?, state, capacity })
}

fn job_end(name: &str, location: Location<'_>, jobs: &Jobs, f: &mut Findings) -> Option<PlanChange> {
    let job = if jobs.complete { find(name, "job", &jobs.index, location, f) } else { None };
    job.map(|job| PlanChange::EndJob { job: JobId(job) })
}

/// Reports, at the entries of each reload, values that the product would refuse from then on and did not refuse before.
pub fn check_reloads(scenario: &Scenario, policy: &Policy, draft: &Draft<'_>, timeline: &[Planned], f: &mut Findings) {
    if policy.description().supports.reloads.is_none() || !timeline.iter().any(is_reload) {
        return;
    }
    let mut reported: BTreeSet<String> = refused(policy, draft).map(|diagnostic| diagnostic.says).collect();
    let mut queues = draft.queues.clone();
    let mut policy = policy;
    for moment in timeline.chunk_by(|one, next| one.at == next.at) {
        for planned in moment {
            policy = apply_reload(planned, &mut queues).unwrap_or(policy);
        }
        let entries: Vec<usize> =
            moment.iter().filter(|planned| is_reload(planned)).map(|planned| planned.entry as usize).collect();
        let Some(&last) = entries.last() else { continue };
        let draft = Draft { queues: &queues, ..draft.clone() };
        for diagnostic in refused(policy, &draft) {
            if !reported.insert(diagnostic.says.clone()) {
                continue;
            }
            let field = entries.iter().find_map(|&i| own_field(&scenario.timeline[i], i, &diagnostic.at));
            let path = field.unwrap_or_else(|| entry_at(last));
            let message = format!("{}; it would keep its previous configuration", diagnostic.says);
            f.add(codes::REFUSED, path, message, None);
        }
    }
}

fn is_reload(planned: &Planned) -> bool {
    matches!(planned.change, PlanChange::Queue { .. } | PlanChange::Settings { .. })
}

fn refused(policy: &Policy, draft: &Draft<'_>) -> impl Iterator<Item = Diagnostic> {
    let mut findings = Findings::default();
    policy.advise(draft, &mut findings);
    findings.finish().into_iter().filter(|diagnostic| diagnostic.code == codes::REFUSED)
}

/// Applies a change to the queues; returns the new policy, if it changes.
fn apply_reload<'p>(planned: &'p Planned, queues: &mut Arena<QueueId, Queue>) -> Option<&'p Policy> {
    match &planned.change {
        PlanChange::Queue { queue, priority, resources, .. } => {
            let queue = &mut queues[*queue];
            queue.priority = priority.or(queue.priority);
            // Only the values of the first pool are checked.
            let first = resources.iter().find(|(pool, _)| *pool == PartitionId(0));
            queue.resources = first.map_or(queue.resources, |(_, resources)| *resources);
            None
        }
        PlanChange::Settings { .. } => planned.policies().next(),
        PlanChange::Node { .. } | PlanChange::EndJob { .. } => None,
    }
}

fn entry_at(i: usize) -> Path {
    Location::section("timeline", i, None).path()
}

/// The field of a timeline entry that sets the value at a path of the scenario.
fn own_field(entry: &TimelineEntry, i: usize, path: &Path) -> Option<Path> {
    match path.0.as_slice() {
        [Segment::Field(section), Segment::Field(name)] if section == "settings" => {
            if entry.settings.contains_key(name) {
                return Some(entry_at(i).field("settings").field(name));
            }
            entry.unset.contains(name).then(|| entry_at(i).field("unset"))
        }
        [Segment::Field(section), Segment::Named(queue), rest @ ..] if section == "queues" => {
            let is_set = match rest {
                [.., Segment::Field(field)] if field == "quota" => entry.gpu.quota.is_some(),
                [.., Segment::Field(field)] if field == "limit" => entry.gpu.limit.is_some(),
                _ => false,
            };
            let suffix = if is_set { rest } else { &[] };
            let is_own = entry.queue.as_deref() == Some(queue.as_str());
            is_own.then(|| Path(entry_at(i).0.into_iter().chain(suffix.iter().cloned()).collect()))
        }
        _ => None,
    }
}
