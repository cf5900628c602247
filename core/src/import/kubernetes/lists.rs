//! What a shard changes of the lists of plugins and actions that KAI's operator configures.
//!
//! # Source
//! KAI Scheduler, `docs/operator/scheduler-config-customization.md`; kai.md 4.1

use crate::import::loose::Place;

/// What a shard says of a plugin or an action.
pub struct Change<'a> {
    name: &'a str,
    enabled: Option<bool>,
    priority: Option<i64>,
}

/// The entries that change a list; some only have arguments.
pub fn changes<'a>(entries: &[(&'a str, Place<'a>)]) -> Vec<Change<'a>> {
    let change = |(name, place): &(&'a str, Place<'a>)| Change {
        name,
        enabled: place.scalar(&["enabled"]).map(|text| text == "true"),
        priority: place.scalar(&["priority"]).and_then(|text| text.parse().ok()),
    };
    entries
        .iter()
        .map(change)
        .filter(|change| change.enabled.is_some() || change.priority.is_some())
        .collect()
}

/// The names that are left after the changes, in their order.
pub fn merged(known: &[(&str, i64)], is_on: impl Fn(&str) -> bool, changes: &[Change<'_>]) -> String {
    let mut list: Vec<(i64, &str)> = Vec::new();
    for (name, priority) in known {
        let change = changes.iter().find(|change| change.name == *name);
        // One that the operator does not load by itself is added at the end.
        let default = if is_on(name) { *priority } else { 0 };
        let is_enabled = change.map_or(is_on(name), |change| change.enabled.unwrap_or(true));
        if is_enabled {
            list.push((change.and_then(|change| change.priority).unwrap_or(default), name));
        }
    }
    list.sort_by_key(|(priority, name)| (std::cmp::Reverse(*priority), *name));
    list.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}
