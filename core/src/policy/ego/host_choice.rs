//! The choice of a host.
//!
//! # Rule
//! The first host in order that fits; with placement *balanced* the one with room for the most units of this size, the
//! first among equals.
//!
//! # Source
//! ego.md 7.4
//!
//! # Differs
//! OC-15

use std::cmp::Reverse;

use super::ids::HostId;
use super::near_hosts::{Chosen, Key, NearHosts};
use super::plan::{Dims, units_in};
use super::pool_state::PoolState;
use crate::policy::node_order::{MOST, Nearest};

/// Number of hosts next to the chosen one that are tried for an explanation.
const TRIED: usize = 2 * MOST;

/// Hosts in order, from which one is chosen.
pub(super) struct Hosts<A, O> {
    /// Number of leading ones that are known not to fit.
    pub n_full: usize,
    pub len: usize,
    /// The host at a place.
    pub at: A,
    /// Whether the unit may start on the host at a place.
    pub is_open: O,
}

impl<A: Fn(usize) -> HostId, O: Fn(usize) -> bool> Hosts<A, O> {
    /// The first host that fits.
    pub fn first(&self, state: &PoolState<'_>) -> Option<Chosen> {
        let place = (self.n_full..self.len).find(|&i| (self.is_open)(i))?;
        let later = || (place + 1..self.len).take(TRIED).filter(|&i| (self.is_open)(i)).take(MOST);
        let next = || later().map(|i| (None, i)).collect();
        Some(self.chosen(state, (None, place), next))
    }

    /// The host with room for the most units.
    pub fn roomiest(&self, state: &PoolState<'_>, unit: &Dims) -> Option<Chosen> {
        let mut near = state.records.then(Nearest::default);
        let mut best: Option<(u64, usize)> = None;
        let key = |(n, i): (u64, usize)| (Some(Reverse(n)), i);
        for i in (self.n_full..self.len).filter(|&i| (self.is_open)(i)) {
            let n = units_in(&state.free[(self.at)(i)], unit);
            let worse = match best {
                Some((n_max, _)) if n <= n_max => Some((n, i)),
                _ => best.replace((n, i)),
            };
            if let (Some(near), Some(worse)) = (&mut near, worse) {
                near.fits(key(worse));
            }
        }
        let next = || near.map_or(Vec::new(), |near| near.next);
        Some(self.chosen(state, key(best?), next))
    }

    fn chosen(&self, state: &PoolState<'_>, chosen: Key, next: impl FnOnce() -> Vec<Key>) -> Chosen {
        let host = (self.at)(chosen.1);
        if !state.records {
            return Chosen { host, near: None };
        }
        let earlier = (0..chosen.1).rev().take(TRIED).filter(|&i| !(self.is_open)(i)).take(MOST);
        let earlier = earlier.map(|i| (self.at)(i));
        let near = NearHosts {
            own: chosen,
            next: next().into_iter().map(|key| ((self.at)(key.1), key)).collect(),
            unfit: earlier.map(|host| (host, state.free[host])).collect(),
        };
        Chosen { host, near: Some(near) }
    }
}
