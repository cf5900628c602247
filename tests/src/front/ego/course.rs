//! Decisions of a recorded plan cycle by cycle, with the pods of its units.
//!
//! A direct run of the case gives units and sub-allocations by id; its agreement with the recording is checked first.
//! Each wanted unit is a separate pod: one evicted with a grace period is not replaced, and a new one is submitted at
//! the next cycle, because a unit in its grace period requests a replacement (OC-4) while a terminating pod cannot.

use std::collections::BTreeMap;

use fairground::id::Arena;
use fairground::policy::ego::cycle::run as run_cycle;
use fairground::policy::ego::ids::{HostId, SubId, UnitId};
use fairground::policy::ego::layout::Layout;
use fairground::policy::ego::pool_state::{PoolState, Sub, UnitChange, UnitState};
use fairground::time::Time;
use fairground::trace::{EvictReason, Level};
use serde_json::Value;

use crate::ego::format::{Case, Names};

/// A change before a cycle.
pub enum Change {
    /// New number of wanted units.
    Want(SubId, u32),
    /// Completed units.
    Complete(Vec<UnitId>),
}

/// A cycle with its time and preceding changes.
pub struct Round {
    pub t: i64,
    pub changes: Vec<Change>,
}

impl Round {
    /// Applies the changes. Returns the units that were completed.
    pub fn apply(&self, state: &mut PoolState<'_>) -> Result<Vec<UnitId>, String> {
        let mut ended = Vec::new();
        for change in &self.changes {
            match change {
                Change::Want(sub, want) => state.subs[*sub].want = *want,
                Change::Complete(units) => {
                    for &unit in units {
                        let of = *state.units.get(unit).ok_or("no such unit")?;
                        if of.state != UnitState::Gone {
                            ended.push(unit);
                            state.subs[of.sub].want = state.subs[of.sub].want.saturating_sub(1);
                            state.stop(unit);
                        }
                    }
                }
            }
        }
        Ok(ended)
    }
}

/// A pod of the scenario, the only one of its job.
#[derive(Clone, Debug, Default)]
pub struct Pod {
    pub sub: SubId,
    /// Number within its sub-allocation, from 1.
    pub number: usize,
    pub submit: i64,
    /// Host and position in the order of starts, if it runs initially.
    pub on: Option<(HostId, usize)>,
    /// Whether it is not replaced once it is evicted.
    pub is_never_replaced: bool,
    /// Whether it was evicted without a grace period.
    was_replaced: bool,
    /// Time at which its job is ended externally.
    pub ends: Option<i64>,
}

/// A decision about a pod.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// The pod starts on a host.
    Start(usize, HostId),
    /// The pod is evicted: reason, reclaiming sub-allocation, and grace period in seconds.
    Evict(usize, EvictReason, Option<SubId>, i64),
    /// A claim for a pod of a sub-allocation on a host.
    Claim(SubId, HostId),
}

/// Decisions of one recorded cycle, and the pods that hold resources after it.
pub struct Expected {
    pub t: i64,
    pub moves: Vec<Move>,
    /// Host of each running or terminating pod.
    pub holds: BTreeMap<usize, (HostId, bool)>,
}

/// All cycles.
#[derive(Default)]
pub struct ExpectedRun {
    pub pods: Vec<Pod>,
    pub cycles: Vec<Expected>,
    pub subs: Arena<SubId, Sub>,
    /// Number of initially running units.
    pub started: usize,
    /// Pod per unit.
    of_unit: Arena<UnitId, usize>,
    /// Pending pods per sub-allocation, in order.
    waiting: Arena<SubId, Vec<usize>>,
    /// Claims: sub-allocation, host, and the pod that will start there.
    claims: Vec<(SubId, HostId, usize)>,
}

impl ExpectedRun {
    /// Creates the pods that run or are pending initially.
    pub fn new(state: &PoolState<'_>) -> ExpectedRun {
        let mut course = ExpectedRun {
            waiting: state.subs.ids().map(|_| Vec::new()).collect(),
            subs: state.subs.clone(),
            started: state.units.len(),
            ..ExpectedRun::default()
        };
        for (started, unit) in state.units.values().enumerate() {
            let pod = course.add(unit.sub, 0);
            course.pods[pod].on = Some((unit.host, started));
            course.of_unit.push(pod);
        }
        course.adjust(state, 0);
        course
    }

    fn add(&mut self, sub: SubId, submit: i64) -> usize {
        let number = self.pods.iter().filter(|pod| pod.sub == sub).count() + 1;
        self.pods.push(Pod { sub, number, submit, ..Pod::default() });
        self.pods.len() - 1
    }

    /// Host of every placed pod, and whether it keeps running.
    fn holds(&self, state: &PoolState<'_>) -> BTreeMap<usize, (HostId, bool)> {
        let units = state.units.values().zip(self.of_unit.values()).filter(|(unit, _)| unit.state != UnitState::Gone);
        units.map(|(unit, &pod)| (pod, (unit.host, unit.state == UnitState::Run))).collect()
    }

    /// Next pending pod without a claim.
    fn unclaimed(&self, sub: SubId) -> Option<usize> {
        let is_free = |&pod: &usize| self.claims.iter().all(|claim| claim.2 != pod);
        self.waiting[sub].iter().copied().find(is_free)
    }

    /// Adjusts the number of pending pods to the number of wanted units.
    fn adjust(&mut self, state: &PoolState<'_>, t: i64) {
        for (at, sub) in state.subs.iter() {
            let wanted = sub.want.saturating_sub(sub.running) as usize;
            while self.waiting[at].len() > wanted {
                let Some(pod) = self.waiting[at].pop() else { break };
                self.pods[pod].ends = Some(t);
            }
            while self.waiting[at].len() < wanted {
                let pod = self.add(at, t);
                self.waiting[at].push(pod);
            }
        }
    }

    /// Runs the cycles directly and records the decisions in terms of pods. Returns a feature that pods do not support,
    /// if needed.
    pub fn run(
        &mut self,
        state: &mut PoolState<'_>,
        layout: &Layout,
        rounds: &[Round],
    ) -> Result<Option<&'static str>, String> {
        for round in rounds {
            state.now = Time::from_seconds(round.t);
            for unit in round.apply(state)? {
                self.pods[self.of_unit[unit]].ends = Some(round.t);
            }
            self.adjust(state, round.t);
            state.changes.clear();
            let done = run_cycle(state, layout, Level::Outcomes);
            if let Some(feature) = self.note(state, &done, round.t) {
                return Ok(Some(feature));
            }
        }
        Ok(None)
    }

    fn note(
        &mut self,
        state: &PoolState<'_>,
        done: &fairground::policy::ego::cycle::Cycle,
        t: i64,
    ) -> Option<&'static str> {
        let in_pools = done.passes.iter().flat_map(|(_, pass)| &pass.reclaims);
        let reclaims: Vec<_> = done.by_owners.iter().chain(in_pools).collect();
        let free: Vec<UnitId> = done.owned.iter().copied().chain(turns_of(done)).collect();
        // Resources freed in this cycle are claimed by pods pending before; evicted pods are pending only afterwards.
        let (mut moves, mut again) = (Vec::new(), Vec::new());
        let mut is_claimed_now = false;
        for change in &state.changes {
            match *change {
                UnitChange::Started(unit) => {
                    let of = state.units[unit];
                    let claimed = self.claims.iter().position(|c| (c.0, c.1) == (of.sub, of.host));
                    let pod = match claimed.filter(|_| !free.contains(&unit)) {
                        Some(at) => Some(self.claims.remove(at).2),
                        None => self.unclaimed(of.sub),
                    };
                    let Some(pod) = pod else { return Some(REPLACED) };
                    self.waiting[of.sub].retain(|&other| other != pod);
                    self.of_unit.push(pod);
                    moves.push(Move::Start(pod, of.host));
                }
                UnitChange::Reclaimed(unit) => {
                    if !std::mem::replace(&mut is_claimed_now, true) {
                        for (sub, host) in reclaims.iter().filter_map(|r| Some((r.by?.1?, r.host))) {
                            let Some(pod) = self.unclaimed(sub) else { return Some(REPLACED) };
                            self.claims.push((sub, host, pod));
                        }
                    }
                    let pod = self.of_unit[unit];
                    let by = reclaims.iter().find(|r| r.victims.contains(&unit)).and_then(|r| r.by);
                    let is_owned = done.by_owners.iter().any(|r| r.victims.contains(&unit));
                    let left = deadline_of(state, unit).map_or(0, |until| until.as_millis() / 1000 - t);
                    let by_sub = by.and_then(|(_, sub)| sub);
                    moves.push(Move::Evict(pod, reason(by.is_some(), is_owned), by_sub, left));
                    let sub = state.units[unit].sub;
                    if left > 0 || state.subs[sub].want <= state.subs[sub].running {
                        if self.pods[pod].was_replaced {
                            return Some("a unit is taken back with a grace and without");
                        }
                        self.pods[pod].is_never_replaced = true;
                    } else {
                        self.pods[pod].was_replaced = true;
                        again.push((sub, pod));
                    }
                }
                UnitChange::Stopped(_) | UnitChange::Earmarked(..) => {}
            }
        }
        for (sub, pod) in again {
            let at = self.waiting[sub].partition_point(|&other| other < pod);
            self.waiting[sub].insert(at, pod);
        }
        let mut open: Vec<(SubId, HostId)> = state.earmarks.iter().map(|e| (e.sub, e.host)).collect();
        self.claims.retain(|claim| {
            let at = open.iter().position(|&open| open == (claim.0, claim.1));
            at.map(|at| open.remove(at)).is_some()
        });
        let claims = reclaims.iter().filter_map(|r| Some((r.by?.1?, r.host)));
        moves.extend(claims.map(|(sub, host)| Move::Claim(sub, host)));
        let holds = self.holds(state);
        self.cycles.push(Expected { t, moves, holds });
        None
    }
}

/// A terminating pod can neither be pending nor start.
const REPLACED: &str = "a unit in its grace is replaced in the same cycle";

/// Reason of an eviction.
pub fn reason(is_for_somebody: bool, is_owned: bool) -> EvictReason {
    match (is_for_somebody, is_owned) {
        (false, _) => EvictReason::AboveLimit,
        (true, true) => EvictReason::ReclaimedForQuota,
        (true, false) => EvictReason::ReclaimedForFairShare,
    }
}

fn turns_of(done: &fairground::policy::ego::cycle::Cycle) -> impl Iterator<Item = UnitId> + '_ {
    done.turns.iter().flat_map(|(_, turns)| turns).flat_map(|turn| turn.units.iter().copied())
}

/// End of a unit's grace period.
pub fn deadline_of(state: &PoolState<'_>, unit: UnitId) -> Option<Time> {
    match state.units[unit].state {
        UnitState::Reclaiming(until) => Some(until),
        _ => None,
    }
}

/// Cycles of a case: of the plan shape as recorded; of the step shape every *advance, assign_free, reclaim*.
pub fn rounds(case: &Case, names: &Names) -> Result<Option<Vec<Round>>, String> {
    if case.plan.is_some() {
        let round = |cycle: &Value| {
            let changes = cycle["events"].as_array().into_iter().flatten().map(|event| change(event, names));
            Ok(Round { t: crate::ego::number(cycle, "t")? as i64, changes: changes.collect::<Result<_, String>>()? })
        };
        return case.cycles.iter().map(round).collect::<Result<_, String>>().map(Some);
    }
    let mut rounds: Vec<Round> = Vec::new();
    let (mut waits, mut is_whole) = (Vec::new(), true);
    let mut last = "";
    for step in &case.steps {
        let op = step["op"].as_str().unwrap_or_default();
        match op {
            "set_want" | "complete" => waits.push(change(step, names)?),
            "advance" => {
                let t = crate::ego::number(step, "t")? as i64;
                rounds.push(Round { t, changes: std::mem::take(&mut waits) });
            }
            "assign_free" => is_whole &= last == "advance",
            "reclaim" => is_whole &= last == "assign_free",
            _ => continue,
        }
        is_whole &= last != "advance" || op == "assign_free";
        is_whole &= last != "assign_free" || op == "reclaim";
        last = op;
    }
    is_whole &= last == "reclaim" && rounds.first().is_some_and(|round| round.t == 0);
    Ok(is_whole.then_some(rounds))
}

fn change(event: &Value, names: &Names) -> Result<Change, String> {
    if let Some(sub) = event["sub"].as_str() {
        let want = u32::try_from(crate::ego::number(event, "want")?).map_err(|e| e.to_string())?;
        return Ok(Change::Want(Names::find(&names.subs, sub)?, want));
    }
    let named = event.get("complete").unwrap_or(&event["units"]);
    let units = named.as_array().into_iter().flatten().map(crate::ego::unit_id);
    Ok(Change::Complete(units.collect::<Result<_, String>>()?))
}
