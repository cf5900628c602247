//! Queues: quota, limit, weight and priority; minimum runtimes; past usage; and what the timeline changes of them.

use std::sync::Arc;

use super::assumed;
use super::{Kind, Work, queue};
use crate::policy::description::Field;
use crate::scenario::quantity;
use crate::scenario::{Path, QueueEntry, ResourceEntry, Scalar};
use crate::units::Resource;

/// Translates what is said of queues.
pub fn queues(work: &mut Work<'_>) {
    over_quota(work);
    for i in 0..work.old.queues.len() {
        let at = queue(&work.old.queues[i].name);
        if work.from.queue.one_weight {
            one_ratio(work, i);
        }
        for r in Resource::ACCOUNTED {
            for field in Field::ALL {
                given(work, &at, field, r, value(part(&work.old.queues[i], r), field).as_ref());
                left_out(work, i, &at, field, r);
            }
        }
        if work.to.queue.one_weight {
            to_ego(work, i, &at);
        }
        priority(work, i, &at);
        history(work, i, &at);
    }
    timeline(work);
}

pub(super) fn part(queue: &QueueEntry, r: Resource) -> &ResourceEntry {
    match r {
        Resource::CPU => &queue.cpu,
        Resource::MEMORY => &queue.memory,
        _ => &queue.gpu,
    }
}

pub(super) fn part_mut(queue: &mut QueueEntry, r: Resource) -> &mut ResourceEntry {
    match r {
        Resource::CPU => &mut queue.cpu,
        Resource::MEMORY => &mut queue.memory,
        _ => &mut queue.gpu,
    }
}

pub(super) fn value(part: &ResourceEntry, field: Field) -> &Option<Scalar> {
    match field {
        Field::Quota => &part.quota,
        Field::Limit => &part.limit,
        Field::Weight => &part.weight,
    }
}

pub(super) fn value_mut(part: &mut ResourceEntry, field: Field) -> &mut Option<Scalar> {
    match field {
        Field::Quota => &mut part.quota,
        Field::Limit => &mut part.limit,
        Field::Weight => &mut part.weight,
    }
}

fn is_unlimited(text: &str) -> bool {
    text.trim() == "-1" || quantity::is_unlimited(text)
}

/// A value that is given: does the new policy read it, and did the old one?
pub(super) fn given(work: &mut Work<'_>, at: &Path, field: Field, r: Resource, value: Option<&Scalar>) {
    let Some(text) = value.map(|value| value.0.trim()) else { return };
    let at = at.field(r.name()).field(field.name());
    let (from, to) = (work.from, work.to);
    let what = field.name();
    match (from.word(field, r), to.word(field, r)) {
        (None, None) => {}
        (Some(_), None) => {
            let of = if to.word(field, Resource::GPU).is_some() {
                [" of ", r.name()].concat()
            } else {
                String::new()
            };
            work.note(Kind::Dropped, at, format!("{} has no {what}s{of}", to.name));
        }
        (None, Some(word)) => {
            work.note(
                Kind::Assumed,
                at,
                format!("{} did not read the {what}; it counts now, as {word}", from.name),
            );
        }
        (Some(_), Some(_)) if field == Field::Quota && is_unlimited(text) && !to.queue.unlimited_quota => {
            let says = format!("{} promises no unlimited amount, so nothing is promised there", to.name);
            work.note(Kind::Dropped, at, says);
        }
        (Some(_), Some(word)) if word != what => {
            work.note(Kind::Kept, at, format!("{what} is called {word} in {}", to.name));
        }
        _ => work.note(Kind::Kept, at, format!("{what} means the same")),
    }
}

/// A value that is left out: what it means is written out, unless leaving it out means the same.
fn left_out(work: &mut Work<'_>, i: usize, at: &Path, field: Field, r: Resource) {
    let (from, to) = (work.from, work.to);
    // A single ratio is read from whichever weight is there; see `to_ego`.
    let is_read = to.word(field, r).is_some() && !(field == Field::Weight && to.queue.one_weight);
    if !is_read || value(part(&work.new.queues[i], r), field).is_some() {
        return;
    }
    let meant = from.unset(field, r);
    let text = meant.unwrap_or_else(|| assumed(field, r));
    // Where leaving it out promises and forbids nothing, neither 0 nor unlimited would say more.
    if to.unset(field, r).is_none_or(|means| means == text) {
        return;
    }
    *value_mut(part_mut(&mut work.new_queues()[i], r), field) = Some(text.into());
    let at = at.field(r.name()).field(field.name());
    let what = field.name();
    match meant {
        Some(_) => {
            let says = format!("no {} {what} means {text} in {}, which is written out", r.name(), from.name);
            work.note(Kind::Changed, at, says);
        }
        None => {
            let says = format!("{} says no {} {what}; {text} is assumed", from.name, r.name());
            work.note(Kind::Assumed, at, says);
        }
    }
}

/// EGO has one share ratio for all resources: it becomes the weight of each.
fn one_ratio(work: &mut Work<'_>, i: usize) {
    if work.to.queue.weight.is_none() {
        return;
    }
    let weights =
        [Resource::GPU, Resource::CPU, Resource::MEMORY].map(|r| part(&work.old.queues[i], r).weight.clone());
    let Some(ratio) = weights.into_iter().flatten().next() else { return };
    let at = queue(&work.old.queues[i].name);
    for r in Resource::ACCOUNTED {
        let weight = &mut part_mut(&mut work.new_queues()[i], r).weight;
        if weight.as_ref() != Some(&ratio) {
            *weight = Some(ratio.clone());
            work.note(
                Kind::Changed,
                at.field(r.name()).field("weight"),
                "EGO has one share ratio for all resources; it becomes the weight of each",
            );
        }
    }
}

/// EGO reads one ratio, and owns whole hosts.
fn to_ego(work: &mut Work<'_>, i: usize, at: &Path) {
    let weights = [Resource::GPU, Resource::CPU, Resource::MEMORY]
        .map(|r| (r, part(&work.new.queues[i], r).weight.clone()));
    let mut said = weights.iter().filter_map(|(r, weight)| Some((*r, weight.clone()?)));
    match said.next() {
        Some((_, ratio)) => {
            let others: Vec<Resource> = said.filter(|(_, weight)| *weight != ratio).map(|(r, _)| r).collect();
            for r in others {
                let at = at.field(r.name()).field("weight");
                work.note(
                    Kind::Dropped,
                    at,
                    "EGO has one share ratio for all resources, the first of GPU, CPU and memory",
                );
            }
        }
        None if work.from.queue.weight.is_some() => {
            let text = work.from.unset(Field::Weight, Resource::GPU).unwrap_or("1");
            if text != "1" {
                work.new_queues()[i].gpu.weight = Some(text.into());
                let says = format!("no gpu weight means {text} in {}, which is written out", work.from.name);
                work.note(Kind::Changed, at.field("gpu").field("weight"), says);
            }
        }
        None => {}
    }
    let gpus = |text: &Option<Scalar>| {
        let amount = text.as_ref().and_then(|text| quantity::amount(&text.0, Resource::GPU, 1).ok());
        amount.map_or(0, |amount| amount.in_base_units())
    };
    let quota = gpus(&work.new.queues[i].gpu.quota);
    let smallest = work.new.nodes.iter().map(|node| gpus(&node.gpu)).filter(|&n| n > 0).min().unwrap_or(1000);
    if quota % smallest != 0 {
        let says = "EGO owns whole hosts: the part of the quota that fills no host is not owned";
        work.note(Kind::Changed, at.field("gpu").field("quota"), says);
    }
}

/// Priorities are counted from each product's default.
fn priority(work: &mut Work<'_>, i: usize, at: &Path) {
    let entry = &work.old.queues[i];
    let offset = ["priority.offset.", &entry.name].concat();
    let own = work.old.settings.get(&offset).filter(|_| work.from.key == "yunikorn");
    let place = if own.is_some() { super::setting(&offset) } else { at.field("priority") };
    let Some(typed) = own.or(entry.priority.as_ref()).cloned() else { return };
    if own.is_some() {
        work.new.settings.remove(&offset);
        if entry.priority.is_some() {
            work.note(
                Kind::Dropped,
                at.field("priority"),
                "priority.offset of the same queue wins in YuniKorn",
            );
        }
    }
    let new = shifted(work, place, &typed);
    work.new_queues()[i].priority = Some(new);
}

/// A priority in the new policy's numbers.
pub(super) fn shifted(work: &mut Work<'_>, at: Path, typed: &Scalar) -> Scalar {
    let (from, to) = (work.from, work.to);
    match (from.queue.priority, to.queue.priority) {
        (_, None) => {
            if from.queue.priority.is_some() {
                work.note(Kind::Dropped, at, format!("{} has no priorities of queues", to.name));
            }
            typed.clone()
        }
        (None, Some(new)) => {
            let says = format!("{} did not read the priority; it counts now, as {}", from.name, new.word);
            work.note(Kind::Assumed, at, says);
            typed.clone()
        }
        (Some(old), Some(new)) if old.unset == new.unset => {
            work.note(Kind::Kept, at, format!("priority is called {} in {}", new.word, to.name));
            typed.clone()
        }
        (Some(old), Some(new)) => {
            let Ok(n) = quantity::integer(&typed.0) else { return typed.clone() };
            let says = format!(
                "priority becomes the {} of {}, counted from {} instead of {}",
                new.word, to.name, new.unset, old.unset
            );
            work.note(Kind::Changed, at, says);
            Scalar(n.saturating_sub(old.unset).saturating_add(new.unset).to_string())
        }
    }
}

/// Minimum runtimes and past usage.
fn history(work: &mut Work<'_>, i: usize, at: &Path) {
    let entry = &work.old.queues[i];
    for (field, value) in [
        ("preempt-min-runtime", &entry.preempt_min_runtime),
        ("reclaim-min-runtime", &entry.reclaim_min_runtime),
    ] {
        if value.is_some() {
            min_runtime(work, at.field(field));
        }
    }
    for r in Resource::ACCOUNTED {
        if part(entry, r).usage.is_some() {
            of_history(work, at.field(r.name()).field("usage"), "past usage");
        }
    }
}

/// A minimum runtime that is given.
pub(super) fn min_runtime(work: &mut Work<'_>, at: Path) {
    of_history(work, at, "minimum runtimes");
}

/// What only some policies know of what was before.
fn of_history(work: &mut Work<'_>, at: Path, what: &str) {
    match (work.from.queue.history, work.to.queue.history) {
        (true, false) => work.note(Kind::Dropped, at, format!("{} does not know {what}", work.to.name)),
        (false, true) => {
            work.note(Kind::Assumed, at, format!("{} did not read {what}; it counts now", work.from.name));
        }
        _ => {}
    }
}

/// What the timeline changes of queues.
fn timeline(work: &mut Work<'_>) {
    for (i, entry) in work.old.timeline.iter().enumerate().filter(|(_, entry)| entry.queue.is_some()) {
        let at = Path::default().field("timeline").at(u32::try_from(i).unwrap_or(u32::MAX));
        let parts =
            [(Resource::GPU, &entry.gpu), (Resource::CPU, &entry.cpu), (Resource::MEMORY, &entry.memory)];
        for (r, part) in parts {
            for field in Field::ALL {
                given(work, &at, field, r, value(part, field).as_ref());
            }
        }
        if let Some(typed) = &entry.priority {
            let new = shifted(work, at.field("priority"), typed);
            Arc::make_mut(&mut work.new.timeline)[i].priority = Some(new);
        }
    }
}

/// What over-quota comes to in Run:ai becomes weights; departments of another policy share by theirs.
fn over_quota(work: &mut Work<'_>) {
    let is_department = |q: &QueueEntry| {
        q.parent.is_none() && work.old.queues.iter().any(|child| child.parent.as_deref() == Some(&q.name))
    };
    let departments: Vec<bool> = work.old.queues.iter().map(is_department).collect();
    if work.to.key == "runai" && departments.contains(&true) {
        work.new.settings.insert("department-over-quota".into(), "by-weight".into());
        let says = "Run:ai shares among departments by their quotas unless told otherwise; it is told to share by weight";
        work.note(Kind::Changed, super::setting("department-over-quota"), says);
    }
    if work.from.key != "runai" || work.to.queue.weight.is_none() {
        return;
    }
    let said =
        |name: &str, value: &str| work.old.settings.get(name).is_some_and(|typed| typed.0.trim() == value);
    let by_weight = said("department-over-quota", "by-weight");
    let by_quota = said("over-quota-weights", "off") || said("over-quota-weights", "false");
    for (i, is_department) in departments.into_iter().enumerate() {
        let name = ["over-quota.", &work.old.queues[i].name].concat();
        let own = work.old.settings.get(&name).map(|typed| typed.0.trim().to_owned());
        let from_quota = if is_department { !by_weight } else { by_quota };
        let entry = &mut work.new_queues()[i];
        for r in Resource::ACCOUNTED {
            let part = part_mut(entry, r);
            match own.as_deref() {
                Some("none") => {
                    part.weight = Some("0".into());
                    part.limit = smaller(part.quota.as_ref(), part.limit.as_ref(), r);
                }
                _ if from_quota => part.weight = Some(Scalar(quota_as_weight(part.quota.as_ref(), r))),
                Some("lowest") => part.weight = Some("0".into()),
                Some("low") => part.weight = Some("1".into()),
                Some("medium") => part.weight = Some("2".into()),
                Some("high") => part.weight = Some("3".into()),
                Some(number) => part.weight = Some(number.into()),
                None => {}
            }
        }
        if own.is_some() {
            work.note(
                Kind::Changed,
                super::setting(&name),
                "the over-quota of a queue becomes its weights and limits",
            );
        }
        rewritten(
            work,
            i,
            "over-quota as Run:ai has it, by level or in proportion to quotas, is written as weight and limit",
        );
    }
}

/// Notes the weights and limits of a queue that were written anew.
fn rewritten(work: &mut Work<'_>, i: usize, says: &str) {
    let (old, new) = (&work.old.queues[i], work.new.queues[i].clone());
    for r in Resource::ACCOUNTED {
        for field in [Field::Weight, Field::Limit] {
            if value(part(old, r), field) != value(part(&new, r), field) {
                let at = queue(&old.name).field(r.name()).field(field.name());
                work.note(Kind::Changed, at, says);
            }
        }
    }
}

/// Over-quota *none*: the quota is a limit; an unlimited one adds none.
fn smaller(quota: Option<&Scalar>, limit: Option<&Scalar>, r: Resource) -> Option<Scalar> {
    let amount = |text: &Scalar| quantity::amount(&text.0, r, 1_000_000).ok();
    let nothing = Scalar::from("0");
    let quota = quota.or((r == Resource::GPU).then_some(&nothing));
    match (quota.and_then(amount), limit.and_then(amount)) {
        (Some(q), Some(l)) if l <= q => limit.cloned(),
        (Some(_), _) => quota.cloned(),
        (None, _) => limit.cloned(),
    }
}

/// A quota as a weight: GPUs, cores or GiB; an unlimited one weighs nothing, because it is satisfied before anything is shared.
fn quota_as_weight(quota: Option<&Scalar>, r: Resource) -> String {
    let amount = quota.and_then(|text| quantity::amount(&text.0, r, 1_000_000).ok());
    let base = amount.map_or(0, |amount| amount.in_base_units());
    let milli = if r == Resource::MEMORY { ((i128::from(base) * 1000) >> 30) as i64 } else { base };
    quantity::print_decimal(milli, 3)
}
