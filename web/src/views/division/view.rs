//! Division: the resources of a parent, divided among its children round by round, shown as water in tanks.
//!
//! Each child is a tank as wide as its weight, so equal height is an equal share per weight. The ground is the granted
//! quota, the lid is the request or limit, and the water between them is the result of the rounds.

use fairground::units::{Resource, ShownResource};
use std::collections::BTreeMap;

use fairground::policy::Policy;
use fairground::scenario::{Path, Scenario};
use fairground::trace::{DivisionRound, DivisionStep, RiseEnd};
use fairground::words::Terms;
use fairground::words::number::{amount, in_unit, number, resource_key, resource_name, unit, with_unit};

use crate::chart::queue_tree::{Tone, Tree};
use crate::chart::table::Table;
use crate::engine::protocol::{Frame, LadderLevel, LadderLine};
use crate::state::document;

/// View model of Division.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DivisionView {
    /// The divided queue and its children.
    pub title: String,
    pub lead: String,
    /// Description of the current step.
    pub caption: String,
    /// Number of the last step; in step 0 nothing has been assigned.
    pub last: usize,
    /// The current step.
    pub at: usize,
    /// The tanks from left to right, higher priorities first.
    pub tanks: Vec<Tank>,
    /// Remaining amount after the step.
    pub left: f64,
    /// Per step: description, assignments and remaining amount; then the result, and the effect of past usage on
    /// weights.
    pub table: Table,
    /// Policy whose terms are used.
    pub policy: String,
    /// The alternatives are the baseline before an edit.
    pub was: bool,
}

/// A child.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tank {
    pub name: String,
    pub tone: Tone,
    /// Weight; 1 if no round contains it.
    pub weight: f64,
    /// Weight adjusted by past usage, if it differs.
    pub part: Option<f64>,
    /// Past usage, and its weight in the adjustment.
    pub past: Option<(f64, f64)>,
    /// Priority, if the queue takes part in a round.
    pub priority: Option<i32>,
    /// Its quota, if it is not granted whole; it requests less, or there is less.
    pub quota: Option<f64>,
    /// Granted quota.
    pub ground: f64,
    /// Assigned so far by rounds and remainders.
    pub water: f64,
    /// The water by step, from the bottom up.
    pub waves: Vec<f64>,
    /// Quota or water assigned in the current step.
    pub new: f64,
    /// Total after the last step.
    pub gets: f64,
    /// Request, capped by the limit.
    pub lid: f64,
    /// The explained queue.
    pub own: bool,
    /// The tank in the preview of an edit or in the baseline before the last one, if it differs.
    pub alternative: Option<Box<Tank>>,
}

impl Tank {
    /// Assigned total.
    pub fn held(&self) -> f64 {
        self.ground + self.water
    }

    /// Width: the weight adjusted by past usage.
    pub fn width(&self) -> f64 {
        self.part.unwrap_or(self.weight).max(0.0)
    }

    /// Height of an amount in the tank.
    pub fn height(&self, amount: f64) -> f64 {
        amount / if self.width() > 0.0 { self.width() } else { 1.0 }
    }

    /// Adds the assignment of a step.
    fn fill(&mut self, new: f64, is_ground: bool) {
        self.new = new;
        if is_ground {
            self.ground += new;
        } else {
            self.water += new;
            self.waves.extend((new > 0.0).then_some(new));
        }
    }

    /// The first round that it takes part in. Without a line for the quota, the round contains the request.
    fn take_part(&mut self, priority: i32, weight: f64, wanted: f64) {
        (self.priority, self.weight) = (Some(priority), weight);
        self.lid = self.lid.max(wanted);
    }

    /// Whether the request is satisfied.
    pub fn is_full(&self) -> bool {
        self.ground + self.water >= self.lid - 1e-9
    }
}

/// Path of a queue's weight.
pub fn weight_of(queue: &str, resource: Resource) -> Path {
    Path::default().field("queues").named(queue).field(resource_key(resource)).field("weight")
}

/// Sorts higher priorities first, tanks without a priority last.
fn by_priority(tanks: &mut [Tank]) {
    tanks.sort_by_key(|tank| std::cmp::Reverse(tank.priority));
}

/// Fills in tanks that no round reaches: weights from the scenario, and priorities if others have one.
pub fn with_unserved(mut view: DivisionView, scenario: &Scenario, resource: Resource) -> DivisionView {
    let has_priorities = view.tanks.iter().any(|tank| tank.priority.is_some());
    let policy = Policy::described_or_default(&view.policy);
    for tank in view.tanks.iter_mut().filter(|tank| tank.priority.is_none()) {
        let value = |path: &Path| document::value(scenario, path).trim().to_string();
        tank.weight = value(&weight_of(&tank.name, resource)).parse().unwrap_or(tank.weight);
        let at = Path::default().field("queues").named(&tank.name).field("priority");
        let priority = Some(value(&at)).filter(|text| !text.is_empty());
        let priority = priority.unwrap_or_else(|| policy.unset_priority_shown());
        tank.priority = priority.parse().ok().filter(|_| has_priorities);
    }
    by_priority(&mut view.tanks);
    view.lead = lead(&view.tanks, resource, policy.terms);
    view
}

/// The lines of one step.
struct StepLines<'a> {
    says: String,
    lines: Vec<&'a LadderLine>,
}

impl<'a> StepLines<'a> {
    /// The part of a queue.
    fn of(&self, queue: &str) -> Option<&'a DivisionStep> {
        self.lines.iter().find(|line| line.queue == queue).map(|line| &line.step)
    }
}

fn steps<'a>(level: &'a LadderLevel, resource: Resource, has_sums: bool, terms: &Terms) -> Vec<StepLines<'a>> {
    let is_same = |one: &LadderLine, next: &LadderLine| {
        let [of_one, of_next] = [one, next].map(|line| (line.step.round(), gets_rest(&line.step)));
        !matches!(next.step, DivisionStep::Remainder { .. }) && of_one == of_next
    };
    let says = |line: &LadderLine| match &line.step {
        DivisionStep::Round(round) if has_sums => format!("priority {}, round {}", round.priority, round.round),
        DivisionStep::Round(round) => terms.fill(&one_round(level, round, resource)),
        DivisionStep::Rise { shares: None, .. } => format!("unused capacity to {} (weight 0)", line.queue),
        DivisionStep::Rise { round, shares: Some((from, to)), .. } => {
            let [from, to] = [from, to].map(|share| number((share * 1000.0).round() / 10.0));
            format!("round {round}, all dominant shares from {from} % to {to} %")
        }
        DivisionStep::Remainder { fraction, given, .. } => remainder(&line.queue, *fraction, *given, resource),
        _ => terms.fill("[quotas] granted"),
    };
    let steps = level.lines.chunk_by(is_same);
    steps.map(|lines| StepLines { says: says(&lines[0]), lines: lines.iter().collect() }).collect()
}

/// Whether a queue without weight gets what the others left.
fn gets_rest(step: &DivisionStep) -> bool {
    matches!(step, DivisionStep::Rise { shares: None, .. })
}

/// *1 GPU left over goes to blue, which lost most to rounding (0.57)*
fn remainder(queue: &str, fraction: f64, given: f64, resource: Resource) -> String {
    let (said, unit) = (amount(resource, given), unit(resource, in_unit(resource, given)));
    let goes = if said == "1" { "goes" } else { "go" };
    format!("{said} {unit} left over {goes} to {queue}, which lost most to rounding ({})", amount(resource, fraction))
}

/// *priority 100, round 1: 8 GPUs × weight / 7*
fn one_round(level: &LadderLevel, round: &DivisionRound, resource: Resource) -> String {
    let said = format!("priority {}, round {}", round.priority, round.round);
    format!("{said}: {} × [weight] / {}", with_unit(resource, round.pot), number(level.parts(round).1))
}

/// Derivation of a round's assignment: *8 × 4/7 = 4.57 → 4*.
fn sum(level: &LadderLevel, round: &DivisionRound, resource: Resource) -> String {
    let (part, of) = level.parts(round);
    let [pot, offer, given] = [round.pot, round.offer, round.given].map(|of| amount(resource, of));
    let offered = format!("{pot} × {}/{} = {offer}", number(part), number(of));
    if given == offer { offered } else { format!("{offered} → {given}") }
}

/// Adds another division of the same level, baseline or preview, as alternatives of the tanks that differ.
pub fn with_alternative(mut view: DivisionView, alternative: &DivisionView, was: bool) -> DivisionView {
    view.was = was;
    for tank in &mut view.tanks {
        let other = alternative.tanks.iter().find(|other| other.name == tank.name);
        let of = |tank: &Tank| [tank.held(), tank.width(), tank.lid];
        tank.alternative = other.filter(|other| of(other) != of(tank)).map(|other| Box::new(other.clone()));
    }
    view
}

/// Above this number of tanks, the table lists assignments without their derivations.
const SUMS: usize = 5;

/// The view of one level after a number of steps.
pub fn division(frame: &Frame, level: &LadderLevel, resource: Resource, at: usize) -> DivisionView {
    let terms = Terms::of(&frame.policy);
    // Allocation and request of a queue in the divided pool.
    let of_pool = frame.in_pool(&level.pool);
    let mut tanks = tanks(of_pool.as_ref().unwrap_or(frame), level, resource);
    let has_sums = tanks.len() <= SUMS;
    let steps = steps(level, resource, has_sums, terms);
    let at = at.min(steps.len());
    let mut left = in_unit(resource, level.capacity);
    let mut rows = vec![row("before", &tanks, |_| String::new(), left)];
    for (i, step) in steps.iter().enumerate() {
        let mut gifts: BTreeMap<&str, f64> = BTreeMap::new();
        for line in &step.lines {
            *gifts.entry(line.queue.as_str()).or_default() += in_unit(resource, line.step.given());
        }
        left -= gifts.values().sum::<f64>();
        let gift = |tank: &Tank| match step.of(&tank.name) {
            Some(DivisionStep::Round(round)) if has_sums => sum(level, round, resource),
            _ => gifts.get(tank.name.as_str()).map_or("–".into(), |g| format!("+{}", number(*g))),
        };
        rows.push(row(&step.says, &tanks, gift, left));
        let is_ground = step.lines.iter().any(|line| matches!(line.step, DivisionStep::Quota { .. }));
        for tank in &mut tanks {
            let new = gifts.get(tank.name.as_str()).copied().unwrap_or(0.0);
            tank.gets += new;
            if i < at {
                tank.fill(new, is_ground);
            }
        }
    }
    let shares = |tank: &Tank| {
        let given = level.lines.iter().filter(|line| line.queue == tank.name).map(|line| line.step.given());
        number(in_unit(resource, given.sum()))
    };
    rows.push(row(terms.word("fair share"), &tanks, shares, left));
    rows.extend(after_use(&tanks, terms));
    let given: f64 = tanks.iter().map(|tank| tank.ground + tank.water).sum();
    let left_now = in_unit(resource, level.capacity) - given;
    let mut head = vec!["step".to_string()];
    head.extend(tanks.iter().map(|tank| tank.name.clone()));
    head.push("left".into());
    let whose = if level.of.is_empty() {
        terms.fill("the [top-level queues]")
    } else {
        format!("the children of {}", level.of)
    };
    DivisionView {
        title: match level.pool.as_str() {
            "" => format!("How {} are divided among {whose}", with_unit(resource, level.capacity)),
            pool => {
                format!("How {} of {pool} are divided among {whose}", with_unit(resource, level.capacity))
            }
        },
        lead: lead(&tanks, resource, terms),
        caption: caption(&steps, at, &tanks, (left_now, resource)),
        last: steps.len(),
        at,
        tanks,
        left: left_now,
        table: Table { head, rows, text_columns: 1, is_by_queue: true },
        policy: frame.policy.clone(),
        was: false,
    }
}

/// Effect of past usage on the weights, if any: two rows below the result.
fn after_use(tanks: &[Tank], terms: &Terms) -> Vec<Vec<String>> {
    let Some((_, k)) = tanks.iter().find_map(|tank| tank.part.and(tank.past)) else { return Vec::new() };
    let mut usage = vec!["past usage".to_string()];
    let mut weights = vec![format!("{} before → after, k {}", terms.word("weight"), number(k))];
    for tank in tanks {
        usage.push(with_unit(ShownResource::Dominant, tank.past.map_or(0.0, |(usage, _)| usage * 100.0)));
        weights.push(format!("{} → {}", number(tank.weight), number(tank.width())));
    }
    usage.push(String::new());
    weights.push(String::new());
    vec![usage, weights]
}

fn row(says: &str, tanks: &[Tank], cell: impl Fn(&Tank) -> String, left: f64) -> Vec<String> {
    let mut row = vec![says.to_string()];
    row.extend(tanks.iter().map(cell));
    // Sums of fractions may differ from zero in the last digits.
    row.push(number(if left.abs() < 1e-9 { 0.0 } else { left }));
    row
}

fn tanks(frame: &Frame, level: &LadderLevel, resource: Resource) -> Vec<Tank> {
    let tree = Tree::new(&frame.queues);
    let mut tanks: Vec<Tank> = Vec::new();
    for line in &level.lines {
        let at = tanks.iter().position(|tank| tank.name == line.queue).unwrap_or_else(|| {
            let position = frame.queues.iter().position(|queue| queue.name == line.queue);
            tanks.push(Tank {
                name: line.queue.clone(),
                tone: position.map_or(Tone::default(), |at| tree.tone(at as u32)),
                weight: 1.0,
                own: line.queue == level.queue,
                ..Tank::default()
            });
            tanks.len() - 1
        });
        let tank = &mut tanks[at];
        match &line.step {
            DivisionStep::Quota { quota, requestable, granted, .. } => {
                tank.lid = in_unit(resource, *requestable);
                tank.quota = (quota > granted).then(|| in_unit(resource, *quota));
            }
            DivisionStep::Round(round) if tank.priority.is_none() => {
                tank.part = level.weight_after_use(round);
                tank.past = round.past;
                tank.take_part(round.priority, round.weight, in_unit(resource, round.wanted));
            }
            DivisionStep::Rise { weight, wanted, .. } if tank.priority.is_none() => {
                tank.take_part(0, *weight, in_unit(resource, *wanted));
            }
            _ => {}
        }
    }
    // Within a priority the order is that of the tree, in which they stand everywhere else.
    tanks.sort_by_key(|tank| frame.queues.iter().position(|queue| queue.name == tank.name));
    by_priority(&mut tanks);
    tanks
}

/// Introduction to the picture.
fn lead(tanks: &[Tank], resource: Resource, terms: &Terms) -> String {
    let mut priorities: Vec<i32> = tanks.iter().filter_map(|tank| tank.priority).collect();
    priorities.dedup();
    let order = match priorities[..] {
        [first, second, ..] => format!("Priority {first} is served before {second}. "),
        _ => String::new(),
    };
    let unit = unit(resource, 2.0);
    order + &terms.fill(&format!("Equal height means equal {unit} per unit of [weight]."))
}

fn caption(steps: &[StepLines<'_>], at: usize, tanks: &[Tank], (left, resource): (f64, Resource)) -> String {
    let Some(step) = at.checked_sub(1).and_then(|at| steps.get(at)) else {
        return "Nothing is divided yet.".into();
    };
    let full: Vec<&str> =
        tanks.iter().filter(|tank| tank.new > 0.0 && tank.is_full()).map(|tank| tank.name.as_str()).collect();
    let mut said = match left {
        left if left < -1e-9 => format!("{}; {} more than there is", step.says, counted(-left, resource)),
        left if left < 1e-9 => format!("{}; none is left", step.says),
        left => format!("{}; {} left", step.says, counted(left, resource)),
    };
    let used_up = step.lines.iter().find_map(|line| match line.step {
        DivisionStep::Rise { end: RiseEnd::UsedUp(resource), .. } => Some(resource),
        _ => None,
    });
    if let Some(used_up) = used_up {
        let resource = resource_name(used_up.0);
        said += &format!("; no {resource} is left for those who need it");
    }
    match &full[..] {
        [] => {}
        [one] => said += &format!("; {one} gets all it requests"),
        _ => said += &format!("; {} get all they request", full.join(", ")),
    }
    said + "."
}

/// An amount with its unit.
fn counted(amount: f64, resource: Resource) -> String {
    format!("{} {}", number(amount), unit(resource, amount))
}

/// Describes a tank as a sentence.
pub fn says(tank: &Tank, was: bool, terms: &Terms) -> String {
    let mut said = format!("{}: gets {}", tank.name, number(tank.ground + tank.water));
    if tank.ground > 0.0 {
        said += &format!(", {} of it {}", number(tank.ground), terms.word("quota"));
    }
    said += &format!(", requests {}, {} {}", number(tank.lid), terms.word("weight"), number(tank.weight));
    if let Some(alternative) = &tank.alternative {
        let word = if was { "got" } else { "would get" };
        said += &format!("; {word} {}", number(alternative.held()));
        if alternative.weight != tank.weight {
            said += &format!(" with {} {}", terms.word("weight"), number(alternative.weight));
        }
    }
    if let Some(part) = tank.part {
        said += &format!(", counted as {} for past use", number(part));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_round_reached_is_as_wide_as_the_scenario_says() {
        let queues = "- {name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}\n\
                      - {name: b, priority: 50, gpu: {quota: 1, limit: unlimited, weight: 4}}\n";
        let text = format!("format: fairground-scenario\nversion: 1\nnodes: []\nqueues:\n{queues}jobs: []\n");
        let scenario = document::from_text(&text).expect("it is clean");
        let tank = |name: &str, priority| Tank { name: name.into(), weight: 1.0, priority, ..Tank::default() };
        let of = |tanks: Vec<Tank>| {
            let view = DivisionView { tanks, ..DivisionView::default() };
            with_unserved(view, &scenario, Resource::GPU)
                .tanks
                .into_iter()
                .map(|tank| (tank.weight, tank.priority))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(vec![tank("a", None), tank("b", None)]), [(1.0, None), (4.0, None)]);
        let served = of(vec![tank("b", None), tank("a", Some(100))]);
        assert_eq!(served, [(1.0, Some(100)), (4.0, Some(50))]);
    }
}
