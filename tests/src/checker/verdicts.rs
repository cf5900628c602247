//! From the comparisons to the verdict.
//!
//! # Rule
//! A start or claim passed all of its comparisons, except those that a known fault of the product decided. An eviction
//! passed all, or, where a queue gives back, one of three ways for each pod: above its quota and fair share, or above
//! its quota while the other queue stays within its own, or by the priority of the queues. A waiting job failed the
//! comparison that its reason names. A spared candidate failed, or passed and came later.

use fairground::id::QueueId;
use fairground::time::Time;
use fairground::trace::{Check, Delay, Event, EvictReason, Gate, Op, Protection, Quantity, Recorded};
use fairground::units::Resource;

use super::operand::number;

/// Whether the left side is above the right one in some resource.
pub fn exceeds(check: &Check) -> bool {
    let above = |r: usize| match (number(&check.left.value, r), number(&check.right.value, r)) {
        (Some(left), Some(right)) => left > right,
        _ => false,
    };
    (0..3).any(above)
}

/// What is wrong with the comparisons of a decision.
pub fn of_decision(recorded: &Recorded) -> Option<String> {
    let passed = |check: &Check| check.holds || check.fault.is_some();
    // A preemption that frees too little says so.
    let is_told = |check: &Check| check.rule.key() == "yunikorn/enough-victims";
    let failed = |checks: Vec<&Check>| {
        let failed = checks.into_iter().find(|check| !passed(check) && !is_told(check));
        failed.map(|check| format!("decided although {} failed", check.rule.key()))
    };
    match recorded.event {
        Event::Evicted { reason, .. } if is_of_engine(recorded) && is_reclaim(reason, recorded) => {
            let of_units: Vec<&Check> = recorded.checks.iter().filter(|check| is_of_unit(check)).collect();
            let others = recorded.checks.iter().filter(|check| !is_of_unit(check)).collect();
            failed(others).or_else(|| of_pods(&of_units, reason))
        }
        Event::Bound { .. } | Event::Claimed { .. } | Event::Evicted { .. } => failed(recorded.checks.iter().collect()),
        _ => None,
    }
}

fn is_of_engine(recorded: &Recorded) -> bool {
    let is_own = |check: &Check| check.rule.key().starts_with("kai/") || check.rule.key().starts_with("runai/");
    recorded.checks.iter().any(is_own)
}

/// A reclaim may also move a pod that its queue does not lose.
fn is_reclaim(reason: EvictReason, recorded: &Recorded) -> bool {
    match reason {
        EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota | EvictReason::ReclaimedForPriority => true,
        EvictReason::Moved => recorded.checks.iter().any(is_of_unit),
        _ => false,
    }
}

/// Whether a comparison is about what one pod leaves to its queue, or the way by the quota.
fn is_of_unit(check: &Check) -> bool {
    check.left.quantity == Quantity::AllocatedWithoutVictims
        || check.left.quantity == Quantity::AllocatedWithJob && check.right.quantity == Quantity::Quota
        || check.left.quantity == Quantity::Priority && check.subject.other_queue.is_some()
}

/// The ways by which each pod may be taken, and the reason that follows from them.
fn of_pods(checks: &[&Check], reason: EvictReason) -> Option<String> {
    let firsts: Vec<usize> =
        (0..checks.len()).filter(|&at| checks[at].right.quantity == Quantity::Allocatable).collect();
    if firsts.is_empty() {
        return Some("nothing is said of what its queue holds".to_string());
    }
    let mut follows = EvictReason::ReclaimedForFairShare;
    for (i, &first) in firsts.iter().enumerate() {
        let end = firsts.get(i + 1).copied().unwrap_or(checks.len());
        let results: Vec<bool> = checks[first..end].iter().map(|check| check.holds).collect();
        let way = match results.as_slice() {
            [true] => EvictReason::ReclaimedForFairShare,
            [false, true, true] => EvictReason::ReclaimedForQuota,
            [false, true, false, true] => EvictReason::ReclaimedForPriority,
            _ => return Some("a pod was taken by no permitted way".to_string()),
        };
        follows = follows.max(way);
    }
    (reason != follows && reason != EvictReason::Moved)
        .then(|| format!("{} follows from the comparisons", follows.key()))
}

/// What is wrong with the comparisons of a waiting job.
pub fn of_waiting(gate: &Gate, checks: &[&Check], now: Time) -> Option<String> {
    let needs = |queue: QueueId, resource: Resource, right: Quantity| {
        let is_it = |check: &&&Check| {
            check.subject.queue == Some(queue)
                && check.subject.resource == Some(resource)
                && check.right.quantity == right
        };
        match checks.iter().find(is_it) {
            Some(check) if exceeds(check) => None,
            Some(_) => Some(format!("its {right:?} is not exceeded")),
            None if checks.is_empty() => None,
            None => Some(format!("no comparison with the {right:?} of {queue:?}")),
        }
    };
    match *gate {
        // First in, first out, the quota is the limit.
        Gate::OverLimit { queue, resource } if checks.iter().any(|c| c.rule.key() == "fifo/quota") => {
            needs(queue, resource, Quantity::Quota)
        }
        Gate::OverLimit { queue, resource } | Gate::UserLimit { queue, resource } => {
            needs(queue, resource, Quantity::Limit)
        }
        Gate::NonPreemptibleOverQuota { queue, resource } => needs(queue, resource, Quantity::Quota),
        Gate::TooManyJobs { .. } => checks.iter().find(|check| !exceeds(check)).map(|_| "not too many jobs".into()),
        Gate::NotEntitled { queue } => {
            // Further reasons may be told without their comparison.
            let own = |check: &&&Check| {
                let is_of_queue = check.subject.queue == Some(queue) || check.subject.queue.is_none();
                is_of_queue && check.subject.other_job.is_none() && !check.rule.key().ends_with("/room")
            };
            let refuses = |check: &&Check| match check.op {
                // A share ratio of nothing.
                _ if check.left.quantity == Quantity::Weight => !check.holds,
                Op::AtMost | Op::Less => !check.holds,
                Op::Exceeds | Op::AtLeast | Op::Equal => check.holds,
            };
            let mut of_queue = checks.iter().filter(own).peekable();
            (of_queue.peek().is_some() && !of_queue.any(refuses))
                .then(|| format!("nothing keeps {queue:?} from reclaiming"))
        }
        Gate::Delayed { until, why: Delay::Preemption } => {
            let waits = |check: &&&Check| check.left.quantity == Quantity::Waited;
            let left = checks
                .iter()
                .find(waits)
                .and_then(|check| Some(number(&check.right.value, 0)? - number(&check.left.value, 0)?));
            let ends = |left: f64| ((until - now).as_seconds() - left).abs() < 1e-3;
            (!left.is_some_and(ends)).then(|| "its preemption delay ends at another time".into())
        }
        Gate::VictimsProtected { .. } => {
            let runs = |check: &&&Check| check.left.quantity == Quantity::Runtime;
            let is_protected = checks.iter().filter(runs).all(|check| !check.holds);
            (!is_protected).then(|| "a job has run long enough".into())
        }
        Gate::NoVictims { .. } => {
            let is_of_engine = |check: &&&Check| {
                let key = check.rule.key();
                (key.starts_with("kai/") || key.starts_with("runai/")) && !key.ends_with("/room")
            };
            let mut of_engine = checks.iter().filter(is_of_engine).peekable();
            (of_engine.peek().is_some() && of_engine.all(|check| check.holds))
                .then(|| "every comparison allows the eviction".into())
        }
        _ => None,
    }
}

/// What is wrong with the comparison of a spared candidate.
pub fn of_spared(why: &Protection) -> Option<String> {
    match why {
        Protection::Failed(check) if check.holds => Some("it passed what it is said to have failed".into()),
        Protection::Later(check) if !check.holds => Some("it failed what it is said to have passed".into()),
        _ => None,
    }
}
