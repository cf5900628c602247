//! Exports: files in the format of a policy's product.
//!
//! A policy's `export.rs` writes them; [`crate::export`] calls it and compares with the imported files.

use std::collections::BTreeSet;

use super::Policy;
use crate::cluster::{Cluster, Queue};
use crate::format::Scenario;
use crate::id::{Arena, PartitionId, QueueId};

/// A kind of file of a product.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// Name on the command line and, if the product defines one, on disk.
    pub file: &'static str,
    /// Media type.
    pub media: &'static str,
    /// Content in one sentence.
    pub about: &'static str,
    /// Writes the file; `None`: the scenario has another policy.
    pub write: fn(&Source<'_>) -> Option<Written>,
}

/// Writes a virtual cluster with the real scheduler; the second argument is the table of expected events. `None`: the
/// scenario has another policy.
pub type Kit = fn(&Source<'_>, &str) -> Option<Folder>;

/// Result of an export with several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    pub files: Vec<File>,
    /// Parts of the scenario that the files omit or change.
    pub left_out: Vec<String>,
}

/// One of several files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path relative to their folder.
    pub name: String,
    /// Content of the file.
    pub text: String,
}

/// Result of an export with one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Content of the file.
    pub text: String,
    /// Parts of the scenario that the file omits or changes.
    pub left_out: Vec<String>,
}

/// A valid scenario, as text and interpreted.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The scenario file.
    pub scenario: &'a Scenario,
    /// The interpreted cluster.
    pub cluster: &'a Cluster,
    /// The policy of each partition.
    pub policies: &'a [&'a Policy],
}

impl<'a> Source<'a> {
    /// The partitions with their queues and policies.
    pub fn partitions(&self) -> impl Iterator<Item = (PartitionId, &'a Arena<QueueId, Queue>, &'a Policy)> {
        let cluster = self.cluster;
        let ids = cluster.partitions.ids().zip(self.policies.iter().copied());
        ids.map(move |(id, policy)| (id, cluster.queues_in(id), policy))
    }

    /// A note that names the members of a set; `None` if it is empty.
    pub fn remark(&self, names: &BTreeSet<&str>, says: &str) -> Option<String> {
        const LISTED: usize = 5;
        let listed: Vec<&str> = names.iter().copied().take(LISTED).collect();
        let more = names.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!names.is_empty()).then(|| format!("{says}: {}{more}", listed.join(", ")))
    }
}
