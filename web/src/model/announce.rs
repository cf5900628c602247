//! One sentence per step for people who listen to the page.

use crate::engine::protocol::{EventRow, Frame};

/// At most this many events are told one by one.
const EVENTS_TOLD: usize = 4;

/// What a frame says: *Cycle 7: a2 reclaimed, its GPU claimed for b2. team-a 2, team-b 1.*
pub fn sentence(frame: &Frame, resource: u8) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut others = 0;
    for event in &frame.events {
        let Some(part) = told(event) else { continue };
        if parts.len() >= EVENTS_TOLD {
            others += 1;
        } else if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if others > 0 {
        parts.push(format!("{others} more"));
    }
    let events = if parts.is_empty() { "nothing happened".to_string() } else { parts.join(", ") };
    let r = usize::from(resource.min(2));
    let tops: Vec<String> = frame
        .queues
        .iter()
        .filter(|q| q.parent.is_none())
        .take(8)
        .map(|q| format!("{} {}", q.name, amount(q.allocated[r], resource)))
        .collect();
    let told = format!("Cycle {}: {events}.", frame.cycle);
    if tops.is_empty() { told } else { format!("{told} {}.", tops.join(", ")) }
}

fn told(event: &EventRow) -> Option<String> {
    let job = &event.job;
    match event.kind.as_str() {
        "claimed" => Some(format!("room claimed for {job}")),
        "reclaimed" | "preempted" if !event.by.is_empty() => {
            Some(format!("{job} {} for {}", event.kind, event.by))
        }
        "gone" | "changed" => None,
        "requeued" => Some(format!("{job} waits again")),
        "done" => None,
        kind => Some(format!("{job} {kind}")),
    }
}

/// An amount with at most two decimals; memory in GB, CPU in cores.
pub fn amount(value: f64, resource: u8) -> String {
    let value = match resource {
        0 => value / 1000.0,
        1 => value / 1e9,
        _ => value,
    };
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A time as `0:07` or `1:02:03`.
pub fn clock(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    let (sign, seconds) = if seconds < 0 { ("−", -seconds) } else { ("", seconds) };
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 { format!("{sign}{h}:{m:02}:{s:02}") } else { format!("{sign}{m}:{s:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_amounts_are_short() {
        assert_eq!(clock(7_000), "0:07");
        assert_eq!(clock(3_723_000), "1:02:03");
        assert_eq!(amount(2.0, 2), "2");
        assert_eq!(amount(0.5, 2), "0.5");
        assert_eq!(amount(1500.0, 0), "1.5");
    }

    #[test]
    fn a_step_is_one_sentence() {
        let event = |kind: &str, job: &str, by: &str| EventRow {
            kind: kind.into(),
            job: job.into(),
            by: by.into(),
            ..EventRow::default()
        };
        let frame = Frame {
            cycle: 7,
            events: vec![event("reclaimed", "a2", "b2"), event("claimed", "b2", "")],
            ..Frame::default()
        };
        assert_eq!(sentence(&frame, 2), "Cycle 7: a2 reclaimed for b2, room claimed for b2.");
    }
}
