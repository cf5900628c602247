//! Edits of the list of pools and of all references to pools; changes of sections that stay shared unless they differ.

use std::sync::Arc;

use super::schema::Scenario;
use super::shape::{Mut, Rows};

/// Name of the lists to which setting a value of a missing element adds the element.
pub const EXTENDABLE: &str = "pools";

/// Appends an element with this name; returns its position.
pub fn add(rows: &mut dyn Rows, name: &str) -> usize {
    rows.add_row();
    let last = rows.count() - 1;
    if let Some(Mut::Text(text)) = rows.row_mut(last).map(|row| row.field_mut(0)) {
        *text = name.to_string();
    }
    last
}

/// Changes the matching entries of a section; does not copy the section if none matches.
pub fn replace<T: Clone>(section: &mut Arc<Vec<T>>, matches: impl Fn(&T) -> bool, mut change: impl FnMut(&mut T)) {
    if section.iter().any(&matches) {
        Arc::make_mut(section).iter_mut().filter(|entry| matches(entry)).for_each(&mut change);
    }
}

/// Keeps the matching entries of a section; does not copy the section if all match.
pub fn retain<T: Clone>(section: &mut Arc<Vec<T>>, keep: impl Fn(&T) -> bool) {
    if !section.iter().all(&keep) {
        Arc::make_mut(section).retain(keep);
    }
}

/// Replaces all references to a pool by references to another; `None` removes them.
pub fn redirect(scenario: &mut Scenario, old: &str, new: Option<&str>) {
    let is_old = |name: &Option<String>| name.as_deref() == Some(old);
    let to_owned = || new.map(str::to_string);
    let list = |names: &mut Vec<String>| match new {
        Some(new) => names.iter_mut().filter(|name| *name == old).for_each(|name| *name = new.to_string()),
        None => names.retain(|name| name != old),
    };
    replace(&mut scenario.nodes, |node| is_old(&node.pool), |node| node.pool = to_owned());
    let names_it = |names: &[String]| names.iter().any(|name| name == old);
    replace(
        &mut scenario.queues,
        |queue| names_it(&queue.default_pools) || queue.pools.iter().any(|row| row.name == old),
        |queue| {
            list(&mut queue.default_pools);
            match new {
                Some(new) => {
                    let rows = queue.pools.iter_mut().filter(|row| row.name == old);
                    rows.for_each(|row| row.name = new.to_string());
                }
                None => queue.pools.retain(|row| row.name != old),
            }
        },
    );
    replace(&mut scenario.jobs, |job| names_it(&job.pools), |job| list(&mut job.pools));
    match new {
        Some(_) => replace(&mut scenario.timeline, |entry| is_old(&entry.pool), |entry| entry.pool = to_owned()),
        None => retain(&mut scenario.timeline, |entry| !is_old(&entry.pool)),
    }
}

/// Renames a pool and all references to it.
pub fn rename(scenario: &mut Scenario, i: usize, new: &str) {
    let old = std::mem::replace(&mut Arc::make_mut(&mut scenario.pools)[i].name, new.to_string());
    // If another pool has the same name, the references belong to that one.
    if !old.is_empty() && scenario.pools.iter().all(|pool| pool.name != old) {
        redirect(scenario, &old, Some(new));
    }
}

/// Removes a pool and all references to it: its nodes move to the first pool, and jobs that named no other pool use
/// their queue's default pools.
pub fn remove(scenario: &mut Scenario, i: usize) {
    let removed = Arc::make_mut(&mut scenario.pools).remove(i);
    if scenario.pools.iter().all(|pool| pool.name != removed.name) {
        redirect(scenario, &removed.name, None);
    }
}

/// Moves a pool before another. Nodes without a pool stay in the pool that was first before the move. Returns `None` if
/// the element is no pool or the other pool does not exist.
pub fn move_before(element: Option<(&str, usize)>, scenario: &mut Scenario, before: &str) -> Option<()> {
    let ("pools", i) = element? else { return None };
    let target = scenario.pools.iter().position(|pool| pool.name == before)?;
    let first = scenario.pools[0].name.clone();
    let pools = Arc::make_mut(&mut scenario.pools);
    let pool = pools.remove(i);
    pools.insert(if target > i { target - 1 } else { target }, pool);
    if scenario.pools[0].name != first {
        replace(&mut scenario.nodes, |node| node.pool.is_none(), |node| node.pool = Some(first.clone()));
    }
    Some(())
}
