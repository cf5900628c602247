//! Resolves the queue tree.

use std::sync::Arc;

use super::super::{QUEUES_MAX, TREE_DEPTH_MAX, codes};
use super::names::{self, Index};
use super::pools::Pools;
use super::{Here, Path};
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
        pool.index().checked_sub(1).map_or(&self.all, |at| &self.further[at])
    }

    /// The location of a queue's values in a pool, and whether the pool overrides them.
    pub fn here_in<'a>(&self, s: &'a Scenario, queue: QueueId, pool: &str) -> (Here<'a>, bool) {
        let here = self.here(s, queue);
        let rows = s.queues.get(queue.index()).map_or(&[][..], |q| &q.pools);
        match rows.iter().position(|row| row.name == pool) {
            Some(k) => (here.inside("pools", k, Some(&rows[k].name)), true),
            None => (here, false),
        }
    }

    /// The location of a queue.
    pub fn here<'a>(&self, s: &'a Scenario, queue: QueueId) -> Here<'a> {
        let name = s.queues.get(queue.index()).map_or("", |q| q.name.as_str());
        names::here("queues", queue.index(), name, &self.repeats)
    }
}

/// Resolves the tree.
pub fn queues(s: &Scenario, pools: &Pools, f: &mut Findings) -> Queues {
    let repeats = names::repeats(s.queues.iter().map(|q| q.name.as_str()));
    if s.queues.len() as u64 > QUEUES_MAX {
        let says = format!("there are {} [queues]; up to {QUEUES_MAX} are simulated", s.queues.len());
        f.add(codes::TOO_MANY, Path::default().field("queues"), says, None);
    }
    let queue_names: Vec<Arc<str>> = s.queues.iter().map(|q| q.name.as_str().into()).collect();
    let (index, twice) = Index::new(queue_names.iter());
    let mut all = Arena::new();
    let mut further = vec![Arena::new(); pools.len() - 1];
    let mut default_pools = Arena::new();
    for (i, entry) in s.queues.iter().enumerate() {
        let here = names::here("queues", i, &entry.name, &repeats);
        names::check_name(&entry.name, 0, "[queue]", here, f);
        let mut first = queue(entry, i, queue_names[i].clone(), here, f);
        for queues in &mut further {
            queues.push(first.clone());
        }
        for (pool, values) in in_pools(entry, &first, here, pools, f) {
            match pool.index().checked_sub(1) {
                None => first = values,
                Some(at) => further[at][QueueId::from_index(i)] = values,
            }
        }
        all.push(first);
        default_pools.push(pools.list(&entry.default_pools, &|| here.field("default-pools"), f).unwrap_or_default());
    }
    for i in twice {
        let entry = &s.queues[i as usize];
        if !entry.name.is_empty() {
            let here = names::here("queues", i as usize, &entry.name, &repeats);
            names::duplicate(&entry.name, "[queue]", here, &index, f);
        }
    }
    let mut queues = Queues { all, further, default_pools, index, repeats };
    parents(s, &mut queues, f);
    let has_cycles = break_cycles(s, &mut queues, f);
    if !has_cycles {
        depth(s, &queues, f);
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
        let said = path.find(|&q| !queues.default_pools[q].is_empty()).filter(|&q| q != id);
        if let Some(above) = said {
            queues.default_pools[id] = queues.default_pools[above].clone();
        }
    }
    queues
}

/// The queue in each pool that overrides its values.
fn in_pools(
    entry: &QueueEntry,
    own: &Queue,
    here: Here<'_>,
    pools: &Pools,
    f: &mut Findings,
) -> Vec<(PartitionId, Queue)> {
    let repeats = names::repeats(entry.pools.iter().map(|row| row.name.as_str()));
    let mut found = Vec::with_capacity(entry.pools.len());
    for (k, row) in entry.pools.iter().enumerate() {
        let here = here.inside("pools", k, (!repeats[k]).then_some(row.name.as_str()));
        let pool = pools.find(&row.name, "", here.field("name"), f);
        if repeats[k] {
            let says = format!("the pool {} stands in this [queue] already; give its values once", quoted(&row.name));
            f.add(codes::CONFLICT, here.path(), says, remove(here.path(), "Remove it here"));
        }
        let mut queue = own.clone();
        for (resource, part) in parts(&row.cpu, &row.memory, &row.gpu) {
            let here = here.group(resource.name());
            queue.resources.set(resource, change(part, resource, own.resources.get(resource), here, f));
            if let Some(usage) = f.weight(&part.usage, &|| here.field("usage")) {
                queue.usage.set(resource, usage);
            }
        }
        queue.priority = priority(&row.priority, here, f).or(own.priority);
        let mut runtime =
            |typed, field, own| f.time(typed, own, &|| here.field(field), &|text| quantity::span(text).map(Some));
        queue.preempt_min_runtime = runtime(&row.preempt_min_runtime, "preempt-min-runtime", own.preempt_min_runtime);
        queue.reclaim_min_runtime = runtime(&row.reclaim_min_runtime, "reclaim-min-runtime", own.reclaim_min_runtime);
        found.extend(pool.map(|pool| (pool, queue)));
    }
    found
}

fn queue(entry: &QueueEntry, i: usize, name: Arc<str>, here: Here<'_>, f: &mut Findings) -> Queue {
    let mut resources = PerResource::default();
    let mut usage = PerResource::default();
    for (resource, part) in parts(&entry.cpu, &entry.memory, &entry.gpu) {
        let here = here.group(resource.name());
        resources.set(resource, change(part, resource, QueueResource::default(), here, f));
        usage.set(resource, f.weight(&part.usage, &|| here.field("usage")).unwrap_or_default());
    }
    let in_order = Queue::created_in_file_order(i).as_millis();
    let created = f.time(&entry.created, in_order, &|| here.field("created"), &quantity::millis);
    let mut runtime = |typed, field| f.time(typed, None, &|| here.field(field), &|text| quantity::span(text).map(Some));
    let preempt_min_runtime = runtime(&entry.preempt_min_runtime, "preempt-min-runtime");
    let reclaim_min_runtime = runtime(&entry.reclaim_min_runtime, "reclaim-min-runtime");
    Queue {
        name,
        display_name: entry.display_name.trim().into(),
        parent: None,
        children: Vec::new(),
        priority: priority(&entry.priority, here, f),
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
    mut now: QueueResource,
    here: Here<'_>,
    f: &mut Findings,
) -> QueueResource {
    if entry.quota.is_some() {
        now.quota = f.bound(&entry.quota, resource, &|| here.field("quota"), quantity::is_unlimited);
    }
    if entry.limit.is_some() {
        now.limit = f.bound(&entry.limit, resource, &|| here.field("limit"), quantity::is_no_ceiling);
    }
    if entry.weight.is_some() {
        now.weight = f.weight(&entry.weight, &|| here.field("weight")).or(Some(Weight::ONE));
    }
    now
}

/// A queue's priority.
pub fn priority(typed: &Option<super::Scalar>, here: Here<'_>, f: &mut Findings) -> Option<i32> {
    let typed = typed.as_ref()?;
    let answer = quantity::integer(&typed.0).ok();
    if answer.is_none() {
        let says = format!("priority {} is not an integer such as 100", quoted(&typed.0));
        f.suggest(codes::PRIORITY, here.field("priority"), says, "", "Use the default priority");
    }
    answer
}

fn parents(s: &Scenario, queues: &mut Queues, f: &mut Findings) {
    for (i, entry) in s.queues.iter().enumerate() {
        let Some(parent) = &entry.parent else { continue };
        let here = queues.here(s, QueueId::from_index(i));
        match queues.index.find(parent) {
            Some(found) if !parent.is_empty() => queues.all[QueueId::from_index(i)].parent = Some(QueueId(found)),
            _ if f.only_counts(codes::NO_PARENT) => {}
            _ => {
                let at = here.field("parent");
                let hint = names::hint(&queues.index, parent);
                let says =
                    format!("{} names {} as parent, which does not exist; {hint}", quoted(&entry.name), quoted(parent));
                let fix = names::use_nearest(&queues.index, parent, at.clone())
                    .filter(|_| queues.index.nearest(parent) != Some(entry.name.as_str()))
                    .or_else(|| set(at.clone(), "", "Make it a top-level [queue]"));
                f.add(codes::NO_PARENT, at, says, fix);
            }
        }
    }
}

/// Reports cycles of parents and breaks them, so that the tree can be traversed.
fn break_cycles(s: &Scenario, queues: &mut Queues, f: &mut Findings) -> bool {
    // 0: not visited; otherwise the number of the traversal.
    let mut walked = vec![0usize; queues.all.len()];
    let mut found = false;
    for start in queues.all.ids() {
        let mut at = Some(start);
        while let Some(queue) = at.filter(|q| walked[q.index()] == 0) {
            walked[queue.index()] = start.index() + 1;
            at = queues.all[queue].parent;
        }
        let Some(first) = at.filter(|q| walked[q.index()] == start.index() + 1) else { continue };
        let mut members = vec![first];
        let mut next = queues.all[first].parent;
        while let Some(queue) = next.filter(|&q| q != first) {
            members.push(queue);
            next = queues.all[queue].parent;
        }
        members.sort();
        let shown: Vec<String> = members.iter().take(8).map(|&q| quoted(&queues.all[q].name)).collect();
        let more = if members.len() > 8 { format!(" and {} more", members.len() - 8) } else { String::new() };
        let says =
            format!("{}{more} are each other's ancestors; make one of them a top-level [queue]", shown.join(", "));
        let place = queues.here(s, members[0]).field("parent");
        f.suggest(codes::CYCLE, place, says, "", format!("Make {} a top-level [queue]", shown[0]));
        queues.all[members[0]].parent = None;
        found = true;
    }
    found
}

fn depth(s: &Scenario, queues: &Queues, f: &mut Findings) {
    for (id, queue) in queues.all.iter() {
        let levels = std::iter::successors(Some(id), |&q| queues.all[q].parent).take(TREE_DEPTH_MAX + 2).count();
        if levels == TREE_DEPTH_MAX + 1 {
            let at = queues.here(s, id).field("parent");
            let says = format!("{} lies deeper than {TREE_DEPTH_MAX} levels; move it up", quoted(&queue.name));
            f.suggest(codes::TOO_DEEP, at, says, "", "Make it a top-level [queue]");
        }
    }
}
