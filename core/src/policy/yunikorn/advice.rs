//! Findings about a draft: configurations that YuniKorn refuses, and settings without effect.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use super::check::check_all;
use super::config::{File, Queue, TYPES_MAX};
use super::partition::{ResourceTypes, partition, paths};
use super::settings::properties;
use super::words::{Config, TEMPLATE};
use crate::format::{Findings, Path, PoolEntry, Segment, codes, quoted, set};
use crate::id::{Id, QueueId};
use crate::policy::draft::Draft;
use crate::units::{Amount, Bound, Resource};

/// Adds the findings of a draft.
pub fn advice(config: &Config, draft: &Draft<'_>, f: &mut Findings) {
    let partition = partition(draft.queues, config);
    let types = ResourceTypes::new(&partition, config, &[]).names;
    if types.len() > TYPES_MAX {
        let message = format!("{} resource types are named; up to {TYPES_MAX} are simulated", types.len());
        f.add(codes::TOO_MANY, Path::default().field("settings"), message, None);
        return;
    }
    let paths = paths(draft.queues);
    for finding in check_all(&File { partitions: vec![partition] }, &types) {
        let message = format!("YuniKorn would refuse this: {}", finding.says);
        f.add(codes::REFUSED, place(draft, &paths, &finding.at), message, None);
    }
    zeros(config, draft, f);
    few_bytes(draft, f);
    for name in draft.scenario.settings.keys() {
        if let Some(why) = why(config, draft, name) {
            let path = Path::default().field("settings").field(name);
            let message = format!("{name} has no effect: {why}");
            f.add(codes::NO_EFFECT, path.clone(), message, set(path, "", "Remove it"));
        }
    }
}

/// Reports less than a mebibyte of memory: probably a number of gibibytes, where a plain number counts bytes.
fn few_bytes(draft: &Draft<'_>, f: &mut Findings) {
    for (id, queue) in draft.queues.iter() {
        let memory = queue.resources.memory;
        for (field, bound) in [("quota", memory.quota), ("limit", memory.limit)] {
            let Bound::At(amount) = bound else { continue };
            let n = amount.in_base_units();
            if n <= 0 || n >= 1 << 20 {
                continue;
            }
            let message = format!(
                "{} has a memory [{field}] of {n} bytes: YuniKorn counts a number without a unit in bytes; did you mean {n}Gi?",
                quoted(&queue.name)
            );
            let path = (draft.queue_at)(id).field("memory").field(field);
            f.suggest(codes::UNIT, path, message, format!("{n}Gi"), format!("Set the memory [{field}] to {n}Gi"));
        }
    }
}

/// Reports a maximum or guarantee whose values are all 0: it is dropped (yunikorn.md 1.2, Q-8).
fn zeros(config: &Config, draft: &Draft<'_>, f: &mut Findings) {
    for (id, queue) in draft.queues.iter() {
        let settings = config.queues.get(&*queue.name);
        let has_max = settings.is_some_and(|settings| !settings.resources.max.is_empty());
        let limits = Resource::ACCOUNTED.map(|resource| (resource, queue.resources.get(resource).limit));
        let is_zero = |limit: Bound| limit == Bound::At(Amount::ZERO);
        let is_said = |limit: Bound| matches!(limit, Bound::At(_));
        let first = limits.iter().find(|(_, limit)| is_zero(*limit));
        let (Some((resource, _)), false) = (first, has_max) else { continue };
        if limits.iter().any(|(_, limit)| is_said(*limit) && !is_zero(*limit)) {
            continue;
        }
        let message = format!(
            "{} has no [limit] above 0, and YuniKorn drops a maximum that consists of zeros: nothing is limited; limit another resource, too, \
             to forbid this one",
            quoted(&queue.name)
        );
        let path = (draft.queue_at)(id).field(resource.name()).field("limit");
        f.add(codes::NO_EFFECT, path.clone(), message, set(path, "", "Remove the [limit]"));
    }
}

/// Path of the queue of a finding and of its field or setting.
fn place(draft: &Draft<'_>, paths: &[String], finding_path: &Path) -> Path {
    let mut path = String::new();
    let mut rest = finding_path.0.as_slice();
    for (i, step) in finding_path.0.iter().enumerate() {
        if let Segment::Named(name) = step {
            path = if path.is_empty() { name.clone() } else { [&path, ".", name].concat() };
            rest = &finding_path.0[i + 1..];
        }
    }
    let settings = Path::default().field("settings");
    let fields: Vec<&str> = rest
        .iter()
        .filter_map(|step| match step {
            Segment::Field(name) => Some(name.as_str()),
            Segment::Named(_) | Segment::At(_) => None,
        })
        .collect();
    let Some(queue) = paths.iter().position(|other| *other == path) else { return settings };
    let queue_path = (draft.queue_at)(QueueId::from_index(queue));
    let name = draft.scenario.queues[queue].name.as_str();
    match fields.as_slice() {
        ["limits", ..] => settings.field(&format!("limits.{name}")),
        ["maxapplications"] => settings.field(&format!("maxapplications.{name}")),
        ["resources", which, ..] => queue_path.field("gpu").field(if *which == "max" { "limit" } else { "quota" }),
        _ => queue_path,
    }
}

/// Returns why a setting has no effect; `None` if it may have one.
fn why(config: &Config, draft: &Draft<'_>, name: &str) -> Option<String> {
    let target = |word: &str| name.strip_prefix(word).and_then(|rest| rest.strip_prefix('.'));
    let queue =
        |queue_name: &str| draft.scenario.queues.iter().position(|q| q.name == queue_name).map(QueueId::from_index);
    let has_children = |queue_name: &str| queue(queue_name).is_some_and(|q| !draft.queues[q].children.is_empty());
    let has_users = draft.jobs.iter().any(|job| job.user.is_some());
    if matches!(name, "placement-rules" | "partition") {
        return Some(
            "[jobs] name their [queue], and the name of a partition decides nothing; it is kept for an export".into(),
        );
    }
    if target("submitacl").or(target("adminacl")).is_some() {
        return Some("everybody may submit here; it is kept for an export".into());
    }
    // A partition may switch on what the others have not.
    let in_a_pool = |name: &str| {
        let is_on = |pool: &PoolEntry| pool.settings.get(name).is_some_and(|typed| typed.0 == "true");
        draft.scenario.pools.iter().any(is_on)
    };
    if name == "quota-preemption" && config.partition.preemption.quotapreemptionenabled {
        let delayed = |q: &Queue| q.properties.contains_key("quota.preemption.delay");
        let has_none = !config.queues.values().any(delayed);
        return has_none.then(|| "no [queue] has a quota.preemption.delay".into());
    }
    if let Some(user) = name.strip_prefix("groups.") {
        let is_known = draft.jobs.iter().any(|job| job.user == Some(user));
        return (!is_known).then(|| format!("no [job] is of user {}", quoted(user)));
    }
    if let Some(queue_name) = target("limits") {
        let only_others = || {
            let limits = config.queues.get(queue_name).map(|queue| queue.limits.as_slice()).unwrap_or_default();
            limits.iter().all(|limit| !limit.users.iter().any(|user| user == "*"))
        };
        return (!has_users && only_others()).then(|| "no [job] says of which user it is".into());
    }
    if name.starts_with(TEMPLATE) {
        let makes_queues = config.queues.values().any(|queue| queue.parent);
        return (!makes_queues)
            .then(|| "no [queue] is one in which placement makes [queues]; set parent.NAME: true".into());
    }
    if let Some(queue_name) = target("parent") {
        return has_children(queue_name).then(|| "the [queue] has children anyway".into());
    }
    let (property, queue_name) = properties().into_iter().find_map(|p| Some((p, target(p)?)))?;
    match property {
        "preemption.delay" | "preemption.policy"
            if config.partition.preemption.enabled == Some(false) && !in_a_pool("preemption") =>
        {
            Some("preemption is off".into())
        }
        "quota.preemption.delay"
            if !config.partition.preemption.quotapreemptionenabled && !in_a_pool("quota-preemption") =>
        {
            Some("quota-preemption is off".into())
        }
        "priority.policy" | "priority.offset" if queue_name == "root" => {
            Some("the root [queue] has no siblings".into())
                .filter(|_| config.partition.preemption.enabled == Some(false) && !in_a_pool("preemption"))
        }
        _ => None,
    }
}
