//! What a change that helps a job comes to.

use super::text::Text;
use crate::engine::protocol::Outcome;
use crate::view_model::number::count;

/// *It runs in cycle 3; then `a2` waits; 1 eviction more.*
pub fn outcome(outcome: &Outcome, now: u32) -> Text {
    let mut text = match outcome.starts {
        Some(cycle) if cycle <= now => Text::of("It runs at this moment"),
        Some(cycle) => Text::of(format!("It runs in cycle {cycle}")),
        None => return Text::of("It still waits."),
    };
    for (i, loser) in outcome.losers.iter().enumerate() {
        text = text.say(if i == 0 { "; then " } else { ", " }).job(loser);
    }
    let more = u64::from(outcome.n_losers).saturating_sub(outcome.losers.len() as u64);
    if more > 0 {
        text = text.say(format!(" and {}", count(more, "other")));
    }
    if outcome.n_losers > 0 {
        text = text.say(if outcome.n_losers == 1 { " does not" } else { " do not" });
    } else {
        text = text.say("; nobody else stops");
    }
    let n = outcome.evictions.unsigned_abs();
    match outcome.evictions {
        0 => text.say("."),
        1.. => text.say(format!("; {} more.", count(n, "eviction"))),
        _ => text.say(format!("; {} fewer.", count(n, "eviction"))),
    }
}
