//! Gangs with placeholders.

use super::super::codes;
use super::super::quantity;
use super::super::schema::JobEntry;
use super::Here;
use crate::cluster::Gang;
use crate::policy::Policy;
use crate::scenario::findings::{Findings, quoted, set};
use crate::time::Span;

/// How long placeholders wait if nothing is said (yunikorn.md 7.1).
const TIMEOUT: Span = Span::from_millis(15 * 60_000);

/// What is said of a job's gang.
pub fn gang(entry: &JobEntry, here: Here<'_>, policy: Option<&Policy>, f: &mut Findings) -> Option<Gang> {
    let at = || here.field("placeholder-timeout");
    let mut timeout = f.time(&entry.placeholder_timeout, TIMEOUT, &at, &quantity::span);
    if timeout <= Span::ZERO {
        let says = "placeholder-timeout 0 stands for the default, 15 minutes".to_string();
        f.add(codes::NO_EFFECT, at(), says, set(at(), "", "Use the default"));
        timeout = TIMEOUT;
    }
    let Some(typed) = &entry.gang else {
        if entry.placeholder_timeout.is_some() {
            let says = "placeholder-timeout has no effect: the job has no gang".to_string();
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
            f.add(codes::CHOICE, at.clone(), says, set(at, "soft", "Use soft"));
            return None;
        }
    };
    if let Some(policy) = policy.filter(|policy| policy.name() != "yunikorn") {
        let says = format!("{} has no placeholders, so it ignores gang", policy.name());
        f.add(codes::NOT_EXPRESSED, at.clone(), says, set(at, "", "Remove gang"));
        return None;
    }
    Some(Gang { is_hard, timeout })
}
