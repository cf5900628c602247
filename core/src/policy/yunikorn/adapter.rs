//! The core in the simulator's world: kept in step with the cluster, one pass a cycle.
//!
//! # Rule
//! Jobs are applications, pods are asks of their own, quota is `guaranteed`, limit is `max`, a queue's priority its
//! `priority.offset`. A pass that comes to a result is followed by the next at the same instant; otherwise the policy looks
//! again when something changes, or when an ask becomes old enough to reserve or to preempt.
//!
//! # Source
//! yunikorn.md 1.8, 3.1, 5.1
//!
//! # Differs
//! a part of a GPU counts as a whole one; without placeholders (see [`super::placeholders`]) pods of a gang are not held back for
//! each other

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::amounts::Amounts;
use super::apps::{Ending, NewApp};
use super::config::{Partition, Rule};
use super::cycle::{Found, Kind};
use super::model::{AppIx, Ask, AskIx, Core, NodeIx, QueueIx, Settings as Surroundings};
use super::partition::{self, Kinds, counted};
use super::placeholders::Gangs;
use super::wake::quota_due;
use super::words::Config;
use super::{explain, order, refuse};
use crate::cluster::{Cluster, Devices, GpuRequest, Job, Node, NodeUse, Phase, Pod, Preemptible};
use crate::format::{Findings, Scenario};
use crate::id::{Id, JobId, NodeId, PodId, QueueId};
use crate::policy::description::Description;
use crate::policy::draft::Draft;
use crate::policy::switches::Rulebook;
use crate::policy::{Change, Decision, PartitionView, Rhythm, Scheduler, Turn, Wake};
use crate::time::Time;
use crate::trace::{Event, EvictReason, Ledger, Level, OrderLevel, QueuePriority, Trace};
use crate::units::{Resource, ResourceVec};

/// Apache YuniKorn.
#[derive(Clone, Debug, PartialEq)]
pub struct YuniKorn {
    /// Every switch.
    pub config: Config,
    /// When cycles take place.
    pub rhythm: Rhythm,
}

/// The core, and who is who in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub(super) core: Option<Core>,
    partition: Partition,
    /// What its types are.
    pub(super) kinds: Kinds,
    /// Per queue of the cluster; `None`: the configuration has never had it.
    pub(super) queues: Vec<Option<QueueIx>>,
    /// Per node of the core.
    pub(super) nodes: Vec<NodeId>,
    /// Asks in the core by pod.
    pub(super) asks: BTreeMap<PodId, AskIx>,
    /// The pod of an ask.
    pub(super) pods: BTreeMap<AskIx, PodId>,
    /// Gangs and their placeholders.
    pub(super) gangs: Gangs,
    /// For whom a pod was told to go.
    takers: BTreeMap<PodId, JobId>,
    /// When something changed last.
    pub(super) changed_at: Time,
    /// Nothing changed since the last pass but by its own decisions.
    pub(super) in_step: bool,
}

/// Whether the devices that a pod asks for are free on a node.
fn has_devices(world: PartitionView<'_>, pod: PodId, node: NodeId) -> bool {
    let cluster = world.cluster;
    let mut room = NodeUse::new(&cluster.nodes[node]);
    let pods = world.live_jobs().flat_map(|job| cluster.pods_of(job));
    for (_, held) in pods.filter(|(_, held)| held.phase.holds() && held.node == Some(node)) {
        room.take(&held.request, held.devices);
    }
    room.pick(cluster.pods[pod].request.gpu).is_some()
}

impl Memory {
    /// The core; there is one once a cycle has begun.
    pub(super) fn core(&self) -> Option<&Core> {
        self.core.as_ref()
    }
}

impl Scheduler for YuniKorn {
    const DESCRIPTION: &'static Description = &super::describe::DESCRIPTION;
    type Config = Config;
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        super::settings::read(scenario, findings)
    }

    /// Resource types that only later configurations name are known from the start.
    fn foresee(config: &mut Config, later: &[&Config]) {
        later.iter().for_each(|later| later.collect_types(&mut config.later_types));
    }

    fn advise(config: &Config, draft: &Draft<'_>, findings: &mut Findings) {
        super::applications::applications(draft, findings);
        super::advice::advice(config, draft, findings);
    }

    fn rulebook() -> Rulebook {
        Rulebook::new(super::rules::all(), &super::SWITCHES)
    }

    fn new(config: Config, rhythm: Rhythm) -> YuniKorn {
        YuniKorn { config, rhythm }
    }

    fn observe(&self, _world: PartitionView<'_>, _change: &Change, memory: &mut Memory) {
        memory.in_step = false;
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        memory.repeat_checks(world.now, self.rhythm);
        memory.fire_timers(world, trace);
        if !memory.in_step {
            memory.follow(world, &self.config);
            memory.changed_at = world.now;
        }
        memory.in_step = true;
        let Memory { core: Some(core), .. } = memory else {
            return Turn { decisions: Vec::new(), wake: self.rhythm.wake(world.now) };
        };
        core.now = world.now.as_millis();
        if quota_due(core).is_some_and(|due| due <= core.now) {
            core.poll_quotas();
            let marked = std::mem::take(&mut core.marked);
            if !marked.is_empty() {
                let mut decisions = Vec::new();
                memory.give_up(world, &marked, trace, &mut decisions);
                return Turn { decisions, wake: Wake::Again };
            }
        }
        let decisive = trace.level >= Level::Decisive;
        core.recording = decisive;
        let orders = if decisive { explain::orders(core) } else { Vec::new() };
        let found = core.cycle();
        let marked = std::mem::take(&mut core.marked);
        let mut decisions = Vec::new();
        memory.bind(world, found.as_ref(), &orders, trace, &mut decisions);
        memory.evict(world, &marked, trace, &mut decisions);
        if decisive {
            refuse::refuse(world, memory, found.as_ref(), trace);
        }
        memory.settle_gangs(found.as_ref(), &marked, trace);
        // How much is recorded is no part of the state.
        if let Some(core) = &mut memory.core {
            core.recording = false;
            core.tried.clear();
        }
        let goes_on = found.is_some_and(|found| found.kind != Kind::Idle) || !marked.is_empty();
        let wake = if goes_on { Wake::Again } else { memory.wake(world.now, self.rhythm) };
        Turn { decisions, wake }
    }

    fn ledger(&self, world: PartitionView<'_>, _memory: &Memory) -> Ledger {
        explain::ledger(world)
    }

    fn order(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        job: Option<JobId>,
    ) -> Vec<OrderLevel> {
        let memory = memory.now(world, &self.config);
        order::levels(world, &memory, queue, job)
    }

    fn held(&self, _world: PartitionView<'_>, memory: &Memory) -> Vec<(PodId, NodeId)> {
        memory.held()
    }

    fn priorities(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<QueuePriority> {
        let memory = memory.now(world, &self.config);
        order::priorities(world, &memory)
    }
}

/// What is there of each resource; one of which nothing is said is left out.
fn amounts(kinds: &Kinds, get: &dyn Fn(Resource) -> Option<i64>, pods: i64) -> Amounts {
    let mut out = Amounts::EMPTY;
    for resource in kinds.resources() {
        if let Some((at, amount)) = kinds.of(resource).zip(get(resource)) {
            out.set(at, counted(resource, amount));
        }
    }
    if let Some(at) = kinds.pods() {
        out.set(at, pods);
    }
    out
}

/// An amount in base units; `None`: a resource of the scenario's own that is not named there.
fn said(amounts: &ResourceVec, resource: Resource) -> Option<i64> {
    let is_said = resource.nth_named().is_none() || amounts.has(resource);
    is_said.then(|| amounts.get(resource).in_base_units())
}

/// What one pod asks for: devices are counted whole, and every pod takes a slot.
pub(super) fn ask_of(kinds: &Kinds, pod: &Pod) -> Amounts {
    let devices = match pod.request.gpu {
        GpuRequest::None => 0,
        GpuRequest::Whole { devices }
        | GpuRequest::Fraction { devices, .. }
        | GpuRequest::Memory { devices, .. } => devices,
    };
    // What is asked for with an amount of 0 counts as asked for.
    let is_said = |resource: &Resource| pod.request.resources.has(*resource);
    let of = |resource: Resource| match resource {
        Resource::GPU => {
            Some(i64::from(devices) * 1000).filter(|&amount| amount > 0 || is_said(&Resource::GPU))
        }
        _ => Some(pod.request.resources.get(resource).in_base_units()).filter(|_| is_said(&resource)),
    };
    amounts(kinds, &of, 1)
}

impl Memory {
    /// The same, in step with the cluster as it is.
    fn now(&self, world: PartitionView<'_>, config: &Config) -> Cow<'_, Memory> {
        let mut now = Cow::Borrowed(self);
        if !self.in_step {
            now.to_mut().follow(world, config);
        }
        now
    }

    /// Brings the core in step with the cluster: configuration, nodes, then jobs and pods by number.
    fn follow(&mut self, world: PartitionView<'_>, config: &Config) {
        let partition = simulated(partition::partition(world.queues(), config));
        if self.core.is_none() {
            let settings = Surroundings { reservation_delay: 2000, ideal_predicates: true };
            let is_limited = world.nodes().any(|(_, node)| node.pods_max != Node::UNLIMITED_PODS);
            self.kinds = Kinds::new(&partition, config, &world.cluster.named).counting_pods(is_limited);
            self.core = Some(Core::new(&partition, self.kinds.names.clone(), settings));
        }
        let Some(core) = &mut self.core else { return };
        core.now = world.now.as_millis();
        if partition != self.partition {
            core.apply(&partition);
            self.partition = partition;
        }
        let paths = partition::paths(world.queues());
        self.queues = paths.iter().map(|path| core.find_queue(path)).collect();
        self.follow_nodes(world);
        for job in world.live_jobs() {
            self.follow_job(world, config, job);
        }
        self.forget(world);
    }

    fn follow_nodes(&mut self, world: PartitionView<'_>) {
        let Some(core) = &mut self.core else { return };
        for (id, node) in world.nodes() {
            let of = |resource: Resource| said(&node.capacity, resource);
            // A node that is not ready offers nothing, not even to those who reserved it.
            let ready = amounts(&self.kinds, &of, i64::from(node.pods_max));
            let capacity = if node.ready { ready } else { Amounts::EMPTY };
            let known = self.nodes.iter().position(|&known| known == id);
            let at = known.unwrap_or_else(|| {
                core.add_node(&node.name, &capacity);
                self.nodes.push(id);
                self.nodes.len() - 1
            });
            if core.nodes[at].capacity != capacity.pruned() {
                core.set_capacity(at, &capacity);
            }
            if core.nodes[at].schedulable != node.takes_pods() {
                core.set_schedulable(at, node.takes_pods());
            }
            core.nodes[at].cordoned = node.draining;
            core.nodes[at].down = !node.ready;
            if !node.ready {
                core.drop_reservations_on(at);
                self.gangs.lose_node(core, at);
            }
        }
    }

    fn follow_job(&mut self, world: PartitionView<'_>, config: &Config, id: JobId) {
        let Some(core) = &mut self.core else { return };
        let job = &world.cluster.jobs[id];
        let application = application(world.cluster, id);
        let app = core.find_app(application).or_else(|| {
            let queue = self.queues[job.queue.index()]?;
            let user = job.user.as_deref().unwrap_or_default();
            let queue = path_of(core, queue, user);
            let groups = groups_of(world.cluster, config, id);
            let new = NewApp {
                id: application.to_string(),
                queue,
                user: user.to_owned(),
                groups,
                ..NewApp::default()
            };
            self.gangs.add_app(core, world, (&self.kinds, &self.nodes), id, new)
        });
        let Some(app) = app.filter(|&app| self.gangs.may_start(core, id, app)) else { return };
        let is_gang = self.gangs.is_gang(id);
        for (pod_id, pod) in world.cluster.pods_of(id) {
            let node = pod.node.and_then(|node| self.nodes.iter().position(|&known| known == node));
            let known = self.asks.get(&pod_id).copied();
            if let (Some(ask), Phase::Pending) = (known, pod.phase)
                && core.asks[ask].allocated
            {
                // It was told to go, and waits again.
                release(core, ask);
                self.pods.remove(&ask);
                self.asks.remove(&pod_id);
            } else if known.is_some() {
                continue;
            }
            let wanted = match pod.phase {
                Phase::Pending => Some(None),
                phase if phase.holds() => node.map(Some),
                _ => None,
            };
            let Some(on) = wanted else { continue };
            let refuses = refused_nodes(world, &self.nodes, pod);
            let set = &world.cluster.pod_sets[pod.pod_set].name;
            let ask = Ask {
                refuses,
                task_group: if is_gang { set.to_string() } else { String::new() },
                ..ask_for(&self.kinds, (job, pod), &pod.name, app)
            };
            if core.add_ask(ask, on)
                && let Some(ask) = core.find_ask(app, &pod.name)
            {
                self.asks.insert(pod_id, ask);
                self.pods.insert(ask, pod_id);
                if let Phase::Terminating { .. } = pod.phase {
                    core.is_leaving(ask);
                }
            }
        }
    }

    /// Takes out what is over.
    fn forget(&mut self, world: PartitionView<'_>) {
        let Some(core) = &mut self.core else { return };
        let over = |pod: &PodId| {
            let phase = world.cluster.pods[*pod].phase;
            phase != Phase::Pending && !phase.holds()
        };
        let gone: Vec<PodId> = self.asks.keys().copied().filter(over).collect();
        // Requests that wait go first: an application counts for its user until an allocation ends and nothing is left.
        let is_allocated = |pod: &PodId| self.asks.get(pod).is_some_and(|&ask| core.asks[ask].allocated);
        let (running, waiting): (Vec<PodId>, Vec<PodId>) = gone.into_iter().partition(is_allocated);
        for pod in waiting.into_iter().chain(running) {
            if let Some(ask) = self.asks.remove(&pod) {
                self.pods.remove(&ask);
                release(core, ask);
            }
        }
        self.gangs.forget(core, world);
        self.takers.retain(|pod, _| matches!(world.cluster.pods[*pod].phase, Phase::Terminating { .. }));
    }

    fn bind(
        &mut self,
        world: PartitionView<'_>,
        found: Option<&Found>,
        orders: &[explain::Order],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        let (Some(core), Some(found)) = (&self.core, found) else { return };
        let Some(pod) = self.pod_of(found.ask) else { return };
        let node = self.nodes[found.node];
        // A placeholder stays on a node that has fewer GPUs than before; the pod in its place is not admitted there and asks anew.
        if matches!(found.kind, Kind::Replaced) && !has_devices(world, pod, node) {
            self.in_step = false;
            return;
        }
        match found.kind {
            Kind::Allocated | Kind::AllocatedReserved if core.asks[found.ask].placeholder => {
                trace.event(Event::Claimed { pod, node }, || explain::why(world, self, core, orders, found));
            }
            Kind::Allocated | Kind::AllocatedReserved | Kind::Replaced => {
                let devices = Devices::default();
                let why = || explain::why(world, self, core, orders, found);
                trace.action = "allocate";
                trace.event(Event::Bound { pod, node, devices }, why);
                decisions.push(Decision::Bind { pod, node, devices: None });
            }
            Kind::Reserved | Kind::Idle if !found.victims.is_empty() => {
                trace.action = "reserve";
                trace.event(Event::Claimed { pod, node }, Vec::new);
            }
            _ => {}
        }
    }

    fn evict(
        &mut self,
        world: PartitionView<'_>,
        marked: &[AskIx],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        let Some(core) = &self.core else { return };
        for (victim, ask) in marked.iter().zip(&core.marked_for) {
            let Some(ask) = *ask else { continue };
            let taker = self.pod_of(ask).map(|pod| world.cluster.pods[pod].job);
            let Some(&pod) = self.pods.get(victim) else {
                if let (Some(pod), Some(node)) = (self.pod_of(*victim), core.asks[*victim].node) {
                    let node = self.nodes[node];
                    trace.event(Event::Unclaimed { pod, node, by: taker }, Vec::new);
                }
                continue;
            };
            let Some(node) = world.cluster.pods[pod].node else { continue };
            // What a required node has to give up hangs on priorities alone.
            let is_required = !core.asks[ask].required_node.is_empty();
            let reason = if is_required { EvictReason::Preempted } else { EvictReason::ReclaimedForQuota };
            let why = || match is_required {
                true => explain::why_given_way(world, self, core, ask, *victim),
                false => explain::why_evicted(world, self, core, ask, marked, *victim),
            };
            trace.action = "preempt";
            trace.event(Event::Evicted { pod, node, by: taker, reason }, why);
            decisions.push(Decision::Evict { pod, grace: world.cluster.delays.termination });
            self.takers.extend(taker.map(|job| (pod, job)));
            self.in_step = false;
        }
    }

    /// Tasks that go because a maximum was lowered.
    fn give_up(
        &mut self,
        world: PartitionView<'_>,
        marked: &[AskIx],
        trace: &mut Trace,
        decisions: &mut Vec<Decision>,
    ) {
        let Some(core) = &self.core else { return };
        for victim in marked {
            let Some(&pod) = self.pods.get(victim) else { continue };
            let Some(node) = world.cluster.pods[pod].node else { continue };
            let reason = EvictReason::AboveLimit;
            let why = || explain::why_given_up(self, core, marked, *victim);
            trace.action = "quota preemption";
            trace.event(Event::Evicted { pod, node, by: None, reason }, why);
            decisions.push(Decision::Evict { pod, grace: world.cluster.delays.termination });
            self.in_step = false;
        }
    }

    /// The pod of an ask, or that for which a placeholder holds room.
    pub(super) fn pod_of(&self, ask: AskIx) -> Option<PodId> {
        self.pods.get(&ask).copied().or_else(|| self.gangs.pod_of(ask))
    }

    /// For whom a pod that is leaving was told to go.
    pub(super) fn leaving_for(&self, job: JobId) -> impl Iterator<Item = PodId> + '_ {
        self.takers.iter().filter(move |(_, taker)| **taker == job).map(|(pod, _)| *pod)
    }
}

fn release(core: &mut Core, ask: AskIx) {
    let running = core.apps[core.asks[ask].app].allocations.contains(&ask);
    if running { core.release(ask, Ending::Over) } else { core.remove_ask(ask) }
}

/// Nodes that a pod's labels, taints or device memory rule out.
pub(super) fn refused_nodes(world: PartitionView<'_>, nodes: &[NodeId], pod: &Pod) -> Vec<NodeIx> {
    let mib = match pod.request.gpu {
        GpuRequest::Memory { mib, .. } => mib,
        _ => 0,
    };
    let refuses = |node: &NodeId| {
        let node = &world.cluster.nodes[*node];
        !pod.selects(node) || !pod.tolerates(node) || mib > node.gpu_memory_mib / 100 * 100
    };
    nodes.iter().enumerate().filter(|(_, node)| refuses(node)).map(|(at, _)| at).collect()
}

/// What the core is given: everybody may submit, and queues that placement makes are made where a job asks for one.
fn simulated(mut partition: Partition) -> Partition {
    let provided = Rule { name: "provided".to_owned(), create: true, ..Rule::default() };
    partition.placementrules = vec![provided];
    for root in &mut partition.queues {
        root.submitacl = "*".to_owned();
    }
    partition
}

/// The path a job asks for: its queue, or below a queue of YuniKorn's that only has queues made by placement, that of its
/// user.
fn path_of(core: &Core, queue: QueueIx, user: &str) -> String {
    let path = &core.queues[queue].path;
    if core.queues[queue].is_leaf {
        return path.clone();
    }
    let user = if user.is_empty() { "default" } else { user };
    [path, ".", &user.replace('.', "_dot_")].concat()
}

/// The application of a job: the one that it names, else it is one by itself.
pub(super) fn application(cluster: &Cluster, job: JobId) -> &str {
    let first = cluster.pods_of(job).next().and_then(|(_, pod)| pod.rules.as_deref());
    first.and_then(|rules| rules.application.as_deref()).unwrap_or(&cluster.jobs[job].name)
}

/// The groups of a job's user: those that the job says, else those that the settings say.
fn groups_of(cluster: &Cluster, config: &Config, job: JobId) -> Vec<String> {
    let first = cluster.pods_of(job).next().and_then(|(_, pod)| pod.rules.as_deref());
    match first.map(|rules| rules.groups.as_slice()) {
        Some(own @ [_, ..]) => own.iter().map(|group| group.to_string()).collect(),
        _ => {
            let user = cluster.jobs[job].user.as_deref().unwrap_or_default();
            config.groups.get(user).cloned().unwrap_or_default()
        }
    }
}

/// What is asked for one pod, or for its place.
pub(super) fn ask_for(kinds: &Kinds, (job, pod): (&Job, &Pod), key: &str, app: AppIx) -> Ask {
    let rules = pod.rules.as_deref();
    let required_node = rules.and_then(|rules| rules.required_node.as_deref());
    Ask {
        created: job.created.as_millis(),
        allow_self: job.preemptible != Preemptible::No,
        allow_other: !rules.is_some_and(|rules| rules.never_preempts),
        originator: rules.is_some_and(|rules| rules.is_originator),
        required_node: required_node.unwrap_or_default().to_owned(),
        ..Ask::new(key, app, ask_of(kinds, pod), job.priority)
    }
}

/// How long until the end of a grace.
pub(super) fn until(phase: Phase) -> Option<Time> {
    match phase {
        Phase::Terminating { until } => Some(until),
        _ => None,
    }
}
