//! Every recorded cycle as a separate scenario file that begins with the recorded state before that cycle.
//!
//! Running units are pods on their hosts, in the order of their starts. A unit in its grace period is a pod that is
//! terminating for the job that gets its resources, and is not replaced, because its replacement is pending already
//! (OC-4). Only the first cycle of the file is compared, and of the next one at the same instant the starts on
//! resources of units without a grace period.
use std::collections::BTreeMap;

use fairground::cluster::Phase;
use fairground::id::{Arena, Id, JobId, NodeId, PodId};
use fairground::policy::ego::cycle::{Cycle, run as run_cycle};
use fairground::policy::ego::ids::{ConsumerId, HostId, SubId, UnitId};
use fairground::policy::ego::layout::Layout;
use fairground::policy::ego::plan::{Plan, units_in};
use fairground::policy::ego::pool_state::{PoolState, Source, UnitChange, UnitState};
use fairground::policy::ego::reclaim::Reclaim;
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::Time;
use fairground::trace::{Event, EvictReason, Level};

use super::course::{Round, deadline_of, reason};
use super::file::Writer;
use crate::ego::format::Names;
use crate::front::Differs;

/// Decisions of a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// Starts: sub-allocation and host.
    pub starts: Vec<(SubId, HostId)>,
    /// Index of the first start on resources of a unit without a grace period.
    pub handed: usize,
    /// Units that start.
    units: Vec<UnitId>,
    /// Evictions: unit, reason, reclaiming sub-allocation, and grace period in seconds.
    evictions: Vec<(UnitId, EvictReason, Option<SubId>, i64)>,
    /// Claims: sub-allocation and host.
    claims: Vec<(SubId, HostId)>,
    /// Whether a host loses a unit after another one was gone without a grace period.
    goes_on: bool,
}

/// A file and the meaning of its names.
struct Moment {
    text: String,
    /// Sub-allocation per job.
    jobs: BTreeMap<String, SubId>,
    /// Unit per pod with resources.
    pods: BTreeMap<String, UnitId>,
}

/// Runs the cycles directly, which has been compared with the recording, and each of them through a file. Returns the
/// decisions and the number of units per sub-allocation afterwards.
pub fn run(
    (plan, layout, names): (&Plan, &Layout, &Names),
    state: &mut PoolState<'_>,
    rounds: &[Round],
    is_free_pass: bool,
) -> Result<Vec<(Decided, Vec<u64>)>, Differs> {
    let mut all = Vec::new();
    for round in rounds {
        state.now = Time::from_seconds(round.t);
        let before = state.clone();
        let ended = round.apply(state)?;
        let moment = write((plan, layout, names), (&before, state), &ended)?;
        state.changes.clear();
        let done = run_cycle(state, layout, Level::Outcomes);
        let expected = decided(state, &done, round.t);
        if expected.goes_on && !is_free_pass {
            return Err("units of a host are gone one after the other in a cycle, pods after it".into());
        }
        let at = |says: String| Differs::Says(format!("at {} s: {says}", round.t));
        follow(&moment, &expected, names, is_free_pass).map_err(at)?;
        let mut held: Arena<SubId, u64> = state.subs.ids().map(|_| 0).collect();
        let units = state.units.values().filter(|unit| unit.state != UnitState::Gone);
        units.for_each(|unit| held[unit.sub] += 1);
        all.push((expected, held.values().copied().collect()));
    }
    Ok(all)
}

/// Applies the changes before a cycle. `ended` collects completed units, running or in their grace period.
/// Decisions of the direct run.
fn decided(state: &PoolState<'_>, done: &Cycle, t: i64) -> Decided {
    let in_pools = done.passes.iter().flat_map(|(_, pass)| &pass.reclaims);
    let reclaims: Vec<_> = done.by_owners.iter().chain(in_pools).collect();
    let mut decided = Decided::default();
    for change in &state.changes {
        match *change {
            UnitChange::Started(unit) => {
                decided.starts.push((state.units[unit].sub, state.units[unit].host));
                decided.units.push(unit);
                decided.handed += usize::from(decided.evictions.is_empty());
            }
            UnitChange::Reclaimed(unit) => {
                let by = reclaims.iter().find(|r| r.victims.contains(&unit)).and_then(|r| r.by);
                let is_owned = done.by_owners.iter().any(|r| r.victims.contains(&unit));
                let left = deadline_of(state, unit).map_or(0, |until| until.as_millis() / 1000 - t);
                let why = reason(by.is_some(), is_owned);
                decided.evictions.push((unit, why, by.and_then(|(_, sub)| sub), left));
            }
            UnitChange::Stopped(_) | UnitChange::Earmarked(..) => {}
        }
    }
    decided.claims = reclaims.iter().filter_map(|r| Some((r.by?.1?, r.host))).collect();
    let is_gone = |unit: &UnitId| state.units[*unit].state == UnitState::Gone;
    decided.goes_on = reclaims.iter().enumerate().any(|(i, first)| {
        let is_later = |later: &&Reclaim| later.host == first.host;
        first.victims.iter().any(is_gone) && reclaims[i + 1..].iter().copied().any(|r| is_later(&r))
    });
    decided
}

/// Pool to which a host is lent, derived from its users: the closest one above its owner and all of them.
fn pool_of_borrowers(plan: &Plan, state: &PoolState<'_>, owner: ConsumerId, host: HostId) -> Option<ConsumerId> {
    let leaves = state.on_host[host].iter().map(|&unit| state.subs[state.units[unit].sub].leaf);
    let mut borrowers = leaves.filter(|&leaf| leaf != owner).peekable();
    borrowers.peek()?;
    let parent = plan.consumers[owner].parent?;
    Some(borrowers.fold(parent, |pool, leaf| {
        plan.path(pool).find(|&above| plan.is_below(leaf, above)).unwrap_or(ConsumerId::ROOT)
    }))
}

/// Checks that every unit was drawn from the source that a scenario implies.
fn sources(plan: &Plan, layout: &Layout, state: &PoolState<'_>) -> Result<(), &'static str> {
    let drawn = |leaf: ConsumerId, host: HostId| {
        let holder = layout.holders[host];
        if holder == leaf && holder != ConsumerId::ROOT {
            return Some(Source::Owned);
        }
        if !plan.is_leaf(holder) || holder == ConsumerId::ROOT {
            return Some(Source::Pool(holder));
        }
        pool_of_borrowers(plan, state, holder, host).map(Source::Pool)
    };
    let units = state.units.values().filter(|unit| unit.state != UnitState::Gone);
    let units = units.map(|unit| (unit.sub, unit.host, unit.source));
    let promised = state.earmarks.iter().map(|earmark| (earmark.sub, earmark.host, earmark.source));
    for (sub, host, source) in units.chain(promised) {
        if drawn(state.subs[sub].leaf, host) != Some(source) {
            return Err("a host lent further up than those who run on it tell");
        }
    }
    Ok(())
}

/// Whether a sub-allocation wants more than the capacity of a pool above it: then it differs from several jobs, whose
/// demand is capped separately.
fn is_capped(plan: &Plan, layout: &Layout, state: &PoolState<'_>, sub: SubId) -> bool {
    let of = &state.subs[sub];
    plan.path(of.leaf).filter(|pool| layout.pools.contains(pool)).any(|pool| {
        let hosts = layout.pool(state, pool).hosts;
        let capacity: u64 = hosts.iter().map(|h| units_in(&plan.hosts[h.host], &of.unit)).sum();
        capacity > 0 && u64::from(of.want.max(of.running)) > capacity
    })
}

/// Units of one sub-allocation that started consecutively, and pending pods.
#[derive(Default)]
struct Block {
    sub: SubId,
    units: Vec<UnitId>,
    waiting: usize,
}

/// Jobs of the running and the pending units.
fn blocks(plan: &Plan, layout: &Layout, state: &PoolState<'_>) -> Result<Vec<Block>, &'static str> {
    let capped: Arena<SubId, bool> = state.subs.ids().map(|sub| is_capped(plan, layout, state, sub)).collect();
    let mut blocks: Vec<Block> = Vec::new();
    for (id, unit) in state.units.iter().filter(|(_, unit)| unit.state == UnitState::Run) {
        let leaf = state.subs[unit.sub].leaf;
        // In a leaf the order of starts decides about victims; a job that is one demand may be listed beside others.
        let last = if capped[unit.sub] {
            blocks.iter_mut().rev().find(|block| state.subs[block.sub].leaf == leaf)
        } else {
            blocks.last_mut()
        };
        match last.filter(|block| block.sub == unit.sub) {
            Some(block) => block.units.push(id),
            None => blocks.push(Block { sub: unit.sub, units: vec![id], waiting: 0 }),
        }
    }
    for (sub, of) in state.subs.iter() {
        let waiting = of.want.saturating_sub(of.running) as usize;
        match blocks.iter_mut().rev().find(|block| block.sub == sub) {
            Some(block) => block.waiting = waiting,
            None if waiting > 0 => blocks.push(Block { sub, units: Vec::new(), waiting }),
            None => {}
        }
        if capped[sub] && blocks.iter().filter(|block| block.sub == sub).count() > 1 {
            return Err("more units than a pool holds, started before and after others of their leaf");
        }
    }
    Ok(blocks)
}

/// Writes the jobs of running or pending units. Returns per sub-allocation its pending job and the number of its pods.
fn running(
    writer: &mut Writer<'_>,
    moment: &mut Moment,
    blocks: &[Block],
    state: &PoolState<'_>,
) -> BTreeMap<SubId, (String, usize)> {
    let names = writer.names;
    let n_units = state.units.len();
    let mut claimants = BTreeMap::new();
    for (i, block) in blocks.iter().enumerate() {
        let name = format!("{}-{}", names.subs[block.sub], i + 1);
        let n = block.units.len() + block.waiting;
        if n == 0 {
            continue;
        }
        let mut says = String::new();
        if n > 1 {
            says += &format!(", pods: {n}, min-available: 1");
        }
        if let Some(first) = block.units.first() {
            let on: Vec<&str> = block.units.iter().map(|&unit| names.hosts[state.units[unit].host].as_str()).collect();
            says += &format!(", on: [{}], started: -{}s", on.join(", "), n_units - first.index());
        }
        if state.subs[block.sub].want < state.subs[block.sub].running {
            says += ", restart: never";
        }
        for (k, &unit) in (1..).zip(&block.units) {
            let pod = if n > 1 { format!("{name}/{k}") } else { name.clone() };
            moment.pods.insert(pod, unit);
        }
        if block.waiting > 0 {
            claimants.insert(block.sub, (name.clone(), block.waiting));
        }
        writer.job(&name, &state.subs, block.sub, &says);
        moment.jobs.insert(name, block.sub);
    }
    claimants
}

/// Writes the file of a cycle: `before` precedes the running units.
fn write(
    (plan, layout, names): (&Plan, &Layout, &Names),
    (before, state): (&PoolState<'_>, &PoolState<'_>),
    ended: &[UnitId],
) -> Result<Moment, Differs> {
    sources(plan, layout, state)?;
    let mut writer = Writer::new(plan, layout, names)?;
    writer.text.push_str("jobs:\n");
    let mut moment = Moment { text: String::new(), jobs: BTreeMap::new(), pods: BTreeMap::new() };
    let mut ends = String::new();
    let mut blocks = blocks(plan, layout, state)?;
    let claiming = claiming(&mut blocks, before, |sub| is_capped(plan, layout, state, sub));
    let mut claimants = running(&mut writer, &mut moment, &blocks, state);
    let claims = |earmark: usize| format!("{}-claims-{}", names.subs[before.earmarks[earmark].sub], earmark + 1);
    for &earmark in &claiming {
        let (name, sub) = (claims(earmark), before.earmarks[earmark].sub);
        writer.job(&name, &state.subs, sub, "");
        moment.jobs.insert(name, sub);
    }
    for (unit, earmark) in leaving(before, ended) {
        let of = before.units[unit];
        let name = format!("{}-leaves-{}", names.subs[of.sub], unit.index() + 1);
        let left = match of.state {
            UnitState::Reclaiming(until) if !ended.contains(&unit) => (until - state.now).as_millis().max(0) / 1000,
            _ => 0,
        };
        let mut says = format!(", on: [{}], terminating: [{left}s], restart: never", names.hosts[of.host]);
        if let Some(earmark) = earmark {
            let of_block = || claimants.get(&before.earmarks[earmark].sub).map(|(name, _)| name.clone());
            let claimant = if claiming.contains(&earmark) { Some(claims(earmark)) } else { of_block() };
            let claimant = claimant.ok_or("room that is held for a unit that is not wanted any more")?;
            says += &format!(", evicted-for: {claimant}");
        }
        writer.job(&name, &state.subs, of.sub, &says);
        moment.pods.insert(name.clone(), unit);
        moment.jobs.insert(name, of.sub);
    }
    let runs = |unit: &&UnitId| before.units[**unit].state == UnitState::Run;
    for &unit in ended.iter().filter(runs) {
        let of = before.units[unit];
        let name = format!("{}-ends-{}", names.subs[of.sub], unit.index() + 1);
        writer.job(&name, &state.subs, of.sub, &format!(", on: [{}]", names.hosts[of.host]));
        ends += &format!("- {{at: 0s, job: {name}}}\n");
    }
    for (_, earmark) in before.earmarks.iter().enumerate().filter(|(i, _)| !claiming.contains(i)) {
        let waiting = claimants.get_mut(&earmark.sub).map(|(_, waiting)| waiting).filter(|n| **n > 0);
        *waiting.ok_or("room that is held for a unit that is not wanted any more")? -= 1;
    }
    moment.text = writer.text + &if ends.is_empty() { ends } else { format!("timeline:\n{ends}") };
    Ok(moment)
}

/// Earmarks whose pending pod has a job of its own, so that the file tells for which job each pod terminates.
fn claiming(blocks: &mut [Block], state: &PoolState<'_>, is_capped: impl Fn(SubId) -> bool) -> Vec<usize> {
    let mut claiming = Vec::new();
    for (i, earmark) in state.earmarks.iter().enumerate().filter(|(_, earmark)| !is_capped(earmark.sub)) {
        if let Some(block) = blocks.iter_mut().find(|b| b.sub == earmark.sub && b.waiting > 0) {
            block.waiting -= 1;
            claiming.push(i);
        }
    }
    claiming
}

/// Units in their grace period with their earmark, in the order of the earmarks.
fn leaving(state: &PoolState<'_>, ended: &[UnitId]) -> Vec<(UnitId, Option<usize>)> {
    let promised = state.earmarks.iter().enumerate();
    let promised = promised.flat_map(|(i, e)| e.victims.iter().map(move |&unit| (unit, Some(i))));
    let mut leaving: Vec<(UnitId, Option<usize>)> = promised.collect();
    for (id, unit) in state.units.iter() {
        let is_known = leaving.iter().any(|(known, _)| *known == id);
        if matches!(unit.state, UnitState::Reclaiming(_)) && !is_known && !ended.contains(&id) {
            leaving.push((id, None));
        }
    }
    leaving
}

/// A run of a scenario in terms of the recording.
struct Run<'m> {
    simulation: Simulation,
    moment: &'m Moment,
    hosts: BTreeMap<&'m str, HostId>,
    /// Units of the pods that started in the first cycle.
    started: BTreeMap<String, UnitId>,
}

impl Run<'_> {
    fn sub(&self, job: JobId) -> Result<SubId, String> {
        let name = &*self.simulation.cluster().jobs[job].name;
        self.moment.jobs.get(name).copied().ok_or_else(|| format!("unknown job {name}"))
    }

    fn host(&self, node: NodeId) -> Result<HostId, String> {
        let name = &*self.simulation.cluster().nodes[node].name;
        self.hosts.get(name).copied().ok_or_else(|| format!("unknown node {name}"))
    }

    fn sub_of(&self, pod: PodId) -> Result<SubId, String> {
        self.sub(self.simulation.cluster().pods[pod].job)
    }

    /// Decisions of a cycle. `units` are those that start in it, in order.
    fn decided(&mut self, record: &CycleRecord, units: &[UnitId]) -> Result<Decided, String> {
        let mut decided = Decided::default();
        for recorded in &record.events {
            match recorded.event {
                Event::Bound { pod, node, .. } => {
                    let name = self.simulation.cluster().pods[pod].name.to_string();
                    if let Some(&unit) = units.get(decided.starts.len()) {
                        self.started.insert(name, unit);
                    }
                    decided.starts.push((self.sub_of(pod)?, self.host(node)?));
                }
                Event::Claimed { pod, node } => {
                    decided.claims.push((self.sub_of(pod)?, self.host(node)?));
                }
                Event::Evicted { pod, reason, by, .. } => {
                    let p = &self.simulation.cluster().pods[pod];
                    let unit = self.moment.pods.get(&*p.name).or_else(|| self.started.get(&*p.name));
                    let unit = *unit.ok_or_else(|| format!("unknown pod {}", p.name))?;
                    let Phase::Terminating { until, .. } = p.phase else {
                        return Err(format!("evicted, but {:?}", p.phase));
                    };
                    let left = (until - self.simulation.now()).as_millis() / 1000;
                    let by = by.map(|job| self.sub(job)).transpose()?;
                    decided.evictions.push((unit, reason, by, left));
                }
                _ => {}
            }
        }
        Ok(decided)
    }
}

fn follow(moment: &Moment, expected: &Decided, names: &Names, is_free_pass: bool) -> Result<(), String> {
    let mut run = Run {
        simulation: crate::front::simulation(&moment.text)?,
        moment,
        hosts: names.hosts.iter().map(|(host, name)| (name.as_str(), host)).collect(),
        started: BTreeMap::new(),
    };
    let record = run.simulation.advance().ok_or("no cycle")?;
    let got = run.decided(&record, &expected.units)?;
    let (now, handed) = expected.starts.split_at(expected.handed);
    let start = |(sub, host): &(SubId, HostId)| format!("{} on {}", names.subs[*sub], names.hosts[*host]);
    same("start", now, &got.starts, start)?;
    if is_free_pass {
        return Ok(());
    }
    same("eviction", &expected.evictions, &got.evictions, |(unit, why, by, left)| {
        let by = by.map_or("nobody", |sub| names.subs[sub].as_str());
        format!("u{} ({why:?}) for {by} in {left} s", unit.index() + 1)
    })?;
    same("claim", &expected.claims, &got.claims, start)?;
    if handed.is_empty() {
        return Ok(());
    }
    let at = run.simulation.now();
    let next = run.simulation.advance().filter(|record| record.time == at).ok_or("no second cycle")?;
    let got = run.decided(&next, &[])?;
    same("start in the room of others", handed, &got.starts[..handed.len().min(got.starts.len())], start)
}

/// Compares decisions of one kind in their order.
fn same<T: PartialEq>(what: &str, wanted: &[T], got: &[T], says: impl Fn(&T) -> String) -> Result<(), String> {
    let Some(at) = (0..wanted.len().max(got.len())).find(|&i| wanted.get(i) != got.get(i)) else {
        return Ok(());
    };
    let text = |of: Option<&T>| of.map_or("none".to_owned(), &says);
    Err(format!("{what} {at}: expected {}, got {}", text(wanted.get(at)), text(got.get(at))))
}
