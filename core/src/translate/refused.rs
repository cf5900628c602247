//! What YuniKorn would refuse: it takes a configuration whole or not at all, so a scenario of another policy may have values that
//! no YuniKorn has.
//!
//! A maximum above that of a queue above, and a guarantee above a maximum, are lowered: the smaller value held anyway. What cannot be
//! said in another way without meaning something else stays, and is noted; the simulation goes on with it.

use super::queues::{part, part_mut, value, value_mut};
use super::{Kind, Work, queue};
use crate::policy::description::Field;
use crate::policy::yunikorn::config::paths;
use crate::scenario::{Scalar, check, codes, quantity};
use crate::units::Resource;

/// Lowers what can be lowered, and notes what YuniKorn would still refuse.
pub fn refused(work: &mut Work<'_>) {
    if work.to.key != "yunikorn" {
        return;
    }
    for i in 0..work.new.queues.len() {
        for r in Resource::ACCOUNTED {
            lower(work, i, r, Field::Limit, "YuniKorn takes no maximum above that of a queue above it");
            lower(work, i, r, Field::Quota, "YuniKorn takes no guarantee above a maximum");
        }
    }
    let checked = check(&work.new);
    for found in checked.diagnostics {
        if found.code == codes::REFUSED {
            work.note(Kind::Refused, found.at, found.says);
        }
    }
    let Some(plan) = checked.plan else { return };
    for (queue, path) in plan.cluster.queues.values().zip(paths(&plan.cluster.queues)) {
        let spelled = path.rsplit('.').next().unwrap_or_default();
        if spelled != queue.name.to_lowercase() {
            let says = format!("YuniKorn takes no queue of that name; there it is {spelled}");
            work.note(Kind::Changed, super::queue(&queue.name).field("name"), says);
        }
    }
}

/// Lowers a value of a queue to the smallest limit that applies to it.
fn lower(work: &mut Work<'_>, i: usize, r: Resource, field: Field, says: &str) {
    let amount = |typed: &Scalar| quantity::amount(&typed.0, r, 1_000_000).ok();
    let entry = &work.new.queues[i];
    let Some(own) = value(part(entry, r), field).as_ref().and_then(amount) else { return };
    let mut least: Option<&Scalar> = None;
    let mut at = Some(entry);
    let mut steps = 0;
    while let Some(queue) = at.filter(|_| steps < crate::scenario::TREE_DEPTH_MAX) {
        let limit = value(part(queue, r), Field::Limit).as_ref();
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
    *value_mut(part_mut(&mut work.new_queues()[i], r), field) = Some(least);
    work.note(Kind::Changed, at, format!("{says}; the smaller one, which held anyway, is written"));
}
