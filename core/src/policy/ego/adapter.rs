//! One cycle in the world: the state is opened, the cycle runs in it, what changed becomes decisions and events.
//!
//! # Rule
//! A unit that starts takes the next waiting pod of its pod set. A pod that was evicted without any grace is gone before the next
//! cycle, which takes place at the same instant; then the earmark is redeemed.
//!
//! # Source
//! ego.md 8.4, 9
//!
//! # Differs
//! nothing

use std::collections::{BTreeMap, BTreeSet};

use super::assign::Junction;
use super::config::Config;
use super::cycle::{Cycle, run};
use super::ids::{ConsumerId, SubId, UnitId};
use super::memory::{Memory, job_of};
use super::model::{Desk, Model, grace_left};
use super::number::Nat;
use super::plan::Plan;
use super::pool_state::{Change, State};
use super::ranking::compare_per_ratio;
use super::reclaim::Reclaim;
use super::slot_view::{self, SlotView};
use super::{holdings, ledger, order, over_commit, refuse, rules, share_usage};
use crate::cluster::Devices;
use crate::format::{Findings, Scenario};
use crate::id::{JobId, PodId, QueueId};
use crate::policy::description::Description;
use crate::policy::switches::Rulebook;
use crate::policy::{Change as News, Decision, PartitionView, Rhythm, Scheduler, Turn, Wake};
use crate::time::Time;
use crate::trace::{
    Check, DivisionStep, Event, EvictReason, Holdings, Ledger, Level, Op, OrderLevel, Quantity, SharePool,
    Subject, Trace, Value,
};
use crate::units::{Resource, Weight};

/// EGO with a multidimensional plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Ego {
    /// Every switch.
    pub config: Config,
    /// When cycles take place.
    pub rhythm: Rhythm,
}

impl Scheduler for Ego {
    const DESCRIPTION: &'static Description = &super::describe::DESCRIPTION;
    type Config = Config;
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        super::settings::read(scenario, findings)
    }

    fn rulebook() -> Rulebook {
        Rulebook::new(super::RULES.to_vec(), &super::SWITCHES)
    }

    fn over_commit(config: &Config, resource: Resource) -> Weight {
        config.over_commit().get(resource)
    }

    fn new(config: Config, rhythm: Rhythm) -> Ego {
        Ego { config, rhythm }
    }

    fn observe(&self, world: PartitionView<'_>, change: &News, memory: &mut Memory) {
        if *change == News::Configuration {
            memory.open(&Model::new(world, &self.config), world);
        }
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        let model = Model::new(world, &self.config);
        let mut desk = model.open(world, memory);
        let decisive = trace.level >= Level::Decisive;
        let n_promised = desk.state.earmarks.len();
        let cycle = run(&mut desk.state, &model.layout, trace.level);
        let why = if decisive { reasons(&model, &desk, &cycle) } else { BTreeMap::new() };
        let mut out =
            Out { world, model: &model, trace, decisions: Vec::new(), started: Vec::new(), again: false };
        out.apply(&mut desk, &cycle, why);
        out.claim(&desk, n_promised);
        let Out { decisions, started, again, .. } = out;
        if trace.level >= Level::Every {
            trace.assignments.extend(share_usage::assignments(world, &model, &desk, &cycle));
        }
        if decisive {
            refuse::refuse(world, &model, &desk, &cycle, trace);
        }
        memory.note(&model, &desk, &started);
        let wake = if again { Wake::Again } else { self.rhythm.wake(world.now) };
        Turn { decisions, wake }
    }

    fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
        let model = Model::new(world, &self.config);
        ledger::ledger(world, &model, &model.open(world, memory))
    }

    fn derive(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        resource: Resource,
    ) -> Vec<DivisionStep> {
        let model = Model::new(world, &self.config);
        let desk = model.open(world, memory);
        match SlotView::new(&model, &desk) {
            Some(slots) if resource == Resource::GPU => slots.ladder(&model, queue),
            Some(_) => Vec::new(),
            None => ledger::ladder(&model, &desk, queue, resource),
        }
    }

    fn order(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        let model = Model::new(world, &self.config);
        order::order(world, &model, &model.open(world, memory), queue, job)
    }

    fn share_pools(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<SharePool> {
        let model = Model::new(world, &self.config);
        share_usage::pools(world, &model, &model.open(world, memory))
    }

    fn holdings(&self, world: PartitionView<'_>, memory: &Memory) -> Holdings {
        let model = Model::new(world, &self.config);
        holdings::holdings(&model, &model.open(world, memory))
    }
}

/// Why a unit started or was evicted.
type Reasons = BTreeMap<Moved, Vec<Check>>;

/// A start or an eviction of a unit, as a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moved {
    Started(UnitId),
    Reclaimed(UnitId),
}

/// What comes out of a cycle.
struct Out<'o, 'w> {
    world: PartitionView<'w>,
    model: &'o Model,
    trace: &'o mut Trace,
    decisions: Vec<Decision>,
    started: Vec<UnitId>,
    again: bool,
}

impl Out<'_, '_> {
    /// Changes of the state in their order.
    fn apply(&mut self, desk: &mut Desk<'_>, cycle: &Cycle, mut why: Reasons) {
        let by = reclaimed_by(cycle);
        for change in std::mem::take(&mut desk.state.changes) {
            match change {
                Change::Started(id) => {
                    let unit = desk.state.units[id];
                    let Some(pod) = desk.waiting[unit.sub].pop() else {
                        unreachable!("units want pods that wait")
                    };
                    // Units start in the order of their numbers, so the pods do too.
                    desk.pods.push(pod);
                    let node = self.model.nodes[unit.host];
                    let checks = why
                        .remove(&Moved::Started(id))
                        .unwrap_or_else(|| vec![rules::applies(rules::EARMARK, self.subject(pod))]);
                    self.trace.action = "assign";
                    self.trace.event(Event::Bound { pod, node, devices: Devices::default() }, || checks);
                    self.decisions.push(Decision::Bind { pod, node, devices: None });
                    self.started.push(id);
                }
                Change::Reclaimed(id) => {
                    let (reclaim, called_back) = by[&id];
                    let grace = grace_left(self.world, deadline_of(desk, id));
                    let pod = desk.pods[id];
                    let node = self.model.nodes[desk.state.units[id].host];
                    let sub = reclaim.by.and_then(|(_, sub)| sub);
                    let by = sub.map(|sub| job_of(self.world, desk.pod_sets[sub]));
                    let reason = match reclaim.by {
                        None => EvictReason::AboveLimit,
                        Some(_) if called_back => EvictReason::ReclaimedForQuota,
                        Some(_) => EvictReason::ReclaimedForFairShare,
                    };
                    let checks = why.remove(&Moved::Reclaimed(id)).unwrap_or_default();
                    self.trace.action = "reclaim";
                    self.trace.event(Event::Evicted { pod, node, by, reason }, || checks);
                    self.decisions.push(Decision::Evict { pod, grace });
                    self.again |= grace == crate::time::Span::ZERO;
                }
                Change::Stopped(_) => {}
            }
        }
    }

    fn subject(&self, pod: PodId) -> Subject {
        let job = self.world.cluster.pods[pod].job;
        let queue = Some(self.world.cluster.jobs[job].queue);
        Subject { queue, job: Some(job), pod: Some(pod), ..Subject::default() }
    }

    /// New promises: the next waiting pods will run there.
    fn claim(&mut self, desk: &Desk<'_>, n_before: usize) {
        self.trace.action = "earmark";
        let mut given: BTreeMap<SubId, usize> = BTreeMap::new();
        let n_old = n_before.min(desk.state.earmarks.len());
        let evicted = self.decisions.iter().filter_map(|decision| match decision {
            Decision::Evict { pod, .. } => Some(*pod),
            Decision::Bind { .. } => None,
        });
        let evicted: BTreeSet<PodId> = evicted.collect();
        for (at, earmark) in desk.state.earmarks.iter().enumerate() {
            let n = given.entry(earmark.sub).or_default();
            let units = desk.state.units.values().zip(desk.pods.values());
            let leaving = units
                .filter(|(unit, _)| unit.sub == earmark.sub && matches!(unit.state, State::Reclaiming(_)))
                .filter(|_| desk.state.subs[earmark.sub].is_replaced);
            let waiting = desk.waiting[earmark.sub].iter().rev().copied();
            let pod = waiting.chain(leaving.map(|(_, &pod)| pod)).nth(*n);
            *n += 1;
            let is_new = at >= n_old || earmark.victims.iter().any(|&id| evicted.contains(&desk.pods[id]));
            if let (true, Some(pod)) = (is_new, pod) {
                self.trace.event(Event::Claimed { pod, node: self.model.nodes[earmark.host] }, Vec::new);
            }
        }
    }
}

fn deadline_of(desk: &Desk<'_>, id: UnitId) -> Time {
    match desk.state.units[id].state {
        State::Reclaiming(until) => until,
        _ => desk.state.now,
    }
}

/// For each victim the reclaim it was part of, and whether an owner called it back.
fn reclaimed_by(cycle: &Cycle) -> BTreeMap<UnitId, (&Reclaim, bool)> {
    let by_owners = cycle.by_owners.iter().map(|r| (r, true));
    let in_pools = cycle.passes.iter().flat_map(|(_, pass)| &pass.reclaims).map(|r| (r, false));
    let mut by = BTreeMap::new();
    let of_slots = cycle.slot_moves.iter().map(|moved| (&moved.reclaim, false));
    for (reclaim, called_back) in by_owners.chain(in_pools).chain(of_slots) {
        by.extend(reclaim.victims.iter().map(|&id| (id, (reclaim, called_back))));
    }
    by
}

/// The comparisons that decided every start and eviction.
fn reasons(model: &Model, desk: &Desk<'_>, cycle: &Cycle) -> Reasons {
    let mut why = Reasons::new();
    let queue = |consumer: ConsumerId| model.queues[consumer];
    for &id in &cycle.owned {
        let leaf = desk.state.subs[desk.state.units[id].sub].leaf;
        let subject = Subject {
            queue: queue(leaf),
            node: Some(model.nodes[desk.state.units[id].host]),
            ..Subject::default()
        };
        let over = over_commit::checks(model, desk, id).into_iter();
        why.insert(Moved::Started(id), over.chain([rules::applies(rules::OWN_HOSTS, subject)]).collect());
    }
    for (_, turns) in &cycle.turns {
        for turn in turns {
            for &id in &turn.units {
                let choices = turn.choices.iter().map(|c| choice(model, &turn.whole, c));
                let of_slots = turn.way.iter().filter(|_| model.plan.slots.is_some());
                let of_slots = of_slots.filter_map(|junction| slot_choice(model, junction));
                let over = over_commit::checks(model, desk, id).into_iter();
                why.insert(Moved::Started(id), over.chain(choices).chain(of_slots).collect());
            }
        }
    }
    for reclaim in &cycle.by_owners {
        let by = reclaim.by.and_then(|(leaf, _)| queue(leaf));
        for &id in &reclaim.victims {
            let loser = queue(desk.state.subs[desk.state.units[id].sub].leaf);
            let check = rules::applies(rules::CALL_BACK, rules::between(by, loser));
            why.insert(Moved::Reclaimed(id), vec![check]);
        }
    }
    for moved in &cycle.slot_moves {
        let below = moved.below.iter().map(|&standing| slot_view::below(model, standing));
        let above = moved.above.iter().map(|&standing| slot_view::above(model, standing));
        let checks: Vec<Check> = below.chain(above).collect();
        why.extend(moved.reclaim.victims.iter().map(|&id| (Moved::Reclaimed(id), checks.clone())));
    }
    for (_, pass) in &cycle.passes {
        for reclaim in &pass.reclaims {
            for &id in &reclaim.victims {
                why.insert(Moved::Reclaimed(id), reclaim_checks(model, desk, reclaim, id));
            }
        }
    }
    why
}

/// Why one sibling came before another.
fn choice(model: &Model, whole: &Nat, choice: &super::assign::Choice) -> Check {
    let plan: &Plan = &model.plan;
    let [a, b] = choice.between;
    let (of_a, of_b) = (&plan.consumers[a], &plan.consumers[b]);
    let subject = rules::between(model.queues[a], model.queues[b]);
    if of_a.priority != of_b.priority {
        let priority = |p: i64| rules::term(Quantity::Priority, Value::Count(p));
        return Check::new(
            rules::SHARE_PRIORITY,
            subject,
            priority(of_a.priority),
            Op::AtLeast,
            priority(of_b.priority),
        );
    }
    let [usage_a, usage_b] = &choice.usage;
    let left = rules::per_ratio(usage_a, whole, of_a.ratio);
    let right = rules::per_ratio(usage_b, whole, of_b.ratio);
    Check::new(rules::SHARE_RATIO, subject, left, Op::AtMost, right)
}

/// Why one sibling got a free slot before the next best.
fn slot_choice(model: &Model, junction: &Junction) -> Option<Check> {
    let ratio = |c: ConsumerId| model.plan.consumers[c].ratio;
    let others = junction.open.iter().filter(|(c, _)| *c != junction.chosen);
    let (next, held) =
        others.min_by(|(a, of_a), (b, of_b)| compare_per_ratio(of_a, ratio(*a), of_b, ratio(*b)))?;
    let (_, chosen) = junction.open.iter().find(|(c, _)| *c == junction.chosen)?;
    let subject = rules::between(model.queues[junction.chosen], model.queues[*next]);
    let left = rules::per_ratio(chosen, &Nat::ONE, ratio(junction.chosen));
    let right = rules::per_ratio(held, &Nat::ONE, ratio(*next));
    Some(Check::new(rules::SLOT_RATIO, subject, left, Op::AtMost, right))
}

fn reclaim_checks(model: &Model, desk: &Desk<'_>, reclaim: &Reclaim, id: UnitId) -> Vec<Check> {
    let queue = |consumer: ConsumerId| model.queues[consumer];
    let loser = desk.state.subs[desk.state.units[id].sub].leaf;
    let Some(why) = &reclaim.why else {
        return vec![rules::applies(rules::SHARE_LIMIT, rules::between(queue(loser), None))];
    };
    let by = reclaim.by.map_or(loser, |(leaf, _)| leaf);
    let (victim, victim_usage, victim_quota) = &why.victim;
    let whole = &why.whole;
    let (a, b) = why.sides;
    let (of_a, of_b) = (&model.plan.consumers[a], &model.plan.consumers[b]);
    let mut checks = vec![
        Check::new(
            rules::UNDER_QUOTA,
            rules::between(queue(by), None),
            rules::part(Quantity::Usage, &why.reclaimer.0, whole),
            Op::Less,
            rules::quota(&why.reclaimer.1, whole),
        ),
        Check::new(
            rules::OVER_QUOTA,
            rules::between(queue(*victim), None),
            rules::part(Quantity::Usage, victim_usage, whole),
            Op::Exceeds,
            rules::quota(victim_quota, whole),
        ),
    ];
    let subject = rules::between(queue(a), queue(b));
    if of_a.priority > of_b.priority {
        let priority = |p: i64| rules::term(Quantity::Priority, Value::Count(p));
        let (left, right) = (priority(of_a.priority), priority(of_b.priority));
        checks.push(Check::new(rules::SHARE_PRIORITY, subject, left, Op::AtLeast, right));
    } else {
        let left = rules::per_ratio(&why.after.0, whole, of_a.ratio);
        let right = rules::per_ratio(&why.after.1, whole, of_b.ratio);
        checks.push(Check::new(rules::NO_INVERSION, subject, left, Op::AtMost, right));
    }
    checks
}
