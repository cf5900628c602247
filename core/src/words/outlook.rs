//! The outlook of a refusal as a sentence.

use super::number;
use super::text::{self, Text, text};
use crate::moment::Frame;
use crate::time::Time;
use crate::trace::{Ending, Outlook};

/// The outlook of a refusal as a sentence.
pub fn outlook(frame: &Frame, outlook: Outlook) -> Text {
    match outlook {
        Outlook::NextCycle => text!("It is considered again in the next cycle."),
        Outlook::At { time, what } => {
            let what = match what {
                Ending::Termination => "the [evicted] [pods] are gone and the [job] is considered again.",
                Ending::Protection => "the protection ends; the next cycle can evict for it.",
                Ending::Reservation => "the reservation expires.",
                Ending::Backoff => "it is tried again.",
                Ending::PreemptionDelay => "it may preempt.",
                Ending::NoEvictions => "its preemption delay ends; from then on [evictions] are tried for it.",
            };
            text!("At {time} {what}", [time = clock(time), what])
        }
        Outlook::WhenEnds { job, at: Some(end) } => text!(
            "It can start when {job} ends at {end}, unless another [job] comes first.",
            [job = text::job(frame.job(job)), end = clock(end)]
        ),
        Outlook::WhenEnds { job, at: None } => text!(
            "It can start when {job} ends, which has no planned end: only an edit changes this.",
            [job = text::job(frame.job(job))]
        ),
        Outlook::OnlyByEdit => text!("Only an edit changes this."),
        Outlook::NotForeseeable => {
            text!("Not foreseeable: it depends on which [jobs] end, start or are submitted.")
        }
    }
}

/// Formats a time.
pub fn clock(time: Time) -> String {
    number::time(time.as_millis())
}
