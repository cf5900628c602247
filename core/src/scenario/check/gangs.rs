//! Minimums of pods and subgroups that start together, and gangs with placeholders.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Location;
use crate::cluster::Gang;
use crate::format::{Findings, JobEntry, Scalar, codes, quantity, quoted, set};
use crate::policy::description::{Description, Gangs};
use crate::time::Span;

/// Default timeout of placeholders (yunikorn.md 7.1).
const TIMEOUT: Span = Span::from_millis(15 * 60_000);

/// Number of pods that have to start together; by default all of them.
pub fn minimum(
    typed: &Option<Scalar>,
    (pods, policy): (u64, &Description),
    location: Location<'_>,
    f: &mut Findings,
) -> u64 {
    let Some(value) = typed else { return pods };
    let path = || location.field("min-available");
    let min = f.value(typed, pods, "a whole number of [pods]", &path, &quantity::count);
    if min > pods {
        let available = if pods == 1 { "one [pod] there is".to_string() } else { format!("{pods} [pods] there are") };
        let message = format!("min-available {} is more than the {available}", quoted(&value.0));
        f.suggest(codes::MIN_AVAILABLE, path(), message, "", "Require all [pods]");
    }
    if min == 0 && !policy.supports.optional_members {
        let message = format!("{} has no minimum of 0 [pods]; it counts as 1", policy.name);
        f.suggest(codes::NOT_EXPRESSED, path(), message, "1", "Require one [pod]");
        return 1;
    }
    min.min(pods)
}

/// Number of members that groups of pod sets need, by the name of the group; that of the job itself is empty. Groups
/// that are not listed need all.
pub fn sub_groups(
    entry: &JobEntry,
    location: Location<'_>,
    policy: &Description,
    f: &mut Findings,
) -> Vec<(Arc<str>, u32)> {
    let of_job = entry.min_subgroups.iter().map(|typed| ("", typed, location.field("min-subgroups")));
    let group_path = |name: &str| location.field("min-subgroups-of").field(name);
    let inner = entry.min_subgroups_of.iter().map(|(name, typed)| (name.as_str(), typed, group_path(name)));
    let mut minimums = Vec::new();
    for (name, typed, path) in of_job.chain(inner).filter(|_| policy.supports.optional_members) {
        if entry.pod_sets.is_empty() || entry.min_available.is_some() {
            let message = "a minimum of subgroups needs pod-sets, each with its own minimum";
            f.suggest(codes::CONFLICT, path, message, "", "Remove it");
            continue;
        }
        let n = members(entry, name) as u64;
        if n == 0 {
            let message = format!("no [pod] set is in the group {}", quoted(name));
            f.suggest(codes::CHOICE, path, message, "", "Remove it");
            continue;
        }
        let typed = Some(typed.clone());
        let min = f.value(&typed, n, "a whole number of subgroups", &|| path.clone(), &quantity::count);
        if min > n {
            let message = format!("{min} is more than the {n} subgroups there are");
            f.suggest(codes::MIN_AVAILABLE, path, message, "", "Require all subgroups");
        }
        minimums.push((Arc::from(name), u32::try_from(min.min(n)).unwrap_or(u32::MAX)));
    }
    minimums
}

/// Number of groups and pod sets directly in a group; that of the job itself has no name.
fn members(entry: &JobEntry, group: &str) -> usize {
    let mut members: BTreeSet<(bool, &str)> = BTreeSet::new();
    for set in &entry.pod_sets {
        let path: Vec<&str> = set.group.split('/').map(str::trim).filter(|name| !name.is_empty()).collect();
        let depth = match group {
            "" => Some(0),
            group => path.iter().position(|name| *name == group).map(|i| i + 1),
        };
        let member = |depth: usize| path.get(depth).map_or((false, set.name.as_str()), |group| (true, *group));
        members.extend(depth.map(member));
    }
    members.len()
}

/// The common minimum over all kinds of pods of a job. `None`: each kind has its own, because the job sets none or the
/// policy does not support it.
pub fn in_common(
    entry: &JobEntry,
    (pods, policy): (u64, &Description),
    location: Location<'_>,
    f: &mut Findings,
) -> Option<u32> {
    if entry.pod_sets.is_empty() || entry.min_available.is_none() {
        return None;
    }
    let min = minimum(&entry.min_available, (pods, policy), location, f);
    let of_set = location.pod_sets(entry);
    for (k, set) in entry.pod_sets.iter().enumerate() {
        let inner = of_set(k);
        let fields = [("min-available", set.min_available.is_some()), ("group", !set.group.is_empty())];
        for (field, _) in fields.into_iter().filter(|(_, is_given)| *is_given) {
            let message = format!(
                "{field} stands here and min-available in the [job]: the kinds of [pods] have either one minimum in common or \
                 each its own"
            );
            f.suggest(codes::CONFLICT, inner.field(field), message, "", format!("Remove {field}"));
        }
    }
    let by_kind = policy.supports.gangs == Gangs::WithPlaceholders && entry.gang.is_some();
    if !policy.supports.common_minimum || by_kind {
        let name = policy.name;
        let message = format!(
            "{name} has no minimum that [pods] of several kinds have in common; all [pods] of each kind start together"
        );
        f.suggest(codes::NOT_EXPRESSED, location.field("min-available"), message, "", "Remove min-available");
        return None;
    }
    Some(u32::try_from(min).unwrap_or(u32::MAX))
}

/// The reservation settings of a job's gang.
pub fn gang(entry: &JobEntry, location: Location<'_>, policy: &Description, f: &mut Findings) -> Option<Gang> {
    let path = || location.field("placeholder-timeout");
    let mut timeout = f.time(&entry.placeholder_timeout, TIMEOUT, &path, &quantity::span);
    if timeout <= Span::ZERO {
        let message = "placeholder-timeout 0 stands for the default, 15 minutes";
        f.suggest(codes::NO_EFFECT, path(), message, "", "Use the default");
        timeout = TIMEOUT;
    }
    let Some(typed) = &entry.gang else {
        if entry.placeholder_timeout.is_some() {
            let message = "placeholder-timeout has no effect: the [job] has no gang";
            f.add(codes::NO_EFFECT, path(), message, set(location.field("gang"), "soft", "Make it a soft gang"));
        }
        return None;
    };
    let path = location.field("gang");
    let is_hard = match typed.0.trim() {
        "soft" => false,
        "hard" => true,
        other => {
            let message = format!("gang {} is neither soft nor hard", quoted(other));
            f.suggest(codes::CHOICE, path, message, "soft", "Use soft");
            return None;
        }
    };
    if policy.supports.gangs != Gangs::WithPlaceholders {
        let message = format!("{} has no placeholders, so it ignores gang", policy.name);
        f.suggest(codes::NOT_EXPRESSED, path, message, "", "Remove gang");
        return None;
    }
    Some(Gang { is_hard, timeout })
}
