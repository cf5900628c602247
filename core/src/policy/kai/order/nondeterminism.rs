//! Orders that upstream leaves undefined.
//!
//! # Rule
//! Upstream iterates over hash maps. Without a seed the simulation uses the canonical order. With a seed each
//! registered order is drawn again at every use, as those maps do: the items of a map of up to eight keep their
//! insertion order, beginning at one of eight slots; those of a larger map come in any order. A draw depends on the
//! seed, the order, the progress of the cycle, and the items, so the same seed gives the same run. With and without a
//! seed, each choice between candidates distinguished only by such an order, before a committed operation, is a
//! candidate for a mark; [`crate::policy::kai::order::nondeterminism_probe`] selects the marks.
//!
//! # Source
//! kai.md 11; the maps of Go since 1.24
//!
//! # Differs
//! N-1 (order of summation), N-4 (pods of a group) and N-5 (representatives of incomparable jobs) are not permuted;
//! N-10 and N-11 do not affect decisions. At most 16 choices are kept per decision, 64 per cycle

use crate::trace::{Rule, RuleRecord};

/// A registered order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) enum RandomOrder {
    /// N-2: insertion of jobs into a queue tree; it also decides between tied queues (N-3).
    Insertion = 2,
    /// N-6: equally full devices of a node.
    Devices = 6,
    /// N-7: jobs and queues visited by the validator.
    Validator = 7,
    /// N-8: nodes of the latest victim's job in successive attempts.
    Nodes = 8,
    /// N-9: jobs considered by a consolidation with too many candidates.
    Consolidation = 9,
}

/// Orders permuted in a rerun, whatever the seed.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy::kai) struct Probe {
    /// The only permuted order; `None`: all.
    pub order: Option<RandomOrder>,
    /// Number of the draw; replaces the seed.
    pub draw: u64,
}

impl Probe {
    /// Whether this order is permuted.
    pub fn is_of(self, order: RandomOrder) -> bool {
        self.order.is_none_or(|only| only == order)
    }
}

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

/// Rules of the registered orders.
pub(in crate::policy::kai) fn rules() -> [Rule; 6] {
    [INSERTION, QUEUES, DEVICES, VALIDATOR, NODES, CANDIDATES]
}
