//! Descriptions of the timeline's entries.

use fairground::scenario::quantity::millis;
use fairground::scenario::{Path, Scalar, Scenario, TimelineEntry};

/// The entries of the timeline, ordered by time: path, moment, description.
pub fn lines(scenario: &Scenario) -> Vec<(Path, i64, String)> {
    let line = |(at, entry): (usize, &TimelineEntry)| {
        let place = Path::default().field("timeline").at(at as u32);
        Some((place, millis(&entry.at.0).ok()?, says(entry)))
    };
    let mut lines: Vec<(Path, i64, String)> = scenario.timeline.iter().enumerate().filter_map(line).collect();
    lines.sort_by_key(|line| line.1);
    lines
}

fn says(entry: &TimelineEntry) -> String {
    if entry.is_remark() {
        return "Note".to_string();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut part = |name: &str, value: &Option<Scalar>| {
        parts.extend(value.as_ref().map(|value| format!("{name} {}", value.0).trim_start().to_owned()));
    };
    part("priority", &entry.priority);
    for (resource, of) in [("", &entry.gpu), ("CPU ", &entry.cpu), ("memory ", &entry.memory)] {
        part(&format!("{resource}quota"), &of.quota);
        part(&format!("{resource}limit"), &of.limit);
        part(&format!("{resource}weight"), &of.weight);
    }
    part("", &entry.state);
    let capacity = &entry.capacity;
    for (name, of) in
        [("GPUs", &capacity.gpu), ("CPU", &capacity.cpu), ("memory", &capacity.memory), ("pods", &capacity.pods)]
    {
        part(name, of);
    }
    let named = capacity.resources.iter().chain(&entry.settings);
    parts.extend(named.map(|(name, value)| format!("{name} {}", value.0)));
    parts.extend(entry.unset.iter().map(|name| format!("{name} not set")));
    parts.extend(entry.job.as_ref().map(|_| "ends".to_string()));
    let who = entry.queue.as_ref().or(entry.node.as_ref()).or(entry.job.as_ref());
    let who = who.map_or("Settings", |who| who);
    match &entry.pool {
        Some(pool) => format!("{who} in {pool}: {}", parts.join(", ")),
        None => format!("{who}: {}", parts.join(", ")),
    }
}
