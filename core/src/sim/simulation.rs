//! One cycle after the other.
//!
//! # Rule
//! Cycle 0 is the opening state: what is known at the start. To advance, the moment of the next cycle is found,
//! everything on the agenda up to and at that moment is applied in the agenda's order, the policy is asked once, and its
//! decisions are applied in their order. What a decision puts on the agenda for the same instant (an eviction
//! without grace) happens on the way to the next cycle, so that the state after this one still shows it.
//!
//! # Source
//! Every period: the first cycle is one period after the start, unless another moment is given. On change: a cycle at every arrival, end
//! and timeline entry, as soon as the policy's shortest distance of two cycles allows.

use crate::kit::sort;
use std::sync::Arc;

use super::agenda::Agenda;
use super::happen::{Log, agenda_of};
use super::looks::{Looks, time_matters, usage_matters};
use super::meter::Meter;
use super::record::CycleRecord;
use crate::cluster::{Cluster, Devices, Pod, World};
use crate::id::{Arena, JobId, PartitionId, PodId, QueueId};
use crate::policy::{Change, Decision, InCharge, Memory, PartitionView, Rhythm, Wake};
use crate::scenario::{Plan, Planned};
use crate::time::{Span, Time};
use crate::trace::{Digest, DivisionStep, Event, Ledger, Level, Recorded, Refusal, Trace};
use crate::units::Resource;

/// At most so many cycles follow each other at one instant; then a millisecond passes.
const SAME_INSTANT_MAX: u32 = 64;

/// A simulation between two cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    pub(super) fixed: Arc<Fixed>,
    pub(super) world: World,
    pub(super) hashes: PodHashes,
    pub(super) state: State,
}

/// What never changes in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    pub(super) opening: World,
    pub(super) policies: InCharge,
    pub(super) timeline: Vec<Planned>,
    pub(super) looks: Looks,
}

/// What changes, beside the world.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub(super) memory: Memory,
    pub(super) agenda: Agenda,
    pub(super) meter: Meter,
    pub(super) level: Level,
    pub(super) now: Time,
    pub(super) cycle: u32,
    /// What the policy said last; before the first cycle what its rhythm says.
    wake: Wake,
    /// News the policy has not been asked about yet.
    pub(super) has_news: bool,
    /// A gang became incomplete since the last cycle.
    pub(super) has_torn: bool,
    /// Cycles at the present instant.
    n_here: u32,
    /// When something last changed: an event from outside, or a decision.
    changed_at: Time,
    ledger: Arc<Ledger>,
    row_hashes: Vec<u64>,
    refusals: Arc<Vec<Refusal>>,
    /// How many times a pod changed.
    n_changes: u64,
    opening: Arc<CycleRecord>,
}

/// The hash of every pod's phase and place, and their sum.
#[derive(Clone, Debug, PartialEq)]
pub struct PodHashes {
    each: Arena<PodId, u64>,
    sum: u64,
}

impl PodHashes {
    /// Of a world.
    pub fn new(world: &World) -> PodHashes {
        let each: Arena<PodId, u64> =
            world.cluster().pods.iter().map(|(id, pod)| Digest::of_pod(id, pod)).collect();
        let sum = each.values().fold(0u64, |sum, &hash| sum.wrapping_add(hash));
        PodHashes { each, sum }
    }

    fn update(&mut self, pod: PodId, hash: u64) {
        let old = std::mem::replace(&mut self.each[pod], hash);
        self.sum = self.sum.wrapping_sub(old).wrapping_add(hash);
    }
}

impl State {
    /// How much has changed since the start, in bytes.
    pub(super) fn changed_bytes(&self) -> u64 {
        self.n_changes * size_of::<Pod>() as u64
    }
}

impl Simulation {
    /// The opening state of a plan. What happens at or before the start has happened.
    pub fn new(plan: &Plan) -> Simulation {
        let (policies, memory) = InCharge::new(&plan.policy, plan.rhythm);
        let world = World::new(plan.cluster.clone());
        let wake = match plan.rhythm {
            Rhythm::Every { first, .. } => Wake::At(Time::ZERO + first.max(Span::from_millis(1))),
            Rhythm::OnChange { .. } => Wake::OnChange { not_before: Time::ZERO },
        };
        let state = State {
            memory,
            agenda: agenda_of(world.cluster(), &plan.timeline),
            meter: Meter::new(&world),
            level: Level::default(),
            now: Time::ZERO,
            cycle: 0,
            wake,
            has_news: false,
            has_torn: false,
            n_here: 0,
            changed_at: Time::ZERO,
            ledger: Arc::default(),
            row_hashes: Vec::new(),
            refusals: Arc::default(),
            n_changes: 0,
            opening: Arc::default(),
        };
        let (timeline, looks) = (plan.timeline.clone(), Looks::new(plan));
        let fixed = Arc::new(Fixed { opening: world.clone(), policies, timeline, looks });
        let mut simulation = Simulation { fixed, hashes: PodHashes::new(&world), world, state };
        simulation.open();
        simulation
    }

    fn open(&mut self) {
        self.tell(Change::Configuration);
        let known = self.cluster().live_jobs.clone();
        let submitted = |&job: &JobId| Recorded { event: Event::Submitted { job }, checks: Vec::new() };
        let mut events: Log = known.iter().map(submitted).collect();
        for job in known {
            for pod in self.cluster().jobs[job].pod_ids() {
                self.schedule(pod);
            }
            self.look_after_start(job);
            self.tell(Change::Submitted(job));
        }
        self.happen_until(Time::ZERO, &mut events);
        self.state.has_news |= !events.is_empty();
        self.close();
        self.state.opening = Arc::new(self.record(events, 0));
    }

    /// One cycle; the only function that moves time. `None`: nothing will ever happen again, or the policy would
    /// never be asked again.
    pub fn advance(&mut self) -> Option<CycleRecord> {
        self.advance_traced().map(|(record, _)| record)
    }

    /// The same, with what is not part of the record: every comparison, at level *every*.
    pub(super) fn advance_traced(&mut self) -> Option<(CycleRecord, Trace)> {
        let at = self.next_cycle_at()?;
        let before = self.state.now;
        let mut events = Vec::new();
        self.happen_until(at, &mut events);
        let n_outside = events.len();
        self.state.meter.move_to(at, &self.world);
        let state = &mut self.state;
        state.n_here = if at == before && state.cycle > 0 { state.n_here + 1 } else { 0 };
        state.now = at;
        state.cycle += 1;
        state.has_news = false;
        let mut trace = Trace::new(state.level);
        self.ask(&mut trace);
        events.append(&mut trace.events);
        if !events.is_empty() {
            self.state.changed_at = at;
        }
        self.look_after_usage();
        if *self.state.refusals != trace.refusals {
            self.state.refusals = Arc::new(trace.refusals.clone());
        }
        self.close();
        let marks = std::mem::take(&mut trace.marks);
        Some((CycleRecord { marks, ..self.record(events, n_outside) }, trace))
    }

    fn record(&self, events: Log, n_outside: usize) -> CycleRecord {
        CycleRecord {
            cycle: self.state.cycle,
            time: self.state.now,
            events,
            n_outside: u32::try_from(n_outside).expect("fewer than 2^32 events in one cycle"),
            marks: Vec::new(),
            refusals: self.state.refusals.clone(),
            ledger: self.state.ledger.clone(),
            digest: self.digest(),
        }
    }

    /// When the next cycle takes place, if there is one.
    pub fn next_cycle_at(&self) -> Option<Time> {
        let State { now, n_here, .. } = self.state;
        let earliest = if n_here >= SAME_INSTANT_MAX { now + Span::from_millis(1) } else { now };
        match self.state.wake {
            Wake::Again => Some(earliest),
            Wake::At(at) => Some(at.max(earliest)),
            Wake::OnChange { not_before } => {
                let news = if self.state.has_news { Some(now) } else { self.state.agenda.next_news() };
                news.map(|at| at.max(not_before).max(earliest))
            }
            Wake::OnChangeOrAt { not_before, at } => {
                let news = if self.state.has_news { Some(now) } else { self.state.agenda.next_news() };
                Some(news.map_or(at, |news| news.max(not_before).min(at)).max(earliest))
            }
        }
    }

    /// Whether nothing will happen any more unless the scenario changes: nothing is on the agenda, the last
    /// cycle changed nothing, and time alone cannot matter to the policy any more.
    pub fn is_quiet(&self) -> bool {
        self.next_cycle_at().is_none()
            || self.state.agenda.is_empty() && self.is_idle() && !self.usage_matters()
    }

    /// Whether measured usage may still change a decision.
    pub(super) fn usage_matters(&self) -> bool {
        usage_matters(self.cluster(), &self.fixed.looks, self.state.now - self.state.changed_at)
    }

    /// Whether cycles change nothing until something happens outside: the last one did not, and time alone cannot
    /// matter to the policy.
    fn is_idle(&self) -> bool {
        let state = &self.state;
        let looks = &self.fixed.looks;
        let asked_again = matches!(state.wake, Wake::Again | Wake::OnChangeOrAt { .. }) || state.has_news;
        let still = state.cycle > 0 && !asked_again && state.changed_at < state.now;
        still && (state.now - state.changed_at > looks.longest || !time_matters(self.cluster(), looks))
    }

    /// Leaves out periodic cycles that change nothing, up to the last one before something happens outside, and
    /// not beyond the given cycle and moment. Law: the state is the same as if each had been run. Gives how many
    /// were left out.
    pub fn skip_idle(&mut self, cycle_max: u32, by: Time) -> u32 {
        let (Wake::At(next), now) = (self.state.wake, self.state.now) else { return 0 };
        let (period, first) = (next - now, self.state.agenda.first());
        if period <= Span::ZERO || !self.is_idle() {
            return 0;
        }
        let usage = self.fixed.looks.usage.filter(|_| self.usage_matters());
        let first = first.into_iter().chain(usage.map(|usage| usage.next(now))).min();
        let last = first.map_or(by, |first| by.min(first - Span::from_millis(1)));
        let fit = (last - now).as_millis() / period.as_millis();
        let n = u32::try_from(fit.max(0)).unwrap_or(u32::MAX).min(cycle_max.saturating_sub(self.state.cycle));
        let to = now + Span::from_millis(period.as_millis() * i64::from(n));
        self.state.meter.move_to(to, &self.world);
        self.state.now = to;
        self.state.cycle += n;
        self.state.wake = Wake::At(to + period);
        if self.fixed.looks.usage.is_some() && n > 0 {
            let view = PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now: to };
            self.fixed.policies.pass(view, &mut self.state.memory);
            self.close();
        }
        n
    }

    /// Asks the policy once and applies its decisions.
    fn ask(&mut self, trace: &mut Trace) {
        let now = self.state.now;
        let view = PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now };
        let turn = self.fixed.policies.cycle(view, &mut self.state.memory, trace);
        self.state.wake = turn.wake;
        let mut bound = Vec::new();
        for decision in turn.decisions {
            match decision {
                Decision::Bind { pod, node, devices } => {
                    let devices = self.world.bind_on(pod, node, devices, now);
                    let devices =
                        devices.unwrap_or_else(|why| panic!("{pod:?} cannot be bound to {node:?}: {why:?}"));
                    bound.push((pod, devices));
                    self.schedule(pod);
                    let job = self.cluster().pods[pod].job;
                    if !self.fixed.looks.after_start.is_empty()
                        && self.cluster().jobs[job].last_start == Some(now)
                    {
                        self.look_after_start(job);
                    }
                }
                Decision::Evict { pod, grace } => {
                    self.unschedule(&[pod]);
                    self.world.evict(pod, grace, now);
                    self.schedule(pod);
                }
            }
        }
        self.look_after_loss();
        fill_in_devices(&mut trace.events, bound);
    }

    /// Brings ledger and hashes up to date.
    fn close(&mut self) {
        let ledger = self.fixed.policies.ledger(self.view(), &self.state.memory);
        let State { ledger: old, row_hashes, meter, n_changes, .. } = &mut self.state;
        row_hashes.resize(ledger.rows.len(), 0);
        let mut changed = ledger.total != old.total || ledger.rows.len() != old.rows.len();
        for (at, row) in ledger.rows.iter().enumerate() {
            if old.rows.get(at) != Some(row) {
                row_hashes[at] = Digest::of_row(row);
                meter.row_changed(row);
                changed = true;
            }
        }
        if changed {
            *old = Arc::new(ledger);
        }
        for pod in self.world.take_touched() {
            *n_changes += 1;
            self.hashes.update(pod, Digest::of_pod(pod, &self.world.cluster().pods[pod]));
        }
    }

    /// Hash of placements, phases and ledger after the latest cycle.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.word(u64::from(self.state.cycle));
        digest.word(self.state.now.as_millis() as u64);
        digest.word(self.hashes.sum);
        digest.word(Digest::of_total(&self.state.ledger.total));
        digest.word(self.state.row_hashes.iter().fold(0, |sum, &hash| sum.wrapping_add(hash)));
        digest.finish()
    }

    fn view(&self) -> PartitionView<'_> {
        PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now: self.state.now }
    }

    pub(super) fn tell(&mut self, change: Change) {
        let now = self.state.now;
        let view = PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now };
        self.fixed.policies.observe(view, &change, &mut self.state.memory);
    }

    /// How a queue's entitlement came about, as things are now; empty under a policy without one.
    pub fn derive(&self, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
        self.fixed.policies.derive(self.view(), &self.state.memory, queue, resource)
    }
    /// The opening state's record: what was known at the start.
    pub fn opening(&self) -> &CycleRecord {
        &self.state.opening
    }
    /// How much the records hold.
    pub fn level(&self) -> Level {
        self.state.level
    }
    /// How much the records of further cycles hold; decisions never depend on it.
    pub fn set_level(&mut self, level: Level) {
        self.state.level = level;
    }
    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }
    /// Everything that exists, as it is now.
    pub fn cluster(&self) -> &Cluster {
        self.world.cluster()
    }
    /// The policy's numbers as they are now.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.state.ledger
    }
    /// The integrals over the time so far.
    pub fn meter(&self) -> &Meter {
        &self.state.meter
    }
    /// Now: the time of the latest cycle.
    pub fn now(&self) -> Time {
        self.state.now
    }
    /// The latest cycle; 0 before the first.
    pub fn cycle(&self) -> u32 {
        self.state.cycle
    }
}

/// Writes into the policy's events which devices the pods got.
fn fill_in_devices(events: &mut [Recorded], mut bound: Vec<(PodId, Devices)>) {
    sort::sort_by_key(&mut bound, |b| b.0);
    for recorded in events {
        if let Event::Bound { pod, devices, .. } = &mut recorded.event
            && let Ok(at) = bound.binary_search_by_key(pod, |b| b.0)
        {
            *devices = bound[at].1;
        }
    }
}
