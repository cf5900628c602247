//! Short reasons why a job is pending, in two or three words.

use super::{Terms, number};
use crate::moment::Frame;
use crate::trace::{Delay, Gate, LostClaim, NotAccepted, Refusal};

/// *over quota*, *no room*, *behind big-1*.
pub fn short_reason(frame: &Frame, refusal: &Refusal) -> String {
    if frame.lost_claim(refusal.job).is_some_and(LostClaim::is_loop) {
        return "in a loop".into();
    }
    let text = match &refusal.gate {
        Gate::NotReady => "not all [pods] exist",
        Gate::NotALeaf => "its [queue] has children",
        Gate::NotAccepted { why: NotAccepted::NoQueue } => "no such [queue]",
        Gate::NotAccepted { why: NotAccepted::Draining } => "[queue] is draining",
        Gate::TooLarge { .. } => "larger than any [node]",
        Gate::OverLimit { .. } if refusal.is_over_quota() => "[over quota]",
        Gate::OverLimit { .. } => "over [limit]",
        Gate::UserLimit { .. } => "over the user's [limit]",
        Gate::TooManyJobs { .. } => "too many [jobs]",
        Gate::NonPreemptibleOverQuota { .. } => "[over quota]",
        Gate::NotEntitled { .. } => "would exceed its [fair share]",
        Gate::NoVictims { .. } | Gate::NoNode { .. } | Gate::LikeFailed { .. } => "no room",
        Gate::VictimsProtected { until } => {
            return format!("others protected until {}", number::time(until.as_millis()));
        }
        Gate::Behind { job } => return format!("behind {}", frame.job(*job)),
        Gate::WaitingForVictims { .. } => "place [claimed]",
        Gate::GangIncomplete { held, of, .. } => return format!("gang {held} of {of}"),
        Gate::GangFailed => "failed",
        Gate::GangRefused => "refused",
        Gate::NoDevice { .. } => "no free device",
        Gate::PreemptedTooLittle => "preempted too little",
        Gate::Delayed { until, why: Delay::Preemption } => {
            return format!("no evictions before {}", number::time(until.as_millis()));
        }
        Gate::Delayed { until, .. } => {
            return format!("not tried until {}", number::time(until.as_millis()));
        }
        Gate::TriedOnce => "not tried again",
    };
    Terms::of(&frame.policy).fill(text)
}
