//! Which hosts owners lend and call back (ego.md 3.3).

use std::collections::{BTreeMap, BTreeSet};

use fairground::id::{JobId, NodeId, PodId};

use super::books::{Set, Source, View, add, fits};
use super::tree::{Dims, ROOT};

/// Owners keep the hosts that they need and lend the others (OC-29).
pub fn lend(view: &View<'_>) -> (BTreeMap<NodeId, usize>, BTreeSet<NodeId>) {
    let tree = &view.world.tree;
    let owners = tree.order.iter().copied().filter(|c| *c != ROOT && tree.is_leaf(*c));
    let mut lent = BTreeMap::new();
    let mut called_back = BTreeSet::new();
    for owner in owners {
        let all = tree.hosts.iter().map(|(host, _)| *host);
        let all: Vec<NodeId> = all.filter(|host| tree.holder[host] == owner).collect();
        let is_borrowed = |host: &NodeId| view.has(*host, |_, source| source != Source::Owned);
        let (borrowed, idle): (Vec<NodeId>, Vec<NodeId>) = all.iter().partition(|host| is_borrowed(host));
        let order: Vec<NodeId> = idle.into_iter().chain(borrowed).collect();
        let needed = needed(view, owner, &order);
        for (at, &host) in all.iter().enumerate() {
            let is_kept = at < tree.settings[owner].reserved as usize
                || needed.contains(&host)
                || view.has(host, |_, source| source == Source::Owned);
            let stays = view.books.lent.get(&host).copied().filter(|_| is_borrowed(&host));
            if tree.lends(owner) && !is_kept {
                lent.insert(host, stays.unwrap_or(tree.parent[owner].unwrap_or(ROOT)));
            } else if is_borrowed(&host) {
                called_back.insert(host);
            }
        }
    }
    (lent, called_back)
}

/// Hosts that an owner needs for its outstanding units, imagined without borrowers.
fn needed(view: &View<'_>, owner: usize, order: &[NodeId]) -> BTreeSet<NodeId> {
    let room = |host: NodeId| {
        let mut room = view.world.tree.capacity(host);
        let is_own = |pod: PodId| view.books.sources.get(&pod) == Some(&Source::Owned);
        let units = view.units().filter(|unit| unit.2 == host && is_own(unit.1));
        units.for_each(|unit| add(&mut room, &unit.0.unit, -1));
        for earmark in &view.books.earmarks {
            let set = view.world.sets.iter().find(|set| set.id == earmark.set);
            if let Some(set) = set.filter(|_| earmark.node == host && earmark.source == Source::Owned) {
                add(&mut room, &set.unit, -1);
            }
        }
        (host, room, false)
    };
    let mut rooms: Vec<(NodeId, Dims, bool)> = order.iter().map(|host| room(*host)).collect();
    let lay = |rooms: &mut Vec<(NodeId, Dims, bool)>, set: &Set| {
        let found = rooms.iter_mut().find(|room| fits(&room.1, &set.unit) && view.world.may_run(set, room.0));
        let is_found = found.is_some();
        if let Some(room) = found {
            add(&mut room.1, &set.unit, -1);
            room.2 = true;
        }
        is_found
    };
    let mut tried: Option<JobId> = None;
    for set in view.world.sets.iter().filter(|set| set.leaf == owner) {
        let together = view.first_units(set.job);
        if !together.is_empty() && tried == Some(set.job) {
            continue;
        }
        tried = Some(set.job);
        let before = rooms.clone();
        if !together.iter().all(|first| lay(&mut rooms, first)) {
            rooms = before;
            continue;
        }
        let n_laid = together.iter().filter(|first| first.id == set.id).count();
        let n = view.outstanding(set) as usize - n_laid;
        (0..n).take_while(|_| lay(&mut rooms, set)).count();
    }
    rooms.into_iter().filter(|room| room.2).map(|room| room.0).collect()
}
