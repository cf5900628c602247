//! Translation of queues: quota, limit, weight, priority, minimum runtimes, past usage, and their changes in the
//! timeline.

use std::sync::Arc;

use super::{NoteKind, Translator, assumed, queue};
use crate::policy::Policy;
use crate::policy::description::Description;
use crate::policy::field::Field;
use crate::policy::translator::{part, part_mut};
use crate::scenario::{Path, ResourceEntry, Scalar, quantity};
use crate::units::Resource;

/// Translates queues.
pub fn queues(work: &mut Translator<'_>) {
    Policy::translate_queues(work.from.key, work);
    Policy::translate_queues(work.to.key, work);
    for i in 0..work.old.queues.len() {
        let path = queue(&work.old.queues[i].name);
        if work.from.queue.one_weight {
            one_ratio(work, i);
        }
        for r in Resource::ACCOUNTED {
            for field in Field::ALL {
                given(work, &path, field, r, field.of(part(&work.old.queues[i], r)).as_ref());
                left_out(work, i, &path, field, r);
            }
        }
        if work.to.queue.one_weight {
            to_one_ratio(work, i, &path);
        }
        if work.to.translation.owns_hosts {
            to_hosts(work, i, &path);
        }
        priority(work, i, &path);
        history(work, i, &path);
    }
    timeline(work);
}

fn is_unlimited(text: &str) -> bool {
    text.trim() == "-1" || quantity::is_unlimited(text)
}

/// Notes whether a given value is read by the new policy, and whether it was read by the old one.
fn given(work: &mut Translator<'_>, path: &Path, field: Field, r: Resource, value: Option<&Scalar>) {
    let Some(text) = value.map(|value| value.0.trim()) else { return };
    let path = path.field(r.name()).field(field.name());
    let (from, to) = (work.from, work.to);
    let what = field.name();
    match (from.word(field, r), to.word(field, r)) {
        (None, None) => {}
        (Some(_), None) => {
            let suffix =
                if to.word(field, Resource::GPU).is_some() { [" of ", r.name()].concat() } else { String::new() };
            work.note(NoteKind::Dropped, path, format!("{} has no {what}s{suffix}", to.name));
        }
        (None, Some(word)) => {
            work.note(
                NoteKind::Assumed,
                path,
                format!("{} did not read the {what}; it counts now, as {word}", from.name),
            );
        }
        (Some(_), Some(_)) if field == Field::Quota && is_unlimited(text) && !to.queue.unlimited_quota => {
            let message = format!("{} cannot guarantee an unlimited amount, so nothing is guaranteed", to.name);
            work.note(NoteKind::Dropped, path, message);
        }
        (Some(_), Some(word)) if word != what => {
            work.note(NoteKind::Kept, path, format!("{what} is called {word} in {}", to.name));
        }
        _ => work.note(NoteKind::Kept, path, format!("{what} means the same")),
    }
}

/// Makes the default of an omitted value explicit, unless both policies have the same.
fn left_out(work: &mut Translator<'_>, i: usize, path: &Path, field: Field, r: Resource) {
    let (from, to) = (work.from, work.to);
    // A single ratio may come from any weight; see `to_one_ratio`.
    let is_read = to.word(field, r).is_some() && !(field == Field::Weight && to.queue.one_weight);
    if !is_read || field.of(part(&work.new.queues[i], r)).is_some() {
        return;
    }
    let unset = from.unset(field, r);
    let text = unset.unwrap_or_else(|| assumed(field, r));
    // If an omitted value neither grants nor limits anything, 0 or unlimited would add nothing.
    if to.unset(field, r).is_none_or(|means| means == text) {
        return;
    }
    *field.of_mut(part_mut(&mut work.new_queues()[i], r)) = Some(text.into());
    let path = path.field(r.name()).field(field.name());
    let what = field.name();
    match unset {
        Some(_) => {
            let message = format!("no {} {what} means {text} in {}, which is written out", r.name(), from.name);
            work.note(NoteKind::Changed, path, message);
        }
        None => {
            let message = format!("{} says no {} {what}; {text} is assumed", from.name, r.name());
            work.note(NoteKind::Assumed, path, message);
        }
    }
}

/// Copies a single ratio for all resources to the weight of each.
fn one_ratio(work: &mut Translator<'_>, i: usize) {
    if work.to.queue.weight.is_none() {
        return;
    }
    let weights = [Resource::GPU, Resource::CPU, Resource::MEMORY].map(|r| part(&work.old.queues[i], r).weight.clone());
    let Some(ratio) = weights.into_iter().flatten().next() else { return };
    let path = queue(&work.old.queues[i].name);
    let message = format!("{}; it becomes the weight of each", has_one_ratio(work.from));
    for r in Resource::ACCOUNTED {
        let weight = &mut part_mut(&mut work.new_queues()[i], r).weight;
        if weight.as_ref() != Some(&ratio) {
            *weight = Some(ratio.clone());
            work.note(NoteKind::Changed, path.field(r.name()).field("weight"), message.as_str());
        }
    }
}

fn has_one_ratio(policy: &Description) -> String {
    let word = policy.word(Field::Weight, Resource::GPU).unwrap_or("weight");
    format!("{} has one {word} for all resources", policy.name)
}

/// Merges the weights of a queue into a single ratio.
fn to_one_ratio(work: &mut Translator<'_>, i: usize, path: &Path) {
    let weights =
        [Resource::GPU, Resource::CPU, Resource::MEMORY].map(|r| (r, part(&work.new.queues[i], r).weight.clone()));
    let mut weighted = weights.iter().filter_map(|(r, weight)| Some((*r, weight.clone()?)));
    match weighted.next() {
        Some((_, ratio)) => {
            let message = format!("{}, the first of GPU, CPU and memory", has_one_ratio(work.to));
            for (r, _) in weighted.filter(|(_, weight)| *weight != ratio) {
                work.note(NoteKind::Dropped, path.field(r.name()).field("weight"), message.as_str());
            }
        }
        None if work.from.queue.weight.is_some() => {
            let text = work.from.unset(Field::Weight, Resource::GPU).unwrap_or("1");
            if text != "1" {
                work.new_queues()[i].gpu.weight = Some(text.into());
                let message = format!("no gpu weight means {text} in {}, which is written out", work.from.name);
                work.note(NoteKind::Changed, path.field("gpu").field("weight"), message);
            }
        }
        None => {}
    }
}

/// Converts a quota to owned hosts; only whole hosts count.
fn to_hosts(work: &mut Translator<'_>, i: usize, path: &Path) {
    let gpus = |text: &Option<Scalar>| {
        let amount = text.as_ref().and_then(|text| quantity::amount(&text.0, Resource::GPU, 1).ok());
        amount.map_or(0, |amount| amount.in_base_units())
    };
    let quota = gpus(&work.new.queues[i].gpu.quota);
    let smallest = work.new.nodes.iter().map(|node| gpus(&node.gpu)).filter(|&n| n > 0).min().unwrap_or(1000);
    if quota % smallest != 0 {
        let message =
            format!("{} owns whole hosts: the part of the quota that fills no host is not owned", work.to.name);
        work.note(NoteKind::Changed, path.field("gpu").field("quota"), message);
    }
}

/// Translates a priority, which is relative to each product's default.
fn priority(work: &mut Translator<'_>, i: usize, path: &Path) {
    let entry = &work.old.queues[i];
    let (mut place, mut typed) = (path.field("priority"), entry.priority.clone());
    if let Some(prefix) = work.from.translation.queue_priority {
        let name = [prefix, &entry.name].concat();
        if let Some(typed_setting) = work.old.settings.get(&name) {
            work.new.settings.remove(&name);
            if typed.is_some() {
                let message = format!("{} of the same queue wins in {}", prefix.trim_end_matches('.'), work.from.name);
                work.note(NoteKind::Dropped, place, message);
            }
            (place, typed) = (super::setting(&name), Some(typed_setting.clone()));
        }
    }
    let Some(typed) = typed else { return };
    let new = shifted(work, place, &typed);
    work.new_queues()[i].priority = Some(new);
}

/// Shifts a priority by the difference between the defaults.
fn shifted(work: &mut Translator<'_>, path: Path, typed: &Scalar) -> Scalar {
    let (from, to) = (work.from, work.to);
    match (from.queue.priority, to.queue.priority) {
        (_, None) => {
            if from.queue.priority.is_some() {
                work.note(NoteKind::Dropped, path, format!("{} has no priorities of queues", to.name));
            }
            typed.clone()
        }
        (None, Some(new)) => {
            let message = format!("{} did not read the priority; it counts now, as {}", from.name, new.word);
            work.note(NoteKind::Assumed, path, message);
            typed.clone()
        }
        (Some(old), Some(new)) if old.unset == new.unset => {
            work.note(NoteKind::Kept, path, format!("priority is called {} in {}", new.word, to.name));
            typed.clone()
        }
        (Some(old), Some(new)) => {
            let Ok(n) = quantity::integer(&typed.0) else { return typed.clone() };
            let message = format!(
                "priority becomes the {} of {}, counted from {} instead of {}",
                new.word, to.name, new.unset, old.unset
            );
            work.note(NoteKind::Changed, path, message);
            Scalar(n.saturating_sub(old.unset).saturating_add(new.unset).to_string())
        }
    }
}

/// Translates minimum runtimes and past usage.
fn history(work: &mut Translator<'_>, i: usize, path: &Path) {
    let entry = &work.old.queues[i];
    min_runtimes(work, path, [&entry.preempt_min_runtime, &entry.reclaim_min_runtime]);
    for r in Resource::ACCOUNTED {
        if part(entry, r).usage.is_some() {
            of_history(work, path.field(r.name()).field("usage"), "past usage");
        }
    }
}

/// Translates the minimum runtimes that are given: against preemption and against reclaim.
pub(super) fn min_runtimes(work: &mut Translator<'_>, path: &Path, values: [&Option<Scalar>; 2]) {
    for (field, value) in ["preempt-min-runtime", "reclaim-min-runtime"].into_iter().zip(values) {
        if value.is_some() {
            of_history(work, path.field(field), "minimum runtimes");
        }
    }
}

/// Notes values that only policies with a history read.
fn of_history(work: &mut Translator<'_>, path: Path, what: &str) {
    match (work.from.queue.history, work.to.queue.history) {
        (true, false) => work.note(NoteKind::Dropped, path, format!("{} does not know {what}", work.to.name)),
        (false, true) => {
            work.note(NoteKind::Assumed, path, format!("{} did not read {what}; it counts now", work.from.name));
        }
        _ => {}
    }
}

/// Translates changes of queues in the timeline.
fn timeline(work: &mut Translator<'_>) {
    for (i, entry) in work.old.timeline.iter().enumerate().filter(|(_, entry)| entry.queue.is_some()) {
        let path = Path::default().field("timeline").at(u32::try_from(i).unwrap_or(u32::MAX));
        if let Some(new) = values(work, &path, [&entry.gpu, &entry.cpu, &entry.memory], &entry.priority) {
            Arc::make_mut(&mut work.new.timeline)[i].priority = Some(new);
        }
    }
}

/// Translates values of a queue in a pool or in the timeline: of GPU, CPU and memory, and a priority. Returns the new
/// priority.
pub(super) fn values(
    work: &mut Translator<'_>,
    path: &Path,
    parts: [&ResourceEntry; 3],
    priority: &Option<Scalar>,
) -> Option<Scalar> {
    for (r, part) in [Resource::GPU, Resource::CPU, Resource::MEMORY].into_iter().zip(parts) {
        for field in Field::ALL {
            given(work, path, field, r, field.of(part).as_ref());
        }
    }
    priority.as_ref().map(|typed| shifted(work, path.field("priority"), typed))
}
