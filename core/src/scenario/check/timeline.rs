//! Resolves the timeline of external changes.

use std::collections::BTreeMap;

use super::super::plan::{PlanChange, Planned};
use super::jobs::Jobs;
use super::named::Named;
use super::names::{self, Index};
use super::nodes::{self, Nodes};
use super::pools::{self, Pools};
use super::queues::{self, Queues};
use super::{Here, rules, settings};
use crate::cluster::{Capacity, NodeState, QueueResource};
use crate::format::{CapacityEntry, Findings, Fix, Scenario, TimelineEntry, codes, quantity, quoted, remove, set};
use crate::id::{Arena, JobId, NodeId, PartitionId, QueueId};
use crate::policy::{Policy, Rhythm};
use crate::time::Time;
use crate::units::{PerResource, ResourceVec};

/// The values of every queue in every pool after the entries resolved so far.
type Now = Arena<PartitionId, Arena<QueueId, PerResource<QueueResource>>>;

/// The capacities of changed nodes after the entries resolved so far.
type Capacities = BTreeMap<NodeId, Capacity>;

/// Resolves the timeline, by time, then file order.
pub fn timeline(
    s: &Scenario,
    own: (&Policy, Rhythm),
    (pools, named): (&Pools, &Named),
    nodes: &Nodes,
    queues: &Queues,
    jobs: &Jobs,
    f: &mut Findings,
) -> Vec<Planned> {
    let moments = moments(s, f);
    let values = |pool| queues.in_pool(pool).values().map(|queue| queue.resources).collect();
    let mut now: Now = pools.ids().map(values).collect();
    let mut capacities = Capacities::new();
    let mut head = s.clone();
    let mut planned = Vec::with_capacity(moments.len());
    let mut order: Vec<usize> = (0..moments.len()).collect();
    order.sort_by_key(|&i| moments[i]);
    for i in order {
        let at = moments[i];
        let entry = &s.timeline[i];
        if entry.is_remark() {
            continue;
        }
        let here = Here::section("timeline", i, None);
        let has_settings = !entry.settings.is_empty() || !entry.unset.is_empty();
        let targets = [entry.queue.is_some(), entry.node.is_some(), entry.job.is_some(), has_settings];
        let change = match targets.into_iter().filter(|given| *given).count() {
            1 => match (&entry.queue, &entry.node, &entry.job) {
                (Some(name), _, _) => queue_change(entry, name, here, (pools, queues), &mut now, f),
                (_, Some(name), _) => {
                    no_pool(entry, here, f);
                    node_change(entry, name, here, (nodes, named, &mut capacities), f)
                }
                (_, _, Some(name)) => {
                    no_pool(entry, here, f);
                    no_capacity(entry, here, f);
                    job_end(name, here, jobs, f)
                }
                _ => {
                    no_pool(entry, here, f);
                    no_capacity(entry, here, f);
                    settings_change(entry, here, own, &mut head, f)
                }
            },
            n => {
                let (code, says) = match n {
                    0 => (codes::EMPTY_ENTRY, "this entry names no [queue], [node] or [job]; name one or remove it"),
                    _ => (
                        codes::CONFLICT,
                        "this entry names several of [queue], [node], [job] and settings; name only one",
                    ),
                };
                f.add(code, here.path(), says, remove_entry(here));
                None
            }
        };
        if let Some(change) = change {
            let entry = u32::try_from(i).unwrap_or(u32::MAX);
            planned.push(Planned { at: Time::from_millis(at), entry, change });
        }
    }
    planned
}

/// The time of each entry, in milliseconds.
fn moments(s: &Scenario, f: &mut Findings) -> Vec<i64> {
    let mut moments = Vec::with_capacity(s.timeline.len());
    for (i, entry) in s.timeline.iter().enumerate() {
        let here = Here::section("timeline", i, None);
        let at = f.time(&Some(entry.at.clone()), 0, &|| here.field("at"), &quantity::millis);
        if at < 0 {
            let says = "the timeline begins at 0; set a moment from then on";
            f.suggest(codes::NOT_IN_TIMELINE, here.field("at"), says, "0", "Let it happen at the start");
        }
        moments.push(at);
    }
    moments
}

fn remove_entry(here: Here<'_>) -> Option<Fix> {
    remove(here.path(), "Remove the entry")
}

fn find(name: &str, what: &'static str, index: &Index, here: Here<'_>, f: &mut Findings) -> Option<u32> {
    let found = index.find(name).filter(|_| !name.is_empty());
    if found.is_none() {
        names::unknown(codes::UNKNOWN_TARGET, what, name, index, here.field(what), remove_entry(here), f);
    }
    found
}

fn queue_change(
    entry: &TimelineEntry,
    name: &str,
    here: Here<'_>,
    (pools, queues): (&Pools, &Queues),
    now: &mut Now,
    f: &mut Findings,
) -> Option<PlanChange> {
    let mut changed = Vec::new();
    let queue = find(name, "queue", &queues.index, here, f).map(QueueId);
    let only = entry.pool.as_ref().map(|name| pools.find(name, "", here.field("pool"), f));
    let only = only.map(|pool| pool.unwrap_or(PartitionId(0)));
    for (resource, part) in queues::parts(&entry.cpu, &entry.memory, &entry.gpu) {
        let here = here.group(resource.name());
        if part.usage.is_some() {
            let says = "past usage is part of the start and cannot be changed; remove it";
            f.suggest(codes::NOT_IN_TIMELINE, here.field("usage"), says, "", "Remove it");
        }
        if part.quota.is_some() || part.limit.is_some() || part.weight.is_some() {
            changed.push(resource);
        }
    }
    let mut resources = Vec::new();
    for pool in pools.ids().filter(|pool| only.is_none_or(|only| only == *pool)) {
        let mut values = queue.map(|queue| now[pool][queue]).unwrap_or_default();
        // Invalid values are reported only once.
        let mut again = Findings::default();
        let f = if resources.is_empty() { &mut *f } else { &mut again };
        for (resource, part) in queues::parts(&entry.cpu, &entry.memory, &entry.gpu) {
            let here = here.group(resource.name());
            values.set(resource, queues::change(part, resource, values.get(resource), here, f));
        }
        resources.push((pool, values));
    }
    let priority = queues::priority(&entry.priority, here, f);
    ignored(entry, here, f);
    no_capacity(entry, here, f);
    let usage_only = entry.cpu.usage.is_some() || entry.memory.usage.is_some() || entry.gpu.usage.is_some();
    if changed.is_empty() && entry.priority.is_none() && !usage_only {
        let says = "this entry changes nothing of the [queue]; give new values or remove it";
        f.add(codes::EMPTY_ENTRY, here.path(), says, remove_entry(here));
    }
    let queue = queue?;
    for (pool, values) in &resources {
        now[*pool][queue] = *values;
    }
    Some(PlanChange::Queue { queue, priority, resources, changed })
}

/// Resolves a change of settings; only some policies reload their configuration, others would have to be restarted.
fn settings_change(
    entry: &TimelineEntry,
    here: Here<'_>,
    (policy, rhythm): (&Policy, Rhythm),
    head: &mut Scenario,
    f: &mut Findings,
) -> Option<PlanChange> {
    let field = if entry.settings.is_empty() { "unset" } else { "settings" };
    let policy = policy.description();
    let Some(fixed) = policy.supports.reloads else {
        let says = format!("{} does not read its settings anew during a run; remove the entry", policy.name);
        f.add(codes::NOT_IN_TIMELINE, here.field(field), says, remove_entry(here));
        return None;
    };
    let given = entry.settings.keys().map(|name| (name, "settings"));
    for (name, field) in given.chain(entry.unset.iter().map(|name| (name, "unset"))) {
        if fixed.contains(&name.as_str()) {
            let says = format!("{name} cannot change during a run; remove it");
            f.add(codes::NOT_IN_TIMELINE, here.field(field), says, remove_entry(here));
        }
        if field == "unset" && head.settings.remove(name).is_none() {
            let says = format!("{} is not set at this moment; remove it", quoted(name));
            f.add(codes::EMPTY_ENTRY, here.field(field), says, None);
        }
    }
    head.settings.extend(entry.settings.iter().map(|(name, value)| (name.clone(), value.clone())));
    let mut found = Findings::default();
    let (policy, _, _) = settings::settings(head, &mut found);
    pools::own_findings(found, &entry.settings, false, &here.path(), f);
    let scheduling = pools::scheduling(head, (policy, rhythm), &mut Findings::default());
    Some(PlanChange::Settings { scheduling })
}

/// Reports a pool in an entry for a node or a job.
fn no_pool(entry: &TimelineEntry, here: Here<'_>, f: &mut Findings) {
    if entry.pool.is_some() {
        let says = "only a change of a [queue] has a pool; remove it";
        f.suggest(codes::CONFLICT, here.field("pool"), says, "", "Remove the pool");
    }
}

/// Reports a state in an entry for a queue or a job.
fn ignored(entry: &TimelineEntry, here: Here<'_>, f: &mut Findings) {
    if entry.state.is_some() {
        let says = "only [nodes] have a state; remove it";
        f.suggest(codes::CONFLICT, here.field("state"), says, "", "Remove the state");
    }
}

/// Reports a capacity in an entry for a queue or a job.
fn no_capacity(entry: &TimelineEntry, here: Here<'_>, f: &mut Findings) {
    if entry.capacity != CapacityEntry::default() {
        let at = here.field("capacity");
        let says = "only [nodes] have a capacity; remove it";
        f.add(codes::CONFLICT, at, says, None);
    }
}

fn node_change(
    entry: &TimelineEntry,
    name: &str,
    here: Here<'_>,
    (nodes, named, capacities): (&Nodes, &Named, &mut Capacities),
    f: &mut Findings,
) -> Option<PlanChange> {
    let node = nodes.complete.then(|| find(name, "node", &nodes.index, here, f)).flatten();
    let has_capacity = entry.capacity != CapacityEntry::default();
    let state = match &entry.state {
        None if has_capacity => None,
        None => {
            let says = "this entry changes nothing of the [node]; add `state: down` or `state: ready`";
            f.add(codes::EMPTY_ENTRY, here.path(), says, set(here.field("state"), "down", "Set the state to down"));
            Some(NodeState::Down)
        }
        Some(state) => Some(rules::node_state(state, here, f).unwrap_or(NodeState::Down)),
    };
    let node = node.map(NodeId);
    let known = node.and_then(|node| capacities.get(&node).copied().or(Some(nodes.all.get(node)?.capacity())));
    let known = known.unwrap_or(Capacity { amounts: ResourceVec::default(), pods_max: 0 });
    let capacity = has_capacity.then(|| nodes::changed(&entry.capacity, known, here.group("capacity"), named, f));
    capacities.extend(node.zip(capacity));
    Some(PlanChange::Node { node: node?, state, capacity })
}

fn job_end(name: &str, here: Here<'_>, jobs: &Jobs, f: &mut Findings) -> Option<PlanChange> {
    let job = jobs.complete.then(|| find(name, "job", &jobs.index, here, f)).flatten();
    job.map(|job| PlanChange::EndJob { job: JobId(job) })
}
