//! Changes of a reloaded configuration: both are imported, and the differences become timeline entries.

use std::collections::BTreeMap;

use fairground::import::{Imported, Options, import_queues_yaml};
use fairground::scenario::{QueueEntry, ResourceEntry, Scalar, Scenario};

use super::file::quoted;
use super::tree::Tree;

/// Imports a configuration with all queues of a tree; queues missing in the configuration are absent.
pub fn import(tree: &Tree, config: &serde_json::Value) -> Result<(Scenario, BTreeMap<String, String>), String> {
    let (filled, absent) = tree.filled(config);
    let config = filled.to_string();
    let Imported { scenario, report } = import_queues_yaml(&config, &Options::default());
    let mut scenario = scenario.ok_or_else(|| format!("import: {:?}\n{config}", report.diagnostics))?;
    let paths = tree.paths("root");
    if paths.len() != scenario.queues.len() {
        return Err(format!("{} queues were imported of {}", scenario.queues.len(), paths.len()));
    }
    let names = scenario.queues.iter().map(|queue| queue.name.clone());
    let names: BTreeMap<String, String> = paths.into_iter().zip(names).collect();
    for path in &absent {
        scenario.settings.insert(format!("absent.{}", names[path]), "true".into());
    }
    scenario.settings.entry("gpu-type".into()).or_insert_with(|| "gpu".into());
    Ok((scenario, names))
}

/// Timeline entries that turn one configuration into another, without their time.
pub fn entries(old: &Scenario, new: &Scenario) -> Vec<String> {
    let mut rows: Vec<String> =
        old.queues.iter().zip(new.queues.iter()).filter_map(|(old, new)| queue_entry(old, new)).collect();
    let is_new = |(name, value): &(&String, &Scalar)| old.settings.get(*name) != Some(*value);
    let settings: Vec<String> = new
        .settings
        .iter()
        .filter(is_new)
        .map(|(name, value)| format!("{}: {}", quoted(name), quoted(&value.0)))
        .collect();
    let unset: Vec<String> = old
        .settings
        .keys()
        .filter(|name| !new.settings.contains_key(*name))
        .map(|name| quoted(name).to_string())
        .collect();
    let lists = [("settings", '{', settings, '}'), ("unset", '[', unset, ']')];
    let fields = lists.into_iter().filter(|(_, _, all, _)| !all.is_empty());
    let fields: Vec<String> =
        fields.map(|(field, open, all, close)| format!("{field}: {open}{}{close}", all.join(", "))).collect();
    if !fields.is_empty() {
        rows.push(fields.join(", "));
    }
    rows
}

fn queue_entry(old: &QueueEntry, new: &QueueEntry) -> Option<String> {
    let mut row = format!("queue: {}", quoted(&new.name));
    let length = row.len();
    if old.priority != new.priority {
        row += &format!(", priority: {}", new.priority.as_ref().map_or("0", |typed| typed.0.as_str()));
    }
    for (name, old, new) in
        [("cpu", &old.cpu, &new.cpu), ("memory", &old.memory, &new.memory), ("gpu", &old.gpu, &new.gpu)]
    {
        let fields: [fn(&ResourceEntry) -> &Option<Scalar>; 2] = [|part| &part.quota, |part| &part.limit];
        let changed = ["quota", "limit"].into_iter().zip(fields).filter(|(_, of)| of(old) != of(new));
        let typed = |value: &Option<Scalar>| value.as_ref().map_or("unlimited".into(), |typed| typed.0.clone());
        let changed: Vec<String> = changed.map(|(field, of)| format!("{field}: {}", quoted(&typed(of(new))))).collect();
        if !changed.is_empty() {
            row += &format!(", {name}: {{{}}}", changed.join(", "));
        }
    }
    (row.len() > length).then_some(row)
}
