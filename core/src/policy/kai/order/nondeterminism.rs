//! Orders that upstream leaves to chance.
//!
//! # Rule
//! Upstream takes items out of hash maps. Without a seed the simulation takes them in the canonical order. With a seed
//! each registered order is drawn anew whenever it is asked for, as those maps do it: the items of a map of up to eight
//! come in the order in which they went in, beginning at one of eight slots; those of a larger map in any order. What
//! is drawn depends on the seed, the order, how far the cycle is, and the items, so the same seed gives the same run.
//! With and without a seed, each choice between candidates that only such an order distinguished, on the way to something
//! that is committed, is a candidate for a mark; [`crate::policy::kai::order::nondeterminism_probe`] says which of them are marked.
//!
//! # Source
//! kai.md 11; the maps of Go since 1.24
//!
//! # Differs
//! N-1 (order of summation), N-4 (pods of a group) and N-5 (representatives of incomparable jobs) are not permuted;
//! N-10 and N-11 decide nothing. At most 16 choices are kept for a decision, 64 for a cycle

use crate::trace::{Mark, Rule, RuleRecord, Subject};

/// A registered order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) enum RandomOrder {
    /// N-2: in which jobs enter a queue tree; of queues that tie, places in it decide (N-3).
    Insertion = 2,
    /// N-6: of equally full devices of a node.
    Devices = 6,
    /// N-7: in which jobs and queues are asked for what they lose.
    Validator = 7,
    /// N-8: in which the nodes of the latest victim are emptied.
    Nodes = 8,
    /// N-9: which jobs a consolidation looks at when there are too many.
    Consolidation = 9,
}

/// Orders that are drawn anew, whatever the seed.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy::kai) struct Probe {
    /// The one order; `None`: all.
    pub order: Option<RandomOrder>,
    /// Which draw.
    pub draw: u64,
}

impl Probe {
    /// Whether it draws this one.
    pub fn is_of(self, order: RandomOrder) -> bool {
        self.order.is_none_or(|one| one == order)
    }
}

/// Most choices that are kept on the way to one decision.
const TIES_MAX: usize = 16;

/// Most marks of a cycle.
const MARKS_MAX: usize = 64;

macro_rules! rules {
    ($($name:ident $key:literal $says:literal $formula:literal $source:literal)*) => {$(
        #[doc = $says]
        pub static $name: Rule = Rule(&RuleRecord {
            key: concat!("kai/chance/", $key),
            says: $says,
            formula: $formula,
            source: concat!("kai.md 11 ", $source),
            differs: "the order is random in the real scheduler; here it is the canonical order, or follows from the seed",
        });
    )*};
}

rules! {
    INSERTION "insertion" "the result depends on the order in which jobs and queues are added to the priority heaps" "another order gives another result" "N-2"
    QUEUES "queues" "two queues of the same age are equal in everything: either can come first" "created(l) = created(r)" "N-3"
    DEVICES "devices" "several GPUs are equally full: any of them can be shared" "score(l) = score(r)" "N-6"
    VALIDATOR "validator" "the result depends on which pods are checked last" "allowed with one unit last, refused with another" "N-7"
    NODES "nodes" "the latest victim runs on several nodes: any of them can be tried first" "nodes(victim) > 1" "N-8"
    CANDIDATES "candidates" "there are more candidates for a move than are considered: any of them can be left out" "candidates > most + 1" "N-9"
}

/// The rules of what is left to chance.
pub(in crate::policy::kai) fn rules() -> [Rule; 6] {
    [INSERTION, QUEUES, DEVICES, VALIDATOR, NODES, CANDIDATES]
}

/// Choices between equals on the way to a decision, and those that led to one.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Ties {
    open: Vec<Mark>,
    pub marks: Vec<Mark>,
}

impl Ties {
    /// A choice that only an order of the register decided.
    pub fn met(&mut self, rule: Rule, subject: Subject) {
        let mark = Mark { rule, subject };
        if self.open.len() < TIES_MAX && !self.open.contains(&mark) {
            self.open.push(mark);
        }
    }
    /// How many there are, to come back to.
    pub fn len(&self) -> usize {
        self.open.len()
    }
    /// What was chosen since came to nothing.
    pub fn forget(&mut self, len: usize) {
        self.open.truncate(len);
    }
    /// What was chosen led to a decision.
    pub fn decided(&mut self) {
        for mark in std::mem::take(&mut self.open) {
            self.mark(mark);
        }
    }
    /// Marks a decision at once.
    pub fn mark(&mut self, mark: Mark) {
        if self.marks.len() < MARKS_MAX && !self.marks.contains(&mark) {
            self.marks.push(mark);
        }
    }
}
