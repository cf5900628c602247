//! The outlook of a refusal as a sentence.

use super::number;
use super::text::Text;
use crate::moment::Frame;
use crate::time::Time;
use crate::trace::{Ending, Outlook};

/// The outlook of a refusal as a sentence.
pub fn outlook(frame: &Frame, outlook: Outlook) -> Text {
    match outlook {
        Outlook::NextCycle => Text::of("It is considered again in the next cycle."),
        Outlook::At { time, what } => {
            let what = match what {
                Ending::Termination => "the [evicted] [pods] are gone and the [job] is considered again.",
                Ending::Protection => "the protection ends; the next cycle can evict for it.",
                Ending::Reservation => "the reservation expires.",
                Ending::Backoff => "it is tried again.",
                Ending::PreemptionDelay => "it may preempt.",
                Ending::NoEvictions => "its preemption delay ends; from then on [evictions] are tried for it.",
            };
            Text::of(format!("At {} {what}", clock(time)))
        }
        Outlook::WhenEnds { job, at: Some(at) } => {
            let ends = format!(" ends at {}, unless another [job] comes first.", clock(at));
            Text::of("It can start when ").job(frame.job(job)).say(ends)
        }
        Outlook::WhenEnds { job, at: None } => {
            let which = " ends, which has no planned end: only an edit changes this.";
            Text::of("It can start when ").job(frame.job(job)).say(which)
        }
        Outlook::OnlyByEdit => Text::of("Only an edit changes this."),
        Outlook::NotForeseeable => Text::of("Not foreseeable: it depends on which [jobs] end, start or are submitted."),
    }
}

/// Formats a time.
pub fn clock(time: Time) -> String {
    number::time(time.as_millis())
}
