//! Slot plans: slots held, and share quotas in slots (ego.md 10).

use fairground::policy::ego::config::Config;
use fairground::policy::ego::slot::ShareQuota;
use fairground::units::Resource;

use super::books::View;
use super::tree::{ROOT, Tree};

/// Slots that a consumer holds, earmarked ones included.
pub fn held(view: &View<'_>, node: usize) -> u64 {
    let sets = view.world.sets.iter().filter(|set| view.world.tree.is_below(set.leaf, node));
    sets.map(|set| u64::from(view.covered(set))).sum()
}

/// Share quotas by consumer.
pub fn quotas(view: &View<'_>, config: &Config) -> Vec<u64> {
    let tree = &view.world.tree;
    let gpu = Resource::GPU.index();
    let most = |c: usize| tree.limit[c][gpu].map_or(u64::MAX, |limit| (limit.max(0) / 1000) as u64);
    let mut demand = vec![0; tree.parent.len()];
    for &node in tree.order.iter().rev() {
        let own = view.world.sets.iter().filter(|set| set.leaf == node && tree.is_leaf(node));
        let all = own.map(|set| u64::from(view.want(set))).sum::<u64>()
            + tree.children[node].iter().map(|c| demand[*c]).sum::<u64>();
        demand[node] = if node == ROOT || tree.ratio[node] > 0 { all.min(most(node)) } else { 0 };
    }
    let mut quota = vec![0; tree.parent.len()];
    quota[ROOT] = tree.hosts.iter().map(|(_, has)| (has[gpu].max(0) / 1000) as u64).sum();
    for &node in &tree.order {
        let children = tree.children[node].iter().copied();
        let mut rest = quota[node];
        if config.share_quota == ShareQuota::Static {
            let sharing: Vec<usize> = children.filter(|c| tree.ratio[*c] > 0).collect();
            for (c, n) in divided(tree, &sharing, rest) {
                quota[c] = n.min(most(c));
            }
            continue;
        }
        let mut open: Vec<usize> = children.filter(|c| tree.ratio[*c] > 0 && demand[*c] > 0).collect();
        loop {
            let sum: u64 = open.iter().map(|c| tree.ratio[*c]).sum();
            let is_covered = |c: &usize| rest * tree.ratio[*c] >= demand[*c] * sum;
            let (covered, others): (Vec<usize>, Vec<usize>) = open.iter().partition(|c| is_covered(c));
            if covered.is_empty() {
                for (c, n) in divided(tree, &others, rest) {
                    quota[c] = n.min(demand[c]);
                }
                break;
            }
            for c in covered {
                quota[c] = demand[c];
                rest -= demand[c];
            }
            open = others;
        }
    }
    quota
}

/// By ratio, rounded down; then one each to the largest remainders, earlier ones first (OC-24).
fn divided(tree: &Tree, among: &[usize], slots: u64) -> Vec<(usize, u64)> {
    let sum: u64 = among.iter().map(|c| tree.ratio[*c]).sum();
    if sum == 0 {
        return Vec::new();
    }
    let mut by_remainder = among.to_vec();
    by_remainder.sort_by_key(|c| std::cmp::Reverse(slots * tree.ratio[*c] % sum));
    let floor = |c: usize| slots * tree.ratio[c] / sum;
    let n_left = (slots - among.iter().map(|c| floor(*c)).sum::<u64>()) as usize;
    by_remainder.iter().enumerate().map(|(i, &c)| (c, floor(c) + u64::from(i < n_left))).collect()
}
