//! Numbers for equivalence classes of pods and jobs, so that equality is a comparison of two numbers.
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

use crate::policy::kai::request::{GpuRequestKind, Request};
use crate::policy::kai::task::NodeRef;

/// Assigns equal keys the same number, from 0 in the order of first use.
#[derive(Clone, Debug)]
pub(in crate::policy::kai) struct Numbers<K> {
    numbers: BTreeMap<K, u32>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Numbers { numbers: BTreeMap::new() }
    }
}

impl<K: Ord> Numbers<K> {
    pub fn number(&mut self, key: K) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }
}

/// Numbers pods by all inputs of node selection.
#[derive(Debug, Default)]
pub(in crate::policy::kai) struct Numbering {
    keys: Numbers<Key>,
    /// The previous pod, since most pods equal it.
    last: Option<(Request, u32, Option<NodeRef>, u32)>,
}

/// The bits of CPU, memory, portion and devices; named resources; kind; devices, memory of each; likeness; nominated
/// node.
type Key = ([u64; 4], Vec<i64>, GpuRequestKind, [i64; 2], u32, Option<NodeRef>);

impl Numbering {
    /// Returns the same number for pods with the same request, `likeness` and nominated node.
    pub fn number(&mut self, request: &Request, likeness: u32, nominated: Option<NodeRef>) -> u32 {
        if let Some((r, l, n, number)) = &self.last
            && (r, *l, *n) == (request, likeness, nominated)
        {
            return *number;
        }
        let Request { cpu, memory, scalars, kind, count, portion, mib, gpus } = request;
        let bits = [cpu, memory, portion, gpus].map(|amount| amount.to_bits());
        let key = (bits, scalars.clone(), *kind, [*count, *mib], likeness, nominated);
        let number = self.keys.number(key);
        self.last = Some((request.clone(), likeness, nominated, number));
        number
    }
}
