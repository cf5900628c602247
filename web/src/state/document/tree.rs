//! The tree of queues as rows, in the order of all panels.

use std::collections::{BTreeMap, BTreeSet};

use fairground::scenario::Scenario;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// Index in the scenario's list.
    pub index: usize,
    pub name: String,
    /// 0 for a top-level queue.
    pub depth: usize,
    /// Index of its root among the top-level queues; determines its hue.
    pub top: usize,
    pub has_children: bool,
    /// Its children are shown.
    pub open: bool,
    /// Position among its siblings, from 1, and their number.
    pub place: (usize, usize),
}

/// The rows in depth-first order, children in file order. Queues with an unknown parent are at the top level; queues in
/// a cycle are listed only once.
pub fn rows(scenario: &Scenario, folded: &BTreeSet<String>) -> Vec<TreeRow> {
    let names: BTreeSet<&str> = scenario.queues.iter().map(|q| q.name.as_str()).collect();
    let mut children: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (i, queue) in scenario.queues.iter().enumerate() {
        let parent = queue.parent.as_deref().filter(|p| names.contains(p) && *p != queue.name);
        children.entry(parent).or_default().push(i);
    }
    let mut rows = Vec::with_capacity(scenario.queues.len());
    let mut seen = vec![false; scenario.queues.len()];
    let tops = children.get(&None).cloned().unwrap_or_default();
    let n_tops = tops.len();
    let mut stack: Vec<(usize, usize, usize, (usize, usize))> =
        tops.iter().enumerate().rev().map(|(i, &q)| (q, 0, i, (i + 1, n_tops))).collect();
    loop {
        while let Some((index, depth, top, place)) = stack.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let name = &scenario.queues[index].name;
            let below = children.get(&Some(name.as_str())).map(Vec::as_slice).unwrap_or_default();
            let open = !folded.contains(name);
            let has_children = !below.is_empty();
            rows.push(TreeRow { index, name: name.clone(), depth, top, has_children, open, place });
            for (i, &child) in below.iter().enumerate().rev() {
                if open {
                    stack.push((child, depth + 1, top, (i + 1, below.len())));
                } else {
                    hide(scenario, &children, &mut seen, child);
                }
            }
        }
        // Queues in a cycle have no root, so use the first of them as one.
        match seen.iter().position(|s| !s) {
            Some(lost) => stack.push((lost, 0, n_tops, (1, 1))),
            None => return rows,
        }
    }
}

fn hide(scenario: &Scenario, children: &BTreeMap<Option<&str>, Vec<usize>>, seen: &mut [bool], from: usize) {
    let mut stack = vec![from];
    while let Some(index) = stack.pop() {
        if !std::mem::replace(&mut seen[index], true) {
            stack.extend(children.get(&Some(scenario.queues[index].name.as_str())).into_iter().flatten());
        }
    }
}

/// The names of a queue and its descendants.
pub fn subtree(scenario: &Scenario, name: &str) -> Vec<String> {
    let mut found = vec![name.to_string()];
    let mut at = 0;
    while at < found.len() {
        for queue in scenario.queues.iter() {
            if queue.parent.as_deref() == Some(&found[at]) && !found.contains(&queue.name) {
                found.push(queue.name.clone());
            }
        }
        at += 1;
    }
    found
}

pub fn is_leaf(scenario: &Scenario, name: &str) -> bool {
    scenario.queues.iter().all(|q| q.parent.as_deref() != Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::scenario::QueueEntry;
    use std::sync::Arc;

    fn scenario(queues: &[(&str, Option<&str>)]) -> Scenario {
        let entry = |(name, parent): &(&str, Option<&str>)| QueueEntry {
            name: name.to_string(),
            parent: parent.map(str::to_string),
            ..QueueEntry::default()
        };
        Scenario { queues: Arc::new(queues.iter().map(entry).collect()), ..Scenario::default() }
    }

    #[test]
    fn children_follow_their_parents_in_file_order() {
        let s = scenario(&[("b1", Some("b")), ("a", None), ("b", None), ("b2", Some("b")), ("lost", Some("?"))]);
        let shown: Vec<_> = rows(&s, &BTreeSet::new()).into_iter().map(|r| (r.name, r.depth, r.top, r.place)).collect();
        let expected = [("a", 0, 0, (1, 3)), ("b", 0, 1, (2, 3)), ("b1", 1, 1, (1, 2)), ("b2", 1, 1, (2, 2))];
        for (got, want) in shown.iter().zip(expected) {
            assert_eq!((got.0.as_str(), got.1, got.2, got.3), want);
        }
        assert_eq!(shown.len(), 5);
    }

    #[test]
    fn folded_children_and_circles() {
        let s = scenario(&[("a", None), ("a1", Some("a")), ("a2", Some("a1")), ("x", Some("y")), ("y", Some("x"))]);
        let folded = BTreeSet::from(["a".to_string()]);
        let names: Vec<_> = rows(&s, &folded).into_iter().map(|r| r.name).collect();
        assert_eq!(names, ["a", "x", "y"]);
        assert_eq!(subtree(&s, "x"), ["x", "y"]);
    }
}
