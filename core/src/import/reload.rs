//! A configuration that the scheduler reloads during a run, as timeline entries with the changes.
//!
//! Queues missing from the text are drained (`absent`). Queues missing from the scenario are rejected, because the jobs
//! of a scenario need their queue from the start.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::options::Options;
use super::queues_yaml::import_queues_yaml;
use crate::policy::{PRIORITY_CLASS, Policy};
use crate::scenario::{
    Diagnostic, Path, QueueEntry, ResourceEntry, Scalar, Scenario, TimelineEntry, at_moment, codes, finding, quantity,
    quoted,
};
use crate::units::Resource;

/// Prefix of the setting for a queue that is missing from the configuration.
const ABSENT: &str = "absent.";
/// Prefixes of settings that are not part of the configuration.
const OTHER_SETTINGS: [&str; 2] = [PRIORITY_CLASS, "groups."];

/// Changes made by a reload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reload {
    /// Entries, all at the same moment; empty if nothing changes or the text is invalid.
    pub entries: Vec<TimelineEntry>,
    /// Errors of the text and changes that are not supported.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a configuration that replaces that of the scenario at a moment such as `30s`.
pub fn reload(scenario: &Scenario, time: &str, text: &str) -> Reload {
    let mut reload = Reload::default();
    let mut refuse = |message: String| {
        reload.diagnostics.push(finding(codes::IMPORT, Path::default(), message));
    };
    let Ok(moment) = quantity::millis(time).map_err(|_| ()).and_then(|n| if n < 0 { Err(()) } else { Ok(n) }) else {
        refuse(format!("{} is not a moment of the run: write a time such as 90s", quoted(time)));
        return reload;
    };
    let policy = Policy::described_or_default(&scenario.policy);
    let Some(fixed) = policy.supports.reloads else {
        refuse(format!("{} does not read its configuration anew during a run", policy.name));
        return reload;
    };
    let imported = import_queues_yaml(text, &Options::default());
    let Some(imported) = imported.scenario else {
        reload.diagnostics = imported.report.diagnostics;
        return reload;
    };
    if scenario.pools.len().max(imported.pools.len()) > 1 {
        refuse(
            "a configuration with several partitions cannot be read anew here: change the settings of each pool".into(),
        );
        return reload;
    }
    let current = at_moment(&Arc::new(scenario.clone()), moment);
    for queue in imported.queues.iter() {
        match current.queues.iter().find(|existing| existing.name == queue.name) {
            None => refuse(format!(
                "queue {0} is not in the scenario; add it with the setting {ABSENT}{0}: true, and it appears at this moment",
                quoted(&queue.name)
            )),
            Some(existing) if existing.parent != queue.parent => {
                refuse(format!(
                    "queue {} has another parent in the scenario; a queue cannot move",
                    quoted(&queue.name)
                ));
            }
            Some(_) => {}
        }
    }
    if !reload.diagnostics.is_empty() {
        return reload;
    }
    let entry = || TimelineEntry { at: Scalar(time.trim().to_string()), ..TimelineEntry::default() };
    for existing in current.queues.iter() {
        let Some(new) = imported.queues.iter().find(|queue| queue.name == existing.name) else { continue };
        reload.entries.extend(queue_entry(existing, new, entry()));
    }
    reload.entries.extend(settings_entry(&current, &imported, fixed, entry()));
    reload
}

/// Returns an entry with the changes of a queue, if there are any.
fn queue_entry(current: &QueueEntry, new: &QueueEntry, mut entry: TimelineEntry) -> Option<TimelineEntry> {
    let text = |value: &Option<Scalar>| value.as_ref().map(|value| value.0.trim().to_string());
    let priority = |value: &Option<Scalar>| text(value).unwrap_or_else(|| "0".into());
    if priority(&current.priority) != priority(&new.priority) {
        entry.priority = Some(Scalar(priority(&new.priority)));
    }
    let resources = [
        (Resource::GPU, &current.gpu, &new.gpu, &mut entry.gpu),
        (Resource::CPU, &current.cpu, &new.cpu, &mut entry.cpu),
        (Resource::MEMORY, &current.memory, &new.memory, &mut entry.memory),
    ];
    let mut is_same = entry.priority.is_none();
    for (resource, current, new, into) in resources {
        // A missing quota is 0, a missing limit unlimited.
        into.quota = changed(resource, text(&current.quota), text(&new.quota), "0");
        into.limit = changed(resource, text(&current.limit), text(&new.limit), "unlimited");
        is_same &= *into == ResourceEntry::default();
    }
    entry.queue = Some(current.name.clone());
    (!is_same).then_some(entry)
}

/// Returns the new value if it differs in meaning.
fn changed(resource: Resource, current: Option<String>, new: Option<String>, unset: &str) -> Option<Scalar> {
    let value = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or(unset);
        if quantity::is_unlimited(text) {
            Err("unlimited".to_string())
        } else {
            quantity::amount(text, resource, 1_000_000).map_err(|_| text.to_string())
        }
    };
    (value(&current) != value(&new)).then(|| Scalar(new.unwrap_or_else(|| unset.to_string())))
}

/// Returns an entry with the changes of settings, if there are any.
fn settings_entry(old: &Scenario, new: &Scenario, fixed: &[&str], mut entry: TimelineEntry) -> Option<TimelineEntry> {
    let is_other = |name: &str| OTHER_SETTINGS.iter().any(|prefix| name.starts_with(prefix));
    let is_configuration = |name: &str| !fixed.contains(&name) && !is_other(name) && !name.starts_with(ABSENT);
    let settings: BTreeMap<&String, &Scalar> = old.settings.iter().filter(|(name, _)| is_configuration(name)).collect();
    for (name, value) in new.settings.iter().filter(|(name, _)| is_configuration(name)) {
        if settings.get(name).is_none_or(|old| old.0.trim() != value.0.trim()) {
            entry.settings.insert(name.clone(), value.clone());
        }
    }
    let new_queues: BTreeSet<&str> = new.queues.iter().map(|queue| queue.name.as_str()).collect();
    // Settings of a draining queue do not change.
    let drains = |name: &str| {
        old.queues
            .iter()
            .any(|queue| !new_queues.contains(queue.name.as_str()) && name.ends_with(&format!(".{}", queue.name)))
    };
    let left_out = settings.keys().filter(|name| !new.settings.contains_key(**name) && !drains(name));
    entry.unset = left_out.map(|name| (*name).clone()).collect();
    for queue in old.queues.iter() {
        let absent = format!("{ABSENT}{}", queue.name);
        let is_absent = old.settings.get(&absent).is_some_and(|typed| typed.0.trim() == "true");
        match (is_absent, new_queues.contains(queue.name.as_str())) {
            (true, true) => entry.unset.push(absent),
            (false, false) => drop(entry.settings.insert(absent, Scalar("true".into()))),
            _ => {}
        }
    }
    (!entry.settings.is_empty() || !entry.unset.is_empty()).then_some(entry)
}
