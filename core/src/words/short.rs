//! Why a job waits, in two or three words.

use super::number;
use crate::moment::Frame;
use crate::trace::{Gate, NotAccepted};

/// *over quota*, *no room*, *behind big-1*.
pub fn short_reason(frame: &Frame, gate: &Gate) -> String {
    match gate {
        Gate::NotReady => "not all pods exist".into(),
        Gate::NotALeaf => "its queue has children".into(),
        Gate::NotAccepted { why: NotAccepted::NoQueue } => "no such queue".into(),
        Gate::NotAccepted { why: NotAccepted::Draining } => "queue is draining".into(),
        Gate::TooLarge { .. } => "larger than any node".into(),
        Gate::OverLimit { .. } => "over limit".into(),
        Gate::UserLimit { .. } => "over the user's limit".into(),
        Gate::TooManyJobs { .. } => "too many jobs".into(),
        Gate::NonPreemptibleOverQuota { .. } => "over quota".into(),
        Gate::NotEntitled { .. } => "over fair share".into(),
        Gate::NoVictims { .. } | Gate::NoNode { .. } | Gate::LikeFailed { .. } => "no room".into(),
        Gate::VictimsProtected { until } => {
            format!("others protected until {}", number::time(until.as_millis()))
        }
        Gate::Behind { job } => format!("behind {}", frame.job(*job)),
        Gate::WaitingForVictims { .. } => "starts soon".into(),
        Gate::GangIncomplete { held, of, .. } => format!("gang {held} of {of}"),
        Gate::GangFailed => "failed".into(),
        Gate::GangRefused => "refused".into(),
        Gate::NoDevice { .. } => "no free device".into(),
        Gate::TriedOnce => "not tried again".into(),
    }
}
