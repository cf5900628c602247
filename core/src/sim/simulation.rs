//! Advances a run cycle by cycle.
//!
//! # Rule
//! Cycle 0 is the opening state: everything known at the start. To advance, the time of the next cycle is determined,
//! the agenda is applied in its order up to and including that time, the policy runs once in every partition that is
//! due (see `partitions`), and its decisions are applied in their order. Entries that a decision adds for the same
//! instant (an eviction without grace) are applied with the next cycle, so that the state after this one still shows
//! them.
//!
//! # Source
//! Every period: the first cycle is one period after the start, unless another time is given. On change: a cycle at
//! every arrival, end and timeline entry, no sooner than the policy's shortest distance between two cycles allows.

use std::sync::Arc;

use super::agenda::Agenda;
use super::lost_claims::LostClaims;
use super::meter::Meter;
use super::partition_state::{self, PartitionState};
use super::policy_timers::PolicyTimers;
use super::record::{CycleRecord, Log, log};
use super::unreplaced::Unreplaced;
use crate::cluster::{Cluster, ClusterState, Devices};
use crate::id::{Arena, PartitionId, PodId, QueueId};
use crate::policy::{Change, Decision, Monitor, PartitionView, Wake};
use crate::scenario::{Plan, Planned};
use crate::time::{Span, Time};
use crate::trace::{Digest, DivisionStep, Event, Gate, Ledger, Level, Outlook, Recorded, Refusal, Trace};
use crate::units::Resource;

/// Largest number of cycles at one instant; after them a millisecond passes.
const SAME_INSTANT_MAX: u32 = 64;

/// A simulation between two cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    pub(super) fixed: Arc<Fixed>,
    pub(super) world: ClusterState,
    pub(super) hashes: PodHashes,
    pub(super) state: RunState,
}

/// The immutable part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// A policy that reloads its settings has none.
    pub(super) timers: Arena<PartitionId, PolicyTimers>,
    pub(super) timeline: Vec<Planned>,
    /// Number of runs of a partition without any change that exclude further decisions.
    pub(super) rounds: u32,
    /// Whether all partitions have the same rhythm.
    pub(super) is_one_rhythm: bool,
}

/// The mutable part of a run, apart from the world.
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    pub(super) partitions: Arena<PartitionId, PartitionState>,
    pub(super) agenda: Agenda,
    pub(super) meter: Meter,
    pub(super) level: Level,
    pub(super) monitor: Monitor,
    pub(super) now: Time,
    pub(super) cycle: u32,
    /// Number of further cycles at the present instant.
    n_at_instant: u32,
    /// Time of the last change: an external event or a decision.
    pub(super) changed_at: Time,
    /// The ledger of the only partition, or the sums over all.
    pub(super) ledger: Arc<Ledger>,
    refusals: Arc<Vec<Refusal>>,
    pub(super) unreplaced: Arc<Unreplaced>,
    lost_claims: Arc<LostClaims>,
    opening: Arc<CycleRecord>,
}

/// The hash of every pod's phase and place, and their sum.
#[derive(Clone, Debug, PartialEq)]
pub struct PodHashes {
    each: Arena<PodId, u64>,
    sum: u64,
}

impl PodHashes {
    /// Hashes every pod of a world.
    pub fn new(world: &ClusterState) -> PodHashes {
        let each: Arena<PodId, u64> = world.cluster().pods.iter().map(|(id, pod)| Digest::of_pod(id, pod)).collect();
        let sum = each.values().fold(0u64, |sum, &hash| sum.wrapping_add(hash));
        PodHashes { each, sum }
    }

    fn update(&mut self, pod: PodId, hash: u64) {
        let old = std::mem::replace(&mut self.each[pod], hash);
        self.sum = self.sum.wrapping_sub(old).wrapping_add(hash);
    }
}

impl RunState {
    /// Whether [`SAME_INSTANT_MAX`] is reached, so that a millisecond has to pass.
    pub(super) fn is_stuck(&self) -> bool {
        self.n_at_instant >= SAME_INSTANT_MAX
    }
}

impl Simulation {
    /// Creates the opening state of a plan; events at or before the start are already applied.
    pub fn new(plan: &Plan) -> Simulation {
        let partitions: Arena<PartitionId, PartitionState> =
            plan.cluster.partitions.ids().map(|partition| PartitionState::open(plan, partition)).collect();
        let world = ClusterState::new(plan.cluster.clone());
        let state = RunState {
            partitions,
            agenda: Agenda::of(world.cluster(), &plan.timeline),
            meter: Meter::new(&world),
            level: Level::default(),
            monitor: Monitor::default(),
            now: Time::ZERO,
            cycle: 0,
            n_at_instant: 0,
            changed_at: Time::ZERO,
            ledger: Arc::default(),
            refusals: Arc::default(),
            unreplaced: Arc::default(),
            lost_claims: Arc::default(),
            opening: Arc::default(),
        };
        let fixed = Arc::new(Fixed {
            timers: plan.cluster.partitions.ids().map(|id| PolicyTimers::new(plan, id)).collect(),
            timeline: plan.timeline.clone(),
            rounds: partition_state::rounds(plan),
            is_one_rhythm: plan.further.iter().all(|(_, rhythm)| *rhythm == plan.rhythm),
        });
        let mut simulation = Simulation { fixed, hashes: PodHashes::new(&world), world, state };
        simulation.open();
        simulation
    }

    fn open(&mut self) {
        self.notify(Change::Configuration);
        let live_jobs = self.cluster().live_jobs.clone();
        let mut events = Log::new();
        live_jobs.iter().for_each(|&job| log(&mut events, Event::Submitted { job }));
        for job in live_jobs {
            for pod in self.cluster().jobs[job].pod_ids() {
                self.schedule(pod);
            }
            self.wake_after_start(job);
            self.notify(Change::Submitted(job));
        }
        self.apply_until(Time::ZERO, &mut events);
        for part in self.state.partitions.values_mut() {
            part.is_triggered |= !events.is_empty();
        }
        Unreplaced::note(&mut self.state.unreplaced, self.world.cluster(), self.state.now, &events);
        self.close();
        self.state.opening = Arc::new(self.record(events, 0));
    }

    /// Runs the next cycle. `None`: the run has no further cycle, or the cycle was interrupted: then this state is
    /// between two cycles and must not be used any more.
    pub fn advance(&mut self) -> Option<CycleRecord> {
        self.advance_traced().map(|(record, _)| record)
    }

    /// Runs the next cycle and also returns what of its trace is not in the record: at level *every*, all comparisons.
    pub fn advance_traced(&mut self) -> Option<(CycleRecord, Trace)> {
        self.advance_explaining(None)
    }

    /// The same with the events of a pod explained, or the first ones; see [`Trace::explained`].
    pub(super) fn advance_explaining(&mut self, explained: Option<PodId>) -> Option<(CycleRecord, Trace)> {
        let time = self.next_cycle_at()?;
        let before = self.state.now;
        let mut events = Vec::new();
        self.apply_until(time, &mut events);
        let n_outside = events.len();
        self.move_to(time);
        let state = &mut self.state;
        state.n_at_instant = if time == before && state.cycle > 0 { state.n_at_instant + 1 } else { 0 };
        state.cycle += 1;
        let (mut trace, ran) = self.run_due(time, explained);
        if self.state.monitor.is_interrupted() {
            return None;
        }
        events.append(&mut trace.events);
        if !events.is_empty() {
            self.state.changed_at = time;
        }
        self.note_change(!events.is_empty(), &ran);
        self.offer_to_next(&ran, &mut events);
        Unreplaced::note(&mut self.state.unreplaced, self.world.cluster(), self.state.now, &events);
        LostClaims::note(&mut self.state.lost_claims, self.world.cluster(), &events);
        self.wake_after_usage();
        let refusals = std::mem::take(&mut trace.refusals);
        if *self.state.refusals != refusals {
            self.state.refusals = Arc::new(refusals);
        }
        self.close();
        let (marks, not_selected) = (std::mem::take(&mut trace.marks), std::mem::take(&mut trace.not_selected));
        let (searches, unfinished) = (std::mem::take(&mut trace.searches), std::mem::take(&mut trace.unfinished));
        let record = self.record(events, n_outside);
        Some((CycleRecord { marks, not_selected, searches, unfinished, ..record }, trace))
    }

    /// Moves the clock, which nothing else writes; what was held until then is measured first.
    pub(super) fn move_to(&mut self, time: Time) {
        self.state.meter.move_to(time, &self.world);
        self.state.now = time;
    }

    fn record(&self, events: Log, n_outside: usize) -> CycleRecord {
        CycleRecord {
            cycle: self.state.cycle,
            time: self.state.now,
            events,
            n_outside: u32::try_from(n_outside).expect("fewer than 2^32 events in one cycle"),
            marks: Vec::new(),
            not_selected: Vec::new(),
            searches: Vec::new(),
            unfinished: Vec::new(),
            refusals: self.state.refusals.clone(),
            lost_claims: self.state.lost_claims.lost(),
            ledger: self.state.ledger.clone(),
            pools: self.ledgers(),
            digest: self.digest(),
        }
    }

    /// Whether nothing further can happen unless the scenario changes: the agenda is empty, the last cycle changed
    /// nothing, and neither time nor measured usage can change a decision.
    pub fn is_quiet(&self) -> bool {
        self.next_cycle_at().is_none() || self.state.agenda.is_empty() && self.is_idle() && !self.usage_matters()
    }

    /// Whether cycles change nothing until the next external event: the last ones did not, and time alone cannot change
    /// a decision.
    fn is_idle(&self) -> bool {
        self.state.cycle > 0 && self.is_settled() && !self.time_matters()
    }

    /// Skips periodic cycles that change nothing, up to the last one before the next external event and not beyond the
    /// given cycle and time. Law: the state is the same as if each had been run. Returns the number of skipped cycles.
    pub fn skip_idle(&mut self, cycle_max: u32, until: Time) -> u32 {
        let (Some(next), now) = (self.common_wake(), self.state.now) else { return 0 };
        let (period, first) = (next - now, self.state.agenda.first());
        if period <= Span::ZERO || !self.is_idle() {
            return 0;
        }
        let measured = self.fixed.timers.iter().filter(|(partition, _)| self.usage_matters_in(*partition));
        let usage = measured.filter_map(|(_, timers)| Some(timers.usage?.next(now))).min();
        let first = first.into_iter().chain(usage).min();
        let last = first.map_or(until, |first| until.min(first - Span::from_millis(1)));
        let n_fitting = (last - now).as_millis() / period.as_millis();
        let n = u32::try_from(n_fitting.max(0)).unwrap_or(u32::MAX).min(cycle_max.saturating_sub(self.state.cycle));
        let end = now + Span::from_millis(period.as_millis() * i64::from(n));
        self.move_to(end);
        self.state.cycle += n;
        let mut has_passed = false;
        for (partition, timers) in self.fixed.timers.iter() {
            let view = PartitionView::new(&self.world, partition, end);
            let part = &mut self.state.partitions[partition];
            part.wake = Wake::At(end + period);
            if timers.usage.is_some() && n > 0 {
                part.policy.cycles_skipped(view, n, &mut part.memory);
                has_passed = true;
            }
        }
        if has_passed {
            self.close();
        }
        n
    }

    /// Lets time pass to an instant before the next cycle, where the run ends; what happens until then is not recorded.
    pub(super) fn end_at(&mut self, time: Time) {
        self.apply_until(time, &mut Log::new());
        self.move_to(self.state.now.max(time));
        self.close();
    }

    /// Runs the policy of a partition once and applies its decisions.
    pub(super) fn run_policy(&mut self, partition: PartitionId, monitor: &Monitor, trace: &mut Trace) {
        let now = self.state.now;
        let view = PartitionView { monitor: Some(monitor), ..PartitionView::new(&self.world, partition, now) };
        let part = &mut self.state.partitions[partition];
        let turn = part.policy.cycle(view, &mut part.memory, trace);
        part.wake = turn.wake;
        // A job with a list of partitions is offered to another one next, which this one cannot foresee.
        for refusal in &mut trace.refusals {
            let is_offered = self.world.cluster().jobs[refusal.job].next_pool().is_some();
            if is_offered && !matches!(refusal.gate, Gate::WaitingForVictims { .. }) {
                refusal.outlook = Outlook::NotForeseeable;
            }
        }
        let mut bound = Vec::new();
        for decision in turn.decisions {
            match decision {
                Decision::Bind { pod, node, devices } => {
                    let devices = self.world.bind(pod, node, devices, now);
                    let devices = devices.unwrap_or_else(|why| panic!("{pod:?} cannot be bound to {node:?}: {why:?}"));
                    bound.push((pod, devices));
                    self.schedule(pod);
                    let job = self.cluster().pods[pod].job;
                    if !self.fixed.timers[partition].after_start.is_empty()
                        && self.cluster().jobs[job].last_start == Some(now)
                    {
                        self.wake_after_start(job);
                    }
                }
                Decision::Evict { pod, grace } => {
                    self.unschedule(&[pod]);
                    self.world.evict(pod, grace, now);
                    self.schedule(pod);
                }
            }
        }
        self.wake_after_incomplete_gang(partition);
        fill_in_devices(&mut trace.events, bound);
    }

    /// Updates the ledgers and hashes.
    fn close(&mut self) {
        self.close_ledgers();
        for pod in self.world.take_touched() {
            self.hashes.update(pod, Digest::of_pod(pod, &self.world.cluster().pods[pod]));
        }
    }

    /// Hash of placements, phases and ledger after the latest cycle.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.word(u64::from(self.state.cycle));
        digest.word(self.state.now.as_millis() as u64);
        digest.word(self.hashes.sum);
        self.digest_parts(&mut digest);
        digest.finish()
    }

    /// Notifies the schedulers that a change concerns; a change of the configuration concerns all.
    pub(super) fn notify(&mut self, change: Change) {
        let job_of = |pod: PodId| self.world.cluster().pods[pod].job;
        let job = match change {
            Change::Submitted(job) => Some(job),
            Change::PodOver(pod) => Some(job_of(pod)),
            Change::Configuration => None,
        };
        let only = job.map(|job| self.world.cluster().jobs[job].partition);
        let now = self.state.now;
        for (partition, part) in self.state.partitions.iter_mut() {
            if only.is_none_or(|only| only == partition) {
                let view = PartitionView::new(&self.world, partition, now);
                part.policy.observe(view, &change, &mut part.memory);
            }
        }
    }

    /// Derivation of a queue's present entitlement in the first partition; empty under a policy without entitlements.
    pub fn derive(&self, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
        self.derive_in(PartitionId(0), queue, resource)
    }

    /// Derivation of a queue's present entitlement in a partition.
    pub fn derive_in(&self, partition: PartitionId, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
        let (view, part) = (self.view(partition), &self.state.partitions[partition]);
        part.policy.derive(view, &part.memory, queue, resource)
    }
    /// The record of the opening state.
    pub fn opening(&self) -> &CycleRecord {
        &self.state.opening
    }
    /// The recording level.
    pub fn level(&self) -> Level {
        self.state.level
    }
    /// Sets the recording level of further cycles; decisions never depend on it.
    pub fn set_level(&mut self, level: Level) {
        self.state.level = level;
    }
    /// Sets what may end further cycles early.
    pub fn set_monitor(&mut self, monitor: Monitor) {
        self.state.monitor = monitor;
    }
    /// Approximate size of a copy, in bytes.
    pub fn weight(&self) -> u64 {
        self.world.weight() + self.state.agenda.weight()
    }
    /// Returns the latest eviction of every job that ended because its evicted pods were not replaced, ordered by the
    /// end of the job.
    pub fn evicted_jobs(&self) -> Vec<(Time, Event)> {
        self.state.unreplaced.ended_jobs(self.cluster())
    }
    /// The present world.
    pub fn world(&self) -> &ClusterState {
        &self.world
    }
    /// The present cluster.
    pub fn cluster(&self) -> &Cluster {
        self.world.cluster()
    }
    /// The policy's present numbers.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.state.ledger
    }
    /// The integrals from the start until now.
    pub fn meter(&self) -> &Meter {
        &self.state.meter
    }
    /// The time of the latest cycle.
    pub fn now(&self) -> Time {
        self.state.now
    }
    /// Number of the latest cycle; 0 before the first.
    pub fn cycle(&self) -> u32 {
        self.state.cycle
    }
}

/// Writes the devices of bound pods into the policy's events.
fn fill_in_devices(events: &mut [Recorded], mut bound: Vec<(PodId, Devices)>) {
    bound.sort_by_key(|b| b.0);
    for recorded in events {
        if let Event::Bound { pod, devices, .. } = &mut recorded.event
            && let Ok(i) = bound.binary_search_by_key(pod, |b| b.0)
        {
            *devices = bound[i].1;
        }
    }
}
