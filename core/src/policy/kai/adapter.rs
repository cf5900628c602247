//! Conversion from the cluster to the scheduler's data, and of its results to decisions.
//!
//! # Rule
//! An omitted limit is 0 (nothing is allowed), as is an omitted quota or weight. Claims do not outlast the
//! cycle. A job's last start is set by the allocate action only.
//!
//! # Source
//! kai.md 1, 4.5
//!
//! # Differs
//! without departments the synthetic queue uses the row of the first top queue

use std::collections::{BTreeMap, BTreeSet};

use crate::format::{Findings, Scenario};
use crate::policy::Timers;
use crate::policy::description::Description;
use crate::policy::draft::{Draft, DraftQueue};

use super::config::{Config, UsageParams};
use super::explain::outlooks::CompletedCycle;
use super::explain::serving_order;
use super::memory::Memory;
use super::number::Quantities;
use super::order::delay::PREEMPTION_DELAY;
use super::order::{nondeterminism_probe, queue_order};
use super::place::bind::Placing;
use super::pool_reader::PoolReader;
use super::queues::{QueueSpec, snapshot_queues};
use super::record::notes::{empty_row, per_resource};
use super::record::recorder::{Recorder, STUCK_IN_RELEASING, UNFINISHED};
use super::request::Request;
use super::session::Session;
use super::share::published::{LINE_BY_LINE, PUBLISHED, Reading};
use super::share::shares::{self, Queue};
use super::share::usage_tracker::UsageTracker;
use super::solve::candidates::BELOW_QUOTA;
use super::solve::reclaimable::PRIORITY_WITHIN_QUOTA;
use super::task::QueueRef;
use crate::cluster::Phase;
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::policy::setting::Rulebook;
use crate::policy::{Change, Decision, PartitionView, Rhythm, Scheduler, Turn};
use crate::time::Time;
use crate::trace::{DivisionStep, Ledger, LedgerRow, Level, OrderLevel, Trace};
use crate::units::Resource;

/// Fair shares that differ by less are displayed as equal, in GPUs.
const LEAST_DIFFERENCE: f64 = 0.005;

/// KAI Scheduler as a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Kai {
    /// Configuration of the scheduler.
    pub config: Config,
    /// Times of the cycles.
    pub rhythm: Rhythm,
}

impl Scheduler for Kai {
    const DESCRIPTION: &'static Description = &super::DESCRIPTION;
    type Config = Config;
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        super::settings::read(scenario, |_| true, findings)
    }

    fn advise(config: &Config, draft: &Draft<'_>, findings: &mut Findings) {
        super::unused::advice(config, draft, findings);
    }

    fn advise_queue(queue: &DraftQueue<'_>, findings: &mut Findings) {
        super::advice::queue(queue, findings);
    }

    fn inherits_limits(config: &Config) -> bool {
        config.full_hierarchy_fairness
    }

    fn timers(config: &Config) -> Timers {
        config.timers()
    }

    fn rulebook() -> Rulebook {
        let mut rules = super::all_rules();
        // The dialect on this engine has a published formula of its own.
        rules.extend([PUBLISHED, LINE_BY_LINE]);
        // It runs the first revision only.
        rules.extend([UNFINISHED, STUCK_IN_RELEASING, PREEMPTION_DELAY, BELOW_QUOTA]);
        rules.extend([queue_order::PRIORITY_WITHIN_QUOTA, PRIORITY_WITHIN_QUOTA]);
        Rulebook::new(rules, super::settings::all().map(super::settings::Row::rules))
    }

    fn new(config: Config, rhythm: Rhythm) -> Kai {
        Kai { config, rhythm }
    }

    fn observe(&self, _world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
        if *change == Change::Configuration {
            memory.take_pool();
        }
    }

    fn cycles_skipped(&self, world: PartitionView<'_>, n: u32, memory: &mut Memory) {
        if let (Some(params), Some(tracker)) = (&self.config.usage, &mut memory.usage) {
            tracker.skip(params, n, world.now);
        }
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        self.cycle_with(|| snapshot_queues(world), world, memory, trace)
    }

    fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
        self.ledger_with(|| snapshot_queues(world), world, memory)
    }

    fn derive(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        resource: Resource,
    ) -> Vec<DivisionStep> {
        let (queues, total) = self.reader(world, memory).divided(|| snapshot_queues(world));
        let mut steps = self.ladder(&queues, total, (queue, resource));
        if resource == Resource::GPU {
            steps.extend(published_shares(&queues, total, queue));
        }
        steps
    }

    fn order(&self, world: PartitionView<'_>, memory: &Memory, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
        self.order_with(|| snapshot_queues(world), world, memory, (queue, job))
    }
}

/// Variants of the [`Scheduler`] functions that take the queues as a dialect reads them, in the cluster's order.
impl Kai {
    pub(in crate::policy) fn cycle_with(
        &self,
        queues: impl Fn() -> Vec<QueueSpec>,
        world: PartitionView<'_>,
        memory: &mut Memory,
        trace: &mut Trace,
    ) -> Turn {
        if let Some(params) = &self.config.usage {
            let tracker = memory.usage.get_or_insert_with(|| Box::new(start_measuring(params, world)));
            tracker.advance(params, world.now);
        }
        memory.remember_facts(world, &self.config);
        let latest = memory.take_pool();
        let reader = self.reader(world, memory);
        let pool = reader.pool(&reader.facts(), latest, &queues);
        let input = reader.input(&pool);
        memory.keep_pool(pool);
        // Marks and outlooks run the cycle again.
        let again = (trace.level >= Level::Decisive).then(|| input.clone());
        let mut session = Session::open(input, trace.level);
        session.notes.explained = trace.explained;
        let n_events = trace.events.len();
        let mut out = Recorder::new(trace);
        super::run_actions(&mut session, &mut out);
        if world.is_interrupted() {
            return Turn { decisions: Vec::new(), wake: self.rhythm.wake(world.now) };
        }
        out.trace.marks.extend(match &again {
            None => std::mem::take(&mut session.notes.ties.marks),
            Some(input) => nondeterminism_probe::marks(input, &session, &out),
        });
        memory.close(world, &session, &mut out);
        let Recorder { trace, decisions, claims, .. } = out;
        let decisions = Placing::default().decide(world, &session, decisions, trace, n_events);
        if let Some(input) = again.as_ref().filter(|_| !trace.refusals.is_empty()) {
            let free_at = free_times(world, &decisions);
            let mut claimed: BTreeMap<JobId, Time> = BTreeMap::new();
            for (job, node) in claims.iter().map(|c| (session.facts_of(c.0).id, session.state.nodes[c.1.ix()].id)) {
                if let Some(&time) = free_at.get(&node) {
                    claimed.entry(job).and_modify(|last| *last = time.max(*last)).or_insert(time);
                }
            }
            let cycle = CompletedCycle { input, world, rhythm: self.rhythm, memory };
            cycle.complete(&mut session, &mut trace.refusals, |job| claimed.get(&job).copied());
        }
        let total = session.inputs.total;
        if let (Some(params), Some(tracker)) = (&self.config.usage, &mut memory.usage) {
            tracker.hold(params, allocated_by_queue(world, &decisions), total);
        }
        Turn { decisions, wake: self.rhythm.wake(world.now) }
    }

    fn reader<'w>(&self, view: PartitionView<'w>, memory: &'w Memory) -> PoolReader<'_, 'w> {
        PoolReader { config: &self.config, view, memory }
    }

    pub(in crate::policy) fn ledger_with(
        &self,
        queues: impl Fn() -> Vec<QueueSpec>,
        world: PartitionView<'_>,
        memory: &Memory,
    ) -> Ledger {
        let (queues, total) = self.reader(world, memory).divided(queues);
        let shows_usage = queues.iter().any(|queue| queue.usage != Quantities::default());
        let mut rows: Vec<LedgerRow> = world.cluster.queues.ids().map(empty_row).collect();
        for queue in &queues {
            let row = &mut rows[crate::id::Id::index(queue.id)];
            row.allocated = per_resource(queue.allocated);
            row.non_preemptible = per_resource(queue.allocated_np);
            row.request = per_resource(queue.request);
            row.fair_share = Some(per_resource(queue.fair_share));
            row.quota = per_resource(queue.deserved);
            row.limit = per_resource(queue.limit);
            row.usage = shows_usage.then(|| per_resource(queue.usage));
        }
        Ledger { rows, total: per_resource(total) }
    }

    pub(in crate::policy) fn derive_with(
        &self,
        queues: impl Fn() -> Vec<QueueSpec>,
        world: PartitionView<'_>,
        memory: &Memory,
        (queue, resource): (QueueId, Resource),
    ) -> Vec<DivisionStep> {
        let (queues, total) = self.reader(world, memory).divided(queues);
        self.ladder(&queues, total, (queue, resource))
    }

    fn ladder(&self, queues: &[Queue], total: Quantities, (queue, resource): (QueueId, Resource)) -> Vec<DivisionStep> {
        let index = Resource::ACCOUNTED.iter().position(|r| *r == resource);
        let (Some(queue), Some(index)) = (queue_ref(queues, queue), index) else { return Vec::new() };
        shares::ladder(queues, total, self.config.division_params(), queue, index)
    }

    pub(in crate::policy) fn order_with(
        &self,
        queues: impl Fn() -> Vec<QueueSpec>,
        world: PartitionView<'_>,
        memory: &Memory,
        (queue, job): (QueueId, Option<JobId>),
    ) -> Vec<OrderLevel> {
        let reader = self.reader(world, memory);
        let input = reader.input(&reader.pool(&reader.facts(), None, &queues));
        let mut session = Session::open(input, Level::Outcomes);
        serving_order::levels(&mut session, queue, job)
    }
}

fn queue_ref(queues: &[Queue], queue: QueueId) -> Option<QueueRef> {
    queues.iter().position(|q| q.id == queue).map(QueueRef::of)
}

/// A queue's GPU share by the readings of the published pseudo-code, where the usual one differs from the share that
/// decides. The pseudo-code ignores past usage.
fn published_shares(queues: &[Queue], total: Quantities, queue: QueueId) -> Vec<DivisionStep> {
    let (Some(divided), Some(gpu)) =
        (queue_ref(queues, queue), Resource::ACCOUNTED.iter().position(|r| *r == Resource::GPU))
    else {
        return Vec::new();
    };
    if queues.iter().any(|q| q.usage.to_array()[gpu] != 0.0) {
        return Vec::new();
    }
    let share = |reading| shares::published(queues, total, divided, gpu, reading);
    let step = |rule, fair_share| DivisionStep::AlternativeShare { rule, queue, fair_share };
    let is_other = |a: f64, b: f64| (a - b).abs() >= LEAST_DIFFERENCE;
    let (decisive, by_round) = (queues[divided.ix()].fair_share.to_array()[gpu], share(Reading::ByRound));
    if !is_other(by_round, decisive) {
        return Vec::new();
    }
    let mut steps = vec![step(PUBLISHED, by_round)];
    let line_by_line = share(Reading::LineByLine);
    if is_other(line_by_line, by_round) {
        steps.push(step(LINE_BY_LINE, line_by_line));
    }
    steps
}

/// Starts the tracker at the first cycle, with the initial usage of the queues.
fn start_measuring(params: &UsageParams, world: PartitionView<'_>) -> UsageTracker {
    let start = snapshot_queues(world).iter().map(|queue| queue.usage).collect();
    let mut capacity = Quantities::default();
    for (_, node) in world.nodes().filter(|(_, n)| n.takes_pods()) {
        let amount = |r| node.capacity.get(r).in_policy_units(r);
        capacity += Quantities::from_array(Resource::ACCOUNTED.map(amount));
    }
    UsageTracker::new(params, start, allocated_by_queue(world, &[]), capacity)
}

/// Allocation of every queue, parents included, after the decisions.
fn allocated_by_queue(world: PartitionView<'_>, decisions: &[Decision]) -> Vec<Quantities> {
    let cluster = world.cluster;
    let mut decided: Vec<(PodId, Option<NodeId>)> = Vec::with_capacity(decisions.len());
    for decision in decisions {
        decided.push(match *decision {
            Decision::Bind { pod, node, .. } => (pod, Some(node)),
            Decision::Evict { pod, .. } => (pod, None),
        });
    }
    decided.sort_by_key(|t| t.0);
    let mut allocated = vec![Quantities::default(); cluster.queues.len()];
    for job in world.live_jobs() {
        for (id, pod) in cluster.pods_of(job) {
            let holds = matches!(pod.phase, Phase::Starting { .. } | Phase::Running { .. });
            let node = match decided.binary_search_by_key(&id, |t| t.0) {
                Ok(i) => decided[i].1,
                Err(_) => pod.node.filter(|_| holds),
            };
            let Some(node) = node else { continue };
            let mib = super::place::node::device_mib(cluster.nodes[node].gpu_memory_mib);
            let amount = Request::of_pod(pod).accepted_on(mib).quantities;
            for queue in cluster.path_to_root(cluster.jobs[job].queue) {
                allocated[crate::id::Id::index(queue)] += amount;
            }
        }
    }
    allocated
}

/// Times at which the last terminating pod leaves each node. In one pass, because a cycle may have thousands of claims.
fn free_times(world: PartitionView<'_>, decisions: &[Decision]) -> BTreeMap<NodeId, Time> {
    let cluster = world.cluster;
    let (mut bound, mut evicted) = (BTreeMap::new(), BTreeSet::new());
    for decision in decisions {
        match *decision {
            Decision::Bind { pod, node, .. } => {
                bound.entry(pod).or_insert(node);
            }
            Decision::Evict { pod, .. } => {
                evicted.insert(pod);
            }
        }
    }
    let mut times: BTreeMap<NodeId, Time> = BTreeMap::new();
    for (id, pod) in world.live_jobs().flat_map(|job| cluster.pods_of(job)) {
        let until = match pod.phase {
            Phase::Terminating { until, .. } => until,
            _ if evicted.contains(&id) => world.now + cluster.delays.termination,
            _ => continue,
        };
        // Pods bound in this cycle are not on a node yet.
        if let Some(node) = pod.node.or_else(|| bound.get(&id).copied()) {
            times.entry(node).and_modify(|last| *last = until.max(*last)).or_insert(until);
        }
    }
    times
}
