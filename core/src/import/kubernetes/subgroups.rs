//! Minimums of subgroups, and other fields of pod groups that older releases of KAI lack.
//!
//! # Source
//! KAI Scheduler, API type `scheduling.run.ai/v2alpha2` PodGroup; kai-v0.17.md 16.1, 16.2, 17.1, 19
//!
//! # Differs
//! nothing

use std::collections::{BTreeMap, BTreeSet};

use super::objects::{KAI, Kind, Object};
use super::shards::Settings;
use super::{Cluster, Report};
use crate::policy::kai::config::Revision;
use crate::scenario::Scalar;

/// Fields of a pod group that set the version.
const NEWER: [&str; 3] = ["minSubGroup", "preemptionDelay", "stalenessGracePeriod"];

/// Sets the version if pod groups have fields that need it; returns whether a pod set needs no pods unless it says so.
pub fn set_version(cluster: &Cluster<'_>, settings: &mut Settings, report: &mut Report) -> bool {
    let version = settings.get("version").and_then(|typed| Revision::named(&typed.0));
    let revision = version.unwrap_or_default();
    if revision.has_optional_members() {
        return true;
    }
    let mut groups = cluster.objects.of_kind(Kind::PodGroup).iter().filter(|group| group.kind.0 == KAI);
    let Some((group, field)) = groups.find_map(|group| Some((group, newer(group)?))) else { return false };
    let version = Revision::NEWEST.name();
    settings.insert("version".to_string(), Scalar(version.to_string()));
    report.assume(format!("{field} of PodGroup {} needs version {version}", group.called()));
    true
}

/// The first field that needs a newer version.
fn newer(group: &Object<'_>) -> Option<&'static str> {
    let own = NEWER.into_iter().find(|field| group.place.scalar(&["spec", field]).is_some());
    let inner = || group.place.items(&["spec", "subGroups"]);
    own.or_else(|| inner().iter().any(|sub| sub.scalar(&["minSubGroup"]).is_some()).then_some("minSubGroup"))
}

/// Number of members that the job and its groups need, where that is not all. `paths` has the names of the groups around each pod
/// set, and its own.
pub fn minimums(group: &Object<'_>, paths: &[Vec<&str>]) -> (Option<Scalar>, BTreeMap<String, Scalar>) {
    let of = |name: &str, typed: Option<&str>| {
        let needed = typed?.parse::<u64>().ok()?;
        let below = |path: &Vec<&str>| match name {
            "" => Some(0),
            name => path[..path.len() - 1].iter().position(|own| *own == name).map(|at| at + 1),
        };
        let members: BTreeSet<String> =
            paths.iter().filter_map(|path| Some(path[..=below(path)?].join("/"))).collect();
        (needed < members.len() as u64).then(|| Scalar(needed.to_string()))
    };
    let own = of("", group.place.scalar(&["spec", "minSubGroup"]));
    let mut inner = BTreeMap::new();
    for sub in group.place.items(&["spec", "subGroups"]) {
        let Some(name) = sub.scalar(&["name"]).filter(|name| !name.is_empty()) else { continue };
        let needed = of(name, sub.scalar(&["minSubGroup"]));
        inner.extend(needed.map(|needed| (name.to_string(), needed)));
    }
    (own, inner)
}

/// A grace period; upstream uses negative values for never.
pub fn grace(text: &str) -> Scalar {
    Scalar(if text.starts_with('-') { "unlimited".to_string() } else { text.to_string() })
}
