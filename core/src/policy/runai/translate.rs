//! Translation of scenarios to and from Run:ai.
//!
//! # Rule
//! Over-quota, by level or in proportion to quotas, becomes weights and limits of the queues. Departments of other
//! policies share by weight, so Run:ai is set to do the same.
//!
//! # Source
//! runai.md 4.2, 7

use crate::format::{QueueEntry, Scalar, quantity};
use crate::policy::field::Field;
use crate::policy::kai;
use crate::policy::translation::Translation;
use crate::policy::translator::{NoteKind, Translator, part, part_mut, queue, setting};
use crate::units::Resource;

/// Settings with an equivalent in other policies.
pub const TRANSLATION: Translation = Translation { evictions: None, ..kai::DESCRIPTION.translation };

/// Converts over-quota to weights; coming from another policy, sets departments to share by weight.
pub fn queues(work: &mut Translator<'_>) {
    let is_department = |q: &QueueEntry| {
        q.parent.is_none() && work.old.queues.iter().any(|child| child.parent.as_deref() == Some(&q.name))
    };
    let departments: Vec<bool> = work.old.queues.iter().map(is_department).collect();
    if work.to.key == "runai" {
        if departments.contains(&true) {
            work.new.settings.insert("department-over-quota".into(), "by-weight".into());
            let message = "by default Run:ai divides among departments in proportion to their quotas; it is set to divide by weight";
            work.note(NoteKind::Changed, setting("department-over-quota"), message);
        }
    } else if work.to.queue.weight.is_some() {
        over_quota(work, &departments);
    }
}

fn over_quota(work: &mut Translator<'_>, departments: &[bool]) {
    let is_set_to = |name: &str, value: &str| work.old.settings.get(name).is_some_and(|typed| typed.0.trim() == value);
    let by_weight = is_set_to("department-over-quota", "by-weight");
    let by_quota = is_set_to("over-quota-weights", "off") || is_set_to("over-quota-weights", "false");
    for (i, &is_department) in departments.iter().enumerate() {
        let name = ["over-quota.", &work.old.queues[i].name].concat();
        let typed = work.old.settings.get(&name).map(|typed| typed.0.trim().to_owned());
        let from_quota = if is_department { !by_weight } else { by_quota };
        let entry = &mut work.new_queues()[i];
        for r in Resource::ACCOUNTED {
            let part = part_mut(entry, r);
            match typed.as_deref() {
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
        if typed.is_some() {
            work.note(NoteKind::Changed, setting(&name), "the over-quota of a queue becomes its weights and limits");
        }
        rewritten(
            work,
            i,
            "over-quota as Run:ai has it, by level or in proportion to quotas, is written as weight and limit",
        );
    }
}

/// Notes changed weights and limits of a queue.
fn rewritten(work: &mut Translator<'_>, i: usize, message: &str) {
    let (old_queue, new_queue) = (&work.old.queues[i], work.new.queues[i].clone());
    for r in Resource::ACCOUNTED {
        for field in [Field::Weight, Field::Limit] {
            if field.of(part(old_queue, r)) != field.of(part(&new_queue, r)) {
                let path = queue(&old_queue.name).field(r.name()).field(field.name());
                work.note(NoteKind::Changed, path, message);
            }
        }
    }
}

/// Effective limit with over-quota *none*: the smaller of quota and limit; an unlimited quota adds none.
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

/// Weight from a quota in GPUs, cores or GiB; 0 for an unlimited one, because it is satisfied before the division.
fn quota_as_weight(quota: Option<&Scalar>, r: Resource) -> String {
    let amount = quota.and_then(|text| quantity::amount(&text.0, r, 1_000_000).ok());
    let base = amount.map_or(0, |amount| amount.in_base_units());
    let milli = if r == Resource::MEMORY { ((i128::from(base) * 1000) >> 30) as i64 } else { base };
    quantity::print_decimal(milli, 3)
}

/// Handles Run:ai's own settings: the queues express them if the other policy has weights.
pub fn own_setting(work: &mut Translator<'_>, name: &str, _typed: &Scalar) -> bool {
    if work.to.queue.weight.is_none() {
        return false;
    }
    if matches!(name, "department-over-quota" | "over-quota-weights") {
        work.note(NoteKind::Changed, setting(name), "how over-quota is shared becomes weights of the queues");
    } else if !name.starts_with("over-quota.") {
        return false;
    }
    work.new.settings.remove(name);
    true
}
