//! Translation of settings: those that both policies have are carried over, others are removed with a note.

use std::sync::Arc;

use super::{NoteKind, Translator, setting};
use crate::policy::setting::SettingRules;
use crate::policy::{PRIORITY_CLASS, Policy};
use crate::scenario::{Path, Scalar, TimelineEntry};

/// Translates the settings that [`super::queues`] did not handle.
pub fn settings(work: &mut Translator<'_>) {
    let packs = packs(work);
    let shared = Shared::of(work.from.key, work.to.key);
    for (name, typed) in &work.old.settings {
        one(work, &shared, name, typed);
    }
    place(work, packs);
    timeline(work);
    super::pools::switches(work, |name| shared.usual(name));
}

/// Settings that two policies have under one name; they mean the same.
struct Shared(Vec<SettingRules>);

impl Shared {
    fn of(from: &str, to: &str) -> Shared {
        let [from, to] = [from, to].map(|key| Policy::rulebook(key).unwrap_or_default().settings);
        let is_shared = |rules: &SettingRules| to.iter().any(|(other, _)| other.name == rules.name);
        Shared(from.into_iter().map(|(setting, _)| setting).filter(is_shared).collect())
    }

    /// The usual spelling of a setting; `None` if only one of the policies has it.
    fn usual(&self, name: &str) -> Option<&'static str> {
        let is_named = |setting: &&SettingRules| setting.name == name || setting.aliases.contains(&name);
        self.0.iter().find(is_named).map(|setting| setting.name)
    }
}

/// Removes changes of settings from the timeline.
fn timeline(work: &mut Translator<'_>) {
    let changes = |entry: &TimelineEntry| !entry.settings.is_empty() || !entry.unset.is_empty();
    if !work.old.timeline.iter().any(changes) {
        return;
    }
    for (i, _) in work.old.timeline.iter().enumerate().filter(|(_, entry)| changes(entry)) {
        let path = Path::default().field("timeline").at(u32::try_from(i).unwrap_or(u32::MAX));
        let message = format!("{} does not read its settings anew during a run", work.to.name);
        work.note(NoteKind::Dropped, path, message);
    }
    Arc::make_mut(&mut work.new.timeline).retain(|entry| !changes(entry));
}

fn one(work: &mut Translator<'_>, shared: &Shared, name: &str, typed: &Scalar) {
    let from = &work.from.translation;
    if let Some(usual) = shared.usual(name) {
        work.new.settings.remove(name);
        work.new.settings.insert(usual.to_owned(), typed.clone());
        if usual != name {
            let message = format!("{name} is written as {usual}");
            work.note(NoteKind::Changed, setting(usual), message);
        }
        return work.note(NoteKind::Kept, setting(name), "both have this setting");
    }
    if name.starts_with(PRIORITY_CLASS) && work.from.jobs.has_own_classes && work.to.jobs.has_own_classes {
        return work.note(NoteKind::Kept, setting(name), "both read priority classes");
    }
    let is_setting = |translated: Option<&str>| translated == Some(name);
    if is_setting(from.packing.map(|packing| packing.setting)) {
        // Covered by the order of nodes; see `place`.
        work.new.settings.remove(name);
    } else if is_setting(from.default_priority) {
        work.new.settings.remove(name);
        let message = "the default priority is written into the jobs without one";
        work.note(NoteKind::Changed, setting(name), message);
    } else if !evictions(work, name, typed) && !Policy::translate_setting(work.from.key, work, name, typed) {
        work.drop_setting(name, &format!("{} has no {name}", work.to.name));
    }
}

/// Translates the setting that permits evictions, if both policies have one; returns whether it applied.
fn evictions(work: &mut Translator<'_>, name: &str, typed: &Scalar) -> bool {
    let (from, to) = (work.from.translation.evictions, work.to.translation.evictions);
    let (Some(from), Some(to)) = (from.filter(|from| from.setting == name), to) else { return false };
    let is_off = (from.is_off)(typed.0.trim());
    let Some(message) = (if is_off { Some(to.says_off) } else { to.says_on }) else { return false };
    work.new.settings.remove(name);
    if is_off {
        work.new.settings.insert(to.setting.into(), to.off.into());
    }
    work.note(NoteKind::Changed, setting(name), message);
    true
}

/// Whether GPUs are packed (or spread), and the setting that decides it.
fn packs(work: &Translator<'_>) -> Option<(bool, Option<&'static str>)> {
    let from = work.from.translation.packing?;
    let typed = work.old.settings.get(from.setting);
    let packs = typed.map_or(from.packs_by_default, |typed| typed.0.trim() == from.pack);
    Some((packs, typed.map(|_| from.setting)))
}

/// Translates the choice of nodes.
fn place(work: &mut Translator<'_>, packs: Option<(bool, Option<&'static str>)>) {
    let Some((packs, old_setting)) = packs else { return };
    let Some(to) = work.to.translation.packing else {
        if let Some(old_setting) = old_setting {
            let message = format!("{} has one way to choose nodes", work.to.name);
            work.note(NoteKind::Dropped, setting(old_setting), message);
        }
        return;
    };
    // A setting that both policies have is already translated.
    if work.new.settings.contains_key(to.setting) {
        return;
    }
    let value = if packs { to.pack } else { to.spread };
    if packs != to.packs_by_default {
        work.new.settings.insert(to.setting.into(), value.into());
    }
    if old_setting.is_some() || packs != to.packs_by_default {
        let effect = if packs { "fills one node after the other" } else { "spreads pods over nodes" };
        let message = format!("{} {value} {effect}", to.setting);
        work.note(NoteKind::Changed, setting(old_setting.unwrap_or(to.setting)), message);
    }
}
