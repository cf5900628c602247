//! The events that let a pending job start, where no time and no single job can be named.

use super::number::{GPU, number, with_unit};
use super::phrases::is_of_room;
use super::text::Text;
use crate::id::JobId;
use crate::moment::{EventWord, Frame, JobRow};
use crate::trace::{Gate, NodeReason, Refusal};

/// The event that ends a wait, derived from the reason; `None` if the reason does not determine it.
pub fn next(frame: &Frame, refusal: &Refusal, row: Option<&JobRow>) -> Option<Text> {
    if frame.quiet {
        return Some(Text::of("Nothing further will happen in this scenario: only an edit changes this."));
    }
    let queue = |queue| Text::default().queue(frame.queue(queue));
    let can_start = |when: Text| Text::of("It can start when ").then(when);
    let room = || room(refusal, row);
    Some(match &refusal.gate {
        Gate::NotReady => match row.and_then(|row| row.joins_ms) {
            Some(joins) => Text::of(format!("The next [pods] join at {}.", super::number::time(joins))),
            None => Text::of("It is considered once all of its [pods] exist."),
        },
        Gate::OverLimit { queue: of, .. } => {
            can_start(Text::of("other [jobs] of ").then(queue(*of)).say(" end."))
        }
        Gate::UserLimit { .. } => can_start(Text::of("other [jobs] of its user end.")),
        Gate::TooManyJobs { queue: of } => {
            can_start(Text::of("another [job] of ").then(queue(*of)).say(" ends."))
        }
        Gate::NonPreemptibleOverQuota { queue: of, .. } => {
            can_start(Text::of("a non-preemptible [job] of ").then(queue(*of)).say(" ends."))
        }
        Gate::NotEntitled { queue: of } => {
            can_start(Text::of(room()).say(", or when ").then(queue(*of)).say(" is entitled to more."))
        }
        Gate::NoNode { reasons, .. } if super::yunikorn::is_reserved(reasons) => {
            super::yunikorn::after_reservation(frame, reasons)
        }
        Gate::NoNode { reasons, .. } if !reasons.is_empty() && !is_of_room(reasons) => {
            can_start(Text::of(opens(reasons)))
        }
        Gate::NoVictims { .. } | Gate::NoNode { .. } | Gate::LikeFailed { .. } | Gate::PreemptedTooLittle => {
            can_start(Text::of(room()).say(", unless another [job] comes first."))
        }
        Gate::Behind { job } if is_served(frame, *job) => {
            Text::of("It is considered again in the next cycle.")
        }
        Gate::Behind { job } => Text::of("It is considered once ").job(frame.job(*job)).say(" has started."),
        Gate::WaitingForVictims { .. } => can_start(Text::of("the [evicted] [pods] have shut down.")),
        Gate::GangIncomplete { .. } => can_start(Text::of("there is room for its whole gang.")),
        Gate::NoDevice { node } => {
            Text::of("It can run when a GPU of ").node(frame.node(*node)).say(" is free.")
        }
        Gate::NotALeaf
        | Gate::NotAccepted { .. }
        | Gate::TooLarge { .. }
        | Gate::VictimsProtected { .. }
        | Gate::Delayed { .. }
        | Gate::GangFailed
        | Gate::GangRefused
        | Gate::TriedOnce => return None,
    })
}

/// What lets a pod use a node, by the reasons that exclude it; free room does not.
fn opens(reasons: &[(NodeReason, u32)]) -> &'static str {
    let is = |wanted: NodeReason| reasons.iter().any(|(reason, _)| *reason == wanted);
    if is(NodeReason::Gate) {
        "its [queue] may use more of a [node]."
    } else if is(NodeReason::NotReady) {
        "a [node] that is down or draining is ready again, or another [node] is added."
    } else if is(NodeReason::Taint) {
        "it tolerates the taint, or a [node] without it is added. Free room does not change this."
    } else {
        "its node selector is changed, or a [node] with the label is added. Free room does not change this."
    }
}

/// Whether a job was served in this cycle or is already running.
fn is_served(frame: &Frame, job: JobId) -> bool {
    let name = frame.job(job);
    let is_started = frame.jobs.iter().any(|row| row.name == name && row.running > 0);
    let is_served = |word: EventWord| matches!(word, EventWord::Started | EventWord::Claimed);
    is_started || frame.events.iter().any(|event| frame.job_of(event) == Some(job) && is_served(event.word()))
}

/// The room a job needs, as a clause: *2 GPUs are free on one node*.
fn room(refusal: &Refusal, row: Option<&JobRow>) -> String {
    let Some(row) = row.filter(|row| row.gpus > 0.0) else {
        return "a [node] has room for it".into();
    };
    let each = row.gpus / f64::from((row.running + row.pending + row.leaving).max(1));
    let tried = std::iter::once(&refusal.gate).chain(&refusal.also).find_map(|gate| match gate {
        Gate::NoNode { of, .. } => Some(*of),
        _ => None,
    });
    let are = |gpus: f64| if gpus == 1.0 { "is" } else { "are" };
    match tried.unwrap_or(row.pending) {
        // Pods of an elastic job may start separately.
        _ if row.running > 0 || tried.is_none() && row.pending > 1 => {
            "there is room for its next [pods]".into()
        }
        0 | 1 if each < 1.0 => format!("{} of a GPU is free", number(each)),
        0 | 1 if each == 1.0 => "1 GPU is free".into(),
        0 | 1 => format!("{} are free on one [node]", with_unit(GPU, each)),
        n if each <= 1.0 => {
            let all = each * f64::from(n);
            format!("{} {} free for its {n} [pods]", with_unit(GPU, all), are(all))
        }
        n => format!("{} are free for each of its {n} [pods]", with_unit(GPU, each)),
    }
}
