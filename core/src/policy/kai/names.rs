//! Names of a scenario converted to object names of a cluster.
//!
//! # Rule
//! Lower-case letters, digits, `-` and `.`, beginning and ending with a letter or digit, at most 253 characters,
//! unique. In any other name each invalid character becomes `-`; a number is appended if the result is taken.
//!
//! # Source
//! Kubernetes, *Object names and IDs*: DNS subdomain names

use std::collections::BTreeSet;

use crate::id::{Arena, QueueId};
use crate::policy::export::Source;

/// Maximum length of a name, with room for suffixes.
const CHARS_MAX: usize = 200;
/// The pool whose nodes and queues have no label.
const DEFAULT_POOL: &str = "default";

/// Object names of queues and pools.
pub(super) struct Names {
    queues: Arena<QueueId, String>,
    pools: Vec<Option<String>>,
}

impl Names {
    pub fn of_queues(source: &Source<'_>) -> Names {
        let mut unique = UniqueNames::default();
        let queues = source.cluster.queues.values().map(|queue| unique.name(&queue.name)).collect();
        let mut unique = UniqueNames::default();
        let pools = source.cluster.partitions.values().enumerate();
        let pools = pools.map(|(i, pool)| {
            let is_default = pool.name.is_empty() || &*pool.name == DEFAULT_POOL;
            let is_only = i == 0 && source.scenario.pools.is_empty();
            (!is_default && !is_only).then(|| unique.name(&pool.name))
        });
        Names { queues, pools: pools.collect() }
    }

    /// Name of a queue in a pool.
    pub fn queue(&self, queue: QueueId, pool: usize) -> String {
        let name = &self.queues[queue];
        match self.shard(pool) {
            Some(shard) => format!("{name}-{shard}"),
            None => name.clone(),
        }
    }

    /// Label value of a pool; `None` if its nodes have no such label.
    pub fn shard(&self, pool: usize) -> Option<&str> {
        self.pools.get(pool)?.as_deref()
    }
}

/// Names already in use.
#[derive(Default)]
pub(super) struct UniqueNames(BTreeSet<String>);

impl UniqueNames {
    /// Returns a unique object name close to the scenario's.
    pub fn name(&mut self, typed: &str) -> String {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        let lower = typed.to_ascii_lowercase();
        let plain: String = lower.chars().map(|c| if is_plain(c) { c } else { '-' }).take(CHARS_MAX).collect();
        let labels = plain.split('.').map(|label| label.trim_matches('-')).filter(|label| !label.is_empty());
        let plain = labels.collect::<Vec<_>>().join(".");
        let plain = if plain.is_empty() { "unnamed".to_string() } else { plain };
        let numbered = (2..).map(|n| format!("{plain}-{n}"));
        let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !self.0.contains(name));
        let name = name.unwrap_or(plain);
        self.0.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::UniqueNames;

    #[test]
    fn names_are_valid_in_a_cluster() {
        let mut unique = UniqueNames::default();
        let names = ["team-a", "Team A", "Team_A", "--", "日本", "a/b", ".x..y-."].map(|name| unique.name(name));
        assert_eq!(names, ["team-a", "team-a-2", "team-a-3", "unnamed", "unnamed-2", "a-b", "x.y"]);
    }
}
