//! Derivations of fair shares as text: capacity, granted quotas, rest, rounds, remainders, result.

use super::number::{amount, number, percent, with_unit};
use super::text::{self, Text, queue, text};
use crate::moment::{LadderLevel, LadderLine};
use crate::trace::{DivisionRound, DivisionStep, Quantity, RiseEnd};
use crate::units::{Resource, ShownResource};
use serde::{Deserialize, Serialize};

/// The derivation of a fair share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    pub cycle: u32,
    /// The queue whose fair share is derived.
    pub queue: String,
    pub resource: Resource,
    /// Its levels, from the root down.
    pub levels: Vec<LadderLevel>,
}

/// One line of a derivation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LadderStep {
    /// The operation.
    pub text: Text,
    /// The calculation; may be empty.
    pub sum: String,
    /// The result.
    pub value: String,
    /// The queue whose quantity the result is; `None` for a part of one.
    pub number: Option<(String, Quantity)>,
    /// Whether it concerns the explained queue.
    pub own: bool,
    /// Whether it begins a level.
    pub starts: bool,
    /// Whether it ends a level.
    pub result: bool,
}

/// Largest number of siblings shown in lines of their own.
const SIBLINGS: usize = 5;

/// The lines of all levels, from the root down.
pub fn ladder(levels: &[LadderLevel], resource: Resource) -> Vec<LadderStep> {
    levels.iter().flat_map(|level| one_level(level, resource)).collect()
}

fn one_level(level: &LadderLevel, resource: Resource) -> Vec<LadderStep> {
    let heading = if level.of.is_empty() {
        match level.pool.as_str() {
            "" => Text::of("The cluster has"),
            pool => text!("[Node] pool {pool} has", [pool = text::name(pool)]),
        }
    } else {
        text!("{queue} divides its [fair share]", [queue = queue(&level.of)])
    };
    let mut steps = vec![LadderStep {
        text: heading,
        value: with_unit(resource, level.capacity),
        starts: true,
        ..LadderStep::default()
    }];
    let lines = |is_meant: fn(&DivisionStep) -> bool| -> Vec<&LadderLine> {
        level.lines.iter().filter(|line| is_meant(&line.step)).collect()
    };
    let quotas = lines(|step| matches!(step, DivisionStep::Quota { .. }));
    let rounds = lines(|step| step.round().is_some());
    let remainders = lines(|step| matches!(step, DivisionStep::Remainder { .. }));
    let name = level.queue.as_str();
    steps.extend(folded(level, &quotas, "[quotas] of", resource));
    if let Some(DivisionStep::Quota { remaining, .. }) = quotas.last().map(|line| line.step) {
        let granted: f64 = quotas.iter().map(|line| line.step.given()).sum();
        steps.push(LadderStep {
            text: Text::of("remains after [quotas]"),
            sum: format!("{} − {}", amount(resource, level.capacity), amount(resource, granted)),
            value: amount(resource, remaining),
            ..LadderStep::default()
        });
    }
    for round in rounds.chunk_by(|one, next| one.step.round() == next.step.round()) {
        steps.extend(folded(level, round, "others in round", resource));
    }
    steps.extend(folded(level, &remainders, "remaining units to", resource));
    let amounts = level.lines.iter().filter(|line| line.queue == name).map(|line| line.step.given());
    let amounts: Vec<f64> = amounts.filter(|amount| *amount != 0.0).collect();
    let sum = match amounts.len() {
        0 | 1 => String::new(),
        _ => amounts.iter().map(|n| amount(resource, *n)).collect::<Vec<_>>().join(" + "),
    };
    steps.push(LadderStep {
        text: text!("[fair share] of {queue}", [queue = queue(name)]),
        sum,
        value: with_unit(resource, level.fair_share),
        number: Some((name.to_owned(), Quantity::FairShare)),
        own: true,
        result: true,
        ..LadderStep::default()
    });
    steps.extend(level.alternatives.iter().map(|share| LadderStep {
        text: Text::of(format!("{}; shown for orientation only", share.rule.0.says)),
        sum: share.rule.0.formula.to_string(),
        value: with_unit(resource, share.fair_share),
        ..LadderStep::default()
    }));
    steps
}

/// The lines of siblings; if there are many, all but the explained queue share one line.
fn folded(level: &LadderLevel, lines: &[&LadderLine], others: &str, resource: Resource) -> Vec<LadderStep> {
    let (explained, rest): (Vec<&LadderLine>, Vec<_>) = lines.iter().partition(|line| line.queue == level.queue);
    if lines.len() <= SIBLINGS {
        return lines.iter().map(|line| one_line(level, line, resource)).collect();
    }
    let mut steps: Vec<LadderStep> = explained.iter().map(|line| one_line(level, line, resource)).collect();
    let sum: f64 = rest.iter().map(|line| line.step.given()).sum();
    steps.push(LadderStep {
        text: Text::of(format!("{others} {} other [queues]", rest.len())),
        value: amount(resource, sum),
        ..LadderStep::default()
    });
    steps
}

fn one_line(level: &LadderLevel, line: &LadderLine, resource: Resource) -> LadderStep {
    let name = || queue(&line.queue);
    let received = amount(resource, line.step.given());
    let (text, sum, value) = match &line.step {
        DivisionStep::Quota { quota, requestable, .. } => {
            let [quota, requested] = [quota, requestable].map(|n| amount(resource, *n));
            let sum = format!("smaller of [quota] {quota} and requested {requested}");
            (text!("{queue}: [quota] actually requested", [queue = name()]), sum, received)
        }
        DivisionStep::Round(round) => {
            let (share, sum) = one_round(level, round, resource);
            let text = text!("{queue}: round {n}, {share}", [queue = name(), n = round.round, share]);
            (text, sum, format!("+ {received}"))
        }
        DivisionStep::Rise { round, shares, dominant, weight, end, .. } => {
            (name().say(rises(*round, *shares, *dominant, *weight)), rise_end(*end), format!("+ {received}"))
        }
        DivisionStep::Remainder { fraction, .. } => {
            let lost = number(*fraction);
            let sum = format!("lost {lost} to rounding; the largest fraction wins, then the oldest [queue]");
            (text!("{queue}: remaining unit", [queue = name()]), sum, format!("+ {received}"))
        }
        DivisionStep::Capacity { .. } | DivisionStep::Result { .. } | DivisionStep::AlternativeShare { .. } => {
            (name(), String::new(), String::new())
        }
    };
    LadderStep { text, sum, value, own: line.queue == level.queue, ..LadderStep::default() }
}

/// The effect of past usage on a weight: *weight 1 → 0.62 (of 2): past usage 60 %, k 1, share 0.5 + 1 × (0.5 − 0.6) =
/// 0.4 of 1.3*.
fn after_use(round: &DivisionRound, counted: f64, weights: f64) -> String {
    let [weight, counted] = [round.weight, counted].map(number);
    let (usage, k) = round.past.unwrap_or_default();
    let part = number(round.weight / weights);
    let [usage_part, k] = [usage, k].map(number);
    format!(
        "[weight] {weight} → {counted} of {} (past usage {}, k {k}: share {part} + {k} × ({part} − {usage_part}) = {} of {})",
        number(weights),
        with_unit(ShownResource::Dominant, usage * 100.0),
        number(round.part.0),
        number(round.part.1)
    )
}

/// A queue's part of a round, and the calculation of what it receives.
fn one_round(level: &LadderLevel, round: &DivisionRound, resource: Resource) -> (String, String) {
    let weights = level.weights(round);
    let (share, part, whole) = match level.weight_after_use(round) {
        None => (format!("[weight] {} of {}", number(round.weight), number(weights)), round.weight, weights),
        Some(counted) => (after_use(round, counted, weights), round.part.0, round.part.1),
    };
    let [pot, offer, requested] = [round.pot, round.offer, round.wanted].map(|n| amount(resource, n));
    let end = if round.given < round.offer && round.given >= round.wanted {
        format!("; requests only {requested}")
    } else if round.given < round.offer {
        ", rounded down".into()
    } else {
        String::new()
    };
    (share, format!("{pot} × {} / {} = {offer}{end}", number(part), number(whole)))
}

/// A round in which dominant shares rise together, from one share to another; without shares a queue gets the rest.
fn rises(round: u32, shares: Option<(f64, f64)>, dominant: Resource, weight: f64) -> String {
    let Some((before, after)) = shares else { return ": [weight] 0, gets what the others left".into() };
    let per = if weight == 1.0 { "" } else { " per [weight]" };
    let dominant = if dominant == Resource::GPU { "GPUs" } else { in_words(dominant) };
    let [before, after] = [before, after].map(percent);
    format!(": round {round}, its dominant share{per}, of {dominant}, rises from {before} to {after}")
}

fn rise_end(end: RiseEnd) -> String {
    match end {
        RiseEnd::GoesOn => "all shares rise equally, next round".into(),
        RiseEnd::HasAll => "then its whole request is met".into(),
        RiseEnd::UsedUp(used_up) => format!("then no {} is left, which it needs too", in_words(used_up)),
    }
}

/// The name of a resource in a sentence.
fn in_words(resource: Resource) -> &'static str {
    match resource {
        Resource::GPU => "GPU",
        Resource::CPU => "CPU",
        other => other.name(),
    }
}
