//! Whom and what the comparisons of a decision are about.

use fairground::id::{NodeId, PartitionId, PodId, QueueId};
use fairground::trace::{Check, Event, Recorded};

use super::super::moments::Moments;
use super::Ego;
use super::books::{Set, Source, View};
use super::replay::Replay;
use super::tree::{Tree, consumer};

fn of(queue: Option<QueueId>) -> Option<usize> {
    queue.map(consumer)
}

fn of_rule<'c>(recorded: &'c Recorded, key: &'static str) -> impl Iterator<Item = &'c Check> {
    recorded.checks.iter().filter(move |check| check.rule.key() == key)
}

impl Ego<'_> {
    /// What is wrong with a decision that no number decides.
    pub fn wrong(&self, pool: PartitionId, moments: &Moments<'_>, at: usize) -> Option<String> {
        let replay = self.replay(pool);
        if let Some(says) = replay.faults.get(&at) {
            return Some(says.clone());
        }
        let recorded = &moments.decisions[at];
        let is_true = match recorded.event {
            Event::Bound { pod, node, .. } => is_start(replay, moments, at, (pod, node)),
            Event::Evicted { pod, node, .. } if of_rule(recorded, "ego/call-back").next().is_some() => {
                recorded.checks.iter().all(|check| is_called_back(replay, check, at, (pod, node)))
            }
            Event::Evicted { .. } => are_sides(replay, moments, at),
            _ => true,
        };
        (!is_true).then(|| format!("this is not so: {:?}", recorded.event))
    }
}

fn leaf_of(replay: &Replay<'_>, pod: PodId) -> usize {
    let cluster = replay.world.cluster;
    consumer(cluster.jobs[cluster.pods[pod].job].queue)
}

/// Whether a unit starts on a reservation, on a host of its leaf, or by the choices among siblings.
fn is_start(replay: &Replay<'_>, moments: &Moments<'_>, at: usize, (pod, node): (PodId, NodeId)) -> bool {
    let (recorded, leaf) = (&moments.decisions[at], leaf_of(replay, pod));
    let mut reserved = of_rule(recorded, "ego/earmark").peekable();
    if reserved.peek().is_some() {
        return reserved.all(|check| check.subject.pod == Some(pod) && of(check.subject.queue) == Some(leaf));
    }
    let is_owned = replay.books[at + 1].sources.get(&pod) == Some(&Source::Owned);
    let is_it = |check: &Check| check.subject.node == Some(node) && of(check.subject.queue) == Some(leaf);
    let mut of_node = of_rule(recorded, "ego/own-hosts").chain(of_rule(recorded, "ego/over-commit"));
    of_rule(recorded, "ego/own-hosts").next().is_some() == is_owned
        && of_node.all(is_it)
        && of_rule(recorded, "ego/host-order")
            .all(|check| check.subject.pod == Some(pod) && of(check.subject.queue) == Some(leaf))
        && are_choices(&replay.view(moments, at), recorded, leaf)
}

/// Whether the owner of a host takes it back from a borrower.
fn is_called_back(replay: &Replay<'_>, check: &Check, at: usize, (pod, node): (PodId, NodeId)) -> bool {
    let books = &replay.books[at];
    of(check.subject.queue) == Some(replay.world.tree.holder[&node])
        && of(check.subject.other_queue) == Some(leaf_of(replay, pod))
        && books.sources.get(&pod) != Some(&Source::Owned)
        && !books.lent.contains_key(&node)
}

/// Whether each choice of a start is between a consumer on the path to its leaf and a sibling with pending units.
fn are_choices(view: &View<'_>, recorded: &Recorded, leaf: usize) -> bool {
    let tree = &view.world.tree;
    let is_choice = |check: &Check| {
        let [Some(chosen), Some(other)] = [check.subject.queue, check.subject.other_queue] else {
            return matches!(check.rule.key(), "ego/own-hosts" | "ego/over-commit" | "ego/host-order");
        };
        let (chosen, other) = (consumer(chosen), consumer(other));
        let waits = |set: &&Set| tree.is_below(set.leaf, other) && view.outstanding(set) > 0;
        tree.is_below(leaf, chosen)
            && chosen != other
            && tree.parent[chosen] == tree.parent[other]
            && view.world.sets.iter().any(|set| waits(&set))
    };
    recorded.checks.iter().all(is_choice)
}

/// Whether the comparisons of a reclaim are about the reclaimer, the first victim, and the siblings above them.
fn are_sides(replay: &Replay<'_>, moments: &Moments<'_>, at: usize) -> bool {
    let (tree, recorded): (&Tree, _) = (&replay.world.tree, &moments.decisions[at]);
    let first = replay.reclaims.get(&at).map_or(at, |reclaim| reclaim.0);
    let Event::Evicted { pod, .. } = moments.decisions[first].event else { return false };
    let Event::Evicted { by, .. } = recorded.event else { return false };
    let victim = leaf_of(replay, pod);
    let by = by.map(|job| consumer(replay.world.cluster.jobs[job].queue));
    let sides = by.and_then(|by| tree.split(by, victim));
    let is_about = |check: &Check| {
        let [left, right] = [check.subject.queue, check.subject.other_queue].map(|queue| queue.map(consumer));
        match check.rule.key() {
            "ego/under-quota" => left == by,
            "ego/over-quota" | "ego/share-limit" => left == Some(victim),
            "ego/share-priority" | "ego/no-inversion" => (left, right) == (sides.map(|s| s.0), sides.map(|s| s.1)),
            "ego/below-slot-quota" => left == by || left == sides.map(|s| s.0),
            "ego/above-slot-quota" => left == Some(victim) || left == sides.map(|s| s.1),
            _ => false,
        }
    };
    !recorded.checks.is_empty() && recorded.checks.iter().all(is_about)
}
