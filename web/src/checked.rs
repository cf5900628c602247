//! Test cases of the engine by kind and revision, and the known differences.
//!
//! The tests write the first list and read the second.

use fairground::format::value::{self, Is, Value};
use fairground::policy::versions::{Modelled, Revision};

/// Number of recorded cases of each kind: policy, format, number, commit of the real scheduler if there is one.
const RECORDINGS: &str = include_str!("../../assets/recordings.txt");

/// The cases that differ, each with its reason.
const DIFFERENCES: &str = include_str!("../../tests/known-differences.yaml");

/// Folder of the recordings in the repository.
pub const FOLDER: &str = "tests/golden";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseKind {
    /// Description of one case.
    pub says: &'static str,
    /// Whether a case is a complete scenario, which compares placements and evictions.
    pub is_whole: bool,
    /// Number of cases.
    pub of: u64,
}

/// A case that differs for a known reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// File of recordings, relative to [`FOLDER`].
    pub file: String,
    pub id: String,
    pub reason: String,
}

/// Description of the cases of a format, and whether they are complete scenarios.
fn format(name: &str) -> (&'static str, bool) {
    match name {
        "kai-cycle/1" => (
            "scheduling cycles: from the state of a cluster to every placement, eviction and fair share, for one or more \
             cycles",
            true,
        ),
        "kai-division/1" => ("single calls of the function that divides fair shares", false),
        "yunikorn-trace/1" => ("scenarios, cycle by cycle: placements, evictions, shares, priorities and usage", true),
        "yunikorn-config/1" => ("configuration files: accepted, or refused and why", false),
        "yunikorn-pure/1" => ("single calls of functions: resource arithmetic, sorting, preemption", false),
        "runai-model/1" => ("fair shares, orders of queues and cycles, calculated by an independent model", false),
        _ => ("assignments, quotas, reclaims and whole plans, calculated by an independent model", false),
    }
}

/// The cases of a revision.
pub fn kinds(modelled: &Modelled, revision: &Revision) -> Vec<CaseKind> {
    let lines = RECORDINGS.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let is_its = words.next() == Some(modelled.policy);
        let (name, of) = (words.next()?, words.next()?.parse().ok()?);
        let is_its = is_its && words.next().unwrap_or_default() == revision.commit;
        let (says, is_whole) = format(name);
        is_its.then_some(CaseKind { says, is_whole, of })
    });
    lines.collect()
}

/// The revision of a file of recordings: the one that its folder names, otherwise the oldest.
fn revision_of(modelled: &Modelled, file: &str) -> &'static Revision {
    let folder = file.split('/').next().unwrap_or_default();
    let named = folder.rsplit_once("-v").and_then(|(_, name)| modelled.named(name));
    named.unwrap_or(modelled.oldest())
}

/// The cases of a revision that differ.
pub fn differences(modelled: &Modelled, revision: &Revision) -> Vec<Difference> {
    let root = value::parse(DIFFERENCES, &[]).ok();
    let Some(Is::List(entries)) = root.as_ref().and_then(|root| root.get("differences")).map(|list| &list.is) else {
        return Vec::new();
    };
    let text = |of: &Value, key: &str| match &of.get(key)?.is {
        Is::Scalar(text) => Some(text.clone()),
        _ => None,
    };
    entries
        .iter()
        // Entries of scenario files repeat the same cases.
        .filter(|entry| entry.get("through").is_none())
        .filter_map(|entry| {
            Some(Difference { file: text(entry, "file")?, id: text(entry, "id")?, reason: text(entry, "reason")? })
        })
        .filter(|difference| difference.file.split(['-', '/']).next() == Some(modelled.policy))
        .filter(|difference| revision_of(modelled, &difference.file) == revision)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::policy::{agreement, versions};

    #[test]
    fn kinds_and_differences_add_up_to_what_the_badge_says() {
        let mut ids = Vec::new();
        for modelled in versions::all() {
            for revision in modelled.revisions {
                let found = agreement::of(modelled, revision);
                let of: u64 = kinds(modelled, revision).iter().map(|kind| kind.of).sum();
                assert_eq!(of, found.of, "{revision:?}");
                let differ = differences(modelled, revision);
                assert_eq!(differ.len() as u64, found.counted() - found.agree, "{revision:?}");
                assert!(differ.iter().all(|d| !d.id.is_empty() && !d.reason.is_empty()), "{revision:?}");
                ids.extend(differ.into_iter().map(|difference| difference.id));
            }
        }
        assert!(ids.iter().any(|id| id == "mid-0048"), "{ids:?}");
    }
}
