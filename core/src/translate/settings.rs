//! Switches: those that both products have are carried over, others are removed with a note.

use std::sync::Arc;

use super::{Kind, Work, setting};
use crate::policy::runai::config::ENGINE_SETTINGS;
use crate::scenario::{Path, Scalar, TimelineEntry};

/// Translates the switches that [`super::queues`] left.
pub fn settings(work: &mut Work<'_>) {
    let names: Vec<String> = work.old.settings.keys().cloned().collect();
    let packs = packs(work);
    for name in &names {
        let typed = work.old.settings[name].clone();
        one(work, name, &typed);
    }
    place(work, packs);
    timeline(work);
    let is_engine = |key: &str| matches!(key, "kai" | "runai");
    let is_shared = is_engine(work.from.key) && is_engine(work.to.key);
    super::pools::switches(work, |name| {
        Some(plain(name)).filter(|name| is_shared && ENGINE_SETTINGS.contains(name))
    });
}

/// Only YuniKorn reads its switches anew during a run.
fn timeline(work: &mut Work<'_>) {
    let has = |entry: &TimelineEntry| !entry.settings.is_empty() || !entry.unset.is_empty();
    if !work.old.timeline.iter().any(has) {
        return;
    }
    for (i, _) in work.old.timeline.iter().enumerate().filter(|(_, entry)| has(entry)) {
        let at = Path::default().field("timeline").at(u32::try_from(i).unwrap_or(u32::MAX));
        let says = format!("{} does not read its settings anew during a run", work.to.name);
        work.note(Kind::Dropped, at, says);
    }
    Arc::make_mut(&mut work.new.timeline).retain(|entry| !has(entry));
}

/// Switches of KAI as upstream spells them.
fn plain(name: &str) -> &str {
    match name {
        "kValue" => "k-value",
        "relcaimerSaturationMultiplier" => "saturation-multiplier",
        other => other,
    }
}

fn one(work: &mut Work<'_>, name: &str, typed: &Scalar) {
    let (from, to) = (work.from.key, work.to.key);
    let gone = format!("{} has no {name}", work.to.name);
    let engine = |key: &str| matches!(key, "kai" | "runai");
    if engine(from) && engine(to) && ENGINE_SETTINGS.contains(&plain(name)) {
        work.new.settings.remove(name);
        work.new.settings.insert(plain(name).to_owned(), typed.clone());
        return work.note(Kind::Kept, setting(name), "both have this switch");
    }
    match (from, name) {
        // Said by the queues.
        ("runai", "department-over-quota" | "over-quota-weights") if work.to.queue.weight.is_some() => {
            work.new.settings.remove(name);
            work.note(Kind::Changed, setting(name), "how over-quota is shared becomes weights of the queues");
        }
        ("runai", _) if name.starts_with("over-quota.") && work.to.queue.weight.is_some() => {
            work.new.settings.remove(name);
        }
        ("yunikorn", _) if name.starts_with("priority.offset.") && name != "priority.offset.root" => {
            // A queue that exists has it as its priority by now.
            work.new.settings.remove(name);
        }
        // Said by the order of nodes; see `place`.
        ("kai" | "runai", "gpu-placement") | ("yunikorn", "node-sort") | ("ego", "placement") => {
            work.new.settings.remove(name);
        }
        ("kai", "actions") => {
            work.new.settings.remove(name);
            let takes = ["reclaim", "preempt"].iter().any(|action| typed.0.contains(action));
            if to == "yunikorn" && !takes {
                work.new.settings.insert("preemption".into(), "false".into());
                work.note(Kind::Changed, setting(name), "nobody is evicted: preemption is off");
            } else {
                work.note(Kind::Dropped, setting(name), gone);
            }
        }
        ("yunikorn", "preemption") if to == "kai" => {
            work.new.settings.remove(name);
            let says = if typed.0.trim() == "false" {
                work.new.settings.insert("actions".into(), "allocate, stalegangeviction".into());
                "without preemption KAI runs only allocate and stalegangeviction"
            } else {
                "KAI reclaims and preempts unless told otherwise"
            };
            work.note(Kind::Changed, setting(name), says);
        }
        ("kai" | "runai", "default-job-priority") => {
            // Written into the jobs.
            work.new.settings.remove(name);
            work.note(
                Kind::Changed,
                setting(name),
                "the default priority is written into the jobs without one",
            );
        }
        ("ego", "grace") => {
            work.new.settings.remove(name);
            let at = crate::scenario::Path::default().field("delays").field("termination");
            if work.new.delays.termination.replace(typed.clone()).is_some() {
                work.note(Kind::Dropped, at.clone(), "the grace of the plan wins in EGO");
            }
            let says = "the grace becomes the delay from evict to gone";
            work.note(Kind::Changed, setting(name), says);
            work.note(Kind::Changed, at, says);
        }
        _ => work.drop_setting(name, &gone),
    }
}

/// Whether GPUs are packed (or spread), and where that is said.
fn packs(work: &Work<'_>) -> Option<(bool, Option<&'static str>)> {
    let (name, pack) = match work.from.key {
        "kai" | "runai" => ("gpu-placement", "binpack"),
        "yunikorn" => ("node-sort", "binpacking"),
        "ego" => ("placement", "stacked"),
        _ => return None,
    };
    let default = work.from.key != "yunikorn";
    let typed = work.old.settings.get(name);
    Some((typed.map_or(default, |typed| typed.0.trim() == pack), typed.map(|_| name)))
}

/// How nodes are chosen.
fn place(work: &mut Work<'_>, packs: Option<(bool, Option<&'static str>)>) {
    let Some((packs, said)) = packs else { return };
    let to = work.to.key;
    if work.new.settings.contains_key("gpu-placement") {
        return;
    }
    let (name, pack, spread, default) = match to {
        "kai" | "runai" => ("gpu-placement", "binpack", "spread", true),
        "yunikorn" => ("node-sort", "binpacking", "fair", false),
        "ego" => ("placement", "stacked", "balanced", true),
        _ => {
            if let Some(said) = said {
                let says = format!("{} has one way to choose nodes", work.to.name);
                work.note(Kind::Dropped, setting(said), says);
            }
            return;
        }
    };
    let value = if packs { pack } else { spread };
    if packs != default {
        work.new.settings.insert(name.into(), value.into());
    }
    if said.is_some() || packs != default {
        let says = format!(
            "nodes are {}: {name} {value}",
            if packs { "filled one after the other" } else { "used evenly" }
        );
        work.note(Kind::Changed, setting(said.unwrap_or(name)), says);
    }
}
