//! Adapter between the simulator and the policy: builds the state, runs a cycle in it, and converts the changes to
//! decisions and events.
//!
//! # Rule
//! A unit that starts takes the next pending pod of its pod set. A pod evicted without a grace period is gone before
//! the next cycle, which takes place at the same instant; then its earmark is redeemed.
//!
//! # Source
//! ego.md 8.4, 9
//!
//! # Differs
//! nothing

use std::collections::BTreeMap;

use super::assign::SiblingGroup;
use super::config::Config;
use super::cycle::{Cycle, run};
use super::ids::{ConsumerId, HostId, SubId, UnitId};
use super::memory::{Memory, job_of};
use super::model::{CycleState, Model, grace_left};
use super::number::Nat;
use super::plan::Plan;
use super::pool_state::{PoolState, UnitChange, UnitState};
use super::ranking::compare_per_ratio;
use super::reclaim::Reclaim;
use super::slot_view::{self, SlotView};
use super::{holdings, host_order, ledger, order, over_commit, refuse, rules, share_usage, spared};
use crate::cluster::Devices;
use crate::format::{Findings, Scalar, Scenario};
use crate::id::{JobId, PodId, QueueId};
use crate::policy::checks::{amount, applies};
use crate::policy::description::Description;
use crate::policy::setting::Rulebook;
use crate::policy::translator::Translator;
use crate::policy::{Change, Decision, PartitionView, Rhythm, Scheduler, Turn, Wake};
use crate::time::Time;
use crate::trace::{
    Check, DivisionStep, Event, EvictReason, Holdings, Ledger, Level, Op, OrderLevel, Quantity, SharePool, Subject,
    Trace,
};
use crate::units::{Resource, Weight};

/// The scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Ego {
    /// Settings of the plan.
    pub config: Config,
    /// Interval of cycles.
    pub rhythm: Rhythm,
}

impl Scheduler for Ego {
    const DESCRIPTION: &'static Description = &super::describe::DESCRIPTION;
    type Config = Config;
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        super::settings::read(scenario, findings)
    }

    fn translate_setting(work: &mut Translator<'_>, name: &str, value: &Scalar) -> bool {
        super::translate::setting(work, name, value)
    }

    fn rulebook() -> Rulebook {
        super::settings::rulebook()
    }

    fn over_commit(config: &Config, resource: Resource) -> Weight {
        config.over_commit().get(resource)
    }

    fn new(config: Config, rhythm: Rhythm) -> Ego {
        Ego { config, rhythm }
    }

    fn observe(&self, world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
        if *change == Change::Configuration {
            memory.initialise(&Model::new(world, &self.config), world);
        }
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        let model = Model::new(world, &self.config);
        let mut current = model.open(world, memory);
        let explains = trace.level >= Level::Refusals;
        current.state.monitor = world.monitor.cloned().unwrap_or_default();
        let cycle = run(&mut current.state, &model.layout, trace.level);
        if world.is_interrupted() {
            return Turn { decisions: Vec::new(), wake: self.rhythm.wake(world.now) };
        }
        let why = if explains { reasons(&model, &current, &cycle) } else { BTreeMap::new() };
        let mut out =
            CycleOutput { world, model: &model, trace, decisions: Vec::new(), started: Vec::new(), runs_again: false };
        out.apply(&mut current, &cycle, why);
        let CycleOutput { decisions, started, runs_again, .. } = out;
        if trace.level >= Level::Every {
            trace.assignments.extend(share_usage::assignments(world, &model, &current, &cycle));
        }
        if explains {
            refuse::refuse(world, &model, &current, &cycle, trace);
            trace.not_selected.extend(spared::spared(world, &model, &current, &cycle));
        }
        memory.note(&model, &current, &started);
        let wake = if runs_again { Wake::Again } else { self.rhythm.wake(world.now) };
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
        let current = model.open(world, memory);
        match SlotView::new(&model, &current) {
            Some(slots) if resource == Resource::GPU => slots.derive(&model, queue),
            Some(_) => Vec::new(),
            None => ledger::derive(&model, &current, queue, resource),
        }
    }

    fn order(&self, world: PartitionView<'_>, memory: &Memory, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
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

/// Checks behind every start and eviction.
type Reasons = BTreeMap<UnitEvent, Vec<Check>>;

/// Key of a start or an eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum UnitEvent {
    Started(UnitId),
    Reclaimed(UnitId),
}

/// Collects the decisions and events of a cycle.
struct CycleOutput<'o, 'w> {
    world: PartitionView<'w>,
    model: &'o Model,
    trace: &'o mut Trace,
    decisions: Vec<Decision>,
    started: Vec<UnitId>,
    runs_again: bool,
}

impl CycleOutput<'_, '_> {
    /// Converts the changes of the state, in their order.
    fn apply(&mut self, current: &mut CycleState<'_>, cycle: &Cycle, mut why: Reasons) {
        let reclaimers = reclaimed_by(cycle);
        let mut n_earmarks = older_earmarks(&current.state);
        for change in std::mem::take(&mut current.state.changes) {
            match change {
                UnitChange::Started(id) => {
                    let unit = current.state.units[id];
                    let Some(pod) = current.waiting[unit.sub].pop() else { unreachable!("units want pods that wait") };
                    // Units start in the order of their ids, so pods are added in the same order.
                    current.pods.push(pod);
                    let node = self.model.nodes[unit.host];
                    let checks = why
                        .remove(&UnitEvent::Started(id))
                        .unwrap_or_else(|| vec![applies(rules::EARMARK, self.subject(pod))]);
                    self.trace.action = "assign";
                    let hosts = || host_order::checks(self.world, self.model, &current.state, id, self.subject(pod));
                    let hosts = if current.state.near.is_empty() { Vec::new() } else { hosts() };
                    self.trace.event(Event::Bound { pod, node, devices: Devices::default() }, || {
                        hosts.into_iter().chain(checks).collect::<Vec<_>>()
                    });
                    self.decisions.push(Decision::Bind { pod, node, devices: None });
                    self.started.push(id);
                }
                UnitChange::Reclaimed(id) => {
                    let (reclaim, called_back) = reclaimers[&id];
                    let grace = grace_left(self.world, deadline_of(current, id));
                    let pod = current.pods[id];
                    let node = self.model.nodes[current.state.units[id].host];
                    let sub = reclaim.by.and_then(|(_, sub)| sub);
                    let by = sub.map(|sub| job_of(self.world, current.pod_sets[sub]));
                    let reason = match reclaim.by {
                        None => EvictReason::AboveLimit,
                        Some(_) if called_back => EvictReason::ReclaimedForQuota,
                        Some(_) => EvictReason::ReclaimedForFairShare,
                    };
                    let checks = why.remove(&UnitEvent::Reclaimed(id)).unwrap_or_default();
                    self.trace.action = "reclaim";
                    self.trace.event(Event::Evicted { pod, node, by, reason }, || checks);
                    self.decisions.push(Decision::Evict { pod, grace });
                    self.runs_again |= grace == crate::time::Span::ZERO;
                }
                UnitChange::Earmarked(sub, host) => {
                    let n = n_earmarks.entry(sub).or_default();
                    self.claim(current, (sub, host), *n);
                    *n += 1;
                }
                UnitChange::Stopped(_) => {}
            }
        }
    }

    fn subject(&self, pod: PodId) -> Subject {
        let job = self.world.cluster.pods[pod].job;
        let queue = Some(self.world.cluster.jobs[job].queue);
        Subject { queue, job: Some(job), pod: Some(pod), ..Subject::default() }
    }

    /// Records an earmark: the next pending pod of its pod set will run there, else one that is leaving.
    fn claim(&mut self, current: &CycleState<'_>, (sub, host): (SubId, HostId), n_before: usize) {
        self.trace.action = "earmark";
        let units = current.state.units.values().zip(current.pods.values());
        let leaving = units
            .filter(|(unit, _)| unit.sub == sub && matches!(unit.state, UnitState::Reclaiming(_)))
            .filter(|_| current.state.subs[sub].is_replaced);
        let waiting = current.waiting[sub].iter().rev().copied();
        if let Some(pod) = waiting.chain(leaving.map(|(_, &pod)| pod)).nth(n_before) {
            self.trace.event(Event::Claimed { pod, node: self.model.nodes[host] }, Vec::new);
        }
    }
}

/// Number of earmarks of each sub-allocation that are older than the cycle.
fn older_earmarks(state: &PoolState<'_>) -> BTreeMap<SubId, usize> {
    let mut n: BTreeMap<SubId, usize> = BTreeMap::new();
    state.earmarks.iter().for_each(|earmark| *n.entry(earmark.sub).or_default() += 1);
    for change in &state.changes {
        if let UnitChange::Earmarked(sub, _) = change {
            n.entry(*sub).and_modify(|n| *n -= 1);
        }
    }
    n
}

fn deadline_of(current: &CycleState<'_>, id: UnitId) -> Time {
    match current.state.units[id].state {
        UnitState::Reclaiming(until) => until,
        _ => current.state.now,
    }
}

/// Reclaim of each victim, and whether an owner called the host back.
fn reclaimed_by(cycle: &Cycle) -> BTreeMap<UnitId, (&Reclaim, bool)> {
    let by_owners = cycle.by_owners.iter().map(|r| (r, true));
    let in_pools = cycle.passes.iter().flat_map(|(_, pass)| &pass.reclaims).map(|r| (r, false));
    let mut reclaimers = BTreeMap::new();
    let of_slots = cycle.slot_moves.iter().map(|moved| (&moved.reclaim, false));
    for (reclaim, called_back) in by_owners.chain(in_pools).chain(of_slots) {
        reclaimers.extend(reclaim.victims.iter().map(|&id| (id, (reclaim, called_back))));
    }
    reclaimers
}

/// Returns the checks that decided every start and eviction.
fn reasons(model: &Model, current: &CycleState<'_>, cycle: &Cycle) -> Reasons {
    let mut why = Reasons::new();
    let queue = |consumer: ConsumerId| model.queues[consumer];
    for &id in &cycle.owned {
        let leaf = current.state.subs[current.state.units[id].sub].leaf;
        let subject =
            Subject { queue: queue(leaf), node: Some(model.nodes[current.state.units[id].host]), ..Subject::default() };
        let over = over_commit::checks(model, current, id).into_iter();
        why.insert(UnitEvent::Started(id), over.chain([applies(rules::OWN_HOSTS, subject)]).collect());
    }
    for (_, turns) in &cycle.turns {
        for turn in turns {
            for &id in &turn.units {
                let choices = turn.choices.iter().map(|c| sibling_check(model, &turn.whole, c));
                let of_slots = turn.path.iter().filter(|_| model.plan.slots.is_some());
                let of_slots = of_slots.filter_map(|group| slot_check(model, group));
                let over = over_commit::checks(model, current, id).into_iter();
                why.insert(UnitEvent::Started(id), over.chain(choices).chain(of_slots).collect());
            }
        }
    }
    for reclaim in &cycle.by_owners {
        let reclaimer = reclaim.by.and_then(|(leaf, _)| queue(leaf));
        for &id in &reclaim.victims {
            let loser = queue(current.state.subs[current.state.units[id].sub].leaf);
            let check = applies(rules::CALL_BACK, rules::between(reclaimer, loser));
            why.insert(UnitEvent::Reclaimed(id), vec![check]);
        }
    }
    for moved in &cycle.slot_moves {
        let side_below = moved.below.iter().map(|&status| slot_view::below(model, status));
        let side_above = moved.above.iter().map(|&status| slot_view::above(model, status));
        let checks: Vec<Check> = side_below.chain(side_above).collect();
        why.extend(moved.reclaim.victims.iter().map(|&id| (UnitEvent::Reclaimed(id), checks.clone())));
    }
    for (_, pass) in &cycle.passes {
        for reclaim in &pass.reclaims {
            for &id in &reclaim.victims {
                why.insert(UnitEvent::Reclaimed(id), reclaim_checks(model, current, reclaim, id));
            }
        }
    }
    why
}

/// Check of a choice between siblings.
fn sibling_check(model: &Model, whole: &Nat, choice: &super::assign::Choice) -> Check {
    let plan: &Plan = &model.plan;
    let [a, b] = choice.between;
    let (of_a, of_b) = (&plan.consumers[a], &plan.consumers[b]);
    let subject = rules::between(model.queues[a], model.queues[b]);
    if of_a.priority != of_b.priority {
        let [left, right] = [of_a.priority, of_b.priority].map(rules::priority);
        return Check::new(rules::SHARE_PRIORITY, subject, left, Op::AtLeast, right);
    }
    let [usage_a, usage_b] = &choice.usage;
    let left = rules::per_ratio(usage_a, whole, of_a.ratio);
    let right = rules::per_ratio(usage_b, whole, of_b.ratio);
    Check::new(rules::SHARE_RATIO, subject, left, Op::AtMost, right)
}

/// Check of a sibling's free slot against the next best; `None` without a competitor.
fn slot_check(model: &Model, group: &SiblingGroup) -> Option<Check> {
    let ratio = |c: ConsumerId| model.plan.consumers[c].ratio;
    let others = group.open.iter().filter(|(c, _)| *c != group.chosen);
    let (next, next_slots) =
        others.min_by(|(a, of_a), (b, of_b)| compare_per_ratio(of_a, ratio(*a), of_b, ratio(*b)))?;
    let (_, chosen) = group.open.iter().find(|(c, _)| *c == group.chosen)?;
    let subject = rules::between(model.queues[group.chosen], model.queues[*next]);
    let left = rules::per_ratio(chosen, &Nat::ONE, ratio(group.chosen));
    let right = rules::per_ratio(next_slots, &Nat::ONE, ratio(*next));
    Some(Check::new(rules::SLOT_RATIO, subject, left, Op::AtMost, right))
}

/// Check that a leaf uses more of the pool than its share limit.
fn share_limit_check(queue: Option<QueueId>, reclaim: &Reclaim) -> Check {
    let subject = rules::between(queue, None);
    let Some(over) = reclaim.over else { return applies(rules::SHARE_LIMIT, subject) };
    let resource = Resource(over.dim as u8);
    let [used, limit] = [(Quantity::Allocated, over.used), (Quantity::Limit, over.limit)]
        .map(|(quantity, base_units)| amount(quantity, base_units, resource));
    let subject = Subject { resource: Some(resource), ..subject };
    Check::new(rules::SHARE_LIMIT, subject, used, Op::Exceeds, limit)
}

fn reclaim_checks(model: &Model, current: &CycleState<'_>, reclaim: &Reclaim, id: UnitId) -> Vec<Check> {
    let queue = |consumer: ConsumerId| model.queues[consumer];
    let loser = current.state.subs[current.state.units[id].sub].leaf;
    let Some(why) = &reclaim.why else {
        return vec![share_limit_check(queue(loser), reclaim)];
    };
    let reclaimer = reclaim.by.map_or(loser, |(leaf, _)| leaf);
    let (victim, victim_usage, victim_quota) = &why.victim;
    let whole = &why.whole;
    let (a, b) = why.sides;
    let (of_a, of_b) = (&model.plan.consumers[a], &model.plan.consumers[b]);
    let mut checks = vec![
        Check::new(
            rules::UNDER_QUOTA,
            rules::between(queue(reclaimer), None),
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
        let [left, right] = [of_a.priority, of_b.priority].map(rules::priority);
        checks.push(Check::new(rules::SHARE_PRIORITY, subject, left, Op::AtLeast, right));
    } else {
        let left = rules::per_ratio(&why.after.0, whole, of_a.ratio);
        let right = rules::per_ratio(&why.after.1, whole, of_b.ratio);
        checks.push(Check::new(rules::NO_INVERSION, subject, left, Op::AtMost, right));
    }
    checks
}
