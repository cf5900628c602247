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
            for &(field, message) in refuses.above_limits {
                lower(work, i, r, field, message);
            }
        }
    }
    let checked = check(&work.new);
    for diagnostic in checked.diagnostics {
        if diagnostic.code == codes::REFUSED {
            work.note(NoteKind::Refused, diagnostic.at, diagnostic.says);
        }
    }
    let Some(plan) = checked.plan else { return };
    for (queue, spelled) in plan.cluster.queues.values().zip((refuses.names)(&plan.cluster.queues)) {
        if spelled != queue.name.to_lowercase() {
            let message = format!("{} takes no queue of that name; there it is {spelled}", work.to.name);
            work.note(NoteKind::Changed, super::queue(&queue.name).field("name"), message);
        }
    }
}

/// Lowers a value of a queue to the smallest limit that applies to it.
fn lower(work: &mut Translator<'_>, i: usize, r: Resource, field: Field, message: &str) {
    let amount = |typed: &Scalar| quantity::amount(&typed.0, r, 1_000_000).ok();
    let entry = &work.new.queues[i];
    let Some(value) = field.of(part(entry, r)).as_ref().and_then(amount) else { return };
    let mut smallest: Option<&Scalar> = None;
    let mut current = Some(entry);
    let mut steps = 0;
    while let Some(queue) = current.filter(|_| steps < crate::scenario::TREE_DEPTH_MAX) {
        let limit = Field::Limit.of(part(queue, r)).as_ref();
        let limit = limit.filter(|typed| amount(typed).is_some());
        if smallest.and_then(amount).is_none_or(|smallest| limit.and_then(amount).is_some_and(|l| l < smallest)) {
            smallest = limit.or(smallest);
        }
        current = queue.parent.as_ref().and_then(|parent| work.new.queues.iter().find(|q| q.name == *parent));
        steps += 1;
    }
    let Some(smallest) = smallest.filter(|typed| amount(typed).is_some_and(|smallest| smallest < value)).cloned()
    else {
        return;
    };
    let path = queue(&entry.name).field(r.name()).field(field.name());
    *field.of_mut(part_mut(&mut work.new_queues()[i], r)) = Some(smallest);
    work.note(NoteKind::Changed, path, format!("{message}; the smaller one, which held anyway, is written"));
}
