//! The scenario in effect at a time of the run, for forms whose edits apply from the cursor on and for comparison with
//! a reloaded configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::format::quantity::{count, millis};
use crate::format::{NodeEntry, QueueEntry, QueuePoolEntry, Scalar, Scenario, TimelineEntry};

/// Applies the timeline up to a time, in milliseconds, to queues, nodes and settings. A group of nodes changes only as
/// a whole. Returns the same scenario if nothing changes until then.
pub fn at_moment(scenario: &Arc<Scenario>, time_ms: i64) -> Arc<Scenario> {
    let mut entries: Vec<(i64, &TimelineEntry)> =
        scenario.timeline.iter().filter_map(|entry| Some((millis(&entry.at.0).ok()?, entry))).collect();
    entries.retain(|(at, _)| *at <= time_ms);
    if entries.is_empty() {
        return scenario.clone();
    }
    entries.sort_by_key(|(at, _)| *at);
    let mut then = (**scenario).clone();
    let mut groups: BTreeMap<usize, BTreeMap<u64, NodeEntry>> = BTreeMap::new();
    for (_, entry) in entries {
        if let Some(name) = &entry.queue
            && let Some(at) = then.queues.iter().position(|queue| queue.name == *name)
        {
            change_queue(&mut Arc::make_mut(&mut then.queues)[at], entry);
        }
        match entry.node.as_ref().and_then(|name| line_of(&then.nodes, name)) {
            Some((line, Some(n))) => {
                let of_group = groups.entry(line).or_default();
                change_node(of_group.entry(n).or_insert_with(|| then.nodes[line].clone()), entry);
            }
            Some((line, None)) => change_node(&mut Arc::make_mut(&mut then.nodes)[line], entry),
            None => {}
        }
        then.settings.retain(|name, _| !entry.unset.contains(name));
        then.settings.extend(entry.settings.clone());
    }
    for (line, nodes) in groups {
        let is_whole = then.nodes[line].count.as_ref().and_then(|n| count(&n.0).ok()) == Some(nodes.len() as u64);
        let mut nodes = nodes.into_values();
        if let Some(first) = nodes.next().filter(|first| is_whole && nodes.all(|node| node == *first)) {
            Arc::make_mut(&mut then.nodes)[line] = first;
        }
    }
    Arc::new(then)
}

/// The entry of a node, and its number in a group.
fn line_of(nodes: &[NodeEntry], name: &str) -> Option<(usize, Option<u64>)> {
    nodes.iter().enumerate().find_map(|(line, node)| match node.count {
        None => (node.name == name).then_some((line, None)),
        Some(_) => {
            let number = name.strip_prefix(node.name.as_str())?.strip_prefix('-')?.parse().ok()?;
            Some((line, Some(number)))
        }
    })
}

/// Replaces a value if the entry gives one.
fn put(to: &mut Option<Scalar>, from: &Option<Scalar>) {
    if from.is_some() {
        to.clone_from(from);
    }
}

fn change_queue(queue: &mut QueueEntry, entry: &TimelineEntry) {
    put(&mut queue.priority, &entry.priority);
    let parts = match &entry.pool {
        None => [&mut queue.gpu, &mut queue.cpu, &mut queue.memory],
        Some(pool) => {
            let own = queue.pools.iter().position(|own| own.name == *pool).unwrap_or_else(|| {
                queue.pools.push(QueuePoolEntry { name: pool.clone(), ..QueuePoolEntry::default() });
                queue.pools.len() - 1
            });
            let own = &mut queue.pools[own];
            [&mut own.gpu, &mut own.cpu, &mut own.memory]
        }
    };
    for (to, from) in parts.into_iter().zip([&entry.gpu, &entry.cpu, &entry.memory]) {
        put(&mut to.quota, &from.quota);
        put(&mut to.limit, &from.limit);
        put(&mut to.weight, &from.weight);
    }
}

fn change_node(node: &mut NodeEntry, entry: &TimelineEntry) {
    put(&mut node.state, &entry.state);
    put(&mut node.gpu, &entry.capacity.gpu);
    put(&mut node.cpu, &entry.capacity.cpu);
    put(&mut node.memory, &entry.capacity.memory);
    put(&mut node.pods, &entry.capacity.pods);
    node.resources.extend(entry.capacity.resources.clone());
}
