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
pub fn reload(scenario: &Scenario, at: &str, text: &str) -> Reload {
    let mut reload = Reload::default();
    let mut refuse = |message: String| {
        reload.diagnostics.push(finding(codes::IMPORT, Path::default(), message));
    };
    let Ok(moment) = quantity::millis(at).map_err(|_| ()).and_then(|n| if n < 0 { Err(()) } else { Ok(n) }) else {
        refuse(format!("{} is not a moment of the run: write a time such as 90s", quoted(at)));
        return reload;
    };
    let policy = Policy::described_or_default(&scenario.policy);
    let Some(fixed) = policy.supports.reloads else {
        refuse(format!("{} does not read its configuration anew during a run", policy.name));
        return reload;
    };
    let imported = import_queues_yaml(text, &Options::default());
    let Some(to) = imported.scenario else {
        reload.diagnostics = imported.report.diagnostics;
        return reload;
    };
    if scenario.pools.len().max(to.pools.len()) > 1 {
        refuse(
            "a configuration with several partitions cannot be read anew here: change the settings of each pool".into(),
        );
        return reload;
    }
    let from = at_moment(&Arc::new(scenario.clone()), moment);
    for queue in to.queues.iter() {
        match from.queues.iter().find(|own| own.name == queue.name) {
            None => refuse(format!(
                "queue {0} is not in the scenario; add it with the setting {ABSENT}{0}: true, and it appears at this moment",
                quoted(&queue.name)
            )),
            Some(own) if own.parent != queue.parent => {
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
    let entry = || TimelineEntry { at: Scalar(at.trim().to_string()), ..TimelineEntry::default() };
    for own in from.queues.iter() {
        let Some(new) = to.queues.iter().find(|queue| queue.name == own.name) else { continue };
        reload.entries.extend(queue_entry(own, new, entry()));
    }
    reload.entries.extend(settings_entry(&from, &to, fixed, entry()));
    reload
}

/// Returns an entry with the changes of a queue, if there are any.
fn queue_entry(own: &QueueEntry, new: &QueueEntry, mut entry: TimelineEntry) -> Option<TimelineEntry> {
    let text = |value: &Option<Scalar>| value.as_ref().map(|value| value.0.trim().to_string());
    let priority = |value: &Option<Scalar>| text(value).unwrap_or_else(|| "0".into());
    if priority(&own.priority) != priority(&new.priority) {
        entry.priority = Some(Scalar(priority(&new.priority)));
    }
    let resources = [
        (Resource::GPU, &own.gpu, &new.gpu, &mut entry.gpu),
        (Resource::CPU, &own.cpu, &new.cpu, &mut entry.cpu),
        (Resource::MEMORY, &own.memory, &new.memory, &mut entry.memory),
    ];
    let mut is_same = entry.priority.is_none();
    for (resource, own, new, into) in resources {
        // A missing quota is 0, a missing limit unlimited.
        into.quota = changed(resource, text(&own.quota), text(&new.quota), "0");
        into.limit = changed(resource, text(&own.limit), text(&new.limit), "unlimited");
        is_same &= *into == ResourceEntry::default();
    }
    entry.queue = Some(own.name.clone());
    (!is_same).then_some(entry)
}

/// Returns the new value if it differs in meaning.
fn changed(resource: Resource, own: Option<String>, new: Option<String>, unset: &str) -> Option<Scalar> {
    let meant = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or(unset);
        if quantity::is_unlimited(text) {
            Err("unlimited".to_string())
        } else {
            quantity::amount(text, resource, 1_000_000).map_err(|_| text.to_string())
        }
    };
    (meant(&own) != meant(&new)).then(|| Scalar(new.unwrap_or_else(|| unset.to_string())))
}

/// Returns an entry with the changes of settings, if there are any.
fn settings_entry(from: &Scenario, to: &Scenario, fixed: &[&str], mut entry: TimelineEntry) -> Option<TimelineEntry> {
    let is_configuration = |name: &str| {
        !fixed.contains(&name) && !OTHER_SETTINGS.iter().any(|of| name.starts_with(of)) && !name.starts_with(ABSENT)
    };
    let own: BTreeMap<&String, &Scalar> = from.settings.iter().filter(|(name, _)| is_configuration(name)).collect();
    for (name, value) in to.settings.iter().filter(|(name, _)| is_configuration(name)) {
        if own.get(name).is_none_or(|own| own.0.trim() != value.0.trim()) {
            entry.settings.insert(name.clone(), value.clone());
        }
    }
    let there: BTreeSet<&str> = to.queues.iter().map(|queue| queue.name.as_str()).collect();
    // Settings of a draining queue do not change.
    let drains = |name: &str| {
        from.queues
            .iter()
            .any(|queue| !there.contains(queue.name.as_str()) && name.ends_with(&format!(".{}", queue.name)))
    };
    let left_out = own.keys().filter(|name| !to.settings.contains_key(**name) && !drains(name));
    entry.unset = left_out.map(|name| (*name).clone()).collect();
    for queue in from.queues.iter() {
        let absent = format!("{ABSENT}{}", queue.name);
        let is_absent = from.settings.get(&absent).is_some_and(|typed| typed.0.trim() == "true");
        match (is_absent, there.contains(queue.name.as_str())) {
            (true, true) => entry.unset.push(absent),
            (false, false) => drop(entry.settings.insert(absent, Scalar("true".into()))),
            _ => {}
        }
    }
    (!entry.settings.is_empty() || !entry.unset.is_empty()).then_some(entry)
}
