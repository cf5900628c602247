//! One cycle after the other.
//!
//! # Rule
//! Cycle 0 is the opening state: what is known at the start. To advance, the moment of the next cycle is found,
//! everything on the agenda up to and at that moment is applied in the agenda's order, the policy is asked once, and its
//! decisions are applied in their order. What a decision puts on the agenda for the same instant (an eviction
//! without grace) happens on the way to the next cycle, so that the state after this one still shows it.
//!
//! # Source
//! Every period: the first cycle is one period after the start. On change: a cycle at every arrival, end
//! and timeline entry, as soon as the policy's shortest distance of two cycles allows.

use std::sync::Arc;

use super::agenda::{Agenda, Kind};
use super::meter::Meter;
use super::policies::{Memory, Policies};
use crate::cluster::{Cluster, Devices, Job, Phase, Pod, PodSet, Torn, World};
use crate::id::{Arena, Id, JobId, PartitionId, PodId, QueueId};
use crate::policy::{Change, Decision, PartitionView, Policy, Rhythm, Wake};
use crate::scenario::{Plan, PlanChange, Planned};
use crate::time::{Span, Time};
use crate::trace::{Digest, DivisionStep, Event, EvictReason, Ledger, Level, Recorded, Refusal, Trace};
use crate::units::Resource;

/// At most so many cycles follow each other at one instant; then a millisecond passes.
const SAME_INSTANT_MAX: u32 = 64;

/// What one cycle came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CycleRecord {
    /// Number, from 1; 0 is the opening state.
    pub cycle: u32,
    /// When.
    pub time: Time,
    /// What happened since the last cycle, then what the policy decided, each in order.
    pub events: Vec<Recorded>,
    /// How many of `events` happened outside, before the policy was asked.
    pub n_outside: u32,
    /// Why pending jobs are pending; shared with the cycle before when equal. Empty at level *outcomes*.
    pub refusals: Arc<Vec<Refusal>>,
    /// The policy's numbers after the cycle; shared with the cycle before when equal.
    pub ledger: Arc<Ledger>,
    /// Hash of placements, phases and ledger after the cycle.
    pub digest: u64,
}

/// A simulation between two cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    world: World,
    policies: Policies,
    memory: Memory,
    timeline: Arc<[Planned]>,
    agenda: Agenda,
    meter: Meter,
    level: Level,
    now: Time,
    cycle: u32,
    /// What the policy said last; before the first cycle what its rhythm says.
    wake: Wake,
    /// News the policy has not been asked about yet.
    has_news: bool,
    /// Cycles at the present instant.
    n_here: u32,
    /// When something last changed: an event from outside, or a decision.
    changed_at: Time,
    /// For how long after the last change time alone may still matter to the policy.
    settles: Span,
    ledger: Arc<Ledger>,
    row_hashes: Vec<u64>,
    refusals: Arc<Vec<Refusal>>,
    pod_hashes: Arena<PodId, u64>,
    state_hash: u64,
    /// How many times a pod changed.
    n_changes: u64,
    opening: Arc<CycleRecord>,
}

/// A simulation between two cycles, kept to go back to.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint(Simulation);

impl Checkpoint {
    /// The cycle after which it was taken.
    pub fn cycle(&self) -> u32 {
        self.0.cycle
    }
    /// How much had changed since the start, in bytes.
    pub(super) fn changed_bytes(&self) -> u64 {
        self.0.changed_bytes()
    }
    /// What the copy weighs, about, in bytes.
    pub fn weight(&self) -> u64 {
        let cluster = self.0.world.cluster();
        let pods =
            cluster.pods.len() * (size_of::<Pod>() + 24) + cluster.pod_sets.len() * size_of::<PodSet>();
        let jobs = cluster.jobs.len() * (size_of::<Job>() + 8);
        let others = cluster.nodes.len() * 400 + cluster.queues.len() * 1000 + self.0.agenda.len() * 24;
        (pods + jobs + others) as u64
    }
}

impl Simulation {
    /// The opening state of a plan. What happens at or before the start has happened.
    pub fn new(plan: &Plan) -> Simulation {
        let (policies, memory) = Policies::new(&plan.policy, plan.rhythm);
        let world = World::new(plan.cluster.clone());
        let meter = Meter::new(&world);
        let wake = match plan.rhythm {
            Rhythm::Every(period) => Wake::At(Time::ZERO + period.max(Span::from_millis(1))),
            Rhythm::OnChange { .. } => Wake::OnChange { not_before: Time::ZERO },
        };
        let pod_hashes = world.cluster().pods.iter().map(|(id, pod)| Digest::of_pod(id, pod)).collect();
        let mut simulation = Simulation {
            world,
            policies,
            memory,
            timeline: plan.timeline.clone().into(),
            agenda: Agenda::default(),
            meter,
            level: Level::default(),
            now: Time::ZERO,
            cycle: 0,
            wake,
            has_news: false,
            n_here: 0,
            changed_at: Time::ZERO,
            settles: settling_time(plan),
            ledger: Arc::default(),
            row_hashes: Vec::new(),
            refusals: Arc::default(),
            pod_hashes,
            state_hash: 0,
            n_changes: 0,
            opening: Arc::new(CycleRecord {
                cycle: 0,
                time: Time::ZERO,
                events: Vec::new(),
                n_outside: 0,
                refusals: Arc::default(),
                ledger: Arc::default(),
                digest: 0,
            }),
        };
        simulation.open();
        simulation
    }

    fn open(&mut self) {
        self.state_hash = self.pod_hashes.values().fold(0, |sum: u64, &hash| sum.wrapping_add(hash));
        for (position, planned) in self.timeline.iter().enumerate() {
            self.agenda.add(
                planned.at,
                Kind::Change,
                u32::try_from(position).expect("fewer than 2^32 entries"),
            );
        }
        for (job, j) in self.world.cluster().jobs.iter() {
            let is_future = |pod| self.world.cluster().pods[pod].phase == Phase::Future;
            if j.pod_ids().next().is_some_and(is_future) {
                self.agenda.add(j.submit, Kind::Submit, job.0);
            }
        }
        for pod in self.world.cluster().pods.ids() {
            schedule(&mut self.agenda, self.world.cluster(), pod);
        }
        self.tell(Change::Configuration);
        let known = self.world.cluster().live_jobs.clone();
        let submitted = |&job: &JobId| Recorded { event: Event::Submitted { job }, checks: Vec::new() };
        let mut events: Vec<Recorded> = known.iter().map(submitted).collect();
        for job in known {
            self.tell(Change::Submitted(job));
        }
        self.happen_until(Time::ZERO, &mut events);
        self.has_news |= !events.is_empty();
        self.close_ledger();
        self.opening = Arc::new(CycleRecord {
            cycle: 0,
            time: Time::ZERO,
            n_outside: count(&events),
            events,
            refusals: Arc::default(),
            ledger: self.ledger.clone(),
            digest: self.digest(),
        });
    }

    /// One cycle; the only function that moves time. `None`: nothing will ever happen again, or the policy would
    /// never be asked again.
    pub fn advance(&mut self) -> Option<CycleRecord> {
        self.advance_traced().map(|(record, _)| record)
    }

    /// The same, with what is not part of the record: every comparison, at level *every*.
    pub(super) fn advance_traced(&mut self) -> Option<(CycleRecord, Trace)> {
        let at = self.next_cycle_at()?;
        let before = self.now;
        let mut events = Vec::new();
        self.happen_until(at, &mut events);
        let n_outside = count(&events);
        self.n_here = if at == before && self.cycle > 0 { self.n_here + 1 } else { 0 };
        self.meter.move_to(at, &self.world);
        self.now = at;
        self.cycle += 1;
        self.has_news = false;
        let mut trace = Trace::new(self.level);
        self.ask(&mut trace);
        events.append(&mut trace.events);
        if !events.is_empty() {
            self.changed_at = at;
        }
        if *self.refusals != trace.refusals {
            self.refusals = Arc::new(trace.refusals.clone());
        }
        self.close_ledger();
        let record = CycleRecord {
            cycle: self.cycle,
            time: at,
            events,
            n_outside,
            refusals: self.refusals.clone(),
            ledger: self.ledger.clone(),
            digest: self.digest(),
        };
        Some((record, trace))
    }

    /// When the next cycle takes place, if there is one.
    pub fn next_cycle_at(&self) -> Option<Time> {
        let earliest =
            if self.n_here >= SAME_INSTANT_MAX { self.now + Span::from_millis(1) } else { self.now };
        match self.wake {
            Wake::Again => Some(earliest),
            Wake::At(at) => Some(at.max(earliest)),
            Wake::OnChange { not_before } => {
                let news = if self.has_news { Some(self.now) } else { self.agenda.next_news() };
                news.map(|at| at.max(not_before).max(earliest))
            }
        }
    }

    /// Whether nothing will happen any more unless the scenario changes: nothing is on the agenda, the last
    /// cycle changed nothing, and time alone cannot matter to the policy any more.
    pub fn is_quiet(&self) -> bool {
        let asked_again = matches!(self.wake, Wake::Again) || self.has_news;
        let still = self.cycle > 0 && self.agenda.is_empty() && !asked_again && self.changed_at < self.now;
        self.next_cycle_at().is_none()
            || still && (self.now - self.changed_at > self.settles || !time_matters(self.cluster()))
    }

    /// Applies the agenda up to and at an instant.
    fn happen_until(&mut self, by: Time, events: &mut Vec<Recorded>) {
        while let Some((at, kind, sequence)) = self.agenda.take_due(by) {
            let at = at.max(self.now);
            self.meter.move_to(at, &self.world);
            self.now = at;
            self.has_news |= kind.is_news();
            let mut log = |event| events.push(Recorded { event, checks: Vec::new() });
            match kind {
                Kind::End => {
                    let pod = PodId(sequence);
                    let (node, job_done) = self.world.finish(pod, at);
                    log(Event::Finished { pod, node });
                    if job_done {
                        log(Event::JobDone { job: self.world.cluster().pods[pod].job });
                    }
                    self.tell(Change::PodOver(pod));
                }
                Kind::Gone => {
                    let pod = PodId(sequence);
                    let node = self.world.gone(pod, at);
                    log(Event::Gone { pod, node });
                    log(Event::Requeued { pod });
                    self.tell(Change::PodOver(pod));
                }
                Kind::Run => {
                    self.world.run(PodId(sequence), at);
                    schedule(&mut self.agenda, self.world.cluster(), PodId(sequence));
                }
                Kind::Change => self.change(sequence, at, events),
                Kind::Submit => {
                    let job = JobId(sequence);
                    self.world.submit(job, at);
                    log(Event::Submitted { job });
                    self.tell(Change::Submitted(job));
                }
            }
        }
    }

    /// Applies one entry of the timeline.
    fn change(&mut self, position: u32, at: Time, events: &mut Vec<Recorded>) {
        let timeline = self.timeline.clone();
        let planned = &timeline[position as usize];
        let mut log = |event| events.push(Recorded { event, checks: Vec::new() });
        log(Event::Changed { entry: planned.entry });
        match &planned.change {
            PlanChange::Queue { queue, priority, resources, .. } => {
                self.world.set_queue(*queue, *priority, *resources);
            }
            PlanChange::Node { node, ready } => {
                let holding: Vec<PodId> = self.world.pods_on(*node).collect();
                if !ready {
                    self.unschedule(&holding);
                }
                for torn in self.world.set_ready(*node, *ready, at) {
                    log_torn(&mut log, torn, EvictReason::NodeLost);
                    log(Event::Requeued { pod: torn.pod });
                    self.tell(Change::PodOver(torn.pod));
                }
                self.meter.nodes_changed(&self.world);
            }
            PlanChange::EndJob { job } => {
                let pods: Vec<PodId> = self.world.cluster().jobs[*job].pod_ids().collect();
                self.unschedule(&pods);
                self.agenda.cancel(self.world.cluster().jobs[*job].submit, Kind::Submit, job.0);
                let was_open = self.world.cluster().jobs[*job].ended.is_none();
                for torn in self.world.withdraw(*job, at) {
                    log_torn(&mut log, torn, EvictReason::Withdrawn);
                }
                for pod in pods {
                    self.tell(Change::PodOver(pod));
                }
                if was_open {
                    log(Event::JobDone { job: *job });
                }
            }
        }
        self.tell(Change::Configuration);
    }

    /// Asks the policy once and applies its decisions.
    fn ask(&mut self, trace: &mut Trace) {
        let view = PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now: self.now };
        let turn = self.policies.cycle(view, &mut self.memory, trace);
        self.wake = turn.wake;
        let mut bound = Vec::new();
        for decision in turn.decisions {
            match decision {
                Decision::Bind { pod, node, devices } => {
                    let devices = self.world.bind_on(pod, node, devices, self.now);
                    let devices =
                        devices.unwrap_or_else(|why| panic!("{pod:?} cannot be bound to {node:?}: {why:?}"));
                    bound.push((pod, devices));
                }
                Decision::Evict { pod, grace } => {
                    let phase = self.world.cluster().pods[pod].phase;
                    if self.world.evict(pod, grace, self.now).is_some() {
                        cancel(&mut self.agenda, phase, pod);
                    }
                }
            }
            let (Decision::Bind { pod, .. } | Decision::Evict { pod, .. }) = decision;
            schedule(&mut self.agenda, self.world.cluster(), pod);
        }
        fill_in_devices(&mut trace.events, bound);
    }

    /// Brings ledger and hashes up to date.
    fn close_ledger(&mut self) {
        let view = PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now: self.now };
        let ledger = self.policies.ledger(view, &self.memory);
        self.row_hashes.resize(ledger.rows.len(), 0);
        let mut changed = ledger.total != self.ledger.total || ledger.rows.len() != self.ledger.rows.len();
        for (at, row) in ledger.rows.iter().enumerate() {
            if self.ledger.rows.get(at) != Some(row) {
                self.row_hashes[at] = Digest::of_row(row);
                self.meter.row_changed(row);
                changed = true;
            }
        }
        if changed {
            self.ledger = Arc::new(ledger);
        }
        for pod in self.world.take_touched() {
            self.n_changes += 1;
            let hash = Digest::of_pod(pod, &self.world.cluster().pods[pod]);
            let old = std::mem::replace(&mut self.pod_hashes[pod], hash);
            self.state_hash = self.state_hash.wrapping_sub(old).wrapping_add(hash);
        }
    }

    /// Hash of placements, phases and ledger after the latest cycle.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.word(u64::from(self.cycle));
        digest.word(self.now.as_millis() as u64);
        digest.word(self.state_hash);
        digest.word(Digest::of_total(&self.ledger.total));
        digest.word(self.row_hashes.iter().fold(0, |sum, &hash| sum.wrapping_add(hash)));
        digest.finish()
    }

    fn tell(&mut self, change: Change) {
        let view = PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now: self.now };
        self.policies.observe(view, &change, &mut self.memory);
    }

    fn unschedule(&mut self, pods: &[PodId]) {
        for &pod in pods {
            cancel(&mut self.agenda, self.world.cluster().pods[pod].phase, pod);
        }
    }

    /// A copy of everything, to go back to.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.clone())
    }
    /// Goes on from a copy. Law: the same cycles follow, digests included.
    pub fn resume(checkpoint: &Checkpoint) -> Simulation {
        checkpoint.0.clone()
    }

    /// The opening state's record: what was known at the start.
    pub fn opening(&self) -> &CycleRecord {
        &self.opening
    }
    /// How much has changed since the start, in bytes.
    pub(super) fn changed_bytes(&self) -> u64 {
        self.n_changes * size_of::<Pod>() as u64
    }
    /// How much the records hold.
    pub fn level(&self) -> Level {
        self.level
    }
    /// How much the records of further cycles hold; decisions never depend on it.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
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
        &self.ledger
    }
    /// The integrals over the time so far.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }
    /// Now: the time of the latest cycle.
    pub fn now(&self) -> Time {
        self.now
    }
    /// How the entitlement of a queue came about: the levels from the root down.
    pub fn derive(&self, queue: QueueId, resource: Resource) -> Vec<DivisionStep> {
        let view = PartitionView { cluster: self.world.cluster(), partition: PartitionId(0), now: self.now };
        self.policies.derive(view, &self.memory, queue, resource)
    }
    /// The latest cycle; 0 before the first.
    pub fn cycle(&self) -> u32 {
        self.cycle
    }
}

/// For how long after the last change time alone may still change a decision: minimum runtimes and the
/// staleness of gangs.
fn settling_time(plan: &Plan) -> Span {
    let Policy::Kai(config) = &plan.policy else { return Span::ZERO };
    let queues = plan.cluster.queues.values();
    let spans = queues.flat_map(|q| [q.preempt_min_runtime, q.reclaim_min_runtime]).flatten();
    let longest = spans.max().unwrap_or_default();
    let seconds = [
        config.default_preempt_min_runtime_s,
        config.default_reclaim_min_runtime_s,
        config.staleness_grace_s.unwrap_or(0.0),
    ];
    seconds.iter().fold(longest, |longest, s| longest.max(Span::from_millis((s * 1000.0).ceil() as i64)))
}

/// Whether a job waits that a minimum runtime may hold back, or a gang runs below its minimum.
fn time_matters(cluster: &Cluster) -> bool {
    cluster.live_jobs.iter().any(|&job| {
        let holds = cluster.pods_of(job).any(|(_, pod)| pod.phase.holds());
        let waits = cluster.pods_of(job).any(|(_, pod)| pod.phase == Phase::Pending);
        waits
            || holds
                && cluster.jobs[job].pod_set_ids().any(|set| {
                    let holding = cluster
                        .pods_of(job)
                        .filter(|(_, pod)| pod.pod_set == set && pod.phase.holds())
                        .count();
                    holding < cluster.pod_sets[set].min_available as usize
                })
    })
}

fn count(events: &[Recorded]) -> u32 {
    u32::try_from(events.len()).expect("fewer than 2^32 events in one cycle")
}

/// Puts what a pod's phase says about the future on the agenda.
fn schedule(agenda: &mut Agenda, cluster: &Cluster, pod: PodId) {
    if let Some((at, kind)) = next_of(cluster.pods[pod].phase) {
        agenda.add(at, kind, u32::try_from(pod.index()).expect("ids are 32 bits wide"));
    }
}

fn cancel(agenda: &mut Agenda, phase: Phase, pod: PodId) {
    if let Some((at, kind)) = next_of(phase) {
        agenda.cancel(at, kind, pod.0);
    }
}

/// When a phase ends by itself, and how.
fn next_of(phase: Phase) -> Option<(Time, Kind)> {
    match phase {
        Phase::Starting { until } => Some((until, Kind::Run)),
        Phase::Running { until: Some(until), .. } => Some((until, Kind::End)),
        Phase::Terminating { until } => Some((until, Kind::Gone)),
        _ => None,
    }
}

fn log_torn(log: &mut impl FnMut(Event), torn: Torn, reason: EvictReason) {
    let Torn { pod, node, was_leaving } = torn;
    if !was_leaving {
        log(Event::Evicted { pod, node, by: None, reason });
    }
    log(Event::Gone { pod, node });
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
