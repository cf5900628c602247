//! Changes of a shard to the plugin and action lists of KAI's operator.
//!
//! # Source
//! KAI Scheduler, `docs/operator/scheduler-config-customization.md`; kai.md 4.1

use crate::import::reader::LocatedValue;

/// Change to a plugin or an action.
pub struct Change<'a> {
    name: &'a str,
    enabled: Option<bool>,
    priority: Option<i64>,
}

/// Returns the changes to a list; entries with arguments only change nothing in it.
pub fn changes<'a>(entries: &[(&'a str, LocatedValue<'a>)]) -> Vec<Change<'a>> {
    let change = |(name, place): &(&'a str, LocatedValue<'a>)| Change {
        name,
        enabled: place.scalar(&["enabled"]).map(|text| text == "true"),
        priority: place.scalar(&["priority"]).and_then(|text| text.parse().ok()),
    };
    entries.iter().map(change).filter(|change| change.enabled.is_some() || change.priority.is_some()).collect()
}

/// Returns the names in the list after the changes, by descending priority.
pub fn merged(defaults: &[(&str, i64)], is_on: impl Fn(&str) -> bool, changes: &[Change<'_>]) -> String {
    let mut list: Vec<(i64, &str)> = Vec::new();
    for (name, priority) in defaults {
        let change = changes.iter().find(|change| change.name == *name);
        // An entry that the operator does not load by default is appended.
        let default = if is_on(name) { *priority } else { 0 };
        let is_enabled = change.map_or(is_on(name), |change| change.enabled.unwrap_or(true));
        if is_enabled {
            list.push((change.and_then(|change| change.priority).unwrap_or(default), name));
        }
    }
    list.sort_by_key(|(priority, name)| (std::cmp::Reverse(*priority), *name));
    list.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}
