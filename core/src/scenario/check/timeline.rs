//! What happens from outside during a run.

use super::super::plan::{PlanChange, Planned};
use super::jobs::Jobs;
use super::names::{self, Index};
use super::nodes::Nodes;
use super::pools::Pools;
use super::queues::{self, Queues};
use super::{Here, rules};
use crate::cluster::{NodeState, QueueResource};
use crate::format::codes;
use crate::format::quantity;
use crate::format::{Edit, Fix};
use crate::format::{Findings, quoted, set};
use crate::format::{Scenario, TimelineEntry};
use crate::id::{Arena, JobId, NodeId, PartitionId, QueueId};
use crate::time::Time;
use crate::units::PerResource;

/// The values of every queue in every pool, as far as the timeline has come.
type Now = Arena<PartitionId, Arena<QueueId, PerResource<QueueResource>>>;

/// Resolves the timeline, by time, then file order.
pub fn timeline(
    s: &Scenario,
    pools: &Pools,
    nodes: &Nodes,
    queues: &Queues,
    jobs: &Jobs,
    f: &mut Findings,
) -> Vec<Planned> {
    let mut moments = Vec::with_capacity(s.timeline.len());
    for (i, entry) in s.timeline.iter().enumerate() {
        let here = Here::section("timeline", i, None);
        let at = f.time(&Some(entry.at.clone()), 0, &|| here.field("at"), &quantity::millis);
        if at < 0 {
            let says = "the timeline begins at 0; set a moment from then on".to_string();
            let fix = set(here.field("at"), "0", "Let it happen at the start");
            f.add(codes::NOT_IN_TIMELINE, here.field("at"), says, fix);
        }
        moments.push(at);
    }
    let values = |pool| queues.in_pool(pool).values().map(|queue| queue.resources).collect();
    let mut now: Now = pools.ids().map(values).collect();
    let mut planned = Vec::with_capacity(moments.len());
    let mut order: Vec<usize> = (0..moments.len()).collect();
    order.sort_by_key(|&i| moments[i]);
    for i in order {
        let at = moments[i];
        let entry = &s.timeline[i];
        let here = Here::section("timeline", i, None);
        let targets = [entry.queue.is_some(), entry.node.is_some(), entry.job.is_some()];
        let change = match targets.into_iter().filter(|given| *given).count() {
            1 => match (&entry.queue, &entry.node, &entry.job) {
                (Some(name), _, _) => queue_change(entry, name, here, (pools, queues), &mut now, f),
                (_, Some(name), _) => {
                    no_pool(entry, here, f);
                    node_change(entry, name, here, nodes, f)
                }
                (_, _, Some(name)) => {
                    no_pool(entry, here, f);
                    job_end(name, here, jobs, f)
                }
                _ => None,
            },
            n => {
                let (code, says) = match n {
                    0 => {
                        (codes::EMPTY_ENTRY, "this entry names no queue, node or job; name one or remove it")
                    }
                    _ => (codes::CONFLICT, "this entry names several of queue, node and job; name only one"),
                };
                f.add(code, here.path(), says, remove(here));
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

fn remove(here: Here<'_>) -> Option<Fix> {
    Some(Fix { label: "Remove the entry".into(), edits: vec![Edit::Remove { at: here.path() }] })
}

fn find(name: &str, what: &'static str, index: &Index, here: Here<'_>, f: &mut Findings) -> Option<u32> {
    let found = index.find(name).filter(|_| !name.is_empty());
    if found.is_none() && !f.only_counts(codes::UNKNOWN_TARGET) {
        let says = format!("{what} {} does not exist; {}", quoted(name), names::hint(index, name));
        let fix = names::use_nearest(index, name, here.field(what)).or_else(|| remove(here));
        f.add(codes::UNKNOWN_TARGET, here.field(what), says, fix);
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
            let at = here.field("usage");
            let says = "past usage is part of the start and cannot be changed; remove it".to_string();
            f.add(codes::NOT_IN_TIMELINE, at.clone(), says, set(at, "", "Remove it"));
        }
        if part.quota.is_some() || part.limit.is_some() || part.weight.is_some() {
            changed.push(resource);
        }
    }
    let mut resources = Vec::new();
    for pool in pools.ids().filter(|pool| only.is_none_or(|only| only == *pool)) {
        let mut values = queue.map(|queue| now[pool][queue]).unwrap_or_default();
        // What is wrong with the values is said once.
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
    let usage_only = entry.cpu.usage.is_some() || entry.memory.usage.is_some() || entry.gpu.usage.is_some();
    if changed.is_empty() && entry.priority.is_none() && !usage_only {
        let says = "this entry changes nothing of the queue; give new values or remove it".to_string();
        f.add(codes::EMPTY_ENTRY, here.path(), says, remove(here));
    }
    let queue = queue?;
    for (pool, values) in &resources {
        now[*pool][queue] = *values;
    }
    Some(PlanChange::Queue { queue, priority, resources, changed })
}

/// A pool stands beside a node or a job.
fn no_pool(entry: &TimelineEntry, here: Here<'_>, f: &mut Findings) {
    if entry.pool.is_some() {
        let at = here.field("pool");
        let says = "only a change of a queue has a pool; remove it".to_string();
        f.add(codes::CONFLICT, at.clone(), says, set(at, "", "Remove the pool"));
    }
}

/// A state stands beside a queue or a job.
fn ignored(entry: &TimelineEntry, here: Here<'_>, f: &mut Findings) {
    if entry.state.is_some() {
        let at = here.field("state");
        let says = "only nodes have a state; remove it".to_string();
        f.add(codes::CONFLICT, at.clone(), says, set(at, "", "Remove the state"));
    }
}

fn node_change(
    entry: &TimelineEntry,
    name: &str,
    here: Here<'_>,
    nodes: &Nodes,
    f: &mut Findings,
) -> Option<PlanChange> {
    let node = match nodes.complete {
        true => find(name, "node", &nodes.index, here, f),
        false => None,
    };
    let state = match &entry.state {
        None => {
            let says =
                "this entry changes nothing of the node; add `state: down` or `state: ready`".to_string();
            f.add(
                codes::EMPTY_ENTRY,
                here.path(),
                says,
                set(here.field("state"), "down", "Set the state to down"),
            );
            NodeState::Down
        }
        Some(state) => rules::node_state(state, here, f).unwrap_or(NodeState::Down),
    };
    Some(PlanChange::Node { node: NodeId(node?), state })
}

fn job_end(name: &str, here: Here<'_>, jobs: &Jobs, f: &mut Findings) -> Option<PlanChange> {
    let job = match jobs.complete {
        true => find(name, "job", &jobs.index, here, f),
        false => None,
    };
    job.map(|job| PlanChange::EndJob { job: JobId(job) })
}
