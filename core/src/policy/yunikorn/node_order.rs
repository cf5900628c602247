//! Incrementally sorted list of nodes.
//!
//! # Rule
//! Nodes are sorted by score, then by id in byte order. Every placement moves one node, often from the front to the
//! back, so the list is cut into blocks: a move shifts entries of two blocks only, regardless of the number of nodes.
//! Entries contain their sort keys, the id as its rank among all ids, so that comparisons do not access nodes.
//!
//! # Source
//! yunikorn.md 6

use std::cmp::Ordering;

use super::indices::NodeIx;

/// Maximum length of a block; a longer one is split.
const BLOCK: usize = 128;

#[derive(Clone, Copy, Debug)]
struct ScoredNode {
    score: f64,
    rank: u32,
    node: u32,
}

impl ScoredNode {
    fn order(&self, other: &ScoredNode) -> Ordering {
        let by_score = self.score.partial_cmp(&other.score).unwrap_or(Ordering::Equal);
        by_score.then(self.rank.cmp(&other.rank))
    }
}

/// Nodes by score and id.
#[derive(Clone, Debug, Default)]
pub struct NodeOrder {
    /// No block is empty.
    blocks: Vec<Vec<ScoredNode>>,
    /// All nodes ever added, by id.
    by_id: Vec<u32>,
    /// Index of each node in `by_id`.
    ranks: Vec<u32>,
}

/// Compares the order only, not how it is cut into blocks.
impl PartialEq for NodeOrder {
    fn eq(&self, other: &NodeOrder) -> bool {
        self.iter().eq(other.iter())
    }
}

impl NodeOrder {
    /// Nodes in order.
    pub fn iter(&self) -> impl Iterator<Item = NodeIx> + '_ {
        self.blocks.iter().flatten().map(|entry| entry.node as NodeIx)
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Nodes from the first id for which `is_before` is false, by id.
    pub fn with_ids_from(&self, is_before: impl Fn(NodeIx) -> bool) -> impl Iterator<Item = NodeIx> {
        let index = self.by_id.partition_point(|&node| is_before(node as NodeIx));
        self.by_id[index..].iter().map(|&node| node as NodeIx)
    }

    /// Registers the next node; `is_before` tells whether the id of another node precedes its own.
    pub fn register(&mut self, is_before: impl Fn(NodeIx) -> bool) {
        let node = self.ranks.len() as u32;
        let index = self.by_id.partition_point(|&other| is_before(other as NodeIx));
        self.by_id.insert(index, node);
        self.ranks.push(node);
        if index == node as usize {
            return;
        }
        for (rank, &node) in self.by_id.iter().enumerate().skip(index) {
            self.ranks[node as usize] = rank as u32;
        }
        for entry in self.blocks.iter_mut().flatten() {
            entry.rank = self.ranks[entry.node as usize];
        }
    }

    fn entry(&self, node: NodeIx, score: f64) -> ScoredNode {
        ScoredNode { score, rank: self.ranks[node], node: node as u32 }
    }

    /// Block and index of an entry, or of its insertion point, which may be one past the last block.
    fn find(&self, entry: &ScoredNode) -> (usize, usize) {
        let is_before = |other: &ScoredNode| other.order(entry) == Ordering::Less;
        let block = self.blocks.partition_point(|block| block.last().is_some_and(is_before));
        let index = self.blocks.get(block).map_or(0, |block| block.partition_point(is_before));
        (block, index)
    }

    /// Inserts a node.
    pub fn insert(&mut self, node: NodeIx, score: f64) {
        let entry = self.entry(node, score);
        let (block, index) = self.find(&entry);
        // An entry after all others is appended to the last block.
        let (block, index) = match self.blocks.len() {
            0 => {
                self.blocks.push(Vec::with_capacity(BLOCK + 1));
                (0, 0)
            }
            n if block == n => (n - 1, self.blocks[n - 1].len()),
            _ => (block, index),
        };
        let entries = &mut self.blocks[block];
        entries.insert(index, entry);
        if entries.len() > BLOCK {
            // Usually the end grows, so leave a full block full.
            let cut = if index == BLOCK { BLOCK } else { BLOCK / 2 };
            let mut second_half = Vec::with_capacity(BLOCK + 1);
            second_half.extend(entries.drain(cut..));
            self.blocks.insert(block + 1, second_half);
        }
    }

    /// Removes the entry of a node with this score; returns `false` if there is none.
    pub fn remove(&mut self, node: NodeIx, score: f64) -> bool {
        let entry = self.entry(node, score);
        let (block, index) = self.find(&entry);
        let Some(entries) = self.blocks.get_mut(block) else { return false };
        if entries.get(index).is_none_or(|other| other.node != entry.node) {
            return false;
        }
        entries.remove(index);
        if entries.is_empty() {
            self.blocks.remove(block);
        }
        true
    }

    /// Removes and returns all nodes, in order.
    pub fn take(&mut self) -> Vec<NodeIx> {
        let all = self.iter().collect();
        self.blocks.clear();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nodes_are_ordered_by_score_and_id(
            ids in prop::collection::hash_set("[a-c]{1,6}", 1..400),
            moves in prop::collection::vec((any::<prop::sample::Index>(), 0u8..5, any::<bool>()), 0..600),
        ) {
            let ids: Vec<String> = ids.into_iter().collect();
            let mut order = NodeOrder::default();
            let mut scores: Vec<Option<f64>> = Vec::new();
            for node in 0..ids.len() {
                order.register(|other| ids[other] < ids[node]);
                order.insert(node, 0.0);
                scores.push(Some(0.0));
            }
            for (index, score, stays) in moves {
                let node = index.index(ids.len());
                let was = scores[node];
                prop_assert_eq!(order.remove(node, was.unwrap_or(9.0)), was.is_some());
                scores[node] = stays.then_some(f64::from(score));
                if stays {
                    order.insert(node, f64::from(score));
                }
            }
            let mut expected: Vec<NodeIx> = (0..ids.len()).filter(|&node| scores[node].is_some()).collect();
            expected.sort_by(|&l, &r| {
                scores[l].partial_cmp(&scores[r]).expect("numbers").then_with(|| ids[l].cmp(&ids[r]))
            });
            prop_assert_eq!(order.iter().collect::<Vec<_>>(), expected);
            prop_assert!(order.blocks.iter().all(|block| (1..=BLOCK).contains(&block.len())));
        }
    }
}
