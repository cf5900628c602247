//! Minimums of pods that start together, and gangs with placeholders.

use super::Here;
use crate::cluster::Gang;
use crate::format::{Findings, JobEntry, Scalar, codes, quantity, quoted, set};
use crate::policy::description::{Description, Gangs};
use crate::time::Span;

/// Default timeout of placeholders (yunikorn.md 7.1).
const TIMEOUT: Span = Span::from_millis(15 * 60_000);

/// Number of pods that have to start together; by default all of them.
pub fn minimum(typed: &Option<Scalar>, pods: u64, here: Here<'_>, f: &mut Findings) -> u64 {
    let Some(value) = typed else { return pods };
    let at = || here.field("min-available");
    let min = f.value(typed, pods, "a whole number of [pods]", &at, &quantity::count);
    if min == 0 || min > pods {
        let (to, label) = if min == 0 { ("1", "Require one [pod]") } else { ("", "Require all [pods]") };
        let says =
            format!("min-available {} is not between 1 and the {pods} [pods] there are", quoted(&value.0));
        f.suggest(codes::MIN_AVAILABLE, at(), says, to, label);
    }
    min.clamp(1, pods)
}

/// The common minimum over all kinds of pods of a job. `None`: each kind has its own, because the job sets none or the policy
/// does not support it.
pub fn in_common(
    entry: &JobEntry,
    (pods, policy): (u64, &Description),
    here: Here<'_>,
    f: &mut Findings,
) -> Option<u32> {
    if entry.pod_sets.is_empty() || entry.min_available.is_none() {
        return None;
    }
    let min = minimum(&entry.min_available, pods, here, f);
    let of_set = here.pod_sets(entry);
    for (k, own) in entry.pod_sets.iter().enumerate() {
        let inner = of_set(k);
        let given = [("min-available", own.min_available.is_some()), ("group", !own.group.is_empty())];
        for (field, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            let says = format!(
                "{field} stands here and min-available in the [job]: the kinds of [pods] have either one minimum in common or \
                 each its own"
            );
            f.suggest(codes::CONFLICT, inner.field(field), says, "", format!("Remove {field}"));
        }
    }
    let by_kind = policy.knows.gangs == Gangs::WithPlaceholders && entry.gang.is_some();
    if !policy.knows.common_minimum || by_kind {
        let name = policy.name;
        let says = format!(
            "{name} has no minimum that [pods] of several kinds have in common; all [pods] of each kind start together"
        );
        f.suggest(codes::NOT_EXPRESSED, here.field("min-available"), says, "", "Remove min-available");
        return None;
    }
    Some(u32::try_from(min).unwrap_or(u32::MAX))
}

/// The reservation settings of a job's gang.
pub fn gang(entry: &JobEntry, here: Here<'_>, policy: &Description, f: &mut Findings) -> Option<Gang> {
    let at = || here.field("placeholder-timeout");
    let mut timeout = f.time(&entry.placeholder_timeout, TIMEOUT, &at, &quantity::span);
    if timeout <= Span::ZERO {
        let says = "placeholder-timeout 0 stands for the default, 15 minutes";
        f.suggest(codes::NO_EFFECT, at(), says, "", "Use the default");
        timeout = TIMEOUT;
    }
    let Some(typed) = &entry.gang else {
        if entry.placeholder_timeout.is_some() {
            let says = "placeholder-timeout has no effect: the [job] has no gang";
            f.add(codes::NO_EFFECT, at(), says, set(here.field("gang"), "soft", "Make it a soft gang"));
        }
        return None;
    };
    let at = here.field("gang");
    let is_hard = match typed.0.trim() {
        "soft" => false,
        "hard" => true,
        other => {
            let says = format!("gang {} is neither soft nor hard", quoted(other));
            f.suggest(codes::CHOICE, at, says, "soft", "Use soft");
            return None;
        }
    };
    if policy.knows.gangs != Gangs::WithPlaceholders {
        let says = format!("{} has no placeholders, so it ignores gang", policy.name);
        f.suggest(codes::NOT_EXPRESSED, at, says, "", "Remove gang");
        return None;
    }
    Some(Gang { is_hard, timeout })
}
