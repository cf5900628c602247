//! Cheap necessary conditions checked before a hypothesis is simulated.
//!
//! # Rule
//! *Labels*: every task of the claimant that selects nodes accepts one of the feasible nodes or of the victims' nodes.
//! *Devices*: with idle and releasing devices of every node, plus what the victims on it hold, the K largest nodes (K
//! tasks) take the claimant's requests, largest first, first fit; a request of 0 passes the filter at once, and a node
//! whose *total* is too small fails it at once.
//!
//! # Source
//! kai.md 6.6
//!
//! # Differs
//! nothing; only the values of the K nodes matter, so they are sorted again instead of kept sorted by insertion

use crate::policy::kai::session::Session;
use crate::policy::kai::solve::hypothesis::Hypothesis;

/// Running totals of both filters; victims are added as a hypothesis grows.
#[derive(Debug)]
pub(in crate::policy::kai) struct Filters {
    /// Devices available per node, including those of its victims.
    capacity: Vec<f64>,
    /// GPU requests of the claimant's tasks, largest first.
    requested: Vec<f64>,
    /// Number of victims already included.
    counted: usize,
    /// Whether the devices suffice for each task on its own node. They always do from then on, because capacity only
    /// grows.
    is_ample: bool,
    /// Nodes allowed by the label filter; `None` if no task of the claimant has node selectors.
    reachable: Option<Vec<bool>>,
}

impl Filters {
    /// Starts with the initial hypothesis.
    pub fn new(s: &Session<'_>, hypothesis: &Hypothesis, feasible: &[bool]) -> Self {
        let mut requested: Vec<f64> = hypothesis.pending.iter().map(|&t| s.pod_of(t).request.gpus).collect();
        requested.sort_by(|l, r| r.partial_cmp(l).expect("requests are never NaN"));
        let selects = hypothesis.pending.iter().any(|&t| s.pod_of(t).selects.is_some());
        Filters {
            capacity: s.state.nodes.iter().map(|n| n.sum_idle() + n.sum_releasing()).collect(),
            requested,
            counted: 0,
            is_ample: false,
            reachable: selects.then(|| feasible.to_vec()),
        }
    }

    /// Includes new victims and returns whether the hypothesis passes both filters.
    pub fn accept(&mut self, s: &Session<'_>, hypothesis: &Hypothesis) -> bool {
        for &victim in &hypothesis.victims[self.counted..] {
            let task = s.task(victim);
            let Some(node) = task.node else { continue };
            self.capacity[node.ix()] += task.accepted.quantities.gpu;
            if let Some(nodes) = &mut self.reachable {
                nodes[node.ix()] = true;
            }
        }
        self.counted = hypothesis.victims.len();
        self.labels_match(s, hypothesis) && self.devices_suffice()
    }

    fn labels_match(&self, s: &Session<'_>, hypothesis: &Hypothesis) -> bool {
        let Some(reachable) = &self.reachable else { return true };
        let matches = |accepted: &[bool]| accepted.iter().zip(reachable).any(|(a, r)| *a && *r);
        hypothesis.pending.iter().all(|&t| s.pod_of(t).selects.as_deref().is_none_or(matches))
    }

    fn devices_suffice(&mut self) -> bool {
        let n = self.requested.len();
        let most = self.requested.first().copied().unwrap_or_default();
        self.is_ample |= self.capacity.iter().filter(|&&c| c >= most).count() >= n;
        if self.is_ample {
            return true;
        }
        if let [requested] = self.requested[..] {
            return requested == 0.0;
        }
        let descending = |l: &f64, r: &f64| r.partial_cmp(l).expect("capacities are never NaN");
        let mut largest = self.capacity.clone();
        if n > 0 && n < largest.len() {
            largest.select_nth_unstable_by(n - 1, descending);
            largest.truncate(n);
        }
        largest.sort_by(descending);
        let mut used = vec![0.0; largest.len()];
        for &requested in &self.requested {
            if requested == 0.0 {
                return true;
            }
            let enough = largest.iter().take_while(|&&c| c >= requested);
            let Some(i) = enough.zip(&used).position(|(c, used)| c - used >= requested) else {
                return false;
            };
            used[i] += requested;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The device filter as the specification words it, without shortcuts.
    fn first_fit(capacity: &[f64], requested: &[f64]) -> bool {
        let mut largest = capacity.to_vec();
        largest.sort_by(|l, r| r.total_cmp(l));
        largest.truncate(requested.len());
        let mut remaining = largest.clone();
        for &request in requested {
            if request == 0.0 {
                return true;
            }
            for node in 0..=largest.len() {
                if node == largest.len() || largest[node] < request {
                    return false;
                }
                if remaining[node] >= request {
                    remaining[node] -= request;
                    break;
                }
            }
        }
        true
    }

    /// All lists of `n` numbers from 0 to 3.
    fn lists(n: u32) -> impl Iterator<Item = Vec<f64>> {
        (0..4_u32.pow(n)).map(move |code| (0..n).map(|place| f64::from(code / 4_u32.pow(place) % 4)).collect())
    }

    #[test]
    fn the_device_filter_is_first_fit_on_the_largest_nodes() {
        let mut refused = 0;
        for capacity in (1..=4).flat_map(lists) {
            for requested in (1..=3).flat_map(lists).filter(|r| r.is_sorted_by(|l, r| l >= r)) {
                let expected = first_fit(&capacity, &requested);
                refused += u32::from(!expected);
                let (capacity, requested) = (capacity.clone(), requested.clone());
                let mut filters = Filters { capacity, requested, counted: 0, is_ample: false, reachable: None };
                assert_eq!(filters.devices_suffice(), expected, "{filters:?}");
            }
        }
        assert!(refused > 0);
    }
}
