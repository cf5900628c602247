//! Derivations of fair shares as text: capacity, granted quotas, rest, rounds, remainders, result.

use super::number::{amount, number, percent, with_unit};
use super::text::{self, Text, queue, text};
use crate::moment::{LadderLevel, LadderLine, LineKind};
use crate::trace::{Quantity, RiseEnd};
use crate::units::Resource;
use crate::units::ShownResource;
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
pub struct Step {
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
pub fn ladder(levels: &[LadderLevel], resource: Resource) -> Vec<Step> {
    levels.iter().flat_map(|level| one_level(level, resource)).collect()
}

fn one_level(level: &LadderLevel, resource: Resource) -> Vec<Step> {
    let of = if level.of.is_empty() {
        match level.pool.as_str() {
            "" => Text::of("The cluster has"),
            pool => text!("[Node] pool {pool} has", [pool = text::name(pool)]),
        }
    } else {
        text!("{queue} divides its [fair share]", [queue = queue(&level.of)])
    };
    let mut steps =
        vec![Step { text: of, value: with_unit(resource, level.capacity), starts: true, ..Step::default() }];
    let lines = |kind: LineKind| level.lines.iter().filter(|line| line.kind == kind).collect::<Vec<_>>();
    let (quotas, remainders) = (lines(LineKind::Quota), lines(LineKind::Remainder));
    let is_round = |line: &&LadderLine| matches!(line.kind, LineKind::Round | LineKind::Rise | LineKind::Rest);
    let rounds: Vec<&LadderLine> = level.lines.iter().filter(is_round).collect();
    let name = level.queue.as_str();
    steps.extend(folded(&quotas, name, |line| quota(line, resource), "[quotas] of", resource));
    if let Some(last) = quotas.last() {
        let granted: f64 = quotas.iter().map(|line| line.given).sum();
        steps.push(Step {
            text: Text::of("remains after [quotas]"),
            sum: format!("{} − {}", amount(resource, level.capacity), amount(resource, granted)),
            value: amount(resource, last.remaining),
            ..Step::default()
        });
    }
    let mut at = 0;
    while let Some(first) = rounds.get(at) {
        let same = |line: &&&LadderLine| line.round == first.round && line.priority == first.priority;
        let n = rounds[at..].iter().take_while(same).count();
        steps.extend(folded(
            &rounds[at..at + n],
            name,
            |line| match line.kind {
                LineKind::Rise | LineKind::Rest => rise(line, resource),
                LineKind::Round | LineKind::Quota | LineKind::Remainder => round(level, line, resource),
            },
            "others in round",
            resource,
        ));
        at += n;
    }
    steps.extend(folded(&remainders, name, |line| remainder(line, resource), "remaining units to", resource));
    let own: Vec<f64> =
        level.lines.iter().filter(|line| line.queue == name && line.given != 0.0).map(|line| line.given).collect();
    let sum = match own.len() {
        0 | 1 => String::new(),
        _ => own.iter().map(|given| amount(resource, *given)).collect::<Vec<_>>().join(" + "),
    };
    steps.push(Step {
        text: text!("[fair share] of {queue}", [queue = queue(name)]),
        sum,
        value: with_unit(resource, level.fair_share),
        number: Some((name.to_owned(), Quantity::FairShare)),
        own: true,
        result: true,
        ..Step::default()
    });
    steps.extend(level.alternatives.iter().map(|share| Step {
        text: Text::of(format!("{}; shown for orientation only", share.rule.0.says)),
        sum: share.rule.0.formula.to_string(),
        value: with_unit(resource, share.fair_share),
        ..Step::default()
    }));
    steps
}

/// The lines of siblings; if there are many, all but the explained queue share one line.
fn folded(
    lines: &[&LadderLine],
    own: &str,
    step: impl Fn(&LadderLine) -> Step,
    others: &str,
    resource: Resource,
) -> Vec<Step> {
    let show = |line: &LadderLine| Step { own: line.queue == own, ..step(line) };
    if lines.len() <= SIBLINGS {
        return lines.iter().map(|line| show(line)).collect();
    }
    let mut steps: Vec<Step> = lines.iter().filter(|line| line.queue == own).map(|line| show(line)).collect();
    let rest: Vec<_> = lines.iter().filter(|line| line.queue != own).collect();
    let given: f64 = rest.iter().map(|line| line.given).sum();
    steps.push(Step {
        text: Text::of(format!("{others} {} other [queues]", rest.len())),
        value: amount(resource, given),
        ..Step::default()
    });
    steps
}

fn quota(line: &LadderLine, resource: Resource) -> Step {
    let (quota, asked) = (amount(resource, line.pot), amount(resource, line.weight));
    Step {
        text: text!("{queue}: [quota] actually requested", [queue = queue(&line.queue)]),
        sum: format!("smaller of [quota] {quota} and requested {asked}"),
        value: amount(resource, line.given),
        ..Step::default()
    }
}

/// The effect of past usage on a weight: *weight 1 → 0.62 (of 2): past usage 60 %, k 1, share 0.5 + 1 × (0.5 − 0.6) =
/// 0.4 of 1.3*.
fn after_use(line: &LadderLine, counted: f64, weights: f64) -> String {
    let [weight, counted] = [line.weight, counted].map(number);
    let (usage, k) = line.past.unwrap_or_default();
    let part = number(line.weight / weights);
    let [usage_part, k] = [usage, k].map(number);
    format!(
        "[weight] {weight} → {counted} of {} (past usage {}, k {k}: share {part} + {k} × ({part} − {usage_part}) = {} of {})",
        number(weights),
        with_unit(ShownResource::Dominant, usage * 100.0),
        number(line.part.0),
        number(line.part.1)
    )
}

fn round(level: &LadderLevel, line: &LadderLine, resource: Resource) -> Step {
    let weights = level.weights(line);
    let (share, part, of) = match level.weight_after_use(line) {
        None => (format!("[weight] {} of {}", number(line.weight), number(weights)), line.weight, weights),
        Some(counted) => (after_use(line, counted, weights), line.part.0, line.part.1),
    };
    let offered = format!(
        "{} × {} / {} = {}",
        amount(resource, line.pot),
        number(part),
        number(of),
        amount(resource, line.offer)
    );
    let end = if line.given < line.offer && line.given >= line.wanted {
        format!("; requests only {}", amount(resource, line.wanted))
    } else if line.given < line.offer {
        ", rounded down".into()
    } else {
        String::new()
    };
    Step {
        text: text!("{queue}: round {n}, {share}", [queue = queue(&line.queue), n = line.round, share]),
        sum: offered + &end,
        value: format!("+ {}", amount(resource, line.given)),
        ..Step::default()
    }
}

/// A round in which dominant shares rise together.
fn rise(line: &LadderLine, resource: Resource) -> Step {
    let said = if line.kind == LineKind::Rest {
        ": [weight] 0, gets what the others left".to_string()
    } else {
        let per = if line.weight == 1.0 { "" } else { " per [weight]" };
        let dominant = match line.dominant {
            Some(Resource::GPU) => "GPUs",
            Some(resource) => in_words(resource),
            None => "",
        };
        let (before, after) = (percent(line.part.0), percent(line.part.1));
        format!(": round {}, its dominant share{per}, of {dominant}, rises from {before} to {after}", line.round)
    };
    Step {
        text: queue(&line.queue).say(said),
        sum: match line.end {
            None | Some(RiseEnd::GoesOn) => "all shares rise equally, next round".into(),
            Some(RiseEnd::HasAll) => "then its whole request is met".into(),
            Some(RiseEnd::UsedUp(used_up)) => {
                format!("then no {} is left, which it needs too", in_words(used_up))
            }
        },
        value: format!("+ {}", amount(resource, line.given)),
        ..Step::default()
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

fn remainder(line: &LadderLine, resource: Resource) -> Step {
    Step {
        text: text!("{queue}: remaining unit", [queue = queue(&line.queue)]),
        sum: format!("lost {} to rounding; the largest fraction wins, then the oldest [queue]", number(line.offer)),
        value: format!("+ {}", amount(resource, line.given)),
        ..Step::default()
    }
}
