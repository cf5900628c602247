//! Minimums of subgroups and grace periods of pod groups, which older releases of KAI lack.
//!
//! # Source
//! KAI Scheduler, API type `scheduling.run.ai/v2alpha2` PodGroup; kai-v0.17.md 16.1, 16.2, 19
//!
//! # Differs
//! nothing

use std::collections::{BTreeMap, BTreeSet};

use super::objects::Object;
use crate::scenario::Scalar;

/// Number of members that the job and its groups need, where that is not all. `paths` has the names of the groups
/// around each pod set, and its own.
pub fn minimums(group: &Object<'_>, paths: &[Vec<&str>]) -> (Option<Scalar>, BTreeMap<String, Scalar>) {
    let minimum = |name: &str, typed: Option<u64>| {
        let min = typed?;
        let depth = |path: &Vec<&str>| match name {
            "" => Some(0),
            name => path[..path.len() - 1].iter().position(|part| *part == name).map(|i| i + 1),
        };
        let members: BTreeSet<String> = paths.iter().filter_map(|path| Some(path[..=depth(path)?].join("/"))).collect();
        (min < members.len() as u64).then(|| Scalar(min.to_string()))
    };
    let of_job = minimum("", group.place.whole(&["spec", "minSubGroup"]));
    let mut inner = BTreeMap::new();
    for sub in group.place.items(&["spec", "subGroups"]) {
        let Some(name) = sub.scalar(&["name"]).filter(|name| !name.is_empty()) else { continue };
        let min = minimum(name, sub.whole(&["minSubGroup"]));
        inner.extend(min.map(|min| (name.to_string(), min)));
    }
    (of_job, inner)
}

/// A grace period; upstream uses negative values for never.
pub fn grace(text: &str) -> Scalar {
    Scalar(if text.starts_with('-') { "unlimited".to_string() } else { text.to_string() })
}
