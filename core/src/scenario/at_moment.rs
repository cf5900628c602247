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
    entries.retain(|(time, _)| *time <= time_ms);
    if entries.is_empty() {
        return scenario.clone();
    }
    entries.sort_by_key(|(time, _)| *time);
    let mut changed = (**scenario).clone();
    let mut groups: BTreeMap<usize, BTreeMap<u64, NodeEntry>> = BTreeMap::new();
    for (_, entry) in entries {
        if let Some(name) = &entry.queue
            && let Some(index) = changed.queues.iter().position(|queue| queue.name == *name)
        {
            change_queue(&mut Arc::make_mut(&mut changed.queues)[index], entry);
        }
        match entry.node.as_ref().and_then(|name| line_of(&changed.nodes, name)) {
            Some((line, Some(n))) => {
                let of_group = groups.entry(line).or_default();
                change_node(of_group.entry(n).or_insert_with(|| changed.nodes[line].clone()), entry);
            }
            Some((line, None)) => change_node(&mut Arc::make_mut(&mut changed.nodes)[line], entry),
            None => {}
        }
        changed.settings.retain(|name, _| !entry.unset.contains(name));
        changed.settings.extend(entry.settings.clone());
    }
    for (line, nodes) in groups {
        let is_whole = changed.nodes[line].count.as_ref().and_then(|n| count(&n.0).ok()) == Some(nodes.len() as u64);
        let mut nodes = nodes.into_values();
        if let Some(first) = nodes.next().filter(|first| is_whole && nodes.all(|node| node == *first)) {
            Arc::make_mut(&mut changed.nodes)[line] = first;
        }
    }
    Arc::new(changed)
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
fn put(target: &mut Option<Scalar>, value: &Option<Scalar>) {
    if value.is_some() {
        target.clone_from(value);
    }
}

fn change_queue(queue: &mut QueueEntry, entry: &TimelineEntry) {
    put(&mut queue.priority, &entry.priority);
    let parts = match &entry.pool {
        None => [&mut queue.gpu, &mut queue.cpu, &mut queue.memory],
        Some(pool) => {
            let index = queue.pools.iter().position(|row| row.name == *pool).unwrap_or_else(|| {
                queue.pools.push(QueuePoolEntry { name: pool.clone(), ..QueuePoolEntry::default() });
                queue.pools.len() - 1
            });
            let row = &mut queue.pools[index];
            [&mut row.gpu, &mut row.cpu, &mut row.memory]
        }
    };
    for (part, change) in parts.into_iter().zip([&entry.gpu, &entry.cpu, &entry.memory]) {
        put(&mut part.quota, &change.quota);
        put(&mut part.limit, &change.limit);
        put(&mut part.weight, &change.weight);
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
