//! Ownership: distribution of hosts to owners, lending and call-back.
//!
//! # Rule
//! At each node the children's ownership is served by rank, 0 first, ties by tree order, out of the node's own hosts;
//! the remainder is the node's private pool, and that of the root the public pool. An owner lends the
//! whole hosts that it does not need: to its parent's pool, and from there one level up while they are
//! unused. If the owner needs a lent host while borrowers run on it, the whole host is called back.
//!
//! # Source
//! ego.md 3; IBM, *Ownership in a multidimensional resource plan*
//!
//! # Differs
//! OC-2, OC-3, OC-29

use super::grace::effective_lendout_grace;
use super::ids::{ConsumerId, HostId, SubId, UnitId};
use super::plan::{Dims, Ownership, Plan, add, fits};
use super::pool::PoolHost;
use super::pool_state::{PoolState, Source};
use super::reclaim::Reclaim;
use crate::id::Arena;
use crate::time::Time;

/// Own hosts of each leaf, and base hosts of each inner consumer's pool, in plan order.
pub fn split_hosts(plan: &Plan) -> Arena<ConsumerId, Vec<HostId>> {
    let mut holdings: Arena<ConsumerId, Vec<HostId>> = plan.consumers.ids().map(|_| Vec::new()).collect();
    let mut available: Arena<ConsumerId, Vec<HostId>> = holdings.clone();
    available[ConsumerId::ROOT] = plan.hosts.ids().collect();
    // Parents precede their children.
    for node in plan.consumers.ids() {
        let all = std::mem::take(&mut available[node]);
        let mut rest = all.clone();
        let mut children = plan.consumers[node].children.clone();
        children.sort_by_key(|&c| plan.consumers[c].rank);
        for child in children {
            available[child] = choose(plan, &plan.consumers[child].own, all.len(), &mut rest);
        }
        holdings[node] = rest;
    }
    holdings
}

/// Removes the hosts of the entries from `rest` and returns them, in plan order.
fn choose(plan: &Plan, entries: &[Ownership], n_total: usize, rest: &mut Vec<HostId>) -> Vec<HostId> {
    let mut chosen: Vec<HostId> = Vec::new();
    for entry in entries {
        let mut n_left = match entry {
            Ownership::Count(n) => *n,
            Ownership::Part(thousandths) => n_total * thousandths / 1000,
            _ => rest.len(),
        };
        let mut amounts = match entry {
            Ownership::Amounts(amounts) => *amounts,
            _ => Default::default(),
        };
        rest.retain(|host| {
            let is_meant = n_left > 0
                && match entry {
                    Ownership::Hosts(named) => named.contains(host),
                    Ownership::Amounts(_) => fits_into(&mut amounts, &plan.hosts[*host]),
                    _ => true,
                };
            if is_meant {
                n_left -= 1;
                chosen.push(*host);
            }
            !is_meant
        });
    }
    chosen.sort();
    chosen
}

/// Subtracts a host from the remaining amounts if it fits as a whole.
fn fits_into(remaining: &mut [Option<i64>], host: &Dims) -> bool {
    let fits = remaining.iter().zip(host).all(|(amount, &size)| amount.is_none_or(|amount| size <= amount));
    let gives = remaining.iter().zip(host).any(|(amount, &size)| amount.is_some() && size > 0);
    if fits && gives {
        for (amount, size) in remaining.iter_mut().zip(host) {
            *amount = amount.map(|amount| amount - size);
        }
    }
    fits && gives
}

/// Result of the lending step of a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lending {
    /// Hosts called back, by owner.
    pub called_back: Arena<ConsumerId, Vec<HostId>>,
    /// Hosts that are not lent, by owner; those without borrowers first.
    pub own: Arena<ConsumerId, Vec<HostId>>,
}

/// Decides which hosts are lent, and drops earmarks on those called back.
pub fn lend(state: &mut PoolState<'_>, holdings: &Arena<ConsumerId, Vec<HostId>>) -> Lending {
    let plan = state.plan;
    let empty = || plan.consumers.ids().map(|_| Vec::new()).collect();
    let mut lending = Lending { called_back: empty(), own: empty() };
    for leaf in plan.consumers.ids().filter(|&c| plan.is_leaf(c) && !holdings[c].is_empty()) {
        let Some(parent) = plan.consumers[leaf].parent else { continue };
        let (borrowed, idle): (Vec<HostId>, Vec<HostId>) =
            holdings[leaf].iter().partition(|&&host| is_borrowed(state, host));
        let order: Vec<HostId> = idle.into_iter().chain(borrowed.iter().copied()).collect();
        let needed = needed_hosts(state, leaf, &order);
        let mut available = holdings[leaf].clone();
        let reserved = choose(plan, &plan.consumers[leaf].reserved, holdings[leaf].len(), &mut available);
        for &host in &holdings[leaf] {
            let is_borrowed = borrowed.contains(&host);
            let is_lendable = plan.consumers[leaf].lendout
                && !reserved.contains(&host)
                && !needed.contains(&host)
                && !is_used_by_owner(state, host);
            // A host with borrowers stays in its pool unless it was called back before.
            let stays = state.lent[host].filter(|_| is_borrowed);
            state.lent[host] = is_lendable.then_some(stays.unwrap_or(parent));
            if is_borrowed && !is_lendable {
                lending.called_back[leaf].push(host);
            }
        }
        lending.own[leaf] = order.into_iter().filter(|&h| state.lent[h].is_none()).collect();
    }
    for host in lending.called_back.values().flatten() {
        while let Some(index) = state.earmarks.iter().position(|e| e.host == *host && e.source != Source::Owned) {
            state.drop_earmark(index);
        }
    }
    lending
}

/// Whether a host has running or earmarked units of borrowers.
fn is_borrowed(state: &PoolState<'_>, host: HostId) -> bool {
    let units = state.on_host[host].iter().any(|&id| state.units[id].source != Source::Owned);
    units || state.earmarks.iter().any(|e| e.host == host && e.source != Source::Owned)
}

fn is_used_by_owner(state: &PoolState<'_>, host: HostId) -> bool {
    let units = state.on_host[host].iter().any(|&id| state.units[id].source == Source::Owned);
    units || state.earmarks.iter().any(|e| e.host == host && e.source == Source::Owned)
}

/// Hosts needed for the owner's outstanding units without borrowers: first fit in this order; the first units of an
/// allocation count only if all of them fit.
fn needed_hosts(state: &PoolState<'_>, leaf: ConsumerId, order: &[HostId]) -> Vec<HostId> {
    let mut rooms: Vec<_> = order.iter().map(|&host| (host, owner_room(state, host), false)).collect();
    let lay = |rooms: &mut Vec<(HostId, Dims, bool)>, sub: SubId| {
        let unit = state.subs[sub].unit;
        let first_fit = rooms.iter_mut().find(|room| fits(&room.1, &unit) && state.may_run(sub, room.0));
        if let Some(room) = first_fit {
            add(&mut room.1, &unit, -1);
            room.2 = true;
            return true;
        }
        false
    };
    for &sub in &state.subs_of[leaf] {
        let together = state.first_units(sub);
        if !together.is_empty() && state.subs[sub].allocation != sub {
            continue;
        }
        let saved = rooms.clone();
        if !together.iter().all(|&sub| lay(&mut rooms, sub)) {
            rooms = saved;
            continue;
        }
        let laid = together.iter().filter(|&&other| other == sub).count();
        for _ in laid..state.subs[sub].outstanding() as usize {
            if !lay(&mut rooms, sub) {
                break;
            }
        }
    }
    rooms.into_iter().filter(|room| room.2).map(|room| room.0).collect()
}

fn owner_room(state: &PoolState<'_>, host: HostId) -> Dims {
    let mut room = state.plan.hosts[host];
    let units = state.on_host[host].iter().map(|&id| (state.units[id].source, state.units[id].sub));
    let earmarks = state.earmarks.iter().filter(|e| e.host == host).map(|e| (e.source, e.sub));
    for (_, sub) in units.chain(earmarks).filter(|(source, _)| *source == Source::Owned) {
        add(&mut room, &state.subs[sub].unit, -1);
    }
    room
}

/// Lent hosts of a pool, in plan order.
pub fn lent_to(state: &PoolState<'_>, holdings: &Arena<ConsumerId, Vec<HostId>>, pool: ConsumerId) -> Vec<PoolHost> {
    let plan = state.plan;
    let mut hosts = Vec::new();
    for owner in plan.consumers.ids().filter(|&c| plan.is_leaf(c)) {
        for &host in holdings[owner].iter().filter(|&&h| state.lent[h] == Some(pool)) {
            hosts.push(PoolHost { host, lent_grace: Some(effective_lendout_grace(plan, owner, pool)) });
        }
    }
    hosts.sort_by_key(|h: &PoolHost| h.host);
    hosts
}

/// Lent hosts of owners below a pool that have moved to a pool further up.
pub fn passed_on(state: &PoolState<'_>, holdings: &Arena<ConsumerId, Vec<HostId>>, pool: ConsumerId) -> Vec<HostId> {
    let plan = state.plan;
    let owners = plan.subtree(pool).filter(|&c| plan.is_leaf(c) && c != pool);
    let is_above = |&h: &HostId| state.lent[h].is_some_and(|lent_to| lent_to != pool && plan.is_below(pool, lent_to));
    owners.flat_map(|owner| holdings[owner].iter().copied().filter(is_above)).collect()
}

/// Moves idle lent hosts of a pool one level up if its consumer lends.
pub fn pass_on(state: &mut PoolState<'_>, pool: ConsumerId) {
    let consumer = &state.plan.consumers[pool];
    let Some(parent) = consumer.parent.filter(|_| consumer.lendout) else { return };
    for host in state.lent.ids() {
        let is_idle = state.on_host[host].is_empty() && !state.earmarks.iter().any(|e| e.host == host);
        if state.lent[host] == Some(pool) && is_idle {
            state.lent[host] = Some(parent);
        }
    }
}

/// Result of a call-back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TakenBack {
    /// Units of the owner that started at once.
    pub started: Vec<UnitId>,
    /// Reclaims for units of the owner, one each.
    pub owned: Vec<Reclaim>,
    /// Reclaims of the other borrowed units on the hosts.
    pub others: Vec<Reclaim>,
}

/// Takes back called-back hosts: for each outstanding unit of the owner, the newest borrowed units are reclaimed until
/// it fits; then the other borrowed units are reclaimed as well.
pub fn take_back(state: &mut PoolState<'_>, leaf: ConsumerId, hosts: &[HostId]) -> TakenBack {
    let (mut started, mut owned) = (Vec::new(), Vec::new());
    for i in 0..state.subs_of[leaf].len() {
        let sub = state.subs_of[leaf][i];
        // The first units of an allocation start together, when the whole hosts are free.
        while state.subs[sub].outstanding() > 0 && state.first_units(sub).is_empty() {
            if let Some(&host) = hosts.iter().find(|&&h| state.fits_now(sub, h)) {
                if state.subs[sub].startable() == 0 {
                    break;
                }
                // A victim without a grace period freed more than required.
                started.push(state.start(sub, host, Source::Owned));
                continue;
            }
            let Some((host, victims)) = hosts.iter().find_map(|&h| Some((h, victims_for(state, sub, h)?))) else {
                break;
            };
            let deadline = evict_borrowed(state, leaf, &victims);
            state.earmark(sub, host, Source::Owned, &victims);
            let last = state.earmarks.len() - 1;
            if state.earmarks[last].victims.is_empty() {
                state.redeem_at(last);
            }
            owned.push(Reclaim::new(Some((leaf, Some(sub))), host, victims, deadline));
        }
    }
    let mut others = Vec::new();
    for &host in hosts {
        let victims: Vec<UnitId> = borrowed_newest_first(state, host).collect();
        if !victims.is_empty() {
            let deadline = evict_borrowed(state, leaf, &victims);
            others.push(Reclaim::new(Some((leaf, None)), host, victims, deadline));
        }
    }
    TakenBack { started, owned, others }
}

fn borrowed_newest_first<'b>(state: &'b PoolState<'_>, host: HostId) -> impl Iterator<Item = UnitId> + 'b {
    let is_borrowed = |&id: &UnitId| {
        let unit = &state.units[id];
        state.is_reclaimable(id) && unit.source != Source::Owned
    };
    state.on_host[host].iter().rev().copied().filter(is_borrowed)
}

fn victims_for(state: &PoolState<'_>, sub: SubId, host: HostId) -> Option<Vec<UnitId>> {
    if !state.may_run(sub, host) {
        return None;
    }
    let unit = &state.subs[sub].unit;
    let mut free = state.free[host];
    let mut victims = Vec::new();
    for id in borrowed_newest_first(state, host) {
        add(&mut free, &state.subs[state.units[id].sub].unit, 1);
        victims.push(id);
        if fits(&free, unit) {
            return Some(victims);
        }
    }
    None
}

fn evict_borrowed(state: &mut PoolState<'_>, owner: ConsumerId, victims: &[UnitId]) -> Time {
    let mut deadline = state.now;
    for &id in victims {
        let end = state.now + super::grace::borrower_grace(state, owner, id);
        deadline = deadline.max(end);
        state.reclaim(id, end);
    }
    deadline
}
