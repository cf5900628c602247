//! Edits of the list of pools and of all references to pools.

use std::sync::Arc;

use super::schema::Scenario;
use super::shape::{Mut, Ref};
use super::shape::{Rows, Shape};

/// Name of the lists to which setting a value of a missing element adds the element.
pub const EXTENDABLE: &str = "pools";

/// Returns the position of the element with this name; appends one if there is none.
pub fn find_or_add(rows: &mut dyn Rows, name: &str) -> usize {
    let is_it = |row: &dyn Shape| matches!(row.field(0), Ref::Text(text) if text == name);
    if let Some(at) = (0..rows.count()).find(|&i| rows.row(i).is_some_and(is_it)) {
        return at;
    }
    rows.add_row();
    let last = rows.count() - 1;
    if let Some(Mut::Text(text)) = rows.row_mut(last).map(|row| row.field_mut(0)) {
        *text = name.to_string();
    }
    last
}

/// Replaces all references to a pool by references to another; `None` removes them.
pub fn redirect(s: &mut Scenario, from: &str, to: Option<&str>) {
    let is = |name: &Option<String>| name.as_deref() == Some(from);
    let to_owned = || to.map(str::to_string);
    let list = |names: &mut Vec<String>| match to {
        Some(to) => names.iter_mut().filter(|name| *name == from).for_each(|name| *name = to.to_string()),
        None => names.retain(|name| name != from),
    };
    if s.nodes.iter().any(|node| is(&node.pool)) {
        let nodes = Arc::make_mut(&mut s.nodes).iter_mut().filter(|node| is(&node.pool));
        nodes.for_each(|node| node.pool = to_owned());
    }
    let names_it = |names: &[String]| names.iter().any(|name| name == from);
    if s.queues.iter().any(|q| names_it(&q.default_pools) || q.pools.iter().any(|row| row.name == from)) {
        for queue in Arc::make_mut(&mut s.queues) {
            list(&mut queue.default_pools);
            match to {
                Some(to) => {
                    let rows = queue.pools.iter_mut().filter(|row| row.name == from);
                    rows.for_each(|row| row.name = to.to_string());
                }
                None => queue.pools.retain(|row| row.name != from),
            }
        }
    }
    if s.jobs.iter().any(|job| names_it(&job.pools)) {
        Arc::make_mut(&mut s.jobs).iter_mut().for_each(|job| list(&mut job.pools));
    }
    if s.timeline.iter().any(|entry| is(&entry.pool)) {
        match to {
            Some(_) => {
                let entries = Arc::make_mut(&mut s.timeline).iter_mut().filter(|entry| is(&entry.pool));
                entries.for_each(|entry| entry.pool = to_owned());
            }
            None => Arc::make_mut(&mut s.timeline).retain(|entry| !is(&entry.pool)),
        }
    }
}

/// Renames a pool and all references to it.
pub fn rename(s: &mut Scenario, i: usize, to: &str) {
    let from = std::mem::replace(&mut Arc::make_mut(&mut s.pools)[i].name, to.to_string());
    // If another pool has the same name, the references belong to that one.
    if !from.is_empty() && s.pools.iter().all(|pool| pool.name != from) {
        redirect(s, &from, Some(to));
    }
}

/// Removes a pool and all references to it: its nodes move to the first pool, and jobs that named no other pool use their
/// queue's default pools.
pub fn remove(s: &mut Scenario, i: usize) {
    let gone = Arc::make_mut(&mut s.pools).remove(i);
    if s.pools.iter().all(|pool| pool.name != gone.name) {
        redirect(s, &gone.name, None);
    }
}

/// Moves a pool before another. Nodes without a pool stay in the pool that was first before the move. Returns `None` if the
/// element is no pool or the other pool does not exist.
pub fn move_before(element: Option<(&str, usize)>, s: &mut Scenario, before: &str) -> Option<()> {
    let ("pools", i) = element? else { return None };
    let target = s.pools.iter().position(|pool| pool.name == before)?;
    let first = s.pools[0].name.clone();
    let pools = Arc::make_mut(&mut s.pools);
    let pool = pools.remove(i);
    pools.insert(if target > i { target - 1 } else { target }, pool);
    if s.pools[0].name != first && s.nodes.iter().any(|node| node.pool.is_none()) {
        let nodes = Arc::make_mut(&mut s.nodes).iter_mut().filter(|node| node.pool.is_none());
        nodes.for_each(|node| node.pool = Some(first.clone()));
    }
    Some(())
}
