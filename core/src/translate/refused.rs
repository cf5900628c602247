//! Values that the new policy's own scheduler would refuse: some schedulers accept a configuration only as a whole, so
//! a scenario of another policy may contain values that never occur there.
//!
//! A maximum above that of an ancestor, and a guarantee above a maximum, are lowered, because the smaller value applied
//! anyway. Other refused values are kept and noted; the simulation runs with them.

use super::{NoteKind, Translator, queue};
use crate::policy::field::Field;
use crate::policy::translator::{part, part_mut};
use crate::scenario::{Scalar, check, codes, quantity};
use crate::units::Resource;

/// Lowers values where possible, and notes those that would still be refused.
pub fn refused(work: &mut Translator<'_>) {
    let Some(refuses) = work.to.translation.refuses else { return };
    for i in 0..work.new.queues.len() {
        for r in Resource::ACCOUNTED {
            for &(field, says) in refuses.above_limits {
                lower(work, i, r, field, says);
            }
        }
    }
    let checked = check(&work.new);
    for found in checked.diagnostics {
        if found.code == codes::REFUSED {
            work.note(NoteKind::Refused, found.at, found.says);
        }
    }
    let Some(plan) = checked.plan else { return };
    for (queue, spelled) in plan.cluster.queues.values().zip((refuses.names)(&plan.cluster.queues)) {
        if spelled != queue.name.to_lowercase() {
            let says = format!("{} takes no queue of that name; there it is {spelled}", work.to.name);
            work.note(NoteKind::Changed, super::queue(&queue.name).field("name"), says);
        }
    }
}

/// Lowers a value of a queue to the smallest limit that applies to it.
fn lower(work: &mut Translator<'_>, i: usize, r: Resource, field: Field, says: &str) {
    let amount = |typed: &Scalar| quantity::amount(&typed.0, r, 1_000_000).ok();
    let entry = &work.new.queues[i];
    let Some(own) = field.of(part(entry, r)).as_ref().and_then(amount) else { return };
    let mut least: Option<&Scalar> = None;
    let mut at = Some(entry);
    let mut steps = 0;
    while let Some(queue) = at.filter(|_| steps < crate::scenario::TREE_DEPTH_MAX) {
        let limit = Field::Limit.of(part(queue, r)).as_ref();
        let limit = limit.filter(|typed| amount(typed).is_some());
        if least.and_then(amount).is_none_or(|least| limit.and_then(amount).is_some_and(|l| l < least)) {
            least = limit.or(least);
        }
        at = queue.parent.as_ref().and_then(|parent| work.new.queues.iter().find(|q| q.name == *parent));
        steps += 1;
    }
    let Some(least) = least.filter(|typed| amount(typed).is_some_and(|least| least < own)).cloned() else {
        return;
    };
    let at = queue(&entry.name).field(r.name()).field(field.name());
    *field.of_mut(part_mut(&mut work.new_queues()[i], r)) = Some(least);
    work.note(NoteKind::Changed, at, format!("{says}; the smaller one, which held anyway, is written"));
}
