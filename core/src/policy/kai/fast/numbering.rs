//! Numbers for pods and jobs that are alike, so that being alike is comparing two numbers.
//!
//! # Rule
//! None of its own.
//!
//! # Source
//! kai.md 5.4, 6.9
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use crate::policy::kai::request::{self, Request};
use crate::policy::kai::task::NodeRef;

/// Equal keys have the same number, from 0 in the order in which they are first seen.
#[derive(Clone, Debug)]
pub(in crate::policy::kai) struct Numbers<K> {
    known: BTreeMap<K, u32>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Numbers { known: BTreeMap::new() }
    }
}

impl<K: Ord> Numbers<K> {
    /// The number of a key.
    pub fn number(&mut self, key: K) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(key).or_insert(next)
    }
}

/// Numbers pods by what a choice of nodes depends on.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Numbering {
    known: Numbers<Key>,
    /// The pod before, as most pods are like it.
    last: Option<(Request, u32, Option<NodeRef>, u32)>,
}

/// The bits of CPU, memory, portion and devices; named resources; the kind; devices, memory of each; likeness; nominated.
type Key = ([u64; 4], Vec<i64>, request::Kind, [i64; 2], u32, Option<NodeRef>);

impl Numbering {
    /// The same number for pods with the same request and `likeness`, for which the same node is nominated.
    pub fn number(&mut self, request: &Request, likeness: u32, nominated: Option<NodeRef>) -> u32 {
        if let Some((r, l, n, number)) = &self.last
            && (r, *l, *n) == (request, likeness, nominated)
        {
            return *number;
        }
        let Request { cpu, memory, scalars, kind, count, portion, mib, gpus } = request;
        let bits = [cpu, memory, portion, gpus].map(|amount| amount.to_bits());
        let key = (bits, scalars.clone(), *kind, [*count, *mib], likeness, nominated);
        let number = self.known.number(key);
        self.last = Some((request.clone(), likeness, nominated, number));
        number
    }
}
