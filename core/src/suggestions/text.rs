//! Changes that would help a job, and their outcomes.

use super::{Harm, Idea, Loser, Outcome, Start, Tried};
use crate::words::number::{amount, count, number, time, unit};
use crate::words::{Terms, Text};

/// Names the change: *Make build-2 preemptible*.
pub fn label(idea: &Idea, policy: &str) -> String {
    let terms = Terms::of(policy);
    let raised =
        |what: &str, name: &str, was: String, to: String| format!("Raise the {what} of {name} from {was} to {to}");
    match idea {
        Idea::Preemptible { of } => format!("Make {of} preemptible"),
        Idea::MinAvailable { of: (job, set), n, was } => {
            let whose = if set.is_empty() { job.clone() } else { format!("{set} of {job}") };
            format!("Let {whose} start with {n} of {}", terms.fill(&count(u64::from(*was), "[pod]")))
        }
        Idea::JobPriority { of, was, to } => raised("priority", of, was.to_string(), to.to_string()),
        Idea::QueuePriority { of, was, to } => {
            let word = terms.columns[4].0;
            let word = if word == "prio" { "priority" } else { word };
            raised(word, of, was.to_string(), to.to_string())
        }
        Idea::Raise { field: "weight", of, was, to, .. } => raised(terms.word("weight"), of, number(*was), number(*to)),
        Idea::Raise { field, of, resource, was, to } => {
            let to = format!("{} {}", amount(*resource, *to), unit(*resource, *to));
            raised(terms.word(field), of, amount(*resource, *was), to)
        }
        Idea::NoMinRuntime { of, against_reclaim: true } => {
            format!("Remove the minimum runtime before reclaim of {of}")
        }
        Idea::NoMinRuntime { of, .. } => format!("Remove the minimum runtime before preemption of {of}"),
        Idea::NoUserLimits { of } => format!("Remove the user limits of {of}"),
        Idea::MoreJobs { of, to } => {
            format!("Let {} run in {of}", terms.fill(&count(*to, "[job]")))
        }
        Idea::Node { of, n } if of.is_empty() => {
            format!("Add {} {}", ordinal(*n), terms.word("node"))
        }
        Idea::Node { of, n } => format!("Add {} {} to {of}", ordinal(*n), terms.word("node")),
        Idea::LargerNodes { of, gpus } => format!("Give each {} of {of} {} GPUs", terms.word("node"), gpus),
    }
}

/// *a third*, *an 11th*.
fn ordinal(n: u64) -> String {
    const WORDS: [&str; 11] = [
        "a",
        "a first",
        "a second",
        "a third",
        "a fourth",
        "a fifth",
        "a sixth",
        "a seventh",
        "an eighth",
        "a ninth",
        "a tenth",
    ];
    if let Some(word) = usize::try_from(n).ok().and_then(|n| WORDS.get(n)) {
        return (*word).to_string();
    }
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    let article = if n == 11 || n == 18 || n / 10 == 8 { "an" } else { "a" };
    format!("{article} {n}{ending}")
}

/// *It would start in cycle 3 (0:03) instead of cycle 5 (0:05); `a2` would be evicted.* Of a job that
/// runs in part, another pod starts.
pub fn outcome(tried: &Tried, outcome: &Outcome, has_part: bool, policy: &str) -> Text {
    let terms = Terms::of(policy);
    let moment = |cycle: u32, ms: i64| format!("cycle {cycle} ({})", time(ms));
    let mut text = match outcome.starts {
        Some(Start::Over) => Text::of("It would already be finished"),
        Some(Start::Already) if has_part => Text::of(terms.fill("More of its [pods] would already be running")),
        Some(Start::Already) => Text::of("It would already be running"),
        Some(Start::At { cycle, time_ms }) => {
            let who = if has_part { terms.fill("Another of its [pods]") } else { "It".to_string() };
            let instead = match tried.unchanged {
                Some(Start::At { cycle, time_ms }) => format!(" instead of {}", moment(cycle, time_ms)),
                _ => String::new(),
            };
            Text::of(format!("{who} would start in {}{instead}", moment(cycle, time_ms)))
        }
        None => return Text::of("It would still wait."),
    };
    if outcome.n_losers == 0 {
        text = text.say(terms.fill("; no other [job] is affected"));
    }
    for harm in [Harm::Evicted, Harm::StartsLater, Harm::WaitsLonger, Harm::EndsLater] {
        let those: Vec<&Loser> = outcome.losers.iter().filter(|loser| loser.harm == harm).collect();
        for (i, loser) in those.iter().enumerate() {
            let joint = match i {
                0 => "; ",
                i if i + 1 == those.len() => " and ",
                _ => ", ",
            };
            text = text.say(joint).job(&loser.job);
        }
        if !those.is_empty() {
            text = text.say(terms.fill(harmed(harm)));
        }
    }
    let more = u64::from(outcome.n_losers).saturating_sub(outcome.losers.len() as u64);
    if more > 0 {
        text = text.say(format!("; {} would be worse off", terms.fill(&count(more, "other [job]"))));
    }
    let n = |noun| terms.fill(&count(outcome.evictions.unsigned_abs(), noun));
    match outcome.evictions {
        0 => text.say("."),
        1.. => text.say(format!("; {} in all.", n("more [eviction]"))),
        _ => text.say(format!("; {}.", n("fewer [eviction]"))),
    }
}

/// Effect on a job that is worse off.
fn harmed(harm: Harm) -> &'static str {
    match harm {
        Harm::Evicted => " would be [evicted]",
        Harm::StartsLater => " would start later",
        Harm::WaitsLonger => " would wait longer",
        Harm::EndsLater => " would finish later",
    }
}

/// When the job starts without a change, or that none of the changes helps.
pub fn compared(tried: Option<&Tried>, has_part: bool, n_offers: usize, policy: &str) -> String {
    let terms = Terms::of(policy);
    let Some(tried) = tried else {
        return "Not tried: this scenario is too large to run again for each change.".to_string();
    };
    let unchanged = match tried.unchanged {
        Some(Start::At { cycle, time_ms }) if has_part => {
            format!("Without a change another of its [pods] starts in cycle {cycle} ({})", time(time_ms))
        }
        Some(Start::At { cycle, time_ms }) => {
            format!("Without a change it starts in cycle {cycle} ({})", time(time_ms))
        }
        _ => match (has_part, tried.until_ms.map(time)) {
            (true, Some(until)) => format!("Without a change none of its other [pods] starts until {until}"),
            (true, None) => "Without a change none of its other [pods] ever starts".to_string(),
            (false, Some(until)) => format!("Without a change it does not start until {until}"),
            (false, None) => "Without a change it never starts".to_string(),
        },
    };
    let n = tried.outcomes.iter().flatten().count();
    let unchanged = terms.fill(&unchanged);
    match n_offers {
        0 if n == 0 => format!("{unchanged}. No small change could be tried."),
        0 => format!("{unchanged}. None of {} tried starts it earlier.", count(n as u64, "small change")),
        _ => format!("{unchanged}."),
    }
}
