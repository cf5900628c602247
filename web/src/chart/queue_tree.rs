//! The queue tree: order of rows, depth, and the hue of each queue in all charts.

use std::collections::BTreeSet;

use fairground::scenario::Scenario;

use crate::engine::protocol::{Frame, QueueRow};

/// Number of hues.
pub const HUES: usize = 8;
/// Steps of a hue.
const STEPS: usize = 4;

/// A queue's colour: hue, step, and dots when hues repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tone {
    /// 0 to 7; `None` (grey) for rows above the top queues.
    pub hue: Option<u8>,
    /// 0 to 3: the queue's own step of its top queue's hue.
    pub step: u8,
    /// The hue repeats, so it has dots.
    pub dotted: bool,
}

/// The tree of a list of queues.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    children: Vec<Vec<u32>>,
    tops: Vec<u32>,
    depths: Vec<u32>,
    order: Vec<u32>,
    tones: Vec<Tone>,
}

impl Tree {
    /// Builds the tree. Parents that are missing or form a cycle are treated as none.
    pub fn new(queues: &[QueueRow]) -> Tree {
        let n = queues.len();
        let mut tree = Tree { children: vec![Vec::new(); n], depths: vec![0; n], ..Tree::default() };
        for (i, queue) in queues.iter().enumerate() {
            match queue.parent {
                Some(parent) if (parent as usize) < n && !circular(queues, i) => {
                    tree.children[parent as usize].push(i as u32);
                }
                _ => tree.tops.push(i as u32),
            }
        }
        let mut stack: Vec<(u32, u32)> = tree.tops.iter().rev().map(|top| (*top, 0)).collect();
        while let Some((queue, depth)) = stack.pop() {
            tree.order.push(queue);
            tree.depths[queue as usize] = depth;
            stack.extend(tree.children[queue as usize].iter().rev().map(|child| (*child, depth + 1)));
        }
        tree.tones = tones(&tree, n);
        tree
    }

    /// Queues in preorder; siblings in file order.
    pub fn order(&self) -> &[u32] {
        &self.order
    }
    /// Queues without parent.
    pub fn tops(&self) -> &[u32] {
        &self.tops
    }
    pub fn children(&self, queue: u32) -> &[u32] {
        self.children.get(queue as usize).map_or(&[], |children| children)
    }
    pub fn is_leaf(&self, queue: u32) -> bool {
        self.children(queue).is_empty()
    }
    /// Depth below the top level.
    pub fn depth(&self, queue: u32) -> u32 {
        self.depths.get(queue as usize).copied().unwrap_or(0)
    }
    pub fn tone(&self, queue: u32) -> Tone {
        self.tones.get(queue as usize).copied().unwrap_or_default()
    }
}

/// Queues of a scenario with only names and parents, and their tree.
pub fn of_scenario(scenario: &Scenario) -> (Vec<QueueRow>, Tree) {
    let position = |name: &str| scenario.queues.iter().position(|q| q.name == name);
    let rows: Vec<QueueRow> = scenario
        .queues
        .iter()
        .map(|q| QueueRow {
            name: q.name.clone(),
            parent: q.parent.as_deref().and_then(position).map(|i| i as u32),
            ..QueueRow::default()
        })
        .collect();
    let tree = Tree::new(&rows);
    (rows, tree)
}

fn circular(queues: &[QueueRow], start: usize) -> bool {
    let mut at = queues[start].parent;
    for _ in 0..queues.len() {
        match at {
            Some(parent) if (parent as usize) < queues.len() => at = queues[parent as usize].parent,
            _ => return false,
        }
    }
    true
}

/// Each top queue has its own hue. A single top queue with children is grey, because it represents the whole; its
/// children have hues instead.
fn tones(tree: &Tree, n: usize) -> Vec<Tone> {
    let mut tones = vec![Tone::default(); n];
    let mut coloured = tree.tops.clone();
    while let [only] = coloured[..] {
        if tree.children(only).is_empty() {
            break;
        }
        coloured = tree.children(only).to_vec();
    }
    for (i, top) in coloured.iter().enumerate() {
        let tone = |step: usize| Tone { hue: Some((i % HUES) as u8), step: (step % STEPS) as u8, dotted: i >= HUES };
        tones[*top as usize] = tone(0);
        let mut below: Vec<u32> = tree.children(*top).iter().rev().copied().collect();
        let mut step = 0;
        while let Some(queue) = below.pop() {
            let children = tree.children(queue);
            if children.is_empty() {
                tones[queue as usize] = tone(step);
                step += 1;
            } else {
                tones[queue as usize] = tone(0);
                below.extend(children.iter().rev());
            }
        }
    }
    tones
}

/// Queues shown as rows, in order, without those below `collapsed` ones.
pub fn visible(queues: &[QueueRow], tree: &Tree, collapsed: &[String]) -> Vec<u32> {
    let mut hidden_below: Option<u32> = None;
    tree.order()
        .iter()
        .copied()
        .filter(|queue| {
            let depth = tree.depth(*queue);
            if hidden_below.is_some_and(|above| depth > above) {
                return false;
            }
            hidden_below = collapsed.contains(&queues[*queue as usize].name).then_some(depth);
            true
        })
        .collect()
}

/// Up to this number of queues, rows are taller.
const FEW: usize = 4;

/// Whether rows are taller.
pub fn are_few(queues: &[QueueRow], collapsed: &[String]) -> bool {
    queues.len() <= FEW || !collapsed.is_empty() && visible(queues, &Tree::new(queues), collapsed).len() <= FEW
}

/// Queues whose allocation the last step changed.
pub fn touched(frame: &Frame) -> BTreeSet<u32> {
    let moving = frame.events.iter().filter(|event| event.word().moves());
    moving.filter_map(|event| Some(frame.queue_of(event)?.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str, parent: Option<u32>) -> QueueRow {
        QueueRow { name: name.into(), parent, ..QueueRow::default() }
    }

    #[test]
    fn few_rows_are_few_that_can_be_seen() {
        let mut queues = vec![queue("a", None)];
        queues.extend(["b", "c", "d"].map(|name| queue(name, Some(0))));
        assert!(are_few(&[], &[]) && are_few(&queues, &[]));
        queues.push(queue("e", Some(0)));
        assert!(!are_few(&queues, &[]) && !are_few(&queues, &["b".into()]));
        assert!(are_few(&queues, &["a".into()]));
    }

    #[test]
    fn rows_are_in_tree_order_and_fold() {
        let queues = [queue("a", None), queue("b", None), queue("a1", Some(0)), queue("a2", Some(0))];
        let tree = Tree::new(&queues);
        assert_eq!(tree.order(), [0, 2, 3, 1]);
        assert_eq!(visible(&queues, &tree, &["a".into()]), [0, 1]);
        assert_eq!(visible(&queues, &tree, &[]), [0, 2, 3, 1]);
    }

    #[test]
    fn hues_belong_to_top_queues_and_steps_to_children() {
        let queues = [queue("a", None), queue("b", None), queue("a1", Some(0)), queue("a2", Some(0))];
        let tree = Tree::new(&queues);
        let tone = |q| (tree.tone(q).hue, tree.tone(q).step);
        assert_eq!([tone(0), tone(2), tone(3), tone(1)], [(Some(0), 0), (Some(0), 0), (Some(0), 1), (Some(1), 0)]);
    }

    #[test]
    fn a_single_root_is_grey_and_circles_are_survived() {
        let queues = [queue("root", None), queue("a", Some(0)), queue("b", Some(0)), queue("x", Some(3))];
        let tree = Tree::new(&queues);
        assert_eq!(tree.tops(), [0, 3]);
        let queues = [queue("root", None), queue("a", Some(0)), queue("b", Some(0))];
        let tree = Tree::new(&queues);
        assert_eq!([tree.tone(0).hue, tree.tone(1).hue, tree.tone(2).hue], [None, Some(0), Some(1)]);
    }
}
