//! Resolves the queue tree.

use std::sync::Arc;

use super::super::{QUEUES_MAX, TREE_DEPTH_MAX, codes};
use super::names::{self, Index};
use super::scheduling::Pools;
use super::{Location, Path};
use crate::cluster::{Queue, QueueResource};
use crate::format::{Findings, QueueEntry, ResourceEntry, Scenario, quantity, quoted, remove, set};
use crate::id::{Arena, Id, PartitionId, QueueId};
use crate::time::Time;
use crate::units::{PerResource, Resource, Weight};

/// Resolved queues.
pub struct Queues {
    /// All queues with their values in the first pool; invalid parents are removed.
    pub all: Arena<QueueId, Queue>,
    /// The queues with their values in every further pool.
    pub further: Vec<Arena<QueueId, Queue>>,
    /// Default pools of a queue's jobs: its own, else those of the nearest ancestor that has some.
    pub default_pools: Arena<QueueId, Vec<PartitionId>>,
    /// Queues by name.
    pub index: Index,
    /// For each entry, whether it repeats an earlier name.
    pub repeats: Vec<bool>,
}

impl Queues {
    /// All queues with their values in a pool.
    pub fn in_pool(&self, pool: PartitionId) -> &Arena<QueueId, Queue> {
        pool.index().checked_sub(1).map_or(&self.all, |i| &self.further[i])
    }

    /// The location of a queue's values in a pool, and whether the pool overrides them.
    pub fn location_in<'a>(&self, scenario: &'a Scenario, queue: QueueId, pool: &str) -> (Location<'a>, bool) {
        let location = self.location(scenario, queue);
        let rows = scenario.queues.get(queue.index()).map_or(&[][..], |q| &q.pools);
        match rows.iter().position(|row| row.name == pool) {
            Some(k) => (location.inside("pools", k, Some(&rows[k].name)), true),
            None => (location, false),
        }
    }

    /// The location of a queue.
    pub fn location<'a>(&self, scenario: &'a Scenario, queue: QueueId) -> Location<'a> {
        let name = scenario.queues.get(queue.index()).map_or("", |q| q.name.as_str());
        names::location("queues", queue.index(), name, &self.repeats)
    }
}

/// Resolves the tree.
pub fn queues(scenario: &Scenario, pools: &Pools, f: &mut Findings) -> Queues {
    let repeats = names::repeats(scenario.queues.iter().map(|q| q.name.as_str()));
    if scenario.queues.len() as u64 > QUEUES_MAX {
        let message = format!("there are {} [queues]; up to {QUEUES_MAX} are simulated", scenario.queues.len());
        f.add(codes::TOO_MANY, Path::default().field("queues"), message, None);
    }
    let queue_names: Vec<Arc<str>> = scenario.queues.iter().map(|q| q.name.as_str().into()).collect();
    let (index, twice) = Index::new(queue_names.iter());
    let mut all = Arena::new();
    let mut further = vec![Arena::new(); pools.len() - 1];
    let mut default_pools = Arena::new();
    for (i, entry) in scenario.queues.iter().enumerate() {
        let location = names::location("queues", i, &entry.name, &repeats);
        names::check_name(&entry.name, 0, "[queue]", location, f);
        let mut first = queue(entry, i, queue_names[i].clone(), location, f);
        for queues in &mut further {
            queues.push(first.clone());
        }
        for (pool, values) in in_pools(entry, &first, location, pools, f) {
            match pool.index().checked_sub(1) {
                None => first = values,
                Some(k) => further[k][QueueId::from_index(i)] = values,
            }
        }
        all.push(first);
        default_pools
            .push(pools.list(&entry.default_pools, &|| location.field("default-pools"), f).unwrap_or_default());
    }
    for i in twice {
        let entry = &scenario.queues[i as usize];
        if !entry.name.is_empty() {
            let location = names::location("queues", i as usize, &entry.name, &repeats);
            names::duplicate(&entry.name, "[queue]", location, &index, f);
        }
    }
    let mut queues = Queues { all, further, default_pools, index, repeats };
    parents(scenario, &mut queues, f);
    let has_cycles = break_cycles(scenario, &mut queues, f);
    if !has_cycles {
        depth(scenario, &queues, f);
    }
    let links: Vec<(QueueId, QueueId)> =
        queues.all.iter().filter_map(|(id, queue)| Some((queue.parent?, id))).collect();
    for (parent, child) in links {
        queues.all[parent].children.push(child);
    }
    for further in &mut queues.further {
        for (id, queue) in further.iter_mut() {
            (queue.parent, queue.children) = (queues.all[id].parent, queues.all[id].children.clone());
        }
    }
    for id in queues.all.ids() {
        let mut path = std::iter::successors(Some(id), |&q| queues.all[q].parent);
        if let Some(ancestor) = path.find(|&q| !queues.default_pools[q].is_empty()).filter(|&q| q != id) {
            queues.default_pools[id] = queues.default_pools[ancestor].clone();
        }
    }
    queues
}

/// The queue in each pool that overrides its values.
fn in_pools(
    entry: &QueueEntry,
    base: &Queue,
    location: Location<'_>,
    pools: &Pools,
    f: &mut Findings,
) -> Vec<(PartitionId, Queue)> {
    let repeats = names::repeats(entry.pools.iter().map(|row| row.name.as_str()));
    let mut overriding = Vec::with_capacity(entry.pools.len());
    for (k, row) in entry.pools.iter().enumerate() {
        let location = location.inside("pools", k, (!repeats[k]).then_some(row.name.as_str()));
        let pool = pools.find(&row.name, "", location.field("name"), f);
        if repeats[k] {
            let message =
                format!("the pool {} stands in this [queue] already; give its values once", quoted(&row.name));
            f.add(codes::CONFLICT, location.path(), message, remove(location.path(), "Remove it here"));
        }
        let mut queue = base.clone();
        for (resource, part) in parts(&row.cpu, &row.memory, &row.gpu) {
            let location = location.group(resource.name());
            queue.resources.set(resource, change(part, resource, base.resources.get(resource), location, f));
            if let Some(usage) = f.weight(&part.usage, &|| location.field("usage")) {
                queue.usage.set(resource, usage);
            }
        }
        queue.priority = priority(&row.priority, location, f).or(base.priority);
        let mut runtime =
            |typed, field, base| f.time(typed, base, &|| location.field(field), &|text| quantity::span(text).map(Some));
        queue.preempt_min_runtime = runtime(&row.preempt_min_runtime, "preempt-min-runtime", base.preempt_min_runtime);
        queue.reclaim_min_runtime = runtime(&row.reclaim_min_runtime, "reclaim-min-runtime", base.reclaim_min_runtime);
        overriding.extend(pool.map(|pool| (pool, queue)));
    }
    overriding
}

fn queue(entry: &QueueEntry, i: usize, name: Arc<str>, location: Location<'_>, f: &mut Findings) -> Queue {
    let mut resources = PerResource::default();
    let mut usage = PerResource::default();
    for (resource, part) in parts(&entry.cpu, &entry.memory, &entry.gpu) {
        let location = location.group(resource.name());
        resources.set(resource, change(part, resource, QueueResource::default(), location, f));
        usage.set(resource, f.weight(&part.usage, &|| location.field("usage")).unwrap_or_default());
    }
    let in_order = Queue::created_in_file_order(i).as_millis();
    let created = f.time(&entry.created, in_order, &|| location.field("created"), &quantity::millis);
    let mut runtime =
        |typed, field| f.time(typed, None, &|| location.field(field), &|text| quantity::span(text).map(Some));
    let preempt_min_runtime = runtime(&entry.preempt_min_runtime, "preempt-min-runtime");
    let reclaim_min_runtime = runtime(&entry.reclaim_min_runtime, "reclaim-min-runtime");
    Queue {
        name,
        display_name: entry.display_name.trim().into(),
        parent: None,
        children: Vec::new(),
        priority: priority(&entry.priority, location, f),
        created: Time::from_millis(created),
        resources,
        usage,
        preempt_min_runtime,
        reclaim_min_runtime,
    }
}

/// The three resources with their entries, in index order.
pub fn parts<'a>(
    cpu: &'a ResourceEntry,
    memory: &'a ResourceEntry,
    gpu: &'a ResourceEntry,
) -> [(Resource, &'a ResourceEntry); 3] {
    [(Resource::CPU, cpu), (Resource::MEMORY, memory), (Resource::GPU, gpu)]
}

/// Replaces the values of a resource that are given.
pub fn change(
    entry: &ResourceEntry,
    resource: Resource,
    mut values: QueueResource,
    location: Location<'_>,
    f: &mut Findings,
) -> QueueResource {
    if entry.quota.is_some() {
        values.quota = f.bound(&entry.quota, resource, &|| location.field("quota"), quantity::is_unlimited);
    }
    if entry.limit.is_some() {
        values.limit = f.bound(&entry.limit, resource, &|| location.field("limit"), quantity::is_no_ceiling);
    }
    if entry.weight.is_some() {
        values.weight = f.weight(&entry.weight, &|| location.field("weight")).or(Some(Weight::ONE));
    }
    values
}

/// A queue's priority.
pub fn priority(typed: &Option<super::Scalar>, location: Location<'_>, f: &mut Findings) -> Option<i32> {
    let typed = typed.as_ref()?;
    let answer = quantity::integer(&typed.0).ok();
    if answer.is_none() {
        let message = format!("priority {} is not an integer such as 100", quoted(&typed.0));
        f.suggest(codes::PRIORITY, location.field("priority"), message, "", "Use the default priority");
    }
    answer
}

fn parents(scenario: &Scenario, queues: &mut Queues, f: &mut Findings) {
    for (i, entry) in scenario.queues.iter().enumerate() {
        let Some(parent) = &entry.parent else { continue };
        let location = queues.location(scenario, QueueId::from_index(i));
        match queues.index.find(parent) {
            Some(id) if !parent.is_empty() => queues.all[QueueId::from_index(i)].parent = Some(QueueId(id)),
            _ if f.only_counts(codes::NO_PARENT) => {}
            _ => {
                let path = location.field("parent");
                let hint = names::hint(&queues.index, parent);
                let message =
                    format!("{} names {} as parent, which does not exist; {hint}", quoted(&entry.name), quoted(parent));
                let fix = names::use_nearest(&queues.index, parent, path.clone())
                    .filter(|_| queues.index.nearest(parent) != Some(entry.name.as_str()))
                    .or_else(|| set(path.clone(), "", "Make it a top-level [queue]"));
                f.add(codes::NO_PARENT, path, message, fix);
            }
        }
    }
}

/// Reports cycles of parents and breaks them, so that the tree can be traversed.
fn break_cycles(scenario: &Scenario, queues: &mut Queues, f: &mut Findings) -> bool {
    // 0: not visited; otherwise the number of the traversal.
    let mut walked = vec![0usize; queues.all.len()];
    let mut has_cycles = false;
    for start in queues.all.ids() {
        let mut current = Some(start);
        while let Some(queue) = current.filter(|q| walked[q.index()] == 0) {
            walked[queue.index()] = start.index() + 1;
            current = queues.all[queue].parent;
        }
        let Some(first) = current.filter(|q| walked[q.index()] == start.index() + 1) else { continue };
        let mut members = vec![first];
        let mut next = queues.all[first].parent;
        while let Some(queue) = next.filter(|&q| q != first) {
            members.push(queue);
            next = queues.all[queue].parent;
        }
        members.sort();
        let shown: Vec<String> = members.iter().take(8).map(|&q| quoted(&queues.all[q].name)).collect();
        let more = if members.len() > 8 { format!(" and {} more", members.len() - 8) } else { String::new() };
        let message =
            format!("{}{more} are each other's ancestors; make one of them a top-level [queue]", shown.join(", "));
        let place = queues.location(scenario, members[0]).field("parent");
        f.suggest(codes::CYCLE, place, message, "", format!("Make {} a top-level [queue]", shown[0]));
        queues.all[members[0]].parent = None;
        has_cycles = true;
    }
    has_cycles
}

fn depth(scenario: &Scenario, queues: &Queues, f: &mut Findings) {
    for (id, queue) in queues.all.iter() {
        let levels = std::iter::successors(Some(id), |&q| queues.all[q].parent).take(TREE_DEPTH_MAX + 2).count();
        if levels == TREE_DEPTH_MAX + 1 {
            let path = queues.location(scenario, id).field("parent");
            let message = format!("{} lies deeper than {TREE_DEPTH_MAX} levels; move it up", quoted(&queue.name));
            f.suggest(codes::TOO_DEEP, path, message, "", "Make it a top-level [queue]");
        }
    }
}
