//! Tree of the subgroups of a job.
//!
//! # Rule
//! An inner group, like the job itself, needs `minSubGroup` of its members, or all of them if it is not given. Members
//! are inner groups and pod sets, by name. A pod set with enough pods is a filled member, as is a group with enough
//! filled members. Among members an unfilled one precedes a filled one; of two filled ones the one that needs
//! something, then the one that has less in relation to its need, then by name.
//!
//! # Source
//! kai.md 3.3; kai-v0.17.md 16.1-16.3
//!
//! # Differs
//! nothing

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::policy::kai::revision::Revision;

/// A group of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::policy::kai) struct Group {
    /// By name.
    pub members: Vec<Member>,
    /// Number of members that it needs, unless all.
    pub min_sub_group: Option<usize>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::policy::kai) enum Member {
    Group(Group),
    /// Index of a pod set.
    Set(usize),
}

/// A pod set as its job describes it.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy::kai) struct SetSpec<'a> {
    pub name: &'a str,
    pub min_available: i64,
    /// Names of the inner groups from the root.
    pub path: &'a [Arc<str>],
}

/// What a member has and needs: filled members of a group, active pods of a pod set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) struct Fill {
    pub has: i64,
    pub needs: i64,
}

impl Fill {
    pub fn is_enough(self) -> bool {
        self.has >= self.needs
    }

    /// Order of two members, without their names.
    pub fn order(self, other: Fill) -> Ordering {
        let ratio = |fill: Fill| fill.has as f64 / fill.needs as f64;
        match (self.is_enough(), other.is_enough()) {
            (false, false) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (true, false) => Ordering::Greater,
            (true, true) => match (self.needs > 0, other.needs > 0) {
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => self.has.cmp(&other.has),
                (true, true) => ratio(self).total_cmp(&ratio(other)),
            },
        }
    }
}

impl Group {
    /// The tree of pod sets sorted by name; `min_sub_group` is given by the name of a group, the root's being empty.
    pub fn of(sets: &[SetSpec<'_>], min_sub_group: impl Fn(&str) -> Option<usize>) -> Group {
        if sets.iter().all(|set| set.path.is_empty()) {
            return Group { min_sub_group: min_sub_group(""), ..Group::flat(sets.len()) };
        }
        let numbered: Vec<(usize, SetSpec<'_>)> = sets.iter().copied().enumerate().collect();
        Group::below("", 0, &numbered, &min_sub_group)
    }

    fn below(
        name: &str,
        depth: usize,
        sets: &[(usize, SetSpec<'_>)],
        min_sub_group: &impl Fn(&str) -> Option<usize>,
    ) -> Group {
        let mut inner: BTreeMap<&str, Vec<(usize, SetSpec<'_>)>> = BTreeMap::new();
        let mut members: Vec<(&str, Member)> = Vec::new();
        for &(i, set) in sets {
            match set.path.get(depth) {
                Some(group) => inner.entry(group).or_default().push((i, set)),
                None => members.push((set.name, Member::Set(i))),
            }
        }
        members.extend(
            inner.iter().map(|(&name, sets)| (name, Member::Group(Group::below(name, depth + 1, sets, min_sub_group)))),
        );
        members.sort_by_key(|&(name, _)| name);
        let members = members.into_iter().map(|(_, member)| member).collect();
        Group { members, min_sub_group: min_sub_group(name) }
    }

    /// A job that needs all of its pod sets.
    pub fn flat(n_sets: usize) -> Group {
        Group { members: (0..n_sets).map(Member::Set).collect(), min_sub_group: None }
    }

    /// Whether it is only a list of pod sets that are all needed.
    pub fn is_flat(&self) -> bool {
        self.min_sub_group.is_none() && self.members.iter().all(|m| matches!(m, Member::Set(_)))
    }

    /// Number of members that it needs.
    pub fn needs(&self) -> usize {
        self.min_sub_group.unwrap_or(self.members.len())
    }

    /// Whether enough members hold, given which pod sets hold.
    pub fn holds(&self, is_held: &impl Fn(usize) -> bool) -> bool {
        self.members.iter().filter(|member| member.holds(is_held)).count() >= self.needs()
    }

    /// Filled and needed members.
    pub fn fill(&self, fills: &[Fill]) -> Fill {
        let has = self.members.iter().filter(|member| member.fill(fills).is_enough()).count();
        Fill { has: has as i64, needs: self.needs() as i64 }
    }

    /// Its pod sets, by name at each level.
    pub fn sets(&self) -> Vec<usize> {
        self.members.iter().flat_map(Member::sets).collect()
    }

    /// The group with only as many members needed as contain one of these pod sets.
    pub fn needing_only(&self, is_there: &impl Fn(usize) -> bool) -> Group {
        let n_there = self.members.iter().filter(|m| m.sets().into_iter().any(is_there)).count();
        let member = |member: &Member| match member {
            Member::Group(group) => Member::Group(group.needing_only(is_there)),
            Member::Set(set) => Member::Set(*set),
        };
        Group {
            members: self.members.iter().map(member).collect(),
            min_sub_group: self.min_sub_group.map(|n| n.min(n_there)),
        }
    }

    /// Its members in order; by name unless `is_ordered`.
    pub fn members_in_order(&self, fills: &[Fill], is_ordered: bool) -> Vec<&Member> {
        let mut members: Vec<&Member> = self.members.iter().collect();
        if is_ordered {
            members.sort_by(|l, r| l.fill(fills).order(r.fill(fills)));
        }
        members
    }
}

impl Member {
    fn holds(&self, is_held: &impl Fn(usize) -> bool) -> bool {
        match self {
            Member::Group(group) => group.holds(is_held),
            Member::Set(set) => is_held(*set),
        }
    }

    pub fn fill(&self, fills: &[Fill]) -> Fill {
        match self {
            Member::Group(group) => group.fill(fills),
            Member::Set(set) => fills[*set],
        }
    }

    pub fn sets(&self) -> Vec<usize> {
        match self {
            Member::Group(group) => group.sets(),
            Member::Set(set) => vec![*set],
        }
    }
}

/// Smallest minimum of a pod set: since v0.17 it may be 0 (kai-v0.17.md 16.1).
pub(in crate::policy::kai) fn least_minimum(revision: Revision) -> i64 {
    match revision {
        Revision::V0_13 => 1,
        Revision::V0_17 => 0,
    }
}
