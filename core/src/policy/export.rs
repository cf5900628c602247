//! What a policy says of the files from which its product reads what a scenario describes.
//!
//! A policy's `export.rs` writes them; [`crate::export`] calls it and compares with what was imported.

use std::collections::BTreeSet;

use super::Policy;
use crate::cluster::{Cluster, Queue};
use crate::format::Scenario;
use crate::id::{Arena, Id, PartitionId, QueueId};

/// A kind of file of a product.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// Its name on the command line and, where the product gives it one, on disk.
    pub file: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// What is in it, in one sentence.
    pub about: &'static str,
    /// Writes it; `None`: the scenario is of another policy.
    pub write: fn(&Source<'_>) -> Option<Written>,
}

/// Writes a virtual cluster with the real scheduler, given the events that are expected as a table; `None`: the scenario is of another
/// policy.
pub type Kit = fn(&Source<'_>, &str) -> Option<Folder>;

/// Several files that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// The files.
    pub files: Vec<File>,
    /// What the scenario says and the files cannot, or say otherwise.
    pub left_out: Vec<String>,
}

/// A file of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path inside their folder.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// A file that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub text: String,
    /// What the scenario says and the file cannot, or says otherwise.
    pub left_out: Vec<String>,
}

/// A scenario without mistakes, as typed and as understood.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// As typed.
    pub scenario: &'a Scenario,
    /// As understood.
    pub cluster: &'a Cluster,
    /// Who decides in each partition.
    pub policies: &'a [&'a Policy],
}

impl<'a> Source<'a> {
    /// The partitions with their queues and who decides there.
    pub fn partitions(&self) -> impl Iterator<Item = (PartitionId, &'a Arena<QueueId, Queue>, &'a Policy)> {
        let cluster = self.cluster;
        let ids = cluster.partitions.ids().zip(self.policies.iter().copied());
        ids.map(move |(id, policy)| (id, cluster.queues_in(id), policy))
    }

    /// The pools to which the work of a queue goes by itself: its own, else those of the next queue above that has some.
    pub fn default_pools(&self, queue: QueueId) -> &'a [String] {
        let typed = |id: QueueId| self.scenario.queues[id.index()].default_pools.as_slice();
        self.cluster.path_to_root(queue).map(typed).find(|pools| !pools.is_empty()).unwrap_or_default()
    }

    /// The names of a set that are there, as a remark about what the file cannot say.
    pub fn remark(&self, names: &BTreeSet<&str>, says: &str) -> Option<String> {
        const LISTED: usize = 5;
        let listed: Vec<&str> = names.iter().copied().take(LISTED).collect();
        let more = names.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!names.is_empty()).then(|| format!("{says}: {}{more}", listed.join(", ")))
    }
}

/// A whole number of parts as a decimal number, such as 1500 thousandths as 1.5.
pub fn decimal(n: i64, digits: u32) -> String {
    let unit = 10_u64.pow(digits);
    let (whole, rest) = (n.unsigned_abs() / unit, n.unsigned_abs() % unit);
    let sign = if n < 0 { "-" } else { "" };
    let rest = if rest == 0 { String::new() } else { format!(".{rest:0width$}", width = digits as usize) };
    format!("{sign}{whole}{}", rest.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn numbers_have_no_more_digits_than_they_need() {
        let all =
            [(1500, 3, "1.5"), (2000, 3, "2"), (-1, 3, "-0.001"), (0, 6, "0"), (1_000_001, 6, "1.000001")];
        for (n, digits, text) in all {
            assert_eq!(decimal(n, digits), text);
        }
    }
}
