//! One cycle after the other.
//!
//! # Rule
//! Cycle 0 is the opening state: what is known at the start. To advance, the moment of the next cycle is found,
//! everything on the agenda up to and at that moment is applied in the agenda's order, the policy is asked once in every
//! partition that is due (see `partitions`), and its decisions are applied in their order. What a decision puts on the agenda for the same instant (an eviction
//! without grace) happens on the way to the next cycle, so that the state after this one still shows it.
//!
//! # Source
//! Every period: the first cycle is one period after the start, unless another moment is given. On change: a cycle at every arrival, end
//! and timeline entry, as soon as the policy's shortest distance of two cycles allows.

use std::sync::Arc;

use super::agenda::Agenda;
use super::event_log::{Log, log};
use super::meter::Meter;
use super::partition_state::{self, PartitionState};
use super::policy_timers::PolicyTimers;
use super::record::CycleRecord;
use super::unreplaced::Unreplaced;
use crate::cluster::{Cluster, Devices, World};
use crate::id::{Arena, PartitionId, PodId, QueueId};
use crate::policy::{Change, Decision, PartitionView, Wake};
use crate::scenario::{Plan, Planned};
use crate::time::{Span, Time};
use crate::trace::{Digest, DivisionStep, Event, Gate, Ledger, Level, Outlook, Recorded, Refusal, Trace};
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
    pub(super) timers: Arena<PartitionId, PolicyTimers>,
    pub(super) timeline: Vec<Planned>,
    /// How often a partition has to be asked without any change until nothing can come of it.
    pub(super) rounds: u32,
    /// Whether all partitions are asked in the same rhythm.
    pub(super) is_one_rhythm: bool,
}

/// What changes, beside the world.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub(super) partitions: Arena<PartitionId, PartitionState>,
    pub(super) agenda: Agenda,
    pub(super) meter: Meter,
    pub(super) level: Level,
    pub(super) now: Time,
    pub(super) cycle: u32,
    /// Cycles at the present instant.
    n_here: u32,
    /// When something last changed: an event from outside, or a decision.
    pub(super) changed_at: Time,
    /// The only partition's, or the sums over all.
    pub(super) ledger: Arc<Ledger>,
    refusals: Arc<Vec<Refusal>>,
    pub(super) unreplaced: Arc<Unreplaced>,
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
    /// Whether so many cycles took place at this instant that a millisecond has to pass.
    pub(super) fn is_stuck(&self) -> bool {
        self.n_here >= SAME_INSTANT_MAX
    }
}

impl Simulation {
    /// The opening state of a plan. What happens at or before the start has happened.
    pub fn new(plan: &Plan) -> Simulation {
        let partitions: Arena<PartitionId, PartitionState> =
            plan.cluster.partitions.ids().map(|partition| PartitionState::open(plan, partition)).collect();
        let world = World::new(plan.cluster.clone());
        let state = State {
            partitions,
            agenda: Agenda::of(world.cluster(), &plan.timeline),
            meter: Meter::new(&world),
            level: Level::default(),
            now: Time::ZERO,
            cycle: 0,
            n_here: 0,
            changed_at: Time::ZERO,
            ledger: Arc::default(),
            refusals: Arc::default(),
            unreplaced: Arc::default(),
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
        self.tell(Change::Configuration);
        let known = self.cluster().live_jobs.clone();
        let mut events = Log::new();
        known.iter().for_each(|&job| log(&mut events, Event::Submitted { job }));
        for job in known {
            for pod in self.cluster().jobs[job].pod_ids() {
                self.schedule(pod);
            }
            self.wake_after_start(job);
            self.tell(Change::Submitted(job));
        }
        self.apply_until(Time::ZERO, &mut events);
        for part in self.state.partitions.values_mut() {
            part.has_news |= !events.is_empty();
        }
        Unreplaced::note(&mut self.state.unreplaced, self.world.cluster(), self.state.now, &events);
        self.close();
        self.state.opening = Arc::new(self.record(events, 0));
    }

    /// One cycle; the only function that moves time. `None`: nothing will ever happen again, or the policy would
    /// never be asked again.
    pub fn advance(&mut self) -> Option<CycleRecord> {
        self.advance_traced().map(|(record, _)| record)
    }

    /// The same, with what is not part of the record: every comparison, at level *every*.
    pub fn advance_traced(&mut self) -> Option<(CycleRecord, Trace)> {
        let at = self.next_cycle_at()?;
        let before = self.state.now;
        let mut events = Vec::new();
        self.apply_until(at, &mut events);
        let n_outside = events.len();
        self.state.meter.move_to(at, &self.world);
        let state = &mut self.state;
        state.n_here = if at == before && state.cycle > 0 { state.n_here + 1 } else { 0 };
        state.now = at;
        state.cycle += 1;
        let (mut trace, asked) = self.ask_due(at);
        events.append(&mut trace.events);
        if !events.is_empty() {
            self.state.changed_at = at;
        }
        self.note_change(!events.is_empty(), &asked);
        self.move_on(&asked, &mut events);
        Unreplaced::note(&mut self.state.unreplaced, self.world.cluster(), self.state.now, &events);
        self.wake_after_usage();
        if *self.state.refusals != trace.refusals {
            self.state.refusals = Arc::new(trace.refusals.clone());
        }
        self.close();
        let (marks, not_selected) =
            (std::mem::take(&mut trace.marks), std::mem::take(&mut trace.not_selected));
        Some((CycleRecord { marks, not_selected, ..self.record(events, n_outside) }, trace))
    }

    fn record(&self, events: Log, n_outside: usize) -> CycleRecord {
        CycleRecord {
            cycle: self.state.cycle,
            time: self.state.now,
            events,
            n_outside: u32::try_from(n_outside).expect("fewer than 2^32 events in one cycle"),
            marks: Vec::new(),
            not_selected: Vec::new(),
            refusals: self.state.refusals.clone(),
            ledger: self.state.ledger.clone(),
            pools: self.ledgers(),
            digest: self.digest(),
        }
    }

    /// Whether nothing will happen any more unless the scenario changes: nothing is on the agenda, the last
    /// cycle changed nothing, and time alone cannot matter to the policy any more.
    pub fn is_quiet(&self) -> bool {
        self.next_cycle_at().is_none()
            || self.state.agenda.is_empty() && self.is_idle() && !self.usage_matters()
    }

    /// Whether cycles change nothing until something happens outside: the last ones did not, and time alone cannot
    /// matter to the policy.
    fn is_idle(&self) -> bool {
        self.state.cycle > 0 && self.is_still() && !self.time_matters()
    }

    /// Leaves out periodic cycles that change nothing, up to the last one before something happens outside, and
    /// not beyond the given cycle and moment. Law: the state is the same as if each had been run. Gives how many
    /// were left out.
    pub fn skip_idle(&mut self, cycle_max: u32, by: Time) -> u32 {
        let (Some(next), now) = (self.common_wake(), self.state.now) else { return 0 };
        let (period, first) = (next - now, self.state.agenda.first());
        if period <= Span::ZERO || !self.is_idle() {
            return 0;
        }
        let measured = self.fixed.timers.iter().filter(|(partition, _)| self.usage_matters_in(*partition));
        let usage = measured.filter_map(|(_, timers)| Some(timers.usage?.next(now))).min();
        let first = first.into_iter().chain(usage).min();
        let last = first.map_or(by, |first| by.min(first - Span::from_millis(1)));
        let fit = (last - now).as_millis() / period.as_millis();
        let n = u32::try_from(fit.max(0)).unwrap_or(u32::MAX).min(cycle_max.saturating_sub(self.state.cycle));
        let to = now + Span::from_millis(period.as_millis() * i64::from(n));
        self.state.meter.move_to(to, &self.world);
        self.state.now = to;
        self.state.cycle += n;
        let mut has_passed = false;
        for (partition, timers) in self.fixed.timers.iter() {
            let view = PartitionView { cluster: self.world.cluster(), partition, now: to };
            let part = &mut self.state.partitions[partition];
            part.wake = Wake::At(to + period);
            if timers.usage.is_some() && n > 0 {
                part.policy.pass(view, &mut part.memory);
                has_passed = true;
            }
        }
        if has_passed {
            self.close();
        }
        n
    }

    /// Asks the policy in a partition once and applies its decisions.
    pub(super) fn ask(&mut self, partition: PartitionId, trace: &mut Trace) {
        let now = self.state.now;
        let view = PartitionView { cluster: self.world.cluster(), partition, now };
        let part = &mut self.state.partitions[partition];
        let turn = part.policy.cycle(view, &mut part.memory, trace);
        part.wake = turn.wake;
        // A job with a list of partitions is offered to another by then, of which this one knows nothing.
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
                    let devices = self.world.bind_on(pod, node, devices, now);
                    let devices =
                        devices.unwrap_or_else(|why| panic!("{pod:?} cannot be bound to {node:?}: {why:?}"));
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
        self.wake_after_loss(partition);
        fill_in_devices(&mut trace.events, bound);
    }

    /// Brings ledger and hashes up to date.
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

    /// Tells those whom a change concerns; of the configuration, all.
    pub(super) fn tell(&mut self, change: Change) {
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
                let view = PartitionView { cluster: self.world.cluster(), partition, now };
                part.policy.observe(view, &change, &mut part.memory);
            }
        }
    }

    /// How a queue's entitlement in the first partition came about, as things are now; empty under a policy without one.
    pub fn derive(&self, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
        self.derive_in(PartitionId(0), queue, resource)
    }

    /// The same in a partition.
    pub fn derive_in(&self, partition: PartitionId, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
        let (view, part) = (self.view(partition), &self.state.partitions[partition]);
        part.policy.derive(view, &part.memory, queue, resource)
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
    /// What a copy weighs, about, in bytes.
    pub fn weight(&self) -> u64 {
        self.world.weight() + self.state.agenda.weight()
    }
    /// Jobs that are over because their evicted pods were not replaced, in the order in which they ended, each with its
    /// latest eviction.
    pub fn evicted_jobs(&self) -> Vec<(Time, Event)> {
        self.state.unreplaced.ended_jobs(self.cluster())
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
    bound.sort_by_key(|b| b.0);
    for recorded in events {
        if let Event::Bound { pod, devices, .. } = &mut recorded.event
            && let Ok(at) = bound.binary_search_by_key(pod, |b| b.0)
        {
            *devices = bound[at].1;
        }
    }
}
