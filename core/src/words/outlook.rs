//! The outlook of a refusal as a sentence.

use super::number;
use super::text::{self, Text, text};
use crate::moment::Frame;
use crate::time::Time;
use crate::trace::{Ending, Outlook};

/// The outlook of a refusal as a sentence.
pub fn outlook(frame: &Frame, outlook: Outlook) -> Text {
    match outlook {
        Outlook::NextCycle => text!("The scheduler tries it again in the next cycle."),
        Outlook::At { time, what } => {
            let what = match what {
                Ending::Termination => "the [evicted] [pods] are gone and the scheduler tries the [job] again.",
                Ending::Protection => {
                    "the protection ends. From the next cycle on, the protected [jobs] can be [evicted]."
                }
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
            "It can start when {job} ends. That [job] has no end time, so this needs a change.",
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
