//! Agreement of the engine with the real schedulers, from a file written by the tests.

use super::versions::{Modelled, Revision};

/// Number of recorded cases that agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Cases that agree.
    pub agree: u64,
    /// All cases.
    pub of: u64,
    /// Cases that are not counted: calls of functions without a decision.
    pub not_counted: u64,
    /// Cases that agree when converted to scenario files.
    pub agree_as_scenarios: u64,
    /// Cases that can be expressed as scenario files.
    pub can_be_scenarios: u64,
}

impl Agreement {
    /// Cases that are counted.
    pub fn counted(&self) -> u64 {
        self.of - self.not_counted
    }
}

/// One line per policy and revision: name, cases that agree, all cases, cases not counted, cases that agree as scenario
/// files, cases that can be expressed as such, commit of the real scheduler (none if there is no source code).
const TEXT: &str = include_str!("../../../assets/agreement.txt");

/// The agreement of a revision; all zero if it has no recordings.
pub fn of(modelled: &Modelled, revision: &Revision) -> Agreement {
    let is_its =
        |line: &[&str]| line[0] == modelled.policy && line.get(6).copied().unwrap_or_default() == revision.commit;
    let mut lines = TEXT.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let words = lines.find(|line| is_its(line)).unwrap_or_default();
    let count = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or_default();
    Agreement {
        agree: count(1),
        of: count(2),
        not_counted: count(3),
        agree_as_scenarios: count(4),
        can_be_scenarios: count(5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::versions::all;

    #[test]
    fn every_revision_has_its_line() {
        for modelled in all() {
            for revision in modelled.revisions {
                let found = of(modelled, revision);
                assert!(found.of > 0 && found.agree + found.not_counted <= found.of, "{revision:?}: {found:?}");
                let (agree, can_be) = (found.agree_as_scenarios, found.can_be_scenarios);
                assert!(agree <= can_be && can_be <= found.of, "{revision:?}: {found:?}");
            }
        }
        assert_eq!(TEXT.lines().count(), all().map(|modelled| modelled.revisions.len()).sum::<usize>());
    }
}
